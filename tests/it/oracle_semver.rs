//! Constraints against a table of what Masterminds/semver 3.5.0 answers: constraint and version as
//! JSON strings, then `match`, `no`, `req-error` or `ver-error`.

use std::path::PathBuf;

use coldframe::semver::{Constraint, Version};

#[test]
fn every_constraint_admits_what_masterminds_admits() {
    let Some(table) = table() else {
        println!("SKIPPED: there is no table of constraints (set COLDFRAME_SHARED)");
        return;
    };
    let mut differing = Vec::new();
    for line in table.lines().skip(1) {
        let mut columns = line.split('\t');
        let mut text = || -> String { serde_json::from_str(columns.next().unwrap()).unwrap() };
        let (constraint, version) = (text(), text());
        let expected = columns.next().unwrap();
        let answer = answer(&constraint, &version);
        if answer != expected {
            differing.push(format!(
                "{constraint:?} {version:?}: {answer}, not {expected}"
            ));
        }
    }
    assert!(
        differing.is_empty(),
        "{} differ:\n{}",
        differing.len(),
        differing[..differing.len().min(50)].join("\n")
    );
}

fn answer(constraint: &str, version: &str) -> &'static str {
    match (Constraint::parse(constraint), Version::parse(version)) {
        (Err(_), _) => "req-error",
        (_, Err(_)) => "ver-error",
        (Ok(constraint), Ok(version)) if constraint.matches(&version) => "match",
        _ => "no",
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the table lies outside of the package"
)]
fn table() -> Option<String> {
    let shared = std::env::var("COLDFRAME_SHARED").map_or_else(
        |_| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared"),
        PathBuf::from,
    );
    std::fs::read_to_string(shared.join("oracles/semver.tsv")).ok()
}
