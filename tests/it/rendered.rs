//! What is rendered is what a cluster takes: every document is valid by the CRDs of Flux and
//! Flagger, and kustomize, as a command and as in kustomize-controller, gives it back unchanged.

use crate::support;

use std::path::Path;
use std::process::Command;

use crate::support::crds::Crds;
use crate::support::tree::{self, Built, Object};
use serde_json::{Value, json};
use tempfile::TempDir;

/// The rendered example organization.
fn rendered(extra: &[&str]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/acme");
    let mut command = Command::new(env!("CARGO_BIN_EXE_coldframe"));
    command
        .arg("render")
        .arg(fixture)
        .arg("--output")
        .arg(folder.path().join("rendered"))
        .args(extra)
        .env("XDG_CACHE_HOME", folder.path().join("cache"));
    let output = command.output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    folder
}

fn objects(folder: &TempDir) -> Vec<Object> {
    let objects = tree::objects(&folder.path().join("rendered"));
    assert!(objects.len() > 30);
    objects
}

#[test]
fn every_document_is_valid_by_its_crd() {
    let Some(folder) = support::shared("crds") else {
        return;
    };
    for (folder, only) in [
        (folder.clone(), None),
        (folder.join("flux-2.10"), Some("toolkit.fluxcd.io")),
    ] {
        let crds = Crds::read(&folder);
        for extra in [&[][..], &["--format", "greenhouse"]] {
            for object in objects(&rendered(extra)) {
                let version = object.value["apiVersion"].as_str().unwrap();
                // The folder of Flux 2.10 has what was there to be had: no HelmRelease.
                if only.is_some_and(|only| !version.contains(only) || version.starts_with("helm."))
                {
                    continue;
                }
                let faults = crds.faults(&object.value);
                assert!(faults.is_empty(), "{}: {faults:#?}", object.file);
            }
        }
    }
}

#[test]
fn the_check_by_crd_finds_faults() {
    let Some(folder) = support::shared("crds") else {
        return;
    };
    let crds = Crds::read(&folder);
    let release = json!({
        "apiVersion": "helm.toolkit.fluxcd.io/v2", "kind": "HelmRelease", "metadata": {"name": "a", "namespace": "b"},
        "spec": {"interval": "5m", "chartRef": {"kind": "HelmChart", "name": "c"}},
    });
    assert_eq!(crds.faults(&release), Vec::<String>::new());
    for (pointer, value) in [
        ("/spec/interval", json!("5 minutes")),
        ("/spec/chartRef/kind", json!("Chart")),
        ("/spec/maxHistory", json!("ten")),
        ("/spec/unknown", json!(1)),
        (
            "/spec/chart",
            json!({"spec": {"chart": "c", "sourceRef": {"kind": "HelmRepository", "name": "d"}}}),
        ),
    ] {
        let mut faulty = release.clone();
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        faulty
            .pointer_mut(parent)
            .unwrap()
            .as_object_mut()
            .unwrap()
            .insert(key.to_owned(), value);
        assert!(!crds.faults(&faulty).is_empty(), "{pointer}");
    }
}

#[test]
fn kustomize_gives_back_every_folder() {
    let Some(program) = support::go_program("kustomize-build") else {
        return;
    };
    for extra in [&[][..], &["--format", "greenhouse"]] {
        let folder = rendered(extra);
        let built = tree::build(&program, &folder.path().join("rendered"), &["-all-folders"]);
        assert!(built.len() > 10);
        assert_eq!(
            tree::build_faults(&objects(&folder), &built),
            Vec::<String>::new()
        );
    }
}

#[test]
fn flux_delivers_every_object_once_and_unchanged() {
    let Some(program) = support::go_program("kustomize-build") else {
        return;
    };
    for extra in [&[][..], &["--format", "greenhouse"]] {
        let folder = rendered(extra);
        let root = folder.path().join("rendered");
        let built = tree::build(&program, &root, &["-prefix", "rendered"]);
        let objects = objects(&folder);
        assert_eq!(tree::build_faults(&objects, &built), Vec::<String>::new());

        // What the index at the top applies is for the hub; of the rest, releases are on the hub too,
        // and each canary is for a cluster of its own.
        let top = tree::build(&program, &root, &["-all-folders"]);
        let (canaries, mut tiers): (Vec<Built>, Vec<Built>) = built
            .into_iter()
            .partition(|built| built.name.ends_with("-canary"));
        tiers.extend(top.into_iter().filter(|built| built.name == "."));
        let on_the_hub: Vec<Object> = objects
            .into_iter()
            .filter(|object| !is_for_the_workload(object))
            .collect();
        assert_eq!(
            tree::delivery_faults(&on_the_hub, &tiers),
            Vec::<String>::new()
        );
        assert_eq!(tree::duplicates(&on_the_hub), Vec::<String>::new());
        // Canaries of several clusters have one identity: each must go to its own cluster.
        let clusters = if extra.is_empty() {
            &["eu-gold-1", "us-gold-1"][..]
        } else {
            &[]
        };
        assert_eq!(canaries.len(), clusters.len());
        for cluster in clusters {
            let name = format!("status-page-{cluster}-canary");
            let file = root.join(format!("canaries/status-page/{cluster}.yaml"));
            let kustomization = &support::documents(&std::fs::read_to_string(file).unwrap())[0];
            assert_eq!(kustomization["metadata"]["name"], name.as_str());
            assert_eq!(
                kustomization["spec"]["kubeConfig"]["secretRef"]["name"],
                *cluster
            );
            let built = canaries.iter().find(|built| built.name == name).unwrap();
            let objects = built.objects.as_ref().unwrap();
            assert_eq!(objects.len(), 2, "a Canary and a MetricTemplate");
            for object in objects {
                assert_eq!(
                    object["metadata"]["labels"]["greenhouse.sap/cluster"],
                    *cluster
                );
            }
        }
    }
}

fn is_for_the_workload(object: &Object) -> bool {
    object.file.starts_with("canaries/") && object.file.matches('/').count() == 3
}

#[test]
fn a_value_with_placeholders_survives_substitution() {
    let Some(program) = support::go_program("kustomize-build") else {
        return;
    };
    let folder = rendered(&[]);
    let built = tree::build(
        &program,
        &folder.path().join("rendered"),
        &["-prefix", "rendered"],
    );
    let message = built
        .iter()
        .flat_map(|built| built.objects.iter().flatten())
        .find(|object| object["metadata"]["name"] == "status-page-eu-gold-1")
        .map(|object| object["spec"]["values"]["ui"]["message"].clone());
    assert_eq!(
        message,
        Some(Value::from("All systems operational. Cost: ${cost}"))
    );
}
