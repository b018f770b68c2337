//! What lies in the output before it is written.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::ops::Bound;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

use walkdir::WalkDir;

use super::EmitError;

/// One thing in the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entry {
    /// A regular file, coldframe's or not.
    File,
    /// A folder.
    Folder,
    /// A symbolic link, pipe, socket or device: never coldframe's, and never followed.
    Other,
}

/// Everything in a folder, by path relative to it; a folder stands before what is in it.
#[derive(Debug, Default)]
pub(super) struct Listing(BTreeMap<OsString, Entry>);

impl Listing {
    /// Lists `root` and all below it.
    pub(super) fn read(root: &Path) -> Result<Self, EmitError> {
        let skipped = root.as_os_str().len() + 1;
        let mut entries = BTreeMap::new();
        for entry in WalkDir::new(root).min_depth(1) {
            let entry = entry.map_err(|error| {
                let path = error.path().unwrap_or(root).to_owned();
                EmitError::io(path, io::Error::from(error))
            })?;
            let kind = match entry.file_type() {
                kind if kind.is_file() => Entry::File,
                kind if kind.is_dir() => Entry::Folder,
                _ => Entry::Other,
            };
            let mut path = entry.into_path().into_os_string().into_vec();
            path.drain(..skipped.min(path.len()));
            entries.insert(OsString::from_vec(path), kind);
        }
        Ok(Self(entries))
    }

    pub(super) fn get(&self, path: impl AsRef<OsStr>) -> Option<Entry> {
        self.0.get(path.as_ref()).copied()
    }

    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = (&OsStr, Entry)> {
        self.0
            .iter()
            .map(|(path, entry)| (path.as_os_str(), *entry))
    }

    /// The paths of the regular files.
    pub(super) fn files(&self) -> impl Iterator<Item = &OsStr> {
        self.iter()
            .filter(|(_, entry)| *entry == Entry::File)
            .map(|(path, _)| path)
    }

    /// The paths of the folders.
    pub(super) fn folders(&self) -> impl DoubleEndedIterator<Item = &OsStr> {
        self.iter()
            .filter(|(_, entry)| *entry == Entry::Folder)
            .map(|(path, _)| path)
    }

    /// What lies below a folder, at any depth.
    pub(super) fn below(&self, folder: &OsStr) -> impl Iterator<Item = (&OsStr, Entry)> {
        let mut prefix = folder.to_owned();
        prefix.push("/");
        self.0
            .range::<OsStr, _>((Bound::Excluded(prefix.as_os_str()), Bound::Unbounded))
            .map(|(path, entry)| (path.as_os_str(), *entry))
            .take_while(move |(path, _)| path.as_bytes().starts_with(prefix.as_bytes()))
    }
}
