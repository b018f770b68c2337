//! `Plugin`: a single release.

use super::plugin_spec::{Owner, plugin_spec, renamed_kind, wait_for};
use crate::diagnostic::{Code, Diagnostic};
use crate::load::fields::Item;
use crate::load::meta::meta;
use crate::load::settings::annotation;
use crate::model::{Plugin, annotation as key};

/// Reads a Plugin.
pub(in crate::load) fn plugin(root: &Item<'_>) -> Option<Plugin> {
    let mut document = root.map()?;
    let meta = meta(root, &mut document, None);
    let spec_item = document.required("spec");
    document.finish();
    let spec_item = spec_item?;
    renamed_kind(&spec_item);
    let mut spec = spec_item.map()?;
    let cluster_name = spec.optional("clusterName").and_then(|item| item.string());
    let wait_for = wait_for(&mut spec);
    let versions = vec![
        annotation(root, key::VERSION),
        spec.optional("pluginDefinitionVersion"),
    ];
    let (plugin, version) = plugin_spec(
        &mut spec,
        Owner::Plugin,
        wait_for.unwrap_or_default(),
        versions,
    );
    spec.finish();
    if let Some(version) = version.as_ref().filter(|version| !version.concrete) {
        root.push(
            Diagnostic::error(
                Code::InvalidConstraint,
                format!("`{}` is a constraint", version.spec.text),
            )
            .at(&version.spec.location)
            .expected(
                "a concrete version of three parts, such as 1.2.3: a Plugin names exactly one",
            )
            .hint("a PluginPreset may have a constraint"),
        );
    }
    let cluster_name = cluster_name.filter(|name| !name.is_empty());
    let plugin = plugin?;
    if cluster_name.is_none() {
        for entry in plugin
            .wait_for
            .iter()
            .filter(|entry| entry.plugin_preset.is_some())
        {
            root.push(
                Diagnostic::error(
                    Code::WaitFor,
                    "a Plugin on the hub itself cannot wait for a preset",
                )
                .at(&entry.location)
                .expected("`pluginRef.name`"),
            );
        }
    }
    Some(Plugin {
        meta: meta?,
        cluster_name: cluster_name.map(Into::into),
        spec: plugin,
        version: version.map(|version| version.spec),
    })
}
