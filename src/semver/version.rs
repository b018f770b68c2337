//! A version as Masterminds' `NewVersion` reads it, with its spelling.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::scan::{self, Fault, MAX_VERSION_LEN};

/// A version and how it was spelled: `v1.2`, `1.2.0` and `01.2.0+b` are the same version.
///
/// One to three numbers, with a lower-case `v` or without, leading zeros accepted; then
/// `-prerelease` and `+build`. Equality and order are SemVer's precedence, so two versions that
/// differ only in build metadata or spelling are equal; [`as_str`](Self::as_str) tells them apart.
#[derive(Clone, Debug)]
pub struct Version {
    parsed: ::semver::Version,
    text: String,
}

/// Why a text is not a version.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{}` is not a version: expected {expected} {}", scan::excerpt(text), scan::found(text, *position))]
pub struct VersionError {
    /// The text.
    pub text: String,
    /// Where it stops being a version: a byte offset.
    pub position: usize,
    /// What would have been right there.
    pub expected: &'static str,
    /// What to do.
    pub hint: Option<&'static str>,
}

impl Version {
    /// Reads a version.
    pub fn parse(text: &str) -> Result<Self, VersionError> {
        parse(text).map_err(|Fault { at, expected, hint }| VersionError {
            text: text.to_owned(),
            position: at,
            expected,
            hint,
        })
    }

    /// The version as it was spelled.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The first number.
    pub fn major(&self) -> u64 {
        self.parsed.major
    }

    /// The second number, 0 where it was not given.
    pub fn minor(&self) -> u64 {
        self.parsed.minor
    }

    /// The third number, 0 where it was not given.
    pub fn patch(&self) -> u64 {
        self.parsed.patch
    }

    /// What follows the hyphen, empty for a release.
    pub fn prerelease(&self) -> &str {
        self.parsed.pre.as_str()
    }

    /// What follows the `+`, without meaning for order or matching.
    pub fn build(&self) -> &str {
        self.parsed.build.as_str()
    }

    /// Whether it comes before the release of its numbers.
    pub fn is_prerelease(&self) -> bool {
        !self.parsed.pre.is_empty()
    }

    /// Whether all three numbers were given. Flux takes no tag with fewer for a version.
    pub fn is_full(&self) -> bool {
        let numbers = self.text.split(['-', '+']).next().unwrap_or_default();
        numbers.bytes().filter(|byte| *byte == b'.').count() == 2
    }

    /// Whether it may break who runs `other`: a higher major, below 1.0 a higher minor.
    pub fn is_breaking_after(&self, other: &Self) -> bool {
        match self.major().cmp(&other.major()) {
            Ordering::Greater => true,
            Ordering::Equal => self.major() == 0 && self.minor() > other.minor(),
            Ordering::Less => false,
        }
    }

    pub(super) fn parsed(&self) -> &::semver::Version {
        &self.parsed
    }
}

fn parse(text: &str) -> Result<Version, Fault> {
    const EXPECTED: &str = "a version such as `1.2.3`";
    if text.len() > MAX_VERSION_LEN {
        return Err(Fault::new(MAX_VERSION_LEN, "at most 256 bytes"));
    }
    let scan = scan::scan(text.as_bytes(), 0, |byte| byte.is_ascii_digit())
        .ok_or_else(|| Fault::new(0, EXPECTED).hint(scan::hint_before(text)))?;
    if scan.end < text.len() {
        let rest = text.get(scan.end..).unwrap_or_default();
        let hint = scan::hint_after(rest, &scan);
        return Err(Fault::new(scan.end, "the end of the version").hint(hint));
    }
    let part = |range: Option<&_>| range.map_or(Ok(0), |range| scan::number(text, range));
    let build = match &scan.build {
        Some(range) => ::semver::BuildMetadata::new(&text[range.clone()])
            .map_err(|_| Fault::new(range.start, "build metadata"))?,
        None => ::semver::BuildMetadata::EMPTY,
    };
    Ok(Version {
        parsed: ::semver::Version {
            major: scan::number(text, &scan.major)?,
            minor: part(scan.minor.as_ref())?,
            patch: part(scan.patch.as_ref())?,
            pre: scan::prerelease(text, scan.prerelease.as_ref())?,
            build,
        },
        text: text.to_owned(),
    })
}

