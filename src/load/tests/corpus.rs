//! Other people's manifests, and what the real Greenhouse said about them.

use std::path::{Path, PathBuf};

use super::{LoadOptions, Loaded, load, problems};
use crate::diagnostic::{Code, Severity};
use crate::yaml::Value;

/// The corpus, if it is there.
// Tests find it by a variable of the environment.
#[allow(clippy::disallowed_methods)]
fn corpus() -> Option<PathBuf> {
    let shared = std::env::var("COLDFRAME_SHARED").map_or_else(
        |_| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"),
        PathBuf::from,
    );
    let corpus = shared.join("corpus");
    if corpus.is_dir() {
        return Some(corpus);
    }
    println!("SKIPPED: there is no corpus; set COLDFRAME_SHARED to the folder that has it");
    None
}

fn load_all(corpus: &Path, names: &[&str]) -> Loaded {
    let sources: Vec<_> = names.iter().map(|name| corpus.join(name)).collect();
    load(&sources, &LoadOptions::default())
}

/// The objects that Greenhouse refused, by `KIND NAME`, or `PARSE FILE`, or `STRICT KIND`.
#[allow(clippy::disallowed_methods)]
fn refused(corpus: &Path, golden: &str) -> Vec<(String, String, String)> {
    let text = std::fs::read_to_string(corpus.join("expected").join(golden)).unwrap();
    let golden: Value = serde_json::from_str(&text).unwrap();
    let lines = golden["errors"].as_array().unwrap().iter();
    lines
        .filter_map(|line| {
            let mut words = line.as_str()?.split([' ', ':']);
            let what = words.next()?.to_owned();
            let first = words.next()?.to_owned();
            let second = words.next()?.to_owned();
            matches!(what.as_str(), "ADMISSION" | "PARSE" | "STRICT")
                .then_some((what, first, second))
        })
        .collect()
}

fn has_error_about(loaded: &Loaded, kind: &str, name: &str) -> bool {
    loaded.diagnostics.iter().any(|diagnostic| {
        diagnostic.severity == Severity::Error
            && diagnostic
                .object
                .as_ref()
                .is_some_and(|object| object.kind == kind && object.name == name)
    })
}

#[test]
fn what_greenhouse_refuses_is_an_error_and_what_it_prunes_a_warning() {
    let Some(corpus) = corpus() else { return };
    let sources = ["fleet", "greenhouse-extensions"];
    let loaded = load_all(&corpus, &sources);
    let mut admission = std::collections::BTreeSet::new();
    for golden in ["edge.json", "sapcc-ccloud.json"] {
        for (what, first, second) in refused(&corpus, golden) {
            match what.as_str() {
                "ADMISSION" => {
                    assert!(
                        has_error_about(&loaded, &first, &second),
                        "{first} {second}"
                    );
                    admission.insert((first, second));
                }
                "PARSE" => {
                    let line = loaded.diagnostics.iter().find(|diagnostic| {
                        diagnostic.code == Code::InvalidYaml
                            && diagnostic
                                .location
                                .as_ref()
                                .is_some_and(|at| at.file.ends_with(&first))
                    });
                    assert_eq!(line.unwrap().location.as_ref().unwrap().line, 37);
                }
                _ => assert!(loaded.diagnostics.iter().any(|diagnostic| {
                    diagnostic.severity == Severity::Warning
                        && diagnostic.code == Code::PrunedField
                        && diagnostic
                            .location
                            .as_ref()
                            .is_some_and(|at| at.file.ends_with(&second))
                })),
            }
        }
    }
    // And nothing else is an error.
    for diagnostic in loaded
        .diagnostics
        .iter()
        .filter(|each| each.severity == Severity::Error)
    {
        let known = diagnostic
            .object
            .as_ref()
            .is_none_or(|object| admission.contains(&(object.kind.clone(), object.name.clone())));
        assert!(known, "{diagnostic:?}");
    }
    assert_eq!(loaded.organization, "ccloud");
    assert_eq!(loaded.world.clusters_seen, 7);
    assert_eq!(loaded.world.clusters.len(), 5);
    assert_eq!(loaded.world.definitions.len(), 46);
}

#[test]
fn manifests_of_others_are_left_alone() {
    let Some(corpus) = corpus() else { return };
    let loaded = load_all(&corpus, &["greenhouse", "rendered"]);
    let wrong: Vec<_> = problems(&loaded)
        .into_iter()
        .filter(|problem| problem.starts_with("error") && !problem.contains("DuplicateObject"))
        .collect();
    assert_eq!(wrong, Vec::<String>::new());
}
