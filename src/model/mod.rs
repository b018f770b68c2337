//! Plain data: what an organization's manifests say, with the place where each thing stands.
//!
//! Nothing here reads, decides or prints. The types mirror the API of Greenhouse v0.16
//! (`greenhouse.sap/v1alpha1`) and our own (`coldframe.dev/v1alpha1`).

mod catalog;
mod cluster;
mod definition;
pub mod duration;
mod fleet;
mod meta;
mod option;
mod policy;
mod preset;
mod selector;
mod world;

pub use catalog::{Catalog, CatalogOverride, CatalogSource, GitRef};
pub use cluster::Cluster;
pub use definition::{Definition, DefinitionKind, HelmChart, UiApplication};
pub use fleet::{
    DeletionLimit, Fleet, FleetSource, FluxVersion, Output, OutputFormat, SourceKind, SourceRef,
};
pub use meta::{Meta, annotation, label};
pub use option::{OptionKind, OptionSpec, OptionValue, SecretRef, ValueFrom};
pub use policy::{Quota, RolloutPolicy, Tier, Unmatched};
pub use preset::{
    CanarySettings, ClusterOverride, DefinitionRef, DeletionPolicy, IgnoreDifference, Plugin,
    PluginSpec, Preset, VersionSpec, WaitFor,
};
pub use selector::{LabelSelector, Operator, Requirement};
pub use world::{Settings, World};