/// The order of two versions, build metadata ignored.
pub(super) fn precedence(a: &::semver::Version, b: &::semver::Version) -> Ordering {
    let numbers = |v: &::semver::Version| (v.major, v.minor, v.patch);
    numbers(a).cmp(&numbers(b)).then_with(|| {
        match (a.pre.is_empty(), b.pre.is_empty()) {
            (false, false) => identifiers(&a.pre).cmp(identifiers(&b.pre)),
            // A release comes after its prereleases.
            (a_releases, b_releases) => a_releases.cmp(&b_releases),
        }
    })
}

/// An identifier of a prerelease, in SemVer's order. As in Masterminds, a number of more than
/// 64 bits is text; the `semver` crate orders it as a number.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Identifier<'a> {
    Number(u64),
    Text(&'a str),
}

fn identifiers(prerelease: &str) -> impl Iterator<Item = Identifier<'_>> {
    prerelease.split('.').map(|word| {
        word.parse()
            .map_or(Identifier::Text(word), Identifier::Number)
    })
}

impl PartialEq for Version {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Version {}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Version {
    fn cmp(&self, other: &Self) -> Ordering {
        precedence(&self.parsed, &other.parsed)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

impl FromStr for Version {
    type Err = VersionError;

    fn from_str(text: &str) -> Result<Self, VersionError> {
        Self::parse(text)
    }
}

impl Serialize for Version {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

impl<'de> Deserialize<'de> for Version {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;

    fn version(text: &str) -> Version {
        Version::parse(text).unwrap()
    }

    #[rstest]
    #[case("1", "1.0.0")]
    #[case("1.2", "1.2.0")]
    #[case("v1.2.3", "1.2.3")]
    #[case("01.02.003", "1.2.3")]
    #[case("2025.02.03", "2025.2.3")]
    #[case("1-rc.1", "1.0.0-rc.1")]
    #[case("1.2+b", "1.2.0+b")]
    #[case("1.2.3--", "1.2.3--")]
    #[case("1.2.3-beta.1+001.x", "1.2.3-beta.1+001.x")]
    #[case("1.2.3-18446744073709551616", "1.2.3-18446744073709551616")]
    #[case("18446744073709551615.0.0", "18446744073709551615.0.0")]
    fn a_version_is_read_loosely_and_keeps_its_spelling(#[case] text: &str, #[case] meant: &str) {
        assert_eq!(version(text).parsed.to_string(), meant);
        assert_eq!(version(text).to_string(), text);
    }

    #[rstest]
    #[case("", 0, None)]
    #[case("V1.2.3", 0, Some("the prefix is a lower-case `v`, or nothing"))]
    #[case("v", 0, None)]
    #[case("latest", 0, None)]
    #[case(" 1.2.3", 0, None)]
    #[case("1.2.3 ", 5, None)]
    #[case("1.2.x", 3, Some("something must follow the dot"))]
    #[case("1.2.", 3, Some("something must follow the dot"))]
    #[case("1.2.3.4", 5, Some("a version has at most three numbers"))]
    #[case(
        "1.2.3-",
        5,
        Some("a prerelease such as `rc.1` must follow the hyphen")
    )]
    #[case("1.2.3+", 5, Some("build metadata must follow the `+`"))]
    #[case("1.2.3-01", 6, None)]
    #[case(
        "1.2.3-beta_1",
        10,
        Some("the tag of an OCI chart has `_` where its version has `+`")
    )]
    #[case("1.2.3-beta..1", 10, Some("something must follow the dot"))]
    #[case("1.2.18446744073709551616", 4, None)]
    #[case("1.2.3é", 5, None)]
    fn what_is_not_a_version_is_refused_where_it_goes_wrong(
        #[case] text: &str,
        #[case] position: usize,
        #[case] hint: Option<&str>,
    ) {
        let error = Version::parse(text).unwrap_err();
        assert_eq!((error.position, error.hint), (position, hint));
    }

