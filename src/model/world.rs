//! Everything that was read.

use std::collections::BTreeMap;

use super::{
    Catalog, Cluster, Definition, DefinitionKind, Fleet, Output, Plugin, Preset, RolloutPolicy,
};

/// All objects of an organization, valid ones only, each collection in the order of reading:
/// where two define the same name, the later one counts, as on a hub.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct World {
    /// The settings, if there are any.
    pub fleet: Option<Fleet>,
    /// Presets by namespace and name.
    pub presets: BTreeMap<(String, String), Preset>,
    /// Standalone Plugins by namespace and name.
    pub plugins: BTreeMap<(String, String), Plugin>,
    /// Clusters by namespace and name.
    pub clusters: BTreeMap<(String, String), Cluster>,
    /// Definitions in the order in which they were read.
    pub definitions: Vec<Definition>,
    /// Catalogs by namespace and name.
    pub catalogs: BTreeMap<(String, String), Catalog>,
    /// Policies by namespace and name.
    pub policies: BTreeMap<(String, String), RolloutPolicy>,
    /// How many Clusters were found, valid or not: none at all is never "zero clusters".
    pub clusters_seen: usize,
}

impl World {
    /// The definition that a Plugin in `namespace` means. A PluginDefinition is looked for in that
    /// namespace, a ClusterPluginDefinition has none.
    pub fn definition(
        &self,
        namespace: &str,
        kind: DefinitionKind,
        name: &str,
    ) -> Option<&Definition> {
        self.definitions.iter().rev().find(|definition| {
            definition.kind == kind
                && definition.meta.name == name
                && (kind == DefinitionKind::ClusterPluginDefinition
                    || definition.meta.namespace == namespace)
        })
    }
}

/// What governs a render beside the objects: the fleet's settings with the command line's flags
/// laid over them.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The organization: the namespace of objects that name none.
    pub organization: String,
    /// `global.greenhouse.baseDomain`; empty where it is not set.
    pub base_domain: String,
    /// Whether expressions are evaluated.
    pub expressions: bool,
    /// What is rendered, and how.
    pub output: Output,
}
