//! `coldframe render` into a folder: what is written, what stays, and what stops it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// A copy of the example organization, and a place for its tree.
struct Organization {
    folder: TempDir,
}

impl Organization {
    fn acme() -> Self {
        let folder = tempfile::tempdir().unwrap();
        copy(
            &Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/acme"),
            &folder.path().join("acme"),
        );
        Self { folder }
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join("acme").join(path)
    }

    fn edit(&self, path: &str, from: &str, to: &str) {
        let text = std::fs::read_to_string(self.path(path)).unwrap();
        assert!(text.contains(from), "{path} has no {from:?}");
        std::fs::write(self.path(path), text.replace(from, to)).unwrap();
    }

    fn render(&self, extra: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_coldframe"));
        command
            .current_dir(self.folder.path())
            .args(["render", "acme"])
            .args(if extra.contains(&"--output") {
                &[][..]
            } else {
                &["--output", "out"]
            })
            .args(extra);
        command.env("XDG_CACHE_HOME", self.folder.path().join("cache"));
        command.output().unwrap()
    }

    /// Renders, expects an exit code, and gives the words.
    fn renders(&self, code: i32, extra: &[&str]) -> String {
        let output = self.render(extra);
        let words = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{words}");
        words
    }

    fn tree(&self) -> BTreeMap<String, String> {
        let root = self.folder.path().join("out");
        let mut tree = BTreeMap::new();
        for entry in walkdir::WalkDir::new(&root)
            .into_iter()
            .filter_map(Result::ok)
            .filter(|entry| entry.file_type().is_file())
        {
            let path = entry
                .path()
                .strip_prefix(&root)
                .unwrap()
                .to_str()
                .unwrap()
                .to_owned();
            tree.insert(path, std::fs::read_to_string(entry.path()).unwrap());
        }
        tree
    }
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to.join(entry.file_name()));
        } else {
            std::fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
        }
    }
}

const GOLD: &str = "releases/kube-monitoring/gold/eu-gold-1.yaml";

#[test]
fn the_whole_tree_is_written() {
    let acme = Organization::acme();
    let words = acme.renders(0, &[]);
    assert!(words.contains("Rendered 36 releases"), "{words}");
    let tree = acme.tree();
    for path in [
        "kustomization.yaml",
        "sources/charts-acme-example-ingress.yaml",
        "rollouts/kube-monitoring/qa.yaml",
        GOLD,
        "releases/kube-monitoring/gold/kustomization.yaml",
        "canaries/status-page/eu-gold-1.yaml",
        "canaries/status-page/eu-gold-1/canary.yaml",
    ] {
        assert!(tree.contains_key(path), "{path} is missing");
    }
    assert!(
        tree.values()
            .all(|text| text.starts_with("# Rendered by coldframe. Do not edit.\n"))
    );
}

#[test]
fn stdout_has_every_object_of_the_tree() {
    let acme = Organization::acme();
    acme.renders(0, &[]);
    let objects = |text: &str| -> Vec<String> {
        let mut all: Vec<String> = coldframe::yaml::read(text)
            .into_iter()
            .map(|node| node.unwrap().to_value().to_string())
            .filter(|object| !object.contains("kustomize.config.k8s.io"))
            .collect();
        all.sort();
        all
    };
    let tree: Vec<String> = acme.tree().into_values().collect();
    let output = acme.render(&["--output", "-"]);
    assert_eq!(
        objects(&String::from_utf8(output.stdout).unwrap()),
        objects(&tree.join("---\n"))
    );
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    let one = Organization::acme();
    one.renders(0, &[]);
    let other = Organization::acme();
    std::fs::rename(
        other.path("clusters/eu.yaml"),
        other.path("clusters/z.yaml"),
    )
    .unwrap();
    std::fs::rename(
        other.path("presets/ingress.yaml"),
        other.path("a-preset.yaml"),
    )
    .unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_coldframe"));
    command
        .current_dir(other.folder.path())
        .args(["render", "acme", "--output", "out"]);
    command.env("XDG_CACHE_HOME", other.folder.path().join("cache"));
    command.envs([
        ("TZ", "Asia/Kathmandu"),
        ("LC_ALL", "tr_TR.UTF-8"),
        ("RAYON_NUM_THREADS", "1"),
    ]);
    assert!(command.status().unwrap().success());
    assert_eq!(one.tree(), other.tree());
}

