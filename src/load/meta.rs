//! `metadata`, the same for every kind.

use std::collections::BTreeMap;

use super::fields::{Fields, Item, name_error};
use crate::expand::names;
use crate::model::Meta;

/// Fields that the API server sets or that no kind of ours needs.
const OTHER_FIELDS: &[&str] = &[
    "creationTimestamp",
    "deletionGracePeriodSeconds",
    "deletionTimestamp",
    "finalizers",
    "generateName",
    "generation",
    "managedFields",
    "ownerReferences",
    "resourceVersion",
    "selfLink",
    "uid",
];

/// Reads `metadata`. A namespaced object without a namespace belongs to the organization;
/// `fixed_namespace` is that of a kind which has none.
pub(super) fn meta(
    root: &Item<'_>,
    fields: &mut Fields<'_>,
    fixed_namespace: Option<&str>,
) -> Option<Meta> {
    fields.known(&["apiVersion", "kind", "status"]);
    let mut metadata = fields.required("metadata")?.map()?;
    let name = metadata
        .required("name")
        .and_then(|item| item.name(names::dns1123_subdomain));
    let given = metadata.optional("namespace").and_then(|item| {
        item.string().filter(|namespace| !namespace.is_empty())?;
        item.name(names::dns1123_label)
    });
    let labels = metadata.optional("labels").map(|item| {
        let check = |item: &Item<'_>, value: &str| {
            if let Err(error) = names::label_value(value) {
                item.push(name_error(&item.path, &error).at(&item.location()));
            }
        };
        string_map(&item, check)
    });
    let annotations = metadata
        .optional("annotations")
        .map(|item| string_map(&item, |_, _| ()));
    metadata.known(OTHER_FIELDS);
    metadata.finish();
    let namespace = fixed_namespace.or(given).unwrap_or(root.cx.organization);
    Some(Meta {
        name: name?.to_owned(),
        namespace: namespace.to_owned(),
        labels: labels.unwrap_or_default(),
        annotations: annotations.unwrap_or_default(),
        location: root.location(),
    })
}

/// Labels or annotations. A value that is no string is an error: the API server refuses it.
fn string_map(item: &Item<'_>, check: impl Fn(&Item<'_>, &str)) -> BTreeMap<String, String> {
    let mut map = BTreeMap::new();
    for (key, value) in item.entries().unwrap_or_default() {
        if let Err(error) = names::label_key(key) {
            value.push(name_error(&item.path, &error).at(&value.key_location()));
        }
        if let Some(text) = value.string() {
            check(&value, text);
            map.insert(key.to_owned(), text.to_owned());
        }
    }
    map
}
