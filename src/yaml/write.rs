//! Canonical YAML: one text for one value, of which every reader gets the value back.
//!
//! Keys are sorted, as Kubernetes prints them, lists keep their order, nothing is folded and nothing
//! is an anchor. A list stands at the column of its key, as in what kubectl prints.

use super::quote::{is_plain, write_quoted};
use super::{Map, Number, Value};

/// Longer keys need the explicit form `? key`: a reader looks for the colon in 1,024 characters.
const LONGEST_SIMPLE_KEY: usize = 1000;

/// Appends one document, without `---`.
pub fn write(value: &Value, out: &mut String) {
    match value {
        Value::Object(map) if !map.is_empty() => write_map(map, 0, false, out),
        Value::Array(items) if !items.is_empty() => write_list(items, 0, false, out),
        scalar => {
            let start = out.len();
            write_block(scalar, 0, out);
            out.remove(start);
        }
    }
}

/// Appends what follows a key's colon, where the key stands at `column`: a scalar on the same line,
/// or a list or map on the next ones.
pub fn write_block(value: &Value, column: usize, out: &mut String) {
    match value {
        Value::Null => out.push_str(" null\n"),
        Value::Bool(true) => out.push_str(" true\n"),
        Value::Bool(false) => out.push_str(" false\n"),
        Value::Number(number) => {
            out.push(' ');
            write_number(number, out);
            out.push('\n');
        }
        Value::String(text) => {
            out.push(' ');
            if let Some(header) = block_header(text) {
                write_literal(text, header, column, out);
            } else {
                write_string(text, out);
                out.push('\n');
            }
        }
        Value::Array(items) if items.is_empty() => out.push_str(" []\n"),
        Value::Array(items) => {
            out.push('\n');
            write_list(items, column, false, out);
        }
        Value::Object(map) if map.is_empty() => out.push_str(" {}\n"),
        Value::Object(map) => {
            out.push('\n');
            write_map(map, column + 2, false, out);
        }
    }
}

/// Appends a string on one line: plain where every reader takes it for that string, else in double
/// quotes.
pub fn write_string(text: &str, out: &mut String) {
    if is_plain(text) {
        out.push_str(text);
    } else {
        write_quoted(text, out);
    }
}

fn write_map(map: &Map<String, Value>, column: usize, mut on_line: bool, out: &mut String) {
    let mut write_entry = |key: &str, value: &Value| {
        if !std::mem::take(&mut on_line) {
            indent(column, out);
        }
        if key.len() > LONGEST_SIMPLE_KEY {
            out.push_str("? ");
            write_string(key, out);
            out.push('\n');
            indent(column, out);
        } else {
            write_string(key, out);
        }
        out.push(':');
        write_block(value, column, out);
    };
    // The map of serde_json is sorted, but for one of its features, which another crate may turn on.
    if map.keys().is_sorted() {
        for (key, value) in map {
            write_entry(key, value);
        }
    } else {
        let mut entries: Vec<_> = map.iter().collect();
        entries.sort_unstable_by_key(|(key, _)| *key);
        for (key, value) in entries {
            write_entry(key, value);
        }
    }
}

fn write_list(items: &[Value], column: usize, mut on_line: bool, out: &mut String) {
    for item in items {
        if !std::mem::take(&mut on_line) {
            indent(column, out);
        }
        out.push('-');
        match item {
            Value::Object(map) if !map.is_empty() => {
                out.push(' ');
                write_map(map, column + 2, true, out);
            }
            Value::Array(items) if !items.is_empty() => {
                out.push(' ');
                write_list(items, column + 2, true, out);
            }
            scalar => write_block(scalar, column, out),
        }
    }
}

fn indent(column: usize, out: &mut String) {
    const SPACES: &str = "                                ";
    let mut left = column;
    while left > 0 {
        let count = left.min(SPACES.len());
        out.push_str(&SPACES[..count]);
        left -= count;
    }
}

/// The header of the literal block that reproduces `text` exactly; `None` where there is none, or
/// where it would hide something, such as blanks at the end of a line.
fn block_header(text: &str) -> Option<&'static str> {
    let body = text.trim_end_matches('\n');
    if !text.contains('\n') || body.is_empty() || body.starts_with([' ', '\n', '\t']) {
        return None;
    }
    let readable = body
        .chars()
        .all(|c| c == '\n' || c == '\t' || is_printable(c));
    let clear = body
        .split('\n')
        .all(|line| !line.starts_with('\t') && !line.ends_with([' ', '\t']));
    match text.len() - body.len() {
        _ if !readable || !clear => None,
        0 => Some("|-"),
        1 => Some("|"),
        _ => Some("|+"),
    }
}

/// Whether a character may stand in YAML as it is, and is no line break for anybody.
pub(super) fn is_printable(c: char) -> bool {
    match c {
        ' '..='~' => true,
        '\u{85}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}' => false,
        _ => c >= '\u{a0}',
    }
}

