//! [`TreeWriter`]: takes the files of the new tree and compares them with the old one.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry as Slot;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use super::folder::Folder;
use super::listing::{Entry, Listing};
use super::staging::{Place, Staging};
use super::{EmitError, HEADER};
use crate::model::DeletionLimit;

/// What a write may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriteOptions {
    /// Whether files that are not rendered any more go. Not in a filtered render.
    pub remove: bool,
    /// How many releases may go; all where there is no limit.
    pub deletion_limit: Option<DeletionLimit>,
    /// How many releases may go this once, where that is more than the limit.
    pub allow_deletions: Option<usize>,
}

impl Default for WriteOptions {
    fn default() -> Self {
        Self {
            remove: true,
            deletion_limit: None,
            allow_deletions: None,
        }
    }
}

/// Writes one tree into one output, from as many threads as there are.
///
/// After an error it can only be dropped, which leaves the old tree.
#[derive(Debug)]
pub struct TreeWriter {
    pub(super) place: Place,
    pub(super) options: WriteOptions,
    pub(super) dry_run: bool,
    /// The output and what is in it; the lock on it keeps other renders away.
    pub(super) old: Option<(Folder, Listing)>,
    pub(super) staging: OnceLock<Staging>,
    staging_in_creation: Mutex<()>,
    fates: Mutex<BTreeMap<OsString, Fate>>,
}

/// What becomes of a path that was given to the writer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// It is in the staging folder.
    Written,
    /// The old file is taken over.
    Unchanged,
}

impl TreeWriter {
    /// Locks and lists the output, and removes what killed renders left beside it. The output
    /// itself need not be there yet, and stays untouched until [`TreeWriter::commit`].
    pub fn open(output: &Path, options: WriteOptions) -> Result<Self, EmitError> {
        let place = Place::resolve(output)?;
        let path = place.path();
        let unsuitable = |reason| EmitError::Unsuitable {
            path: output.to_owned(),
            reason,
        };
        let old = match Folder::lock(&path) {
            Ok(None) => None,
            Ok(Some(folder)) => {
                let listing = Listing::read(&path)?;
                if listing.get(".git").is_some() {
                    return Err(unsuitable(
                        "it is the root of a git repository, so give a folder in it",
                    ));
                }
                Some((folder, listing))
            }
            Err(EmitError::Io { source, .. }) if source.kind() == io::ErrorKind::NotADirectory => {
                return Err(unsuitable("it is a file, so give a folder"));
            }
            Err(error) => return Err(error),
        };
        place.remove_leftovers()?;
        Ok(Self {
            place,
            options,
            dry_run: false,
            old,
            staging: OnceLock::new(),
            staging_in_creation: Mutex::new(()),
            fates: Mutex::default(),
        })
    }

    /// From now on nothing is written: [`TreeWriter::commit`] only says what it would have done.
    #[must_use]
    pub fn dry_run(mut self) -> Self {
        self.dry_run = true;
        self
    }

    /// Adds a file to the new tree: `path` is relative to the output with `/` between its names,
    /// `content` is what follows [`HEADER`].
    pub fn put(&self, path: &str, content: &str) -> Result<(), EmitError> {
        if !is_allowed(path) {
            return Err(EmitError::PathEscape { path: path.into() });
        }
        let path = OsStr::new(path);
        let bytes = [HEADER.as_bytes(), content.as_bytes()].concat();
        let fate = match &self.old {
            Some((folder, listing)) => match listing.get(path) {
                Some(Entry::File) => compare(folder, path, &bytes)?,
                Some(Entry::Other) => return Err(EmitError::foreign(path)),
                Some(Entry::Folder) | None => Fate::Written,
            },
            None => Fate::Written,
        };
        if fate == Fate::Written && !self.dry_run {
            self.staging()?.folder().write(path, &bytes)?;
        }
        match self.fates().insert(path.to_owned(), fate) {
            Some(_) => Err(EmitError::clash(path)),
            None => Ok(()),
        }
    }

    /// Whether the old tree has a file of coldframe's at that path.
    pub fn is_ours(&self, path: &str) -> Result<bool, EmitError> {
        let Some((folder, listing)) = &self.old else {
            return Ok(false);
        };
        let path = OsStr::new(path);
        Ok(listing.get(path) == Some(Entry::File) && is_ours(folder, path)?)
    }

    /// Keeps coldframe's previous file as it is, byte for byte: for a release that could not be
    /// rendered. False if there is none.
    pub fn keep(&self, path: &str) -> Result<bool, EmitError> {
        let is_ours = self.is_ours(path)?;
        let path = OsStr::new(path);
        if is_ours && let Slot::Vacant(slot) = self.fates().entry(path.to_owned()) {
            slot.insert(Fate::Unchanged);
        }
        Ok(is_ours)
    }

    /// Keeps all of coldframe's previous files below a folder; says which.
    pub fn keep_under(&self, folder: &str) -> Result<Vec<String>, EmitError> {
        let Some((_, listing)) = &self.old else {
            return Ok(Vec::new());
        };
        let mut kept = Vec::new();
        for (path, entry) in listing.below(OsStr::new(folder)) {
            if let (Entry::File, Some(path)) = (entry, path.to_str())
                && self.keep(path)?
            {
                kept.push(path.to_owned());
            }
        }
        Ok(kept)
    }

    /// The paths of the files in the old tree, coldframe's and others.
    pub fn previous(&self) -> impl Iterator<Item = &str> {
        let listing = self.old.as_ref().map(|(_, listing)| listing);
        listing
            .into_iter()
            .flat_map(Listing::files)
            .filter_map(OsStr::to_str)
    }

    pub(super) fn staging(&self) -> Result<&Staging, EmitError> {
        if let Some(staging) = self.staging.get() {
            return Ok(staging);
        }
        let _guard = self
            .staging_in_creation
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(staging) = self.staging.get() {
            Ok(staging)
        } else {
            let created = Staging::create(&self.place)?;
            Ok(self.staging.get_or_init(|| created))
        }
    }

    pub(super) fn fates(&self) -> MutexGuard<'_, BTreeMap<OsString, Fate>> {
        self.fates.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a file in the old tree is coldframe's.
pub(super) fn is_ours(folder: &Folder, path: &OsStr) -> Result<bool, EmitError> {
    Ok(folder.read(path, HEADER.len())? == HEADER.as_bytes())
}

fn compare(folder: &Folder, path: &OsStr, bytes: &[u8]) -> Result<Fate, EmitError> {
    let old = folder.read(path, bytes.len() + 1)?;
    if old == bytes {
        Ok(Fate::Unchanged)
    } else if old.is_empty() || old.starts_with(HEADER.as_bytes()) {
        // An empty file holds nothing that could be lost: a power cut leaves such.
        Ok(Fate::Written)
    } else {
        Err(EmitError::foreign(path))
    }
}

fn is_allowed(path: &str) -> bool {
    let mut names = path.split('/');
    names.all(|name| !name.is_empty() && !name.starts_with('.'))
        && !path.contains(|c: char| c == '\\' || c.is_control())
}
