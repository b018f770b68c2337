//! Diagnostics for people, in the manner of rustc: the line, what is wrong there, and what to do.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::Range;
use std::sync::Arc;

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use super::{Diagnostic, Diagnostics, Severity};

/// The longest part of a line that is shown, in characters.
const WIDTH: usize = 160;

/// All diagnostics, a blank line between them. `files` has the texts of the files that they point
/// into; where one is missing, only the place is printed.
pub fn report<'d>(
    diagnostics: impl IntoIterator<Item = &'d Diagnostic>,
    files: &BTreeMap<Arc<str>, Arc<str>>,
    color: bool,
) -> String {
    let renderer = if color {
        Renderer::styled()
    } else {
        Renderer::plain()
    }
    .decor_style(DecorStyle::Ascii);
    let mut text = String::new();
    for diagnostic in diagnostics {
        text.push_str(&renderer.render(&[group(diagnostic, files)]));
        text.push_str("\n\n");
    }
    text
}

/// How many problems there are: `2 errors, 1 warning`.
pub fn summary(diagnostics: &Diagnostics) -> String {
    let mut text = String::new();
    for severity in [Severity::Error, Severity::Warning, Severity::Note] {
        let count = diagnostics.count(severity);
        if count > 0 {
            let separator = if text.is_empty() { "" } else { ", " };
            let plural = if count == 1 { "" } else { "s" };
            let word = severity.as_str();
            // Writing to a string cannot fail.
            let _ = write!(text, "{separator}{count} {word}{plural}");
        }
    }
    if text.is_empty() {
        text.push_str("no problems");
    }
    text
}

fn group<'d>(diagnostic: &'d Diagnostic, files: &BTreeMap<Arc<str>, Arc<str>>) -> Group<'d> {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let mut group = Group::with_title(
        level
            .primary_title(printable(&diagnostic.message))
            .id(diagnostic.code.id()),
    );
    if let Some(at) = &diagnostic.location {
        let line = files
            .get(&at.file)
            .filter(|_| !diagnostic.confidential)
            .and_then(|text| text.lines().nth((at.line as usize).checked_sub(1)?));
        let excerpt = line.and_then(|line| excerpt(line, at.column as usize));
        // A whole line says itself in which column the word stands.
        let whole = excerpt.as_ref().is_some_and(|excerpt| excerpt.whole);
        if !whole {
            group = group.element(
                Origin::path(printable(&at.file))
                    .line(at.line as usize)
                    .char_column(at.column as usize),
            );
        }
        if let Some(Excerpt { text, word, .. }) = excerpt {
            group = group.element(
                Snippet::source(text)
                    .path(whole.then(|| printable(&at.file)))
                    .line_start(at.line as usize)
                    .annotation(AnnotationKind::Primary.span(word)),
            );
        }
    }
    if let Some(expected) = &diagnostic.expected {
        let level = Level::NOTE.with_name("expected");
        group = group.element(level.message(printable(expected)));
    }
    if let Some(hint) = &diagnostic.hint {
        group = group.element(Level::HELP.message(printable(hint)));
    }
    if let Some(object) = &diagnostic.object {
        let level = Level::NOTE.with_name("in");
        group = group.element(level.message(printable(&object.to_string())));
    }
    if let Some(release) = &diagnostic.release {
        let level = Level::NOTE.with_name("release");
        group = group.element(level.message(printable(release)));
    }
    group
}

/// The part of a line around a column.
struct Excerpt {
    text: String,
    /// Whether it is the whole line.
    whole: bool,
    /// The word in that column.
    word: Range<usize>,
}

fn excerpt(line: &str, column: usize) -> Option<Excerpt> {
    let column = column.checked_sub(1)?;
    let whole = line.chars().nth(WIDTH).is_none();
    let first = if whole {
        0
    } else {
        column.saturating_sub(WIDTH / 3)
    };
    let text: String = line.chars().skip(first).take(WIDTH).collect();
    let start = text.char_indices().nth(column - first)?.0;
    let length = word_length(text.get(start..)?);
    Some(Excerpt {
        whole,
        word: start..start + length,
        text,
    })
}

