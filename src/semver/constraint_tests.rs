use proptest::prelude::*;
use rstest::rstest;

use super::*;

fn constraint(text: &str) -> Constraint {
    Constraint::parse(text).unwrap()
}

fn version(text: &str) -> Version {
    Version::parse(text).unwrap()
}

/// Which of the versions, separated by spaces, the constraint admits.
fn admitted(text: &str, versions: &str) -> String {
    let constraint = constraint(text);
    let admitted = |text: &&str| constraint.matches(&version(text));
    let admitted: Vec<&str> = versions.split(' ').filter(admitted).collect();
    admitted.join(" ")
}

#[rstest]
#[case("1.2.3", "1.2.2 1.2.3 v1.2.3 1.2.3+b 1.2.4", "1.2.3 v1.2.3 1.2.3+b")]
#[case("=1.2", "1.1.9 1.2 1.2.9 1.3.0", "1.2 1.2.9")]
#[case("1.x", "0.9.0 1.0.0 1.9.0 2.0.0", "1.0.0 1.9.0")]
#[case("*", "0.0.0 9.9.9", "0.0.0 9.9.9")]
#[case("x.2.3", "0.0.0 9.9.9", "0.0.0 9.9.9")]
#[case("^1.1.x", "1.0.9 1.1.0 1.9.0 2.0.0", "1.1.0 1.9.0")]
#[case("^v1.2.3", "1.2.2 1.2.3 1.9.0 2.0.0", "1.2.3 1.9.0")]
#[case("^0.2.3", "0.2.2 0.2.3 0.2.9 0.3.0", "0.2.3 0.2.9")]
#[case("^0.0.3", "0.0.3 0.0.4", "0.0.3")]
#[case("^0.0", "0.0.3 0.1.0", "0.0.3")]
#[case("^0", "0.0.3 0.9.0 1.0.0", "0.0.3 0.9.0")]
#[case("^*", "0.0.0 0.0.1 1.0.0", "0.0.0")]
#[case("~1", "0.9.0 1.0.0 1.9.0 2.0.0", "1.0.0 1.9.0")]
#[case("~>1.2", "1.1.0 1.2.0 1.2.9 1.3.0", "1.2.0 1.2.9")]
#[case("~1.2.3", "1.2.2 1.2.3 1.2.9 1.3.0", "1.2.3 1.2.9")]
#[case("~0.0.0", "0.0.0 9.9.9", "0.0.0 9.9.9")]
#[case(">1", "1.0.0 1.9.9 2.0.0", "2.0.0")]
#[case(">1.2", "1.2.9 1.3.0", "1.3.0")]
#[case(">*", "0.0.0 0.0.1", "0.0.1")]
#[case("<1.x", "0.9.9 1.0.0", "0.9.9")]
#[case("<=1", "1.9.9 2.0.0", "1.9.9")]
#[case("=<1.2", "1.2.9 1.3.0", "1.2.9")]
#[case("<=*", "0.0.9 0.1.0", "0.0.9")]
#[case("!=1", "0.9.0 1.0.0 1.9.0 2.0.0", "0.9.0 2.0.0")]
#[case("!=1.2", "1.1.0 1.2.9 1.3.0", "1.1.0 1.3.0")]
#[case("!=*", "0.0.0 0.0.1 1.0.0", "0.0.1 1.0.0")]
#[case(">=2025.02.03", "2025.2.2 2025.02.03", "2025.02.03")]
#[case(">=1, <3, !=2.0.0", "0.9.0 1.0.0 2.0.0 2.0.1 3.0.0", "1.0.0 2.0.1")]
#[case("1.x || 3.x", "1.0.0 2.0.0 3.0.0", "1.0.0 3.0.0")]
#[case("1.2.0 - 2", "1.1.0 1.2.0 2.9.9 3.0.0", "1.2.0 2.9.9")]
#[case("1.2.3 1.2.4", "1.2.3 1.2.4", "")]
fn a_constraint_admits_what_flux_and_helm_take(
    #[case] text: &str,
    #[case] versions: &str,
    #[case] expected: &str,
) {
    assert_eq!(admitted(text, versions), expected);
}

