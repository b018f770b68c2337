//! A YAML value that knows where it stands.

use super::{Map, Number, Value};

/// A position in the text. Both count from 1, columns in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mark {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

/// A value and where it begins.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The value.
    pub content: Content,
    /// Where it begins.
    pub mark: Mark,
}

/// The JSON data model, with nodes for children.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// `null`, `~` or nothing.
    Null,
    /// A boolean of YAML 1.1.
    Bool(bool),
    /// An integer or float.
    Number(Number),
    /// Text.
    String(String),
    /// A list.
    Sequence(Vec<Node>),
    /// A map, in the order of the file.
    Mapping(Vec<Entry>),
}

/// A key of a mapping and its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The key, as the string that JSON has.
    pub key: String,
    /// Where the key begins.
    pub mark: Mark,
    /// The value.
    pub value: Node,
}

impl Content {
    /// The type in words, for messages.
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Number(_) => "a number",
            Self::String(_) => "a string",
            Self::Sequence(_) => "a list",
            Self::Mapping(_) => "a map",
        }
    }
}

impl Node {
    /// The value of `key`, if this is a mapping that has it.
    pub fn get(&self, key: &str) -> Option<&Self> {
        match &self.content {
            Content::Mapping(entries) => entries
                .iter()
                .find(|entry| entry.key == key)
                .map(|entry| &entry.value),
            _ => None,
        }
    }

    /// The text, if this is a string.
    pub fn as_str(&self) -> Option<&str> {
        match &self.content {
            Content::String(text) => Some(text),
            _ => None,
        }
    }

    /// Whether this is null.
    pub fn is_null(&self) -> bool {
        matches!(self.content, Content::Null)
    }

    /// The value without positions.
    pub fn to_value(&self) -> Value {
        match &self.content {
            Content::Null => Value::Null,
            Content::Bool(value) => Value::Bool(*value),
            Content::Number(value) => Value::Number(value.clone()),
            Content::String(value) => Value::String(value.clone()),
            Content::Sequence(items) => Value::Array(items.iter().map(Self::to_value).collect()),
            Content::Mapping(entries) => {
                let map: Map<String, Value> = entries
                    .iter()
                    .map(|entry| (entry.key.clone(), entry.value.to_value()))
                    .collect();
                Value::Object(map)
            }
        }
    }
}
