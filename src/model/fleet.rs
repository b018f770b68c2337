//! `Fleet`: the settings of an organization, as the file `coldframe.yaml` or an object on the hub.

use super::{GitRef, Meta};
use crate::diagnostic::Location;

/// A `Fleet` of `coldframe.dev/v1alpha1`.
#[derive(Clone, Debug, PartialEq)]
pub struct Fleet {
    /// Its metadata; the namespace is the organization.
    pub meta: Meta,
    /// More places to read from.
    pub sources: Vec<FleetSource>,
    /// What is rendered, and how.
    pub output: Output,
    /// `global.greenhouse.baseDomain`.
    pub base_domain: Option<String>,
    /// A folder of templates that override built-in ones by name.
    pub templates: Option<String>,
    /// How many releases one render may remove.
    pub deletion_limit: Option<DeletionLimit>,
    /// Authors in git and the users on the hub that they are.
    pub identities: std::collections::BTreeMap<String, String>,
}

/// A repository to read definitions, presets or clusters from.
#[derive(Clone, Debug, PartialEq)]
pub struct FleetSource {
    /// Its name, unique in the fleet.
    pub name: String,
    /// Where it is.
    pub url: String,
    /// What to check out.
    pub git_ref: GitRef,
    /// Globs of the files to read; all where there are none.
    pub paths: Vec<String>,
    /// Where it stands.
    pub location: Location,
}

/// `spec.output`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// Which objects are made.
    pub format: OutputFormat,
    /// The Flux source that holds the tree.
    pub source_ref: SourceRef,
    /// Where the tree lies inside that source.
    pub path: String,
    /// The key of the kubeconfig in the Secret named like the cluster.
    pub kube_config_key: String,
    /// The Flux release whose controllers read the tree.
    pub flux_version: FluxVersion,
}

impl Default for Output {
    fn default() -> Self {
        Self {
            format: OutputFormat::Flux,
            source_ref: SourceRef {
                kind: SourceKind::GitRepository,
                name: "flux-system".into(),
                namespace: None,
            },
            path: "rendered".into(),
            kube_config_key: "greenhousekubeconfig".into(),
            flux_version: FluxVersion { major: 2, minor: 9 },
        }
    }
}

/// What is rendered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputFormat {
    /// HelmReleases, their sources, and Kustomizations.
    Flux,
    /// Plugins, and one definition per revision in use, for a hub whose Greenhouse deploys.
    Greenhouse,
}

/// The kinds of Flux sources that a Kustomization can take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum SourceKind {
    GitRepository,
    OCIRepository,
    Bucket,
    ExternalArtifact,
}

impl SourceKind {
    /// All of them, for messages and schemas.
    pub const ALL: [Self; 4] = [
        Self::GitRepository,
        Self::OCIRepository,
        Self::Bucket,
        Self::ExternalArtifact,
    ];

    /// The kind's name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::GitRepository => "GitRepository",
            Self::OCIRepository => "OCIRepository",
            Self::Bucket => "Bucket",
            Self::ExternalArtifact => "ExternalArtifact",
        }
    }
}

/// A reference to a Flux source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceRef {
    /// Its kind.
    pub kind: SourceKind,
    /// Its name.
    pub name: String,
    /// Its namespace, where it is another than that of the organization.
    pub namespace: Option<String>,
}

/// A minor release of Flux.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FluxVersion {
    /// `2` of `2.9`.
    pub major: u32,
    /// `9` of `2.9`.
    pub minor: u32,
}

/// A count, or a share of the releases in the tree that is replaced, rounded up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeletionLimit {
    /// So many releases.
    Count(usize),
    /// So many percent.
    Percent(u32),
}

impl DeletionLimit {
    /// How many of `total` releases may go.
    pub fn allowed(self, total: usize) -> usize {
        match self {
            Self::Count(count) => count,
            Self::Percent(percent) => (total * percent as usize).div_ceil(100),
        }
    }
}

impl std::str::FromStr for DeletionLimit {
    type Err = String;

    /// Reads `5` or `10%`.
    fn from_str(text: &str) -> Result<Self, String> {
        let expected = || "expected a count, such as 5, or a percentage, such as 10%".to_owned();
        match text.strip_suffix('%') {
            Some(percent) => percent
                .parse()
                .ok()
                .filter(|percent| *percent <= 100)
                .map(Self::Percent),
            None => text.parse().ok().map(Self::Count),
        }
        .ok_or_else(expected)
    }
}
