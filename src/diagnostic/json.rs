//! Diagnostics as JSON, for programs.

use serde::Serialize;

use super::{Code, Diagnostic, ObjectRef, Severity};
use crate::yaml::Value;

/// One diagnostic; every field is always there, null where there is nothing to say.
#[derive(Serialize)]
struct Entry<'d> {
    code: Code,
    severity: Severity,
    title: &'static str,
    message: &'d str,
    file: Option<&'d str>,
    line: Option<u32>,
    column: Option<u32>,
    expected: Option<&'d str>,
    hint: Option<&'d str>,
    object: Option<&'d ObjectRef>,
    release: Option<&'d str>,
}

/// A list of objects with the fields `code`, `severity`, `title`, `message`, `file`, `line`,
/// `column`, `expected`, `hint`, `object` and `release`.
pub fn json<'d>(diagnostics: impl IntoIterator<Item = &'d Diagnostic>) -> Value {
    let entries = diagnostics.into_iter().map(|diagnostic| {
        let location = diagnostic.location.as_ref();
        let entry = Entry {
            code: diagnostic.code,
            severity: diagnostic.severity,
            title: diagnostic.code.title(),
            message: &diagnostic.message,
            file: location.map(|at| &*at.file),
            line: location.map(|at| at.line),
            column: location.map(|at| at.column),
            expected: diagnostic.expected.as_deref(),
            hint: diagnostic.hint.as_deref(),
            object: diagnostic.object.as_ref(),
            release: diagnostic.release.as_deref(),
        };
        // Strings, numbers and null only: this cannot fail.
        serde_json::to_value(entry).unwrap_or_default()
    });
    Value::Array(entries.collect())
}

#[cfg(test)]
mod tests {
    use serde_json::json as expected;

    use crate::diagnostic::{Code, Diagnostic, Location, ObjectRef, json};

    #[test]
    fn every_field_is_always_there() {
        let full = Diagnostic::error(Code::WrongType, "it is a number")
            .at(&Location::new("a.yaml", 3, 7))
            .expected("a string")
            .hint("quote it")
            .about(&ObjectRef::namespaced("Cluster", "acme", "c"))
            .release("p-c");
        let bare = Diagnostic::note(Code::NothingFound, "nothing");
        assert_eq!(
            json([&full, &bare]),
            expected!([
                {
                    "code": "CF2003", "severity": "error", "title": "a field has the wrong type",
                    "message": "it is a number", "file": "a.yaml", "line": 3, "column": 7,
                    "expected": "a string", "hint": "quote it",
                    "object": {"kind": "Cluster", "namespace": "acme", "name": "c"},
                    "release": "p-c",
                },
                {
                    "code": "CF1006", "severity": "note",
                    "title": "a path has no object that coldframe knows", "message": "nothing",
                    "file": null, "line": null, "column": null, "expected": null, "hint": null,
                    "object": null, "release": null,
                },
            ])
        );
    }
}
