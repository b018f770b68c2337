//! Constraints that are valid and mean something else than they look.

use std::fmt;

use super::constraint::{Comparator, Constraint, Group, Operator, Precision};
use super::reach;

/// Something in a constraint that means something else than it looks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trap {
    /// Which trap.
    pub kind: TrapKind,
    /// Where it begins: a byte offset in the constraint.
    pub position: usize,
    /// What it means, and what to write instead: a sentence.
    pub message: String,
}

/// The traps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TrapKind {
    /// `^1.1.x` admits every 1.x from 1.1 on.
    CaretWildcard,
    /// `^*`, `<=*`, `>*`, `!=*`: the wildcard counts as 0.0.0.
    OperatorWildcard,
    /// `~0.0.0` admits everything.
    TildeZero,
    /// `1.2-1.4.5` is a prerelease, not a range.
    RangeWithoutSpaces,
    /// One prerelease admits those of every version in the range.
    OpensGroup,
    /// `<2.0.0` admits `2.0.0-rc.1` where prereleases are admitted.
    UpperBoundOpen,
    /// No version can match.
    NeverMatches,
    /// `1.x.3`: what follows a wildcard is ignored.
    IgnoredPart,
    /// Build metadata is ignored.
    IgnoredBuild,
    /// `1||2 - 3` is `>=1 || 2, <=3`.
    TornRange,
}

impl TrapKind {
    /// Its stable name, such as `caret-wildcard`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::CaretWildcard => "caret-wildcard",
            Self::OperatorWildcard => "operator-wildcard",
            Self::TildeZero => "tilde-zero",
            Self::RangeWithoutSpaces => "range-without-spaces",
            Self::OpensGroup => "opens-group",
            Self::UpperBoundOpen => "upper-bound-open",
            Self::NeverMatches => "never-matches",
            Self::IgnoredPart => "ignored-part",
            Self::IgnoredBuild => "ignored-build",
            Self::TornRange => "torn-range",
        }
    }
}

impl fmt::Display for TrapKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Display for Trap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// The traps of a constraint, in the order in which they stand in it.
pub fn lint(constraint: &Constraint) -> Vec<Trap> {
    let mut traps = Vec::new();
    if let Some(position) = constraint.torn_range {
        traps.push(Trap {
            kind: TrapKind::TornRange,
            position,
            message:
                "a hyphen range takes everything up to the last space for its lower end, `||` \
                      too; put spaces around `||`"
                    .to_owned(),
        });
    }
    for group in &constraint.groups {
        for comparator in &group.comparators {
            traps.extend(of_comparator(comparator));
        }
        traps.extend(of_group(group, constraint.groups.len() > 1));
    }
    traps.sort_by_key(|trap| (trap.position, trap.kind));
    traps
}

fn of_comparator(comparator: &Comparator) -> Vec<Trap> {
    let trap = |kind, message| Trap {
        kind,
        position: comparator.start,
        message,
    };
    let text = &comparator.text;
    let numbers = &comparator.version;
    let mut traps = Vec::new();

    if comparator.operator == Operator::Caret
        && comparator.precision == Precision::Minor
        && comparator.has_wildcard_patch
        && numbers.major > 0
    {
        let (major, minor) = (numbers.major, numbers.minor);
        traps.push(trap(
            TrapKind::CaretWildcard,
            format!(
                "`{text}` admits every {major}.x from {major}.{minor} on; `~{major}.{minor}` \
                 admits the patches of {major}.{minor} only"
            ),
        ));
    }
    if let Some(meaning) = meaning_of_wildcard(comparator) {
        traps.push(trap(
            TrapKind::OperatorWildcard,
            format!("`{text}` {meaning}; `*` admits any release"),
        ));
    }
    if comparator.is_tilde_zero() {
        traps.push(trap(
            TrapKind::TildeZero,
            format!("`{text}` has no upper bound; `~0.0` admits 0.0.x only"),
        ));
    }
    if let Some((before, after)) = unspaced_range(comparator) {
        traps.push(trap(
            TrapKind::RangeWithoutSpaces,
            format!(
                "`{text}` names the prerelease `{after}`; a range has spaces: `{before} - {after}`"
            ),
        ));
    }
    if comparator.ignores_part {
        traps.push(trap(
            TrapKind::IgnoredPart,
            format!("`{text}` ignores the number after its wildcard"),
        ));
    }
    if comparator.has_build {
        traps.push(trap(
            TrapKind::IgnoredBuild,
            format!("`{text}` ignores its build metadata, which has no meaning in a constraint"),
        ));
    }
    traps
}

fn meaning_of_wildcard(comparator: &Comparator) -> Option<&'static str> {
    if comparator.precision != Precision::Any {
        return None;
    }
    match comparator.operator {
        Operator::Caret => Some("admits only 0.0.0"),
        Operator::LessEqual => Some("admits only 0.0.x"),
        Operator::Greater | Operator::NotEqual => Some("admits everything but 0.0.0"),
        Operator::Less => Some("admits nothing"),
        Operator::Equal | Operator::Tilde | Operator::GreaterEqual => None,
    }
}

/// `1.2` and `1.4.5` of `1.2-1.4.5`.
fn unspaced_range(comparator: &Comparator) -> Option<(&str, &str)> {
    let (before, after) = comparator.text.split_once('-')?;
    let after = after.split('+').next().unwrap_or_default();
    let words = || after.strip_prefix('v').unwrap_or(after).split('.');
    let looks_like_version = words()
        .all(|word| matches!(word, "x" | "X") || word.bytes().all(|byte| byte.is_ascii_digit()));
    // `1.15.0-3` is how charts count their builds, and `1.x-0` how prereleases are asked for.
    let enough = words().count() > 1
        || (comparator.precision != Precision::Full && !matches!(after, "0" | "x" | "X"));
    (looks_like_version && enough).then_some((before, after))
}

