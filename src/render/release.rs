//! The documents of one release: a HelmRelease, or a Plugin.

use serde_json::json;

use super::canary;
use super::documents::{annotations, ignore_difference, ignore_rule, metadata, render};
use super::engine::Engine;
use super::sources::chart_name;
use crate::diagnostic::Diagnostic;
use crate::expand::{LABEL_LIMIT, Release, safe_name};
use crate::model::{CanarySettings, HelmChart, Settings, annotation, label};
use crate::resolve::Revision;
use crate::yaml::{Map, Value};

const HELM_RELEASE: &str = "helmrelease.yaml";
const PLUGIN: &str = "plugin.yaml";

/// What asks helm-controller for a reconciliation.
const REQUESTED_AT: &str = "reconcile.fluxcd.io/requestedAt";
/// What resets the failure counts of a HelmRelease.
const RESET_AT: &str = "reconcile.fluxcd.io/resetAt";

/// The HelmRelease of a release that has a chart.
pub(super) fn helm_release(
    engine: &Engine,
    settings: &Settings,
    revision: &Revision,
    release: Release<'_>,
    chart: &HelmChart,
    canary: Option<&CanarySettings>,
) -> Result<String, Box<Diagnostic>> {
    let mut annotations = own_annotations(revision);
    if let Some(request) = release.annotations.get(annotation::RECONCILE) {
        annotations.insert(REQUESTED_AT.to_owned(), request.as_str().into());
        annotations.insert(RESET_AT.to_owned(), request.as_str().into());
    }
    let mut variables = metadata(
        engine,
        HELM_RELEASE,
        &release.name,
        release.namespace,
        own_labels(&release),
        annotations,
    );
    let definition = &revision.definition;
    variables.set(
        "chart",
        &json!({"name": chart_name(definition, chart), "namespace": definition.meta.namespace}),
    );
    let depends_on: Vec<Value> = release
        .depends_on()
        .map(|name| json!({"name": name}))
        .collect();
    if !depends_on.is_empty() {
        variables.data("depends_on", Value::Array(depends_on));
    }
    let mut ignore: Vec<Value> = release.ignore_differences.iter().map(ignore_rule).collect();
    let mut post_renderers = Vec::new();
    if let Some(canary) = canary {
        ignore.push(canary::ignore_replicas(canary));
        post_renderers.push(canary::digest_in_pod_template(canary, &revision.digest));
    }
    if !ignore.is_empty() {
        variables.data("ignore", Value::Array(ignore));
    }
    if !post_renderers.is_empty() {
        variables.data("post_renderers", Value::Array(post_renderers));
    }
    let kube_config = release
        .cluster
        .map(|cluster| json!({"name": cluster, "key": settings.output.kube_config_key}));
    variables.set("kube_config", &kube_config);
    variables.set("release_name", &release.release_name);
    variables.set("release_namespace", &release.release_namespace);
    variables.set("suspend", &release.suspended);
    let values_from: Vec<Value> = release
        .values_from()
        .map(|(option, secret)| json!({"kind": "Secret", "name": secret.name, "valuesKey": secret.key, "targetPath": option}))
        .collect();
    if !values_from.is_empty() {
        variables.data("values_from", Value::Array(values_from));
    }
    variables.data("values", Value::Object(release.values));
    render(engine, HELM_RELEASE, variables)
}

/// The Plugin of a release.
pub(super) fn plugin(
    engine: &Engine,
    revision: &Revision,
    release: &Release<'_>,
) -> Result<String, Box<Diagnostic>> {
    let mut annotations = own_annotations(revision);
    for (key, value) in &release.annotations {
        annotations.insert(key.clone(), value.as_str().into());
    }
    let mut variables = metadata(
        engine,
        PLUGIN,
        &release.name,
        release.namespace,
        own_labels(release),
        annotations,
    );
    variables.set("cluster", &release.cluster);
    variables.set("deletion_policy", release.deletion_policy.as_str());
    variables.set("display_name", &release.display_name);
    let ignore: Vec<Value> = release
        .ignore_differences
        .iter()
        .map(ignore_difference)
        .collect();
    if !ignore.is_empty() {
        variables.data("ignore_differences", Value::Array(ignore));
    }
    let options: Vec<Value> = release
        .options
        .iter()
        .map(|entry| {
            let mut option = Map::new();
            option.insert("name".into(), entry.name.as_ref().into());
            if let Some(value) = &entry.value {
                option.insert("value".into(), value.as_ref().clone());
            }
            if let Some(secret) = entry.secret() {
                option.insert(
                    "valueFrom".into(),
                    json!({"secret": {"name": secret.name, "key": secret.key}}),
                );
            }
            Value::Object(option)
        })
        .collect();
    if !options.is_empty() {
        variables.data("option_values", Value::Array(options));
    }
    let definition = &revision.definition;
    variables.set(
        "definition",
        &json!({"kind": definition.kind.as_str(), "name": definition_name(revision)}),
    );
    variables.set("release_name", &release.release_name);
    variables.set("release_namespace", &release.release_namespace);
    let wait_for: Vec<Value> = release
        .wait_for
        .iter()
        .map(|entry| match (&entry.plugin_preset, &entry.name) {
            (Some(preset), _) => json!({"pluginRef": {"pluginPreset": preset}}),
            (None, name) => json!({"pluginRef": {"name": name}}),
        })
        .collect();
    if !wait_for.is_empty() {
        variables.data("wait_for", Value::Array(wait_for));
    }
    render(engine, PLUGIN, variables)
}

/// The name of a revision's own definition: `<definition>-<version>`, made safe.
pub(super) fn definition_name(revision: &Revision) -> String {
    let name = format!("{}-{}", revision.definition.meta.name, revision.version());
    safe_name(&name, LABEL_LIMIT).into_owned()
}

fn own_labels(release: &Release<'_>) -> Map<String, Value> {
    let mut labels: Map<String, Value> = release
        .labels
        .iter()
        .map(|(key, value)| (key.clone(), value.as_str().into()))
        .collect();
    labels.insert(label::MANAGED_BY.to_owned(), "coldframe".into());
    labels
}

fn own_annotations(revision: &Revision) -> Map<String, Value> {
    let mut annotations = annotations(None);
    annotations.insert(
        annotation::DIGEST.to_owned(),
        revision.digest.as_str().into(),
    );
    annotations.insert(annotation::VERSION.to_owned(), revision.version().into());
    annotations
}
