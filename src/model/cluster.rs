//! Workload clusters.

use super::Meta;

/// A `Cluster`. Its labels include `greenhouse.sap/cluster=<name>`, which Greenhouse defaults.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cluster {
    /// Its metadata. Its kubeconfig is a Secret of the same name on the hub.
    pub meta: Meta,
}
