//! The README's picture of the rendered tree is what is rendered.

use std::path::Path;
use std::process::Command;

#[test]
fn every_path_and_line_of_the_picture_is_rendered() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let status = Command::new(env!("CARGO_BIN_EXE_coldframe"))
        .current_dir(root)
        .args(["render", "fixtures/acme", "-q", "--output"])
        .arg(folder.path().join("rendered"))
        .env("XDG_CACHE_HOME", folder.path().join("cache"))
        .status()
        .unwrap();
    assert!(status.success());

    let mut folders: Vec<&str> = Vec::new();
    let mut paths = 0;
    for line in block(&readme, "text").lines() {
        let name = line
            .trim_start_matches(['├', '└', '│', '─', ' '])
            .split(' ')
            .next()
            .unwrap();
        // Each level of the picture is four characters wide.
        let depth = (line.chars().count()
            - line
                .trim_start_matches(['├', '└', '│', '─', ' '])
                .chars()
                .count())
            / 4;
        folders.truncate(depth);
        if name == "…" {
            continue;
        }
        folders.push(name);
        let path = folder.path().join(folders.join("/"));
        assert!(path.exists(), "{} is not rendered", path.display());
        paths += 1;
    }
    assert!(paths > 15);

    let release = folder
        .path()
        .join("rendered/releases/kube-monitoring/gold/eu-gold-1.yaml");
    let release = std::fs::read_to_string(release).unwrap();
    for line in block(&readme, "yaml").lines() {
        let line = line.split(" #").next().unwrap().trim_end();
        assert!(
            release.lines().any(|rendered| rendered == line),
            "{line:?} is not in the release"
        );
    }
}

/// The first code block of that language.
fn block<'a>(text: &'a str, language: &str) -> &'a str {
    let (_, rest) = text.split_once(&format!("```{language}\n")).unwrap();
    rest.split_once("```").unwrap().0
}
