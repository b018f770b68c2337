//! `PluginDefinition` and `ClusterPluginDefinition`.

use super::GREENHOUSE_NAMESPACE;
use super::admission;
use super::canary::canary_setting;
use crate::diagnostic::{Code, Diagnostic};
use crate::load::fields::{Item, intact};
use crate::load::meta::meta;
use crate::load::settings::{annotation, setting};
use crate::model::{
    Definition, DefinitionKind, HelmChart, OptionKind, OptionSpec, UiApplication,
    annotation as names,
};

const KINDS: &[(&str, OptionKind)] = &[
    ("string", OptionKind::String),
    ("secret", OptionKind::Secret),
    ("bool", OptionKind::Bool),
    ("int", OptionKind::Int),
    ("list", OptionKind::List),
    ("map", OptionKind::Map),
];

/// Reads a definition.
pub(in crate::load) fn definition(root: &Item<'_>, kind: DefinitionKind) -> Option<Definition> {
    let mut document = root.map()?;
    let fixed = (kind == DefinitionKind::ClusterPluginDefinition).then_some(GREENHOUSE_NAMESPACE);
    let meta = meta(root, &mut document, fixed);
    let spec_item = document.required("spec");
    document.finish();
    let mut spec = spec_item?.map()?;
    let version = spec.required("version").and_then(|item| item.text());
    let display_name = text(spec.optional("displayName"));
    for free in ["description", "docMarkDownUrl", "docsURL", "icon"] {
        text(spec.optional(free));
    }
    if let Some(weight) = spec.optional("weight") {
        weight.whole_number();
    }
    let chart_item = spec.optional("helmChart");
    let helm_chart = chart_item.as_ref().map(helm_chart);
    let ui_item = spec.optional("uiApplication");
    let ui_application = ui_item.as_ref().map(ui_application);
    if chart_item.is_none() && ui_item.is_none() {
        root.push(
            Diagnostic::error(
                Code::MissingContent,
                format!(
                    "the {} has neither a chart nor a UI application",
                    kind.as_str()
                ),
            )
            .at(&spec.location())
            .expected("`spec.helmChart`, `spec.uiApplication`, or both"),
        );
    }
    let options = spec.optional("options").map(|item| options(&item));
    let max_revisions = setting(
        [
            spec.optional("maxRevisions"),
            annotation(root, names::MAX_REVISIONS),
        ],
        max_revisions,
    );
    let canary = canary_setting(root, spec.optional("canary"));
    spec.finish();
    Some(Definition {
        meta: meta?,
        kind,
        version: version?.to_owned(),
        display_name,
        helm_chart: intact(helm_chart)?,
        ui_application: intact(ui_application)?,
        options: intact(options)?,
        max_revisions,
        canary,
    })
}

fn text(item: Option<Item<'_>>) -> Option<String> {
    item?.string().map(Into::into)
}

fn helm_chart(item: &Item<'_>) -> Option<HelmChart> {
    let mut fields = item.map()?;
    let name = fields.required("name").and_then(|item| item.text());
    let repository = fields.required("repository").and_then(|item| {
        let repository = item.text()?;
        if !admission::is_chart_repository(repository) {
            item.invalid(
                format!("`{}` is `{repository}`", item.path),
                "a URL that begins with oci://, https:// or http://",
            );
        }
        Some(repository)
    });
    let version = fields.required("version").and_then(|item| item.text());
    fields.finish();
    Some(HelmChart {
        name: name?.to_owned(),
        repository: repository?.to_owned(),
        version: version?.to_owned(),
    })
}

fn ui_application(item: &Item<'_>) -> Option<UiApplication> {
    let mut fields = item.map()?;
    let name = fields.required("name").and_then(|item| item.text());
    let version = fields.required("version").and_then(|item| item.text());
    text(fields.optional("url"));
    fields.finish();
    Some(UiApplication {
        name: name?.to_owned(),
        version: version?.to_owned(),
    })
}

fn options(item: &Item<'_>) -> Option<Vec<OptionSpec>> {
    let options: Vec<_> = item.list()?.iter().map(option).collect();
    options.into_iter().collect()
}

fn option(item: &Item<'_>) -> Option<OptionSpec> {
    let mut fields = item.map()?;
    let name = fields.required("name").and_then(|item| item.string());
    let required = fields.required("required").and_then(|item| item.boolean());
    let kind = fields.required("type").and_then(|item| item.choice(KINDS));
    let default = fields.optional("default");
    let value = default.as_ref().map(|item| item.node.to_value());
    if let (Some(kind), Some(item), Some(value)) = (kind, &default, &value)
        && let Some(expected) = admission::default_problem(kind, value)
    {
        item.push(
            item.error(
                Code::DefaultType,
                format!(
                    "the default of the {} option `{}` is {}",
                    kind.as_str(),
                    name.unwrap_or_default(),
                    item.in_words()
                ),
            )
            .expected(expected),
        );
    }
    let display_name = text(fields.optional("displayName"));
    let description = text(fields.optional("description"));
    let regex = text(fields.optional("regex"));
    fields.finish();
    Some(OptionSpec {
        name: name?.to_owned(),
        display_name,
        description,
        required: required?,
        kind: kind?,
        default: value,
        regex,
        location: item.location(),
    })
}

fn max_revisions(item: &Item<'_>) -> Option<u32> {
    let count = match item.node.as_str().filter(|_| item.is_annotation()) {
        Some(text) => text.parse().ok(),
        None => Some(item.count()?),
    };
    if count.is_none_or(|count| count == 0) {
        item.invalid(
            format!("`{}` is {}", item.path, item.node.to_value()),
            "a whole number from 1 on",
        );
        return None;
    }
    count
}
