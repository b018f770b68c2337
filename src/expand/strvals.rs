//! Flat option names to nested Helm values, as Greenhouse makes them: Helm's
//! `strvals.ParseJSON` on `<name>=<value as JSON>`, one option after the other.
//!
//! So a name is not a path but a sentence in Helm's `--set-json` language: `.` nests, `[n]` is an
//! index, `\` takes the next character as it is, and `=` and `,` end a key, also inside a name.

use std::fmt::Write as _;

use crate::yaml::{Map, Number, Value};

/// Most dots in a name (Helm: `MaxNestedNameLevel`).
const MAX_DOTS: usize = 30;
/// Largest list index (Helm: `MaxIndex`).
const MAX_INDEX: usize = 65_536;
/// Most indexes in a name. Helm has no limit here, only a stack that grows.
const MAX_INDEXES: usize = 256;
/// The characters that are not part of a key unless escaped.
const SPECIAL: [char; 4] = ['\\', '[', ',', '='];

/// Why an option's name cannot become a place in the values.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("option name `{name}`: {problem}")]
pub struct PathError {
    /// The whole name.
    pub name: String,
    /// What is wrong with it, and where.
    pub problem: PathProblem,
}

/// What is wrong with an option's name, or does not go together with the options before it.
///
/// `at` is the part of the name that was read when it went wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PathProblem {
    /// A child of something that has no children.
    #[error(
        "`{at}` is already set to {found} by an earlier option, and only a map can have keys: \
         set `{at}` to a map, or drop one of the two options"
    )]
    NotAMap {
        /// The parent.
        at: String,
        /// The type that is there.
        found: &'static str,
    },
    /// An index into something that is not a list.
    #[error(
        "`{at}` is already set to {found} by an earlier option, and only a list can have an \
         index: set `{at}` to a list, or drop one of the two options"
    )]
    NotAList {
        /// The parent.
        at: String,
        /// The type that is there.
        found: &'static str,
    },
    /// Two dots in a row, or one at the end.
    #[error("no key follows the dot of `{at}`: remove the dot, or write `\\.` for one in a key")]
    EmptyKey {
        /// The name up to and with the dot.
        at: String,
    },
    /// A comma, which ends a key in Helm's language.
    #[error(
        "the comma after `{at}` ends the key before it has a value: write `\\,` for one in a key"
    )]
    Comma {
        /// The name up to the comma.
        at: String,
    },
    /// The name swallows the `=` between it and its value.
    #[error("`{at}` has no value: the name ends in a `\\`, which escapes what follows; remove it")]
    NoValue {
        /// The last key.
        at: String,
    },
    /// More than 30 dots.
    #[error("it has more than {MAX_DOTS} dots, the most that Helm allows: set a map instead")]
    TooManyDots,
    /// More than 256 indexes.
    #[error(
        "it has more than {MAX_INDEXES} indexes, the most that coldframe allows: set a list instead"
    )]
    TooManyIndexes,
    /// `[` without `]`, or no number between them.
    #[error(
        "`{found}` after `{at}` is not an index: write a whole number from 0 to {MAX_INDEX}, \
         or `\\[` for a bracket in a key"
    )]
    Index {
        /// The name up to the bracket.
        at: String,
        /// What is between the brackets.
        found: String,
    },
    /// Something other than `.`, `[` or the end after an index.
    #[error("`{found}` follows the index at `{at}`, where only `.`, `[` or the end can: remove it")]
    AfterIndex {
        /// The name up to the index.
        at: String,
        /// What follows.
        found: String,
    },
    /// `=` in a name without JSON after it.
    #[error(
        "what follows the `=` of `{at}` is not JSON ({reason}): write `\\=` for an equals sign \
         in a key"
    )]
    Json {
        /// The name up to and with the equals sign.
        at: String,
        /// What the JSON parser says.
        reason: String,
    },
}

