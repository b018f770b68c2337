//! Emitting: writing a rendered tree so that nothing is ever half there.
//!
//! A [`TreeWriter`] is given every file of the new tree. What changed goes to a folder beside the
//! output, which then takes the output's place in one step, so that a process killed at any moment
//! leaves the old tree or the new one. What did not change keeps its inode and its modification
//! time; what is not coldframe's stays where it is.
//!
//! For Linux only: it exchanges two folders with `renameat2`, which other systems do not have.

mod commit;
mod error;
mod folder;
mod listing;
mod plan;
mod staging;
mod stamp;
mod tree;

#[cfg(test)]
mod tests;

pub use error::EmitError;
pub use stamp::{Left, Stamp};
pub use tree::{TreeWriter, WriteOptions};

/// First line of every file that coldframe writes; by it a later render knows its own files.
pub const HEADER: &str = "# Rendered by coldframe. Do not edit.\n";

/// What became of a tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// How many files are new or have other content than before.
    pub written: usize,
    /// How many of coldframe's files stay as they were, those that were kept among them.
    pub unchanged: usize,
    /// The paths of coldframe's files that went, in order.
    pub removed: Vec<String>,
    /// How many files and links that are not coldframe's stay where they were.
    pub kept_foreign: usize,
}
