//! A template's text once its values are placeholders: parsed once, filled many times.

use crate::yaml::{self, Content, Map, Node, Value};

/// Begins a placeholder. Of the private use area, so that no text has it by accident.
pub(super) const OPEN: char = '\u{E000}';
/// Ends a placeholder.
pub(super) const CLOSE: char = '\u{E001}';

/// A parsed document with holes.
#[derive(Debug)]
pub(super) struct Skeleton {
    root: Piece,
    /// Whether a placeholder stands in more than one place, so that its value must be copied.
    repeats: bool,
}

#[derive(Debug)]
enum Piece {
    /// Nothing to fill.
    Scalar(Value),
    /// Exactly one placeholder: takes the value with its type.
    Hole(usize),
    /// Text with placeholders in it.
    Text(Vec<Part>),
    List(Vec<Piece>),
    Map(Vec<(Vec<Part>, Piece)>),
}

/// A piece of text.
#[derive(Debug)]
enum Part {
    Text(String),
    Hole(usize),
}

impl Skeleton {
    /// Reads the text of one document.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mut documents = yaml::read(text).into_iter();
        let node = match (documents.next(), documents.next()) {
            (Some(Ok(node)), None) => node,
            (Some(Err(error)), _) => {
                let mark = error.mark;
                return Err(format!("is not YAML: line {}, column {}: {}", mark.line, mark.column, error.message));
            }
            (None, _) => return Err("printed nothing".to_owned()),
            (Some(Ok(_)), Some(_)) => return Err("printed more than one document".to_owned()),
        };
        let mut holes = Vec::new();
        let root = Piece::from_node(node, &mut holes)?;
        let count = holes.len();
        holes.sort_unstable();
        holes.dedup();
        Ok(Self { root, repeats: holes.len() < count })
    }

    /// Puts the printed values in place. They are moved where that is possible, so that large ones
    /// are not copied.
    pub(super) fn fill(&self, printed: &mut [Value]) -> Result<Value, String> {
        self.root.fill(printed, self.repeats)
    }
}

impl Piece {
    fn from_node(node: Node, holes: &mut Vec<usize>) -> Result<Self, String> {
        Ok(match node.content {
            Content::String(text) => {
                let parts = split(&text, holes)?;
                match parts.as_slice() {
                    [Part::Hole(index)] => Self::Hole(*index),
                    [] | [Part::Text(_)] => Self::Scalar(Value::String(text)),
                    _ => Self::Text(parts),
                }
            }
            Content::Sequence(items) => {
                Self::List(items.into_iter().map(|item| Self::from_node(item, holes)).collect::<Result<_, _>>()?)
            }
            Content::Mapping(entries) => Self::Map(
                entries
                    .into_iter()
                    .map(|entry| Ok((split(&entry.key, holes)?, Self::from_node(entry.value, holes)?)))
                    .collect::<Result<_, String>>()?,
            ),
            Content::Null => Self::Scalar(Value::Null),
            Content::Bool(value) => Self::Scalar(Value::Bool(value)),
            Content::Number(value) => Self::Scalar(Value::Number(value)),
        })
    }

    fn fill(&self, printed: &mut [Value], copy: bool) -> Result<Value, String> {
        Ok(match self {
            Self::Scalar(value) => value.clone(),
            Self::Hole(index) => {
                let value = printed.get_mut(*index).ok_or("a placeholder is broken")?;
                if copy { value.clone() } else { value.take() }
            }
            Self::Text(parts) => Value::String(join(parts, printed)?),
            Self::List(items) => {
                Value::Array(items.iter().map(|item| item.fill(printed, copy)).collect::<Result<_, _>>()?)
            }
            Self::Map(entries) => {
                let mut map = Map::new();
                for (key, value) in entries {
                    let key = join(key, printed)?;
                    if map.contains_key(&key) {
                        return Err(format!("the key `{key}` is printed twice in one map"));
                    }
                    let value = value.fill(printed, copy)?;
                    map.insert(key, value);
                }
                Value::Object(map)
            }
        })
    }
}

fn split(text: &str, holes: &mut Vec<usize>) -> Result<Vec<Part>, String> {
    let broken = || "a filter has changed a printed value after it was printed: filter first, print last".to_owned();
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(OPEN) {
        if before.contains(CLOSE) {
            return Err(broken());
        }
        if !before.is_empty() {
            parts.push(Part::Text(before.to_owned()));
        }
        let (index, after) = after.split_once(CLOSE).ok_or_else(broken)?;
        let index = index.parse().map_err(|_| broken())?;
        holes.push(index);
        parts.push(Part::Hole(index));
        rest = after;
    }
    if rest.contains(CLOSE) {
        return Err(broken());
    }
    if !rest.is_empty() {
        parts.push(Part::Text(rest.to_owned()));
    }
    Ok(parts)
}

fn join(parts: &[Part], printed: &[Value]) -> Result<String, String> {
    let mut text = String::new();
    for part in parts {
        match part {
            Part::Text(literal) => text.push_str(literal),
            Part::Hole(index) => match printed.get(*index) {
                Some(Value::String(value)) => text.push_str(value),
                Some(Value::Number(value)) => text.push_str(&value.to_string()),
                Some(Value::Bool(value)) => text.push_str(if *value { "true" } else { "false" }),
                _ => return Err("a list or map is printed beside other text".to_owned()),
            },
        }
    }
    Ok(text)
}
