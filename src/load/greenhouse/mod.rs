//! The kinds of `greenhouse.sap/v1alpha1`, read as the API server and Greenhouse's webhooks
//! (v0.16) read them.

mod admission;
mod canary;
mod catalog;
mod cluster;
mod definition;
mod organization;
mod plugin;
mod plugin_spec;
mod preset;

pub use catalog::apply_overrides;

pub(super) use catalog::catalog;
pub(super) use cluster::cluster;
pub(super) use definition::definition;
pub(super) use organization::organization;
pub(super) use plugin::plugin;
pub(super) use preset::preset;

/// The namespace in which Greenhouse keeps what belongs to no organization.
pub(super) const GREENHOUSE_NAMESPACE: &str = "greenhouse";

/// Where fields of a preset belong that are often put in a wrong place.
pub(super) const PRESET_HOMES: &[(&str, &str)] = &[
    ("clusterOptionOverrides", "spec.clusterOptionOverrides"),
    ("clusterSelector", "spec.clusterSelector"),
    ("waitFor", "spec.waitFor"),
    ("optionValues", "spec.plugin.optionValues"),
    ("pluginDefinitionRef", "spec.plugin.pluginDefinitionRef"),
    ("pluginDefinition", "spec.plugin.pluginDefinition"),
    ("releaseName", "spec.plugin.releaseName"),
    ("releaseNamespace", "spec.plugin.releaseNamespace"),
    ("displayName", "spec.plugin.displayName"),
    ("ignoreDifferences", "spec.plugin.ignoreDifferences"),
    ("updateDelay", "spec.updateDelay"),
    ("labels", "metadata.labels"),
    ("annotations", "metadata.annotations"),
];

/// The same for the other kinds of Greenhouse.
pub(super) const COMMON_HOMES: &[(&str, &str)] = &[
    ("labels", "metadata.labels"),
    ("annotations", "metadata.annotations"),
];
