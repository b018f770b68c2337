//! Diagnostics as GitHub workflow commands, which GitHub shows beside the lines of a change.

use std::fmt::Write;

use super::{Diagnostic, Severity};

/// One command a line: `::error file=…,line=…,col=…,title=…::message`.
pub fn github<'d>(diagnostics: impl IntoIterator<Item = &'d Diagnostic>) -> String {
    let mut text = String::new();
    for diagnostic in diagnostics {
        let command = match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "notice",
        };
        let mut properties = Vec::new();
        if let Some(at) = &diagnostic.location {
            properties.push(format!("file={}", property(&at.file)));
            properties.push(format!("line={},col={}", at.line, at.column));
        }
        let code = diagnostic.code;
        properties.push(format!(
            "title={}",
            property(&format!("{code} {}", code.title()))
        ));
        let mut message = diagnostic.message.clone();
        let further = [
            ("expected", &diagnostic.expected),
            ("help", &diagnostic.hint),
        ];
        for (word, what) in further {
            if let Some(what) = what {
                message = format!("{message}\n{word}: {what}");
            }
        }
        if let Some(object) = &diagnostic.object {
            message = format!("{message}\nin {object}");
        }
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "::{command} {}::{}",
            properties.join(","),
            data(&message)
        );
    }
    text
}

/// Escapes the text of a command.
fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// Escapes the value of a property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use crate::diagnostic::{Code, Diagnostic, Location, github};

    #[test]
    fn what_would_end_a_command_or_property_is_escaped() {
        let diagnostic = Diagnostic::warning(Code::PrunedField, "100%\n::error::gotcha")
            .at(&Location::new("a,b:c.yaml", 2, 5))
            .expected("x")
            .hint("y");
        assert_eq!(
            github([&diagnostic]),
            "::warning file=a%2Cb%3Ac.yaml,line=2,col=5,title=CF2008 a field that Greenhouse \
             silently drops::100%25%0A::error::gotcha%0Aexpected: x%0Ahelp: y\n"
        );
    }

    #[test]
    fn a_note_without_a_place_is_a_notice() {
        let diagnostic = Diagnostic::note(Code::NothingFound, "m");
        assert_eq!(
            github([&diagnostic]),
            "::notice title=CF1006 a path has no object that coldframe knows::m\n"
        );
    }
}
