//! What belongs to all releases: sources, Kustomizations, variables and indexes; and what stays of
//! the tree before where a release could not be rendered, or was not asked for.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use super::documents::{annotations, labels, metadata, path, render, source_ref};
use super::plan::HUB;
use super::release::definition_name;
use super::tree::{File, is_index, kustomization_name, original};
use super::{Renderer, sources};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::expand::Subject;
use crate::model::{DefinitionKind, OutputFormat, label};
use crate::resolve::Revision;
use crate::yaml::{self, Map, Value};

/// What became of a release.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It was rendered.
    Rendered,
    /// It has nothing to render.
    Empty,
    /// It could not be rendered.
    Failed,
    /// It was not asked for.
    Skipped,
}

/// The tree before.
#[derive(Clone, Debug, Default)]
pub struct Previous {
    /// Paths of all its files.
    pub paths: BTreeSet<String>,
    /// Text of the files below `sources/` and `definitions/`.
    pub shared: BTreeMap<String, String>,
}

/// What of the tree before stays although it was not rendered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// Releases that failed.
    Failed,
    /// Also releases of presets or clusters that could not be read: they may still be meant.
    Unread,
    /// Everything: only a part was asked for.
    Everything,
}

/// The rest of the tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rest {
    /// Files to write.
    pub files: Vec<File>,
    /// Paths of files that stay as they are.
    pub kept: Vec<String>,
}

