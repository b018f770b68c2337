//! Which files are read.
//!
//! A file given by name is read whatever it is called. Below a folder these are read: `*.yaml`,
//! `*.yml` and `*.json`, except in folders whose name begins with a dot, in the output folder, in
//! the folder of a fleet's own templates, and in the `templates` folder of a Helm chart.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use walkdir::{DirEntry, WalkDir};

use super::coldframe::fleet_paths;
use super::{LoadOptions, source};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Location};
use crate::yaml;

/// A file to read.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) path: PathBuf,
    /// How it is called in diagnostics.
    pub(super) name: Arc<str>,
    /// Whether the user named it.
    pub(super) explicit: bool,
    /// The sources, by their index, that it belongs to.
    pub(super) sources: Vec<usize>,
}

/// Finds the files of all sources: the sources in the order given, the files of each by path, each
/// file once.
pub(super) fn discover(
    sources: &[PathBuf],
    options: &LoadOptions,
    diagnostics: &mut Diagnostics,
) -> Vec<Found> {
    let mut found: Vec<Found> = Vec::new();
    let mut seen: BTreeMap<PathBuf, usize> = BTreeMap::new();
    for (index, source) in sources.iter().enumerate() {
        let files = match fs::metadata(source) {
            Err(error) => {
                diagnostics.push(unreadable(source, &error));
                continue;
            }
            Ok(metadata) if metadata.is_dir() => {
                let mut files = Walk::new(source, options, diagnostics).run(source);
                files.sort();
                files
            }
            Ok(_) => vec![source.clone()],
        };
        let explicit = files.first() == Some(source);
        for path in files {
            let real = fs::canonicalize(&path).unwrap_or_else(|_| path.clone());
            let at = *seen.entry(real).or_insert(found.len());
            if let Some(earlier) = found.get_mut(at) {
                earlier.sources.push(index);
                earlier.explicit |= explicit;
            } else {
                found.push(Found {
                    name: name(&path),
                    path,
                    explicit,
                    sources: vec![index],
                });
            }
        }
    }
    found
}

/// A path as it is printed.
pub(super) fn name(path: &Path) -> Arc<str> {
    let parts = path
        .components()
        .filter(|part| !matches!(part, Component::CurDir));
    let path: PathBuf = parts.collect();
    if path.as_os_str().is_empty() {
        return ".".into();
    }
    path.to_string_lossy().into()
}

/// A file or folder that cannot be read.
pub(super) fn unreadable(path: &Path, error: &std::io::Error) -> Diagnostic {
    let name = name(path);
    let hint = match error.kind() {
        std::io::ErrorKind::NotFound => "check the path and the folder that you are in",
        std::io::ErrorKind::PermissionDenied => "check its permissions and its owner",
        _ => "try to open it with another program",
    };
    Diagnostic::error(
        Code::Unreadable,
        format!("`{name}` cannot be read: {error}"),
    )
    .at(&Location::new(name, 1, 1))
    .hint(hint)
}

/// The walk through one folder.
struct Walk<'a> {
    root: PathBuf,
    ignored: BTreeSet<PathBuf>,
    /// Folders that were walked, by their real path: none is walked twice, however links lead.
    walked: BTreeSet<PathBuf>,
    links: Vec<PathBuf>,
    files: Vec<PathBuf>,
    diagnostics: &'a mut Diagnostics,
}

impl<'a> Walk<'a> {
    fn new(source: &Path, options: &LoadOptions, diagnostics: &'a mut Diagnostics) -> Self {
        let mut ignored: BTreeSet<_> = options.ignore.iter().map(|path| real(path)).collect();
        ignored.extend(fleet_folders(source));
        Self {
            root: real(source),
            ignored,
            walked: BTreeSet::new(),
            links: Vec::new(),
            files: Vec::new(),
            diagnostics,
        }
    }

