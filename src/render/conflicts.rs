//! Different things that would get one name, and dependencies on nothing.

use std::collections::{BTreeMap, BTreeSet};

use super::plan::Plan;
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
        let name = subject.release_name(job.cluster.map_or("", |cluster| &cluster.meta.name));
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
        if let Some(earlier) = folders.insert((meta.namespace.clone(), name.to_string()), index) {
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
            let subject = plan.subjects[job.subject].subject;
            let cluster = job.cluster.map_or("", |cluster| cluster.meta.name.as_str());
            (
                subject.meta().namespace.as_str(),
                subject.release_name(cluster),
            )
        })
        .collect();
    for job in &plan.jobs {
        let subject = plan.subjects[job.subject].subject;
        let cluster = job.cluster.map_or("", |cluster| cluster.meta.name.as_str());
        for entry in &subject.spec().wait_for {
            let name = match (&entry.plugin_preset, &entry.name) {
                (Some(preset), _) => format!("{preset}-{cluster}"),
                (None, Some(name)) => name.clone(),
                (None, None) => continue,
            };
            let key = (subject.meta().namespace.as_str(), name);
            if !names.contains(&key) {
                diagnostics.push(
                    Diagnostic::warning(
                        Code::DependencyMissing,
                        format!("waits for `{}`, which is not among the releases", key.1),
                    )
                    .at(&entry.location)
                    .about(&subject.object())
                    .release(subject.release_name(cluster))
                    .hint("Flux does not begin before it is there"),
                );
            }
        }
    }
}