/// How many bytes the word at the start of a text has.
fn word_length(text: &str) -> usize {
    let mut letters = text.char_indices().peekable();
    let first = letters.next();
    if let Some((_, quote @ ('"' | '\''))) = first {
        return text
            .get(1..)
            .and_then(|rest| rest.find(quote))
            .map_or(1, |end| end + 2);
    }
    while let Some((index, letter)) = letters.next() {
        let ends = letter.is_whitespace()
            || matches!(letter, ',' | '}' | ']')
            || (letter == ':' && letters.peek().is_none_or(|(_, next)| next.is_whitespace()));
        if ends {
            return index;
        }
    }
    text.len().max(1)
}

/// A text that can do nothing to a terminal.
fn printable(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        if letter.is_control() && letter != '\n' {
            safe.extend(letter.escape_default());
        } else {
            safe.push(letter);
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use insta::assert_snapshot;

    use crate::diagnostic::{Code, Diagnostic, Diagnostics, Location, ObjectRef, report, summary};

    fn files(text: &str) -> BTreeMap<Arc<str>, Arc<str>> {
        BTreeMap::from([("fleet/a.yaml".into(), text.into())])
    }

    #[test]
    fn the_line_is_shown_with_what_was_expected_and_what_helps() {
        let diagnostic = Diagnostic::error(Code::WrongType, "`metadata.labels.ha` is a boolean")
            .at(&Location::new("fleet/a.yaml", 2, 14))
            .expected("a string")
            .hint("quote it: \"no\"")
            .about(&ObjectRef::namespaced("Cluster", "acme", "c"));
        assert_snapshot!(report([&diagnostic], &files("labels:\n  über: {ha: no, b: c}\n"), false), @r#"
        error[CF2003]: `metadata.labels.ha` is a boolean
         --> fleet/a.yaml:2:14
          |
        2 |   über: {ha: no, b: c}
          |              ^^
          |
          = expected: a string
          = help: quote it: "no"
          = in: Cluster acme/c
        "#);
    }

    #[test]
    fn without_a_text_or_place_there_is_no_line() {
        let one = Diagnostic::warning(Code::NothingFound, "nothing").at(&Location::new(
            "elsewhere",
            1,
            1,
        ));
        let two = Diagnostic::note(Code::NothingFound, "nothing\u{1b}[31m");
        assert_snapshot!(report([&one, &two], &files(""), false), @r"
        warning[CF1006]: nothing
        --> elsewhere:1:1

        note[CF1006]: nothing\u{1b}[31m
        ");
    }

    #[test]
    fn a_long_line_is_cut_around_the_place() {
        let line = format!("{}word{}", "x ".repeat(5000), " y".repeat(5000));
        let diagnostic =
            Diagnostic::error(Code::WrongType, "m").at(&Location::new("fleet/a.yaml", 1, 10_001));
        let text = report([&diagnostic], &files(&line), false);
        assert!(text.contains("fleet/a.yaml:1:10001"), "{text}");
        assert!(text.contains("^^^^\n") && text.len() < 1000, "{text}");
    }

    #[test]
    fn colour_is_a_choice() {
        let diagnostic = Diagnostic::error(Code::WrongType, "m");
        assert!(report([&diagnostic], &files(""), true).contains('\u{1b}'));
        assert!(!report([&diagnostic], &files(""), false).contains('\u{1b}'));
    }

    #[test]
    fn a_summary_counts_what_there_is() {
        let mut all = Diagnostics::new();
        assert_eq!(summary(&all), "no problems");
        all.push(Diagnostic::error(Code::WrongType, "a"));
        all.push(Diagnostic::error(Code::WrongType, "b"));
        all.push(Diagnostic::note(Code::WrongType, "c"));
        assert_eq!(summary(&all), "2 errors, 1 note");
    }
}
