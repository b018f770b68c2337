//! The folder beside the output in which the new tree grows.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::EmitError;
use super::folder::Folder;

/// Where the output is, or will be: what has to be replaced, not a link to it.
#[derive(Debug)]
pub(super) struct Place {
    parent: PathBuf,
    name: OsString,
}

impl Place {
    /// Resolves an output that may not be there yet.
    pub(super) fn resolve(output: &Path) -> Result<Self, EmitError> {
        let resolved = match fs::canonicalize(output) {
            Ok(resolved) => resolved,
            // A link to nothing would be replaced by a folder.
            Err(source)
                if source.kind() == io::ErrorKind::NotFound
                    && fs::symlink_metadata(output).is_err() =>
            {
                output.to_owned()
            }
            Err(source) => return Err(EmitError::io(output, source)),
        };
        match (resolved.parent(), resolved.file_name()) {
            (Some(parent), Some(name)) => Ok(Self {
                parent: if parent.as_os_str().is_empty() {
                    ".".into()
                } else {
                    parent.to_owned()
                },
                name: name.to_owned(),
            }),
            _ => Err(EmitError::Unsuitable {
                path: output.to_owned(),
                reason: "it has no folder around it to write the new tree to, so give a folder \
                         with a name",
            }),
        }
    }

    /// The output's path.
    pub(super) fn path(&self) -> PathBuf {
        self.parent.join(&self.name)
    }

    fn prefix(&self) -> OsString {
        let mut prefix = OsString::from(".");
        prefix.push(&self.name);
        prefix.push(".coldframe-");
        prefix
    }

    /// Removes what killed processes left beside the output.
    pub(super) fn remove_leftovers(&self) -> Result<(), EmitError> {
        let failed = |source| EmitError::io(&self.parent, source);
        let entries = match fs::read_dir(&self.parent) {
            Ok(entries) => entries,
            Err(source) if source.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(source) => return Err(failed(source)),
        };
        let prefix = self.prefix();
        for entry in entries {
            let entry = entry.map_err(failed)?;
            let name = entry.file_name();
            let is_ours = name
                .as_bytes()
                .strip_prefix(prefix.as_bytes())
                .is_some_and(|pid| !pid.is_empty() && pid.iter().all(u8::is_ascii_digit));
            if !is_ours || !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                continue;
            }
            let path = entry.path();
            match Folder::lock(&path) {
                Ok(Some(_lock)) => remove_all(&path)?,
                // Its process lives, or another one has just removed it.
                Ok(None) | Err(EmitError::Locked { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// The new tree, until it takes the output's place. Dropped before that, it goes.
#[derive(Debug)]
pub(super) struct Staging {
    folder: Folder,
    abandoned: bool,
}

impl Staging {
    /// Makes the folder, and those that the output will lie in.
    pub(super) fn create(place: &Place) -> Result<Self, EmitError> {
        fs::create_dir_all(&place.parent).map_err(|source| EmitError::io(&place.parent, source))?;
        let mut name = place.prefix();
        name.push(std::process::id().to_string());
        let folder = Folder::create(&place.parent.join(name)).map_err(|error| match error {
            EmitError::Locked { .. } => EmitError::Locked { path: place.path() },
            error => error,
        })?;
        Ok(Self {
            folder,
            abandoned: true,
        })
    }

    pub(super) fn folder(&self) -> &Folder {
        &self.folder
    }

    /// Says that the folder now is the output, and what was the output lies where it was.
    pub(super) fn arrived(&mut self) {
        self.abandoned = false;
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        if self.abandoned {
            // The error that led here is the one to report; the next render tries again.
            drop(remove_all(self.folder.path()));
        }
    }
}

fn remove_all(path: &Path) -> Result<(), EmitError> {
    match fs::remove_dir_all(path) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => Err(EmitError::io(path, source)),
        _ => Ok(()),
    }
}
