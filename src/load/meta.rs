//! `metadata`, the same for every kind.

use std::collections::BTreeMap;

use super::fields::{Fields, Item};
use super::names;
use crate::diagnostic::Code;
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
    let name = metadata.required("name").and_then(|item| {
        let name = item.text()?;
        check_name(&item, name, names::is_subdomain, names::SUBDOMAIN).then_some(name)
    });
    let given = metadata.optional("namespace").and_then(|item| {
        let namespace = item.string()?;
        if !namespace.is_empty() {
            check_name(&item, namespace, names::is_dns_label, names::DNS_LABEL);
        }
        Some(namespace)
    });
    let labels = metadata.optional("labels").map(|item| {
        let check = |item: &Item<'_>, value: &str| {
            if !names::is_label_value(value) {
                item.invalid(
                    format!("`{}` is `{value}`, which no label may have", item.path),
                    names::LABEL_VALUE,
                );
            }
        };
        string_map(&item, check)
    });
    let annotations = metadata
        .optional("annotations")
        .map(|item| string_map(&item, |_, _| ()));
    metadata.known(OTHER_FIELDS);
    metadata.finish();
    let namespace = fixed_namespace
        .or(given)
        .filter(|namespace| !namespace.is_empty())
        .unwrap_or(root.cx.organization);
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
        if !names::is_qualified_name(key) {
            value.push(
                crate::diagnostic::Diagnostic::error(
                    Code::InvalidName,
                    format!("`{key}` is not allowed as a key of `{}`", item.path),
                )
                .at(&value.key_location())
                .expected(names::QUALIFIED_NAME),
            );
        }
        if let Some(text) = value.string() {
            check(&value, text);
            map.insert(key.to_owned(), text.to_owned());
        }
    }
    map
}

/// Reports a name that is not allowed.
pub(super) fn check_name(
    item: &Item<'_>,
    name: &str,
    allowed: impl Fn(&str) -> bool,
    expected: &str,
) -> bool {
    let fine = allowed(name);
    if !fine {
        item.push(
            item.error(
                Code::InvalidName,
                format!("`{}` is `{name}`, which is not allowed", item.path),
            )
            .expected(expected),
        );
    }
    fine
}
