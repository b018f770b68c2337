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
pub(super) fn refused(
    text: &str,
    span: &Span,
    style: ScalarStyle,
    in_flow: bool,
) -> Option<&'static str> {
    let source = span.slice(text)?;
    match style {
        ScalarStyle::DoubleQuoted => refused_escape(source),
        ScalarStyle::Plain if in_flow && source.starts_with([':', '?']) => {
            Some("within brackets a plain text cannot begin with `:` or `?`: quote it")
        }
        ScalarStyle::Literal | ScalarStyle::Folded if tab_indents(text, span) => {
            Some("a tab cannot indent a block of text: use spaces")
        }
        _ => None,
    }
}

/// Whether a block of text begins with a tab, where its first line sets the indentation.
fn tab_indents(text: &str, span: &Span) -> bool {
    let Some((before, block)) = span
        .byte_range()
        .and_then(|range| text.split_at_checked(range.start))
    else {
        return false;
    };
    let header = before
        .trim_end()
        .rsplit(['|', '>'])
        .next()
        .unwrap_or_default();
    block.starts_with('\t') && !header.contains(|letter: char| letter.is_ascii_digit())
}

fn refused_escape(source: &str) -> Option<&'static str> {
    let mut rest = source;
    while let Some(index) = rest.find('\\') {
        match rest.as_bytes()[index + 1..] {
            [
                b'u',
                b'd' | b'D',
                b'8' | b'9' | b'a'..=b'f' | b'A'..=b'F',
                ..,
            ] => {
                return Some(
                    "`\\u` escapes of surrogates are not allowed: write the character itself",
                );
            }
            [b'/', ..] => return Some("`\\/` is no escape of YAML 1.1: write `/`"),
            _ => {}
        }
        // An escaped backslash begins nothing; other escapes begin with an ASCII letter.
        rest = rest.get(index + 2..).unwrap_or_default();
    }
    None
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

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use crate::yaml::{parse, read};

    #[rstest]
    #[case::surrogate("a: \"\\ud83d\\ude00\"\n")]
    #[case::slash("a: \"\\/\"\n")]
    #[case::colon_in_flow("{a: :b}\n")]
    #[case::question_in_flow("{a: ?b}\n")]
    #[case::tab_before_an_item("- \ta\n")]
    #[case::tab_in_a_block("a: |\n  \tx\n")]
    #[case::tab_alone("\t\n")]
    #[case::break_in_a_plain_text("a: x\u{85}y\n")]
    fn what_libyaml_refuses_is_an_error(#[case] text: &str) {
        assert!(parse(text).is_err(), "{text:?}");
        assert!(read(text).iter().all(Result::is_err), "{text:?}");
    }

    #[rstest]
    #[case::escaped_backslash("a: \"\\\\ud83d\"\n", "{\"a\":\"\\\\ud83d\"}")]
    #[case::letter("a: \"\\u00e9\"\n", "{\"a\":\"é\"}")]
    #[case::colon_in_block("a: :b\n", "{\"a\":\":b\"}")]
    #[case::tab_in_a_later_line("a: |\n  x\n  \ty\n", "{\"a\":\"x\\n\\ty\\n\"}")]
    #[case::tab_after_a_key("a:\tb\n", "{\"a\":\"b\"}")]
    #[case::break_between_keys("a: b\u{2028}c: d\n", "{\"a\":\"b\",\"c\":\"d\"}")]
    #[case::break_within_quotes("a: \"b\u{2028}c\"\n", "{\"a\":\"b\u{2028}c\"}")]
    fn what_it_reads_is_read(#[case] text: &str, #[case] json: &str) {
        assert_eq!(parse(text).unwrap().to_value().to_string(), json);
    }
}
