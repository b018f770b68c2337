//! `Catalog`, and what its overrides do to definitions.

use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::expand::names;
use crate::load::fields::Item;
use crate::load::meta::meta;
use crate::model::{Catalog, CatalogOverride, CatalogSource, Definition, GitRef};
use crate::yaml::Value;

use super::admission;

/// Reads a catalog.
pub(in crate::load) fn catalog(root: &Item<'_>) -> Option<Catalog> {
    let mut document = root.map()?;
    let meta = meta(root, &mut document, None);
    let spec_item = document.required("spec");
    document.finish();
    let mut spec = spec_item?.map()?;
    let items = spec.required("sources").and_then(|item| item.list());
    spec.finish();
    let items = items?;
    let sources: Vec<_> = items.iter().map(source).collect();
    let sources = sources.into_iter().collect::<Option<Vec<_>>>()?;
    for (index, (item, source)) in items.iter().zip(&sources).enumerate() {
        let earlier = sources.iter().take(index).find(|other| {
            (&other.repository, &other.git_ref) == (&source.repository, &source.git_ref)
        });
        if let Some(earlier) = earlier {
            item.push(
                item.error(
                    Code::InvalidValue,
                    format!(
                        "`{}` has the same repository and ref as an earlier source",
                        item.path
                    ),
                )
                .expected("each repository and ref once")
                .hint(format!(
                    "add its resources to the source in line {}",
                    earlier.location.line
                )),
            );
        }
    }
    Some(Catalog {
        meta: meta?,
        sources,
    })
}

fn source(item: &Item<'_>) -> Option<CatalogSource> {
    let mut fields = item.map()?;
    let repository = fields.required("repository").and_then(|item| {
        let url = item.string()?;
        if !url.starts_with("https://") {
            item.invalid(
                format!("`{}` is `{url}`", item.path),
                "a URL that begins with https://",
            );
        }
        Some(url)
    });
    let git_ref = match fields.optional("ref") {
        Some(item) => git_ref(&item),
        None => Some(GitRef::default()),
    };
    let resources = fields.required("resources").and_then(|item| item.strings());
    let overrides = match fields.optional("overrides") {
        Some(item) => overrides(&item),
        None => Some(Vec::new()),
    };
    if let Some(item) = fields.optional("interval") {
        interval(&item);
    }
    if let Some(item) = fields.optional("secretName") {
        item.string();
    }
    fields.finish();
    Some(CatalogSource {
        repository: repository?.to_owned(),
        git_ref: git_ref?,
        resources: resources?,
        overrides: overrides?,
        location: item.location(),
    })
}

fn git_ref(item: &Item<'_>) -> Option<GitRef> {
    let mut fields = item.map()?;
    let mut text = |name| {
        let item: Option<Item<'_>> = fields.optional(name);
        let text = item.and_then(|item| item.string());
        text.filter(|text| !text.is_empty()).map(str::to_owned)
    };
    let git_ref = GitRef {
        branch: text("branch"),
        tag: text("tag"),
        semver: None,
        commit: text("sha"),
    };
    fields.finish();
    Some(git_ref)
}

/// The pattern of the CRD: numbers, each with a unit.
fn interval(item: &Item<'_>) {
    let Some(text) = item.string() else { return };
    let mut rest = text;
    let fine = !text.is_empty()
        && std::iter::from_fn(|| {
            let number = rest.len()
                - rest
                    .trim_start_matches(|c: char| c.is_ascii_digit() || c == '.')
                    .len();
            let after = rest.get(number..)?;
            let unit = ["ms", "s", "m", "h"]
                .into_iter()
                .find(|unit| after.starts_with(unit))?;
            rest = after.get(unit.len()..).filter(|_| number > 0)?;
            Some(())
        })
        .count()
            > 0
        && rest.is_empty();
    if !fine {
        item.invalid(
            format!("`{}` is `{text}`", item.path),
            "a duration such as 30s, 10m or 1h30m",
        );
    }
}

fn overrides(item: &Item<'_>) -> Option<Vec<CatalogOverride>> {
    let overrides: Vec<_> = item.list()?.iter().map(catalog_override).collect();
    overrides.into_iter().collect()
}

