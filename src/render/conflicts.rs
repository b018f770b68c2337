//! Different things that would get one name, and dependencies on nothing.

use std::collections::{BTreeMap, BTreeSet};

use super::plan::{Job, Plan};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::expand::Subject;

/// Reports releases and Kustomizations that would get one name. Of two releases the later one
/// stays, as it would on a hub; but a standalone Plugin that was there first keeps its name, since
/// a preset leaves a Plugin alone that it did not make.
pub(super) fn resolve(plan: &mut Plan<'_>, diagnostics: &mut Diagnostics) {
    let mut owners: BTreeMap<(&str, String), usize> = BTreeMap::new();
    let mut dropped = BTreeSet::new();
    for (index, job) in plan.jobs.iter().enumerate() {
        let subject = plan.subjects[job.subject].subject;
        let name = subject.release_name(job.cluster_name().unwrap_or_default());
        let Some(earlier) = owners.insert((&subject.meta().namespace, name.clone()), index) else {
            continue;
        };
        dropped.insert(earlier);
        let other = plan.subjects[plan.jobs[earlier].subject].subject;
        diagnostics.push(match (other, subject) {
            (Subject::Preset(preset), Subject::Plugin(plugin)) => Diagnostic::warning(
                Code::NameConflict,
                format!("preset `{}` skips `{name}`: there is a Plugin of that name that it did not make", preset.meta.name),
            )
            .at(&plugin.meta.location)
            .about(&other.object())
            .release(name),
            _ => Diagnostic::error(
                Code::NameConflict,
                format!(
                    "the release `{name}` would be made by {} ({}) and by {} ({})",
                    other.object(),
                    other.meta().location,
                    subject.object(),
                    subject.meta().location
                ),
            )
            .at(&subject.meta().location)
            .about(&subject.object())
            .release(name)
            .hint("rename one of the presets"),
        });
    }
    let mut index = 0;
    plan.jobs.retain(|_| {
        index += 1;
        !dropped.contains(&(index - 1))
    });

    let mut folders: BTreeMap<(String, String), usize> = BTreeMap::new();
    for (index, folder) in plan.folders.iter().enumerate() {
        let meta = plan.subjects[folder.subject].subject.meta();
        let name = super::tree::kustomization_name(&meta.name, &folder.name);
        if let Some(earlier) = folders.insert((meta.namespace.clone(), name.clone()), index) {
            let other = &plan.folders[earlier];
            let other_meta = plan.subjects[other.subject].subject.meta();
            diagnostics.push(
                Diagnostic::error(
                    Code::NameConflict,
                    format!(
                        "the Kustomization `{name}` would be that of `{}`, tier `{}` ({}), and of `{}`, tier `{}`",
                        other_meta.name, other.name, other_meta.location, meta.name, folder.name
                    ),
                )
                .at(&meta.location)
                .about(&plan.subjects[folder.subject].subject.object())
                .hint("rename a tier or a preset"),
            );
        }
    }
}

/// Reports `waitFor` entries that name a release which is not rendered: Flux would wait forever.
pub(super) fn dependencies(plan: &Plan<'_>, diagnostics: &mut Diagnostics) {
    let names: BTreeSet<(&str, String)> = plan
        .jobs
        .iter()
        .map(|job| {
            let (subject, cluster) = preset_and_cluster(plan, job);
            (
                subject.meta().namespace.as_str(),
                subject.release_name(cluster),
            )
        })
        .collect();
    for job in &plan.jobs {
        let (subject, cluster) = preset_and_cluster(plan, job);
        for entry in &subject.spec().wait_for {
            let (name, message) = match (&entry.plugin_preset, &entry.name) {
                (Some(preset), _) => (
                    format!("{preset}-{cluster}"),
                    format!("waits for preset `{preset}`, which has no release on that cluster"),
                ),
                (None, Some(name)) => (
                    name.clone(),
                    format!("waits for `{name}`, which is not among the releases"),
                ),
                (None, None) => continue,
            };
            if !names.contains(&(subject.meta().namespace.as_str(), name)) {
                diagnostics.push(
                    Diagnostic::warning(Code::DependencyMissing, message)
                        .at(&entry.location)
                        .about(&subject.object())
                        .release(subject.release_name(cluster))
                        .hint("Flux does not begin before it is there"),
                );
            }
        }
    }
    cycles(plan, diagnostics);
}

