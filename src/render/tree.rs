//! The rendered tree: which file holds which documents.

use crate::expand::{LABEL_LIMIT, safe_name};

/// A file of the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Its path in the tree, with `/`.
    pub path: String,
    /// Its text: one or more YAML documents.
    pub content: String,
}

impl File {
    /// A file of these documents, each a canonical text.
    pub(super) fn new(path: String, documents: &[String]) -> Self {
        Self {
            path,
            content: documents.join("---\n"),
        }
    }

    /// Whether it is an index for kustomize, and no object of a cluster.
    pub fn is_index(&self) -> bool {
        is_index(&self.path)
    }
}

/// Whether a path is that of an index for kustomize.
pub(super) fn is_index(path: &str) -> bool {
    path == "kustomization.yaml" || path.ends_with("/kustomization.yaml")
}

/// The name of the Kustomization of a part of a tier. Flux makes it the value of a label on all that
/// the Kustomization applies.
pub(super) fn kustomization_name(preset: &str, folder: &str) -> String {
    safe_name(&format!("{preset}-{folder}"), LABEL_LIMIT).into_owned()
}

/// The name of the Kustomization that brings a release's Canary to its cluster.
pub(super) fn canary_kustomization_name(release: &str) -> String {
    safe_name(&format!("{release}-canary"), LABEL_LIMIT).into_owned()
}

/// The original of a name that was made safe.
pub(super) fn original<'a>(original: &'a str, name: &str) -> Option<&'a str> {
    (original != name).then_some(original)
}
