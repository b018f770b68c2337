//! An open, locked folder, and what is done in it by paths relative to it.
//!
//! Paths are resolved from the open folder: short to look up, and still right after it was renamed.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::buffer::spare_capacity;
use rustix::fs::{
    AtFlags, CWD, FileType, FlockOperation, Mode, OFlags, RenameFlags, Stat, chmodat, flock, fstat,
    linkat, mkdirat, openat, readlinkat, renameat_with, stat, statat, symlinkat, unlinkat,
};
use rustix::io::{Errno, read, write};

use super::EmitError;

/// Readable and writable by all, less the umask.
const FILE_MODE: Mode = Mode::from_raw_mode(0o666);
const FOLDER_MODE: Mode = Mode::from_raw_mode(0o777);

/// A folder that this process has locked for as long as the value lives.
#[derive(Debug)]
pub(super) struct Folder {
    fd: OwnedFd,
    path: PathBuf,
}

impl Folder {
    /// Opens and locks the folder at `path`, which must not end in a symbolic link. None if
    /// nothing is there.
    pub(super) fn lock(path: &Path) -> Result<Option<Self>, EmitError> {
        let failed = |errno: Errno| EmitError::io(path, errno);
        loop {
            let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let fd = match openat(CWD, path, flags, Mode::empty()) {
                Ok(fd) => fd,
                Err(Errno::NOENT) => return Ok(None),
                Err(errno) => return Err(failed(errno)),
            };
            match flock(&fd, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => {}
                Err(Errno::WOULDBLOCK) => return Err(EmitError::Locked { path: path.into() }),
                Err(_) => return Err(EmitError::ExchangeUnsupported { path: path.into() }),
            }
            // Another process may have put another folder here before the lock was taken.
            let locked = fstat(&fd).map_err(failed)?;
            match stat(path) {
                Ok(there) if there.st_ino == locked.st_ino && there.st_dev == locked.st_dev => {
                    let path = path.into();
                    return Ok(Some(Self { fd, path }));
                }
                Ok(_) => {}
                Err(Errno::NOENT) => return Ok(None),
                Err(errno) => return Err(failed(errno)),
            }
        }
    }