#[rstest]
#[case("^1.2", "1.3.0-rc.1", "")]
#[case("!=1.2.3", "2.0.0-rc.1", "")]
#[case("^1.2-0", "1.2.0-rc.1 1.3.0-rc.1", "1.2.0-rc.1 1.3.0-rc.1")]
#[case(
    "^1.2.3-beta.1",
    "1.2.3-alpha 1.2.3-beta.2 1.3.0-rc.1 2.0.0-rc.1",
    "1.2.3-beta.2 1.3.0-rc.1"
)]
#[case(
    ">=1.2.3-beta, <1.3.0",
    "1.2.3-beta.2 1.3.0-rc.1",
    "1.2.3-beta.2 1.3.0-rc.1"
)]
#[case("<2.0.0-0", "1.2.3-beta.1 2.0.0-rc.1", "1.2.3-beta.1")]
#[case("1.x || 2.0.0-rc.1", "1.2.3-rc.1 2.0.0-rc.1", "2.0.0-rc.1")]
#[case("*-0", "0.0.0-0 0.0.0-a", "0.0.0-0 0.0.0-a")]
#[case("<0.5.0", "0.4.1-4.1", "")]
#[case(
    "!=1.2-b",
    "1.2.3 1.2.3-a 1.2.3-b 1.2.9-b 1.3.0-b",
    "1.2.3 1.2.3-a 1.3.0-b"
)]
// Beyond 64 bits a number of a prerelease is text.
#[case(
    ">1.2.3-99999999999999999999",
    "1.2.3-100000000000000000000 1.2.3-a",
    "1.2.3-a"
)]
fn a_prerelease_is_admitted_where_a_comparator_beside_names_one(
    #[case] text: &str,
    #[case] versions: &str,
    #[case] expected: &str,
) {
    assert_eq!(admitted(text, versions), expected);
}

#[rstest]
#[case(">=1.2\t<2")]
#[case(">=1.2\n<2")]
#[case("  >= 1.2 ,<2 ")]
#[case("=>1.2,\r\n<v2")]
fn spaces_and_commas_mean_and(#[case] text: &str) {
    assert_eq!(admitted(text, "1.1.0 1.2.0 2.0.0"), "1.2.0");
}

#[rstest]
#[case("1 - 2=2", "1.9.0 2.1.0 3.0.0", "2.1.0")]
#[case("1 - 2+a*", "0.9.0 1.9.0", "1.9.0")]
#[case(">=1.5,1 - 2", "1.1.0 1.9.0 3.0.0", "1.9.0")]
#[case("1||2 - 3", "0.9.0 1.9.0 2.0.0 4.0.0", "1.9.0 2.0.0 4.0.0")]
#[case("1 - 2||4", "1.0.0 3.0.0 4.0.0", "1.0.0 4.0.0")]
#[case("1 - 3 2 - 4", "1.0.0 2.0.0 3.0.0 4.0.0", "2.0.0 3.0.0")]
#[case("x.1|2", "1.0.0", "1.0.0")]
#[case("1.*.99999999999999999999", "1.0.0", "1.0.0")]
fn what_only_the_patterns_of_masterminds_explain_holds_too(
    #[case] text: &str,
    #[case] versions: &str,
    #[case] expected: &str,
) {
    assert_eq!(admitted(text, versions), expected);
}

