//! When a string must be quoted: whenever any reader, of YAML 1.1 or 1.2, could take the plain text
//! for something else. It is never wrong to quote more.

use super::write::is_printable;

/// Words that some reader takes for a boolean or null. Compared without regard to case, as one
/// reader does.
const WORDS: [&str; 11] = [
    "true", "false", "yes", "no", "on", "off", "y", "n", "null", "~", "",
];

/// Whether `text` may stand without quotes.
pub(super) fn is_plain(text: &str) -> bool {
    let bytes = text.as_bytes();
    let (Some(first), Some(last)) = (bytes.first(), bytes.last()) else {
        return false;
    };
    let begins = first.is_ascii_alphanumeric()
        || matches!(
            first,
            b'_' | b'/' | b'.' | b'^' | b'~' | b'$' | b'(' | b'+' | 0x80..
        );
    let begins = begins
        || *first == b'-'
            && bytes
                .get(1)
                .is_some_and(|next| next.is_ascii_alphanumeric() || *next == b'-')
            && !text.starts_with("---");
    if !begins || matches!(last, b':' | b' ') {
        return false;
    }
    let mut previous = 0;
    for byte in bytes {
        match (previous, byte) {
            (b':', b' ') | (b' ', b'#') | (_, ..b' ' | 0x7f) => return false,
            _ => previous = *byte,
        }
    }
    if bytes.iter().any(|byte| !byte.is_ascii()) && !text.chars().all(is_printable) {
        return false;
    }
    !is_word(text) && !is_number_like(bytes)
}

fn is_word(text: &str) -> bool {
    if text.len() > 5 {
        return false;
    }
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    WORDS.iter().any(|word| word.eq_ignore_ascii_case(text))
        || [".inf", ".nan"]
            .iter()
            .any(|word| word.eq_ignore_ascii_case(unsigned))
}

/// Whether some reader takes the text for an integer, a float, a sexagesimal number or a date.
fn is_number_like(bytes: &[u8]) -> bool {
    match bytes {
        [b'+' | b'-' | b'.' | b'0'..=b'9', ..] if bytes.contains(&b'_') => {
            // go-yaml drops them all, wherever they stand, before it reads a number.
            let without: Vec<u8> = bytes.iter().copied().filter(|byte| *byte != b'_').collect();
            is_number_without_underscores(&without)
        }
        _ => is_number_without_underscores(bytes),
    }
}

fn is_number_without_underscores(bytes: &[u8]) -> bool {
    let unsigned = match bytes {
        [b'+' | b'-', rest @ ..] => rest,
        _ => bytes,
    };
    match unsigned {
        [] => true,
        [b'0'..=b'9', ..] => {
            is_radix(unsigned)
                || is_float(unsigned)
                || is_sexagesimal(unsigned)
                || is_date(unsigned)
        }
        [b'.', ..] => is_float(unsigned),
        _ => false,
    }
}

fn is_radix(bytes: &[u8]) -> bool {
    matches!(bytes, [b'0', b'b' | b'B' | b'o' | b'O' | b'x' | b'X', digits @ ..]
        if digits.iter().all(|byte| byte.is_ascii_hexdigit() || matches!(byte, b'_' | b'+' | b'-')))
}

/// Digits, underscores, at most one dot, and an exponent.
fn is_float(bytes: &[u8]) -> bool {
    let exponent = bytes.iter().position(|byte| matches!(byte, b'e' | b'E'));
    let (mantissa, exponent) = match exponent {
        Some(index) => (&bytes[..index], &bytes[index + 1..]),
        None => (bytes, &[] as &[u8]),
    };
    let exponent = match exponent {
        [b'+' | b'-', rest @ ..] => rest,
        _ => exponent,
    };
    let digits = |bytes: &[u8]| {
        bytes
            .iter()
            .all(|byte| byte.is_ascii_digit() || *byte == b'_')
    };
    let mut halves = mantissa.splitn(2, |byte| *byte == b'.');
    halves.all(digits) && digits(exponent)
}

fn is_sexagesimal(bytes: &[u8]) -> bool {
    bytes.contains(&b':')
        && bytes
            .iter()
            .all(|byte| byte.is_ascii_digit() || matches!(byte, b':' | b'.' | b'_'))
}

/// A year, a month and a day, whatever follows.
fn is_date(bytes: &[u8]) -> bool {
    matches!(bytes, [a, b, c, d, b'-', rest @ ..]
        if [a, b, c, d].iter().all(|byte| byte.is_ascii_digit())
            && rest.first().is_some_and(u8::is_ascii_digit)
            && rest.contains(&b'-'))
}

/// Appends `text` in double quotes.
pub(super) fn write_quoted(text: &str, out: &mut String) {
    use std::fmt::Write;
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\0' => out.push_str("\\0"),
            _ if is_printable(c) => out.push(c),
            _ if u32::from(c) <= 0xff => drop(write!(out, "\\x{:02x}", u32::from(c))),
            _ => drop(write!(out, "\\u{:04x}", u32::from(c))),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_values_stay_plain() {
        for text in [
            "a",
            "1.2.3",
            "v1.2.3",
            "1.2.3-beta.1+build",
            "^1.2.3",
            "~1.2.3",
            "1.x",
            "60s",
            "10m",
            "1h30m",
            "sha256:abc",
            "10.0.0.0/8",
            "0 0 * * *",
            "oci://example.com:5000/a",
            "a b",
            "é",
            "🌱",
            "-x",
            "--flag=true",
            "${x}",
            "a: ",
        ] {
            assert_eq!(is_plain(text), text != "a: ", "{text}");
        }
    }

    #[test]
    fn whatever_a_reader_could_mistake_is_quoted() {
        for text in [
            "",
            " a",
            "a ",
            "a:",
            "a: b",
            "a #b",
            "-",
            "- a",
            "---",
            "?",
            ":",
            ",",
            "[a",
            "]",
            "{a",
            "}",
            "#",
            "&a",
            "*a",
            "!a",
            "|",
            ">",
            "'a",
            "\"a",
            "%a",
            "@a",
            "`a",
            "yes",
            "NO",
            "tRue",
            "oFF",
            "y",
            "N",
            "Null",
            "~",
            "=",
            "<<",
            "0777",
            "08",
            "1_000",
            "0x1F",
            "0X1f",
            "0b11",
            "0o17",
            "+1",
            "-1",
            "1.",
            ".5",
            "1e3",
            "72044e0",
            "12e03",
            "1234e5678",
            "1.10",
            "-.inf",
            ".NaN",
            "1:30",
            "12:30:45",
            "190:20:30.15",
            "2026-01-01",
            "2026-1-1T00:00:00Z",
            "a\tb",
            "a\nb",
            "a\u{7f}",
            "a\u{85}",
            "\u{feff}a",
            "+",
            "+.",
            "+_0",
            "-_1",
            "+_0x1",
            "0_x1F",
            "1_:30",
        ] {
            assert!(!is_plain(text), "{text:?}");
        }
    }
}
