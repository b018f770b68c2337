//! Canaries: what Flagger analyses in the workload cluster before a revision takes the traffic.
//!
//! Facts of Flagger 1.44: the chart's workload is the canary and is scaled to 0 once the primary
//! (`<target>-primary`) runs; a rollout starts when the pod template changes; a Canary has no Ready
//! condition, and its phase is that of the rollout before until Flagger's next tick.

use jiff::SignedDuration;
use serde_json::json;

use super::documents::{annotations, labels, metadata, path, render, source_ref};
use super::engine::Engine;
use super::tree::{File, canary_kustomization_name, original};
use crate::diagnostic::Diagnostic;
use crate::expand::Release;
use crate::model::{CanarySettings, Settings, annotation, label};
use crate::resolve::Revision;
use crate::yaml::Value;

/// A rule for drift detection: Flagger owns the target's replicas. Without it the pods of an idle
/// canary would stay for good.
pub(super) fn ignore_replicas(canary: &CanarySettings) -> Value {
    json!({"target": {"kind": canary.target_kind, "name": canary.target_name}, "paths": ["/spec/replicas"]})
}

/// A post-renderer that puts the revision's digest into the target's pod template: a new revision
/// starts a rollout whatever else it changes, and the primary tells which one it runs.
pub(super) fn digest_in_pod_template(canary: &CanarySettings, digest: &str) -> Value {
    let patch = json!({
        "apiVersion": "apps/v1",
        "kind": canary.target_kind,
        "metadata": {"name": canary.target_name},
        "spec": {"template": {"metadata": {"annotations": {annotation::DIGEST: digest}}}},
    });
    let mut text = String::new();
    crate::yaml::write(&patch, &mut text);
    let target = json!({"group": "apps", "kind": canary.target_kind, "name": canary.target_name});
    json!({"kustomize": {"patches": [{"target": target, "patch": text}]}})
}

/// The files of a release's Canary: its documents for the workload cluster with their index, and
/// beside their folder the Kustomization that brings them there.
pub(super) fn files(
    engine: &Engine,
    settings: &Settings,
    revision: &Revision,
    release: &Release<'_>,
    canary: &CanarySettings,
    (preset, tier_kustomization): (&str, &str),
) -> Result<Vec<File>, Box<Diagnostic>> {
    let (Some(cluster), Some(namespace)) = (release.cluster, release.release_namespace) else {
        return Ok(Vec::new());
    };
    let folder = format!("canaries/{preset}/{cluster}");
    let mut own = annotations(None);
    own.insert(
        annotation::DIGEST.to_owned(),
        revision.digest.as_str().into(),
    );
    let labels = labels(&[(label::CLUSTER, cluster), (label::PLUGIN_PRESET, preset)]);

    let mut variables = metadata(
        engine,
        "canary.yaml",
        &canary.target_name,
        namespace,
        labels.clone(),
        own,
    );
    variables.set("analysis", &canary.analysis);
    variables.set(
        "progress_deadline_seconds",
        &canary.progress_deadline_seconds,
    );
    variables.set("provider", &canary.provider);
    variables.set("service", &canary.service);
    variables.set(
        "target",
        &json!({"kind": canary.target_kind, "name": canary.target_name}),
    );
    let mut documents = vec![render(engine, "canary.yaml", variables)?];
    for (name, spec) in &canary.metric_templates {
        let mut variables = metadata(
            engine,
            "metrictemplate.yaml",
            name,
            namespace,
            labels.clone(),
            annotations(None),
        );
        variables.set("spec", spec);
        documents.push(render(engine, "metrictemplate.yaml", variables)?);
    }
    let mut index = engine.variables("index.yaml");
    index.set("resources", &["canary.yaml"]);

    let full_name = format!("{}-canary", release.name);
    let name = canary_kustomization_name(&release.name);
    let mut own = annotations(original(&full_name, &name));
    own.insert(
        annotation::DIGEST.to_owned(),
        revision.digest.as_str().into(),
    );
    let mut variables = metadata(
        engine,
        "canary-kustomization.yaml",
        &name,
        release.namespace,
        labels,
        own,
    );
    variables.set("depends_on", tier_kustomization);
    variables.set("canary", &canary.target_name);
    variables.set(
        "target",
        &json!({"kind": canary.target_kind, "name": canary.target_name, "namespace": namespace}),
    );
    variables.set(
        "primary_current",
        &primary_is_current(canary, &revision.digest),
    );
    variables.set(
        "kube_config",
        &json!({"name": cluster, "key": settings.output.kube_config_key}),
    );
    variables.set("path", &path(settings, &folder));
    variables.set("source_ref", &source_ref(settings));
    variables.set("timeout", &go_duration(timeout(canary)));
    Ok(vec![
        File::new(format!("{folder}/canary.yaml"), &documents),
        File::new(
            format!("{folder}/kustomization.yaml"),
            &[render(engine, "index.yaml", index)?],
        ),
        File::new(
            format!("{folder}.yaml"),
            &[render(engine, "canary-kustomization.yaml", variables)?],
        ),
    ])
}

