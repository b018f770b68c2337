//! Examples of expressions, and what cel-go 0.32 and Greenhouse make of them.

use proptest::prelude::*;
use rstest::rstest;
use serde_json::json;

use super::*;

fn globals() -> Map<String, Value> {
    let globals = json!({
        "greenhouse": {
            "clusterName": "obs-eu-de-1",
            "organizationName": "my-org",
            "metadata": {"tier": "1", "region": "eu-de-1", "no": "no", "html": "<a&b>", "my-key": "x"},
        }
    });
    globals.as_object().unwrap().clone()
}

fn evaluate(text: &str) -> Result<Value, ExpressionError> {
    Expression::compile(text)?.evaluate(&globals())
}

/// The value of one placeholder, before it is read as YAML.
fn cel(source: &str) -> Result<String, ExpressionError> {
    Expression::compile(&format!("${{{source}}}"))?.fill_in(&globals())
}

#[rstest]
#[case::text_without_placeholders_is_yaml("a: [1, yes]", json!({"a": [1, true]}))]
#[case::a_comment_is_null("# nothing", json!(null))]
#[case::strings_are_spliced_as_they_are("x-${global.greenhouse.clusterName}.y", json!("x-obs-eu-de-1.y"))]
#[case::a_spliced_string_is_read_as_yaml("${global.greenhouse.metadata.no}", json!(false))]
#[case::a_spliced_number_is_a_number("${global.greenhouse.metadata.tier}", json!(1))]
#[case::quotes_keep_a_string("\"${global.greenhouse.metadata.tier}\"", json!("1"))]
#[case::a_string_can_be_more_yaml("a: ${\"1\\nb: 2\"}", json!({"a": 1, "b": 2}))]
#[case::a_placeholder_can_be_there_twice("[${1 + 1}, ${1 + 1}, ${3}]", json!([2, 2, 3]))]
#[case::a_dollar_before_it_stays("$${1}", json!("$1"))]
#[case::an_empty_placeholder_is_text("${}", json!("${}"))]
#[case::an_open_placeholder_is_text("${global", json!("${global"))]
#[case::a_result_can_hold_a_later_placeholder("[${\"$\\x7b2\\x7d\"}, ${2}]", json!([2, 2]))]
#[case::a_result_cannot_hold_an_earlier_one("[${2}, '${\"$\\x7b2\\x7d\"}']", json!([2, "${2}"]))]
#[case::a_map_is_json("${global.greenhouse.metadata}", json!({"tier": "1", "region": "eu-de-1", "no": "no", "html": "<a&b>", "my-key": "x"}))]
fn a_text_becomes_a_value(#[case] text: &str, #[case] expected: Value) {
    assert_eq!(evaluate(text), Ok(expected));
}