    #[test]
    fn a_version_of_more_than_256_bytes_is_refused() {
        let fits = format!("1.2.3-{}", "a".repeat(250));
        assert!(Version::parse(&fits).is_ok());
        assert!(Version::parse(&format!("{fits}a")).is_err());
    }

    #[test]
    fn an_error_says_what_was_expected_and_what_stands_there() {
        insta::assert_snapshot!(
            Version::parse("1.2.3.4").unwrap_err(),
            @"`1.2.3.4` is not a version: expected the end of the version at `.4`"
        );
    }

    #[test]
    fn order_is_precedence() {
        let ascending = [
            "0.0.0-0",
            "0.0.0",
            "1.0.0-0",
            "1.0.0-1",
            "1.0.0-2",
            "1.0.0-11",
            // Beyond 64 bits a number is text.
            "1.0.0-100000000000000000000",
            "1.0.0-99999999999999999999",
            "1.0.0-a",
            "1.0.0-a.1",
            "1.0.0-a.b",
            "1.0.0-b",
            "1",
            "1.0.1",
            "v1.2",
            "1.10",
            "2",
        ];
        for pair in ascending.windows(2) {
            assert!(version(pair[0]) < version(pair[1]), "{pair:?}");
        }
    }

    #[rstest]
    #[case("1.2.3", "v1.2.3")]
    #[case("1.2.0", "01.2")]
    #[case("1.2.3+a", "1.2.3+b")]
    #[case("1.2.3-rc.1", "1.2.3-rc.1+b")]
    fn spelling_and_build_metadata_do_not_count(#[case] a: &str, #[case] b: &str) {
        assert_eq!(version(a), version(b));
        assert_ne!(version(a).as_str(), version(b).as_str());
    }

    #[rstest]
    #[case("2.0.0", "1.9.9", true)]
    #[case("1.0.0", "0.9.0", true)]
    #[case("2.0.0-rc.1", "1.9.9", true)]
    #[case("0.2.0", "0.1.9", true)]
    #[case("0.1.1", "0.1.0", false)]
    #[case("1.3.0", "1.2.0", false)]
    #[case("1.2.0", "2.0.0", false)]
    #[case("0.1.0", "0.2.0", false)]
    fn a_higher_major_breaks_and_below_one_a_higher_minor(
        #[case] new: &str,
        #[case] old: &str,
        #[case] breaking: bool,
    ) {
        assert_eq!(version(new).is_breaking_after(&version(old)), breaking);
    }

    #[rstest]
    #[case("v1.2.3-a.b.c+d.e", true)]
    #[case("1.2", false)]
    #[case("1-a.b.c", false)]
    fn a_version_is_full_with_three_numbers(#[case] text: &str, #[case] full: bool) {
        assert_eq!(version(text).is_full(), full);
    }

    proptest! {
        #[test]
        fn parsing_never_panics(text in "\\PC{0,20}|[0-9vx.+*-]{0,20}") {
            if let Err(error) = Version::parse(&text) {
                prop_assert!(text.is_char_boundary(error.position));
            }
        }

        #[test]
        fn what_is_read_keeps_its_spelling(text in "v?[0-9]{1,3}(\\.[0-9]{1,3}){0,2}(-[a-z]{1,3}(\\.[a-z-]{1,3})?)?(\\+[0-9a-z]{1,3})?") {
            prop_assert_eq!(version(&text).to_string(), text);
        }

        #[test]
        fn order_is_total(texts in prop::array::uniform3("[0-2]\\.[0-2](-(0|1|11|a|-|a1)(\\.(0|a|2))?)?(\\+[a-b])?")) {
            let [a, b, c] = texts.each_ref().map(|text| version(text));
            prop_assert_eq!(a.cmp(&b), b.cmp(&a).reverse());
            if a <= b && b <= c {
                prop_assert!(a <= c);
            }
        }
    }
}
