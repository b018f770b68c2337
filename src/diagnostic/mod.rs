//! What is wrong with an input, where, and what to do about it.
//!
//! Every problem that a user can cause is a [`Diagnostic`]: a value that is collected, never
//! printed on the spot, so that one run names all of them.

mod code;
mod github;
mod json;
#[cfg(feature = "cli")]
mod report;

use std::fmt;
use std::sync::Arc;

use serde::Serialize;

pub use code::Code;
pub use github::github;
pub use json::json;
#[cfg(feature = "cli")]
pub use report::{report, summary};

/// A place in an input file. Lines and columns count from 1, columns in characters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Location {
    /// The path as the user gave it, or below the folder that he gave.
    pub file: Arc<str>,
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

impl Location {
    /// The place at `line` and `column` of `file`.
    pub fn new(file: impl Into<Arc<str>>, line: u32, column: u32) -> Self {
        Self {
            file: file.into(),
            line,
            column,
        }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// The object that a diagnostic is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct ObjectRef {
    /// Its kind, such as `PluginPreset`.
    pub kind: String,
    /// Its namespace; absent where the kind has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Its name.
    pub name: String,
}

impl ObjectRef {
    /// A reference to a namespaced object.
    pub fn namespaced(
        kind: impl Into<String>,
        namespace: impl Into<String>,
        name: impl Into<String>,
    ) -> Self {
        Self {
            kind: kind.into(),
            namespace: Some(namespace.into()),
            name: name.into(),
        }
    }
}

impl fmt::Display for ObjectRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.namespace {
            Some(namespace) => write!(f, "{} {namespace}/{}", self.kind, self.name),
            None => write!(f, "{} {}", self.kind, self.name),
        }
    }
}

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The object, or the release, cannot be rendered.
    Error,
    /// It is rendered, but probably not as meant.
    Warning,
    /// Worth knowing; nothing to do.
    Note,
}

impl Severity {
    /// The word that is printed and written to JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}

/// One problem of the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The stable code, by which the reference describes it.
    pub code: Code,
    /// How bad it is.
    pub severity: Severity,
    /// What happened, in one sentence without a full stop.
    pub message: String,
    /// Where.
    pub location: Option<Location>,
    /// What would have been right.
    pub expected: Option<String>,
    /// What to do.
    pub hint: Option<String>,
    /// The object it is about.
    pub object: Option<ObjectRef>,
    /// The release it is about (`<preset>-<cluster>`), where only that one is affected.
    pub release: Option<String>,
    /// Whether the line at its place may hold a secret, and must not be shown.
    pub confidential: bool,
}

impl Diagnostic {
    fn new(code: Code, severity: Severity, message: impl Into<String>) -> Self {
        Self {
            code,
            severity,
            message: message.into(),
            location: None,
            expected: None,
            hint: None,
            object: None,
            release: None,
            confidential: false,
        }
    }

    /// A problem that keeps something from being rendered.
    pub fn error(code: Code, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Error, message)
    }

    /// Something that is rendered, but probably not as meant.
    pub fn warning(code: Code, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Warning, message)
    }

    /// Something worth knowing.
    pub fn note(code: Code, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Note, message)
    }

    /// Says where.
    #[must_use]
    pub fn at(mut self, location: &Location) -> Self {
        self.location = Some(location.clone());
        self
    }

    /// Says what was expected.
    #[must_use]
    pub fn expected(mut self, expected: impl Into<String>) -> Self {
        self.expected = Some(expected.into());
        self
    }

    /// Says what to do.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Says which object it is about.
    #[must_use]
    pub fn about(mut self, object: &ObjectRef) -> Self {
        self.object = Some(object.clone());
        self
    }

    /// Says that the line at its place may hold a secret.
    #[must_use]
    pub fn confidential(mut self) -> Self {
        self.confidential = true;
        self
    }

    /// Says which release it is about.
    #[must_use]
    pub fn release(mut self, release: impl Into<String>) -> Self {
        self.release = Some(release.into());
        self
    }
}

/// All problems found so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagnostics(Vec<Diagnostic>);

impl Diagnostics {
    /// None yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.0.push(diagnostic);
    }

    /// Adds those of another stage.
    pub fn extend(&mut self, others: impl IntoIterator<Item = Diagnostic>) {
        self.0.extend(others);
    }

    /// Whether any of them is an error.
    pub fn has_errors(&self) -> bool {
        self.0.iter().any(|d| d.severity == Severity::Error)
    }

    /// How many there are of a severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.0.iter().filter(|d| d.severity == severity).count()
    }

    /// In the order of files, lines and columns, those without a place last; the same one once.
    pub fn sort(&mut self) {
        self.0.sort_by(|a, b| {
            let key = |d: &Diagnostic| {
                (
                    d.location.is_none(),
                    d.location.clone(),
                    d.severity,
                    d.code,
                    d.release.clone(),
                )
            };
            key(a).cmp(&key(b)).then_with(|| a.message.cmp(&b.message))
        });
        self.0.dedup();
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.0.iter()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl FromIterator<Diagnostic> for Diagnostics {
    fn from_iter<I: IntoIterator<Item = Diagnostic>>(diagnostics: I) -> Self {
        Self(diagnostics.into_iter().collect())
    }
}

impl IntoIterator for Diagnostics {
    type Item = Diagnostic;
    type IntoIter = std::vec::IntoIter<Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

/// The candidate nearest to `name`, if one is near enough to be a typo: for hints.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    candidates
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(name, candidate), candidate))
        .filter(|(distance, candidate)| {
            *distance > 0 && *distance <= 1 + candidate.chars().count() / 4
        })
        .min()
        .map(|(_, candidate)| candidate)
}

/// The hint `did you mean …?`, if a candidate is near enough.
pub fn did_you_mean<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<String> {
    nearest(name, candidates).map(|candidate| format!("did you mean `{candidate}`?"))
}
