//! Versions and constraints as Flux and Helm read them.
//!
//! Both use Masterminds/semver v3, whose grammar and matching (3.5.0) this module follows exactly.
//! Cargo's requirements, which the `semver` crate reads, are another language: there a bare
//! `1.2.3` admits `1.9.0`, and `>=1.2 <2`, `1.x || 2.x` and `1.2 - 1.4` are errors.

mod constraint;
mod grammar;
mod lint;
mod reach;
mod request;
mod scan;
mod select;
mod version;

pub use constraint::{Constraint, ConstraintError, Rejection};
pub use lint::{Trap, TrapKind, lint};
pub use request::VersionRequest;
pub use select::{Candidate, Pick, Selection, select};
pub use version::{Version, VersionError};
