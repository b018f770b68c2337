//! `Cluster`.

use crate::diagnostic::Code;
use crate::expand::names;
use crate::load::fields::{Item, name_error};
use crate::load::meta::meta;
use crate::model::{Cluster, label};

/// Reads a cluster and gives it the label that Greenhouse defaults.
pub(in crate::load) fn cluster(root: &Item<'_>) -> Option<Cluster> {
    let mut document = root.map()?;
    let meta = meta(root, &mut document, None);
    let spec_item = document.required("spec");
    document.finish();
    if let Some(mut spec) = spec_item.and_then(|item| item.map()) {
        if let Some(mode) = spec.required("accessMode") {
            mode.word(&["direct"]);
        }
        if let Some(mut config) = spec.optional("kubeConfig").and_then(|item| item.map()) {
            if let Some(validity) = config.optional("maxTokenValidity")
                && validity.count().is_some_and(|hours| hours < 24)
            {
                validity.invalid(
                    format!("`{}` is less than 24", validity.path),
                    "a number of hours from 24 on",
                );
            }
            config.finish();
        }
        spec.finish();
    }
    let mut meta = meta?;
    let place = root
        .node
        .get("metadata")
        .and_then(|metadata| metadata.get("name"))
        .map_or_else(|| root.location(), |name| root.cx.location(name.mark));
    if let Err(error) = names::cluster_name(&meta.name) {
        root.push(name_error("metadata.name", &error).at(&place));
    }
    if let Some(other) = meta.labels.insert(label::CLUSTER.into(), meta.name.clone())
        && other != meta.name
    {
        root.push(
            crate::diagnostic::Diagnostic::warning(
                Code::InvalidValue,
                format!(
                    "the label `{}` is `{other}`: Greenhouse replaces it by the cluster's name",
                    label::CLUSTER
                ),
            )
            .at(&place)
            .expected(meta.name.clone()),
        );
    }
    Some(Cluster { meta })
}