impl Renderer<'_> {
    /// Everything but the releases. `outcomes` are those of [`Renderer::jobs`], `written` the
    /// paths of the files that they made.
    pub fn rest(
        &self,
        outcomes: &[Outcome],
        written: &BTreeSet<String>,
        previous: &Previous,
        kept: Kept,
        diagnostics: &mut Diagnostics,
    ) -> Rest {
        let mut rest = Rest {
            files: Vec::new(),
            kept: self.kept(outcomes, written, previous, kept),
        };
        let present: BTreeSet<&str> = written
            .iter()
            .chain(&rest.kept)
            .map(String::as_str)
            .collect();

        let mut files = self.shared(outcomes, diagnostics);
        if !rest.kept.is_empty() {
            keep_shared(&mut files, previous);
        }
        let mut folders: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for path in &present {
            if let Some((folder, name)) = path
                .rsplit_once('/')
                .filter(|_| path.starts_with("releases/") && !is_index(path))
            {
                folders.entry(folder.to_owned()).or_default().push(name);
            }
        }
        for (folder, names) in &folders {
            files.extend(self.index(folder, names, diagnostics));
        }
        for (index, folder) in self.plan.folders.iter().enumerate() {
            // Where all releases are kept, so is what they were brought to the hub with.
            let path = format!("{}/", self.plan.folder_path(index));
            let rendered = written.range(path.clone()..).next();
            if rendered.is_some_and(|rendered| rendered.starts_with(&path)) {
                match self.rollout(folder) {
                    Ok(file) => files.push(file),
                    Err(problem) => diagnostics.push(*problem),
                }
            }
        }
        let mut top: BTreeSet<String> = files
            .iter()
            .filter(|file| !file.path.starts_with("releases/"))
            .map(|file| file.path.clone())
            .collect();
        top.extend(
            present
                .iter()
                .filter(|path| on_the_hub(path))
                .map(|path| (*path).to_owned()),
        );
        let top: Vec<&str> = top.iter().map(String::as_str).collect();
        files.extend(self.index("", &top, diagnostics));

        rest.kept
            .retain(|path| !files.iter().any(|file| file.path == *path));
        rest.files = files;
        rest
    }

    /// Files of the tree before that stay.
    fn kept(
        &self,
        outcomes: &[Outcome],
        written: &BTreeSet<String>,
        previous: &Previous,
        kept: Kept,
    ) -> Vec<String> {
        let refused = self.plan.refused.iter();
        let mut failed: BTreeSet<(&str, &str)> = refused
            .map(|(preset, cluster)| (preset.as_str(), cluster.as_str()))
            .collect();
        let mut gone: BTreeSet<(&str, &str)> = BTreeSet::new();
        for (job, outcome) in self.plan.jobs.iter().zip(outcomes) {
            let key = (
                self.plan.subjects[job.subject].subject.meta().name.as_str(),
                job.cluster_name().unwrap_or(HUB),
            );
            match outcome {
                Outcome::Failed => failed.insert(key),
                Outcome::Rendered | Outcome::Empty => gone.insert(key),
                Outcome::Skipped => false,
            };
        }
        let presets: BTreeSet<&str> = self
            .plan
            .subjects
            .iter()
            .map(|resolved| resolved.subject.meta().name.as_str())
            .collect();
        let clusters: BTreeSet<&str> = self
            .world
            .clusters
            .values()
            .map(|cluster| cluster.meta.name.as_str())
            .chain([HUB])
            .collect();
        let stays = |path: &str| match place(path) {
            Place::Release(preset, cluster) => {
                let key = (preset, cluster);
                failed.contains(&key)
                    || !gone.contains(&key)
                        && match kept {
                            Kept::Everything => true,
                            // A preset that has no revision, and one or a cluster that was not read, may still be meant.
                            Kept::Unread => {
                                !presets.contains(preset) || !clusters.contains(cluster)
                            }
                            Kept::Failed => self.unresolved(preset),
                        }
            }
            Place::Rollout | Place::Shared => kept == Kept::Everything,
            Place::Index => false,
        };
        let mut paths: BTreeSet<&str> = previous
            .paths
            .iter()
            .map(String::as_str)
            .filter(|path| stays(path))
            .collect();
        paths.retain(|path| !written.contains(*path));
        // The Kustomization that brings a kept release to the hub stays with it.
        let rollouts: BTreeSet<String> = paths
            .iter()
            .filter_map(|path| {
                Some(format!(
                    "rollouts/{}.yaml",
                    path.strip_prefix("releases/")?.rsplit_once('/')?.0
                ))
            })
            .collect();
        let rollouts = previous
            .paths
            .iter()
            .filter(|path| rollouts.contains(*path))
            .map(String::as_str);
        let indexes: BTreeSet<String> = paths
            .iter()
            .filter(|path| path.starts_with("canaries/"))
            .filter_map(|path| Some(format!("{}/kustomization.yaml", path.rsplit_once('/')?.0)))
            .collect();
        let indexes = previous
            .paths
            .iter()
            .filter(|path| indexes.contains(*path))
            .map(String::as_str);
        let all: BTreeSet<&str> = paths
            .iter()
            .copied()
            .chain(rollouts)
            .chain(indexes)
            .filter(|path| !written.contains(*path))
            .collect();
        all.into_iter().map(str::to_owned).collect()
    }

    /// Whether the world has a preset of that name that is not rendered, for want of a revision.
    fn unresolved(&self, name: &str) -> bool {
        let known = self
            .world
            .presets
            .keys()
            .chain(self.world.plugins.keys())
            .any(|(_, other)| other == name);
        known
            && !self
                .plan
                .subjects
                .iter()
                .any(|resolved| resolved.subject.meta().name == name)
    }

    /// The objects that releases share, those in use.
    fn shared(&self, outcomes: &[Outcome], diagnostics: &mut Diagnostics) -> Vec<File> {
        let used: BTreeSet<usize> = self
            .plan
            .jobs
            .iter()
            .zip(outcomes)
            .filter(|(_, outcome)| **outcome == Outcome::Rendered)
            .map(|(job, _)| job.subject)
            .collect();
        let revisions = used
            .iter()
            .map(|subject| self.plan.subjects[*subject].revision.as_ref());
        match self.settings.output.format {
            OutputFormat::Flux => {
                let definitions: Vec<_> = revisions.map(|revision| &revision.definition).collect();
                sources::files(self.world, self.engine, &definitions, diagnostics)
            }
            OutputFormat::Greenhouse => {
                let mut files: BTreeMap<String, (File, &Revision)> = BTreeMap::new();
                for revision in revisions {
                    match self.definition(revision) {
                        Ok(file) => {
                            if let Some((other, first)) =
                                files.insert(file.path.clone(), (file.clone(), revision))
                                && other != file
                            {
                                diagnostics.push(same_definition_name(first, revision));
                            }
                        }
                        Err(problem) => diagnostics.push(*problem),
                    }
                }
                files.into_values().map(|(file, _)| file).collect()
            }
        }
    }

    /// The definition that Plugins of a revision refer to.
    fn definition(&self, revision: &Revision) -> Result<File, Box<Diagnostic>> {
        let definition = &revision.definition;
        let name = definition_name(revision);
        let full_name = format!("{}-{}", definition.meta.name, definition.version);
        let mut own = annotations(original(&full_name, &name));
        own.insert(
            crate::model::annotation::DIGEST.to_owned(),
            revision.digest.as_str().into(),
        );
        let mut variables = metadata(
            self.engine,
            "plugindefinition.yaml",
            &name,
            &definition.meta.namespace,
            labels(&[]),
            own,
        );
        if definition.kind == DefinitionKind::ClusterPluginDefinition {
            variables.set("namespace", &None::<String>);
        }
        variables.set("kind", definition.kind.as_str());
        variables.set("spec", &definition.spec());
        let document = render(self.engine, "plugindefinition.yaml", variables)?;
        Ok(File::new(format!("definitions/{name}.yaml"), &[document]))
    }

    /// The Kustomization of a part of a tier, and the ConfigMap of its variables.
    fn rollout(&self, folder: &super::Folder) -> Result<File, Box<Diagnostic>> {
        let resolved = &self.plan.subjects[folder.subject];
        let meta = resolved.subject.meta();
        let name = kustomization_name(&meta.name, &folder.name);
        let full_name = format!("{}-{}", meta.name, folder.name);
        let mut own_labels = labels(&[]);
        if let Subject::Preset(preset) = resolved.subject {
            own_labels.insert(
                label::PLUGIN_PRESET.to_owned(),
                preset.meta.name.as_str().into(),
            );
        }
        let own = annotations(original(&full_name, &name));
        let begin = |template| {
            metadata(
                self.engine,
                template,
                &name,
                &meta.namespace,
                own_labels.clone(),
                own.clone(),
            )
        };
        let substitute = variables(&meta.name, &resolved.revision, &folder.tier);
        let mut kustomization = begin("kustomization.yaml");
        kustomization.set("variables", &substitute);
        kustomization.set(
            "path",
            &path(
                self.settings,
                &format!("releases/{}/{}", meta.name, folder.name),
            ),
        );
        kustomization.set("source_ref", &source_ref(self.settings));
        let mut config_map = begin("variables.yaml");
        config_map.set("variables", &substitute);
        let documents = [
            render(self.engine, "kustomization.yaml", kustomization)?,
            render(self.engine, "variables.yaml", config_map)?,
        ];
        Ok(File::new(
            format!("rollouts/{}/{}.yaml", meta.name, folder.name),
            &documents,
        ))
    }

    fn index(&self, folder: &str, names: &[&str], diagnostics: &mut Diagnostics) -> Option<File> {
        let mut variables = self.engine.variables("index.yaml");
        variables.set("resources", names);
        match render(self.engine, "index.yaml", variables) {
            Ok(document) => {
                let path = if folder.is_empty() {
                    "kustomization.yaml".to_owned()
                } else {
                    format!("{folder}/kustomization.yaml")
                };
                Some(File::new(path, &[document]))
            }
            Err(problem) => {
                diagnostics.push(*problem);
                None
            }
        }
    }
}

