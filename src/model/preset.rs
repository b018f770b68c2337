//! Plugins, and presets that make one Plugin per selected cluster.

use serde_json::json;

use super::{DefinitionKind, LabelSelector, Meta, OptionValue};
use crate::diagnostic::Location;
use crate::yaml::Value;

/// A `PluginPreset`: one plugin over all clusters that its selector matches.
#[derive(Clone, Debug, PartialEq)]
pub struct Preset {
    /// Its metadata.
    pub meta: Meta,
    /// Which clusters.
    pub cluster_selector: LabelSelector,
    /// What each cluster gets.
    pub plugin: PluginSpec,
    /// Values for single clusters.
    pub overrides: Vec<ClusterOverride>,
    /// The version or constraint; absent means any.
    pub version: Option<VersionSpec>,
    /// How long a new revision waits before the first tier.
    pub update_delay: Option<jiff::SignedDuration>,
    /// The policy that governs it, by name.
    pub policy: Option<String>,
    /// The breaking version that it accepts.
    pub accept_breaking: Option<String>,
    /// A canary's settings.
    pub canary: Option<CanarySettings>,
}

/// A standalone `Plugin`.
#[derive(Clone, Debug, PartialEq)]
pub struct Plugin {
    /// Its metadata.
    pub meta: Meta,
    /// The cluster; absent means the hub itself.
    pub cluster_name: Option<String>,
    /// What it gets.
    pub spec: PluginSpec,
    /// The concrete version.
    pub version: Option<VersionSpec>,
}

/// What presets and Plugins have in common.
#[derive(Clone, Debug, PartialEq)]
pub struct PluginSpec {
    /// Which definition.
    pub definition: DefinitionRef,
    /// Name for people.
    pub display_name: Option<String>,
    /// Name of the Helm release.
    pub release_name: Option<String>,
    /// Namespace of the Helm release on the cluster.
    pub release_namespace: Option<String>,
    /// What happens to the release when the Plugin goes.
    pub deletion_policy: Option<DeletionPolicy>,
    /// Values of options.
    pub options: Vec<OptionValue>,
    /// What drift detection ignores.
    pub ignore_differences: Vec<IgnoreDifference>,
    /// What must be ready first.
    pub wait_for: Vec<WaitFor>,
}

/// A reference to a definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefinitionRef {
    /// Its kind; a PluginDefinition where none is given.
    pub kind: DefinitionKind,
    /// Its name.
    pub name: String,
    /// Where it stands.
    pub location: Location,
}

/// A version setting and where it stands: a concrete version or a constraint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionSpec {
    /// As written.
    pub text: String,
    /// Where it stands.
    pub location: Location,
}

/// Values for one cluster.
#[derive(Clone, Debug, PartialEq)]
pub struct ClusterOverride {
    /// The cluster.
    pub cluster_name: String,
    /// Each replaces the whole first option value of its name, or is added.
    pub overrides: Vec<OptionValue>,
    /// Where it stands.
    pub location: Location,
}

/// `deletionPolicy`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeletionPolicy {
    /// The release is uninstalled.
    Delete,
    /// The release stays on the cluster.
    Retain,
}

impl DeletionPolicy {
    /// The word that manifests use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Delete => "Delete",
            Self::Retain => "Retain",
        }
    }
}

/// A part of an object that drift detection leaves alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IgnoreDifference {
    /// API group of the object.
    pub group: Option<String>,
    /// API version of the object.
    pub version: Option<String>,
    /// Kind of the object.
    pub kind: Option<String>,
    /// Name of the object.
    pub name: Option<String>,
    /// JSON pointers.
    pub paths: Vec<String>,
}

/// One entry of `waitFor`. Exactly one of the two should be set; checked when it is expanded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitFor {
    /// A Plugin by name.
    pub name: Option<String>,
    /// The Plugin of another preset on the same cluster.
    pub plugin_preset: Option<String>,
    /// Where it stands.
    pub location: Location,
}

/// `spec.canary`, or the annotation `coldframe.dev/canary`: what Flagger analyses before a
/// revision takes a cluster's traffic. The fields under `service` and `analysis` are Flagger's.
#[derive(Clone, Debug, PartialEq)]
pub struct CanarySettings {
    /// Kind of the workload: `Deployment` (default) or `DaemonSet`.
    pub target_kind: String,
    /// Name of the workload that the chart makes.
    pub target_name: String,
    /// Flagger's provider; `kubernetes` (blue/green without a mesh) where none is given.
    pub provider: String,
    /// Flagger's `service` as given; `port` is required.
    pub service: Value,
    /// Flagger's `analysis` as given.
    pub analysis: Value,
    /// Seconds in which the canary must make progress; Flagger's default is 600.
    pub progress_deadline_seconds: Option<u32>,
    /// Flagger's MetricTemplates as given, each with a `name` and the `spec` of the template.
    pub metric_templates: Vec<(String, Value)>,
    /// Where it stands.
    pub location: Location,
}

impl CanarySettings {
    /// The settings as JSON, without the place where they stand: for digests.
    pub fn to_value(&self) -> Value {
        json!({
            "targetRef": {"kind": self.target_kind, "name": self.target_name},
            "provider": self.provider,
            "service": self.service,
            "analysis": self.analysis,
            "progressDeadlineSeconds": self.progress_deadline_seconds,
            "metricTemplates": self.metric_templates,
        })
    }
}
