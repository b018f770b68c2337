//! Which revision a preset may run, which policy governs it, and which tier each cluster is in.

use std::collections::BTreeMap;

use coldframe::diagnostic::{Code, Diagnostics};
use coldframe::load::{LoadOptions, load_text};
use coldframe::render::{Engine, Renderer, resolve};

use crate::support::settings;

const BASE: &str = "
apiVersion: greenhouse.sap/v1alpha1
kind: Cluster
metadata: {name: qa-1, labels: {tier: qa}}
spec: {accessMode: direct}
---
apiVersion: greenhouse.sap/v1alpha1
kind: Cluster
metadata: {name: gold-1, labels: {tier: gold}}
spec: {accessMode: direct}
---
apiVersion: greenhouse.sap/v1alpha1
kind: Cluster
metadata: {name: other-1, labels: {tier: other}}
spec: {accessMode: direct}
---
apiVersion: greenhouse.sap/v1alpha1
kind: PluginDefinition
metadata: {name: app}
spec: {version: v1.4.2, helmChart: {name: app, repository: 'oci://charts.example.com', version: 1.0.0}}
---
apiVersion: greenhouse.sap/v1alpha1
kind: PluginPreset
metadata: {name: app, labels: {team: a}, annotations: {ANNOTATIONS}}
spec:
  clusterSelector: {matchExpressions: [{key: tier, operator: Exists}]}
  plugin: {pluginDefinitionRef: {name: app}}
";

/// The tier of each cluster, and the codes that are reported.
fn tiers(annotations: &str, policies: &[&str]) -> (BTreeMap<String, String>, Vec<Code>) {
    let mut text = BASE.replace("ANNOTATIONS", annotations);
    for policy in policies {
        text.push_str("---\napiVersion: coldframe.dev/v1alpha1\nkind: RolloutPolicy\n");
        text.push_str(policy);
    }
    let loaded = load_text("in.yaml", text, &LoadOptions::default());
    let settings = settings(&loaded);
    let engine = Engine::new(&[]).unwrap();
    let mut diagnostics: Diagnostics = loaded.diagnostics.clone();
    let resolved = resolve(&loaded.world, &mut diagnostics);
    let renderer = Renderer::new(
        &loaded.world,
        &settings,
        &engine,
        &resolved,
        &mut diagnostics,
    );
    let tiers = renderer.jobs().iter().map(|job| {
        let (_, tier) = renderer.subject(job);
        (job.cluster.unwrap().meta.name.clone(), tier.to_owned())
    });
    (
        tiers.collect(),
        diagnostics.iter().map(|one| one.code).collect(),
    )
}

fn in_tiers(tiers: &[(&str, &str)]) -> BTreeMap<String, String> {
    tiers
        .iter()
        .map(|(cluster, tier)| ((*cluster).to_owned(), (*tier).to_owned()))
        .collect()
}

const QA_GOLD: &str = "metadata: {name: default}\nspec:\n  presetSelector: {}\n  tiers:\n  \
    - {name: first, clusterSelector: {matchLabels: {tier: qa}}}\n  \
    - {name: last, clusterSelector: {matchLabels: {tier: gold}}}\n";

#[test]
fn without_a_policy_all_clusters_are_in_one_tier() {
    let all = in_tiers(&[
        ("gold-1", "default"),
        ("other-1", "default"),
        ("qa-1", "default"),
    ]);
    assert_eq!(tiers("", &[]), (all, vec![]));
}

#[test]
fn a_cluster_in_no_tier_is_in_the_last_one_with_a_warning() {
    let all = in_tiers(&[("gold-1", "last"), ("other-1", "last"), ("qa-1", "first")]);
    assert_eq!(tiers("", &[QA_GOLD]), (all, vec![Code::TierUnmatched]));
}

#[test]
fn a_policy_may_ignore_or_refuse_clusters_in_no_tier() {
    let two = in_tiers(&[("gold-1", "last"), ("qa-1", "first")]);
    let ignoring = format!("{QA_GOLD}  unmatched: Ignore\n");
    assert_eq!(tiers("", &[&ignoring]), (two.clone(), vec![]));
    let refusing = format!("{QA_GOLD}  unmatched: Error\n");
    assert_eq!(tiers("", &[&refusing]), (two, vec![Code::TierUnmatched]));
}

#[test]
fn a_cluster_in_two_tiers_is_an_error() {
    let overlapping = QA_GOLD.replace(
        "{matchLabels: {tier: gold}}",
        "{matchExpressions: [{key: tier, operator: Exists}]}",
    );
    let (found, codes) = tiers("", &[&overlapping]);
    assert_eq!(found["qa-1"], "first");
    assert_eq!(codes, [Code::TierOverlap]);
}

#[test]
fn the_policy_with_the_most_requirements_governs() {
    let specific = "metadata: {name: specific}\nspec:\n  presetSelector: {matchLabels: {team: a}}\n  tiers: [{name: only, clusterSelector: {matchExpressions: [{key: tier, operator: Exists}]}}]\n";
    let all = in_tiers(&[("gold-1", "only"), ("other-1", "only"), ("qa-1", "only")]);
    assert_eq!(tiers("", &[QA_GOLD, specific]), (all, vec![]));
    let same = specific.replace("name: specific", "name: same");
    assert_eq!(
        tiers("", &[QA_GOLD, specific, &same]),
        (in_tiers(&[]), vec![Code::PolicyConflict])
    );
    let (found, _) = tiers("coldframe.dev/policy: default", &[QA_GOLD, specific, &same]);
    assert_eq!(found["qa-1"], "first", "a policy that is named wins");
    assert_eq!(
        tiers("coldframe.dev/policy: absent", &[QA_GOLD]).1,
        [Code::PolicyConflict]
    );
}

#[test]
fn a_version_setting_must_admit_the_revision() {
    for admitted in [
        "~1.4", "^1.1", "1.4.2", "v1.4.2", ">=1.0 <2", "1.x || 3", "*",
    ] {
        assert_eq!(
            tiers(&format!("coldframe.dev/version: \"{admitted}\""), &[]).1,
            [],
            "{admitted}"
        );
    }
    let trap = tiers("coldframe.dev/version: \"^v1.1.x\"", &[]);
    assert_eq!(
        (trap.0.len(), trap.1),
        (3, vec![Code::ConstraintTrap]),
        "it admits more than it seems to"
    );
    for refused in ["~1.3", "1.4.3", "^2", "<1.4", "1.4.2-rc.1", "1.4.1 - 1.4.1"] {
        let found = tiers(&format!("coldframe.dev/version: \"{refused}\""), &[]);
        assert_eq!(
            found,
            (in_tiers(&[]), vec![Code::NoMatchingVersion]),
            "{refused}"
        );
    }
    for invalid in ["", "==1.4.2", "latest", "1 |2"] {
        let (found, codes) = tiers(&format!("coldframe.dev/version: \"{invalid}\""), &[]);
        assert_eq!(
            (found, codes),
            (in_tiers(&[]), vec![Code::InvalidConstraint]),
            "{invalid}"
        );
    }
}
