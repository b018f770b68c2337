//! Releases: one plugin on one cluster at one revision, everything resolved.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::check::check;
use super::expression::{Expression, ExpressionError};
use super::names;
use super::options::{Entry, Origin, Source, admitted, helm_values, injected, with_overrides};
use super::propagate::propagate;
use crate::diagnostic::{Code, Diagnostic, ObjectRef};
use crate::model::{
    Cluster, ClusterOverride, DefinitionKind, DeletionPolicy, HelmChart, IgnoreDifference, Meta,
    OptionValue, Plugin, PluginSpec, Preset, SecretRef, Settings, ValueFrom, WaitFor, annotation,
    label,
};
use crate::resolve::Revision;
use crate::yaml::{Map, Value};

/// One plugin on one cluster at one revision.
#[derive(Clone, Debug, PartialEq)]
pub struct Release<'a> {
    /// Name of the Plugin and of the HelmRelease.
    pub name: String,
    /// The organization.
    pub namespace: &'a str,
    /// The cluster; `None` is the hub itself.
    pub cluster: Option<&'a str>,
    /// Labels of the Plugin.
    pub labels: BTreeMap<String, String>,
    /// Annotations of the Plugin.
    pub annotations: BTreeMap<String, String>,
    /// Name for people.
    pub display_name: String,
    /// Name of the Helm release; `None` for a plugin with a user interface only.
    pub release_name: Option<&'a str>,
    /// Namespace of the Helm release; `None` for a plugin with a user interface only.
    pub release_namespace: Option<&'a str>,
    /// What happens to the Helm release when the Plugin goes.
    pub deletion_policy: DeletionPolicy,
    /// What drift detection ignores.
    pub ignore_differences: &'a [IgnoreDifference],
    /// What must be ready first, as the preset has it.
    pub wait_for: &'a [WaitFor],
    /// All option values, as Greenhouse's admission leaves them in the Plugin.
    pub options: Vec<Entry<'a>>,
    /// The chart; `None` for a plugin with a user interface only.
    pub chart: Option<&'a HelmChart>,
    /// The Helm values.
    pub values: Map<String, Value>,
    /// Whether the release is suspended.
    pub suspended: bool,
}

impl<'a> Release<'a> {
    /// Values that come from Secrets: option name and reference, in the Plugin's order.
    pub fn values_from(&self) -> impl Iterator<Item = (&str, &'a SecretRef)> {
        self.options
            .iter()
            .filter_map(|entry| Some((entry.name.as_ref(), entry.secret()?)))
    }

    /// Names of the HelmReleases that must be ready first.
    pub fn depends_on(&self) -> impl Iterator<Item = String> {
        self.wait_for
            .iter()
            .map(|entry| match (&entry.plugin_preset, self.cluster) {
                (Some(preset), cluster) => format!("{preset}-{}", cluster.unwrap_or_default()),
                (None, _) => entry.name.clone().unwrap_or_default(),
            })
    }
}

/// What releases are made of: a preset, or a standalone Plugin.
#[derive(Clone, Copy, Debug)]
pub enum Subject<'a> {
    /// One release per cluster.
    Preset(&'a Preset),
    /// One release.
    Plugin(&'a Plugin),
}

impl<'a> Subject<'a> {
    /// Its metadata.
    pub fn meta(self) -> &'a Meta {
        match self {
            Self::Preset(preset) => &preset.meta,
            Self::Plugin(plugin) => &plugin.meta,
        }
    }

    /// What the releases have in common.
    pub fn spec(self) -> &'a PluginSpec {
        match self {
            Self::Preset(preset) => &preset.plugin,
            Self::Plugin(plugin) => &plugin.spec,
        }
    }

    /// Values for single clusters, which only a preset has.
    pub fn overrides(self) -> &'a [ClusterOverride] {
        match self {
            Self::Preset(preset) => &preset.overrides,
            Self::Plugin(_) => &[],
        }
    }

    /// A reference to it.
    pub fn object(self) -> ObjectRef {
        match self {
            Self::Preset(preset) => preset.meta.object("PluginPreset"),
            Self::Plugin(plugin) => plugin.meta.object("Plugin"),
        }
    }

    /// Name of its release on `cluster`.
    pub fn release_name(self, cluster: &str) -> String {
        match self {
            Self::Preset(preset) => format!("{}-{cluster}", preset.meta.name),
            Self::Plugin(plugin) => plugin.meta.name.clone(),
        }
    }
}

/// Makes the releases of one preset or Plugin at one revision. What they share is prepared once.
#[derive(Debug)]
pub struct Expander<'a> {
    subject: Subject<'a>,
    revision: &'a Revision,
    settings: &'a Settings,
    expressions: BTreeMap<&'a str, Result<Expression, ExpressionError>>,
    preset_labels: BTreeMap<String, String>,
}