/// The variables that a tier's Kustomization substitutes.
fn variables(preset: &str, revision: &Revision, tier: &str) -> Map<String, Value> {
    let entries = [
        ("CLUSTER_TIER", tier.to_owned()),
        ("PLUGIN_DIGEST", revision.digest.clone()),
        ("PLUGIN_NAME", revision.definition.meta.name.clone()),
        ("PLUGIN_PRESET", preset.to_owned()),
        ("PLUGIN_REVISION", revision.number.to_string()),
        ("PLUGIN_VERSION", revision.version().to_owned()),
    ];
    entries
        .into_iter()
        .map(|(key, value)| (key.to_owned(), Value::String(value)))
        .collect()
}

/// Of the files before that hold what releases share, adds the documents that are not rendered
/// now: a kept release may need them.
fn keep_shared(files: &mut Vec<File>, previous: &Previous) {
    for (path, text) in &previous.shared {
        let Some(file) = files.iter_mut().find(|file| file.path == *path) else {
            files.push(File {
                path: path.clone(),
                content: text.clone(),
            });
            continue;
        };
        let known: Vec<Value> = documents(&file.content)
            .map(|document| identity(&document))
            .collect();
        for document in documents(text).filter(|document| !known.contains(&identity(document))) {
            file.content.push_str("---\n");
            yaml::write(&document, &mut file.content);
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
}

fn documents(text: &str) -> impl Iterator<Item = Value> {
    yaml::read(text)
        .into_iter()
        .flatten()
        .map(|node| node.to_value())
}

fn identity(document: &Value) -> Value {
    json!([
        document["kind"],
        document["metadata"]["namespace"],
        document["metadata"]["name"]
    ])
}

fn same_definition_name(one: &Revision, other: &Revision) -> Diagnostic {
    Diagnostic::error(
        Code::NameConflict,
        format!(
            "the definition `{}` would be that of {} ({}) and of {}",
            definition_name(one),
            one.definition.meta.name,
            one.definition.meta.location,
            other.definition.meta.name
        ),
    )
    .at(&other.definition.meta.location)
}

/// What a path of the tree holds.
enum Place<'a> {
    /// A release or its Canary: preset and cluster.
    Release(&'a str, &'a str),
    Rollout,
    Shared,
    Index,
}

fn place(path: &str) -> Place<'_> {
    if is_index(path) {
        return Place::Index;
    }
    let parts: Vec<&str> = path.split('/').collect();
    match parts.as_slice() {
        ["releases", preset, _, file] | ["canaries", preset, file] => {
            Place::Release(preset, file.strip_suffix(".yaml").unwrap_or(file))
        }
        ["canaries", preset, cluster, _] => Place::Release(preset, cluster),
        ["rollouts", ..] => Place::Rollout,
        _ => Place::Shared,
    }
}

/// Whether a file is applied to the hub by the index at the top.
fn on_the_hub(path: &str) -> bool {
    match place(path) {
        Place::Release(..) => path.starts_with("canaries/") && path.matches('/').count() == 2,
        Place::Rollout | Place::Shared => true,
        Place::Index => false,
    }
}
