//! Presets that get in each other's way are reported before anything is applied.

use coldframe::diagnostic::{Code, Diagnostics};
use coldframe::load::{LoadOptions, load_text};
use coldframe::render::{Engine, Renderer, resolve};

use crate::support::settings;

/// Codes and messages for presets, each given as its name and the rest of its spec in YAML flow.
fn reported(presets: &[(&str, &str)]) -> Vec<(Code, String)> {
    let mut text = String::new();
    for cluster in ["eu-1", "\"1\""] {
        text.push_str(&format!(
            "---\napiVersion: greenhouse.sap/v1alpha1\nkind: Cluster\nmetadata: {{name: {cluster}, labels: {{all: x}}}}\nspec: {{accessMode: direct}}\n"
        ));
    }
    text.push_str(
        "---\napiVersion: greenhouse.sap/v1alpha1\nkind: PluginDefinition\nmetadata: {name: app}\n\
         spec: {version: 1.0.0, helmChart: {name: chart, repository: \"oci://charts.example.com\", version: 1.0.0}}\n",
    );
    for (name, spec) in presets {
        text.push_str(&format!(
            "---\napiVersion: greenhouse.sap/v1alpha1\nkind: PluginPreset\nmetadata: {{name: {name}}}\nspec:\n  clusterSelector: {{matchLabels: {{all: x}}}}\n{spec}"
        ));
    }
    let loaded = load_text("in.yaml", text, &LoadOptions::default());
    assert!(!loaded.diagnostics.has_errors(), "{:?}", loaded.diagnostics);
    let settings = settings(&loaded);
    let engine = Engine::new(&[]).unwrap();
    let mut diagnostics = Diagnostics::new();
    let resolved = resolve(&loaded.world, &mut diagnostics);
    Renderer::new(
        &loaded.world,
        &settings,
        &engine,
        &resolved,
        &mut diagnostics,
    );
    diagnostics.sort();
    diagnostics
        .iter()
        .map(|one| (one.code, one.message.clone()))
        .collect()
}

fn plugin(release: &str) -> String {
    format!("  plugin: {{pluginDefinitionRef: {{name: app}}, releaseName: {release}}}\n")
}

fn waiting(release: &str, preset: &str) -> String {
    format!(
        "{}  waitFor: [{{pluginRef: {{pluginPreset: {preset}}}}}]\n",
        plugin(release)
    )
}

#[test]
fn presets_that_wait_for_each_other_are_a_circle() {
    let (a, b, c) = (waiting("a", "b"), waiting("b", "c"), waiting("c", "a"));
    let found = reported(&[("a", &a), ("b", &b), ("c", &c), ("d", &waiting("d", "a"))]);
    assert_eq!(
        found,
        [(
            Code::DependencyCycle,
            "presets wait for each other: a → b → c → a".to_owned()
        )]
    );
}

#[test]
fn a_preset_that_waits_for_itself_is_a_circle() {
    let found = reported(&[("a", &waiting("a", "a"))]);
    assert_eq!(
        found,
        [(
            Code::DependencyCycle,
            "presets wait for each other: a → a".to_owned()
        )]
    );
}

#[test]
fn waiting_for_what_is_not_there_is_reported_for_each_cluster() {
    let found = reported(&[("a", &waiting("a", "absent"))]);
    let message = "waits for preset `absent`, which has no release on that cluster".to_owned();
    assert_eq!(
        found,
        [
            (Code::DependencyMissing, message.clone()),
            (Code::DependencyMissing, message)
        ]
    );
}

#[test]
fn a_chain_is_no_circle() {
    assert_eq!(
        reported(&[
            ("a", &plugin("a")),
            ("b", &waiting("b", "a")),
            ("c", &waiting("c", "b"))
        ]),
        []
    );
}

#[test]
fn two_presets_with_one_helm_release_are_reported() {
    let found = reported(&[("a", &plugin("same")), ("b", &plugin("same"))]);
    let message =
        "its Helm release `same` in namespace `default` is also that of PluginPreset default/a"
            .to_owned();
    assert_eq!(
        found,
        [
            (Code::HelmReleaseShared, message.clone()),
            (Code::HelmReleaseShared, message)
        ]
    );
}

#[test]
fn two_presets_with_one_release_name_are_an_error() {
    let found = reported(&[("a", &plugin("one")), ("a-eu", &plugin("other"))]);
    let message = "the release `a-eu-1` would be made by PluginPreset default/a (in.yaml:17:1) and by PluginPreset default/a-eu (in.yaml:24:1)";
    assert_eq!(found, [(Code::NameConflict, message.to_owned())]);
}
