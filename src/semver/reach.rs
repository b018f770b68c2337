//! Whether comparators can hold together at all.
//!
//! What a comparator admits is a union of intervals, so an intersection that is not empty holds the
//! lowest version of one of them, or the next one where a `!=` takes that out.

use ::semver::{BuildMetadata, Prerelease, Version};

use super::constraint::{Comparator, Group, Operator};

/// A version that the group admits, if there is one.
pub(super) fn witness(group: &Group) -> Option<Version> {
    let exclusions = group
        .comparators
        .iter()
        .filter(|comparator| comparator.operator == Operator::NotEqual)
        .count();
    let lowest = version(0, 0, 0, "0");
    group
        .comparators
        .iter()
        .flat_map(lower_ends)
        .chain([lowest])
        .map(|end| if group.is_open() { end } else { release(end) })
        .find_map(|end| {
            std::iter::successors(Some(end), |end| next(end, group.is_open()))
                .take(exclusions + 1)
                .find(|version| group.admits(version))
        })
}

/// Where an interval of what the comparator admits may begin.
fn lower_ends(comparator: &Comparator) -> Vec<Version> {
    let bound = &comparator.version;
    let numbers = version(bound.major, bound.minor, bound.patch, "");
    let next_minor = bound
        .minor
        .checked_add(1)
        .map(|minor| version(bound.major, minor, 0, "0"));
    let next_major = bound
        .major
        .checked_add(1)
        .map(|major| version(major, 0, 0, "0"));
    [
        Some(bound.clone()),
        next(bound, true),
        next(&numbers, true),
        next_minor,
        next_major,
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The version that follows directly, among releases or among all.
fn next(from: &Version, prereleases: bool) -> Option<Version> {
    if !from.pre.is_empty() {
        return Some(Version {
            pre: Prerelease::new(&format!("{}.0", from.pre)).ok()?,
            ..from.clone()
        });
    }
    let (major, minor, patch) = if let Some(patch) = from.patch.checked_add(1) {
        (from.major, from.minor, patch)
    } else if let Some(minor) = from.minor.checked_add(1) {
        (from.major, minor, 0)
    } else {
        (from.major.checked_add(1)?, 0, 0)
    };
    let prerelease = if prereleases { "0" } else { "" };
    Some(version(major, minor, patch, prerelease))
}

fn release(from: Version) -> Version {
    Version {
        pre: Prerelease::EMPTY,
        ..from
    }
}

fn version(major: u64, minor: u64, patch: u64, prerelease: &str) -> Version {
    Version {
        major,
        minor,
        patch,
        pre: Prerelease::new(prerelease).unwrap_or(Prerelease::EMPTY),
        build: BuildMetadata::EMPTY,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::super::Constraint;
    use super::*;

    fn witness_of(constraint: &str) -> Option<String> {
        let constraint = Constraint::parse(constraint).unwrap();
        witness(&constraint.groups[0]).map(|version| version.to_string())
    }

    #[rstest]
    #[case("1.2.3 1.2.4")]
    #[case(">2 <2")]
    #[case(">=2 <2")]
    #[case(">1.2.3 <1.2.4")]
    #[case("^1 ^2")]
    #[case("1.2 !=1.2")]
    #[case("<0")]
    #[case("<*")]
    #[case(">18446744073709551615")]
    #[case("2 - 1")]
    #[case(">=1.2.3 <1.2.5 !=1.2.3 !=1.2.4")]
    fn some_comparators_never_hold_together(#[case] constraint: &str) {
        assert_eq!(witness_of(constraint), None);
    }

    #[rstest]
    #[case("*")]
    #[case("^*")]
    #[case("!=*")]
    #[case(">0")]
    #[case("<=*")]
    #[case(">1.2.3 !=1.2.4 <1.2.6")]
    #[case("!=0 !=1 !=2")]
    #[case(">1.2.3 <1.2.4-0.1")]
    #[case(">1.2.3-a <1.2.3-a.1")]
    #[case(">=1.2.3-b <1.2.4 !=1.2-b !=1.2-b.0")]
    #[case(">1.18446744073709551615.18446744073709551615")]
    fn others_do(#[case] constraint: &str) {
        assert_ne!(witness_of(constraint), None);
    }

    proptest! {
        #[test]
        fn no_witness_means_that_no_version_matches(
            constraint in "(=|!=|<|>|<=|>=|~|\\^)[0-2](\\.[0-2]){0,2}(-[0a])?( (=|!=|<|>|<=|>=|~|\\^)[0-2](\\.[0-2]){0,2}(-[0a])?){1,3}",
            version in "[0-3]\\.[0-3]\\.[0-3](-[0ab](\\.0)?)?",
        ) {
            let group = &Constraint::parse(&constraint).unwrap().groups[0];
            let version = Version::parse(&version).unwrap();
            if let Some(witness) = witness(group) {
                prop_assert!(group.admits(&witness));
            } else {
                prop_assert!(!group.admits(&version), "{}", version);
            }
        }
    }
}
