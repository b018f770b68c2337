//! What every object has: its identity, labels, annotations, and the place where it was read.

use std::collections::BTreeMap;

use crate::diagnostic::{Location, ObjectRef};

/// Labels that Greenhouse or Kubernetes give a meaning.
pub mod label {
    /// On a Cluster: its own name, defaulted by Greenhouse. On a Plugin: the cluster it is for.
    pub const CLUSTER: &str = "greenhouse.sap/cluster";
    /// On a Plugin: the preset that it comes from.
    pub const PLUGIN_PRESET: &str = "greenhouse.sap/pluginpreset";
    /// The PluginDefinition that a Plugin or preset refers to.
    pub const PLUGIN_DEFINITION: &str = "greenhouse.sap/plugindefinition";
    /// The ClusterPluginDefinition that a Plugin or preset refers to.
    pub const CLUSTER_PLUGIN_DEFINITION: &str = "greenhouse.sap/clusterplugindefinition";
    /// The team that owns an object.
    pub const OWNED_BY: &str = "greenhouse.sap/owned-by";
    /// Prefix of the cluster labels that become `global.greenhouse.metadata.*`.
    pub const METADATA_PREFIX: &str = "metadata.greenhouse.sap/";
    /// Who made an object; on everything that coldframe renders.
    pub const MANAGED_BY: &str = "app.kubernetes.io/managed-by";
}

/// Annotations that Greenhouse, Flux or coldframe give a meaning.
pub mod annotation {
    /// Comma-separated label keys (or `prefix/*`) that a preset hands on to its Plugins.
    pub const PROPAGATE_LABELS: &str = "greenhouse.sap/propagate-labels";
    /// Comma-separated annotation keys that a preset hands on to its Plugins.
    pub const PROPAGATE_ANNOTATIONS: &str = "greenhouse.sap/propagate-annotations";
    /// What was handed on the last time, as JSON.
    pub const LAST_APPLIED_PROPAGATOR: &str = "greenhouse.sap/last-applied-propagator";
    /// Present with any value: the release is suspended.
    pub const SUSPEND: &str = "greenhouse.sap/suspend";
    /// Asks for a reconciliation; becomes Flux's `requestedAt` and `resetAt`.
    pub const RECONCILE: &str = "greenhouse.sap/reconcile";
    /// The constraint or concrete version of a preset or Plugin.
    pub const VERSION: &str = "coldframe.dev/version";
    /// The update delay of a preset.
    pub const UPDATE_DELAY: &str = "coldframe.dev/update-delay";
    /// The policy that governs a preset, by name.
    pub const POLICY: &str = "coldframe.dev/policy";
    /// The breaking version that a preset accepts.
    pub const ACCEPT_BREAKING: &str = "coldframe.dev/accept-breaking";
    /// How many revisions of a definition are kept.
    pub const MAX_REVISIONS: &str = "coldframe.dev/max-revisions";
    /// A canary's settings as YAML, on a preset or definition.
    pub const CANARY: &str = "coldframe.dev/canary";
    /// On a rendered object: the digest of its revision.
    pub const DIGEST: &str = "coldframe.dev/digest";
    /// On a rendered object: the name before it was made safe.
    pub const ORIGINAL_NAME: &str = "coldframe.dev/original-name";
}

/// Identity and metadata of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meta {
    /// Its name.
    pub name: String,
    /// Its namespace; that of the organization where the manifest gives none.
    pub namespace: String,
    /// Its labels.
    pub labels: BTreeMap<String, String>,
    /// Its annotations.
    pub annotations: BTreeMap<String, String>,
    /// Where the object begins.
    pub location: Location,
}

impl Meta {
    /// A reference to this object as one of `kind`.
    pub fn object(&self, kind: &str) -> ObjectRef {
        ObjectRef::namespaced(kind, &self.namespace, &self.name)
    }
}
