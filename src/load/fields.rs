//! A cursor over a YAML mapping that knows what it was asked for.
//!
//! Every getter reports what is wrong with its value and goes on, so that one pass over a document
//! finds all problems; [`Fields::finish`] reports what nobody asked for.

use super::context::{Context, Unknown};
use crate::diagnostic::{Code, Diagnostic, Location, did_you_mean, nearest};
use crate::expand::names::NameError;
use crate::yaml::{Content, Entry, Mark, Node};

/// A value, and how it was reached.
#[derive(Clone)]
pub(super) struct Item<'a> {
    pub(super) cx: &'a Context<'a>,
    /// Such as `spec.plugin.optionValues[0]`; empty for the document.
    pub(super) path: String,
    /// Where its key stands; of a list's item, and of a document, where it begins.
    pub(super) key: Mark,
    pub(super) node: &'a Node,
}

impl<'a> Item<'a> {
    pub(super) fn root(cx: &'a Context<'a>, node: &'a Node) -> Self {
        Self {
            cx,
            path: String::new(),
            key: node.mark,
            node,
        }
    }

    /// Where the value begins.
    pub(super) fn location(&self) -> Location {
        self.cx.location(self.node.mark)
    }

    /// Where its key stands.
    pub(super) fn key_location(&self) -> Location {
        self.cx.location(self.key)
    }

    /// An error about this value, to be pushed with [`Self::push`].
    pub(super) fn error(&self, code: Code, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(code, message).at(&self.location())
    }

    pub(super) fn push(&self, diagnostic: Diagnostic) {
        self.cx.push(diagnostic);
    }

    /// Reports a value that is not allowed.
    pub(super) fn invalid(&self, message: impl Into<String>, expected: impl Into<String>) {
        self.push(
            self.error(Code::InvalidValue, message)
                .expected(expected.into()),
        );
    }

    /// Reports a value of the wrong type.
    pub(super) fn wrong_type(&self, expected: &str) {
        let found = &self.node.content;
        let name = if self.path.is_empty() {
            "the document".to_owned()
        } else {
            format!("`{}`", self.path)
        };
        let word = self.cx.word(self.node.mark);
        let mut hint = None;
        let message = match (found, word) {
            (Content::Bool(value), Some(word)) if expected.contains("string") => {
                hint = Some(format!("quote it: \"{word}\""));
                format!("{name} is a boolean: YAML 1.1 reads the word `{word}` as {value}")
            }
            (Content::Number(value), Some(word)) if expected.contains("string") => {
                hint = Some(format!("quote it: \"{word}\""));
                if word == value.to_string() {
                    format!("{name} is a number: `{word}` without quotes")
                } else {
                    format!("{name} is a number: YAML 1.1 reads the word `{word}` as {value}")
                }
            }
            (Content::String(text), _) if !expected.contains("string") && looks_plain(text) => {
                hint = Some(format!("write it without quotes: {text}"));
                format!("{name} is a string")
            }
            _ => format!("{name} is {}", found.type_name()),
        };
        let mut diagnostic = self.error(Code::WrongType, message).expected(expected);
        diagnostic.hint = hint;
        self.push(diagnostic);
    }

    /// Warns of words in a free value that YAML 1.1 reads as something else than they look.
    pub(super) fn warn_of_traps(&self) {
        self.warn_of_traps_in(self.node);
    }

    fn warn_of_traps_in(&self, node: &Node) {
        let read = match &node.content {
            Content::Sequence(items) => {
                return items.iter().for_each(|item| self.warn_of_traps_in(item));
            }
            Content::Mapping(entries) => {
                return entries
                    .iter()
                    .for_each(|entry| self.warn_of_traps_in(&entry.value));
            }
            Content::Bool(value) => value.to_string(),
            Content::Number(value) => value.to_string(),
            Content::Null | Content::String(_) => return,
        };
        let Some(word) = self.cx.word(node.mark) else {
            return;
        };
        let octal = word.len() > 1
            && word.starts_with('0')
            && word.bytes().all(|byte| byte.is_ascii_digit());
        let boolean = matches!(node.content, Content::Bool(_)) && !word.eq_ignore_ascii_case(&read);
        if octal || boolean && word.bytes().all(|byte| byte.is_ascii_alphabetic()) {
            self.push(
                Diagnostic::warning(
                    Code::BooleanTrap,
                    format!("YAML 1.1 reads the word `{word}` as {read}"),
                )
                .at(&self.cx.location(node.mark))
                .hint(format!("write {read}, or quote it: \"{word}\"")),
            );
        }
    }