fn of_group(group: &Group, is_one_of_many: bool) -> Vec<Trap> {
    let mut traps = Vec::new();
    let Some(first) = group.comparators.first() else {
        return traps;
    };
    if reach::witness(group).is_none() {
        let subject = if is_one_of_many {
            "this alternative"
        } else {
            "this constraint"
        };
        traps.push(Trap {
            kind: TrapKind::NeverMatches,
            position: first.start,
            message: format!("{subject} can never match: no version satisfies all of it"),
        });
        return traps;
    }
    let is_single_version = group.comparators.iter().any(|comparator| {
        comparator.operator == Operator::Equal && comparator.precision == Precision::Full
    });
    if is_single_version || !group.is_open() {
        return traps;
    }
    // `-0` is how prereleases are asked for: no trap.
    let named = |comparator: &&Comparator| !matches!(comparator.version.pre.as_str(), "" | "0");
    if let Some(opener) = group.comparators.iter().find(named) {
        traps.push(Trap {
            kind: TrapKind::OpensGroup,
            position: opener.start,
            message: format!(
                "`{}` names a prerelease, so those of every version in the range are admitted too",
                opener.text
            ),
        });
    }
    for comparator in &group.comparators {
        if comparator.operator == Operator::Less && comparator.version.pre.is_empty() {
            let ::semver::Version {
                major,
                minor,
                patch,
                ..
            } = comparator.version;
            traps.push(Trap {
                kind: TrapKind::UpperBoundOpen,
                position: comparator.start,
                message: format!(
                    "`{}` admits the prereleases of {major}.{minor}.{patch}, because another \
                     comparator names a prerelease; `<{major}.{minor}.{patch}-0` does not",
                    comparator.text
                ),
            });
        }
    }
    traps
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn lines(constraint: &str) -> String {
        lint(&Constraint::parse(constraint).unwrap())
            .iter()
            .map(|trap| format!("{} {}: {trap}", trap.position, trap.kind))
            .collect::<Vec<_>>()
            .join("\n")
    }

    #[rstest]
    #[case(
        "^1.1.x",
        "0 caret-wildcard: `^1.1.x` admits every 1.x from 1.1 on; `~1.1` admits the patches of 1.1 only"
    )]
    #[case(
        "^v1.1.x",
        "0 caret-wildcard: `^v1.1.x` admits every 1.x from 1.1 on; `~1.1` admits the patches of 1.1 only"
    )]
    #[case(
        "2 || ^*",
        "5 operator-wildcard: `^*` admits only 0.0.0; `*` admits any release"
    )]
    #[case(
        "<=x",
        "0 operator-wildcard: `<=x` admits only 0.0.x; `*` admits any release"
    )]
    #[case(
        "~0.0.0",
        "0 tilde-zero: `~0.0.0` has no upper bound; `~0.0` admits 0.0.x only"
    )]
    #[case(
        "1.2-1.4.5",
        "0 range-without-spaces: `1.2-1.4.5` names the prerelease `1.4.5`; a range has spaces: `1.2 - 1.4.5`\n0 opens-group: `1.2-1.4.5` names a prerelease, so those of every version in the range are admitted too"
    )]
    #[case(
        "1.2.3-1.4.5",
        "0 range-without-spaces: `1.2.3-1.4.5` names the prerelease `1.4.5`; a range has spaces: `1.2.3 - 1.4.5`"
    )]
    #[case(
        ">=1.2.3-beta.1 <2.0.0",
        "0 opens-group: `>=1.2.3-beta.1` names a prerelease, so those of every version in the range are admitted too\n15 upper-bound-open: `<2.0.0` admits the prereleases of 2.0.0, because another comparator names a prerelease; `<2.0.0-0` does not"
    )]
    #[case(
        "!=1.2.3-beta.1",
        "0 opens-group: `!=1.2.3-beta.1` names a prerelease, so those of every version in the range are admitted too"
    )]
    #[case(
        "1.2.3 1.2.4",
        "0 never-matches: this constraint can never match: no version satisfies all of it"
    )]
    #[case(
        "^1 || >2 <2",
        "6 never-matches: this alternative can never match: no version satisfies all of it"
    )]
    #[case(
        "1.x.3",
        "0 ignored-part: `1.x.3` ignores the number after its wildcard"
    )]
    #[case(
        "^1.2.3+b",
        "0 ignored-build: `^1.2.3+b` ignores its build metadata, which has no meaning in a constraint"
    )]
    #[case(
        "1||2 - 3",
        "0 torn-range: a hyphen range takes everything up to the last space for its lower end, `||` too; put spaces around `||`"
    )]
    fn a_trap_says_what_it_means_and_what_to_write(
        #[case] constraint: &str,
        #[case] expected: &str,
    ) {
        assert_eq!(lines(constraint), expected);
    }

    #[rstest]
    #[case("^1.1")]
    #[case("^0.1.x")]
    #[case("^1.x")]
    #[case("~1.1.x")]
    #[case("1.1.x")]
    #[case("*")]
    #[case("~*")]
    #[case("~0.0")]
    #[case("1.2.3-beta.1")]
    #[case("1.15.0-3")]
    #[case("1.x-0")]
    #[case("^1.2-0")]
    #[case(">=1.2.0-0 <2.0.0-0")]
    #[case("1.2 - 1.4.5")]
    #[case("1.x || 3.x")]
    #[case(">=1.2, !=1.4.5, <2")]
    fn a_constraint_that_means_what_it_looks_like_has_none(#[case] constraint: &str) {
        assert_eq!(lines(constraint), "");
    }
}
