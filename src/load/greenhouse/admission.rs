//! What Greenhouse's webhooks refuse (v0.16), with their rules and not their words.

use crate::diagnostic::{Code, Diagnostic};
use crate::expand::names;
use crate::load::fields::{Item, allowed};
use crate::model::{LabelSelector, OptionKind, WaitFor};
use crate::yaml::Value;

/// A preset must select something; Greenhouse takes an empty selector for a mistake.
pub(super) fn preset_selector(item: &Item<'_>, selector: &LabelSelector) {
    if selector.is_empty() {
        item.push(
            item.error(Code::InvalidSelector, format!("`{}` is empty", item.path))
                .expected("at least one label or expression")
                .hint("to select every cluster, ask for a label that all have: matchExpressions: [{key: greenhouse.sap/cluster, operator: Exists}]"),
        );
    }
}

/// A Helm release name.
pub(super) fn release_name(item: &Item<'_>, name: &str) {
    if let Err(error) = names::release_name(name) {
        item.push(
            item.error(
                Code::InvalidReleaseName,
                format!("`{}`: {}", item.path, error.problem()),
            )
            .expected(allowed(&error)),
        );
    }
}

/// Each entry has exactly one of `name` and `pluginPreset`, and none stands twice.
pub(super) fn wait_for(item: &Item<'_>, entries: &[WaitFor]) {
    for (index, entry) in entries.iter().enumerate() {
        let path = format!("{}[{index}].pluginRef", item.path);
        let (message, expected) = match (&entry.name, &entry.plugin_preset) {
            (Some(_), Some(_)) => (
                format!("`{path}` has both `name` and `pluginPreset`"),
                "one of them",
            ),
            (None, None) => (
                format!("`{path}` has neither `name` nor `pluginPreset`"),
                "one of them",
            ),
            (name, preset) => {
                let twice = entries
                    .iter()
                    .take(index)
                    .any(|other| (&other.name, &other.plugin_preset) == (name, preset));
                if !twice {
                    continue;
                }
                let named = name.as_ref().or(preset.as_ref());
                (
                    format!(
                        "`{path}` names `{}` for the second time",
                        named.map_or("", String::as_str)
                    ),
                    "each one once",
                )
            }
        };
        item.push(
            Diagnostic::error(Code::WaitFor, message)
                .at(&entry.location)
                .expected(expected),
        );
    }
}

/// Whether a default fits its option's type: what Go's `json.Unmarshal` accepts. A secret may only
/// have the empty text.
pub(super) fn default_problem(kind: OptionKind, default: &Value) -> Option<&'static str> {
    let fits = match kind {
        OptionKind::String => default.is_string(),
        OptionKind::Secret => default.as_str() == Some(""),
        OptionKind::Bool => default.is_boolean(),
        OptionKind::Int => is_whole(default),
        OptionKind::List => default.is_array(),
        OptionKind::Map => default.is_object(),
    };
    let expected = match kind {
        OptionKind::String => "a string",
        OptionKind::Secret => "no default, as for every secret",
        OptionKind::Bool => "true or false",
        OptionKind::Int => "a whole number",
        OptionKind::List => "a list",
        OptionKind::Map => "a map",
    };
    (!fits).then_some(expected)
}

/// Whether a number is whole; 64 bits, as Go's `int`.
fn is_whole(value: &Value) -> bool {
    value.is_i64()
        || value
            .as_f64()
            .is_some_and(|number| number.fract() == 0.0 && number.abs() < 9.2e18)
}

/// The start of the URLs that Flux takes as a chart repository.
pub(super) fn is_chart_repository(url: &str) -> bool {
    ["oci://", "https://", "http://"]
        .iter()
        .any(|scheme| url.len() > scheme.len() && url.starts_with(scheme))
}
