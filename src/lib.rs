//! coldframe decides which revision of each plugin every cluster of a fleet should run now,
//! and renders that decision to Flux and Flagger manifests.
//!
//! One pipeline serves every command and the controller:
//!
//! ```text
//! load ──► resolve ──► decide ──► expand ──► render ──► emit
//! World    Revisions   Plan       Releases   Manifests  directory · stdout
//! ```
//!
//! Only [`load`] and [`emit`] do I/O. Everything between is a pure function of its arguments:
//! no clock, no file, no environment, so that a preview is byte for byte what the hub gets.

pub mod decide;
pub mod diagnostic;
pub mod emit;
pub mod expand;
mod hex;
pub mod load;
pub mod model;
pub mod render;
pub mod resolve;
pub mod semver;
pub mod yaml;

#[cfg(feature = "cli")]
pub mod cli;
