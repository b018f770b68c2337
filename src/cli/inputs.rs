//! Reads what a command works on: the world, the settings, and the templates.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::args::{self, Format};
use super::console::Console;
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Severity};
use crate::hex::hex;
use crate::load::{self, LoadOptions, Loaded};
use crate::model::{FluxVersion, Output, OutputFormat, Settings, SourceKind, SourceRef};
use crate::render::{Engine, Renderer, Resolved};

/// What a command works on.
pub(super) struct Inputs {
    pub(super) loaded: Loaded,
    pub(super) settings: Settings,
    pub(super) engine: Engine,
    templates: Vec<(String, String)>,
}

impl Inputs {
    /// Reads everything. `None` where a flag or a template is wrong, which has been said.
    pub(super) fn read(
        paths: &[PathBuf],
        flags: &args::Inputs,
        output: Option<&Path>,
        console: Console,
    ) -> io::Result<Option<Self>> {
        let sources: Vec<PathBuf> = paths.iter().chain(&flags.source).cloned().collect();
        if let Some(url) = sources
            .iter()
            .find(|source| source.to_string_lossy().contains("://"))
        {
            let message = format!(
                "`{}` is a URL, and only files and folders can be read so far",
                url.display()
            );
            return Err(io::Error::other(message));
        }
        let ignore = output
            .into_iter()
            .chain(flags.templates.as_deref())
            .map(Path::to_path_buf)
            .collect();
        let options = LoadOptions {
            organization: flags.organization.clone(),
            ignore,
        };
        let mut loaded = load::load(&sources, &options);
        let nothing_else = loaded.world.plugins.is_empty() && output.is_some();
        if loaded.world.clusters_seen == 0 && (!loaded.world.presets.is_empty() || nothing_else) {
            loaded.diagnostics.push(
                Diagnostic::error(Code::EmptyInventory, "there is no Cluster among the inputs")
                    .hint("add the place where they lie with `--source`; an empty inventory never means that all releases go"),
            );
        }
        let settings = match settings(&loaded, flags) {
            Ok(settings) => settings,
            Err(message) => {
                console.error(&message);
                return Ok(None);
            }
        };
        let templates = match templates_folder(&loaded, flags) {
            Some(folder) => templates(&folder).map_err(|error| {
                io::Error::new(
                    error.kind(),
                    format!("templates in `{}`: {error}", folder.display()),
                )
            })?,
            None => Vec::new(),
        };
        match Engine::new(&templates) {
            Ok(engine) => Ok(Some(Self {
                loaded,
                settings,
                engine,
                templates,
            })),
            Err(error) => {
                console.error(&error.to_string());
                Ok(None)
            }
        }
    }

    /// A digest of everything that a render depends on, this program included.
    pub(super) fn digest(&self) -> io::Result<String> {
        let program = std::env::current_exe()?.metadata()?;
        let mut hash = Hash(Sha256::new());
        let parts = (
            &self.loaded.world,
            &self.settings,
            &self.templates,
            program.len(),
            program.modified()?,
        );
        write!(hash, "{} {parts:?}", env!("CARGO_PKG_VERSION")).map_err(io::Error::other)?;
        Ok(hex(&hash.0.finalize()))
    }

    /// What renders the plugins of the inputs at these revisions.
    pub(super) fn renderer<'a>(
        &'a self,
        resolved: &'a [Resolved<'a>],
        diagnostics: &mut Diagnostics,
    ) -> Renderer<'a> {
        Renderer::new(
            &self.loaded.world,
            &self.settings,
            &self.engine,
            resolved,
            diagnostics,
        )
    }

    /// Whether something of the inputs could not be read, so that nobody knows what it meant.
    pub(super) fn has_unread(&self) -> bool {
        self.loaded
            .diagnostics
            .iter()
            .any(|one| one.severity == Severity::Error)
    }
}

/// A digest that can be written to.
struct Hash(Sha256);

