//! What decoding one document shares.

use std::cell::{OnceCell, RefCell};
use std::sync::Arc;

use crate::diagnostic::{Diagnostic, Location, ObjectRef, Severity};
use crate::yaml::Mark;

/// What a field that nobody knows means.
#[derive(Clone, Copy, Debug)]
pub(super) enum Unknown {
    /// The API server drops it without a word: a warning. The table says where fields belong that
    /// are often put in a wrong place.
    Pruned(&'static [(&'static str, &'static str)]),
    /// An error.
    Refused,
}

/// What decoding one document shares: its place, and the problems found so far.
pub(super) struct Context<'a> {
    pub(super) file: Arc<str>,
    /// The whole text of the file, to quote words as they were written.
    pub(super) text: &'a str,
    pub(super) organization: &'a str,
    pub(super) unknown: Unknown,
    /// What the document is about, as soon as that is known.
    pub(super) object: OnceCell<ObjectRef>,
    /// Where the text of an embedded document begins in the file; `None` for the file itself.
    pub(super) embedded: Option<Embedded>,
    found: RefCell<Vec<Diagnostic>>,
}

/// Where a YAML text that is a value of another YAML text stands.
#[derive(Clone, Copy, Debug)]
pub(super) enum Embedded {
    /// A block scalar that begins after `line`, indented by so many characters.
    Block { line: u32, indent: u32 },
    /// Anything else: positions inside it are not known.
    Inline(Mark),
}

impl<'a> Context<'a> {
    pub(super) fn new(
        file: &Arc<str>,
        text: &'a str,
        organization: &'a str,
        unknown: Unknown,
    ) -> Self {
        Self {
            file: Arc::clone(file),
            text,
            organization,
            unknown,
            object: OnceCell::new(),
            embedded: None,
            found: RefCell::default(),
        }
    }

    pub(super) fn location(&self, mark: Mark) -> Location {
        let mark = match self.embedded {
            None => mark,
            Some(Embedded::Inline(outer)) => outer,
            Some(Embedded::Block { line, indent }) => Mark {
                line: line.saturating_add(mark.line),
                column: indent.saturating_add(mark.column),
            },
        };
        Location::new(Arc::clone(&self.file), mark.line, mark.column)
    }

    pub(super) fn push(&self, mut diagnostic: Diagnostic) {
        if diagnostic.object.is_none() {
            diagnostic.object = self.object.get().cloned();
        }
        self.found.borrow_mut().push(diagnostic);
    }

    pub(super) fn has_errors(&self) -> bool {
        self.found
            .borrow()
            .iter()
            .any(|diagnostic| diagnostic.severity == Severity::Error)
    }

    pub(super) fn into_diagnostics(self) -> Vec<Diagnostic> {
        self.found.into_inner()
    }

    /// The plain word at a place, as it was written.
    pub(super) fn word(&self, mark: Mark) -> Option<&'a str> {
        if self.embedded.is_some() {
            return None;
        }
        let line = self.text.lines().nth(mark.line.checked_sub(1)? as usize)?;
        let (start, _) = line
            .char_indices()
            .nth(mark.column.checked_sub(1)? as usize)?;
        line.get(start..)?
            .split([',', '}', ']', '#', ' ', '\t', '\r'])
            .next()
            .filter(|word| !word.is_empty())
    }
}