#[rstest]
#[case("null", "0")]
#[case("[null]", "[0]")]
#[case("3u", "3")]
#[case("1.5", "1.5")]
#[case("100.0", "100")]
#[case("1e21", "1e+21")]
#[case("1e-7", "1e-7")]
#[case("-0.0", "-0")]
#[case("b'ab'", "\"YWI=\"")]
#[case("type(1)", "int")]
#[case("[int]", "[\"int\"]")]
#[case("[global.greenhouse.metadata.html]", "[\"\\u003ca\\u0026b\\u003e\"]")]
#[case(
    "global.greenhouse.metadata.map(key, key)",
    "[\"html\",\"my-key\",\"no\",\"region\",\"tier\"]"
)]
#[case("duration('1h30m')", "5400000000000")]
#[case("duration('-1.5s') + duration('1ms')", "-1499000000")]
#[case("duration('0.3333333333333333333h')", "1200000000000")]
#[case(
    "duration('1us') < duration('1µs') || duration('+1s') > duration('0')",
    "true"
)]
#[case("duration('90m').getHours()", "1")]
#[case("string(duration('1.5s'))", "1.5s")]
#[case(
    "timestamp('2024-02-29T12:34:56.5+02:00')",
    "\"2024-02-29T12:34:56.5+02:00\""
)]
#[case("timestamp('2024-02-29T12:34:56Z').getDayOfYear()", "59")]
#[case("timestamp('2024-01-01T00:00:00Z').getHours('-02:30')", "21")]
#[case(
    "string(timestamp('9999-12-31T23:59:59Z') - duration('1s'))",
    "9999-12-31T23:59:58Z"
)]
#[case(
    "timestamp('2024-01-02T00:00:00Z') - timestamp('2024-01-01T00:00:00Z') == duration('24h')",
    "true"
)]
#[case("int(timestamp(0) + duration('1.9s'))", "1")]
#[case("'%s in %d%%'.format([[duration('1m')], 5])", "[60s] in 5%")]
#[case("has(global.greenhouse.nope) ? 1 : 2", "2")]
#[case("has(global.greenhouse.clusterName.nope)", "false")]
#[case("global.greenhouse.metadata['my-key']", "x")]
#[case("'tier' in global.greenhouse.metadata", "true")]
#[case("global == global && size(global) == 1", "true")]
#[case("[1, 0].exists(x, 1 / x == 1)", "true")]
#[case("'éab'.indexOf('b', 1)", "2")]
#[case("'ab'.indexOf('a', 9)", "-1")]
#[case("'abab'.lastIndexOf('b', 2)", "1")]
#[case("'ab'.lastIndexOf('', 9)", "2")]
#[case("'é'.matches('^\\\\w$')", "false")]
#[case("'eu-1'.matches('^[\\\\w-]+$')", "true")]
#[case("'a[&&]'.matches('^[a[&&\\\\]]+$')", "true")]
#[case("'a.b'.matches('^\\\\Qa.b\\\\E$')", "true")]
#[case("matches('a]', '[]]')", "true")]
#[case("strings.quote('a\"b')", "\"a\\\"b\"")]
#[case(".size('abc')", "3")]
#[case("global.`greenhouse`.clusterName", "obs-eu-de-1")]
#[case("[[], [1]][1] + []", "[1]")]
#[case("[1, 'a', dyn(2)].map(x, x == 1)", "[true,false,false]")]
fn a_placeholder_becomes_text(#[case] source: &str, #[case] expected: &str) {
    assert_eq!(cel(source).as_deref(), Ok(expected));
}

#[rstest]
#[case("global.", "no viable alternative at input '.', at character 8")]
#[case("'a\nb'", "token recognition error at: ''a\n', at character 1")]
#[case(
    "\"a",
    "token recognition error at: '\"a', at character 1; a placeholder ends at the first `}`, so its CEL cannot contain one"
)]
#[case("global.?a", "unsupported syntax '.?', at character 7")]
#[case(
    "global.my-key",
    "`key` is not declared: the only variable is `global`"
)]
#[case(
    "math.greatest(1, 2)",
    "`math` is not declared: the only variable is `global`"
)]
#[case("[1].sort()", "there is no function `sort`")]
#[case(
    "optional.of(1)",
    "`optional` is not declared: the only variable is `global`"
)]
#[case(
    "true ? 1 : nope",
    "`nope` is not declared: the only variable is `global`"
)]
#[case("true || 1 + 'a' == 2", "the operator `+` does not take (int, string)")]
#[case(
    "true ? 1 : 'a'",
    "the operator `?:` does not take (bool, int, string)"
)]
#[case("1 == 1.0", "the operator `==` does not take (int, double)")]
#[case("1 in ['a']", "the operator `in` does not take (int, list(string))")]
#[case(
    "[1] + ['a']",
    "the operator `+` does not take (list(int), list(string))"
)]
#[case(
    "'a'.contains(1)",
    "the function `contains` does not take (string, int)"
)]
#[case("'a'.b", "a value of type string has no field `b`")]
#[case(
    "1.map(x, x)",
    "a value of type int has no elements: use a list or map"
)]
#[case(
    "[1].filter(x, x)",
    "the operator `?:` does not take (int, list(int), list(int))"
)]
#[case("'%s'.format([1, 2])", "`format` has 2 values for 1 `%` clauses")]
fn what_is_wrong_for_all_clusters_does_not_compile(#[case] source: &str, #[case] reason: &str) {
    match Expression::compile(&format!("${{{source}}}")) {
        Err(ExpressionError::Compile { reason: found, .. }) => assert_eq!(found, reason),
        other => panic!("{other:?}"),
    }
}

