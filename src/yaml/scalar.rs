//! What a scalar means: the YAML 1.1 table of go-yaml v2, which `sigs.k8s.io/yaml` uses.
//!
//! The rules are those of its `resolve.go` and of Go's `strconv`, down to their quirks: `08` is
//! the float 8, `1e400` is a string, `1:30` is a string.

use std::borrow::Cow;

use super::Number;

/// A scalar after resolution.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Scalar<'t> {
    Null,
    Bool(bool),
    Int(i64),
    /// Above the range of `Int`.
    Uint(u64),
    Float(f64),
    String(Cow<'t, str>),
}

/// The prefix of the tags that are written `!!name`.
const CORE: &str = "tag:yaml.org,2002:";

/// Resolves a scalar. `plain` says whether it was written without quotes; a block scalar was not.
///
/// # Errors
/// A text that its tag does not allow, in a sentence.
pub(super) fn resolve<'t>(
    text: Cow<'t, str>,
    tag: &str,
    plain: bool,
) -> Result<Scalar<'t>, String> {
    if tag.is_empty() {
        return Ok(if plain {
            untagged(&text).unwrap_or(Scalar::String(text))
        } else {
            Scalar::String(text)
        });
    }
    match tag.strip_prefix(CORE) {
        Some("binary") => decode_base64(&text)
            .map(|bytes| Scalar::String(Cow::Owned(lossy(&bytes))))
            .ok_or_else(|| "a `!!binary` value is not valid base64".to_owned()),
        Some(name @ ("bool" | "int" | "float" | "null" | "timestamp")) => tagged(text, name),
        _ => Ok(Scalar::String(text)),
    }
}

fn tagged<'t>(text: Cow<'t, str>, name: &str) -> Result<Scalar<'t>, String> {
    let found = untagged(&text);
    match (name, found) {
        ("bool", Some(found @ Scalar::Bool(_)))
        | ("null", Some(found @ Scalar::Null))
        | ("int", Some(found @ (Scalar::Int(_) | Scalar::Uint(_))))
        | ("float", Some(found @ Scalar::Float(_))) => Ok(found),
        #[expect(clippy::cast_precision_loss, reason = "as Go converts")]
        ("float", Some(Scalar::Int(value))) => Ok(Scalar::Float(value as f64)),
        ("timestamp", None) if is_timestamp(&text) => Ok(Scalar::String(text)),
        _ => Err(format!("`{text}` is not a `!!{name}`")),
    }
}

/// The meaning of a plain text without a tag, if it is not a string.
fn untagged(text: &str) -> Option<Scalar<'static>> {
    let first = text.bytes().next();
    match first {
        None => Some(Scalar::Null),
        Some(b'y' | b'Y' | b'n' | b'N' | b't' | b'T' | b'f' | b'F' | b'o' | b'O' | b'~') => {
            word(text)
        }
        Some(b'.') => match text {
            ".nan" | ".NaN" | ".NAN" => Some(Scalar::Float(f64::NAN)),
            ".inf" | ".Inf" | ".INF" => Some(Scalar::Float(f64::INFINITY)),
            _ => separated(text)
                .and_then(|text| parse_float(&text))
                .map(Scalar::Float),
        },
        Some(b'+' | b'-' | b'0'..=b'9') => number(text),
        _ => None,
    }
}

fn word(text: &str) -> Option<Scalar<'static>> {
    match text {
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => {
            Some(Scalar::Bool(true))
        }
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => {
            Some(Scalar::Bool(false))
        }
        "~" | "null" | "Null" | "NULL" => Some(Scalar::Null),
        _ => None,
    }
}

