//! Which documents are ours.

use std::sync::Arc;

use crate::diagnostic::{Code, Diagnostic, Location, did_you_mean, nearest};
use crate::yaml::{Content, Mark, Node};

/// The group of Greenhouse's kinds.
pub(super) const GREENHOUSE: &str = "greenhouse.sap";
/// The group of our own kinds.
pub(super) const COLDFRAME: &str = "coldframe.dev";
const VERSION: &str = "v1alpha1";

/// A kind that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Catalog,
    Cluster,
    ClusterPluginDefinition,
    Organization,
    Plugin,
    PluginDefinition,
    PluginPreset,
    Fleet,
    RolloutApproval,
    RolloutOverride,
    RolloutPolicy,
}

impl Kind {
    const ALL: [Self; 11] = [
        Self::Catalog,
        Self::Cluster,
        Self::ClusterPluginDefinition,
        Self::Organization,
        Self::Plugin,
        Self::PluginDefinition,
        Self::PluginPreset,
        Self::Fleet,
        Self::RolloutApproval,
        Self::RolloutOverride,
        Self::RolloutPolicy,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Catalog => "Catalog",
            Self::Cluster => "Cluster",
            Self::ClusterPluginDefinition => "ClusterPluginDefinition",
            Self::Organization => "Organization",
            Self::Plugin => "Plugin",
            Self::PluginDefinition => "PluginDefinition",
            Self::PluginPreset => "PluginPreset",
            Self::Fleet => "Fleet",
            Self::RolloutApproval => "RolloutApproval",
            Self::RolloutOverride => "RolloutOverride",
            Self::RolloutPolicy => "RolloutPolicy",
        }
    }

    pub(super) fn group(self) -> &'static str {
        match self {
            Self::Fleet | Self::RolloutApproval | Self::RolloutOverride | Self::RolloutPolicy => {
                COLDFRAME
            }
            _ => GREENHOUSE,
        }
    }

    /// Whether objects of the kind lie in a namespace.
    pub(super) fn is_namespaced(self) -> bool {
        !matches!(self, Self::ClusterPluginDefinition | Self::Organization)
    }

    pub(super) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    fn names_in(group: &str) -> impl Iterator<Item = &'static str> {
        let of_group = move |kind: &Self| kind.group() == group;
        Self::ALL.into_iter().filter(of_group).map(Self::name)
    }
}

/// Further kinds of the two groups, which are left alone.
const OTHER_KINDS: &[&str] = &[
    "ClusterKubeconfig",
    "Lock",
    "PluginDefinitionRevision",
    "PluginRollout",
    "Team",
    "TeamMembership",
    "TeamRole",
    "TeamRoleBinding",
];

/// The documents of ours that a node is or, being a `List`, has; and what is wrong with their
/// identity.
pub(super) fn sort_out(
    node: Node,
    file: &Arc<str>,
    documents: &mut Vec<(Kind, Node)>,
    problems: &mut Vec<Diagnostic>,
) {
    if text(&node, "kind") == Some("List") && text(&node, "apiVersion") == Some("v1") {
        let Content::Mapping(entries) = node.content else {
            return;
        };
        for entry in entries.into_iter().filter(|entry| entry.key == "items") {
            if let Content::Sequence(items) = entry.value.content {
                for item in items {
                    sort_out(item, file, documents, problems);
                }
            }
        }
        return;
    }
    let place = |mark: Mark| Location::new(Arc::clone(file), mark.line, mark.column);
    match identify(&node, place) {
        Ok(Some(kind)) => documents.push((kind, node)),
        Ok(None) => {}
        Err(problem) => problems.push(*problem),
    }
}

fn text<'n>(node: &'n Node, key: &str) -> Option<&'n str> {
    node.get(key).and_then(Node::as_str)
}

