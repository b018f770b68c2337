//! The swap: fills the staging folder up, puts it in the output's place, removes the old tree.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;

use rayon::prelude::*;
use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;
use walkdir::WalkDir;

use super::folder::{Folder, parent};
use super::listing::{Entry, Listing};
use super::plan::Plan;
use super::staging::Staging;
use super::tree::TreeWriter;
use super::{EmitError, Outcome};

impl TreeWriter {
    /// Makes the new tree the output, in one step. Where nothing changed nothing is written.
    pub fn commit(mut self) -> Result<Outcome, EmitError> {
        let fates = std::mem::take(&mut *self.fates());
        let plan = Plan::new(self.old.as_ref(), &fates, self.options)?;
        if self.dry_run || plan.is_settled() {
            return Ok(plan.outcome);
        }
        let staging = self.staging()?.folder();
        if let Some((old, listing)) = &self.old {
            fill(
                staging,
                old,
                listing,
                &plan,
                fates.keys().map(std::ffi::OsString::as_os_str),
            )?;
        }
        self.swap()?;
        if let Some(staging) = self.staging.get_mut() {
            staging.arrived();
        }
        if let (Some((old, listing)), Some(staging)) = (&self.old, self.staging.get()) {
            retire(old, listing, staging)?;
        }
        Ok(plan.outcome)
    }

    /// The one step.
    fn swap(&self) -> Result<(), EmitError> {
        let path = self.place.path();
        let flags = match &self.old {
            Some(_) => RenameFlags::EXCHANGE,
            None => RenameFlags::NOREPLACE,
        };
        let staging = self.staging()?.folder().path();
        renameat_with(CWD, staging, CWD, &path, flags).map_err(|errno| match errno {
            Errno::INVAL | Errno::NOSYS | Errno::XDEV | Errno::BUSY | Errno::OPNOTSUPP => {
                EmitError::ExchangeUnsupported { path }
            }
            // It was not there when this render began.
            Errno::EXIST => EmitError::Locked { path },
            errno => EmitError::io(path, errno),
        })
    }
}

/// Takes over what stays, and the modes of the folders.
fn fill<'a>(
    staging: &Folder,
    old: &Folder,
    listing: &'a Listing,
    plan: &Plan<'a>,
    rendered: impl Iterator<Item = &'a OsStr>,
) -> Result<(), EmitError> {
    plan.stays
        .par_iter()
        .try_for_each(|(path, entry)| match entry {
            Entry::Folder => staging.create_folder(path),
            Entry::File | Entry::Other => staging.link(old, path),
        })?;

    let mut folders = BTreeSet::from([OsStr::new("")]);
    for path in rendered.chain(plan.stays.iter().map(|(path, _)| *path)) {
        let mut folder = Some(path);
        while let Some(path) = folder {
            if listing.get(path) == Some(Entry::Folder) && !folders.insert(path) {
                break;
            }
            folder = parent(path);
        }
    }
    folders
        .into_iter()
        .try_for_each(|path| staging.copy_mode(old, path))
}

/// Removes the old tree, which lies in the staging folder's place now.
fn retire(old: &Folder, listing: &Listing, staging: &Staging) -> Result<(), EmitError> {
    let entries: Vec<_> = listing
        .iter()
        .filter(|(_, entry)| *entry != Entry::Folder)
        .collect();
    entries
        .par_iter()
        .try_for_each(|(path, _)| old.remove_file(path))?;
    listing
        .folders()
        .rev()
        .try_for_each(|path| old.remove_folder(path))?;

    // What is left came after the tree was listed, so it is not in the new one yet.
    let root = staging.folder().path();
    for entry in WalkDir::new(root).contents_first(true) {
        let entry = entry.map_err(|error| EmitError::io(root, error))?;
        let path = entry.path();
        if entry.file_type().is_dir() {
            fs::remove_dir(path).map_err(|source| EmitError::io(path, source))?;
        } else if let Ok(below) = path.strip_prefix(root) {
            staging.folder().take(old, below.as_os_str())?;
        }
    }
    Ok(())
}