/// Puts `value` where `name` says, beside or over what earlier options have put there.
///
/// Numbers pass through a 64 bit float, as in Helm. Where an error comes from Helm's language
/// (not from a plain dotted name), `values` may hold a part of what was asked for.
pub fn set(values: &mut Map<String, Value>, name: &str, value: &Value) -> Result<(), PathError> {
    let plain = !name.contains(SPECIAL) && name.split('.').all(|key| !key.is_empty());
    let result = if plain {
        set_plain(values, name, value)
    } else {
        set_sentence(values, name, value)
    };
    result.map_err(|problem| PathError {
        name: name.to_owned(),
        problem,
    })
}

/// A name of keys and dots only: nearly all of them, so this is the fast way.
fn set_plain(
    values: &mut Map<String, Value>,
    name: &str,
    value: &Value,
) -> Result<(), PathProblem> {
    if name.bytes().filter(|byte| *byte == b'.').count() > MAX_DOTS {
        return Err(PathProblem::TooManyDots);
    }
    let mut map = values;
    let mut start = 0;
    while let Some(length) = name[start..].find('.') {
        let end = start + length;
        let key = &name[start..end];
        if !map.contains_key(key) {
            map.insert(key.to_owned(), Value::Object(Map::new()));
        }
        map = match map.get_mut(key) {
            Some(Value::Object(inner)) => inner,
            found => {
                return Err(PathProblem::NotAMap {
                    at: name[..end].to_owned(),
                    found: found.map_or("nothing", |value| type_name(value)),
                });
            }
        };
        start = end + 1;
    }
    map.insert(name[start..].to_owned(), through_float(value));
    Ok(())
}

/// A name that uses more of Helm's language.
fn set_sentence(
    values: &mut Map<String, Value>,
    name: &str,
    value: &Value,
) -> Result<(), PathProblem> {
    let mut text = String::with_capacity(name.len() + 16);
    text.push_str(name);
    text.push('=');
    // Writing to a String does not fail.
    let _ = write!(text, "{value}");
    let mut sentence = Sentence {
        name,
        text: &text,
        value,
        at: 0,
        indexes: 0,
    };
    loop {
        match sentence.key(values, 0) {
            Ok(()) => {}
            Err(Halt::End) => return Ok(()),
            Err(Halt::Wrong(problem)) => return Err(problem),
        }
    }
}

/// Why reading stopped.
enum Halt {
    /// The text is used up, which is how a sentence ends.
    End,
    /// An error.
    Wrong(PathProblem),
}

impl From<PathProblem> for Halt {
    fn from(problem: PathProblem) -> Self {
        Self::Wrong(problem)
    }
}

/// A reader of `<name>=<value>`.
struct Sentence<'a> {
    name: &'a str,
    text: &'a str,
    /// What stands after the name's end, so that it need not be read again.
    value: &'a Value,
    /// The next byte.
    at: usize,
    /// How many indexes were read, which bounds the recursion.
    indexes: usize,
}