fn identify(
    node: &Node,
    place: impl Fn(Mark) -> Location,
) -> Result<Option<Kind>, Box<Diagnostic>> {
    let kind_node = node.get("kind");
    let kind = kind_node.and_then(Node::as_str);
    let at = place(kind_node.map_or(node.mark, |kind| kind.mark));
    let Some(api_node) = node.get("apiVersion") else {
        // Without a version every API server refuses it, but it may be something else entirely.
        let known = kind.and_then(Kind::named);
        return match known.filter(|_| node.get("metadata").is_some()) {
            None => Ok(None),
            Some(kind) => Err(Box::new(
                Diagnostic::error(Code::MissingField, "`apiVersion` is missing")
                    .at(&at)
                    .expected(format!("`apiVersion: {}/{VERSION}`", kind.group())),
            )),
        };
    };
    let Some((group, version)) = api_node.as_str().and_then(|api| api.split_once('/')) else {
        return Ok(None);
    };
    if group != GREENHOUSE && group != COLDFRAME {
        return match foreign_group(kind, group) {
            None => Ok(None),
            Some(meant) => Err(Box::new(
                Diagnostic::warning(
                    Code::UnknownVersion,
                    format!("the group `{group}` is unknown, and the object is not read"),
                )
                .at(&place(api_node.mark))
                .expected(format!("`apiVersion: {meant}/{VERSION}`")),
            )),
        };
    }
    let Some(kind) = kind else {
        return Err(Box::new(
            Diagnostic::error(Code::MissingField, "`kind` is missing or no string")
                .at(&at)
                .expected("the kind of the object"),
        ));
    };
    let Some(known) = Kind::named(kind).filter(|known| known.group() == group) else {
        return unknown_kind(kind, group, &at).map_or(Ok(None), |problem| Err(Box::new(problem)));
    };
    if version != VERSION {
        return Err(Box::new(
            Diagnostic::error(
                Code::UnknownVersion,
                format!("the version `{version}` of {kind} is not known"),
            )
            .at(&place(api_node.mark))
            .expected(format!("`apiVersion: {group}/{VERSION}`")),
        ));
    }
    Ok(Some(known))
}

/// The group that is meant, where a kind of ours has one that is misspelt.
fn foreign_group(kind: Option<&str>, group: &str) -> Option<&'static str> {
    let meant = kind.and_then(Kind::named)?.group();
    nearest(group, [meant]).map(|_| meant)
}

/// A kind of a known group that nobody knows. Another version of Greenhouse may have more kinds
/// than this one knows, so only what looks like a typo is worth a word there.
fn unknown_kind(kind: &str, group: &str, at: &Location) -> Option<Diagnostic> {
    if OTHER_KINDS.contains(&kind) {
        return None;
    }
    let home = Kind::named(kind).map(Kind::group);
    let hint = match home {
        Some(home) => Some(format!("{kind} is of the group `{home}`")),
        None => did_you_mean(kind, Kind::names_in(group)),
    };
    let message = format!("the group `{group}` has no kind `{kind}`");
    let mut problem = if group == COLDFRAME || home.is_some() {
        Diagnostic::error(Code::UnknownKind, message)
    } else {
        hint.as_ref()?;
        Diagnostic::warning(Code::UnknownKind, message)
    };
    problem.hint = hint;
    let kinds: Vec<_> = Kind::names_in(group).collect();
    Some(problem.at(at).expected(super::fields::one_of(&kinds)))
}

/// Whether a text can have a document of ours at all. Cheap, and never wrong about one that has.
pub(super) fn may_matter(text: &str) -> bool {
    text.contains(GREENHOUSE)
        || text.contains(COLDFRAME)
        || text.lines().any(|line| line_kind(line).is_some())
}

/// Whether the text of a document that is not valid YAML is meant to be one of ours.
pub(super) fn looks_like_ours(document: &str) -> bool {
    let mut kind = false;
    for line in document.lines() {
        let line = line.trim_start_matches(['{', '"']);
        if let Some(rest) = line.strip_prefix("apiVersion") {
            let value =
                rest.trim_start_matches(|c: char| c == '"' || c == ':' || c.is_whitespace());
            let ours = |group: &str| {
                value
                    .strip_prefix(group)
                    .is_some_and(|rest| rest.starts_with('/'))
            };
            return ours(GREENHOUSE) || ours(COLDFRAME);
        }
        kind = kind || line_kind(line).is_some();
    }
    kind || (document.trim_start().starts_with('{')
        && [GREENHOUSE, COLDFRAME]
            .iter()
            .any(|group| document.contains(&format!("\"{group}/"))))
}

fn line_kind(line: &str) -> Option<Kind> {
    let value = line.strip_prefix("kind:")?;
    let value = value.split('#').next()?.trim().trim_matches(['"', '\'']);
    Kind::named(value)
}
