//! What presets and Plugins have in common.

use super::admission;
use crate::diagnostic::{Code, Diagnostic};
use crate::expand::names;
use crate::load::fields::{Fields, Item, intact};
use crate::load::settings::{Version, setting, version};
use crate::model::{
    DefinitionKind, DefinitionRef, DeletionPolicy, IgnoreDifference, OptionValue, PluginSpec,
    SecretRef, ValueFrom, WaitFor,
};

const DEFINITION_KINDS: &[(&str, DefinitionKind)] = &[
    ("PluginDefinition", DefinitionKind::PluginDefinition),
    (
        "ClusterPluginDefinition",
        DefinitionKind::ClusterPluginDefinition,
    ),
];

pub(super) const DELETION_POLICIES: &[(&str, DeletionPolicy)] = &[
    ("Delete", DeletionPolicy::Delete),
    ("Retain", DeletionPolicy::Retain),
];

/// Which of the two kinds is read; their option values differ.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Owner {
    Preset,
    Plugin,
}

/// Reads the fields that both have. `versions` are further places of the version setting.
pub(super) fn plugin_spec<'a>(
    spec: &mut Fields<'a>,
    owner: Owner,
    wait_for: Vec<WaitFor>,
    versions: Vec<Option<Item<'a>>>,
) -> (Option<PluginSpec>, Option<Version>) {
    let (definition, version) = definition_ref(spec, versions);
    let display_name = spec.optional("displayName").and_then(|item| item.string());
    let release_name = spec.optional("releaseName").and_then(|item| {
        let name = item.string().filter(|name| !name.is_empty())?;
        admission::release_name(&item, name);
        Some(name)
    });
    let release_namespace = spec.optional("releaseNamespace").and_then(|item| {
        item.string().filter(|name| !name.is_empty())?;
        item.name(names::dns1123_label)
    });
    let deletion_policy = spec
        .optional("deletionPolicy")
        .and_then(|item| item.choice(DELETION_POLICIES));
    let options = spec
        .optional("optionValues")
        .map(|item| option_values(&item, owner));
    let ignore = spec
        .optional("ignoreDifferences")
        .map(|item| ignore_differences(&item));
    let owned = |text: Option<&str>| text.filter(|text| !text.is_empty()).map(Into::into);
    let spec = definition.map(|definition| PluginSpec {
        definition,
        display_name: owned(display_name),
        release_name: owned(release_name),
        release_namespace: owned(release_namespace),
        deletion_policy,
        options: options.flatten().unwrap_or_default(),
        ignore_differences: ignore.flatten().unwrap_or_default(),
        wait_for,
    });
    (spec, version)
}

/// `pluginDefinitionRef: {kind, name}`, the ADR's `pluginDefinition: {name, version}`, and the
/// plain string that came before both.
fn definition_ref<'a>(
    spec: &mut Fields<'a>,
    mut versions: Vec<Option<Item<'a>>>,
) -> (Option<DefinitionRef>, Option<Version>) {
    versions.push(spec.optional("version"));
    let places = [
        spec.optional("pluginDefinitionRef"),
        spec.optional("pluginDefinition"),
    ];
    if places.iter().all(Option::is_none) {
        spec.missing("pluginDefinitionRef");
    }
    let mut read = Vec::new();
    for place in places.iter().flatten() {
        if let Some(name) = place
            .node
            .as_str()
            .filter(|_| place.path.ends_with("pluginDefinition"))
        {
            read.push((
                place.clone(),
                reference(place, name, DefinitionKind::PluginDefinition),
            ));
        } else if let Some(mut fields) = place.map() {
            let kind = match fields.optional("kind") {
                Some(item) => item.choice(DEFINITION_KINDS),
                None => Some(DefinitionKind::PluginDefinition),
            };
            let name = fields.required("name").and_then(|item| {
                let name = item.name(names::dns1123_subdomain)?;
                Some((item, name))
            });
            versions.push(fields.optional("version"));
            fields.finish();
            if let (Some(kind), Some((item, name))) = (kind, name) {
                read.push((place.clone(), reference(&item, name, kind)));
            }
        }
    }
    let same = |item: &Item<'a>| {
        read.iter()
            .find(|(place, _)| place.path == item.path)
            .map(|(_, reference)| Same(reference.clone()))
    };
    let definition = setting(places, same).map(|same| same.0);
    let version = setting(versions, version);
    (definition, version)
}

/// A reference that is the same wherever it stands.
struct Same(DefinitionRef);

impl PartialEq for Same {
    fn eq(&self, other: &Self) -> bool {
        (self.0.kind, &self.0.name) == (other.0.kind, &other.0.name)
    }
}

