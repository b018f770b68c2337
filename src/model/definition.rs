//! Plugin definitions: which chart, with which options, at which version.

use serde_json::json;

use super::{Meta, OptionSpec};
use crate::yaml::{Map, Value};

/// A `PluginDefinition` or `ClusterPluginDefinition`.
#[derive(Clone, Debug, PartialEq)]
pub struct Definition {
    /// Its metadata. The namespace of a ClusterPluginDefinition is that in which Greenhouse keeps
    /// its chart: the constant `greenhouse`.
    pub meta: Meta,
    /// Which of the two kinds it is.
    pub kind: DefinitionKind,
    /// The version of the plugin, as written.
    pub version: String,
    /// Name for people.
    pub display_name: Option<String>,
    /// The Helm chart; absent for a plugin that has a user interface only.
    pub helm_chart: Option<HelmChart>,
    /// The user interface.
    pub ui_application: Option<UiApplication>,
    /// The declared options; `None` where the field is absent, which keeps values unsorted.
    pub options: Option<Vec<OptionSpec>>,
    /// How many unused revisions are kept.
    pub max_revisions: Option<u32>,
    /// A canary's settings.
    pub canary: Option<super::CanarySettings>,
}

/// The two kinds of definitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DefinitionKind {
    /// Within an organization.
    PluginDefinition,
    /// For all organizations.
    ClusterPluginDefinition,
}

impl DefinitionKind {
    /// The kind's name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::PluginDefinition => "PluginDefinition",
            Self::ClusterPluginDefinition => "ClusterPluginDefinition",
        }
    }
}

/// A chart in a repository at an exact version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HelmChart {
    /// Name of the chart.
    pub name: String,
    /// URL of the repository: `oci://`, `https://` or `http://`.
    pub repository: String,
    /// Version of the chart, as written.
    pub version: String,
}

/// A user interface that Greenhouse's dashboard loads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UiApplication {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
}

impl Definition {
    /// The parts of its spec that make a release, as the API has them.
    pub fn spec(&self) -> Value {
        let mut spec = Map::new();
        spec.insert("version".into(), json!(self.version));
        if let Some(name) = &self.display_name {
            spec.insert("displayName".into(), json!(name));
        }
        if let Some(chart) = &self.helm_chart {
            spec.insert("helmChart".into(), chart.to_value());
        }
        if let Some(application) = &self.ui_application {
            spec.insert(
                "uiApplication".into(),
                json!({"name": application.name, "version": application.version}),
            );
        }
        if let Some(options) = &self.options {
            spec.insert(
                "options".into(),
                options.iter().map(OptionSpec::to_value).collect(),
            );
        }
        Value::Object(spec)
    }

    /// The declared option of that name.
    pub fn option(&self, name: &str) -> Option<&OptionSpec> {
        self.options
            .as_deref()
            .unwrap_or_default()
            .iter()
            .find(|option| option.name == name)
    }
}

impl HelmChart {
    /// The chart as the API has it.
    pub fn to_value(&self) -> Value {
        json!({"name": self.name, "repository": self.repository, "version": self.version})
    }
}