#[rstest]
#[case(
    "",
    0,
    Some("an empty alternative admits nothing; `*` admits any release")
)]
#[case(
    "^1.2 || ",
    8,
    Some("an empty alternative admits nothing; `*` admits any release")
)]
#[case(
    "|| 1.2.3",
    0,
    Some("an empty alternative admits nothing; `*` admits any release")
)]
#[case("==1.2", 1, Some("one `=` asks for exactly a version"))]
#[case("~=1.2", 1, Some("`~1.2` admits patches, `^1.2` minor versions too"))]
#[case("latest", 0, Some("`*` admits any release"))]
#[case("1.2.3 || latest", 9, Some("`*` admits any release"))]
#[case("stable", 0, None)]
#[case("1|2", 0, Some("alternatives are separated by `||`"))]
#[case("1 | 2", 2, Some("alternatives are separated by `||`"))]
#[case("1x", 0, None)]
#[case("^V1.2", 1, Some("the prefix is a lower-case `v`, or nothing"))]
#[case("^1.2.3.4", 6, Some("a version has at most three numbers"))]
#[case("^1.2.", 4, Some("something must follow the dot"))]
#[case("^1.2,", 5, Some("nothing may follow the last comma"))]
#[case(",^1.2", 0, Some("one comma, between two comparators"))]
#[case(">=", 2, Some("a version must follow the operator"))]
#[case("^1.2 and <2", 5, Some("a space or a comma already means `and`"))]
#[case("^1.2 && <2", 5, Some("a space or a comma already means `and`"))]
#[case(">=1<2", 3, Some("comparators are separated by spaces or commas"))]
#[case("[1.2,2)", 0, Some("an interval is written `>=1.2, <2`"))]
#[case(
    "1.2.3 -2.0.0",
    6,
    Some("a range has a space on both sides of its hyphen: `1.2 - 1.4`")
)]
#[case(
    "1.2.3- 2.0.0",
    5,
    Some("a prerelease such as `rc.1` must follow the hyphen")
)]
#[case(
    "1 - 2 - 3",
    6,
    Some("a range has a space on both sides of its hyphen: `1.2 - 1.4`")
)]
#[case("^1 - 2", 1, Some("`1.2 - 1.4` means `>=1.2, <=1.4`"))]
#[case("=1 - 2", 1, Some("`1.2 - 1.4` means `>=1.2, <=1.4`"))]
#[case(
    "1 2 - 3",
    2,
    Some("put one before the hyphen range; a space is not enough there")
)]
#[case(
    "1.2.3-beta_1",
    10,
    Some("the tag of an OCI chart has `_` where its version has `+`")
)]
#[case(
    "v1@sha256:00",
    2,
    Some("only a version goes here, without a digest or an image")
)]
#[case("sha256:00", 0, Some("this is a digest, not a version"))]
#[case("1.2.3-01", 6, None)]
#[case("18446744073709551616", 0, None)]
#[case("1.2\u{b}1.3", 3, None)]
#[case("^1.2é", 4, None)]
fn what_is_not_a_constraint_is_refused_where_it_goes_wrong(
    #[case] text: &str,
    #[case] position: usize,
    #[case] hint: Option<&str>,
) {
    let error = Constraint::parse(text).unwrap_err();
    assert_eq!((error.position, error.hint), (position, hint), "{error}");
}

#[test]
fn an_error_says_what_was_expected_and_what_stands_there() {
    let message = |text| Constraint::parse(text).unwrap_err().to_string();
    insta::assert_snapshot!(
        message("^1.2 and <2"),
        @"`^1.2 and <2` is not a version constraint: expected a version such as `1.2` or `1.x` at `and`"
    );
    insta::assert_snapshot!(
        message("^1.2,"),
        @"`^1.2,` is not a version constraint: expected a version such as `1.2` or `1.x` at the end"
    );
    insta::assert_snapshot!(
        message("^1 - 2"),
        @"`^1 - 2` is not a version constraint: expected a hyphen range without an operator at `1`"
    );
}

#[test]
fn lengths_are_limited_as_in_masterminds() {
    assert!(Constraint::parse(&format!("1{}", " ".repeat(511))).is_ok());
    assert!(Constraint::parse(&format!("1{}", " ".repeat(512))).is_err());
    assert!(Constraint::parse(&["1"; 32].join("||")).is_ok());
    assert!(Constraint::parse(&["1"; 33].join("||")).is_err());
    assert!(Constraint::parse(&format!("1.2.3-{}", "a".repeat(250))).is_ok());
    assert!(Constraint::parse(&format!("1.2.3-{}", "a".repeat(251))).is_err());
    // What is missing counts as `.0`, what follows a wildcard does not count.
    assert!(Constraint::parse(&format!("1.2-{}", "a".repeat(250))).is_ok());
    assert!(Constraint::parse(&format!("1.2-{}", "a".repeat(251))).is_err());
    assert!(Constraint::parse(&format!("1.x.{}", "1".repeat(300))).is_ok());
}

