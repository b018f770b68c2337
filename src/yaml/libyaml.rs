//! Where libyaml, and with it Go, reads text otherwise than the YAML crate.

use std::borrow::Cow;

use granit_parser::{Event, Parser, ScalarStyle, Span};

/// Line breaks of YAML 1.1 that are none in YAML 1.2.
const BREAKS: [char; 3] = ['\u{85}', '\u{2028}', '\u{2029}'];

/// The text with its YAML 1.1 line breaks as such, but within quotes, where they are content.
pub(super) fn with_line_breaks(text: &str) -> Cow<'_, str> {
    if !text.contains(BREAKS) {
        return Cow::Borrowed(text);
    }
    let mut quoted = Vec::new();
    for event in Parser::new_from_str(text) {
        let Ok((event, span)) = event else { break };
        if let Event::Scalar(_, ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted, ..) = event {
            quoted.extend(span.byte_range());
        }
    }
    let mut result = String::with_capacity(text.len());
    for (index, letter) in text.char_indices() {
        let content = quoted.iter().any(|range| range.contains(&index));
        result.push(if BREAKS.contains(&letter) && !content {
            '\n'
        } else {
            letter
        });
    }
    Cow::Owned(result)
}

/// What libyaml refuses in a scalar that the crate accepts.
pub(super) fn refused(text: &str, span: &Span, style: ScalarStyle) -> Option<&'static str> {
    let source = span.slice(text)?;
    if style == ScalarStyle::DoubleQuoted && has_surrogate(source) {
        return Some("`\\u` escapes of surrogates are not allowed: write the character itself");
    }
    None
}

fn has_surrogate(source: &str) -> bool {
    let mut rest = source;
    while let Some(index) = rest.find('\\') {
        let escape = &rest.as_bytes()[index + 1..];
        if let [
            b'u',
            b'd' | b'D',
            b'8' | b'9' | b'a'..=b'f' | b'A'..=b'F',
            ..,
        ] = escape
        {
            return true;
        }
        // An escaped backslash begins nothing; other escapes begin with an ASCII letter.
        rest = rest.get(index + 2..).unwrap_or_default();
    }
    false
}

/// Whether a tab stands where a block collection or its key may begin: there it is no white space.
pub(super) fn tab_before(text: &str, span: &Span) -> bool {
    let Some(start) = span.byte_range().map(|range| range.start) else {
        return false;
    };
    let line = text.get(..start).unwrap_or_default();
    let line = &line[line.rfind('\n').map_or(0, |newline| newline + 1)..];
    line.contains('\t') && line.trim_matches([' ', '\t', '-', '?']).is_empty()
}
