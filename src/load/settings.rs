//! Settings that exist as a field and as an annotation, and the values they have.

use jiff::SignedDuration;

use super::fields::Item;
use crate::diagnostic::{Code, Diagnostic};
use crate::model::{Quota, VersionSpec, duration};
use crate::semver::{VersionRequest, lint};
use crate::yaml::Content;

/// The annotation of that name, as a value with a place.
pub(super) fn annotation<'a>(root: &Item<'a>, name: &'static str) -> Option<Item<'a>> {
    let annotations = root.node.get("metadata")?.get("annotations")?;
    let Content::Mapping(entries) = &annotations.content else {
        return None;
    };
    let entry = entries.iter().find(|entry| entry.key == name)?;
    // One that is no string is reported with the metadata.
    entry.value.as_str()?;
    Some(Item {
        cx: root.cx,
        path: format!("metadata.annotations[\"{name}\"]"),
        key: entry.mark,
        node: &entry.value,
    })
}

/// Reads a setting that may stand in several places. Two that differ are an error at the later one.
pub(super) fn setting<'a, T: PartialEq>(
    places: impl IntoIterator<Item = Option<Item<'a>>>,
    read: impl Fn(&Item<'a>) -> Option<T>,
) -> Option<T> {
    let mut given: Vec<_> = places
        .into_iter()
        .flatten()
        .filter_map(|item| read(&item).map(|value| (item, value)))
        .collect();
    given.sort_by_key(|(item, _)| item.node.mark);
    let mut given = given.into_iter();
    let (first, value) = given.next()?;
    for (other, _) in given.filter(|(_, other)| *other != value) {
        let message = format!("`{}` and `{}` differ", first.path, other.path);
        let hint = format!(
            "remove one of them; `{}` stands in line {}",
            first.path,
            first.location().line
        );
        other.push(
            other
                .error(Code::ConflictingSettings, message)
                .expected("one of them, or the same value in both")
                .hint(hint),
        );
    }
    Some(value)
}

/// A version or constraint.
pub(super) fn version(item: &Item<'_>) -> Option<Version> {
    let text = item.string()?;
    match VersionRequest::parse(text) {
        Ok(request) => {
            if let VersionRequest::Constraint(constraint) = &request {
                for trap in lint(constraint) {
                    item.push(
                        Diagnostic::warning(
                            Code::ConstraintTrap,
                            format!("`{}` is `{text}`: {}", item.path, trap.message),
                        )
                        .at(&item.location()),
                    );
                }
            }
            Some(Version {
                concrete: matches!(request, VersionRequest::Concrete(_)),
                spec: VersionSpec {
                    text: text.to_owned(),
                    location: item.location(),
                },
            })
        }
        Err(error) => {
            let mut problem = item
                .error(Code::InvalidConstraint, format!("`{}`: {error}", item.path))
                .expected(error.expected);
            problem.hint = error.hint.map(Into::into);
            item.push(problem);
            None
        }
    }
}

/// A version setting, and whether it names exactly one version.
pub(super) struct Version {
    pub(super) concrete: bool,
    pub(super) spec: VersionSpec,
}

impl PartialEq for Version {
    fn eq(&self, other: &Self) -> bool {
        self.spec.text == other.spec.text
    }
}

/// A duration. The number 0 needs no unit.
pub(super) fn duration(item: &Item<'_>) -> Option<SignedDuration> {
    let text = match &item.node.content {
        Content::Number(number) => number.to_string(),
        _ => item.string()?.to_owned(),
    };
    match duration::parse(&text) {
        Ok(duration) => Some(duration),
        Err(problem) => {
            item.push(
                item.error(Code::InvalidValue, format!("`{}`: {problem}", item.path))
                    .expected("a duration such as 0, 90s, 36h, 7d or 2w"),
            );
            None
        }
    }
}

/// A whole number of things, or a percentage of them.
pub(super) fn quota(item: &Item<'_>) -> Option<Quota> {
    match &item.node.content {
        Content::String(text) => {
            let percent = percent(text).filter(|percent| *percent <= 100);
            if percent.is_none() {
                item.invalid(
                    format!("`{}` is `{text}`", item.path),
                    "a whole number, or a share from 0% to 100%",
                );
            }
            percent.map(Quota::Percent)
        }
        Content::Number(_) => item.count().map(Quota::Count),
        _ => {
            item.wrong_type("a whole number, or a string such as 25%");
            None
        }
    }
}

/// The whole number before a `%`.
pub(super) fn percent(text: &str) -> Option<u32> {
    let digits = text.strip_suffix('%')?;
    digits
        .bytes()
        .all(|byte| byte.is_ascii_digit())
        .then(|| digits.parse().ok())
        .flatten()
}
