//! What the documents of all kinds share: metadata, ignored differences, and the way through a template.

use serde_json::json;

use super::engine::{Engine, Variables};
use crate::diagnostic::{Code, Diagnostic};
use crate::model::{IgnoreDifference, Settings, annotation, label};
use crate::yaml::{Map, Value};

/// Opts an object out of Flux's variable substitution: a value's own `${` must survive.
const SUBSTITUTE: &str = "kustomize.toolkit.fluxcd.io/substitute";

/// Renders one document.
///
/// # Errors
/// The template, or what it printed, is not valid.
pub(super) fn render(
    engine: &Engine,
    template: &str,
    variables: Variables,
) -> Result<String, Box<Diagnostic>> {
    let mut text = String::with_capacity(2048);
    engine
        .render(template, variables, &mut text)
        .map_err(|error| {
            Box::new(
                Diagnostic::error(Code::TemplateFailed, error.to_string())
                    .hint("compare it with the built-in template"),
            )
        })?;
    Ok(text)
}

/// The labels of an object that coldframe invents.
pub(super) fn labels(entries: &[(&str, &str)]) -> Map<String, Value> {
    let mut labels = Map::new();
    labels.insert(label::MANAGED_BY.to_owned(), "coldframe".into());
    for (key, value) in entries {
        labels.insert((*key).to_owned(), (*value).into());
    }
    labels
}

/// The annotations of an object: never substituted by Flux, and the name before it was made safe.
pub(super) fn annotations(original_name: Option<&str>) -> Map<String, Value> {
    let mut annotations = Map::new();
    annotations.insert(SUBSTITUTE.to_owned(), "disabled".into());
    if let Some(name) = original_name {
        annotations.insert(annotation::ORIGINAL_NAME.to_owned(), name.into());
    }
    annotations
}

/// Begins the variables of a document with its metadata.
pub(super) fn metadata(
    engine: &Engine,
    template: &str,
    name: &str,
    namespace: &str,
    labels: Map<String, Value>,
    annotations: Map<String, Value>,
) -> Variables {
    let mut variables = engine.variables(template);
    variables.set("name", name);
    variables.set("namespace", namespace);
    variables.data("labels", Value::Object(labels));
    variables.data("annotations", Value::Object(annotations));
    variables
}

/// `spec.sourceRef` of a Kustomization.
pub(super) fn source_ref(settings: &Settings) -> Value {
    let source = &settings.output.source_ref;
    let mut value = json!({"kind": source.kind.as_str(), "name": source.name});
    if let (Some(namespace), Some(map)) = (&source.namespace, value.as_object_mut()) {
        map.insert("namespace".into(), namespace.as_str().into());
    }
    value
}

/// `spec.path` of a Kustomization for a folder of the tree.
pub(super) fn path(settings: &Settings, folder: &str) -> String {
    let root = settings
        .output
        .path
        .trim_start_matches("./")
        .trim_matches('/');
    if root.is_empty() || root == "." {
        format!("./{folder}")
    } else {
        format!("./{root}/{folder}")
    }
}

/// A rule of `driftDetection.ignore`.
pub(super) fn ignore_rule(difference: &IgnoreDifference) -> Value {
    json!({"target": target(difference), "paths": difference.paths})
}

/// An `ignoreDifferences` entry as a Plugin has it.
pub(super) fn ignore_difference(difference: &IgnoreDifference) -> Value {
    let mut value = target(difference);
    value.insert("paths".into(), json!(difference.paths));
    Value::Object(value)
}

fn target(difference: &IgnoreDifference) -> Map<String, Value> {
    let fields = [
        ("group", &difference.group),
        ("version", &difference.version),
        ("kind", &difference.kind),
        ("name", &difference.name),
    ];
    let given = fields
        .into_iter()
        .filter_map(|(key, value)| Some((key.to_owned(), value.as_deref()?.into())));
    given
        .filter(|(_, value): &(String, Value)| value != "")
        .collect()
}