    fn run(mut self, source: &Path) -> Vec<PathBuf> {
        self.folder(source);
        // Links come last, so that what lies in the folder itself is called by its own path.
        while !self.links.is_empty() {
            for link in std::mem::take(&mut self.links) {
                self.link(&link);
            }
        }
        self.files
    }

    fn folder(&mut self, folder: &Path) {
        let top = real(folder);
        if !self.walked.insert(top.clone()) {
            return;
        }
        let below = |entry: &DirEntry| {
            top.join(
                entry
                    .path()
                    .strip_prefix(folder)
                    .unwrap_or_else(|_| Path::new("")),
            )
        };
        let mut entries = WalkDir::new(folder).sort_by_file_name().into_iter();
        while let Some(entry) = entries.next() {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    let path = error.path().unwrap_or(folder).to_path_buf();
                    let error = error
                        .into_io_error()
                        .unwrap_or_else(|| std::io::Error::other("unknown"));
                    self.diagnostics.push(unreadable(&path, &error));
                    continue;
                }
            };
            let kind = entry.file_type();
            if entry.depth() == 0 {
                continue;
            }
            if kind.is_dir() {
                let real = below(&entry);
                if is_hidden(entry.path())
                    || is_chart_templates(entry.path())
                    || self.ignored.contains(&real)
                    || !self.walked.insert(real)
                {
                    entries.skip_current_dir();
                }
            } else if kind.is_symlink() {
                self.links.push(entry.into_path());
            } else if kind.is_file()
                && is_manifest(entry.path())
                && !self.ignored.contains(&below(&entry))
            {
                self.files.push(entry.into_path());
            }
        }
    }

    fn link(&mut self, link: &Path) {
        let Ok(target) = fs::canonicalize(link) else {
            if is_manifest(link) {
                self.skip(link, "leads nowhere, or in a circle");
            }
            return;
        };
        let folder = target.is_dir();
        if !folder && !is_manifest(link) {
            return;
        }
        if !target.starts_with(&self.root) {
            self.skip(link, "leads out of the folder");
        } else if self
            .ignored
            .iter()
            .any(|ignored| target.starts_with(ignored))
        {
            // Not input, on whatever way.
        } else if !folder {
            if target.is_file() {
                self.files.push(link.to_path_buf());
            }
        } else if real(link.parent().unwrap_or(link)).starts_with(&target) {
            self.skip(link, "leads in a circle");
        } else if !is_hidden(link) {
            self.folder(link);
        }
    }

    fn skip(&mut self, link: &Path, why: &str) {
        let name = name(link);
        self.diagnostics.push(
            Diagnostic::warning(
                Code::SymlinkSkipped,
                format!("the symbolic link `{name}` {why}: it is not read"),
            )
            .at(&Location::new(name, 1, 1))
            .hint("give its target as one more source"),
        );
    }
}

fn real(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf())
}

/// The folders that the fleet of a source keeps for its output and its templates.
fn fleet_folders(source: &Path) -> Vec<PathBuf> {
    let Ok(text) = source::read_text(&source.join("coldframe.yaml")) else {
        return Vec::new();
    };
    let documents: Vec<_> = yaml::read(&text).into_iter().flatten().collect();
    fleet_paths(&documents).map_or_else(Vec::new, |paths| {
        [Some(paths.output), paths.templates]
            .into_iter()
            .flatten()
            .map(|folder| real(&source.join(folder)))
            .collect()
    })
}

fn is_hidden(path: &Path) -> bool {
    path.file_name()
        .is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
}

fn is_chart_templates(path: &Path) -> bool {
    path.file_name() == Some(OsStr::new("templates"))
        && path
            .parent()
            .is_some_and(|chart| chart.join("Chart.yaml").is_file())
}

fn is_manifest(path: &Path) -> bool {
    path.extension().is_some_and(|extension| {
        ["yaml", "yml", "json"]
            .iter()
            .any(|known| extension.eq_ignore_ascii_case(known))
    })
}
