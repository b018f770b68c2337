//! Documents to objects, and objects to a world.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rayon::prelude::*;

use super::context::{Context, Unknown};
use super::fields::Item;
use super::greenhouse::{COMMON_HOMES, PRESET_HOMES};
use super::kind::{COLDFRAME, Kind};
use super::source::Contents;
use super::{LoadOptions, Loaded, apply_overrides, coldframe, greenhouse};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Location, ObjectRef, Severity};
use crate::model::{
    Catalog, Cluster, Definition, DefinitionKind, Fleet, Meta, Plugin, Preset, RolloutPolicy, World,
};
use crate::yaml::Node;

/// An object that was read.
enum Object {
    Catalog(Catalog),
    Cluster(Cluster),
    Definition(Definition),
    Fleet(Fleet),
    Plugin(Plugin),
    Policy(RolloutPolicy),
    Preset(Preset),
    /// One that is valid and that the world has no place for.
    Other,
}

/// What became of one document.
struct Decoded {
    kind: Kind,
    location: Location,
    identity: Option<ObjectRef>,
    /// Absent where it has an error.
    object: Option<Object>,
    diagnostics: Vec<Diagnostic>,
}

pub(super) fn assemble(
    contents: Vec<Contents>,
    options: &LoadOptions,
    mut diagnostics: Diagnostics,
) -> Loaded {
    let documents: Vec<_> = contents
        .iter()
        .flat_map(|file| {
            file.documents
                .iter()
                .map(move |(kind, node)| (file, *kind, node))
        })
        .collect();
    let organization = organization(&documents, options, &mut diagnostics);
    let decoded: Vec<_> = documents
        .par_iter()
        .map(|(file, kind, node)| decode(file, *kind, node, &organization))
        .collect();
    let mut world = World::default();
    let mut seen = BTreeMap::new();
    for document in decoded {
        diagnostics.extend(document.diagnostics);
        world.clusters_seen += usize::from(document.kind == Kind::Cluster);
        if let Some(identity) = document.identity {
            note_duplicate(&mut seen, identity, document.location, &mut diagnostics);
        }
        if let Some(object) = document.object {
            add(&mut world, object, &mut diagnostics);
        }
    }
    for catalog in world.catalogs.values() {
        visit_catalog(catalog, &mut world.definitions, &mut diagnostics);
    }
    for source in world.fleet.iter().flat_map(|fleet| &fleet.sources) {
        // Somebody asked for it, so that what it has is missing.
        let problem = not_fetched(&source.url, &source.location);
        diagnostics.push(Diagnostic {
            severity: Severity::Warning,
            ..problem
        });
    }
    let mut texts: BTreeMap<_, _> = BTreeMap::new();
    for file in contents {
        diagnostics.extend(file.diagnostics);
        texts.insert(file.name, file.text);
    }
    diagnostics.sort();
    let named: BTreeSet<Arc<str>> = diagnostics
        .iter()
        .filter_map(|diagnostic| Some(Arc::clone(&diagnostic.location.as_ref()?.file)))
        .collect();
    texts.retain(|name, text| !text.is_empty() && named.contains(name));
    Loaded {
        world,
        organization,
        diagnostics,
        files: texts,
    }
}

fn decode(file: &Contents, kind: Kind, node: &Node, organization: &str) -> Decoded {
    let unknown = match kind {
        _ if kind.group() == COLDFRAME => Unknown::Refused,
        Kind::PluginPreset => Unknown::Pruned(PRESET_HOMES),
        _ => Unknown::Pruned(COMMON_HOMES),
    };
    let cx = Context::new(&file.name, &file.text, organization, unknown);
    let identity = identity(kind, node, organization);
    if let Some(identity) = &identity {
        cx.object.get_or_init(|| identity.clone());
    }
    let root = Item::root(&cx, node);
    let object = match kind {
        Kind::Catalog => greenhouse::catalog(&root).map(Object::Catalog),
        Kind::Cluster => greenhouse::cluster(&root).map(Object::Cluster),
        Kind::ClusterPluginDefinition => {
            greenhouse::definition(&root, DefinitionKind::ClusterPluginDefinition)
                .map(Object::Definition)
        }
        Kind::PluginDefinition => {
            greenhouse::definition(&root, DefinitionKind::PluginDefinition).map(Object::Definition)
        }
        Kind::Plugin => greenhouse::plugin(&root).map(Object::Plugin),
        Kind::PluginPreset => greenhouse::preset(&root).map(Object::Preset),
        Kind::Organization => other(greenhouse::organization(&root)),
        Kind::Fleet => coldframe::fleet(&root).map(Object::Fleet),
        Kind::RolloutPolicy => coldframe::policy(&root).map(Object::Policy),
        Kind::RolloutApproval => other(coldframe::approval(&root)),
        Kind::RolloutOverride => other(coldframe::rollout_override(&root)),
    };
    let location = root.location();
    let object = object.filter(|_| !cx.has_errors());
    Decoded {
        kind,
        location,
        identity,
        object,
        diagnostics: cx.into_diagnostics(),
    }
}

fn other(meta: Option<Meta>) -> Option<Object> {
    meta.map(|_| Object::Other)
}

fn metadata<'n>(node: &'n Node, field: &str) -> Option<&'n str> {
    node.get("metadata")?
        .get(field)?
        .as_str()
        .filter(|text| !text.is_empty())
}

