//! Input that nobody wrote on purpose, or somebody did.

use proptest::prelude::*;

use super::{LoadOptions, load, load_text};
use crate::diagnostic::{github, json};
use crate::yaml::Value;

const SAMPLES: [&str; 3] = [
    "apiVersion: greenhouse.sap/v1alpha1
kind: PluginPreset
metadata: {name: p, labels: {a: b}, annotations: {coldframe.dev/version: ^1.2, coldframe.dev/canary: '{targetRef: {name: x}}'}}
spec:
  clusterSelector: {matchExpressions: [{key: a, operator: In, values: [b]}]}
  waitFor: [{pluginRef: {name: a}}]
  plugin:
    pluginDefinitionRef: {name: d, kind: PluginDefinition}
    optionValues: [{name: a, value: 1}, {name: b, valueFrom: {secret: {name: s, key: k}}}]
  clusterOptionOverrides: [{clusterName: c, overrides: [{name: a, value: {x: y}}]}]
",
    "apiVersion: greenhouse.sap/v1alpha1
kind: PluginDefinition
metadata: {name: d}
spec:
  version: 1.0.0
  helmChart: {name: c, repository: oci://r.example.com/x, version: 1.0.0}
  options: [{name: o, type: int, required: false, default: 1}]
  canary: {targetRef: {name: x}, service: {port: 80}, analysis: {interval: 1m, threshold: 1, iterations: 2}}
",
    "apiVersion: coldframe.dev/v1alpha1
kind: RolloutPolicy
metadata: {name: d}
spec:
  tiers:
  - name: a
    clusterSelector: {}
    soak: 1d
    windows: [{schedule: '0 8 * * *', duration: 6h}]
  calendars: [{name: c, dates: [2026-12-24/2027-01-02]}]
",
];

const CLUSTER: &str = "apiVersion: greenhouse.sap/v1alpha1
kind: Cluster
metadata:
  name: cINDEX
  labels: {tier: qa, cluster-type: compute, metadata.greenhouse.sap/region: eu-INDEX}
spec: {accessMode: direct}
---
";

/// Reads a text, and asserts what holds for every text.
fn survives(text: &str) {
    let loaded = load_text("f.yaml", text.to_owned(), &LoadOptions::default());
    let lines = text.lines().count() + 1;
    for diagnostic in loaded.diagnostics.iter() {
        let at = diagnostic.location.as_ref().unwrap();
        assert!(
            (1..=lines).contains(&(at.line as usize)) && at.column > 0,
            "{diagnostic:?}"
        );
        assert!(!diagnostic.message.is_empty());
    }
    let count = loaded.diagnostics.iter().count();
    assert_eq!(
        json(loaded.diagnostics.iter()).as_array().map(Vec::len),
        Some(count)
    );
    assert_eq!(github(loaded.diagnostics.iter()).lines().count(), count);
    #[cfg(feature = "cli")]
    drop(crate::diagnostic::report(
        loaded.diagnostics.iter(),
        &loaded.files,
        true,
    ));
}

/// Any value, of any shape.
fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-z]{0,6}", inner, 0..4)
                .prop_map(|map| map.into_iter().collect()),
        ]
    })
}

/// Puts `new` where the `at`-th value of a tree stands, counting depth first.
fn replace(tree: &mut Value, at: &mut usize, new: &Value) {
    if *at == 0 {
        *tree = new.clone();
    }
    *at = at.wrapping_sub(1);
    match tree {
        Value::Array(items) => items.iter_mut().for_each(|item| replace(item, at, new)),
        Value::Object(map) => map.values_mut().for_each(|item| replace(item, at, new)),
        _ => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_text_is_survived(text in "(kind: (Plugin|Fleet|Cluster)\n)?\\PC{0,200}") {
        survives(&text);
    }

    #[test]
    fn a_document_that_is_cut_off_is_survived(sample in 0..3_usize, length in 0..900_usize) {
        let text: String = SAMPLES[sample].chars().take(length).collect();
        survives(&text);
    }

    #[test]
    fn letters_that_change_are_survived(
        sample in 0..3_usize,
        position in 0..900_usize,
        letter in any::<char>(),
    ) {
        let mut letters: Vec<_> = SAMPLES[sample].chars().collect();
        let position = position % letters.len();
        letters[position] = letter;
        survives(&letters.into_iter().collect::<String>());
    }

    /// Nothing is silently ignored: an object is in the world, or there is an error.
    #[test]
    fn every_value_is_read_or_refused(
        sample in 0..3_usize,
        at in 3..80_usize,
        value in any_value(),
    ) {
        let mut tree = crate::yaml::parse(SAMPLES[sample]).unwrap().to_value();
        let mut at = at;
        replace(&mut tree, &mut at, &value);
        tree["apiVersion"] = SAMPLES[sample].split(['\n', ' ']).nth(1).into();
        tree["kind"] = SAMPLES[sample].split(['\n', ' ']).nth(3).into();
        let text = serde_json::to_string(&tree).unwrap();
        survives(&text);
        let loaded = load_text("f.yaml", text, &LoadOptions::default());
        let world = &loaded.world;
        let read = world.presets.len() + world.definitions.len() + world.policies.len();
        prop_assert_eq!(read == 1, !loaded.diagnostics.has_errors(), "{:?}", loaded.diagnostics);
    }
}

#[test]
fn random_bytes_in_files_are_survived() {
    let folder = tempfile::tempdir().unwrap();
    let mut state = 1_u64;
    for index in 0..200 {
        let bytes: Vec<u8> = (0..300)
            .map(|_| {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                state.to_be_bytes()[0]
            })
            .collect();
        // Tests write what they read.
        #[allow(clippy::disallowed_methods)]
        std::fs::write(folder.path().join(format!("{index}.yaml")), bytes).unwrap();
    }
    let loaded = load(&[folder.path().to_path_buf()], &LoadOptions::default());
    assert!(!loaded.diagnostics.has_errors());
}

#[test]
fn a_large_fleet_is_read_whole() {
    let mut text = String::new();
    for index in 0..1000 {
        text.push_str(&CLUSTER.replace("INDEX", &index.to_string()));
    }
    for index in 0..50 {
        text.push_str(
            &SAMPLES[0]
                .replace("name: p,", &format!("name: p{index},"))
                .replace(", coldframe.dev/canary: '{targetRef: {name: x}}'", ""),
        );
        text.push_str("---\n");
        text.push_str(&SAMPLES[1].replace("name: d}", &format!("name: d{index}}}")));
        text.push_str("---\n");
    }
    let loaded = load_text("f.yaml", text, &LoadOptions::default());
    assert!(!loaded.diagnostics.has_errors());
    assert_eq!(loaded.world.clusters.len(), 1000);
}
