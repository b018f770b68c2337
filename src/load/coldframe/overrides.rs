//! `RolloutOverride`: holds, expedites or blocks, for a time and a reason.

use super::instant;
use crate::load::fields::Item;
use crate::load::meta::meta;
use crate::load::selector::selector_fields;
use crate::load::settings::version;
use crate::model::Meta;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Action {
    Hold,
    Expedite,
    Block,
}

/// Checks an override.
pub(in crate::load) fn rollout_override(root: &Item<'_>) -> Option<Meta> {
    let mut document = root.map()?;
    let meta = meta(root, &mut document, None);
    let spec_item = document.required("spec");
    document.finish();
    let mut spec = spec_item?.map()?;
    let action = spec.required("action").and_then(|item| {
        item.choice(&[
            ("Hold", Action::Hold),
            ("Expedite", Action::Expedite),
            ("Block", Action::Block),
        ])
    });
    if let Some(item) = spec.optional("presets") {
        presets(&item);
    }
    for field in ["tiers", "clusters"] {
        if let Some(item) = spec.optional(field) {
            item.strings();
        }
    }
    let versions = spec.optional("versions");
    match &versions {
        Some(item) => drop(version(item)),
        None if action.is_some_and(|action| action != Action::Hold) => spec.missing("versions"),
        None => {}
    }
    for field in ["reason", "author"] {
        if let Some(item) = spec.required(field) {
            item.text();
        }
    }
    if let Some(item) = spec.required("expiresAt") {
        instant(&item);
    }
    spec.finish();
    meta
}

/// Names, or a selector.
fn presets(item: &Item<'_>) -> Option<()> {
    let mut fields = item.map()?;
    let names = fields.optional("names");
    let selector = selector_fields(&mut fields);
    fields.finish();
    if let Some(names) = &names {
        names.strings();
        if selector.is_some_and(|selector| !selector.is_empty()) {
            item.invalid(
                format!("`{}` has both names and a selector", item.path),
                "`names`, or `matchLabels` and `matchExpressions`",
            );
        }
    }
    Some(())
}