#[rstest]
#[case("^1.2", "1.1.0", "it is lower than `^1.2` admits")]
#[case("^1.2", "2.0.0", "it is higher than `^1.2` admits")]
#[case(">= 1.2, <2", "1.0.0", "it is lower than `>= 1.2` admits")]
#[case(">= 1.2, <2", "2.0.0", "it is higher than `<2` admits")]
#[case("1.2 - 1.4", "1.5.0", "it is higher than `<= 1.4` admits")]
#[case("* !=1.2.3", "1.2.3", "`!=1.2.3` excludes it")]
#[case("= 1.2.3", "1.2.4", "it is not `1.2.3`")]
#[case(
    "^1.2",
    "1.3.0-rc.1",
    "it is a prerelease, and the constraint names none; `^1.2-0` would admit it"
)]
#[case(
    ">1.2.3",
    "1.3.0-rc.1",
    "it is a prerelease, and the constraint names none"
)]
#[case("^1.2", "2.0.0-rc.1", "it is higher than `^1.2` admits")]
#[case(
    "1.2.0+b - 2",
    "1.5.0-rc.1",
    "it is a prerelease, and the constraint names none; `1.2.0-0+b - 2` would admit it"
)]
#[case(
    "1.x || 3.x",
    "2.0.0",
    "no alternative admits it: it is higher than `1.x` admits; it is lower than `3.x` admits"
)]
#[case("1.2.3 || = 1.2.3", "2.0.0", "it is not `1.2.3`")]
fn a_rejection_gives_a_reason(#[case] text: &str, #[case] rejected: &str, #[case] reason: &str) {
    let rejection = constraint(text).check(&version(rejected)).unwrap_err();
    assert_eq!(rejection.to_string(), reason);
}

const COMPARATOR: &str = "(=|!=|<|>|<=|>=|~|\\^|)v?[0-2](\\.([0-2]|x)){0,2}(-[0a])?";
const VERSION: &str = "[0-2]\\.[0-2]\\.[0-2](-[0ab])?";

proptest! {
    #[test]
    fn parsing_never_panics(text in "\\PC{0,20}|[0-9vxX.+*|<>=~^!, \\t-]{0,30}") {
        if let Err(error) = Constraint::parse(&text) {
            prop_assert!(text.is_char_boundary(error.position));
        }
    }

    #[test]
    fn a_constraint_keeps_its_spelling(text in COMPARATOR) {
        prop_assert_eq!(constraint(&text).to_string(), text);
    }

    #[test]
    fn alternatives_are_a_union(a in COMPARATOR, b in COMPARATOR, v in VERSION) {
        let v = version(&v);
        let either = constraint(&format!("{a} || {b}"));
        prop_assert_eq!(either.matches(&v), constraint(&a).matches(&v) || constraint(&b).matches(&v));
    }

    #[test]
    fn a_comma_is_an_intersection_of_releases(a in COMPARATOR, b in COMPARATOR, v in VERSION) {
        let v = version(&v);
        prop_assume!(!v.is_prerelease());
        let both = constraint(&format!("{a}, {b}"));
        prop_assert_eq!(both.matches(&v), constraint(&a).matches(&v) && constraint(&b).matches(&v));
        prop_assert_eq!(both.matches(&v), constraint(&format!("{b} {a}")).matches(&v));
    }

    #[test]
    fn check_gives_a_reason_exactly_where_nothing_matches(a in COMPARATOR, b in COMPARATOR, v in VERSION) {
        let (v, constraint) = (version(&v), constraint(&format!("{a} || {b}")));
        prop_assert_eq!(constraint.check(&v).is_ok(), constraint.matches(&v));
        if let Err(Rejection::Prerelease { remedy: Some(remedy) }) = constraint.check(&v) {
            prop_assert!(self::constraint(&remedy).matches(&v));
        }
    }

    #[test]
    fn build_metadata_has_no_meaning(a in COMPARATOR, v in VERSION) {
        let plain = constraint(&a).matches(&version(&v));
        prop_assert_eq!(constraint(&a).matches(&version(&format!("{v}+b.1"))), plain);
        prop_assert_eq!(constraint(&format!("{a}+b.1")).matches(&version(&v)), plain);
    }
}