#[test]
fn an_unchanged_tree_is_left_alone() {
    let acme = Organization::acme();
    acme.renders(0, &[]);
    let modified = |path: &str| {
        acme.folder
            .path()
            .join("out")
            .join(path)
            .metadata()
            .unwrap()
            .modified()
            .unwrap()
    };
    let before = (modified(GOLD), modified("kustomization.yaml"));
    let words = acme.renders(0, &[]);
    assert!(words.contains(" 0 files written"), "{words}");
    acme.edit("presets/ingress.yaml", "cluster: $", "name: $");
    acme.renders(0, &[]);
    assert_eq!(before, (modified(GOLD), modified("kustomization.yaml")));
}

#[test]
fn a_tree_that_somebody_changed_is_rendered_again() {
    let acme = Organization::acme();
    acme.renders(0, &[]);
    let before = acme.tree();
    let out = acme.folder.path().join("out");
    let text = before[GOLD].replace("retention: 90d", "retention: 99d");
    for deed in 0..3 {
        acme.renders(0, &[]);
        match deed {
            0 => std::fs::write(out.join(GOLD), &text).unwrap(),
            1 => std::fs::remove_file(out.join(GOLD)).unwrap(),
            _ => std::fs::remove_file(out.join("kustomization.yaml")).unwrap(),
        }
        let words = acme.renders(0, &[]);
        assert!(words.contains(" 1 file written"), "{words}");
        assert_eq!(acme.tree(), before);
    }
}

#[test]
fn a_broken_file_stops_everything() {
    let acme = Organization::acme();
    acme.renders(0, &[]);
    let before = acme.tree();
    acme.edit("presets/ingress.yaml", "spec:\n", "spec: [\n");
    let words = acme.renders(2, &[]);
    assert!(words.contains("presets/ingress.yaml:"), "{words}");
    assert!(words.contains("Nothing was written"), "{words}");
    assert_eq!(acme.tree(), before);
}

#[test]
fn what_cannot_be_rendered_keeps_its_files() {
    for (path, from, to) in [
        ("presets/ingress.yaml", "spec:\n", "spec: [\n"),
        ("presets/ingress.yaml", "name: ingress}", "name: absent}"),
        (
            "presets/ingress.yaml",
            "${global.greenhouse.clusterName}.",
            "${global.greenhouse.absent}.",
        ),
        (
            "definitions/ingress/plugindefinition.yaml",
            "  version: 2.0.1\n",
            "",
        ),
        (
            "clusters/eu.yaml",
            "  name: eu-gold-1\n",
            "  name: eu--gold-1\n",
        ),
        // A cluster in no tier, which this policy does not want.
        (
            "policies/default.yaml",
            "clusterSelector: {matchLabels: {tier: gold}}",
            "clusterSelector: {matchLabels: {tier: platinum}}",
        ),
        // Two policies that match equally well.
        (
            "policies/default.yaml",
            "# A revision reaches",
            "apiVersion: coldframe.dev/v1alpha1\nkind: RolloutPolicy\nmetadata: {name: other}\nspec:\n  presetSelector: {matchLabels: {greenhouse.sap/owned-by: network}}\n  tiers: [{name: a, clusterSelector: {}}]\n---\n\
             apiVersion: coldframe.dev/v1alpha1\nkind: RolloutPolicy\nmetadata: {name: another}\nspec:\n  presetSelector: {matchLabels: {greenhouse.sap/owned-by: network}}\n  tiers: [{name: a, clusterSelector: {}}]\n---\n# A revision reaches",
        ),
        // A chart whose HelmChart would have an invalid name.
        (
            "definitions/ingress/plugindefinition.yaml",
            "version: 4.13.0",
            "version: 4.13.0+build",
        ),
    ] {
        let acme = Organization::acme();
        acme.edit(
            "policies/default.yaml",
            "spec:\n",
            "spec:\n  unmatched: Error\n",
        );
        acme.renders(0, &[]);
        let mut before = acme.tree();
        acme.edit(path, from, to);
        acme.edit(
            "presets/cert-manager.yaml",
            "platform@acme.example",
            "certificates@acme.example",
        );
        acme.renders(2, &["--keep-going"]);
        let mut after = acme.tree();
        let changed = after
            .remove("releases/cert-manager/qa/us-qa-1.yaml")
            .unwrap();
        assert!(
            changed.contains("certificates@acme.example"),
            "{to}: the rest is rendered"
        );
        before.retain(|path, _| !path.starts_with("releases/cert-manager/"));
        after.retain(|path, _| !path.starts_with("releases/cert-manager/"));
        assert_eq!(
            after.keys().collect::<Vec<_>>(),
            before.keys().collect::<Vec<_>>(),
            "{to}"
        );
        for (path, text) in &before {
            // The order of documents in a shared file may change; what is in it may not.
            if !path.starts_with("sources/") {
                assert_eq!(&after[path], text, "{to}: {path}");
            }
        }
    }
}