fn identity(kind: Kind, node: &Node, organization: &str) -> Option<ObjectRef> {
    let name = metadata(node, "name")?;
    if kind.is_namespaced() {
        let namespace = metadata(node, "namespace").unwrap_or(organization);
        Some(ObjectRef::namespaced(kind.name(), namespace, name))
    } else {
        Some(ObjectRef {
            kind: kind.name().into(),
            namespace: None,
            name: name.into(),
        })
    }
}

/// The namespace of objects that name none; see [`LoadOptions::organization`].
fn organization(
    documents: &[(&Contents, Kind, &Node)],
    options: &LoadOptions,
    diagnostics: &mut Diagnostics,
) -> String {
    if let Some(given) = &options.organization {
        return given.clone();
    }
    let all = |wanted: Kind, field: &str| -> BTreeSet<String> {
        documents
            .iter()
            .filter(|(_, kind, _)| *kind == wanted)
            .filter_map(|(_, _, node)| metadata(node, field).map(str::to_owned))
            .collect()
    };
    let only = |names: BTreeSet<String>| {
        let mut names = names.into_iter();
        names.next().filter(|_| names.next().is_none())
    };
    let presets = all(Kind::PluginPreset, "namespace");
    if let Some(name) = all(Kind::Fleet, "namespace")
        .into_iter()
        .next()
        .or_else(|| only(presets.clone()))
        .or_else(|| only(all(Kind::Organization, "name")))
    {
        return name;
    }
    let homeless = documents
        .iter()
        .find(|(_, kind, node)| kind.is_namespaced() && metadata(node, "namespace").is_none());
    if let (Some((file, kind, node)), true) = (homeless, presets.len() > 1) {
        let names: Vec<_> = presets.iter().map(String::as_str).collect();
        diagnostics.push(
            Diagnostic::warning(
                Code::OrganizationAssumed,
                format!(
                    "this {} has no namespace, and the presets are in {} of them: `default` is assumed",
                    kind.name(),
                    names.len()
                ),
            )
            .at(&Location::new(Arc::clone(&file.name), node.mark.line, node.mark.column))
            .expected(super::fields::one_of(&names))
            .hint("give the organization, or write `metadata.namespace`"),
        );
    }
    "default".to_owned()
}

fn note_duplicate(
    seen: &mut BTreeMap<ObjectRef, Location>,
    identity: ObjectRef,
    location: Location,
    diagnostics: &mut Diagnostics,
) {
    match seen.entry(identity) {
        Entry::Vacant(entry) => {
            entry.insert(location);
        }
        Entry::Occupied(mut entry) => {
            diagnostics.push(
                Diagnostic::error(
                    Code::DuplicateObject,
                    format!(
                        "{} is defined twice: here and at {}",
                        entry.key(),
                        entry.get()
                    ),
                )
                .at(&location)
                .about(entry.key())
                .expected("each object once")
                .hint("remove or rename one of them; the later one would count"),
            );
            entry.insert(location);
        }
    }
}

fn add(world: &mut World, object: Object, diagnostics: &mut Diagnostics) {
    let key = |meta: &Meta| (meta.namespace.clone(), meta.name.clone());
    match object {
        Object::Catalog(catalog) => {
            world.catalogs.insert(key(&catalog.meta), catalog);
        }
        Object::Cluster(cluster) => {
            world.clusters.insert(key(&cluster.meta), cluster);
        }
        Object::Definition(definition) => world.definitions.push(definition),
        Object::Plugin(plugin) => {
            world.plugins.insert(key(&plugin.meta), plugin);
        }
        Object::Policy(policy) => {
            world.policies.insert(key(&policy.meta), policy);
        }
        Object::Preset(preset) => {
            world.presets.insert(key(&preset.meta), preset);
        }
        Object::Fleet(fleet) => {
            let other = world.fleet.as_ref().map(|other| &other.meta);
            if let Some(other) = other.filter(|other| key(other) != key(&fleet.meta)) {
                diagnostics.push(
                    Diagnostic::error(
                        Code::DuplicateObject,
                        format!("there are two Fleets: here and at {}", other.location),
                    )
                    .at(&fleet.meta.location)
                    .about(&fleet.meta.object("Fleet"))
                    .expected("one Fleet in everything that is read")
                    .hint("remove one of them; the later one would count"),
                );
            }
            world.fleet = Some(fleet);
        }
        Object::Other => {}
    }
}

/// Reports a catalog's sources, and applies its overrides to the definitions that it could mean.
fn visit_catalog(catalog: &Catalog, definitions: &mut [Definition], diagnostics: &mut Diagnostics) {
    let object = catalog.meta.object(Kind::Catalog.name());
    for source in &catalog.sources {
        diagnostics.push(not_fetched(&source.repository, &source.location).about(&object));
        let reachable = definitions.iter_mut().filter(|definition| {
            definition.kind == DefinitionKind::ClusterPluginDefinition
                || definition.meta.namespace == catalog.meta.namespace
        });
        // What a source has that is not fetched is unknown, so nothing can be missing in it.
        let problems = apply_overrides(reachable, source)
            .into_iter()
            .filter(|problem| problem.severity == Severity::Error);
        diagnostics.extend(problems.map(|problem| problem.about(&object)));
    }
}

fn not_fetched(url: &str, location: &Location) -> Diagnostic {
    Diagnostic::note(
        Code::SourceNotFetched,
        format!("`{url}` is not fetched yet"),
    )
    .at(location)
    .hint("check the repository out, and add the folder with `--source`")
}