#[rstest]
#[case(
    "global.greenhouse.nope",
    "there is no key `nope`: ask `has(…)` first where it may be missing"
)]
#[case(
    "global.greenhouse.clusterName + dyn(1)",
    "the operator `add` does not take values of these types"
)]
#[case("[1] + global", "`+`: a map cannot be added")]
#[case("1 / 0", "a division by zero")]
#[case("1.0 / 0.0", "the number inf has no JSON")]
#[case(
    "duration('1d')",
    "`duration`: `1d` is not a duration: write numbers with units, such as `1h30m` or `1.5s`"
)]
#[case(
    "duration('9223372037s')",
    "`duration`: `9223372037s` is not a duration: write numbers with units, such as `1h30m` or `1.5s`"
)]
#[case(
    "timestamp('2024-02-30T00:00:00Z')",
    "`timestamp`: `2024-02-30T00:00:00Z` is not a timestamp: write RFC 3339, such as `2006-01-02T15:04:05Z`"
)]
#[case(
    "timestamp(0).getHours('Europe/Berlin')",
    "`timestamp`: `Europe/Berlin` is not an offset: write one such as `+02:00`, of names only `UTC` is known"
)]
#[case(
    "timestamp('9999-12-31T23:59:59Z') + duration('1s')",
    "`timestamp`: the result is not between the years 1 and 9999"
)]
#[case(
    "'a'.matches('a**')",
    "`matches`: `a**` is not a regular expression of Go: `*` follows another repetition"
)]
#[case(
    "'a'.matches('(?x)a')",
    "`matches`: `(?x)a` is not a regular expression of Go: `(?x` means nothing"
)]
#[case(
    "'a'.matches('[a')",
    "`matches`: `[a` is not a regular expression of Go: a `[` has no `]`"
)]
#[case("'a'.indexOf('a', -1)", "`indexOf`: the offset -1 is negative")]
fn what_is_wrong_for_one_cluster_cannot_be_evaluated(#[case] source: &str, #[case] reason: &str) {
    match cel(source) {
        Err(ExpressionError::Evaluate { reason: found, .. }) => assert_eq!(found, reason),
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_error_names_its_placeholder() {
    let error = evaluate("a: ${1}\nb: ${global.nope}").unwrap_err();
    assert_eq!(
        error.to_string(),
        "`${global.nope}` cannot be evaluated: there is no key `nope`: ask `has(…)` first where it may be missing"
    );
}

#[test]
fn an_empty_text_is_an_error() {
    assert_eq!(evaluate(""), Err(ExpressionError::Empty));
}

#[test]
fn a_result_that_makes_no_yaml_is_an_error() {
    let error = evaluate("v: ${\"@x\"}").unwrap_err();
    let ExpressionError::Yaml { text, .. } = &error else {
        panic!("{error:?}");
    };
    assert_eq!(text, "v: @x");
}

#[test]
fn one_compiled_expression_serves_many_threads() {
    let expression = Expression::compile("${global.n + 1}").unwrap();
    std::thread::scope(|scope| {
        for n in 0..4 {
            let expression = &expression;
            scope.spawn(move || {
                let globals = json!({ "n": n });
                let value = expression.evaluate(globals.as_object().unwrap());
                assert_eq!(value, Ok(json!(n + 1)));
            });
        }
    });
}

#[rstest]
#[case("(", "1", ")", 240, true)]
#[case("[", "1", "]", 240, true)]
#[case("(", "1", ")", 1_000, false)]
#[case("[", "1", "]", 1_000, false)]
#[case("(", "", "", 4_000, false)]
#[case("1+", "1", "", 240, true)]
#[case("1+", "1", "", 2_000, false)]
#[case("true&&", "true", "", 600, true)]
#[case("!", "true", "", 4_000, true)]
#[case("global", "", ".a", 1_000, false)]
fn deep_nesting_is_an_error_and_not_a_crash(
    #[case] before: &str,
    #[case] middle: &str,
    #[case] after: &str,
    #[case] times: usize,
    #[case] fine: bool,
) {
    let source = format!("{}{middle}{}", before.repeat(times), after.repeat(times));
    assert_eq!(cel(&source).is_ok(), fine);
}

#[test]
fn a_very_long_placeholder_is_an_error() {
    let error = cel(&"(".repeat(10_000)).unwrap_err().to_string();
    assert!(error.ends_with("it has 10000 bytes, and coldframe reads at most 4096: split it"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_text_panics(text in "(\\$\\{|\\}|[a-z1(\\[\\]).\"'?:+<&| \\n-]|global|size){0,12}") {
        drop(evaluate(&text));
    }

    #[test]
    fn a_text_without_placeholders_is_only_yaml(text in "[a-z0-9:{} \\[\\],-]{1,12}") {
        let yaml = yaml::parse(&text).map(|node| node.to_value()).ok();
        prop_assert_eq!(evaluate(&text).ok(), yaml);
    }
}