impl<'a> Expander<'a> {
    /// Prepares the releases of `subject` at `revision`.
    pub fn new(subject: Subject<'a>, revision: &'a Revision, settings: &'a Settings) -> Self {
        let options = subject.spec().options.iter().chain(
            subject
                .overrides()
                .iter()
                .flat_map(|entry| &entry.overrides),
        );
        let expressions = options
            .filter_map(|option| option.expression.as_deref())
            .map(|text| (text, Expression::compile(text)))
            .collect();
        let mut preset_labels = subject.meta().labels.clone();
        label_definition(&mut preset_labels, subject.spec());
        Self {
            subject,
            revision,
            settings,
            expressions,
            preset_labels,
        }
    }

    /// The release on `cluster`; on the hub itself where there is none.
    ///
    /// # Errors
    /// Everything for which Greenhouse would fail this Plugin.
    pub fn release(&self, cluster: Option<&'a Cluster>) -> Result<Release<'a>, Vec<Diagnostic>> {
        let cluster_name = cluster.map(|cluster| cluster.meta.name.as_str());
        let name = self.subject.release_name(cluster_name.unwrap_or_default());
        let mut problems = Vec::new();
        match self.expand(name.clone(), cluster, &mut problems) {
            Some(release) if problems.is_empty() => Ok(release),
            _ => Err(problems
                .into_iter()
                .map(|problem| self.locate(problem, &name))
                .collect()),
        }
    }

    fn expand(
        &self,
        name: String,
        cluster: Option<&'a Cluster>,
        problems: &mut Vec<Diagnostic>,
    ) -> Option<Release<'a>> {
        let (meta, spec) = (self.subject.meta(), self.subject.spec());
        let definition = &self.revision.definition;
        let cluster_name = cluster.map(|cluster| cluster.meta.name.as_str());

        let (mut labels, mut annotations) = match self.subject {
            Subject::Preset(preset) => {
                let mut labels =
                    BTreeMap::from([(label::PLUGIN_PRESET.to_owned(), preset.meta.name.clone())]);
                let mut annotations = BTreeMap::new();
                propagate(
                    &self.preset_labels,
                    &preset.meta.annotations,
                    &mut labels,
                    &mut annotations,
                );
                (labels, annotations)
            }
            Subject::Plugin(plugin) => {
                (plugin.meta.labels.clone(), plugin.meta.annotations.clone())
            }
        };
        labels.insert(
            label::CLUSTER.to_owned(),
            cluster_name.unwrap_or_default().to_owned(),
        );
        label_definition(&mut labels, spec);
        for (key, value) in &labels {
            if let Err(why) = names::label_value(value) {
                problems.push(Diagnostic::error(
                    Code::InvalidName,
                    format!("label `{key}` would be `{value}`: {why}"),
                ));
            }
        }
        if let Err(why) = names::dns1123_subdomain(&name) {
            problems.push(Diagnostic::error(
                Code::InvalidName,
                format!("the release would be named `{name}`: {why}"),
            ));
        }

        let given = self.given(cluster, problems)?;
        let injected = injected(
            &meta.namespace,
            cluster,
            &self.settings.base_domain,
            labels.get(label::OWNED_BY).map(String::as_str),
        );
        let options = admitted(definition, given, injected);
        problems.extend(check(definition, &options));

        let chart = definition.helm_chart.as_ref();
        let release_name = chart.map(|chart| spec.release_name.as_deref().unwrap_or(&chart.name));
        if let Some(Err(why)) = release_name.map(names::release_name) {
            problems.push(invalid_release_name(
                release_name.unwrap_or_default(),
                spec,
                &why.to_string(),
            ));
        }
        let values = if chart.is_some() {
            match helm_values(definition, &options) {
                Ok(values) => values,
                Err((entry, error)) => {
                    let problem = Diagnostic::error(Code::OptionPath, format!("option `{}`: {error}", entry.name))
                        .hint("options are applied one after the other, ordered by name; none may lead into a value that another one sets");
                    problems.push(match entry.source.location {
                        Some(location) => problem.at(location),
                        None => problem,
                    });
                    return None;
                }
            }
        } else {
            Map::new()
        };
        annotations.retain(|key, _| key != annotation::UPDATE_DELAY && key != annotation::VERSION);
        Some(Release {
            display_name: match &spec.display_name {
                Some(name) if !name.is_empty() => name.clone(),
                _ => name.replace('-', " ").trim().to_owned(),
            },
            name,
            namespace: &meta.namespace,
            cluster: cluster_name,
            suspended: annotations.contains_key(annotation::SUSPEND),
            labels,
            annotations,
            release_name,
            release_namespace: chart.map(|_| match spec.release_namespace.as_deref() {
                Some(namespace) if !namespace.is_empty() => namespace,
                _ => &meta.namespace,
            }),
            deletion_policy: spec.deletion_policy.unwrap_or(DeletionPolicy::Delete),
            ignore_differences: &spec.ignore_differences,
            wait_for: &spec.wait_for,
            options,
            chart,
            values,
        })
    }