fn write_literal(text: &str, header: &str, column: usize, out: &mut String) {
    out.push_str(header);
    out.push('\n');
    for line in text.split_inclusive('\n') {
        if line != "\n" {
            indent(column + 2, out);
        }
        out.push_str(line);
    }
    if !text.ends_with('\n') {
        out.push('\n');
    }
}

/// Appends a number as Go's encoding/json prints it, but with a fraction before an exponent, without
/// which some readers of YAML 1.1 take it for a string.
pub fn write_number(number: &Number, out: &mut String) {
    use std::fmt::Write;
    let Some(float) = number.as_f64().filter(|_| number.is_f64()) else {
        let _ = write!(out, "{number}");
        return;
    };
    if float == 0.0 || (1e-6..1e21).contains(&float.abs()) {
        let _ = write!(out, "{float}");
        return;
    }
    let text = format!("{float:e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let fraction = if mantissa.contains('.') { "" } else { ".0" };
    let sign = if exponent.starts_with('-') { "" } else { "+" };
    let _ = write!(out, "{mantissa}{fraction}e{sign}{exponent}");
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn text(value: &Value) -> String {
        let mut out = String::new();
        write(value, &mut out);
        out
    }

    #[test]
    fn keys_are_sorted_and_lists_stand_at_their_key() {
        let value = json!({
            "kind": "A", "apiVersion": "v1", "metadata": {"name": "x", "labels": {}},
            "spec": {"list": [1, {"b": [2, 3], "a": null}, [4, [5]], [], "s"], "on": true},
        });
        let expected = "\
apiVersion: v1
kind: A
metadata:
  labels: {}
  name: x
spec:
  list:
  - 1
  - a: null
    b:
    - 2
    - 3
  - - 4
    - - 5
  - []
  - s
  \"on\": true
";
        assert_eq!(text(&value), expected);
    }

    #[test]
    fn lines_are_a_literal_block_where_it_reproduces_them() {
        assert_eq!(
            text(&json!({"a": {"b": "x\n\n  y\n"}})),
            "a:\n  b: |\n    x\n\n      y\n"
        );
        assert_eq!(text(&json!(["x\ny"])), "- |-\n  x\n  y\n");
        assert_eq!(text(&json!({"a": "x\n\n"})), "a: |+\n  x\n\n");
        assert_eq!(text(&json!({"a": " x\ny"})), "a: \" x\\ny\"\n");
        assert_eq!(text(&json!({"a": "x \ny"})), "a: \"x \\ny\"\n");
        assert_eq!(text(&json!({"a": "x\r\ny"})), "a: \"x\\r\\ny\"\n");
    }

    #[test]
    fn numbers_are_those_of_go() {
        for (number, expected) in [
            (json!(12000.0), "12000"),
            (json!(0.1), "0.1"),
            (json!(1e21), "1.0e+21"),
            (json!(1.5e-7), "1.5e-7"),
            (json!(-2.5), "-2.5"),
            (json!(9_007_199_254_740_993_u64), "9007199254740993"),
            (json!(u64::MAX), "18446744073709551615"),
        ] {
            assert_eq!(text(&number), format!("{expected}\n"));
        }
    }

    #[test]
    fn a_long_key_is_explicit() {
        let key = "k".repeat(1100);
        let value = json!({"a": {key.clone(): {"b": 1}}});
        let node = crate::yaml::parse(&text(&value)).unwrap();
        assert_eq!(node.to_value(), value);
    }

    fn hostile() -> impl Strategy<Value = String> {
        prop_oneof![
            "[ -~\n\t\r\u{85}\u{a0}\u{2028}é🌱\u{feff}]{0,12}",
            "[-+.0-9eExob_:TZ ]{0,8}",
            "(?i)(true|false|yes|no|on|off|y|n|null|~|\\.inf|\\.nan|<<|=)",
            any::<String>().prop_map(|text| text
                .chars()
                .filter(|c| is_printable(*c) || *c == '\n')
                .collect()),
        ]
    }

    fn tree() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            (-1e30..1e30).prop_map(Value::from),
            hostile().prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 5, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                proptest::collection::btree_map(hostile(), inner, 0..5)
                    .prop_map(|map| map.into_iter().collect::<Value>()),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_is_written_reads_the_same(value in tree()) {
            let written = text(&value);
            let node = crate::yaml::parse(&written).map_err(|error| TestCaseError::fail(format!("{error:?}\n{written}")))?;
            let mut again = String::new();
            write(&node.to_value(), &mut again);
            prop_assert_eq!(&again, &written);
            prop_assert!(same(&node.to_value(), &value), "{}", written);
        }

        #[test]
        fn a_block_is_what_a_document_has_after_a_key(value in tree()) {
            let mut out = String::from("key:");
            write_block(&value, 0, &mut out);
            prop_assert_eq!(out, text(&json!({"key": value})));
        }
    }

    /// Equality but for the type of whole numbers.
    fn same(a: &Value, b: &Value) -> bool {
        match (a, b) {
            (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
            (Value::Array(a), Value::Array(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
            }
            (Value::Object(a), Value::Object(b)) => {
                a.len() == b.len()
                    && a.iter()
                        .all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
            }
            _ => a == b,
        }
    }
}
