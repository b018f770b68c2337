//! The whole stage, from files to a world.

mod canary;
mod catalog;
mod coldframe;
mod corpus;
mod files;
mod greenhouse;
mod hostile;

use super::*;

/// Loads one text as the file `f.yaml` of the organization `acme`.
fn text(yaml: &str) -> Loaded {
    let options = LoadOptions {
        organization: Some("acme".into()),
        ..LoadOptions::default()
    };
    load_text("f.yaml", yaml.to_owned(), &options)
}

/// Severity, code, line, column and message of everything that is wrong.
fn problems(loaded: &Loaded) -> Vec<String> {
    loaded
        .diagnostics
        .iter()
        .map(|diagnostic| {
            let place = diagnostic
                .location
                .as_ref()
                .map_or_else(String::new, |at| format!("{}:{}", at.line, at.column));
            format!(
                "{} {:?} {place} {}",
                diagnostic.severity.as_str(),
                diagnostic.code,
                diagnostic.message
            )
        })
        .collect()
}

/// The hints of everything that is wrong.
fn hints(loaded: &Loaded) -> Vec<&str> {
    let diagnostics = loaded.diagnostics.iter();
    diagnostics
        .filter_map(|each| each.hint.as_deref())
        .collect()
}

/// Asserts that nothing is wrong, and gives the world.
fn fine(yaml: &str) -> World {
    let loaded = text(yaml);
    assert_eq!(problems(&loaded), Vec::<String>::new(), "{yaml}");
    loaded.world
}

/// Asserts that exactly one thing is wrong.
fn wrong(yaml: &str, expected: &str) -> Loaded {
    let loaded = text(yaml);
    assert_eq!(problems(&loaded), [expected], "{yaml}");
    loaded
}