fn catalog_override(item: &Item<'_>) -> Option<CatalogOverride> {
    let mut fields = item.map()?;
    let name = fields.required("name").and_then(|item| item.text());
    let alias = fields.optional("alias").and_then(|item| {
        item.string().filter(|alias| !alias.is_empty())?;
        item.name(names::dns1123_subdomain).map(str::to_owned)
    });
    let repository = fields.optional("repository").and_then(|item| {
        let url = item.string().filter(|url| !url.is_empty())?;
        if !admission::is_chart_repository(url) {
            item.invalid(
                format!("`{}` is `{url}`", item.path),
                "a URL that begins with oci://, https:// or http://",
            );
        }
        Some(url.to_owned())
    });
    let options = match fields.optional("optionsOverride") {
        Some(item) => options(&item),
        None => Some(Vec::new()),
    };
    fields.finish();
    Some(CatalogOverride {
        name: name?.to_owned(),
        alias,
        repository,
        options: options?,
        location: item.location(),
    })
}

fn options(item: &Item<'_>) -> Option<Vec<(String, Value)>> {
    let options: Vec<_> = item
        .list()?
        .iter()
        .map(|item| {
            let mut fields = item.map()?;
            let name = fields.required("name").and_then(|item| item.text());
            let value = fields.nullable("value");
            if value.is_none() {
                fields.missing("value");
            }
            fields.finish();
            Some((name?.to_owned(), value?.node.to_value()))
        })
        .collect();
    options.into_iter().collect()
}

/// Applies the overrides of one catalog source to the definitions that came from it, as Greenhouse
/// patches them: by the definition's name, `alias` replaces the name, `repository` the chart's
/// repository, and `optionsOverride` the default of an option.
///
/// An option that the definition does not declare is an error, because there the whole source
/// fails; a definition that is not there is only a warning, because there nothing happens.
pub fn apply_overrides<'d>(
    definitions: impl IntoIterator<Item = &'d mut Definition>,
    source: &CatalogSource,
) -> Diagnostics {
    let mut diagnostics = Diagnostics::new();
    let mut definitions: Vec<_> = definitions.into_iter().collect();
    // Names are looked up before any alias is given, so that no override meets another's alias.
    let names: Vec<_> = definitions
        .iter()
        .map(|each| each.meta.name.clone())
        .collect();
    for change in &source.overrides {
        let mut found = false;
        for (definition, name) in definitions.iter_mut().zip(&names) {
            if *name == change.name {
                found = true;
                apply(definition, change, &mut diagnostics);
            }
        }
        if !found {
            diagnostics.push(
                Diagnostic::warning(
                    Code::UnknownOverride,
                    format!(
                        "no definition that was read is called `{}`: the override does nothing",
                        change.name
                    ),
                )
                .at(&change.location)
                .expected("the name of a definition of this source"),
            );
        }
    }
    diagnostics
}

fn apply(definition: &mut Definition, change: &CatalogOverride, diagnostics: &mut Diagnostics) {
    let name = &change.name;
    let error = |code, message: String| {
        Diagnostic::error(code, message)
            .at(&change.location)
            .about(&definition.meta.object(definition.kind.as_str()))
    };
    for (option, value) in &change.options {
        let declared = definition
            .options
            .iter()
            .flatten()
            .find(|each| each.name == *option);
        let Some(declared) = declared else {
            let known = definition
                .options
                .iter()
                .flatten()
                .map(|each| each.name.as_str());
            let mut problem = error(
                Code::UnknownOverride,
                format!("`{name}` has no option `{option}`"),
            )
            .expected("an option that the definition declares");
            problem.hint = crate::diagnostic::did_you_mean(option, known);
            diagnostics.push(problem);
            continue;
        };
        if let Some(expected) = admission::default_problem(declared.kind, value) {
            diagnostics.push(
                error(
                    Code::DefaultType,
                    format!(
                        "the new default of `{option}` of `{name}` does not fit its type `{}`",
                        declared.kind.as_str()
                    ),
                )
                .expected(expected),
            );
        }
    }
    if change.repository.is_some() && definition.helm_chart.is_none() {
        diagnostics.push(error(
            Code::UnknownOverride,
            format!("`{name}` has no chart, whose repository could be replaced"),
        ));
    }
    for option in definition.options.iter_mut().flatten() {
        let last = change
            .options
            .iter()
            .rev()
            .find(|(name, _)| *name == option.name);
        if let Some((_, value)) = last {
            option.default = Some(value.clone()).filter(|value| !value.is_null());
        }
    }
    if let (Some(chart), Some(repository)) = (&mut definition.helm_chart, &change.repository) {
        chart.repository.clone_from(repository);
    }
    if let Some(alias) = &change.alias {
        definition.meta.name.clone_from(alias);
    }
}
