//! The kinds of `coldframe.dev/v1alpha1`. Nobody prunes them, so an unknown field is an error.

mod approval;
mod cron;
mod fleet;
mod overrides;
mod policy;
mod schema;

pub use schema::{KINDS, schema};

pub(super) use approval::approval;
pub(super) use fleet::{fleet, fleet_paths};
pub(super) use overrides::rollout_override;
pub(super) use policy::policy;

use super::fields::Item;
use crate::diagnostic::Code;

/// An instant, such as `2026-12-24T08:00:00Z`.
fn instant(item: &Item<'_>) -> Option<jiff::Timestamp> {
    let text = item.string()?;
    let instant = text.parse().ok();
    if instant.is_none() {
        item.invalid(
            format!("`{}` is `{text}`", item.path),
            "an instant of RFC 3339, such as 2026-12-24T08:00:00Z",
        );
    }
    instant
}

/// Reports a name that stands twice in a list.
fn once<'n>(seen: &mut Vec<&'n str>, item: &Item<'_>, name: &'n str) {
    if seen.contains(&name) {
        item.push(
            item.error(
                Code::InvalidValue,
                format!("`{}` is `{name}` for the second time", item.path),
            )
            .expected("each name once"),
        );
    }
    seen.push(name);
}