impl Sentence<'_> {
    /// The part of the name that has been read.
    fn seen(&self) -> String {
        self.name[..self.at.min(self.name.len())].to_owned()
    }

    /// The same, without the character that ended the last key.
    fn seen_key(&self) -> String {
        self.name[..self.at.saturating_sub(1).min(self.name.len())].to_owned()
    }

    fn next(&mut self) -> Option<char> {
        let next = self.text[self.at..].chars().next()?;
        self.at += next.len_utf8();
        Some(next)
    }

    /// Reads to one of `stops`, all of them ASCII, and over it. `None`: the text ended first.
    fn until(&mut self, stops: &[char]) -> (String, Option<char>) {
        let mut key = String::new();
        while let Some(next) = self.next() {
            if stops.contains(&next) {
                return (key, Some(next));
            }
            if next != '\\' {
                key.push(next);
            } else if let Some(escaped) = self.next() {
                key.push(escaped);
            }
        }
        (key, None)
    }

    /// Reads one `key…=value` into `map`, below `dots` dots.
    fn key(&mut self, map: &mut Map<String, Value>, dots: usize) -> Result<(), Halt> {
        let (key, stop) = self.until(&['=', '[', ',', '.']);
        match stop {
            None if key.is_empty() => Err(Halt::End),
            None => Err(PathProblem::NoValue { at: key }.into()),
            Some('=') => {
                let value = self.value()?;
                insert(map, key, value);
                Ok(())
            }
            Some('[') => self.key_with_index(map, key, dots),
            Some('.') => self.key_with_child(map, key, dots + 1),
            Some(_) => Err(PathProblem::Comma {
                at: self.seen_key(),
            }
            .into()),
        }
    }

    fn key_with_child(
        &mut self,
        map: &mut Map<String, Value>,
        key: String,
        dots: usize,
    ) -> Result<(), Halt> {
        if dots > MAX_DOTS {
            return Err(PathProblem::TooManyDots.into());
        }
        let at = self.seen();
        if let Some(present) = map.get_mut(&key) {
            let Value::Object(inner) = present else {
                return Err(PathProblem::NotAMap {
                    at: self.seen_key(),
                    found: type_name(present),
                }
                .into());
            };
            let result = self.key(inner, dots);
            return if result.is_ok() && inner.is_empty() {
                Err(PathProblem::EmptyKey { at }.into())
            } else {
                result
            };
        }
        let mut inner = Map::new();
        let result = self.key(&mut inner, dots);
        if inner.is_empty() {
            result?;
            return Err(PathProblem::EmptyKey { at }.into());
        }
        insert(map, key, Value::Object(inner));
        result
    }

    fn key_with_index(
        &mut self,
        map: &mut Map<String, Value>,
        key: String,
        dots: usize,
    ) -> Result<(), Halt> {
        let at = self.seen_key();
        let index = self.index()?;
        match map.get_mut(&key) {
            Some(Value::Array(list)) if key.is_empty() => {
                // Helm cannot store a list under an empty key, but changes one that is there.
                let mut changed = list.clone();
                let result = self.item(&mut changed, index, dots);
                if changed.len() == list.len() {
                    *list = changed;
                }
                result
            }
            Some(Value::Array(list)) => self.item(list, index, dots),
            Some(present) => Err(PathProblem::NotAList {
                at,
                found: type_name(present),
            }
            .into()),
            None => {
                let mut list = Vec::new();
                let result = self.item(&mut list, index, dots);
                insert(map, key, Value::Array(list));
                result
            }
        }
    }

    /// Reads an index and its closing bracket.
    fn index(&mut self) -> Result<i64, Halt> {
        let at = self.seen_key();
        self.indexes += 1;
        if self.indexes > MAX_INDEXES {
            return Err(PathProblem::TooManyIndexes.into());
        }
        let (found, stop) = self.until(&[']']);
        match found.parse() {
            Ok(index) if stop.is_some() && index >= 0 => Ok(index),
            _ => Err(PathProblem::Index { at, found }.into()),
        }
    }

    /// Reads what follows `[index]` into that place of `list`.
    fn item(&mut self, list: &mut Vec<Value>, index: i64, dots: usize) -> Result<(), Halt> {
        let at = self.seen();
        let (found, stop) = self.until(&['[', '.', '=']);
        if !found.is_empty() {
            return Err(PathProblem::AfterIndex { at, found }.into());
        }
        let place = usize::try_from(index).unwrap_or(usize::MAX);
        let value = match stop {
            None => return Err(Halt::End),
            Some('=') => self.value()?,
            Some('[') => {
                let inner_index = self.index()?;
                match list.get_mut(place) {
                    Some(Value::Array(inner)) => return self.item(inner, inner_index, dots),
                    Some(Value::Null) | None => {
                        let mut inner = Vec::new();
                        self.item(&mut inner, inner_index, dots)?;
                        Value::Array(inner)
                    }
                    Some(present) => {
                        let found = type_name(present);
                        return Err(PathProblem::NotAList { at, found }.into());
                    }
                }
            }
            Some(_) => {
                if let Some(present) = list.get_mut(place) {
                    // Helm makes room for a map over whatever else is there.
                    if !present.is_object() {
                        *present = Value::Object(Map::new());
                    }
                    if let Value::Object(inner) = present {
                        return self.key(inner, dots);
                    }
                }
                let mut inner = Map::new();
                self.key(&mut inner, dots)?;
                Value::Object(inner)
            }
        };
        if place > MAX_INDEX {
            let key = at.rfind('[').map_or(at.as_str(), |bracket| &at[..bracket]);
            return Err(PathProblem::Index {
                at: key.to_owned(),
                found: index.to_string(),
            }
            .into());
        }
        if list.len() <= place {
            list.resize(place + 1, Value::Null);
        }
        list[place] = value;
        Ok(())
    }

    /// Reads the JSON after an `=`, and what separates it from the next key.
    fn value(&mut self) -> Result<Value, Halt> {
        if self.skip_blanks() {
            return Ok(Value::Null);
        }
        let value = if self.at == self.name.len() + 1 {
            self.at = self.text.len();
            through_float(self.value)
        } else {
            let at = self.seen();
            let (value, length) =
                json_prefix(&self.text[self.at..]).map_err(|error| PathProblem::Json {
                    at,
                    reason: error.to_string(),
                })?;
            self.at += length;
            through_float(&value)
        };
        self.skip_blanks();
        Ok(value)
    }

    /// Skips blanks and a comma. Whether there was a comma, or the end of the text.
    fn skip_blanks(&mut self) -> bool {
        loop {
            let before = self.at;
            match self.next() {
                None | Some(',') => return true,
                Some(next) if next.is_whitespace() => {}
                Some(_) => {
                    self.at = before;
                    return false;
                }
            }
        }
    }
}

