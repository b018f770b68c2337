//! One file: bytes, text, documents.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use super::discover::{Found, unreadable};
use super::kind::{COLDFRAME, GREENHOUSE, Kind, looks_like_ours, may_matter, sort_out};
use crate::diagnostic::{Code, Diagnostic, Location};
use crate::yaml::{self, Node, ReadError, ReadErrorKind};

/// The largest file that is read: far above every manifest, and far below what hurts.
const MAX_BYTES: u64 = 32 << 20;

/// What a file has for us.
#[derive(Debug)]
pub(super) struct Contents {
    pub(super) name: Arc<str>,
    pub(super) text: Arc<str>,
    pub(super) sources: Vec<usize>,
    pub(super) documents: Vec<(Kind, Node)>,
    pub(super) diagnostics: Vec<Diagnostic>,
}

impl Contents {
    /// Whether something in it is meant for us, right or wrong.
    pub(super) fn matters(&self) -> bool {
        !self.documents.is_empty() || !self.diagnostics.is_empty()
    }
}

/// Reads one file.
pub(super) fn read(found: &Found) -> Contents {
    let mut contents = Contents {
        name: Arc::clone(&found.name),
        text: "".into(),
        sources: found.sources.clone(),
        documents: Vec::new(),
        diagnostics: Vec::new(),
    };
    match read_bytes(&found.path) {
        Err(error) => contents.diagnostics.push(unreadable(&found.path, &error)),
        Ok(None) => contents.diagnostics.push(too_large(&found.name)),
        Ok(Some(bytes)) => match decode(bytes) {
            Ok(text) if is_template(&found.path, &text) && !found.explicit => {}
            Ok(text) => contents.parse(text),
            Err(bytes) => contents.diagnostics.push(not_text(found, &bytes)),
        },
    }
    contents
}

/// Reads a text that is no file.
pub(super) fn read_string(name: &str, text: String) -> Contents {
    let mut contents = Contents {
        name: name.into(),
        text: "".into(),
        sources: vec![0],
        documents: Vec::new(),
        diagnostics: Vec::new(),
    };
    contents.parse(text);
    contents
}

impl Contents {
    fn parse(&mut self, text: String) {
        if !may_matter(&text) {
            return;
        }
        for document in yaml::read(&text) {
            match document {
                Ok(node) => sort_out(node, &self.name, &mut self.documents, &mut self.diagnostics),
                Err(error) => {
                    let document = document_at(&text, error.mark.line);
                    if looks_like_ours(document) {
                        let problem = invalid_yaml(&self.name, document, error);
                        self.diagnostics.push(problem);
                    }
                }
            }
        }
        if self.matters() {
            self.text = text.into();
        }
    }
}

/// The text of a file that is small enough and UTF-8.
pub(super) fn read_text(path: &Path) -> io::Result<String> {
    read_bytes(path)?
        .and_then(|bytes| decode(bytes).ok())
        .ok_or_else(|| io::Error::other("not a text"))
}

/// The bytes of a file; `None` if it is too large.
// The one place that opens files.
#[allow(clippy::disallowed_methods)]
fn read_bytes(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let file = File::open(path)?;
    let size = file.metadata()?.len();
    if size > MAX_BYTES {
        return Ok(None);
    }
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default());
    // What is no regular file has no size that could be trusted.
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= MAX_BYTES).then_some(bytes))
}

fn decode(bytes: Vec<u8>) -> Result<String, Vec<u8>> {
    if bytes.contains(&0) {
        return Err(bytes);
    }
    String::from_utf8(bytes).map_err(std::string::FromUtf8Error::into_bytes)
}

fn too_large(name: &Arc<str>) -> Diagnostic {
    Diagnostic::error(
        Code::NotText,
        format!(
            "`{name}` is larger than {} MB and was skipped",
            MAX_BYTES >> 20
        ),
    )
    .at(&Location::new(Arc::clone(name), 1, 1))
    .expected("manifests")
    .hint("split it, or name the files to read one by one")
}

fn not_text(found: &Found, bytes: &[u8]) -> Diagnostic {
    let name = &found.name;
    let has = |word: &str| {
        bytes
            .windows(word.len())
            .any(|part| part == word.as_bytes())
    };
    let utf16 = bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]);
    let message = format!("`{name}` is not a text of UTF-8 and was skipped");
    let diagnostic = if found.explicit || utf16 || has(GREENHOUSE) || has(COLDFRAME) {
        Diagnostic::error(Code::NotText, message).hint("save it as UTF-8")
    } else {
        Diagnostic::note(Code::NotText, message)
    };
    diagnostic
        .at(&Location::new(Arc::clone(name), 1, 1))
        .expected("YAML or JSON in UTF-8")
}

/// Whether it is a Helm template that is not rendered yet: it need not be YAML at all.
fn is_template(path: &Path, text: &str) -> bool {
    text.contains("{{")
        && path
            .ancestors()
            .skip(1)
            .any(|folder| folder.file_name() == Some(OsStr::new("templates")))
}

fn invalid_yaml(name: &Arc<str>, document: &str, error: ReadError) -> Diagnostic {
    let code = match error.kind {
        ReadErrorKind::Syntax => Code::InvalidYaml,
        ReadErrorKind::DuplicateKey => Code::DuplicateKey,
        ReadErrorKind::TooDeep => Code::TooDeep,
    };
    let location = Location::new(Arc::clone(name), error.mark.line, error.mark.column);
    let mut diagnostic = Diagnostic::error(code, error.message).at(&location);
    diagnostic.hint = error.hint.or_else(|| {
        let template = document.contains("{{");
        let quoted = diagnostic.message.starts_with("mapping values");
        match (template, quoted) {
            (true, _) => Some("this looks like a Helm template: render it first".to_owned()),
            (_, true) => Some("put a text that contains `: ` in quotes".to_owned()),
            _ => None,
        }
    });
    diagnostic
}

/// The text of the document that has a line, without its separators.
fn document_at(text: &str, line: u32) -> &str {
    let target = line.saturating_sub(1) as usize;
    let mut start = 0;
    let mut offset = 0;
    for (index, each) in text.split_inclusive('\n').enumerate() {
        if each.starts_with("---") {
            if index > target {
                break;
            }
            start = offset + each.len();
        }
        offset += each.len();
    }
    text.get(start..offset).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::document_at;

    #[test]
    fn a_line_belongs_to_the_document_around_it() {
        let text = "a: 1\n---\nb: 2\nc: 3\n---\nd: 4";
        assert_eq!(document_at(text, 1), "a: 1\n");
        assert_eq!(document_at(text, 3), "b: 2\nc: 3\n");
        assert_eq!(document_at(text, 4), "b: 2\nc: 3\n");
        assert_eq!(document_at(text, 6), "d: 4");
        assert_eq!(document_at(text, 99), "d: 4");
        assert_eq!(document_at("", 1), "");
    }
}
