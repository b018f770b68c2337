//! What will be rendered, and where in the tree each release lies.

use std::collections::{BTreeMap, BTreeSet};

use crate::decide;
use crate::diagnostic::{Code, Diagnostic, Diagnostics, did_you_mean};
use crate::expand::{self, Subject};
use crate::model::{Cluster, Plugin, World};
use crate::resolve::{self, Revision};

/// The name of the file of a release on the hub itself, where those on clusters have the cluster's.
pub(super) const HUB: &str = "hub";

/// A preset or Plugin with the revision that it runs.
#[derive(Debug)]
pub struct Resolved<'a> {
    /// The preset or Plugin.
    pub subject: Subject<'a>,
    /// The revision.
    pub revision: std::sync::Arc<Revision>,
}

/// Finds the revision of every preset and standalone Plugin, presets first, each by namespace and
/// name. One without a revision is reported and left out.
pub fn resolve<'a>(world: &'a World, diagnostics: &mut Diagnostics) -> Vec<Resolved<'a>> {
    let presets = world
        .presets
        .values()
        .map(|preset| (Subject::Preset(preset), preset.version.as_ref()));
    let plugins = world.plugins.values().filter(|plugin| !from_preset(plugin));
    let plugins = plugins.map(|plugin| (Subject::Plugin(plugin), plugin.version.as_ref()));
    let mut resolved = Vec::new();
    for (subject, version) in presets.chain(plugins) {
        match resolve::resolve(world, subject.meta(), &subject.spec().definition, version) {
            Ok(revision) => resolved.push(Resolved { subject, revision }),
            Err(problem) => diagnostics.push(problem.about(&subject.object())),
        }
    }
    resolved
}

/// A Plugin that a preset made: it stands in dumps of a hub, and its preset makes it anew.
fn from_preset(plugin: &Plugin) -> bool {
    plugin
        .meta
        .labels
        .contains_key(crate::model::label::PLUGIN_PRESET)
}

/// One release to render.
#[derive(Clone, Copy, Debug)]
pub struct Job<'a> {
    /// Index into [`Plan::subjects`].
    pub subject: usize,
    /// Index into [`Plan::folders`].
    pub folder: usize,
    /// The cluster; `None` is the hub itself.
    pub cluster: Option<&'a Cluster>,
}

impl<'a> Job<'a> {
    /// Name of the cluster; `None` is the hub itself.
    pub fn cluster_name(&self) -> Option<&'a str> {
        self.cluster.map(|cluster| cluster.meta.name.as_str())
    }
}

/// A part of a tier: one folder, and one Kustomization that brings it to the hub.
#[derive(Clone, Debug, PartialEq)]
pub struct Folder {
    /// Index into [`Plan::subjects`].
    pub subject: usize,
    /// Name of the tier.
    pub tier: String,
    /// The folder's name below that of the preset: the tier, and a number from the second part on.
    pub name: String,
}

/// All releases to render.
#[derive(Debug)]
pub struct Plan<'a> {
    /// What is rendered.
    pub subjects: &'a [Resolved<'a>],
    /// The folders of the tree.
    pub folders: Vec<Folder>,
    /// The releases, ordered by preset, tier and cluster.
    pub jobs: Vec<Job<'a>>,
    /// Releases that are wanted, and have no place for an error that was reported: preset or Plugin,
    /// and cluster.
    pub refused: BTreeSet<(String, String)>,
}

impl Plan<'_> {
    /// The path of a release in the tree.
    pub fn path(&self, job: &Job<'_>) -> String {
        let cluster = job.cluster_name().unwrap_or(HUB);
        format!("{}/{cluster}.yaml", self.folder_path(job.folder))
    }

    /// The path of a folder of releases.
    pub fn folder_path(&self, folder: usize) -> String {
        let folder = &self.folders[folder];
        format!(
            "releases/{}/{}",
            self.subjects[folder.subject].subject.meta().name,
            folder.name
        )
    }
}