fn reference(item: &Item<'_>, name: &str, kind: DefinitionKind) -> DefinitionRef {
    DefinitionRef {
        kind,
        name: name.to_owned(),
        location: item.location(),
    }
}

/// `optionValues`, and the `overrides` of one cluster.
pub(super) fn option_values(item: &Item<'_>, owner: Owner) -> Option<Vec<OptionValue>> {
    let values: Vec<_> = item
        .list()?
        .iter()
        .map(|item| option_value(item, owner))
        .collect();
    values.into_iter().collect()
}

fn option_value(item: &Item<'_>, owner: Owner) -> Option<OptionValue> {
    let mut fields = item.map()?;
    let name = fields.required("name").and_then(|item| item.string());
    let value = fields.nullable("value").map(|item| {
        item.warn_of_traps();
        item.node.to_value()
    });
    let value_from = fields
        .optional("valueFrom")
        .map(|item| value_from(&item, owner));
    let expression = match owner {
        Owner::Preset => fields.optional("expression").map(|item| item.string()),
        Owner::Plugin => None,
    };
    fields.finish();
    Some(OptionValue {
        name: name?.to_owned(),
        value,
        value_from: intact(value_from)?,
        expression: intact(expression)?.map(str::to_owned),
        location: item.location(),
    })
}

fn value_from(item: &Item<'_>, owner: Owner) -> Option<ValueFrom> {
    let mut fields = item.map()?;
    let secret = fields.optional("secret").map(|item| secret_ref(&item));
    let reference = match owner {
        Owner::Preset => fields.optional("ref"),
        Owner::Plugin => None,
    };
    match (&secret, &reference) {
        (Some(_), Some(reference)) => {
            reference.push(
                reference
                    .error(
                        Code::OptionSource,
                        format!("`{}` has both `secret` and `ref`", item.path),
                    )
                    .expected("one of them"),
            );
        }
        (None, None) => fields.missing("secret"),
        _ => {}
    }
    fields.finish();
    match secret {
        Some(secret) => secret.map(ValueFrom::Secret),
        None => reference.map(|_| ValueFrom::Unsupported),
    }
}

fn secret_ref(item: &Item<'_>) -> Option<SecretRef> {
    let mut fields = item.map()?;
    let name = fields.required("name").and_then(|item| item.string());
    let key = fields.required("key").and_then(|item| item.string());
    fields.finish();
    Some(SecretRef {
        name: name?.to_owned(),
        key: key?.to_owned(),
    })
}

fn ignore_differences(item: &Item<'_>) -> Option<Vec<IgnoreDifference>> {
    let entries: Vec<_> = item
        .list()?
        .iter()
        .map(|item| {
            let mut fields = item.map()?;
            let mut text = |name| {
                let item: Option<Item<'_>> = fields.optional(name);
                item.and_then(|item| item.string()).map(str::to_owned)
            };
            let (group, version) = (text("group"), text("version"));
            let (kind, name) = (text("kind"), text("name"));
            let paths = fields.required("paths").and_then(|item| item.strings());
            fields.finish();
            Some(IgnoreDifference {
                group,
                version,
                kind,
                name,
                paths: paths?,
            })
        })
        .collect();
    entries.into_iter().collect()
}

/// `waitFor`, checked as the webhook checks it.
pub(super) fn wait_for(spec: &mut Fields<'_>) -> Option<Vec<WaitFor>> {
    let Some(item) = spec.optional("waitFor") else {
        return Some(Vec::new());
    };
    let entries: Vec<_> = item
        .list()?
        .iter()
        .map(|item| {
            let mut fields = item.map()?;
            let reference = fields.required("pluginRef");
            fields.finish();
            let mut fields = reference?.map()?;
            let mut text = |name| {
                let item: Option<Item<'_>> = fields.optional(name);
                let text = item.and_then(|item| item.string());
                text.filter(|text| !text.is_empty()).map(str::to_owned)
            };
            let (name, plugin_preset) = (text("name"), text("pluginPreset"));
            fields.finish();
            Some(WaitFor {
                name,
                plugin_preset,
                location: item.location(),
            })
        })
        .collect();
    let entries = entries.into_iter().collect::<Option<Vec<_>>>()?;
    admission::wait_for(&item, &entries);
    Some(entries)
}

/// A hint for definitions from before the kind was renamed.
pub(super) fn renamed_kind(spec: &Item<'_>) {
    if spec.node.get("pluginDefinitionRef").is_none()
        && spec.node.get("version").is_some()
        && (spec.node.get("helmChart").is_some() || spec.node.get("options").is_some())
    {
        spec.push(
            Diagnostic::note(
                Code::InvalidValue,
                "this looks like a definition from before Greenhouse renamed the kind",
            )
            .at(&spec.key_location())
            .hint("write `kind: PluginDefinition`"),
        );
    }
}
