//! `Fleet`, usually the file `coldframe.yaml`.

use std::collections::BTreeMap;
use std::path::{Component, Path};

use super::once;
use crate::diagnostic::Code;
use crate::expand::names;
use crate::load::fields::Item;
use crate::load::meta::meta;
use crate::load::settings::{percent, version};
use crate::model::{
    DeletionLimit, Fleet, FleetSource, FluxVersion, GitRef, Output, OutputFormat, SourceKind,
    SourceRef,
};
use crate::yaml::{Content, Node};

/// Reads a fleet.
pub(in crate::load) fn fleet(root: &Item<'_>) -> Option<Fleet> {
    let mut document = root.map()?;
    let meta = meta(root, &mut document, None);
    let mut fleet = Fleet {
        meta: meta?,
        sources: Vec::new(),
        output: Output::default(),
        base_domain: None,
        templates: None,
        deletion_limit: None,
        identities: BTreeMap::new(),
    };
    let spec = document.optional("spec");
    document.finish();
    let Some(spec) = spec else { return Some(fleet) };
    let mut spec = spec.map()?;
    let sources = match spec.optional("sources") {
        Some(item) => sources(&item),
        None => Some(Vec::new()),
    };
    if let Some(item) = spec.optional("output") {
        output(&item, &mut fleet.output);
    }
    fleet.base_domain = spec
        .optional("baseDomain")
        .and_then(|item| item.name(names::dns1123_subdomain).map(str::to_owned));
    fleet.templates = spec.optional("templates").and_then(|item| folder(&item));
    if let Some(mut limits) = spec.optional("limits").and_then(|item| item.map()) {
        fleet.deletion_limit = limits
            .optional("deletions")
            .and_then(|item| deletions(&item));
        limits.finish();
    }
    for (author, user) in spec
        .optional("identities")
        .and_then(|item| item.entries())
        .unwrap_or_default()
    {
        if let Some(user) = user.text() {
            fleet.identities.insert(author.to_owned(), user.to_owned());
        }
    }
    spec.finish();
    fleet.sources = sources?;
    Some(fleet)
}

fn sources(item: &Item<'_>) -> Option<Vec<FleetSource>> {
    let items = item.list()?;
    let mut seen = Vec::new();
    let sources: Vec<_> = items.iter().map(|item| source(item, &mut seen)).collect();
    sources.into_iter().collect()
}

fn source<'a>(item: &Item<'a>, seen: &mut Vec<&'a str>) -> Option<FleetSource> {
    let mut fields = item.map()?;
    let name = fields.required("name").and_then(|item| {
        let name = item.text()?;
        once(seen, &item, name);
        item.name(names::dns1123_label)
    });
    let url = fields.required("url").and_then(|item| {
        let url = item.text()?;
        if !url.contains("://") && !url.contains('@') {
            item.invalid(
                format!("`{}` is `{url}`", item.path),
                "the URL of a git repository, such as https://git.example.com/acme/fleet",
            );
        }
        Some(url)
    });
    let git_ref = match fields.optional("ref") {
        Some(item) => git_ref(&item),
        None => Some(GitRef::default()),
    };
    let paths = match fields.optional("paths") {
        Some(item) => item.strings(),
        None => Some(Vec::new()),
    };
    fields.finish();
    Some(FleetSource {
        name: name?.to_owned(),
        url: url?.to_owned(),
        git_ref: git_ref?,
        paths: paths?,
        location: item.location(),
    })
}

fn git_ref(item: &Item<'_>) -> Option<GitRef> {
    let mut fields = item.map()?;
    let places = ["branch", "tag", "semver", "commit"].map(|name| fields.optional(name));
    fields.finish();
    if places.iter().flatten().count() > 1 {
        item.invalid(
            format!("`{}` says more than one thing", item.path),
            "one of `branch`, `tag`, `semver` and `commit`",
        );
    }
    let [branch, tag, semver, commit] = places;
    let text = |item: Option<Item<'_>>| item.and_then(|item| item.text()).map(str::to_owned);
    let semver = semver.and_then(|item| version(&item));
    let commit = commit.and_then(|item| {
        let commit = item.text()?;
        if !matches!(commit.len(), 40 | 64) || !commit.bytes().all(|byte| byte.is_ascii_hexdigit())
        {
            item.invalid(
                format!("`{}` is `{commit}`", item.path),
                "the full id of a commit, 40 or 64 hexadecimal digits",
            );
        }
        Some(commit.to_owned())
    });
    Some(GitRef {
        branch: text(branch),
        tag: text(tag),
        semver: semver.map(|version| version.spec.text),
        commit,
    })
}

