//! A render that is killed at any moment leaves the tree before or the tree after, and the next one
//! leaves no litter.

use std::collections::BTreeMap;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use sha2::{Digest, Sha256};

const ROUNDS: u64 = 150;

fn organization(folder: &Path, word: &str) {
    let clusters: String = (0..40)
        .map(|index| {
            format!("---\napiVersion: greenhouse.sap/v1alpha1\nkind: Cluster\nmetadata: {{name: c-{index}, labels: {{all: x}}}}\nspec: {{accessMode: direct}}\n")
        })
        .collect();
    let plugin = format!(
        "---\napiVersion: greenhouse.sap/v1alpha1\nkind: PluginDefinition\nmetadata: {{name: app}}\nspec:\n  version: 1.0.0\n  helmChart: {{name: app, repository: \"oci://charts.example.com\", version: 1.0.0}}\n\
         ---\napiVersion: greenhouse.sap/v1alpha1\nkind: PluginPreset\nmetadata: {{name: {word}}}\nspec:\n  clusterSelector: {{matchLabels: {{all: x}}}}\n  plugin:\n    pluginDefinitionRef: {{name: app}}\n    optionValues: [{{name: word, value: {word}}}]\n"
    );
    std::fs::create_dir_all(folder).unwrap();
    std::fs::write(folder.join("all.yaml"), clusters + &plugin).unwrap();
}

fn render(root: &Path, organization: &str) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_coldframe"));
    command.current_dir(root).args([
        "render",
        organization,
        "--output",
        "out",
        "--allow-deletions",
        "1000",
        "-q",
    ]);
    command.env("XDG_CACHE_HOME", root.join("cache"));
    command.stderr(Stdio::null()).spawn().unwrap()
}

fn tree(root: &Path) -> BTreeMap<String, Vec<u8>> {
    let files = walkdir::WalkDir::new(root.join("out"))
        .into_iter()
        .map(Result::unwrap);
    files
        .filter(|entry| entry.file_type().is_file())
        .map(|entry| {
            (
                entry.path().display().to_string(),
                std::fs::read(entry.path()).unwrap(),
            )
        })
        .collect()
}

fn beside(root: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(root)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_killed_render_leaves_the_old_tree_or_the_new_one() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    organization(&root.join("a"), "alpha");
    organization(&root.join("b"), "beta");
    let mut trees = Vec::new();
    for name in ["a", "b"] {
        assert!(render(root, name).wait().unwrap().success());
        trees.push(tree(root));
    }
    assert_ne!(trees[0], trees[1]);

    let (mut killed, mut finished) = (0, 0);
    for round in 0..ROUNDS {
        let name = ["a", "b"][usize::try_from(round % 2).unwrap()];
        let mut child = render(root, name);
        // Spread over the whole life of a render, which differs from machine to machine.
        let seed = Sha256::digest(round.to_be_bytes());
        std::thread::sleep(Duration::from_micros(u64::from(u16::from_be_bytes([
            seed[0], seed[1],
        ]))));
        child.kill().unwrap();
        match child.wait().unwrap() {
            status if status.success() => finished += 1,
            // Nothing but the signal may end it early.
            status => {
                assert_eq!(status.signal(), Some(9), "round {round}");
                killed += 1;
            }
        }
        let found = tree(root);
        assert!(
            trees.contains(&found),
            "round {round}: {:?}",
            found.keys().take(5).collect::<Vec<_>>()
        );
    }
    println!("{killed} killed, {finished} finished");
    assert!(render(root, "a").wait().unwrap().success());
    assert_eq!(tree(root), trees[0]);
    assert_eq!(beside(root), ["a", "b", "cache", "out"]);
}
