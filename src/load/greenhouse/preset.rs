//! `PluginPreset`.

use super::admission;
use super::canary::canary_setting;
use super::plugin_spec::{DELETION_POLICIES, Owner, option_values, plugin_spec, wait_for};
use crate::expand::names;
use crate::load::fields::Item;
use crate::load::meta::meta;
use crate::load::selector::selector;
use crate::load::settings::{annotation, duration, setting, version};
use crate::model::{ClusterOverride, Preset, annotation as key};

/// Reads a preset.
pub(in crate::load) fn preset(root: &Item<'_>) -> Option<Preset> {
    let mut document = root.map()?;
    let meta = meta(root, &mut document, None);
    let spec_item = document.required("spec");
    document.finish();
    let mut spec = spec_item?.map()?;
    let cluster_selector = spec.required("clusterSelector").and_then(|item| {
        let selector = selector(&item)?;
        admission::preset_selector(&item, &selector);
        Some(selector)
    });
    if let Some(policy) = spec.optional("deletionPolicy") {
        policy.choice(DELETION_POLICIES);
    }
    let wait_for = wait_for(&mut spec);
    let overrides = spec
        .optional("clusterOptionOverrides")
        .map(|item| cluster_overrides(&item));
    let mut plugin = None;
    let mut version_setting = None;
    if let Some(mut fields) = spec.required("plugin").and_then(|item| item.map()) {
        (plugin, version_setting) = plugin_spec(
            &mut fields,
            Owner::Preset,
            wait_for.unwrap_or_default(),
            vec![annotation(root, key::VERSION)],
        );
        fields.finish();
    }
    let update_delay = setting(
        [
            spec.optional("updateDelay"),
            annotation(root, key::UPDATE_DELAY),
        ],
        duration,
    );
    let policy = setting(
        [spec.optional("policy"), annotation(root, key::POLICY)],
        |item| item.name(names::dns1123_subdomain).map(str::to_owned),
    );
    let accept_breaking = setting(
        [
            spec.optional("acceptBreaking"),
            annotation(root, key::ACCEPT_BREAKING),
        ],
        version,
    );
    let canary = canary_setting(root, spec.optional("canary"));
    spec.finish();
    Some(Preset {
        meta: meta?,
        cluster_selector: cluster_selector?,
        plugin: plugin?,
        overrides: overrides.flatten().unwrap_or_default(),
        version: version_setting.map(|version| version.spec),
        update_delay,
        policy,
        accept_breaking: accept_breaking.map(|version| version.spec.text),
        canary,
    })
}

fn cluster_overrides(item: &Item<'_>) -> Option<Vec<ClusterOverride>> {
    let overrides: Vec<_> = item
        .list()?
        .iter()
        .map(|item| {
            let mut fields = item.map()?;
            let cluster = fields
                .required("clusterName")
                .and_then(|item| item.string());
            let overrides = fields
                .required("overrides")
                .and_then(|item| option_values(&item, Owner::Preset));
            fields.finish();
            Some(ClusterOverride {
                cluster_name: cluster?.to_owned(),
                overrides: overrides?,
                location: item.location(),
            })
        })
        .collect();
    overrides.into_iter().collect()
}