#[test]
fn a_filtered_render_removes_nothing_and_lists_everything() {
    let acme = Organization::acme();
    acme.renders(0, &[]);
    let before = acme.tree();
    acme.edit("presets/kube-monitoring.yaml", "value: 90d", "value: 91d");
    acme.edit("presets/cert-manager.yaml", "platform@", "certificates@");
    acme.renders(
        0,
        &["--preset", "kube-monitoring", "--cluster", "eu-gold-1"],
    );
    let after = acme.tree();
    assert!(after[GOLD].contains("retention: 91d"));
    let changed: Vec<&String> = after
        .keys()
        .filter(|path| before.get(*path) != after.get(*path))
        .collect();
    assert_eq!(changed, [GOLD]);
    assert_eq!(before.len(), after.len());
}

#[test]
fn files_of_others_are_in_no_index() {
    let acme = Organization::acme();
    acme.renders(0, &[]);
    let out = acme.folder.path().join("out");
    for path in [
        "NOTES.md",
        "sources/mine.yaml",
        "releases/ingress/gold/mine.yaml",
        "releases/mine/a/b.yaml",
    ] {
        std::fs::create_dir_all(out.join(path).parent().unwrap()).unwrap();
        std::fs::write(out.join(path), "mine: yes\n").unwrap();
    }
    let before = acme.tree();
    acme.renders(0, &["--preset", "kube-monitoring"]);
    assert_eq!(acme.tree(), before);
    acme.edit("presets/ingress.yaml", "spec:\n", "spec: [\n");
    acme.renders(2, &["--keep-going"]);
    assert_eq!(acme.tree(), before);
}

#[test]
fn a_filter_that_nothing_passes_is_a_mistake() {
    let words = Organization::acme().renders(2, &["--cluster", "eu-gold-2"]);
    assert!(
        words.contains("no release has the cluster `eu-gold-2`; did you mean"),
        "{words}"
    );
}

#[test]
fn more_deletions_than_allowed_stop_the_render() {
    let acme = Organization::acme();
    acme.renders(0, &[]);
    let before = acme.tree();
    std::fs::remove_file(acme.path("presets/kube-monitoring.yaml")).unwrap();
    let words = acme.renders(4, &[]);
    assert!(
        words.contains("12 of 36 releases would be removed, but no more than 4 may be"),
        "{words}"
    );
    assert!(words.contains(GOLD), "{words}");
    assert_eq!(acme.tree(), before);
    let words = acme.renders(0, &["--allow-deletions", "12"]);
    assert!(words.contains("removed"), "{words}");
    assert!(
        !acme
            .tree()
            .keys()
            .any(|path| path.contains("kube-monitoring"))
    );
}

#[test]
fn a_few_deletions_pass() {
    let acme = Organization::acme();
    acme.renders(0, &[]);
    acme.edit(
        "presets/status-page.yaml",
        "matchLabels: {tier: gold}",
        "matchLabels: {greenhouse.sap/cluster: eu-gold-1}",
    );
    acme.renders(0, &[]);
    let tree = acme.tree();
    assert!(!tree.contains_key("releases/status-page/gold/us-gold-1.yaml"));
    assert!(
        !tree
            .keys()
            .any(|path| path.starts_with("canaries/status-page/us-gold-1"))
    );
}

#[test]
fn no_clusters_at_all_is_never_zero_clusters() {
    let acme = Organization::acme();
    acme.renders(0, &[]);
    let before = acme.tree();
    std::fs::remove_dir_all(acme.path("clusters")).unwrap();
    for extra in [&[][..], &["--keep-going", "--allow-deletions", "100"]] {
        let words = acme.renders(2, extra);
        assert!(
            words.contains("there is no Cluster among the inputs"),
            "{words}"
        );
    }
    assert_eq!(acme.tree(), before);
}

#[test]
fn files_of_others_stay_and_are_not_overwritten() {
    let acme = Organization::acme();
    acme.renders(0, &[]);
    let out = acme.folder.path().join("out");
    std::fs::write(out.join("NOTES.md"), "mine").unwrap();
    acme.edit("presets/ingress.yaml", "cluster: $", "name: $");
    acme.renders(0, &[]);
    assert_eq!(
        std::fs::read_to_string(out.join("NOTES.md")).unwrap(),
        "mine"
    );
    std::fs::write(out.join("kustomization.yaml"), "mine").unwrap();
    let words = acme.renders(3, &[]);
    assert!(
        words.contains("`kustomization.yaml` in the output is in the way"),
        "{words}"
    );
}