/// Selects each preset's clusters, divides them into tiers and parts, and looks for what cannot
/// work, or hardly as it was meant.
pub(super) fn plan<'a>(
    world: &'a World,
    subjects: &'a [Resolved<'a>],
    diagnostics: &mut Diagnostics,
) -> Plan<'a> {
    let mut plan = Plan {
        subjects,
        folders: Vec::new(),
        jobs: Vec::new(),
        refused: BTreeSet::new(),
    };
    for (index, resolved) in subjects.iter().enumerate() {
        let definition = &resolved.revision.definition;
        match resolved.subject {
            Subject::Preset(preset) => {
                let selected: Vec<&Cluster> = world
                    .clusters
                    .values()
                    .filter(|cluster| {
                        cluster.meta.namespace == preset.meta.namespace
                            && preset.cluster_selector.matches(&cluster.meta.labels)
                    })
                    .collect();
                if selected.is_empty() {
                    diagnostics.push(
                        Diagnostic::warning(
                            Code::NoClusterMatches,
                            "no cluster matches the selector",
                        )
                        .at(&preset.meta.location)
                        .about(&resolved.subject.object()),
                    );
                }
                expand::lint(resolved.subject, definition, &selected, diagnostics);
                let mut refused = Vec::new();
                match decide::governing(world, preset) {
                    Ok(policy) => {
                        let tiers = decide::tiers(policy, &selected, &mut refused, diagnostics);
                        place(&mut plan, index, tiers);
                    }
                    Err(problem) => {
                        diagnostics.push(*problem);
                        refused = selected;
                    }
                }
                let refused = refused.into_iter().map(|cluster| cluster.meta.name.clone());
                plan.refused
                    .extend(refused.map(|cluster| (preset.meta.name.clone(), cluster)));
            }
            Subject::Plugin(plugin) => {
                let cluster = match find_cluster(world, plugin) {
                    Ok(cluster) => cluster,
                    Err(problem) => {
                        let cluster = plugin.cluster_name.as_deref().unwrap_or(HUB);
                        plan.refused
                            .insert((plugin.meta.name.clone(), cluster.to_owned()));
                        diagnostics.push(
                            problem
                                .about(&resolved.subject.object())
                                .release(&plugin.meta.name),
                        );
                        continue;
                    }
                };
                expand::lint(
                    resolved.subject,
                    definition,
                    cluster.as_slice(),
                    diagnostics,
                );
                let tier = decide::DEFAULT_TIER.to_owned();
                plan.folders.push(Folder {
                    subject: index,
                    name: tier.clone(),
                    tier,
                });
                plan.jobs.push(Job {
                    subject: index,
                    folder: plan.folders.len() - 1,
                    cluster,
                });
            }
        }
    }
    super::conflicts::resolve(&mut plan, diagnostics);
    super::conflicts::dependencies(&plan, diagnostics);
    super::conflicts::helm_releases(&plan, diagnostics);
    plan
}

fn place<'a>(plan: &mut Plan<'a>, subject: usize, tiers: Vec<decide::TierClusters<'a>>) {
    for tier in tiers {
        let names: Vec<&str> = tier
            .clusters
            .iter()
            .map(|cluster| cluster.meta.name.as_str())
            .collect();
        let mut folders = BTreeMap::new();
        for (cluster, part) in tier.clusters.iter().zip(decide::parts(&names)) {
            let folder = *folders.entry(part).or_insert_with(|| {
                let name = if part == 0 {
                    tier.name.to_owned()
                } else {
                    format!("{}-{}", tier.name, part + 1)
                };
                plan.folders.push(Folder {
                    subject,
                    tier: tier.name.to_owned(),
                    name,
                });
                plan.folders.len() - 1
            });
            plan.jobs.push(Job {
                subject,
                folder,
                cluster: Some(cluster),
            });
        }
    }
}

/// Plugins that Greenhouse allows on the hub itself, without a cluster.
const ON_THE_HUB: [&str; 11] = [
    "alerts",
    "doop",
    "heureka",
    "kube-monitoring",
    "kubeconfig-generator",
    "perses",
    "permission-manager",
    "repo-guard",
    "service-proxy",
    "teams2slack",
    "thanos",
];

fn find_cluster<'a>(world: &'a World, plugin: &Plugin) -> Result<Option<&'a Cluster>, Diagnostic> {
    let namespace = &plugin.meta.namespace;
    let Some(name) = &plugin.cluster_name else {
        let definition = &plugin.spec.definition;
        let free = namespace == "greenhouse"
            || world
                .definition(namespace, definition.kind, &definition.name)
                .is_some_and(|definition| definition.helm_chart.is_none());
        let own_namespace = plugin
            .spec
            .release_namespace
            .as_ref()
            .is_none_or(|release| release == namespace);
        return match (
            free,
            ON_THE_HUB.contains(&definition.name.as_str()),
            own_namespace,
        ) {
            (true, ..) | (false, true, true) => Ok(None),
            (false, true, false) => Err(Diagnostic::error(
                Code::InvalidValue,
                "a Plugin on the hub can only be deployed to its own namespace",
            )
            .at(&plugin.meta.location)
            .expected(format!("`releaseNamespace: {namespace}`"))),
            (false, false, _) => Err(Diagnostic::error(
                Code::MissingField,
                format!("a Plugin of {} needs a `clusterName`", definition.name),
            )
            .at(&plugin.meta.location)
            .hint(format!(
                "only these run on the hub itself: {}",
                ON_THE_HUB.join(", ")
            ))),
        };
    };
    world
        .clusters
        .get(&(namespace.clone(), name.clone()))
        .map(Some)
        .ok_or_else(|| {
            let known = world
                .clusters
                .keys()
                .filter(|(other, _)| other == namespace)
                .map(|(_, name)| name.as_str());
            let mut diagnostic = Diagnostic::error(
                Code::InvalidValue,
                format!("there is no Cluster `{name}` in namespace `{namespace}`"),
            )
            .at(&plugin.meta.location);
            diagnostic.hint = did_you_mean(name, known);
            diagnostic
        })
}
