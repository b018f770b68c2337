//! `RolloutApproval`: one person's consent to one revision in one tier.

use super::instant;
use crate::diagnostic::Code;
use crate::load::fields::Item;
use crate::load::meta::meta;
use crate::load::settings::version;
use crate::model::Meta;

/// Checks an approval.
pub(in crate::load) fn approval(root: &Item<'_>) -> Option<Meta> {
    let mut document = root.map()?;
    let meta = meta(root, &mut document, None);
    let spec_item = document.required("spec");
    document.finish();
    let mut spec = spec_item?.map()?;
    for field in ["preset", "tier", "approver"] {
        if let Some(item) = spec.required(field) {
            item.text();
        }
    }
    if let Some(item) = spec.required("version")
        && let Some(version) = version(&item).filter(|version| !version.concrete)
    {
        item.push(
            item.error(
                Code::InvalidConstraint,
                format!("`{}` is a constraint", version.spec.text),
            )
            .expected("a concrete version of three parts, such as 1.2.3"),
        );
    }
    if let Some(item) = spec.required("digest")
        && let Some(digest) = item.text()
    {
        let hex = digest.strip_prefix("sha256:").filter(|hex| hex.len() == 64);
        let lower = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        if !hex.is_some_and(|hex| hex.bytes().all(lower)) {
            item.invalid(
                format!("`{}` is `{digest}`", item.path),
                "`sha256:` and 64 hexadecimal digits: the digest of the revision",
            );
        }
    }
    if let Some(item) = spec.required("expiresAt") {
        instant(&item);
    }
    spec.finish();
    meta
}