impl fmt::Write for Hash {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.update(text);
        Ok(())
    }
}

/// The user's cache for coldframe, if there is one.
pub(super) fn cache() -> Option<PathBuf> {
    let folder = |name| {
        std::env::var_os(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    let caches = folder("XDG_CACHE_HOME").or_else(|| Some(folder("HOME")?.join(".cache")))?;
    Some(caches.join("coldframe"))
}

fn settings(loaded: &Loaded, flags: &args::Inputs) -> Result<Settings, String> {
    let fleet = loaded.world.fleet.as_ref();
    let mut output = fleet.map_or_else(Output::default, |fleet| fleet.output.clone());
    if let Some(format) = flags.format {
        output.format = match format {
            Format::Flux => OutputFormat::Flux,
            Format::Greenhouse => OutputFormat::Greenhouse,
        };
    }
    if let Some(text) = &flags.source_ref {
        output.source_ref = source_ref(text)?;
    }
    if let Some(path) = &flags.source_path {
        output.path.clone_from(path);
    }
    if let Some(key) = &flags.kube_config_key {
        output.kube_config_key.clone_from(key);
    }
    if let Some(text) = &flags.flux_version {
        let parts = text
            .split_once('.')
            .map(|(major, minor)| (major.parse(), minor.parse()));
        let Some((Ok(major), Ok(minor))) = parts else {
            return Err(format!(
                "`--flux-version {text}`: expected a minor release, such as 2.9"
            ));
        };
        output.flux_version = FluxVersion { major, minor };
    }
    let of_fleet = fleet.and_then(|fleet| fleet.base_domain.clone());
    Ok(Settings {
        organization: loaded.organization.clone(),
        base_domain: flags.base_domain.clone().or(of_fleet).unwrap_or_default(),
        expressions: flags.expressions,
        output,
    })
}

fn source_ref(text: &str) -> Result<SourceRef, String> {
    let expected = || {
        let kinds: Vec<&str> = SourceKind::ALL.iter().map(|kind| kind.as_str()).collect();
        format!(
            "`--source-ref {text}`: expected KIND/NAME or KIND/NAMESPACE/NAME, KIND one of {}",
            kinds.join(", ")
        )
    };
    let parts: Vec<&str> = text.split('/').collect();
    let (kind, namespace, name) = match parts.as_slice() {
        [kind, name] => (*kind, None, *name),
        [kind, namespace, name] => (*kind, Some((*namespace).to_owned()), *name),
        _ => return Err(expected()),
    };
    let kind = SourceKind::ALL
        .into_iter()
        .find(|known| known.as_str() == kind)
        .ok_or_else(expected)?;
    if name.is_empty() {
        return Err(expected());
    }
    Ok(SourceRef {
        kind,
        name: name.to_owned(),
        namespace,
    })
}

/// The folder of templates: that of the flag, else the Fleet's, which lies beside its file.
fn templates_folder(loaded: &Loaded, flags: &args::Inputs) -> Option<PathBuf> {
    if let Some(folder) = &flags.templates {
        return Some(folder.clone());
    }
    let fleet = loaded.world.fleet.as_ref()?;
    let folder = fleet.templates.as_ref()?;
    let file = Path::new(&*fleet.meta.location.file);
    Some(file.parent().unwrap_or_else(|| Path::new("")).join(folder))
}

/// The files of the folder, by name.
#[expect(
    clippy::disallowed_methods,
    reason = "the command line is one of the two shells that do I/O"
)]
fn templates(folder: &Path) -> io::Result<Vec<(String, String)>> {
    let mut templates = BTreeMap::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry
            .path()
            .extension()
            .is_some_and(|extension| extension == "yaml")
            && entry.path().is_file()
        {
            templates.insert(name, std::fs::read_to_string(entry.path())?);
        }
    }
    Ok(templates.into_iter().collect())
}