fn output(item: &Item<'_>, output: &mut Output) -> Option<()> {
    let mut fields = item.map()?;
    let format = fields.optional("format").and_then(|item| {
        item.choice(&[
            ("flux", OutputFormat::Flux),
            ("greenhouse", OutputFormat::Greenhouse),
        ])
    });
    output.format = format.unwrap_or(output.format);
    if let Some(source) = fields
        .optional("sourceRef")
        .and_then(|item| source_ref(&item))
    {
        output.source_ref = source;
    }
    if let Some(path) = fields.optional("path").and_then(|item| folder(&item)) {
        output.path = path;
    }
    if let Some(item) = fields.optional("kubeConfigKey")
        && let Some(key) = item.text()
    {
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        if !key.bytes().all(allowed) {
            item.invalid(
                format!("`{}` is `{key}`", item.path),
                "the key of a Secret: letters, digits, `-`, `_` and `.`",
            );
        }
        key.clone_into(&mut output.kube_config_key);
    }
    if let Some(version) = fields
        .optional("fluxVersion")
        .and_then(|item| flux_version(&item))
    {
        output.flux_version = version;
    }
    fields.finish();
    Some(())
}

fn source_ref(item: &Item<'_>) -> Option<SourceRef> {
    let kinds = SourceKind::ALL.map(|kind| (kind.as_str(), kind));
    let mut fields = item.map()?;
    let kind = match fields.optional("kind") {
        Some(item) => item.choice(&kinds),
        None => Some(SourceKind::GitRepository),
    };
    let source = fields.required("name").and_then(|item| name(&item));
    let namespace = fields.optional("namespace").and_then(|item| name(&item));
    fields.finish();
    Some(SourceRef {
        kind: kind?,
        name: source?,
        namespace,
    })
}

fn name(item: &Item<'_>) -> Option<String> {
    item.name(names::dns1123_subdomain).map(str::to_owned)
}

fn flux_version(item: &Item<'_>) -> Option<FluxVersion> {
    let text = item.string()?;
    let version = text
        .split_once('.')
        .and_then(|(major, minor)| Some((major.parse().ok()?, minor.parse().ok()?)));
    let Some((major, minor)) = version else {
        item.invalid(
            format!("`{}` is `{text}`", item.path),
            "a minor release of Flux, such as \"2.9\"",
        );
        return None;
    };
    Some(FluxVersion { major, minor })
}

fn deletions(item: &Item<'_>) -> Option<DeletionLimit> {
    match &item.node.content {
        Content::Number(_) => item
            .count()
            .map(|count| DeletionLimit::Count(count as usize)),
        Content::String(text) => {
            let share = percent(text).filter(|share| *share <= 100);
            if share.is_none() {
                item.invalid(
                    format!("`{}` is `{text}`", item.path),
                    "a whole number, or a share from 0% to 100%",
                );
            }
            share.map(DeletionLimit::Percent)
        }
        _ => {
            item.wrong_type("a whole number, or a string such as 10%");
            None
        }
    }
}

/// A folder within the repository.
fn folder(item: &Item<'_>) -> Option<String> {
    let text = item.text()?;
    if !is_inside(text) {
        item.push(
            item.error(
                Code::InvalidValue,
                format!("`{}` leads out of the repository: `{text}`", item.path),
            )
            .expected("a path relative to the repository, without `..`"),
        );
        return None;
    }
    Some(
        text.trim_start_matches("./")
            .trim_end_matches('/')
            .to_owned(),
    )
}

fn is_inside(path: &str) -> bool {
    Path::new(path)
        .components()
        .all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}

/// The folders that a fleet writes to or takes templates from, which are never input.
pub(in crate::load) struct FleetPaths {
    pub(in crate::load) output: String,
    pub(in crate::load) templates: Option<String>,
}

/// Looks these folders up in the documents of a `coldframe.yaml`, before anything else is read.
pub(in crate::load) fn fleet_paths<'n>(
    documents: impl IntoIterator<Item = &'n Node>,
) -> Option<FleetPaths> {
    let fleet = documents
        .into_iter()
        .find(|node| node.get("kind").and_then(Node::as_str) == Some("Fleet"))?;
    let spec = fleet.get("spec");
    let text = |node: Option<&Node>| {
        node.and_then(Node::as_str)
            .filter(|path| is_inside(path))
            .map(str::to_owned)
    };
    let output = spec.and_then(|spec| spec.get("output"));
    Some(FleetPaths {
        output: text(output.and_then(|output| output.get("path")))
            .unwrap_or_else(|| Output::default().path),
        templates: text(spec.and_then(|spec| spec.get("templates"))),
    })
}
