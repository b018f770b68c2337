//! What integration tests share: programs in Go that hold the reference implementations, data that lies
//! beside the project, and a loud word where a test cannot run.

pub mod crds;
pub mod tree;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use coldframe::load::Loaded;
use coldframe::model::{Output, Settings};
use sha2::{Digest, Sha256};

/// The settings of a run without flags, in the organization of what was read.
pub fn settings(loaded: &Loaded) -> Settings {
    Settings {
        organization: loaded.organization.clone(),
        base_domain: String::new(),
        expressions: true,
        output: Output::default(),
    }
}

/// Says on the terminal that a test did nothing. Written past the capture of the test runner, which shows the
/// output of failing tests only.
pub fn skipped(what: &str) {
    writeln!(std::io::stderr(), "SKIPPED: {what}").unwrap();
}

/// The folder `name` of the data that lies beside the project (`COLDFRAME_SHARED`, else `../shared`), if it is there.
pub fn shared(name: &str) -> Option<PathBuf> {
    let root = std::env::var_os("COLDFRAME_SHARED").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"),
        PathBuf::from,
    );
    let folder = root.join(name);
    if folder.exists() {
        return Some(folder);
    }
    skipped(&format!("{} is not there", folder.display()));
    None
}

/// The program in `tests/go/<name>`, built once for each state of its sources into the cache outside of the tree.
/// None, said aloud, without a Go that can build it.
pub fn go_program(name: &str) -> Option<PathBuf> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/go")
        .join(name);
    let program = cache()
        .join("go")
        .join(format!("{name}-{}", digest(&source)));
    if program.exists() {
        return Some(program);
    }
    std::fs::create_dir_all(program.parent().unwrap()).unwrap();
    // Tests that run at the same time build side by side; the last one's rename wins.
    let building = program.with_extension(std::process::id().to_string());
    let Ok(built) = Command::new("go")
        .arg("-C")
        .arg(&source)
        .args(["build", "-trimpath", "-ldflags=-s", "-o"])
        .arg(&building)
        .arg(".")
        .output()
    else {
        skipped(&format!("tests/go/{name} needs Go"));
        return None;
    };
    let errors = String::from_utf8_lossy(&built.stderr);
    // In the words of Go 1.21 and newer, and of older ones.
    let too_old = ["requires go >=", "not defined: -C", "invalid go version"];
    if too_old.iter().any(|words| errors.contains(words)) {
        skipped(&format!("tests/go/{name}: {}", errors.trim()));
        return None;
    }
    assert!(
        built.status.success(),
        "tests/go/{name} does not build:\n{errors}"
    );
    std::fs::rename(&building, &program).unwrap();
    Some(program)
}

/// Where built programs are kept: `COLDFRAME_CACHE`, else `coldframe` in the user's cache.
fn cache() -> PathBuf {
    let folder = |name| {
        std::env::var_os(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    folder("COLDFRAME_CACHE").unwrap_or_else(|| {
        folder("XDG_CACHE_HOME")
            .or_else(|| Some(folder("HOME")?.join(".cache")))
            .unwrap_or_else(std::env::temp_dir)
            .join("coldframe")
    })
}

fn digest(source: &Path) -> String {
    let mut files: Vec<PathBuf> = std::fs::read_dir(source)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|file| file.is_file())
        .collect();
    files.sort();
    let mut hash = Sha256::new();
    for file in files {
        hash.update(file.file_name().unwrap().as_encoded_bytes());
        hash.update(std::fs::read(&file).unwrap());
    }
    hash.finalize()
        .iter()
        .take(8)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// The documents of a YAML text.
pub fn documents(text: &str) -> Vec<serde_json::Value> {
    coldframe::yaml::read(text)
        .into_iter()
        .map(|node| node.unwrap().to_value())
        .collect()
}