/// When the primary counts as ready: it has this digest, and all replicas that it should have. What
/// is neither current nor failed is in progress for Flux.
fn primary_is_current(canary: &CanarySettings, digest: &str) -> String {
    let key = annotation::DIGEST;
    let has_digest = format!(
        "has(spec.template.metadata.annotations) && '{key}' in spec.template.metadata.annotations && spec.template.metadata.annotations['{key}'] == '{digest}'"
    );
    let ready = if canary.target_kind == "DaemonSet" {
        "has(status.numberReady) && status.updatedNumberScheduled == status.desiredNumberScheduled && status.numberReady == status.desiredNumberScheduled"
    } else {
        "has(status.readyReplicas) && status.updatedReplicas == spec.replicas && status.readyReplicas == spec.replicas"
    };
    format!("{has_digest} && {ready}")
}

/// How long the health checks may take: more than the analysis can.
/// Flagger needs interval × (rounds + 2) and the time in which the primary rolls out.
fn timeout(canary: &CanarySettings) -> SignedDuration {
    let analysis = &canary.analysis;
    let number = |key: &str| {
        analysis
            .get(key)
            .and_then(Value::as_i64)
            .filter(|number| *number > 0)
    };
    let interval = interval(
        analysis
            .get("interval")
            .and_then(Value::as_str)
            .unwrap_or_default(),
    );
    let rounds = match (number("iterations"), number("stepWeight")) {
        (Some(iterations), _) => iterations,
        (None, Some(step)) => number("maxWeight").unwrap_or(100) / step + 1,
        // Flagger takes 10 where iterations are missing.
        (None, None) => analysis
            .get("stepWeights")
            .and_then(Value::as_array)
            .map_or(10, |steps| i64::try_from(steps.len()).unwrap_or(i64::MAX)),
    };
    let rounds = i32::try_from(rounds.saturating_add(4)).unwrap_or(i32::MAX);
    let deadline = i64::from(canary.progress_deadline_seconds.unwrap_or(600));
    interval
        .saturating_mul(rounds)
        .saturating_add(SignedDuration::from_secs(deadline + 60))
}

/// An analysis interval as Flagger reads it: a minute where it is unreadable, and 10 s at least.
fn interval(text: &str) -> SignedDuration {
    let parsed = crate::model::duration::parse(text).unwrap_or(SignedDuration::from_mins(1));
    parsed.max(SignedDuration::from_secs(10))
}

