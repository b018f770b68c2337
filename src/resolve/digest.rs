//! The digest of a revision: it changes if and only if a release could.

use serde_json::{Map, json};
use sha2::{Digest, Sha256};

use crate::hex::hex;
use crate::model::{Definition, OptionSpec};

/// `sha256:` and 64 hex digits over the canonical JSON (RFC 8785) of a definition's version, chart
/// and options, as an API server would store them: absent and null fields alike are left out.
/// What a release does not depend on, the user interface for one, does not count.
pub fn digest(definition: &Definition) -> String {
    let mut content = Map::new();
    content.insert("version".into(), json!(definition.version));
    if let Some(chart) = &definition.helm_chart {
        content.insert("helmChart".into(), chart.to_value());
    }
    if let Some(options) = &definition.options {
        content.insert(
            "options".into(),
            options.iter().map(OptionSpec::to_value).collect(),
        );
    }
    if let Some(canary) = &definition.canary {
        content.insert("canary".into(), canary.to_value());
    }
    let canonical = serde_json_canonicalizer::to_vec(&content).unwrap_or_default();
    format!("sha256:{}", hex(&Sha256::digest(&canonical)))
}
