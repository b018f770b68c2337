//! From a preset, a cluster and a revision to a release: exactly what Greenhouse v0.16 would make.
//!
//! Greenhouse does it in three places, and so the order of things is theirs: the preset's
//! controller (overrides, expressions, propagation), the Plugin's admission (defaults, injected
//! values, checks), and the Plugin's controller (Helm values, references, dependencies).

mod check;
pub mod expression;
mod lint;
pub mod names;
mod options;
mod propagate;
mod release;
pub mod strvals;

pub use check::VAULT_PREFIX;
pub use lint::lint;
pub use names::{LABEL_LIMIT, safe_name};
pub use options::{Entry, Origin, Source};
pub use release::{Expander, Release, Subject};
