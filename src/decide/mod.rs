//! What runs where. So far: which policy governs a preset, and which tier each cluster is in.

mod parts;
mod tiers;

pub use parts::{MAX_CLUSTERS, parts};
pub use tiers::{DEFAULT_TIER, TierClusters, governing, tiers};
