//! `Organization`: of interest for its name only, which is a namespace.

use crate::load::fields::Item;
use crate::load::meta::meta;
use crate::model::Meta;

/// Checks an organization.
pub(in crate::load) fn organization(root: &Item<'_>) -> Option<Meta> {
    let mut document = root.map()?;
    let meta = meta(root, &mut document, Some(""));
    if let Some(mut spec) = document.optional("spec").and_then(|item| item.map()) {
        spec.known(&["authentication"]);
        for free in [
            "configMapRef",
            "description",
            "displayName",
            "mappedOrgAdminIdPGroup",
        ] {
            if let Some(text) = spec.optional(free) {
                text.string();
            }
        }
        spec.finish();
    }
    document.finish();
    meta
}
