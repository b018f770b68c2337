//! Stamps: what a render left, so that the next one with the same inputs need not render again.
//!
//! A stamp is a small file in the user's cache. It has a digest of everything that the render
//! depended on, and one of the names, sizes, times and inodes of all files in the output, as git's
//! index has them. A file that was touched since has another time of change, which only the kernel
//! sets. Where a file changed in the very instant in which the stamp was written, the stamp is not
//! trusted. Nothing depends on stamps being there.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use sha2::{Digest, Sha256};
use walkdir::WalkDir;

use crate::hex::hex;

/// What a render left in its output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Left {
    /// How many releases were rendered.
    pub releases: usize,
    /// How many of coldframe's files there are.
    pub files: usize,
}

/// The place of the stamp of one output.
#[derive(Debug)]
pub struct Stamp {
    file: PathBuf,
    output: PathBuf,
}

impl Stamp {
    /// The stamp of `output`, kept below `cache`; none where the output is not there.
    pub fn new(cache: &Path, output: &Path) -> Option<Self> {
        let output = output.canonicalize().ok()?;
        let name = hex(&Sha256::digest(output.as_os_str().as_encoded_bytes()));
        Some(Self {
            file: cache.join("trees").join(name),
            output,
        })
    }

    /// What the render left that had the same `inputs`, if the output is still as it was.
    #[expect(clippy::disallowed_methods, reason = "emit touches files")]
    pub fn matching(&self, inputs: &str) -> Option<Left> {
        let text = fs::read_to_string(&self.file).ok()?;
        let written = changed(&self.file.metadata().ok()?);
        let mut lines = text.lines();
        if lines.next()? != inputs {
            return None;
        }
        let (digest, newest) = fingerprint(&self.output).ok()?;
        if lines.next()? != digest || newest >= written {
            return None;
        }
        Some(Left {
            releases: lines.next()?.parse().ok()?,
            files: lines.next()?.parse().ok()?,
        })
    }

    /// Writes the stamp.
    ///
    /// # Errors
    /// The cache or the output cannot be used.
    #[expect(clippy::disallowed_methods, reason = "emit touches files")]
    pub fn record(&self, inputs: &str, left: Left) -> io::Result<()> {
        let (digest, _) = fingerprint(&self.output)?;
        let folder = self.file.parent().unwrap_or(&self.file);
        fs::create_dir_all(folder)?;
        // Another render may write the same stamp: it is whole, or the other's.
        let scratch = self.file.with_extension(std::process::id().to_string());
        fs::write(
            &scratch,
            format!("{inputs}\n{digest}\n{}\n{}\n", left.releases, left.files),
        )?;
        fs::rename(scratch, &self.file)
    }
}

type Instant = (i64, i64);

fn changed(metadata: &fs::Metadata) -> Instant {
    (metadata.ctime(), metadata.ctime_nsec())
}

/// A digest of all files and folders, and when the last of them changed.
fn fingerprint(output: &Path) -> io::Result<(String, Instant)> {
    let tops: Vec<PathBuf> = WalkDir::new(output)
        .max_depth(2)
        .into_iter()
        .map(|entry| entry.map(walkdir::DirEntry::into_path))
        .collect::<Result<_, _>>()?;
    let parts: Vec<(Vec<String>, Instant)> = tops
        .par_iter()
        .map(|top| {
            let depth = top
                .strip_prefix(output)
                .map_or(0, |below| below.components().count());
            // What lies deeper than the folders found belongs to the deepest of them.
            entries(top, if depth < 2 { 0 } else { usize::MAX })
        })
        .collect::<io::Result<_>>()?;
    let newest = parts
        .iter()
        .map(|(_, newest)| *newest)
        .max()
        .unwrap_or_default();
    let mut lines: Vec<String> = parts.into_iter().flat_map(|(lines, _)| lines).collect();
    lines.sort_unstable();
    let mut hash = Sha256::new();
    for line in lines {
        hash.update(line);
    }
    Ok((hex(&hash.finalize()), newest))
}

fn entries(top: &Path, depth: usize) -> io::Result<(Vec<String>, Instant)> {
    let mut lines = Vec::new();
    let mut newest = (0, 0);
    for entry in WalkDir::new(top).max_depth(depth) {
        let entry = entry?;
        let metadata = entry.metadata()?;
        newest = newest.max(changed(&metadata));
        let path = entry.path().as_os_str().as_encoded_bytes();
        lines.push(format!(
            "{} {} {} {} {} {} {} {}\n",
            hex(path),
            metadata.mode(),
            metadata.size(),
            metadata.ino(),
            metadata.mtime(),
            metadata.mtime_nsec(),
            metadata.ctime(),
            metadata.ctime_nsec()
        ));
    }
    Ok((lines, newest))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEFT: Left = Left {
        releases: 2,
        files: 3,
    };

    /// A stamp over a small tree, recorded a moment after the tree was written.
    fn stamped() -> (tempfile::TempDir, Stamp) {
        let folder = tempfile::tempdir().unwrap();
        let output = folder.path().join("out");
        fs::create_dir_all(output.join("a/b/c")).unwrap();
        write(&output.join("a/b/c/file"), "1");
        write(&output.join("top"), "1");
        let stamp = Stamp::new(&folder.path().join("cache"), &output).unwrap();
        std::thread::sleep(std::time::Duration::from_millis(20));
        stamp.record("inputs", LEFT).unwrap();
        (folder, stamp)
    }

    #[expect(clippy::disallowed_methods, reason = "a test makes its files")]
    fn write(path: &Path, text: &str) {
        fs::write(path, text).unwrap();
    }

    #[test]
    fn the_same_inputs_and_an_untouched_output_match() {
        let (_folder, stamp) = stamped();
        assert_eq!(stamp.matching("inputs"), Some(LEFT));
        assert_eq!(stamp.matching("other inputs"), None);
    }

    #[test]
    fn anything_done_to_the_output_is_noticed() {
        type Deed = fn(&Path);
        let deeds: [(&str, Deed); 6] = [
            ("the same size", |output| {
                write(&output.join("a/b/c/file"), "2");
            }),
            ("the same bytes", |output| write(&output.join("top"), "1")),
            ("a new file", |output| write(&output.join("a/b/new"), "")),
            ("a file less", |output| {
                fs::remove_file(output.join("a/b/c/file")).unwrap();
            }),
            ("a new folder", |output| {
                fs::create_dir(output.join("a/new")).unwrap();
            }),
            ("another name", |output| {
                fs::rename(output.join("top"), output.join("pot")).unwrap();
            }),
        ];
        for (what, deed) in deeds {
            let (folder, stamp) = stamped();
            deed(&folder.path().join("out"));
            assert_eq!(stamp.matching("inputs"), None, "{what}");
        }
    }
}
