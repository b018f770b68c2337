//! From definitions and constraints to revisions: which content a preset may run.
//!
//! Until history is read, the definitions found are the newest, and only, revisions.

mod digest;

use std::sync::Arc;

use crate::diagnostic::{Code, Diagnostic, did_you_mean};
use crate::model::{Definition, DefinitionKind, DefinitionRef, Meta, VersionSpec, World};
use crate::semver::{Version, VersionRequest};

pub use digest::digest;

/// The immutable content of a definition at one version.
#[derive(Clone, Debug, PartialEq)]
pub struct Revision {
    /// The definition as it was.
    pub definition: Definition,
    /// The running number, from 1 for the first version that the definition had.
    pub number: u32,
    /// `sha256:` and the digest of what makes a release: see [`digest`].
    pub digest: String,
}

impl Revision {
    /// The revision that `definition` is.
    pub fn of(definition: &Definition, number: u32) -> Self {
        Self {
            digest: digest(definition),
            definition: definition.clone(),
            number,
        }
    }

    /// The version of the plugin, as written.
    pub fn version(&self) -> &str {
        &self.definition.version
    }
}

/// The revision that an object of `namespace` runs: of the definition that it refers to, the
/// newest that its version setting admits.
///
/// # Errors
/// The definition does not exist, its version is not one, or the setting does not admit it.
pub fn resolve(
    world: &World,
    meta: &Meta,
    reference: &DefinitionRef,
    version: Option<&VersionSpec>,
) -> Result<Arc<Revision>, Box<Diagnostic>> {
    let definition = world
        .definition(&meta.namespace, reference.kind, &reference.name)
        .ok_or_else(|| Box::new(not_found(world, meta, reference)))?;
    if let Some(setting) = version {
        admit(definition, setting)?;
    }
    Ok(Arc::new(Revision::of(definition, 1)))
}

fn not_found(world: &World, meta: &Meta, reference: &DefinitionRef) -> Diagnostic {
    let kind = reference.kind;
    let known = || {
        world.definitions.iter().filter(|definition| {
            kind == DefinitionKind::ClusterPluginDefinition
                || definition.meta.namespace == meta.namespace
        })
    };
    let diagnostic = Diagnostic::error(
        Code::DefinitionNotFound,
        format!(
            "there is no {} `{}` in namespace `{}`",
            kind.as_str(),
            reference.name,
            meta.namespace
        ),
    )
    .at(&reference.location);
    if let Some(other) = known().find(|definition| definition.meta.name == reference.name) {
        return diagnostic.hint(format!(
            "there is a {} of that name: set `kind`",
            other.kind.as_str()
        ));
    }
    let names = known()
        .filter(|definition| definition.kind == kind)
        .map(|definition| definition.meta.name.as_str());
    diagnostic.hint(did_you_mean(&reference.name, names).unwrap_or_else(|| {
        "add the manifest that defines it, or the place where it lies with `--source`".to_owned()
    }))
}

fn admit(definition: &Definition, setting: &VersionSpec) -> Result<(), Box<Diagnostic>> {
    let name = &definition.meta.name;
    let request = VersionRequest::parse(&setting.text).map_err(|error| {
        Box::new(
            Diagnostic::error(Code::InvalidConstraint, error.to_string()).at(&setting.location),
        )
    })?;
    let version: Version = definition.version.parse().map_err(|_| {
        Box::new(
            Diagnostic::error(
                Code::NoMatchingVersion,
                format!(
                    "`{}` of {name} is not a SemVer version, so `{}` cannot match it",
                    definition.version, setting.text
                ),
            )
            .at(&setting.location),
        )
    })?;
    if request.admits(&version) {
        return Ok(());
    }
    Err(Box::new(
        Diagnostic::error(
            Code::NoMatchingVersion,
            format!(
                "`{}` does not admit {version}, the only revision of {name}",
                setting.text
            ),
        )
        .at(&setting.location)
        .expected(format!("a version or constraint that {version} satisfies")),
    ))
}
