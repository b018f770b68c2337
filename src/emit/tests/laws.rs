//! Laws of emitting: whatever lies in the output, the result is that of a simple map.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use proptest::prelude::*;
use tempfile::TempDir;
use walkdir::WalkDir;

use super::identity;
use crate::emit::{HEADER, TreeWriter, WriteOptions};

#[derive(Clone, Debug, PartialEq, Eq)]
enum Thing {
    Ours(u8),
    Foreign(u8),
    Link,
    EmptyFolder,
}

type Tree = BTreeMap<String, Thing>;

fn text(content: u8) -> String {
    // Of different lengths, one the beginning of the next.
    "line\n".repeat(usize::from(content))
}

fn paths() -> impl Strategy<Value = String> {
    let name = prop::sample::select(vec!["a", "b", "a-b", "releases"]);
    prop::collection::vec(name, 1..4).prop_map(|names| names.join("/"))
}

fn things() -> impl Strategy<Value = Thing> {
    prop_oneof![
        6 => (0..3u8).prop_map(Thing::Ours),
        1 => (1..3u8).prop_map(Thing::Foreign),
        1 => Just(Thing::Link),
        1 => Just(Thing::EmptyFolder),
    ]
}

/// Whether one of the paths would have to be a folder besides.
fn clashes<'a>(paths: impl IntoIterator<Item = &'a String>) -> bool {
    let paths: BTreeSet<&str> = paths.into_iter().map(String::as_str).collect();
    paths.iter().any(|path| {
        path.match_indices('/')
            .any(|(at, _)| paths.contains(&path[..at]))
    })
}

fn trees() -> impl Strategy<Value = Tree> {
    prop::collection::vec((paths(), things()), 0..12).prop_map(|entries| {
        let mut tree = Tree::new();
        for (path, thing) in entries {
            if !clashes(tree.keys().chain([&path])) {
                tree.insert(path, thing);
            }
        }
        tree
    })
}

fn new_trees() -> impl Strategy<Value = BTreeMap<String, u8>> {
    prop::collection::btree_map(paths(), 0..3u8, 0..10)
}

fn create(root: &Path, tree: &Tree) {
    for (path, thing) in tree {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        match thing {
            Thing::Ours(content) => fs::write(path, HEADER.to_owned() + &text(*content)).unwrap(),
            Thing::Foreign(content) => fs::write(path, text(*content)).unwrap(),
            Thing::Link => symlink("a", path).unwrap(),
            Thing::EmptyFolder => fs::create_dir(path).unwrap(),
        }
    }
}

fn read(root: &Path) -> Tree {
    let mut tree = Tree::new();
    for entry in WalkDir::new(root).min_depth(1) {
        let entry = entry.unwrap();
        let path = entry.path().strip_prefix(root).unwrap().to_str().unwrap();
        let thing = if entry.file_type().is_symlink() {
            Thing::Link
        } else if entry.file_type().is_dir() {
            if fs::read_dir(entry.path()).unwrap().next().is_some() {
                continue;
            }
            Thing::EmptyFolder
        } else {
            let content = fs::read_to_string(entry.path()).unwrap();
            let lines = |text: &str| u8::try_from(text.lines().count()).unwrap();
            match content.strip_prefix(HEADER) {
                Some(content) => Thing::Ours(lines(content)),
                None => Thing::Foreign(lines(&content)),
            }
        };
        tree.insert(path.to_owned(), thing);
    }
    tree
}

/// What a render should leave; none where it should refuse.
fn expected(
    old: &Tree,
    new: &BTreeMap<String, u8>,
    kept: &BTreeSet<String>,
    remove: bool,
) -> Option<Tree> {
    let mut tree: Tree = old
        .iter()
        .filter(|(path, thing)| !matches!(thing, Thing::Ours(_)) || !remove || kept.contains(*path))
        .map(|(path, thing)| (path.clone(), thing.clone()))
        .collect();
    for (path, content) in new {
        if matches!(old.get(path), Some(thing) if !matches!(thing, Thing::Ours(_))) {
            return None;
        }
        tree.insert(path.clone(), Thing::Ours(*content));
    }
    (!clashes(tree.keys())).then_some(tree)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn a_render_leaves_what_the_map_says(
        old in trees(),
        new in new_trees(),
        kept in prop::collection::btree_set(paths(), 0..4),
        remove in any::<bool>(),
    ) {
        let root = TempDir::new().unwrap();
        let output = root.path().join("output");
        fs::create_dir(&output).unwrap();
        create(&output, &old);
        let before: BTreeMap<_, _> =
            old.keys().map(|path| (path.clone(), identity(&output.join(path)))).collect();

        let options = WriteOptions { remove, ..WriteOptions::default() };
        let writer = TreeWriter::open(&output, options).unwrap();
        let result = new
            .iter()
            .try_for_each(|(path, content)| writer.put(path, &text(*content)))
            .and_then(|()| {
                for path in &kept {
                    let is_ours = matches!(old.get(path), Some(Thing::Ours(_)));
                    assert_eq!(writer.keep(path).unwrap(), is_ours);
                }
                writer.commit()
            });

        let after = read(&output);
        if let Some(tree) = expected(&old, &new, &kept, remove) {
            let outcome = result.unwrap();
            prop_assert_eq!(&after, &tree);
            let ours = |tree: &Tree| {
                tree.values().filter(|thing| matches!(thing, Thing::Ours(_))).count()
            };
            prop_assert_eq!(outcome.written + outcome.unchanged, ours(&tree));
            let gone: Vec<_> =
                old.keys().filter(|path| !tree.contains_key(*path)).cloned().collect();
            prop_assert_eq!(outcome.removed, gone);
        } else {
            prop_assert!(result.is_err());
            prop_assert_eq!(&after, &old);
        }
        for (path, thing) in &after {
            // A folder is made anew; what is in it is not.
            if old.get(path) == Some(thing) && *thing != Thing::EmptyFolder {
                prop_assert_eq!(identity(&output.join(path)), before[path]);
            }
        }
        prop_assert_eq!(fs::read_dir(root.path()).unwrap().count(), 1, "litter");
    }
}
