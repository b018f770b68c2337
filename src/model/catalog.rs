//! Catalogs: places in git from which an organization takes definitions.

use super::Meta;
use crate::diagnostic::Location;
use crate::yaml::Value;

/// A `Catalog`.
#[derive(Clone, Debug, PartialEq)]
pub struct Catalog {
    /// Its metadata.
    pub meta: Meta,
    /// Where definitions come from.
    pub sources: Vec<CatalogSource>,
}

/// One repository of a catalog.
#[derive(Clone, Debug, PartialEq)]
pub struct CatalogSource {
    /// An `https://` URL.
    pub repository: String,
    /// Branch, tag and commit as given.
    pub git_ref: GitRef,
    /// Globs of the files to read.
    pub resources: Vec<String>,
    /// Changes to the definitions found.
    pub overrides: Vec<CatalogOverride>,
    /// Where it stands.
    pub location: Location,
}

/// What to check out. A commit wins over a tag, a tag over a branch; without any it is `main`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GitRef {
    /// A branch.
    pub branch: Option<String>,
    /// A tag.
    pub tag: Option<String>,
    /// A constraint over tags (our own sources only).
    pub semver: Option<String>,
    /// A commit.
    pub commit: Option<String>,
}

/// Changes to one definition of a source.
#[derive(Clone, Debug, PartialEq)]
pub struct CatalogOverride {
    /// Name of the definition in the source.
    pub name: String,
    /// Another name for it.
    pub alias: Option<String>,
    /// Another repository for its chart.
    pub repository: Option<String>,
    /// Other defaults: option name and value.
    pub options: Vec<(String, Value)>,
    /// Where it stands.
    pub location: Location,
}