fn go_duration(duration: SignedDuration) -> String {
    let seconds = duration.as_secs();
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 {
        format!("{hours}h{minutes}m{seconds}s")
    } else {
        format!("{minutes}m{seconds}s")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Location;

    fn settings(analysis: Value) -> CanarySettings {
        CanarySettings {
            target_kind: "Deployment".into(),
            target_name: "app".into(),
            provider: "kubernetes".into(),
            service: json!({"port": 80}),
            analysis,
            progress_deadline_seconds: None,
            metric_templates: Vec::new(),
            location: Location::new("in.yaml", 1, 1),
        }
    }

    fn timeout_of(analysis: Value, progress_deadline_seconds: Option<u32>) -> String {
        go_duration(timeout(&CanarySettings {
            progress_deadline_seconds,
            ..settings(analysis)
        }))
    }

    #[test]
    fn the_timeout_is_longer_than_the_analysis_can_take() {
        for (analysis, deadline, expected) in [
            // 30 s × (5 + 4) + 600 s, and a minute.
            (json!({"interval": "30s", "iterations": 5}), None, "15m30s"),
            (
                json!({"interval": "1m", "iterations": 60}),
                Some(60),
                "1h6m0s",
            ),
            // 100 / 20 + 1 steps.
            (
                json!({"interval": "1m", "stepWeight": 20}),
                Some(60),
                "12m0s",
            ),
            (
                json!({"interval": "1m", "stepWeight": 20, "maxWeight": 40}),
                Some(60),
                "9m0s",
            ),
            (
                json!({"interval": "1m", "stepWeights": [1, 10, 80]}),
                Some(60),
                "9m0s",
            ),
            // Flagger takes 10 s for less, and a minute for what it cannot read.
            (
                json!({"interval": "2s", "iterations": 1}),
                Some(60),
                "2m50s",
            ),
            (
                json!({"interval": "1mx", "iterations": 1}),
                Some(60),
                "7m0s",
            ),
        ] {
            assert_eq!(
                timeout_of(analysis.clone(), deadline),
                expected,
                "{analysis}"
            );
        }
    }

    /// What a Flux health check makes of an object: an expression that fails is not true.
    fn holds(expression: &str, object: &Value) -> bool {
        let program = cel::Program::compile(expression).unwrap();
        let mut context = cel::Context::default();
        for (name, value) in object.as_object().unwrap() {
            context.add_variable(name.as_str(), value.clone()).unwrap();
        }
        program
            .execute(&context)
            .is_ok_and(|value| value == cel::Value::Bool(true))
    }

    #[test]
    fn a_primary_is_current_with_its_digest_and_all_replicas() {
        let canary = settings(json!({}));
        let primary = |digest: &str, ready: u32, updated: u32| {
            json!({
                "spec": {"replicas": 2, "template": {"metadata": {"annotations": {annotation::DIGEST: digest}}}},
                "status": {"readyReplicas": ready, "updatedReplicas": updated},
            })
        };
        let deployment = primary_is_current(&canary, "sha256:new");
        assert!(holds(&deployment, &primary("sha256:new", 2, 2)));
        assert!(
            !holds(&deployment, &primary("sha256:old", 2, 2)),
            "the rollout before"
        );
        assert!(
            !holds(&deployment, &primary("sha256:new", 1, 2)),
            "a pod is not ready"
        );
        assert!(
            !holds(&deployment, &primary("sha256:new", 2, 1)),
            "a pod is the old one"
        );
        let mut bare = primary("sha256:new", 2, 2);
        bare["spec"]["template"]["metadata"] = json!({});
        assert!(!holds(&deployment, &bare), "no annotations");
        bare["status"] = json!({});
        assert!(!holds(&deployment, &bare), "no status");

        let daemon_set = primary_is_current(
            &CanarySettings {
                target_kind: "DaemonSet".into(),
                ..canary
            },
            "sha256:new",
        );
        let mut primary = primary("sha256:new", 0, 0);
        primary["status"] =
            json!({"numberReady": 3, "desiredNumberScheduled": 3, "updatedNumberScheduled": 3});
        assert!(holds(&daemon_set, &primary));
        primary["status"]["updatedNumberScheduled"] = json!(2);
        assert!(!holds(&daemon_set, &primary));
    }
}
