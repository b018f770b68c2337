//! What a commit will do: decided completely before anything is done.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

use rayon::prelude::*;

use super::folder::{Folder, parent};
use super::listing::{Entry, Listing};
use super::tree::{Fate, WriteOptions, is_ours};
use super::{EmitError, Outcome};

/// What a commit will do.
#[derive(Debug, Default)]
pub(super) struct Plan<'a> {
    /// What is taken over from the old tree: files, links, and empty folders.
    pub(super) stays: Vec<(&'a OsStr, Entry)>,
    /// What it comes to.
    pub(super) outcome: Outcome,
}

impl<'a> Plan<'a> {
    /// Decides it, and whether it is allowed.
    pub(super) fn new(
        old: Option<&'a (Folder, Listing)>,
        fates: &'a BTreeMap<OsString, Fate>,
        options: WriteOptions,
    ) -> Result<Self, EmitError> {
        let mut plan = Self::default();
        plan.outcome.written = fates
            .values()
            .filter(|fate| **fate == Fate::Written)
            .count();
        plan.outcome.unchanged = fates.len() - plan.outcome.written;
        let Some((folder, listing)) = old else {
            Tree::new(fates, &[]).check(|_| false)?;
            return Ok(plan);
        };
        let ours = files_of_ours(folder, listing, fates)?;
        let is_ours = |path: &OsStr| fates.contains_key(path) || ours.contains(path);

        let mut gone = Vec::new();
        for (path, entry) in listing.iter() {
            let fate = fates.get(path);
            match entry {
                Entry::File if fate == Some(&Fate::Written) => {}
                Entry::File if fate == Some(&Fate::Unchanged) => plan.stays.push((path, entry)),
                Entry::File if ours.contains(path) && options.remove => gone.push(path),
                Entry::File if ours.contains(path) => {
                    plan.stays.push((path, entry));
                    plan.outcome.unchanged += 1;
                }
                Entry::File | Entry::Other => {
                    plan.stays.push((path, entry));
                    plan.outcome.kept_foreign += 1;
                }
                Entry::Folder if listing.below(path).next().is_some() => {}
                Entry::Folder if fate.is_some() => return Err(EmitError::foreign(path)),
                Entry::Folder => plan.stays.push((path, entry)),
            }
        }
        if plan.outcome.written > 0 {
            Tree::new(fates, &plan.stays).check(|path| !is_ours(path))?;
        }
        plan.outcome.removed = gone.iter().map(|path| lossy(path)).collect();

        let total = listing
            .files()
            .filter(|path| is_release(path) && is_ours(path));
        check_deletions(&gone, total.count(), options)?;
        Ok(plan)
    }

    /// Whether the old tree already is the new one.
    pub(super) fn is_settled(&self) -> bool {
        self.outcome.written == 0 && self.outcome.removed.is_empty()
    }
}

/// Those files of coldframe's in the old tree that the new one says nothing about.
fn files_of_ours<'a>(
    folder: &Folder,
    listing: &'a Listing,
    fates: &BTreeMap<OsString, Fate>,
) -> Result<BTreeSet<&'a OsStr>, EmitError> {
    let unmentioned: Vec<&OsStr> = listing
        .files()
        .filter(|path| !fates.contains_key(*path))
        .collect();
    unmentioned
        .into_par_iter()
        .filter_map(|path| match is_ours(folder, path) {
            Ok(true) => Some(Ok(path)),
            Ok(false) => None,
            Err(error) => Some(Err(error)),
        })
        .collect()
}

/// The paths of the new tree that are no folders, or empty ones.
struct Tree<'a>(BTreeSet<&'a OsStr>);

impl<'a> Tree<'a> {
    fn new(fates: &'a BTreeMap<OsString, Fate>, stays: &[(&'a OsStr, Entry)]) -> Self {
        let stays = stays.iter().map(|(path, _)| *path);
        Self(fates.keys().map(OsString::as_os_str).chain(stays).collect())
    }

    /// Refuses a tree in which something would have to be a file and a folder.
    fn check(&self, is_foreign: impl Fn(&OsStr) -> bool) -> Result<(), EmitError> {
        let mut checked = None;
        for path in &self.0 {
            let mut folder = parent(path);
            // Neighbours mostly share their folder.
            if folder == checked {
                continue;
            }
            checked = folder;
            while let Some(above) = folder {
                if self.0.contains(above) {
                    return Err(if is_foreign(above) {
                        EmitError::foreign(above)
                    } else if is_foreign(path) {
                        EmitError::foreign(path)
                    } else {
                        EmitError::clash(above)
                    });
                }
                folder = parent(above);
            }
        }
        Ok(())
    }
}

/// One guard for every way in which a release can go.
fn check_deletions(gone: &[&OsStr], total: usize, options: WriteOptions) -> Result<(), EmitError> {
    let Some(limit) = options.deletion_limit else {
        return Ok(());
    };
    let removed: Vec<String> = gone
        .iter()
        .filter(|path| is_release(path))
        .map(|path| lossy(path))
        .collect();
    let allowed = limit
        .allowed(total)
        .max(options.allow_deletions.unwrap_or_default());
    if removed.len() > allowed {
        return Err(EmitError::Deletions {
            removed,
            total,
            allowed,
        });
    }
    Ok(())
}

/// Whether a path is that of a release: all files below `releases/` are, but for the indexes.
fn is_release(path: &OsStr) -> bool {
    let path = path.as_bytes();
    path.starts_with(b"releases/") && !path.ends_with(b"/kustomization.yaml")
}

fn lossy(path: &OsStr) -> String {
    path.to_string_lossy().into_owned()
}
