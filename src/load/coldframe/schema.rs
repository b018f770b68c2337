//! JSON Schemas of our kinds, for editors.

use serde_json::Value;

/// The kinds that have a schema.
pub const KINDS: [&str; 4] = [
    "Fleet",
    "RolloutApproval",
    "RolloutOverride",
    "RolloutPolicy",
];

/// The JSON Schema (2020-12) of a kind.
pub fn schema(kind: &str) -> Option<Value> {
    let text = match kind {
        "Fleet" => include_str!("schema/fleet.json"),
        "RolloutApproval" => include_str!("schema/rolloutapproval.json"),
        "RolloutOverride" => include_str!("schema/rolloutoverride.json"),
        "RolloutPolicy" => include_str!("schema/rolloutpolicy.json"),
        _ => return None,
    };
    serde_json::from_str(text).ok()
}
