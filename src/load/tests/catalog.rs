//! Catalogs and their overrides.

use rstest::rstest;

use super::greenhouse::{CHART, definition};
use super::{hints, problems, text, wrong};
use crate::yaml::Value;

const CATALOG: &str = "\
apiVersion: greenhouse.sap/v1alpha1
kind: Catalog
metadata: {name: cat}
spec:
  sources:
  - repository: https://git.example.com/x
    resources: [a.yaml]
    interval: 1h30m
    ref: {tag: v1}
    overrides:
    - name: d
      alias: d2
      repository: oci://mirror.example.com/x
      optionsOverride: [{name: o, value: 7}]
";

const OPTION: &str = "  options: [{name: o, type: int, required: false, default: 1}]\n";

#[test]
fn a_catalog_changes_the_definitions_it_names() {
    let yaml = format!("{CATALOG}---\n{}{OPTION}", definition(CHART));
    let loaded = text(&yaml);
    assert_eq!(
        problems(&loaded),
        ["note SourceNotFetched 6:5 `https://git.example.com/x` is not fetched yet"]
    );
    let definition = &loaded.world.definitions[0];
    assert_eq!(definition.meta.name, "d2");
    assert_eq!(
        definition.helm_chart.as_ref().unwrap().repository,
        "oci://mirror.example.com/x"
    );
    assert_eq!(
        definition.option("o").unwrap().default,
        Some(Value::from(7))
    );
}

#[test]
fn an_override_of_an_option_that_is_not_there_is_an_error() {
    let yaml = format!(
        "{}---\n{}{OPTION}",
        CATALOG.replace("name: o,", "name: oo,"),
        definition(CHART)
    );
    let loaded = text(&yaml);
    assert_eq!(
        problems(&loaded)[1],
        "error UnknownOverride 11:7 `d` has no option `oo`"
    );
    assert_eq!(hints(&loaded)[1], "did you mean `o`?");
    let yaml = format!(
        "{}---\n{}{OPTION}",
        CATALOG.replace("value: 7", "value: x"),
        definition(CHART)
    );
    assert_eq!(
        problems(&text(&yaml))[1],
        "error DefaultType 11:7 the new default of `o` of `d` does not fit its type `int`"
    );
}

#[test]
fn an_override_of_a_definition_that_is_not_there_is_a_warning() {
    let world = text(CATALOG).world;
    let source = &world.catalogs[&("acme".into(), "cat".into())].sources[0];
    let diagnostics = crate::load::apply_overrides([], source);
    let messages: Vec<_> = diagnostics
        .iter()
        .map(|each| each.message.as_str())
        .collect();
    assert_eq!(
        messages,
        ["no definition that was read is called `d`: the override does nothing"]
    );
}

#[rstest]
#[case(
    "https://git",
    "git://git",
    "error InvalidValue 6:17 `spec.sources[0].repository` is `git://git.example.com/x`"
)]
#[case(
    "1h30m",
    "1d",
    "error InvalidValue 8:15 `spec.sources[0].interval` is `1d`"
)]
#[case(
    "    resources: [a.yaml]\n",
    "",
    "error MissingField 6:5 `spec.sources[0].resources` is missing"
)]
#[case(
    "  - repository",
    "  - {repository: 'https://git.example.com/x', ref: {tag: v1}, resources: []}\n  - repository",
    "error InvalidValue 7:5 `spec.sources[1]` has the same repository and ref as an earlier source"
)]
fn a_catalog_is_checked(#[case] from: &str, #[case] to: &str, #[case] expected: &str) {
    wrong(&CATALOG.replacen(from, to, 1), expected);
}