/// The JSON value that `text` begins with and its length. What follows it does not matter, as in
/// Go's decoder: `1b` is 1.
fn json_prefix(text: &str) -> Result<(Value, usize), serde_json::Error> {
    let scalar = scalar_length(text);
    let mut stream = serde_json::Deserializer::from_str(&text[..scalar.unwrap_or(text.len())])
        .into_iter::<Value>();
    let value = stream.next().unwrap_or(Ok(Value::Null))?;
    Ok((value, stream.byte_offset()))
}

/// Where a literal or number at the beginning of `text` ends.
fn scalar_length(text: &str) -> Option<usize> {
    if let Some(literal) = ["null", "true", "false"]
        .into_iter()
        .find(|literal| text.starts_with(literal))
    {
        return Some(literal.len());
    }
    let bytes = text.as_bytes();
    let digits = |from: usize| {
        let count = bytes[from..]
            .iter()
            .take_while(|byte| byte.is_ascii_digit());
        from + count.count()
    };
    let start = usize::from(bytes.first() == Some(&b'-'));
    let mut end = match bytes.get(start) {
        Some(b'0') => start + 1,
        Some(b'1'..=b'9') => digits(start),
        _ => return None,
    };
    if bytes.get(end) == Some(&b'.') {
        end = digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        end = digits(end + 1 + sign);
    }
    Some(end)
}

/// Helm ignores an empty key.
fn insert(map: &mut Map<String, Value>, key: String, value: Value) {
    if !key.is_empty() {
        map.insert(key, value);
    }
}

/// A copy with all numbers as Go has them after JSON: floats, printed without a point where whole.
fn through_float(value: &Value) -> Value {
    match value {
        Value::Number(number) => Value::Number(number_through_float(number)),
        Value::Array(items) => items.iter().map(through_float).collect(),
        Value::Object(entries) => Value::Object(
            entries
                .iter()
                .map(|(key, value)| (key.clone(), through_float(value)))
                .collect(),
        ),
        other => other.clone(),
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "the ranges are checked; the loss of precision is the point"
)]
fn number_through_float(number: &Number) -> Number {
    let Some(float) = number.as_f64() else {
        return number.clone();
    };
    let negative_zero = float == 0.0 && float.is_sign_negative();
    if float.fract() != 0.0 || negative_zero {
        number.clone()
    } else if float >= i64::MIN as f64 && float < i64::MAX as f64 {
        Number::from(float as i64)
    } else if float > 0.0 && float < u64::MAX as f64 {
        Number::from(float as u64)
    } else {
        Number::from_f64(float).unwrap_or_else(|| number.clone())
    }
}

fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "a map",
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    fn nested(options: &[(&str, Value)]) -> Result<Value, PathError> {
        let mut values = Map::new();
        for (name, value) in options {
            set(&mut values, name, value)?;
        }
        Ok(Value::Object(values))
    }

    #[rstest]
    #[case::dots_nest("image.tag", json!("1.2"), json!({"image": {"tag": "1.2"}}))]
    #[case::an_index_makes_a_list("args[1]", json!("-v"), json!({"args": [null, "-v"]}))]
    #[case::an_index_can_have_a_sign("args[+0]", json!(1), json!({"args": [1]}))]
    #[case::lists_nest_in_lists("grid[0][1]", json!(1), json!({"grid": [[null, 1]]}))]
    #[case::maps_nest_in_lists("env[0].name", json!("A"), json!({"env": [{"name": "A"}]}))]
    #[case::an_escaped_dot_is_part_of_a_key("labels.a\\.b/c", json!(1), json!({"labels": {"a.b/c": 1}}))]
    #[case::an_escaped_bracket_is_part_of_a_key("a\\[0]", json!(1), json!({"a[0]": 1}))]
    #[case::an_escaped_comma_is_part_of_a_key("a\\,b", json!(1), json!({"a,b": 1}))]
    #[case::an_escape_in_an_index_is_dropped("a[\\0]", json!(1), json!({"a": [1]}))]
    #[case::braces_spaces_and_quotes_mean_nothing("a {\"b\"}", json!(1), json!({"a {\"b\"}": 1}))]
    #[case::letters_need_not_be_ascii("größe.höhe", json!(1), json!({"größe": {"höhe": 1}}))]
    #[case::an_empty_name_is_dropped("", json!(1), json!({}))]
    #[case::what_is_under_an_empty_key_is_dropped(".a", json!(1), json!({}))]
    #[case::a_list_under_an_empty_key_is_dropped("[0]", json!(1), json!({}))]
    #[case::an_empty_key_in_a_list_leaves_a_map("a[0].", json!(1), json!({"a": [{}]}))]
    #[case::an_equals_sign_sets_and_goes_on("a=1,b", json!(2), json!({"a": 1, "b": 2}))]
    #[case::json_ends_where_it_ends("a=1b", json!(2), json!({"a": 1, "b": 2}))]
    #[case::a_literal_ends_where_it_ends("a=truex", json!(2), json!({"a": true, "x": 2}))]
    #[case::a_leading_zero_is_a_number("a=01", json!(2), json!({"a": 0, "1": 2}))]
    #[case::a_second_point_ends_a_number("a=-1.5e1.x", json!(2), json!({"a": -15}))]
    #[case::nothing_after_an_equals_sign_is_null("a= ,b", json!(2), json!({"a": null, "b": 2}))]
    #[case::a_string_can_be_followed_by_a_key("a=\"x\" b", json!(2), json!({"a": "x", "b": 2}))]
    #[case::a_swallowed_list_is_an_unfinished_index("x.a\\", json!([3]), json!({"x": {"a=": []}}))]
    fn a_name_becomes_a_place(#[case] name: &str, #[case] value: Value, #[case] expected: Value) {
        assert_eq!(nested(&[(name, value)]), Ok(expected));
    }

    #[rstest]
    #[case::maps_merge(&[("a.x", json!(1)), ("a.y", json!(2))], json!({"a": {"x": 1, "y": 2}}))]
    #[case::a_later_map_replaces(&[("a.x", json!(1)), ("a", json!({"y": 2}))], json!({"a": {"y": 2}}))]
    #[case::a_child_of_a_map_merges(&[("a", json!({"y": 2})), ("a.x", json!(1))], json!({"a": {"x": 1, "y": 2}}))]
    #[case::an_index_changes_a_list(&[("a", json!([1, 2])), ("a[0]", json!(3))], json!({"a": [3, 2]}))]
    #[case::in_a_list_a_map_replaces_a_scalar(&[("a", json!([1])), ("a[0].b", json!(3))], json!({"a": [{"b": 3}]}))]
    #[case::in_a_list_a_list_replaces_null(&[("a", json!([null])), ("a[0][0]", json!(3))], json!({"a": [[3]]}))]
    #[case::in_a_list_maps_merge(&[("a[0].b", json!(1)), ("a[0].c", json!(2))], json!({"a": [{"b": 1, "c": 2}]}))]
    #[case::in_a_list_lists_grow(&[("a[0][0]", json!(1)), ("a[0][1]", json!(2))], json!({"a": [[1, 2]]}))]
    #[case::a_trailing_dot_after_a_map_is_ignored(&[("a", json!({"x": 1})), ("a.", json!(2))], json!({"a": {"x": 1}}))]
    #[case::a_map_under_an_empty_key_can_be_changed(&[("a", json!({"": {"x": 1}})), ("a..y", json!(2))], json!({"a": {"": {"x": 1, "y": 2}}}))]
    #[case::a_list_under_an_empty_key_can_be_changed(&[("a", json!({"": [1]})), ("a.[0]", json!(2))], json!({"a": {"": [2]}}))]
    #[case::a_list_under_an_empty_key_cannot_grow(&[("a", json!({"": [1]})), ("a.[1]", json!(2))], json!({"a": {"": [1]}}))]
    fn later_options_build_on_earlier_ones(
        #[case] options: &[(&str, Value)],
        #[case] expected: Value,
    ) {
        assert_eq!(nested(options), Ok(expected));
    }

    #[rstest]
    #[case("9007199254740993", "9007199254740992")]
    #[case("18446744073709551615", "18446744073709552000.0")]
    #[case("9223372036854775807", "9223372036854775808")]
    #[case("-9223372036854775808", "-9223372036854775808")]
    #[case("1.0", "1")]
    #[case("1e3", "1000")]
    #[case("0.1", "0.1")]
    #[case("1e21", "1e21")]
    #[case("-0", "-0.0")]
    #[case("[2.0, {\"a\": 3.0}]", "[2, {\"a\": 3}]")]
    fn numbers_pass_through_a_float(#[case] written: &str, #[case] kept: &str) {
        let value: Value = serde_json::from_str(written).unwrap();
        let kept: Value = serde_json::from_str(kept).unwrap();
        assert_eq!(nested(&[("a", value)]), Ok(json!({ "a": kept })));
    }

    #[rstest]
    #[case::a_string_has_no_children(&[("a", json!("s")), ("a.b", json!(1))],
        "option name `a.b`: `a` is already set to a string by an earlier option, and only a map can have keys: set `a` to a map, or drop one of the two options")]
    #[case::null_has_no_children(&[("x.a", json!(null)), ("x.a.b", json!(1))],
        "option name `x.a.b`: `x.a` is already set to null by an earlier option, and only a map can have keys: set `x.a` to a map, or drop one of the two options")]
    #[case::a_map_has_no_index(&[("a", json!({})), ("a[0]", json!(1))],
        "option name `a[0]`: `a` is already set to a map by an earlier option, and only a list can have an index: set `a` to a list, or drop one of the two options")]
    #[case::a_scalar_in_a_list_has_no_index(&[("a", json!([1])), ("a[0][0]", json!(1))],
        "option name `a[0][0]`: `a[0]` is already set to a number by an earlier option, and only a list can have an index: set `a[0]` to a list, or drop one of the two options")]
    #[case::an_empty_key_inside(&[("a..b", json!(1))],
        "option name `a..b`: no key follows the dot of `a.`: remove the dot, or write `\\.` for one in a key")]
    #[case::an_empty_key_at_the_end(&[("a.", json!(1))],
        "option name `a.`: no key follows the dot of `a.`: remove the dot, or write `\\.` for one in a key")]
    #[case::a_comma(&[("a.b,c", json!(1))],
        "option name `a.b,c`: the comma after `a.b` ends the key before it has a value: write `\\,` for one in a key")]
    #[case::an_equals_sign(&[("a=b", json!(1))],
        "option name `a=b`: what follows the `=` of `a=` is not JSON (expected value at line 1 column 1): write `\\=` for an equals sign in a key")]
    #[case::a_trailing_backslash(&[("a\\", json!(1))],
        "option name `a\\`: `a=1` has no value: the name ends in a `\\`, which escapes what follows; remove it")]
    #[case::a_negative_index(&[("a[-1]", json!(1))],
        "option name `a[-1]`: `-1` after `a` is not an index: write a whole number from 0 to 65536, or `\\[` for a bracket in a key")]
    #[case::a_large_index(&[("a[65537]", json!(1))],
        "option name `a[65537]`: `65537` after `a` is not an index: write a whole number from 0 to 65536, or `\\[` for a bracket in a key")]
    #[case::no_index(&[("a.b[x]", json!(1))],
        "option name `a.b[x]`: `x` after `a.b` is not an index: write a whole number from 0 to 65536, or `\\[` for a bracket in a key")]
    #[case::an_open_bracket(&[("a[0", json!(1))],
        "option name `a[0`: `0=1` after `a` is not an index: write a whole number from 0 to 65536, or `\\[` for a bracket in a key")]
    #[case::a_key_right_after_an_index(&[("a[0]b", json!(1))],
        "option name `a[0]b`: `b` follows the index at `a[0]`, where only `.`, `[` or the end can: remove it")]
    fn what_helm_refuses_is_an_error(#[case] options: &[(&str, Value)], #[case] message: &str) {
        assert_eq!(nested(options).unwrap_err().to_string(), message);
    }

    #[test]
    fn thirty_dots_are_the_most() {
        let name = |dots: usize| vec!["a"; dots + 1].join(".");
        assert!(nested(&[(&name(30), json!(1))]).is_ok());
        let error = nested(&[(&name(31), json!(1))]).unwrap_err();
        assert_eq!(error.problem, PathProblem::TooManyDots);
        let escaped = format!("\\{}", name(31));
        let error = nested(&[(&escaped, json!(1))]).unwrap_err();
        assert_eq!(error.problem, PathProblem::TooManyDots);
    }

    #[test]
    fn many_indexes_do_not_use_up_the_stack() {
        for part in ["[0]", "[0].a"] {
            let name = format!("a{}", part.repeat(100_000));
            let error = nested(&[(&name, json!(1))]).unwrap_err();
            assert_eq!(error.problem, PathProblem::TooManyIndexes);
            assert!(nested(&[(&format!("a{}", part.repeat(256)), json!(1))]).is_ok());
        }
    }

    proptest! {
        #[test]
        fn the_fast_way_and_helms_language_agree(
            names in prop::collection::vec("[ab](\\.[abc]){0,3}", 1..5),
            number in any::<i32>(),
        ) {
            let (mut fast, mut slow) = (Map::new(), Map::new());
            for name in &names {
                let value = json!(number);
                let fast = set_plain(&mut fast, name, &value);
                prop_assert_eq!(fast, set_sentence(&mut slow, name, &value));
            }
            prop_assert_eq!(fast, slow);
        }

        #[test]
        fn no_name_panics(name in "[ab.\\[\\]01\\\\,= \"{}é-]{0,12}", text in ".{0,3}") {
            let mut values = Map::new();
            for value in [json!([0]), json!({"": text}), json!(null)] {
                drop(set(&mut values, &name, &value));
            }
        }
    }
}