fn number(text: &str) -> Option<Scalar<'static>> {
    match text {
        "+.inf" | "+.Inf" | "+.INF" => return Some(Scalar::Float(f64::INFINITY)),
        "-.inf" | "-.Inf" | "-.INF" => return Some(Scalar::Float(f64::NEG_INFINITY)),
        _ => {}
    }
    // A timestamp stays a string, and its dashes are in no number.
    let text: Cow<'_, str> = if text.contains('_') {
        Cow::Owned(text.replace('_', ""))
    } else {
        Cow::Borrowed(text)
    };
    let (negative, digits) = match text.as_bytes() {
        [b'-', ..] => (true, &text[1..]),
        [b'+', ..] => (false, &text[1..]),
        _ => (false, &*text),
    };
    if let Some(magnitude) = parse_magnitude(digits) {
        if negative {
            if let Some(value) = 0i64.checked_sub_unsigned(magnitude) {
                return Some(Scalar::Int(value));
            }
        } else if let Ok(value) = i64::try_from(magnitude) {
            return Some(Scalar::Int(value));
        } else if digits.len() == text.len() {
            return Some(Scalar::Uint(magnitude));
        }
    }
    parse_float(&text).map(Scalar::Float)
}

/// `strconv.ParseUint(digits, 0, 64)` for text without underscores.
fn parse_magnitude(digits: &str) -> Option<u64> {
    let (radix, digits) = match digits.as_bytes() {
        [b'0', b'x' | b'X', _, ..] => (16, &digits[2..]),
        [b'0', b'o' | b'O', _, ..] => (8, &digits[2..]),
        [b'0', b'b' | b'B', _, ..] => (2, &digits[2..]),
        [b'0', _, ..] => (8, &digits[1..]),
        _ => (10, digits),
    };
    // Rust allows a sign here, Go does not.
    if digits.starts_with(['+', '-']) {
        return None;
    }
    u64::from_str_radix(digits, radix).ok()
}

/// The text without underscores, which `strconv.ParseFloat` allows between two digits.
fn separated(text: &str) -> Option<Cow<'_, str>> {
    if !text.contains('_') {
        return Some(Cow::Borrowed(text));
    }
    let is_digit = |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_digit());
    let mut parts = text.split('_').peekable();
    let mut is_first = true;
    while let Some(part) = parts.next() {
        let starts = is_first || is_digit(part.bytes().next());
        let ends = parts.peek().is_none() || is_digit(part.bytes().next_back());
        if !starts || !ends {
            return None;
        }
        is_first = false;
    }
    Some(Cow::Owned(text.replace('_', "")))
}

