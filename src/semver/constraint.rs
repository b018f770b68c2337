//! A constraint of Masterminds/semver 3.5.0, and which versions it admits.

use std::fmt;
use std::str::FromStr;

use super::grammar;
use super::scan;
use super::version::{Version, precedence};

/// A constraint such as `^1.2`, `>=1.2, <2`, `1.2 - 1.4` or `1.x || 3.x`.
///
/// Alternatives are separated by `||`; the comparators of one by spaces or commas, and all of them
/// must hold. Build metadata has no meaning. A prerelease is admitted only by an alternative one of
/// whose comparators names a prerelease: `^1.2` never admits `1.3.0-rc.1`, `^1.2-0` does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constraint {
    pub(super) text: String,
    pub(super) groups: Vec<Group>,
    /// Where a hyphen range has swallowed a `||`, if one has: a byte offset.
    pub(super) torn_range: Option<usize>,
}

/// Why a text is not a constraint.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{}` is not a version constraint: expected {expected} {}", scan::excerpt(text), scan::found(text, *position))]
pub struct ConstraintError {
    /// The text.
    pub text: String,
    /// Where it stops being a constraint: a byte offset.
    pub position: usize,
    /// What would have been right there.
    pub expected: &'static str,
    /// What to do.
    pub hint: Option<&'static str>,
}

/// Comparators that must all hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Group {
    pub(super) comparators: Vec<Comparator>,
}

/// One operator and its version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Comparator {
    pub(super) operator: Operator,
    /// The lowest version that the text names: zeros for what is missing or a wildcard.
    pub(super) version: ::semver::Version,
    pub(super) precision: Precision,
    /// As written; of a hyphen range, the comparator that it means.
    pub(super) text: String,
    /// The byte offset in the constraint where it begins, and where its build metadata would.
    pub(super) start: usize,
    pub(super) precedence_end: usize,
    /// Whether it is written `1.2.x` rather than `1.2`.
    pub(super) has_wildcard_patch: bool,
    /// Whether a number stands after a wildcard, where it has no meaning.
    pub(super) ignores_part: bool,
    pub(super) has_build: bool,
}

/// The operators; `=>`, `=<` and `~>` are other spellings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Equal,
    NotEqual,
    Greater,
    Less,
    GreaterEqual,
    LessEqual,
    Tilde,
    Caret,
}

/// Up to which part the version of a comparator is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Precision {
    /// `*`: nothing.
    Any,
    /// `1`, `1.x`.
    Major,
    /// `1.2`, `1.2.x`.
    Minor,
    /// `1.2.3`.
    Full,
}

/// Why a version is not admitted. Each prints as a sentence about the version, “it …”.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rejection {
    /// It is lower than this comparator admits.
    Below {
        /// The comparator.
        comparator: String,
    },
    /// It is higher than this comparator admits.
    Above {
        /// The comparator.
        comparator: String,
    },
    /// A `!=` excludes it.
    Excluded {
        /// The comparator.
        comparator: String,
    },
    /// Exactly one other version is asked for.
    Different {
        /// That version.
        wanted: String,
    },
    /// It is a prerelease, and the constraint names none.
    Prerelease {
        /// The constraint as it would admit this one.
        remedy: Option<String>,
    },
    /// It is a prerelease, and without a constraint those are left out.
    PrereleaseUnasked,
    /// No alternative admits it: why each does not.
    Alternatives(Vec<Self>),
}

impl Constraint {
    /// Reads a constraint.
    pub fn parse(text: &str) -> Result<Self, ConstraintError> {
        grammar::parse(text).map_err(|fault| ConstraintError {
            text: text.to_owned(),
            position: fault.at,
            expected: fault.expected,
            hint: fault.hint,
        })
    }

    /// The constraint as it was spelled.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether it admits a version.
    pub fn matches(&self, version: &Version) -> bool {
        self.groups
            .iter()
            .any(|group| group.admits(version.parsed()))
    }

    /// Whether it admits a version, and if not, why.
    pub fn check(&self, version: &Version) -> Result<(), Rejection> {
        if self.matches(version) {
            return Ok(());
        }
        let mut reasons = Vec::new();
        for group in &self.groups {
            let reason = self.rejection(group, version);
            if !reasons.contains(&reason) {
                reasons.push(reason);
            }
        }
        Err(match <[Rejection; 1]>::try_from(reasons) {
            Ok([reason]) => reason,
            Err(reasons) => Rejection::Alternatives(reasons),
        })
    }

    fn rejection(&self, group: &Group, version: &Version) -> Rejection {
        let remedy = if version.is_prerelease() && !group.is_open() {
            self.opened(group, version)
        } else {
            None
        };
        let failed = group
            .comparators
            .iter()
            .find(|comparator| !comparator.admits(version.parsed()));
        match failed {
            Some(comparator) if remedy.is_none() => comparator.rejection(version.parsed()),
            _ => Rejection::Prerelease { remedy },
        }
    }

