//! `RolloutPolicy`: the tiers of a fleet, and when a revision may reach each.

use jiff::SignedDuration;

use super::{LabelSelector, Meta};
use crate::diagnostic::Location;

/// A `RolloutPolicy` of `coldframe.dev/v1alpha1`.
#[derive(Clone, Debug, PartialEq)]
pub struct RolloutPolicy {
    /// Its metadata.
    pub meta: Meta,
    /// Which presets it governs.
    pub preset_selector: LabelSelector,
    /// The tiers in their order.
    pub tiers: Vec<Tier>,
    /// What happens to clusters in no tier.
    pub unmatched: Unmatched,
}

/// A tier of a policy.
#[derive(Clone, Debug, PartialEq)]
pub struct Tier {
    /// Its name, unique in the policy.
    pub name: String,
    /// Which clusters are in it.
    pub cluster_selector: LabelSelector,
    /// The age that a revision must have; of the first tier only.
    pub delay: SignedDuration,
    /// How long the tier before must have run a revision.
    pub soak: SignedDuration,
    /// Clusters that may update at once.
    pub max_concurrent: Quota,
    /// Clusters that may be unhealthy.
    pub max_unhealthy: Quota,
    /// How many people must approve.
    pub approvals: u32,
    /// Where it stands.
    pub location: Location,
}

/// A count, or a percentage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quota {
    /// So many clusters.
    Count(u32),
    /// So many percent of the tier's clusters.
    Percent(u32),
}

/// What happens to clusters that match no tier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unmatched {
    /// They belong to the last tier, with a warning.
    Last,
    /// They get nothing.
    Ignore,
    /// That is an error.
    Error,
}