/// A decimal float, `None` for anything else and for what overflows.
fn parse_float(text: &str) -> Option<f64> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (mantissa, exponent) = match unsigned.find(['e', 'E']) {
        Some(at) => (&unsigned[..at], Some(&unsigned[at + 1..])),
        None => (unsigned, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let is_number = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number(whole) || !is_number(fraction) || (whole.is_empty() && fraction.is_empty()) {
        return None;
    }
    if let Some(exponent) = exponent {
        let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        if digits.is_empty() || !is_number(digits) {
            return None;
        }
    }
    text.parse().ok().filter(|value: &f64| value.is_finite())
}

/// The number as Go's `encoding/json` prints a float, so that whole ones are integers; `None` if it is not finite.
pub(super) fn float_number(value: f64) -> Option<Number> {
    if value.fract() == 0.0 && value.abs() < 1e21 && !(value == 0.0 && value.is_sign_negative()) {
        let digits = value.to_string();
        if let Ok(value) = digits.parse::<i64>() {
            return Some(value.into());
        }
        if let Ok(value) = digits.parse::<u64>() {
            return Some(value.into());
        }
    }
    Number::from_f64(value)
}

/// A float key as `strconv.FormatFloat(value, 'g', -1, 32)` prints it.
#[expect(clippy::cast_possible_truncation, reason = "as Go does")]
pub(super) fn float_key(value: f64) -> String {
    let value = value as f32;
    if value.is_nan() {
        return ".nan".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { ".inf" } else { "-.inf" }.to_owned();
    }
    let scientific = format!("{value:e}");
    let Some((mantissa, exponent)) = scientific.split_once('e') else {
        return scientific;
    };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if !(-4..6).contains(&exponent) {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{mantissa}e{sign}{:02}", exponent.abs());
    }
    value.to_string()
}

/// Base64 as Go's `StdEncoding` takes it: padded, line breaks ignored.
fn decode_base64(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = text
        .bytes()
        .filter(|b| !matches!(b, b'\n' | b'\r'))
        .collect();
    if !digits.len().is_multiple_of(4) {
        return None;
    }
    let mut bytes = Vec::with_capacity(digits.len() / 4 * 3);
    let groups = digits.len() / 4;
    for (group, four) in digits.chunks_exact(4).enumerate() {
        let padding = match four {
            [_, _, b'=', b'='] => 2,
            [_, _, _, b'='] => 1,
            _ => 0,
        };
        if padding > 0 && group + 1 < groups {
            return None;
        }
        let mut bits = 0u32;
        for digit in &four[..4 - padding] {
            let value = match digit {
                b'A'..=b'Z' => digit - b'A',
                b'a'..=b'z' => digit - b'a' + 26,
                b'0'..=b'9' => digit - b'0' + 52,
                b'+' => 62,
                b'/' => 63,
                _ => return None,
            };
            bits = bits << 6 | u32::from(value);
        }
        bits <<= 6 * padding;
        bytes.extend_from_slice(&bits.to_be_bytes()[1..4 - padding]);
    }
    Some(bytes)
}

/// Text as Go's `encoding/json` writes bytes: each byte that is not UTF-8 becomes U+FFFD.
fn lossy(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        for _ in chunk.invalid() {
            text.push(char::REPLACEMENT_CHARACTER);
        }
    }
    text
}

/// Whether go-yaml takes the text for a timestamp: only the tag `!!timestamp` asks.
fn is_timestamp(text: &str) -> bool {
    let (date, time) = match text.find(['T', 't', ' ']) {
        Some(at) => (&text[..at], Some((text.as_bytes()[at], &text[at + 1..]))),
        None => (text, None),
    };
    is_date(date)
        && time.is_none_or(|(separator, time)| {
            if separator == b' ' {
                return is_time(time);
            }
            match time.find(['Z', '+', '-']) {
                Some(at) => is_time(&time[..at]) && is_zone(&time[at..]),
                None => false,
            }
        })
}

fn is_date(text: &str) -> bool {
    let mut parts = text.split('-');
    let (Some(year), Some(month), Some(day), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return false;
    };
    let (Some(year), Some(month), Some(day)) = (
        digits(year, 4..=4),
        digits(month, 1..=2),
        digits(day, 1..=2),
    ) else {
        return false;
    };
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 => 28 + u32::from(leap),
        _ => return false,
    };
    (1..=days).contains(&day)
}

fn is_time(text: &str) -> bool {
    let mut parts = text.split(':');
    let (Some(hour), Some(minute), Some(second), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return false;
    };
    let (second, fraction) = match second.find(['.', ',']) {
        Some(at) => (&second[..at], Some(&second[at + 1..])),
        None => (second, None),
    };
    digits(hour, 1..=2).is_some_and(|hour| hour < 24)
        && digits(minute, 1..=2).is_some_and(|minute| minute < 60)
        && digits(second, 1..=2).is_some_and(|second| second < 60)
        && fraction.is_none_or(|f| !f.is_empty() && f.bytes().all(|b| b.is_ascii_digit()))
}

fn is_zone(text: &str) -> bool {
    if text == "Z" {
        return true;
    }
    text[1..].split_once(':').is_some_and(|(hours, minutes)| {
        digits(hours, 2..=2).is_some_and(|hours| hours <= 24)
            && digits(minutes, 2..=2).is_some_and(|minutes| minutes <= 60)
    })
}

fn digits(text: &str, length: std::ops::RangeInclusive<usize>) -> Option<u32> {
    let fits = length.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    fits.then(|| text.parse().ok()).flatten()
}
