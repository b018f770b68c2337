//! What several integration tests share.
#![allow(dead_code, reason = "each test uses its part")]
#![allow(
    clippy::disallowed_methods,
    reason = "tests read files and the environment"
)]

use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The reference tables beside the repository; `None` with a loud line where they are missing.
pub(crate) fn shared(path: &str) -> Option<PathBuf> {
    let root = std::env::var_os("COLDFRAME_SHARED").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"),
        PathBuf::from,
    );
    let path = root.join(path);
    if path.exists() {
        return Some(path);
    }
    eprintln!(
        "SKIPPED: {} is missing; set COLDFRAME_SHARED",
        path.display()
    );
    None
}

/// The program in `tests/go/<name>`, built once into a cache outside of the tree; `None` with a
/// loud line where Go is missing or cannot build it.
pub(crate) fn go_program(name: &str) -> Option<PathBuf> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/go")
        .join(name);
    let program = cache_dir()?
        .join("go")
        .join(format!("{name}-{:016x}", fingerprint(&source)));
    if program.exists() {
        return Some(program);
    }
    // Another test may build the same one: each builds under a name of its own, then renames.
    let scratch = program.with_extension(std::process::id().to_string());
    let built = Command::new("go")
        .args(["build", "-o"])
        .arg(&scratch)
        .arg(".")
        .current_dir(&source)
        .output();
    match built {
        Ok(output) if output.status.success() => {
            fs::rename(&scratch, &program).expect("the cache is writable");
            Some(program)
        }
        Ok(output) => {
            let words = String::from_utf8_lossy(&output.stderr);
            eprintln!("SKIPPED: tests/go/{name} does not build: {words}");
            None
        }
        Err(error) => {
            eprintln!("SKIPPED: tests/go/{name} needs Go: {error}");
            None
        }
    }
}

fn cache_dir() -> Option<PathBuf> {
    let variable = |name| std::env::var_os(name).map(PathBuf::from);
    variable("COLDFRAME_CACHE")
        .or_else(|| Some(variable("XDG_CACHE_HOME")?.join("coldframe")))
        .or_else(|| Some(variable("HOME")?.join(".cache/coldframe")))
}

/// A hash of the Go files of a folder.
fn fingerprint(folder: &Path) -> u64 {
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .expect("the Go program is there")
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.is_file())
        .collect();
    files.sort();
    let mut hasher = DefaultHasher::new();
    for file in files {
        file.file_name().hash(&mut hasher);
        fs::read(&file).expect("a Go file").hash(&mut hasher);
    }
    hasher.finish()
}
