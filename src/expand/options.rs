//! The list of option values of one release, in the order in which Greenhouse builds it.

use std::borrow::Cow;

use super::strvals::{self, PathError};
use crate::diagnostic::Location;
use crate::model::{Cluster, Definition, OptionValue, SecretRef, ValueFrom, label};
use crate::yaml::{Map, Value};

/// Values that Greenhouse injected before v0.16, and strips since.
const EXCLUDED: [&str; 2] = [
    "global.greenhouse.clusterNames",
    "global.greenhouse.teamNames",
];

/// One option value of a release and where it comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry<'a> {
    /// The option's name.
    pub name: Cow<'a, str>,
    /// The plain value.
    pub value: Option<Cow<'a, Value>>,
    /// The reference, where one is given.
    pub value_from: Option<&'a ValueFrom>,
    /// Where the value comes from.
    pub source: Source<'a>,
    /// What it took the place of, the last one last.
    pub overrode: Vec<Source<'a>>,
}

/// Where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source<'a> {
    /// Which step gave it.
    pub origin: Origin,
    /// The place in a manifest; none for injected values.
    pub location: Option<&'a Location>,
}

/// The steps that give values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The default of the definition's option.
    Default,
    /// The preset's, or a standalone Plugin's, `optionValues`.
    OptionValues,
    /// The preset's `clusterOptionOverrides`.
    Override,
    /// `global.greenhouse.*`, which Greenhouse sets itself.
    Injected,
}

impl<'a> Entry<'a> {
    pub(super) fn given(option: &'a OptionValue, origin: Origin) -> Self {
        Self {
            name: Cow::Borrowed(&option.name),
            value: option
                .value
                .as_ref()
                .filter(|value| !value.is_null())
                .map(Cow::Borrowed),
            value_from: option.value_from.as_ref(),
            source: Source {
                origin,
                location: Some(&option.location),
            },
            overrode: Vec::new(),
        }
    }

    /// The referenced Secret, if there is one.
    pub fn secret(&self) -> Option<&'a SecretRef> {
        match self.value_from {
            Some(ValueFrom::Secret(secret)) => Some(secret),
            _ => None,
        }
    }
}

/// Sets the value of the first entry of that name, or appends the entry. Only the value is taken
/// over, not the reference: what Greenhouse's `setOrAppendNameValue` does.
fn set_or_append<'a>(entries: &mut Vec<Entry<'a>>, entry: Entry<'a>) {
    match entries
        .iter_mut()
        .find(|existing| existing.name == entry.name)
    {
        Some(existing) => {
            existing.value = entry.value;
            let replaced = std::mem::replace(&mut existing.source, entry.source);
            if replaced != existing.source {
                existing.overrode.push(replaced);
            }
        }
        None => entries.push(entry),
    }
}

/// The preset's values with the overrides for `cluster`: of the first list that names the cluster,
/// each override replaces the first value of its name as a whole, or is appended.
pub(super) fn with_overrides<'a>(
    options: &'a [OptionValue],
    overrides: &'a [crate::model::ClusterOverride],
    cluster: &str,
) -> Vec<(&'a OptionValue, Origin, Option<&'a OptionValue>)> {
    let mut result: Vec<_> = options
        .iter()
        .map(|option| (option, Origin::OptionValues, None))
        .collect();
    if let Some(found) = overrides.iter().find(|entry| entry.cluster_name == cluster) {
        for option in &found.overrides {
            match result
                .iter_mut()
                .find(|(existing, ..)| existing.name == option.name)
            {
                Some(existing) => *existing = (option, Origin::Override, Some(existing.0)),
                None => result.push((option, Origin::Override, None)),
            }
        }
    }
    result
}

/// What Greenhouse injects, in its order. The metadata labels, which it takes in random order,
/// come by name.
pub(super) fn injected<'a>(
    organization: &'a str,
    cluster: Option<&'a Cluster>,
    base_domain: &'a str,
    owned_by: Option<&str>,
) -> Vec<Entry<'a>> {
    let entry = |name: Cow<'a, str>, value: &str| Entry {
        name,
        value: Some(Cow::Owned(Value::String(value.to_owned()))),
        value_from: None,
        source: Source {
            origin: Origin::Injected,
            location: None,
        },
        overrode: Vec::new(),
    };
    let mut entries = vec![entry(
        "global.greenhouse.organizationName".into(),
        organization,
    )];
    if let Some(cluster) = cluster {
        entries.push(entry(
            "global.greenhouse.clusterName".into(),
            &cluster.meta.name,
        ));
        for (key, value) in &cluster.meta.labels {
            if let Some(suffix) = key
                .strip_prefix(label::METADATA_PREFIX)
                .filter(|suffix| !suffix.is_empty())
            {
                entries.push(entry(
                    format!("global.greenhouse.metadata.{suffix}").into(),
                    value,
                ));
            }
        }
    }
    entries.push(entry("global.greenhouse.baseDomain".into(), base_domain));
    if let Some(owner) = owned_by.filter(|owner| !owner.is_empty()) {
        entries.push(entry("global.greenhouse.ownedBy".into(), owner));
    }
    entries
}

/// What admission makes of a Plugin's values: the definition's defaults, over them the given
/// values, ordered by name (but as given where the definition has no options at all), and the
/// injected ones last of all.
pub(super) fn admitted<'a>(
    definition: &'a Definition,
    given: Vec<Entry<'a>>,
    injected: Vec<Entry<'a>>,
) -> Vec<Entry<'a>> {
    let mut entries = match &definition.options {
        None => given,
        Some(options) => {
            let mut entries: Vec<Entry<'a>> = options
                .iter()
                .filter_map(|option| {
                    Some(Entry {
                        name: Cow::Borrowed(&option.name),
                        value: Some(Cow::Borrowed(
                            option.default.as_ref().filter(|value| !value.is_null())?,
                        )),
                        value_from: None,
                        source: Source {
                            origin: Origin::Default,
                            location: Some(&option.location),
                        },
                        overrode: Vec::new(),
                    })
                })
                .collect();
            for entry in given {
                set_or_append(&mut entries, entry);
            }
            entries.sort_by(|a, b| a.name.cmp(&b.name));
            entries
        }
    };
    for entry in injected {
        set_or_append(&mut entries, entry);
    }
    entries.retain(|entry| !EXCLUDED.contains(&entry.name.as_ref()));
    entries
}

/// The Helm values: every plain value at its path. Where the definition has options, the Plugin's
/// controller merges and orders the list once more, which puts the injected values among the rest.
///
/// # Errors
/// The first entry whose name does not fit what is there already.
pub(super) fn helm_values<'e, 'a>(
    definition: &Definition,
    entries: &'e [Entry<'a>],
) -> Result<Map<String, Value>, (&'e Entry<'a>, PathError)> {
    let mut ordered: Vec<&Entry<'a>> = entries
        .iter()
        .filter(|entry| entry.secret().is_none())
        .collect();
    if definition.options.is_some() {
        ordered.sort_by(|a, b| a.name.cmp(&b.name));
    }
    let mut values = Map::new();
    for entry in ordered {
        if let Some(value) = &entry.value {
            strvals::set(&mut values, &entry.name, value).map_err(|error| (entry, error))?;
        }
    }
    Ok(values)
}
