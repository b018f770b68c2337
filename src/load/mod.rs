//! Files to a [`World`]: the only stage that reads.
//!
//! ```text
//! discover ──► source ──► kind ──► greenhouse · coldframe ──► assemble
//! files        documents  ours     objects, each by itself    World
//! ```
//!
//! Discovery is by kind, not by name: whatever else lies in a folder is left alone. All problems of
//! all files are collected. An object with an error is left out of the world.

mod assemble;
mod coldframe;
mod context;
mod discover;
mod fields;
mod greenhouse;
mod kind;
mod meta;
mod selector;
mod settings;
mod source;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use rayon::prelude::*;

use crate::diagnostic::{Code, Diagnostic, Diagnostics, Location};
use crate::model::World;

pub use coldframe::{KINDS, schema};
pub use greenhouse::apply_overrides;

/// What to read besides the sources, and how.
#[derive(Clone, Debug, Default)]
pub struct LoadOptions {
    /// The organization: the namespace of objects that name none. Where it is not given it is the
    /// namespace of the Fleet, else the only one among the presets, else the only Organization,
    /// else `default`.
    pub organization: Option<String>,
    /// Files and folders that are never input, such as the output folder. A source itself is read
    /// all the same. What a `coldframe.yaml` at the root of a source names as its output and its
    /// templates is ignored anyway.
    pub ignore: Vec<PathBuf>,
}

/// What was read.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The valid objects.
    pub world: World,
    /// The namespace of objects that name none.
    pub organization: String,
    /// Everything that is wrong, sorted by place.
    pub diagnostics: Diagnostics,
    /// The texts of the files that diagnostics point into, by the name that they use.
    pub files: BTreeMap<Arc<str>, Arc<str>>,
}

/// Reads files and folders. See [`LoadOptions`] for what is left out.
pub fn load(sources: &[PathBuf], options: &LoadOptions) -> Loaded {
    let mut diagnostics = Diagnostics::new();
    let found = discover::discover(sources, options, &mut diagnostics);
    let contents: Vec<_> = found.par_iter().map(source::read).collect();
    for (index, source) in sources.iter().enumerate() {
        let matters = |each: &source::Contents| each.sources.contains(&index) && each.matters();
        let name = discover::name(source);
        let reported = diagnostics.iter().any(|diagnostic| {
            diagnostic
                .location
                .as_ref()
                .is_some_and(|at| at.file == name)
        });
        if !reported && !contents.iter().any(matters) {
            diagnostics.push(
                Diagnostic::warning(
                    Code::NothingFound,
                    format!("`{name}` has no object that coldframe knows"),
                )
                .at(&Location::new(name, 1, 1))
                .expected("a PluginPreset, Plugin, definition, Cluster, Catalog or Fleet"),
            );
        }
    }
    assemble::assemble(contents, options, diagnostics)
}

/// Reads one text, such as the standard input; `name` is its name in diagnostics.
pub fn load_text(name: &str, text: String, options: &LoadOptions) -> Loaded {
    let contents = vec![source::read_string(name, text)];
    assemble::assemble(contents, options, Diagnostics::new())
}
