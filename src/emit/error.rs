//! Why a tree was not written.

use std::ffi::OsStr;
use std::io;
use std::path::PathBuf;

use super::HEADER;

/// Why a tree was not written. The old tree is still there, unless the message says otherwise.
#[derive(Debug, thiserror::Error)]
pub enum EmitError {
    /// The file system refused.
    #[error("`{}` could not be read or written: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },

    /// The output lies where two folders cannot take each other's place in one step.
    #[error(
        "the file system of `{}` cannot lock and exchange folders: choose an output below a local \
         folder (ext4, XFS, Btrfs or tmpfs), and one that is not itself a mount point",
        path.display()
    )]
    ExchangeUnsupported {
        /// The output, or what lies in it on another file system.
        path: PathBuf,
    },

    /// More releases would go than the fleet allows.
    #[error(
        "{} of {total} releases would be removed, but no more than {allowed} may be",
        removed.len()
    )]
    Deletions {
        /// Their paths, in order.
        removed: Vec<String>,
        /// How many releases the old tree has.
        total: usize,
        /// How many of them may go.
        allowed: usize,
    },

    /// A path that could lead out of the output, or hide in it.
    #[error(
        "`{path}` is no path of a rendered file: expected names joined by `/`, none of them empty, \
         starting with a dot, or with a backslash or control character"
    )]
    PathEscape {
        /// The path as it was given.
        path: String,
    },

    /// Somebody else's file is where one of coldframe's has to go.
    #[error(
        "`{path}` in the output is in the way, and not coldframe's (its first line is not `{}`): \
         move it elsewhere, or choose another output",
        HEADER.trim_end()
    )]
    Foreign {
        /// Its path in the output.
        path: String,
    },

    /// Two files of one render exclude each other.
    #[error("`{path}` would be two files, or a file and a folder: rename one of the objects")]
    Clash {
        /// Their path.
        path: String,
    },

    /// Two renders into one output.
    #[error("another coldframe is writing `{}`: run again when it has ended", path.display())]
    Locked {
        /// The output.
        path: PathBuf,
    },

    /// The output is no folder of rendered files, and must not be replaced.
    #[error("`{}` cannot be the output: {reason}", path.display())]
    Unsuitable {
        /// The output.
        path: PathBuf,
        /// What it is, and what to do.
        reason: &'static str,
    },
}

impl EmitError {
    pub(super) fn io(path: impl Into<PathBuf>, source: impl Into<io::Error>) -> Self {
        Self::Io {
            path: path.into(),
            source: source.into(),
        }
    }

    pub(super) fn foreign(path: &OsStr) -> Self {
        Self::Foreign {
            path: path.to_string_lossy().into_owned(),
        }
    }

    pub(super) fn clash(path: &OsStr) -> Self {
        Self::Clash {
            path: path.to_string_lossy().into_owned(),
        }
    }
}