    /// The values that the preset gives this cluster, expressions evaluated.
    fn given(
        &self,
        cluster: Option<&'a Cluster>,
        problems: &mut Vec<Diagnostic>,
    ) -> Option<Vec<Entry<'a>>> {
        let cluster_name = cluster.map_or("", |cluster| cluster.meta.name.as_str());
        let mut globals: Option<Map<String, Value>> = None;
        let mut entries = Vec::new();
        let before = problems.len();
        for (option, origin, replaced) in with_overrides(
            &self.subject.spec().options,
            self.subject.overrides(),
            cluster_name,
        ) {
            let mut given = entry(option, origin, problems);
            if let Some(replaced) = replaced {
                given.overrode.push(Source {
                    origin: Origin::OptionValues,
                    location: Some(&replaced.location),
                });
            }
            if let Some(text) = option.expression.as_deref() {
                let globals = match &mut globals {
                    Some(globals) => globals,
                    none => match self.globals(cluster) {
                        Ok(globals) => none.insert(globals),
                        Err(problem) => {
                            problems.push(problem);
                            return None;
                        }
                    },
                };
                match self.evaluate(text, option, globals) {
                    Ok(value) => {
                        given.value = Some(value).filter(|value| !value.is_null()).map(Cow::Owned);
                        given.value_from = None;
                    }
                    Err(problem) => problems.push(problem),
                }
            }
            entries.push(given);
        }
        // A value that could not be computed is not missing as well.
        (problems.len() == before).then_some(entries)
    }

    fn evaluate(
        &self,
        text: &str,
        option: &OptionValue,
        globals: &Map<String, Value>,
    ) -> Result<Value, Diagnostic> {
        if !self.settings.expressions {
            return Err(Diagnostic::error(
                Code::ExpressionsDisabled,
                format!(
                    "option `{}` has an expression, but expressions are turned off",
                    option.name
                ),
            )
            .at(&option.location)
            .hint("run without `--expressions=false`, or write a value"));
        }
        let failed = |error: &ExpressionError| {
            Diagnostic::error(
                Code::ExpressionFailed,
                format!("expression of option `{}`: {error}", option.name),
            )
            .at(&option.location)
        };
        match self.expressions.get(text) {
            Some(Ok(expression)) => expression.evaluate(globals).map_err(|error| failed(&error)),
            Some(Err(error)) => Err(failed(error)),
            None => Ok(Value::Null),
        }
    }

    /// What an expression sees as `global`: the injected values alone, the owner from the preset.
    fn globals(&self, cluster: Option<&'a Cluster>) -> Result<Map<String, Value>, Diagnostic> {
        let meta = self.subject.meta();
        let owner = meta.labels.get(label::OWNED_BY).map(String::as_str);
        let mut values = Map::new();
        for entry in injected(&meta.namespace, cluster, &self.settings.base_domain, owner) {
            if let Some(value) = &entry.value {
                super::strvals::set(&mut values, &entry.name, value).map_err(|error| {
                    Diagnostic::error(Code::OptionPath, format!("`{}`: {error}", entry.name))
                })?;
            }
        }
        match values.remove("global") {
            Some(Value::Object(globals)) => Ok(globals),
            _ => Ok(Map::new()),
        }
    }

    fn locate(&self, problem: Diagnostic, release: &str) -> Diagnostic {
        let problem = problem.about(&self.subject.object()).release(release);
        if problem.location.is_some() {
            problem
        } else {
            problem.at(&self.subject.meta().location)
        }
    }
}

fn entry<'a>(option: &'a OptionValue, origin: Origin, problems: &mut Vec<Diagnostic>) -> Entry<'a> {
    if option.expression.is_none() && option.value_from == Some(ValueFrom::Unsupported) {
        problems.push(
            Diagnostic::error(
                Code::ReferenceUnsupported,
                format!(
                    "option `{}` has a valueFrom that is no Secret, which Greenhouse v0.16 drops",
                    option.name
                ),
            )
            .at(&option.location)
            .expected("`valueFrom.secret` with `name` and `key`"),
        );
    }
    Entry::given(option, origin)
}

fn label_definition(labels: &mut BTreeMap<String, String>, spec: &PluginSpec) {
    let (set, removed) = match spec.definition.kind {
        DefinitionKind::PluginDefinition => {
            (label::PLUGIN_DEFINITION, label::CLUSTER_PLUGIN_DEFINITION)
        }
        DefinitionKind::ClusterPluginDefinition => {
            (label::CLUSTER_PLUGIN_DEFINITION, label::PLUGIN_DEFINITION)
        }
    };
    labels.remove(removed);
    labels.insert(set.to_owned(), spec.definition.name.clone());
}

fn invalid_release_name(name: &str, spec: &PluginSpec, why: &str) -> Diagnostic {
    let diagnostic = Diagnostic::error(
        Code::InvalidReleaseName,
        format!("the Helm release would be named `{name}`: {why}"),
    );
    if spec.release_name.is_some() {
        diagnostic
    } else {
        diagnostic.hint("it is the chart's name; set `releaseName`")
    }
}