/// What a release is made of, and the cluster it is for.
fn preset_and_cluster<'a>(plan: &Plan<'a>, job: &Job<'a>) -> (Subject<'a>, &'a str) {
    let cluster = job.cluster_name().unwrap_or_default();
    (plan.subjects[job.subject].subject, cluster)
}

/// Reports presets that wait for each other, each circle once.
fn cycles(plan: &Plan<'_>, diagnostics: &mut Diagnostics) {
    let presets: BTreeMap<(&str, &str), usize> = plan
        .subjects
        .iter()
        .enumerate()
        .filter(|(_, resolved)| matches!(resolved.subject, Subject::Preset(_)))
        .map(|(index, resolved)| {
            let meta = resolved.subject.meta();
            ((meta.namespace.as_str(), meta.name.as_str()), index)
        })
        .collect();
    let waits_for = |index: usize| {
        let subject = plan.subjects[index].subject;
        let names = subject
            .spec()
            .wait_for
            .iter()
            .filter_map(|entry| entry.plugin_preset.as_deref());
        names.map(move |name| (subject.meta().namespace.as_str(), name))
    };
    let mut done = BTreeSet::new();
    for start in presets.values().copied() {
        // The way that leads to the preset at hand, each with those that it waits for.
        let mut way = vec![(start, waits_for(start).collect::<Vec<_>>())];
        while let Some((index, left)) = way.last_mut() {
            let Some(next) = left.pop() else {
                done.insert(*index);
                way.pop();
                continue;
            };
            let Some(next) = presets
                .get(&next)
                .copied()
                .filter(|next| !done.contains(next))
            else {
                continue;
            };
            if let Some(first) = way.iter().position(|(index, _)| *index == next) {
                let circle = way[first..].iter().map(|(index, _)| *index).chain([next]);
                let names: Vec<&str> = circle
                    .map(|index| plan.subjects[index].subject.meta().name.as_str())
                    .collect();
                let subject = plan.subjects[next].subject;
                diagnostics.push(
                    Diagnostic::warning(
                        Code::DependencyCycle,
                        format!("presets wait for each other: {}", names.join(" → ")),
                    )
                    .at(&subject.meta().location)
                    .about(&subject.object())
                    .hint("Flux begins with none of them"),
                );
            } else {
                way.push((next, waits_for(next).collect()));
            }
        }
    }
}

/// Reports releases of different presets that are one and the same Helm release on a cluster: each
/// would undo what the other did.
pub(super) fn helm_releases(plan: &Plan<'_>, diagnostics: &mut Diagnostics) {
    let mut owners: BTreeMap<(&str, &str), Vec<usize>> = BTreeMap::new();
    for (index, resolved) in plan.subjects.iter().enumerate() {
        let (spec, meta) = (resolved.subject.spec(), resolved.subject.meta());
        let Some(chart) = &resolved.revision.definition.helm_chart else {
            continue;
        };
        let namespace = spec.release_namespace.as_deref().unwrap_or(&meta.namespace);
        let name = spec.release_name.as_deref().unwrap_or(&chart.name);
        owners.entry((namespace, name)).or_default().push(index);
    }
    owners.retain(|_, subjects| subjects.len() > 1);
    for ((namespace, name), subjects) in owners {
        let mut clusters: BTreeMap<Option<&str>, usize> = BTreeMap::new();
        for job in plan
            .jobs
            .iter()
            .filter(|job| subjects.contains(&job.subject))
        {
            let cluster = job.cluster.map(|cluster| cluster.meta.name.as_str());
            let Some(earlier) = clusters.insert(cluster, job.subject) else {
                continue;
            };
            let (one, other) = (
                plan.subjects[earlier].subject,
                plan.subjects[job.subject].subject,
            );
            diagnostics.push(
                Diagnostic::warning(
                    Code::HelmReleaseShared,
                    format!(
                        "its Helm release `{name}` in namespace `{namespace}` is also that of {}",
                        one.object()
                    ),
                )
                .at(&other.meta().location)
                .about(&other.object())
                .release(other.release_name(cluster.unwrap_or_default()))
                .hint("set another `releaseName` or `releaseNamespace` in one of them"),
            );
        }
    }
}