    /// Makes and locks a folder.
    pub(super) fn create(path: &Path) -> Result<Self, EmitError> {
        loop {
            match mkdirat(CWD, path, FOLDER_MODE) {
                Ok(()) => {}
                Err(Errno::EXIST) => return Err(EmitError::Locked { path: path.into() }),
                Err(errno) => return Err(EmitError::io(path, errno)),
            }
            // Until it is locked, another process may take it for a dead one's and remove it.
            match Self::lock(path) {
                Ok(Some(folder)) => return Ok(folder),
                Ok(None) | Err(EmitError::Locked { .. }) => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Where it was when it was opened.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The first bytes of a regular file, at most `limit` of them.
    pub(super) fn read(&self, path: &OsStr, limit: usize) -> Result<Vec<u8>, EmitError> {
        let bytes = || -> Result<Vec<u8>, Errno> {
            let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let fd = openat(&self.fd, path, flags, Mode::empty())?;
            let mut bytes = Vec::with_capacity(limit);
            while bytes.len() < limit {
                match read(&fd, spare_capacity(&mut bytes)) {
                    Ok(0) => break,
                    Ok(_) | Err(Errno::INTR) => {}
                    Err(errno) => return Err(errno),
                }
            }
            bytes.truncate(limit);
            Ok(bytes)
        };
        bytes().map_err(|errno| self.failed(path, errno))
    }

    /// Writes a file that is not there yet, and the folders it lies in.
    pub(super) fn write(&self, path: &OsStr, bytes: &[u8]) -> Result<(), EmitError> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let written = || -> Result<(), Errno> {
            let fd = self.with_parents(path, || openat(&self.fd, path, flags, FILE_MODE))?;
            let mut rest = bytes;
            while !rest.is_empty() {
                match write(&fd, rest) {
                    Ok(count) => rest = rest.get(count..).unwrap_or_default(),
                    Err(Errno::INTR) => {}
                    Err(errno) => return Err(errno),
                }
            }
            Ok(())
        };
        written().map_err(|errno| match errno {
            Errno::EXIST | Errno::ISDIR | Errno::NOTDIR => EmitError::clash(path),
            errno => self.failed(path, errno),
        })
    }

    /// Makes a folder, and those it lies in.
    pub(super) fn create_folder(&self, path: &OsStr) -> Result<(), EmitError> {
        self.make_folders(path)
            .map_err(|errno| self.failed(path, errno))
    }

    /// Takes over what `from` has at `path`, and is no folder: the same inode where the file
    /// system can, else a copy.
    pub(super) fn link(&self, from: &Self, path: &OsStr) -> Result<(), EmitError> {
        let linked = self.with_parents(path, || {
            linkat(&from.fd, path, &self.fd, path, AtFlags::empty())
        });
        match linked {
            Ok(()) => Ok(()),
            // What lies on another file system than its folder is mounted there.
            Err(Errno::XDEV) => Err(EmitError::ExchangeUnsupported {
                path: from.path.join(path),
            }),
            Err(Errno::PERM | Errno::ACCESS | Errno::MLINK | Errno::OPNOTSUPP) => self
                .copy(from, path)
                .map_err(|source| EmitError::io(from.path.join(path), source)),
            Err(errno) => Err(from.failed(path, errno)),
        }
    }

    /// Copies a file or symbolic link with its mode and modification time.
    pub(super) fn copy(&self, from: &Self, path: &OsStr) -> io::Result<()> {
        let status = statat(&from.fd, path, AtFlags::SYMLINK_NOFOLLOW)?;
        match FileType::from_raw_mode(status.st_mode) {
            FileType::Symlink => {
                let target = readlinkat(&from.fd, path, Vec::new())?;
                self.with_parents(path, || symlinkat(&target, &self.fd, path))?;
                Ok(())
            }
            FileType::RegularFile => {
                let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
                let mut source = File::from(openat(&from.fd, path, flags, Mode::empty())?);
                let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
                let target = self.with_parents(path, || openat(&self.fd, path, flags, FILE_MODE));
                let mut target = File::from(target?);
                io::copy(&mut source, &mut target)?;
                let metadata = source.metadata()?;
                target.set_permissions(metadata.permissions())?;
                target.set_modified(metadata.modified()?)
            }
            _ => Err(io::Error::new(
                io::ErrorKind::Unsupported,
                "it can be neither linked nor copied",
            )),
        }
    }

    /// Moves what `from` has at `path` here, unless something is here already.
    pub(super) fn take(&self, from: &Self, path: &OsStr) -> Result<(), EmitError> {
        self.with_parents(path, || {
            renameat_with(&from.fd, path, &self.fd, path, RenameFlags::NOREPLACE)
        })
        .map_err(|errno| from.failed(path, errno))
    }

    /// Gives a folder, or with an empty path this one, the mode that it has in `from`.
    pub(super) fn copy_mode(&self, from: &Self, path: &OsStr) -> Result<(), EmitError> {
        let mode = |folder: &Self| -> Result<Mode, Errno> {
            let status: Stat = if path.is_empty() {
                fstat(&folder.fd)?
            } else {
                statat(&folder.fd, path, AtFlags::SYMLINK_NOFOLLOW)?
            };
            Ok(Mode::from_raw_mode(status.st_mode & 0o7777))
        };
        let copied = || -> Result<(), Errno> {
            let wanted = mode(from)?;
            if mode(self)? != wanted {
                let path = if path.is_empty() {
                    OsStr::new(".")
                } else {
                    path
                };
                chmodat(&self.fd, path, wanted, AtFlags::empty())?;
            }
            Ok(())
        };
        copied().map_err(|errno| self.failed(path, errno))
    }

    /// Removes a file, if it is still there.
    pub(super) fn remove_file(&self, path: &OsStr) -> Result<(), EmitError> {
        match unlinkat(&self.fd, path, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(errno) => Err(self.failed(path, errno)),
        }
    }

    /// Removes a folder, if it is there and empty.
    pub(super) fn remove_folder(&self, path: &OsStr) -> Result<(), EmitError> {
        match unlinkat(&self.fd, path, AtFlags::REMOVEDIR) {
            Ok(()) | Err(Errno::NOENT | Errno::NOTEMPTY | Errno::EXIST) => Ok(()),
            Err(errno) => Err(self.failed(path, errno)),
        }
    }

    /// Tries, and where a folder is missing tries again with it: cheaper than looking first.
    fn with_parents<T>(
        &self,
        path: &OsStr,
        attempt: impl Fn() -> Result<T, Errno>,
    ) -> Result<T, Errno> {
        match (attempt(), parent(path)) {
            (Err(Errno::NOENT), Some(folder)) => {
                self.make_folders(folder)?;
                attempt()
            }
            (result, _) => result,
        }
    }

    fn make_folders(&self, path: &OsStr) -> Result<(), Errno> {
        let made = self.with_parents(path, || mkdirat(self.fd.as_fd(), path, FOLDER_MODE));
        match made {
            Err(Errno::EXIST) => Ok(()),
            other => other,
        }
    }

    fn failed(&self, path: &OsStr, errno: Errno) -> EmitError {
        EmitError::io(self.path.join(path), errno)
    }
}

/// The folder that a relative path lies in; none at the top.
pub(super) fn parent(path: &OsStr) -> Option<&OsStr> {
    let bytes = path.as_bytes();
    let slash = bytes.iter().rposition(|byte| *byte == b'/')?;
    bytes.get(..slash).map(OsStr::from_bytes)
}
