//! Where charts come from: HelmRepositories and HelmCharts, named as Greenhouse names them.

use std::collections::BTreeMap;

use super::documents::{annotations, labels, metadata, render};
use super::engine::Engine;
use super::tree::File;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::expand;
use crate::model::{Definition, HelmChart, World, label};

/// The name of a repository's HelmRepository: the scheme and one trailing slash cut, and `.`, `/`
/// and `:` replaced. `https://h` and `oci://h` get the same name, in Greenhouse too.
pub fn repository_name(url: &str) -> String {
    let rest = ["oci://", "https://", "http://"]
        .iter()
        .find_map(|scheme| url.strip_prefix(scheme))
        .unwrap_or(url);
    rest.strip_suffix('/')
        .unwrap_or(rest)
        .replace(['.', '/', ':'], "-")
}

/// The name of a definition's HelmChart.
pub(super) fn chart_name(definition: &Definition, chart: &HelmChart) -> String {
    format!("{}-{}", definition.meta.name, chart.version)
}

/// What keeps a definition's chart from being rendered.
pub(super) fn check(definition: &Definition) -> Vec<Diagnostic> {
    let Some(chart) = &definition.helm_chart else {
        return Vec::new();
    };
    let object = definition.meta.object(definition.kind.as_str());
    let mut problems = Vec::new();
    for (kind, name) in [
        ("HelmRepository", repository_name(&chart.repository)),
        ("HelmChart", chart_name(definition, chart)),
    ] {
        if let Err(why) = expand::names::dns1123_subdomain(&name) {
            problems.push(
                Diagnostic::error(
                    Code::InvalidName,
                    format!("its {kind} would be named `{name}`: {why}"),
                )
                .at(&definition.meta.location)
                .about(&object),
            );
        }
    }
    problems
}

/// The HelmRepositories and HelmCharts of the definitions in use, one file for each repository.
pub(super) fn files(
    world: &World,
    engine: &Engine,
    used: &[&Definition],
    diagnostics: &mut Diagnostics,
) -> Vec<File> {
    let mut files: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut repositories: BTreeMap<(&str, String), &HelmChart> = BTreeMap::new();
    let mut charts: BTreeMap<(&str, String), &Definition> = BTreeMap::new();
    for definition in used {
        let Some(chart) = &definition.helm_chart else {
            continue;
        };
        let namespace = definition.meta.namespace.as_str();
        repositories.insert((namespace, repository_name(&chart.repository)), chart);
        if let Some(other) = charts.insert((namespace, chart_name(definition, chart)), definition)
            && other.helm_chart != definition.helm_chart
        {
            diagnostics.push(conflict(
                "HelmChart",
                &chart_name(definition, chart),
                other,
                definition,
            ));
        }
    }
    for ((namespace, name), chart) in repositories {
        let url = effective_url(world, namespace, &name, chart, diagnostics);
        let mut variables = metadata(
            engine,
            "helmrepository.yaml",
            &name,
            namespace,
            labels(&[]),
            annotations(None),
        );
        variables.set(
            "type",
            if url.starts_with("oci://") {
                "oci"
            } else {
                "default"
            },
        );
        variables.set("url", url);
        push(
            &mut files,
            &name,
            render(engine, "helmrepository.yaml", variables),
            diagnostics,
        );
    }
    for ((namespace, name), definition) in charts {
        let Some(chart) = &definition.helm_chart else {
            continue;
        };
        let definition_label = match definition.kind {
            crate::model::DefinitionKind::PluginDefinition => label::PLUGIN_DEFINITION,
            crate::model::DefinitionKind::ClusterPluginDefinition => {
                label::CLUSTER_PLUGIN_DEFINITION
            }
        };
        let repository = repository_name(&chart.repository);
        let labels = labels(&[(definition_label, &definition.meta.name)]);
        let mut variables = metadata(
            engine,
            "helmchart.yaml",
            &name,
            namespace,
            labels,
            annotations(None),
        );
        variables.set("chart", &chart.name);
        variables.set("repository", &repository);
        variables.set("version", &chart.version);
        push(
            &mut files,
            &repository,
            render(engine, "helmchart.yaml", variables),
            diagnostics,
        );
    }
    files
        .into_iter()
        .map(|(name, documents)| File::new(format!("sources/{name}.yaml"), &documents))
        .collect()
}

fn push(
    files: &mut BTreeMap<String, Vec<String>>,
    name: &str,
    document: Result<String, Box<Diagnostic>>,
    diagnostics: &mut Diagnostics,
) {
    match document {
        Ok(document) => files.entry(name.to_owned()).or_default().push(document),
        Err(problem) => diagnostics.push(*problem),
    }
}

/// The URL of the HelmRepository `name`: that of the definition read last, in use or not, since on
/// a hub each of them writes the object. Two that are not the same place are an error.
fn effective_url<'a>(
    world: &'a World,
    namespace: &str,
    name: &str,
    used: &'a HelmChart,
    diagnostics: &mut Diagnostics,
) -> &'a str {
    let same_place = |a: &str, b: &str| a.trim_end_matches('/') == b.trim_end_matches('/');
    let mut last = used.repository.as_str();
    let mut first: Option<&Definition> = None;
    for definition in &world.definitions {
        let Some(chart) = definition.helm_chart.as_ref() else {
            continue;
        };
        if definition.meta.namespace != namespace || repository_name(&chart.repository) != name {
            continue;
        }
        if let Some(first) = first.filter(|_| !same_place(last, &chart.repository)) {
            diagnostics.push(conflict("HelmRepository", name, first, definition));
        }
        first = Some(definition);
        last = &chart.repository;
    }
    last
}

fn conflict(kind: &str, name: &str, one: &Definition, other: &Definition) -> Diagnostic {
    let chart = |definition: &Definition| {
        definition
            .helm_chart
            .as_ref()
            .map(|chart| format!("{} of {}", chart.name, chart.repository))
            .unwrap_or_default()
    };
    Diagnostic::error(
        Code::NameConflict,
        format!(
            "the {kind} `{name}` would be that of {} ({}, {}) and of {} ({})",
            one.meta.name,
            chart(one),
            one.meta.location,
            other.meta.name,
            chart(other)
        ),
    )
    .at(&other.meta.location)
    .about(&other.meta.object(other.kind.as_str()))
    .hint(
        "Greenhouse gives both the same name, and the one read last wins; use one and the same URL",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repository_is_named_by_its_url_without_the_scheme() {
        for (url, name) in [
            (
                "oci://registry.example.com:5000/team.a/charts/",
                "registry-example-com-5000-team-a-charts",
            ),
            ("https://charts.example.com", "charts-example-com"),
            ("https://charts.example.com//", "charts-example-com-"),
            ("http://h", "h"),
        ] {
            assert_eq!(repository_name(url), name, "{url}");
        }
    }
}
