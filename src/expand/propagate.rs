//! Labels and annotations that a preset hands on to its Plugins.
//!
//! The annotations `greenhouse.sap/propagate-labels` (exact keys or `prefix/*`) and
//! `greenhouse.sap/propagate-annotations` (exact keys) of the preset name them; what was handed on
//! is recorded in `greenhouse.sap/last-applied-propagator`.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::model::annotation;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Applied {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    label_keys: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    annotation_keys: Vec<String>,
}

/// Adds to `labels` and `annotations` of a new Plugin what the preset hands on.
pub(super) fn propagate(
    preset_labels: &BTreeMap<String, String>,
    preset_annotations: &BTreeMap<String, String>,
    labels: &mut BTreeMap<String, String>,
    annotations: &mut BTreeMap<String, String>,
) {
    let label_keys = propagate_labels(
        preset_labels,
        keys(preset_annotations, annotation::PROPAGATE_LABELS),
        labels,
    );
    let mut annotation_keys = Vec::new();
    for key in keys(preset_annotations, annotation::PROPAGATE_ANNOTATIONS) {
        if let Some(value) = preset_annotations.get(key) {
            annotations.insert(key.to_owned(), value.clone());
            annotation_keys.push(key.to_owned());
        }
    }
    if label_keys.is_empty() && annotation_keys.is_empty() {
        return;
    }
    let applied = Applied {
        label_keys,
        annotation_keys,
    };
    let applied = serde_json::to_string(&applied).unwrap_or_default();
    annotations.insert(annotation::LAST_APPLIED_PROPAGATOR.to_owned(), applied);
}

fn propagate_labels<'a>(
    source: &BTreeMap<String, String>,
    keys: impl Iterator<Item = &'a str>,
    labels: &mut BTreeMap<String, String>,
) -> Vec<String> {
    let (wild, exact): (Vec<&str>, Vec<&str>) = keys.partition(|key| key.ends_with("/*"));
    let mut applied = Vec::new();
    for key in &exact {
        if let Some(value) = source.get(*key) {
            labels.insert((*key).to_owned(), value.clone());
            applied.push((*key).to_owned());
        }
    }
    for (key, value) in source {
        if wild
            .iter()
            .any(|pattern| key.starts_with(&pattern[..pattern.len() - 1]))
        {
            labels.insert(key.clone(), value.clone());
            if !exact.contains(&key.as_str()) {
                applied.push(key.clone());
            }
        }
    }
    applied
}

fn keys<'a>(
    annotations: &'a BTreeMap<String, String>,
    name: &str,
) -> impl Iterator<Item = &'a str> {
    annotations
        .get(name)
        .map(String::as_str)
        .unwrap_or_default()
        .split(',')
        .map(str::trim)
        .filter(|key| !key.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(entries: &[(&str, &str)]) -> BTreeMap<String, String> {
        entries
            .iter()
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
            .collect()
    }

    fn run(
        preset_labels: &[(&str, &str)],
        preset_annotations: &[(&str, &str)],
    ) -> (BTreeMap<String, String>, BTreeMap<String, String>) {
        let (mut labels, mut annotations) = (BTreeMap::new(), BTreeMap::new());
        propagate(
            &map(preset_labels),
            &map(preset_annotations),
            &mut labels,
            &mut annotations,
        );
        (labels, annotations)
    }

    #[test]
    fn only_declared_labels_are_handed_on_and_recorded() {
        let (labels, annotations) = run(
            &[
                ("owner", "a"),
                ("other", "b"),
                ("metadata.example.com/x", "1"),
            ],
            &[
                (
                    annotation::PROPAGATE_LABELS,
                    "owner, metadata.example.com/*, absent",
                ),
                (annotation::PROPAGATE_ANNOTATIONS, "note"),
                ("note", "hi"),
            ],
        );
        assert_eq!(
            labels,
            map(&[("metadata.example.com/x", "1"), ("owner", "a")])
        );
        assert_eq!(annotations["note"], "hi");
        assert_eq!(
            annotations[annotation::LAST_APPLIED_PROPAGATOR],
            r#"{"labelKeys":["owner","metadata.example.com/x"],"annotationKeys":["note"]}"#
        );
    }

    #[test]
    fn nothing_is_recorded_where_nothing_is_handed_on() {
        assert_eq!(
            run(
                &[("owner", "a")],
                &[(annotation::PROPAGATE_LABELS, "absent")]
            )
            .1,
            BTreeMap::new()
        );
    }
}