    /// The constraint with `-0` at one comparator of `group`, so that it admits this prerelease
    /// and loses no release.
    fn opened(&self, group: &Group, version: &Version) -> Option<String> {
        let bears_it = |comparator: &&Comparator| match comparator.operator {
            Operator::GreaterEqual | Operator::Less | Operator::Tilde | Operator::Caret => true,
            Operator::Equal | Operator::LessEqual => comparator.precision != Precision::Full,
            Operator::Greater | Operator::NotEqual => false,
        };
        let candidates = group.comparators.iter().filter(bears_it);
        candidates
            .map(|comparator| {
                let (before, after) = self.text.split_at(comparator.precedence_end);
                format!("{before}-0{after}")
            })
            .find(|text| Self::parse(text).is_ok_and(|opened| opened.matches(version)))
    }
}

impl Group {
    /// Whether it admits prereleases: one comparator that names one is enough (since 3.4.0).
    pub(super) fn is_open(&self) -> bool {
        self.comparators
            .iter()
            .any(|comparator| !comparator.version.pre.is_empty())
    }

    pub(super) fn admits(&self, version: &::semver::Version) -> bool {
        (version.pre.is_empty() || self.is_open())
            && self
                .comparators
                .iter()
                .all(|comparator| comparator.admits(version))
    }
}

impl Comparator {
    fn admits(&self, version: &::semver::Version) -> bool {
        use Precision::{Any, Full, Major, Minor};

        let bound = &self.version;
        let order = precedence(version, bound);
        let major = version.major.cmp(&bound.major);
        let minor = major.then_with(|| version.minor.cmp(&bound.minor));
        match (self.operator, self.precision) {
            (Operator::Equal, Full) => order.is_eq(),
            (Operator::NotEqual, Full | Any) => order.is_ne(),
            (Operator::NotEqual, Major) => major.is_ne(),
            (Operator::NotEqual, Minor) => minor.is_ne() || version.pre != bound.pre,
            (Operator::Greater, Full | Any) => order.is_gt(),
            (Operator::Greater, Major) => major.is_gt(),
            (Operator::Greater, Minor) => minor.is_gt(),
            (Operator::Less, _) => order.is_lt(),
            (Operator::GreaterEqual, _) | (Operator::Tilde | Operator::Equal, Any) => order.is_ge(),
            (Operator::LessEqual, Full) => order.is_le(),
            (Operator::LessEqual, Major) => major.is_le(),
            (Operator::LessEqual, Minor | Any) => minor.is_le(),
            (Operator::Tilde | Operator::Equal, Major) => order.is_ge() && major.is_eq(),
            (Operator::Tilde | Operator::Equal, Full | Minor) => {
                order.is_ge() && (minor.is_eq() || self.is_tilde_zero())
            }
            (Operator::Caret, precision) => {
                order.is_ge()
                    && if bound.major > 0 || precision == Major {
                        major.is_eq()
                    } else if bound.minor > 0 || precision == Minor {
                        minor.is_eq()
                    } else {
                        minor.is_eq() && version.patch == bound.patch
                    }
            }
        }
    }

    /// `~0.0.0`, which has no upper bound.
    pub(super) fn is_tilde_zero(&self) -> bool {
        let ::semver::Version {
            major,
            minor,
            patch,
            ..
        } = self.version;
        self.operator == Operator::Tilde
            && self.precision == Precision::Full
            && (major, minor, patch) == (0, 0, 0)
    }

    fn rejection(&self, version: &::semver::Version) -> Rejection {
        let comparator = self.text.clone();
        match self.operator {
            Operator::NotEqual => Rejection::Excluded { comparator },
            Operator::Equal if self.precision == Precision::Full => Rejection::Different {
                wanted: comparator
                    .trim_start_matches('=')
                    .trim_ascii_start()
                    .to_owned(),
            },
            Operator::Less | Operator::LessEqual => Rejection::Above { comparator },
            Operator::Greater | Operator::GreaterEqual => Rejection::Below { comparator },
            Operator::Equal | Operator::Tilde | Operator::Caret => {
                if precedence(version, &self.version).is_lt() {
                    Rejection::Below { comparator }
                } else {
                    Rejection::Above { comparator }
                }
            }
        }
    }
}

impl fmt::Display for Constraint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

impl FromStr for Constraint {
    type Err = ConstraintError;

    fn from_str(text: &str) -> Result<Self, ConstraintError> {
        Self::parse(text)
    }
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Below { comparator } => write!(f, "it is lower than `{comparator}` admits"),
            Self::Above { comparator } => write!(f, "it is higher than `{comparator}` admits"),
            Self::Excluded { comparator } => write!(f, "`{comparator}` excludes it"),
            Self::Different { wanted } => write!(f, "it is not `{wanted}`"),
            Self::Prerelease { remedy } => {
                f.write_str("it is a prerelease, and the constraint names none")?;
                match remedy {
                    Some(remedy) => write!(f, "; `{remedy}` would admit it"),
                    None => Ok(()),
                }
            }
            Self::PrereleaseUnasked => {
                f.write_str("it is a prerelease, which only a constraint that names one admits")
            }
            Self::Alternatives(reasons) => {
                f.write_str("no alternative admits it: ")?;
                for (index, reason) in reasons.iter().enumerate() {
                    if index > 0 {
                        f.write_str("; ")?;
                    }
                    write!(f, "{reason}")?;
                }
                Ok(())
            }
        }
    }
}

#[cfg(test)]
#[path = "constraint_tests.rs"]
mod tests;