    pub(super) fn string(&self) -> Option<&'a str> {
        let text = self.node.as_str();
        if text.is_none() {
            self.wrong_type("a string");
        }
        text
    }

    /// A string that is not empty.
    pub(super) fn text(&self) -> Option<&'a str> {
        let text = self.string()?;
        if text.is_empty() {
            self.invalid(format!("`{}` is empty", self.path), "a text");
            return None;
        }
        Some(text)
    }

    /// A name, by the rules of what it names.
    pub(super) fn name(&self, rule: impl Fn(&str) -> Result<(), NameError>) -> Option<&'a str> {
        let name = self.text()?;
        match rule(name) {
            Ok(()) => Some(name),
            Err(error) => {
                self.push(name_error(&self.path, &error).at(&self.location()));
                None
            }
        }
    }

    pub(super) fn boolean(&self) -> Option<bool> {
        if let Content::Bool(value) = self.node.content {
            return Some(value);
        }
        self.wrong_type("a boolean");
        None
    }

    /// A whole number that is not negative.
    pub(super) fn count(&self) -> Option<u32> {
        let Content::Number(number) = &self.node.content else {
            self.wrong_type("a whole number");
            return None;
        };
        let count = number.as_u64().and_then(|count| u32::try_from(count).ok());
        if count.is_none() {
            self.invalid(
                format!("`{}` is {number}", self.path),
                "a whole number that is not negative",
            );
        }
        count
    }

    /// A whole number of 32 bits.
    pub(super) fn whole_number(&self) {
        match &self.node.content {
            Content::Number(number) => {
                if number.as_i64().is_none_or(|n| i32::try_from(n).is_err()) {
                    self.invalid(
                        format!("`{}` is {number}", self.path),
                        "a whole number of 32 bits",
                    );
                }
            }
            _ => self.wrong_type("a whole number"),
        }
    }

    /// What it is, in words.
    pub(super) fn in_words(&self) -> String {
        match &self.node.content {
            Content::Bool(value) => format!("the boolean {value}"),
            Content::Number(value) => format!("the number {value}"),
            other => other.type_name().to_owned(),
        }
    }

    /// Whether it is the value of an annotation, and so a text whatever it means.
    pub(super) fn is_annotation(&self) -> bool {
        self.path.starts_with("metadata.annotations")
    }

    pub(super) fn list(&self) -> Option<Vec<Self>> {
        let Content::Sequence(nodes) = &self.node.content else {
            self.wrong_type("a list");
            return None;
        };
        let item = |(index, node): (usize, &'a Node)| Self {
            cx: self.cx,
            path: format!("{}[{index}]", self.path),
            key: node.mark,
            node,
        };
        Some(nodes.iter().enumerate().map(item).collect())
    }

    /// A list of strings.
    pub(super) fn strings(&self) -> Option<Vec<String>> {
        let texts: Vec<_> = self.list()?.iter().map(Self::string).collect();
        texts.into_iter().map(|text| text.map(Into::into)).collect()
    }

    pub(super) fn map(&self) -> Option<Fields<'a>> {
        let Content::Mapping(entries) = &self.node.content else {
            self.wrong_type("a map");
            return None;
        };
        Some(Fields {
            cx: self.cx,
            path: self.path.clone(),
            key: self.key,
            entries,
            known: Vec::new(),
        })
    }

    /// The entries of a map with free keys.
    pub(super) fn entries(&self) -> Option<Vec<(&'a str, Self)>> {
        let fields = self.map()?;
        let entry = |entry: &'a Entry| (entry.key.as_str(), fields.item(entry));
        Some(fields.entries.iter().map(entry).collect())
    }

    /// One of a few words.
    pub(super) fn word(&self, words: &[&'static str]) -> Option<&'static str> {
        let text = self.string()?;
        let word = words.iter().copied().find(|word| *word == text);
        if word.is_none() {
            let message = format!("`{}` is `{text}`", self.path);
            let mut problem = self.error(Code::InvalidValue, message);
            problem.hint = did_you_mean(text, words.iter().copied());
            self.push(problem.expected(one_of(words)));
        }
        word
    }

    /// What one of a few words stands for.
    pub(super) fn choice<T: Copy>(&self, choices: &[(&'static str, T)]) -> Option<T> {
        let words: Vec<_> = choices.iter().map(|(word, _)| *word).collect();
        let chosen = self.word(&words)?;
        choices
            .iter()
            .find(|(word, _)| *word == chosen)
            .map(|(_, value)| *value)
    }
}

/// The fields of one mapping.
pub(super) struct Fields<'a> {
    pub(super) cx: &'a Context<'a>,
    path: String,
    key: Mark,
    entries: &'a [Entry],
    known: Vec<&'static str>,
}

impl<'a> Fields<'a> {
    fn item(&self, entry: &'a Entry) -> Item<'a> {
        Item {
            cx: self.cx,
            path: join(&self.path, &entry.key),
            key: entry.mark,
            node: &entry.value,
        }
    }

    /// Where the mapping's key stands.
    pub(super) fn location(&self) -> Location {
        self.cx.location(self.key)
    }

    /// The full name of one of its fields.
    pub(super) fn name_of(&self, field: &str) -> String {
        join(&self.path, field)
    }

    /// The value of a field, null or not.
    pub(super) fn nullable(&mut self, name: &'static str) -> Option<Item<'a>> {
        self.known.push(name);
        let entry = self.entries.iter().find(|entry| entry.key == name)?;
        Some(self.item(entry))
    }

    /// The value of a field; null counts as absent, as it does for the API server.
    pub(super) fn optional(&mut self, name: &'static str) -> Option<Item<'a>> {
        self.nullable(name).filter(|item| !item.node.is_null())
    }

    /// The value of a field that must be there.
    pub(super) fn required(&mut self, name: &'static str) -> Option<Item<'a>> {
        let item = self.optional(name);
        if item.is_none() {
            self.missing(name);
        }
        item
    }

    /// Reports that a field is missing.
    pub(super) fn missing(&self, name: &str) {
        let mut diagnostic = Diagnostic::error(
            Code::MissingField,
            format!("`{}` is missing", self.name_of(name)),
        )
        .at(&self.location())
        .expected(format!("the field `{name}`"));
        let misspelt = self
            .entries
            .iter()
            .map(|entry| entry.key.as_str())
            .filter(|key| !self.known.contains(key));
        if let Some(key) = nearest(name, misspelt) {
            diagnostic = diagnostic.hint(format!("is `{key}` a typo of it?"));
        }
        self.cx.push(diagnostic);
    }

    /// Says that these fields are known, although nobody needs them.
    pub(super) fn known(&mut self, names: &[&'static str]) {
        self.known.extend_from_slice(names);
    }

    /// Reports the fields that nobody asked for.
    pub(super) fn finish(self) {
        self.report_unknown(self.cx.unknown);
    }

    /// The same where coldframe alone reads the mapping, whatever the document is.
    pub(super) fn finish_strictly(self) {
        self.report_unknown(Unknown::Refused);
    }

    fn report_unknown(&self, unknown: Unknown) {
        for entry in self.entries {
            if !self.known.contains(&entry.key.as_str()) {
                self.report_one(entry, unknown);
            }
        }
    }

    fn report_one(&self, entry: &Entry, unknown: Unknown) {
        let place = if self.path.is_empty() {
            "the document".to_owned()
        } else {
            format!("`{}`", self.path)
        };
        let key = &entry.key;
        let mut hint = did_you_mean(key, self.known.iter().copied());
        let mut expected = None;
        let diagnostic = match unknown {
            Unknown::Refused => {
                Diagnostic::error(Code::UnknownField, format!("{place} has no field `{key}`"))
            }
            Unknown::Pruned(homes) => {
                if let Some((_, home)) = homes
                    .iter()
                    .find(|(name, home)| name == key && *home != self.name_of(key))
                {
                    hint = Some(format!("move it to `{home}`"));
                    expected = Some(format!("`{key}` at `{home}`"));
                }
                Diagnostic::warning(
                    Code::PrunedField,
                    format!("{place} has no field `{key}`: Greenhouse drops it without a word"),
                )
            }
        };
        let mut diagnostic = diagnostic
            .at(&self.cx.location(entry.mark))
            .expected(expected.unwrap_or_else(|| self.known_fields()));
        diagnostic.hint = hint;
        self.cx.push(diagnostic);
    }

    fn known_fields(&self) -> String {
        let mut known = self.known.clone();
        known.sort_unstable();
        known.dedup();
        one_of(&known)
    }
}

/// What an optional field gives: nothing where it is absent, and no result at all where it is
/// there and broken.
#[allow(clippy::option_option)]
pub(super) fn intact<T>(field: Option<Option<T>>) -> Option<Option<T>> {
    match field {
        None => Some(None),
        Some(value) => value.map(Some),
    }
}

/// A name that breaks a rule.
pub(super) fn name_error(path: &str, error: &NameError) -> Diagnostic {
    let message = format!("`{path}`: {}", error.problem());
    Diagnostic::error(Code::InvalidName, message).expected(allowed(error))
}

/// What a rule about names allows, as a thing.
pub(super) fn allowed(error: &NameError) -> &'static str {
    let allowed = error.allowed();
    allowed.strip_prefix("use ").unwrap_or(allowed)
}

/// A choice in words: ``one of `a`, `b` ``.
pub(super) fn one_of(words: &[&str]) -> String {
    match words {
        [] => "nothing".to_owned(),
        [word] => format!("`{word}`"),
        words => format!("one of `{}`", words.join("`, `")),
    }
}

fn join(path: &str, key: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    match (path.is_empty(), key.chars().all(plain) && !key.is_empty()) {
        (true, true) => key.to_owned(),
        (false, true) => format!("{path}.{key}"),
        (_, false) => format!("{path}[\"{key}\"]"),
    }
}

/// Whether a string would be a number or boolean without its quotes.
fn looks_plain(text: &str) -> bool {
    matches!(text, "true" | "false") || text.parse::<f64>().is_ok()
}