#[test]
fn an_overridden_template_is_used_and_checked() {
    let acme = Organization::acme();
    let built_in = include_str!("../../templates/helmrelease.yaml");
    std::fs::create_dir(acme.path("templates")).unwrap();
    let template =
        |text: &str| std::fs::write(acme.path("templates/helmrelease.yaml"), text).unwrap();
    let flag = acme.path("templates");
    let flags = ["--templates", flag.to_str().unwrap()];

    template(&built_in.replace(
        "spec:\n",
        "spec:\n  serviceAccountName: {{ namespace }}-{{ values.global.greenhouse.clusterName }}\n",
    ));
    acme.renders(0, &flags);
    assert!(acme.tree()[GOLD].contains("serviceAccountName: acme-eu-gold-1\n"));

    for (text, expected) in [
        (
            built_in.replace("maxHistory: 10", "maxHistory: ten"),
            "invalid type: string \"ten\"",
        ),
        (
            built_in.replace("maxHistory: 10", "maxHistry: 10"),
            "unknown field `maxHistry`",
        ),
        (
            built_in.replace("{{ release_name }}", "{{ release_nam }}"),
            "release_nam",
        ),
        (
            built_in.replace("{{ release_name }}", "{{ release_name | safe }}"),
            "this filter is not available",
        ),
        (
            built_in.replace("{{ release_name }}", "{{ release_name"),
            "helmrelease.yaml",
        ),
        ("a: [".to_owned(), "is not YAML"),
        (String::new(), "printed nothing"),
    ] {
        template(&text);
        let words = acme.renders(2, &flags);
        assert!(words.contains(expected), "{expected:?} is not in {words}");
    }
    std::fs::rename(
        acme.path("templates/helmrelease.yaml"),
        acme.path("templates/helmreleases.yaml"),
    )
    .unwrap();
    assert!(
        acme.renders(2, &flags)
            .contains("there is no built-in template of that name")
    );
}

#[test]
fn a_secret_is_shown_nowhere() {
    let acme = Organization::acme();
    acme.edit(
        "presets/kube-monitoring.yaml",
        "valueFrom:\n        secret: {name: long-term-store, key: password}",
        "value: hunter2",
    );
    for extra in [&[][..], &["--keep-going"], &["--keep-going", "-v"]] {
        let words = acme.renders(2, extra);
        assert!(
            words.contains("option `prometheus.remoteWrite.password` is a secret"),
            "{words}"
        );
        assert!(!words.contains("hunter2"), "{words}");
    }
    assert!(acme.tree().values().all(|text| !text.contains("hunter2")));
}

#[test]
fn a_tier_of_more_than_500_clusters_is_cut_into_parts() {
    let acme = Organization::acme();
    let clusters: String = (0..600)
        .map(|index| {
            format!("---\napiVersion: greenhouse.sap/v1alpha1\nkind: Cluster\nmetadata:\n  name: many-{index}\n  labels: {{tier: gold, metadata.greenhouse.sap/region: eu}}\nspec: {{accessMode: direct}}\n")
        })
        .collect();
    std::fs::write(acme.path("clusters/many.yaml"), clusters).unwrap();
    acme.renders(0, &[]);
    let tree = acme.tree();
    let in_part = |part: &str| {
        tree.keys()
            .filter(|path| {
                path.starts_with(&format!("releases/status-page/{part}/"))
                    && !path.ends_with("kustomization.yaml")
            })
            .count()
    };
    assert_eq!(in_part("gold") + in_part("gold-2"), 602);
    assert!(in_part("gold") <= 500 && in_part("gold-2") <= 500);
    let second = &tree["rollouts/status-page/gold-2.yaml"];
    assert!(
        second.contains("name: status-page-gold-2\n") && second.contains("CLUSTER_TIER: gold\n"),
        "{second}"
    );
}

#[test]
fn the_format_greenhouse_has_plugins_and_their_definitions() {
    let acme = Organization::acme();
    acme.renders(0, &["--format", "greenhouse"]);
    let tree = acme.tree();
    assert!(tree[GOLD].contains("kind: Plugin\n"));
    assert!(tree[GOLD].contains("name: kube-monitoring-4.2.0\n"));
    assert!(tree["definitions/kube-monitoring-4.2.0.yaml"].contains("kind: PluginDefinition\n"));
    assert!(tree["kustomization.yaml"].contains("- definitions/kube-monitoring-4.2.0.yaml\n"));
    assert!(!tree.keys().any(|path| path.starts_with("sources/")));
}
