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
    /// The document's text between its holes, where each hole is the whole value of a key.
    text: Option<Vec<Stretch>>,
}

#[derive(Debug)]
enum Piece {
    /// Nothing to fill.
    Scalar(Value),
    /// Exactly one placeholder: takes the value with its type.
    Hole(usize),
    /// Text with placeholders in it.
    Text(Vec<Part>),
    List(Vec<Self>),
    Map(Vec<(Vec<Part>, Self)>),
}

/// A piece of text.
#[derive(Debug)]
enum Part {
    Text(String),
    Hole(usize),
}

/// Canonical text up to a hole.
#[derive(Debug)]
struct Stretch {
    text: String,
    /// The hole after the text, and the column of the key that it is the value of.
    hole: Option<(usize, usize)>,
}

impl Skeleton {
    /// Reads the text of one document.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mut documents = yaml::read(text).into_iter();
        let node = match (documents.next(), documents.next()) {
            (Some(Ok(node)), None) => node,
            (Some(Err(error)), _) => {
                let mark = error.mark;
                return Err(format!(
                    "is not YAML: line {}, column {}: {}",
                    mark.line, mark.column, error.message
                ));
            }
            (None, _) => return Err("printed nothing".to_owned()),
            (Some(Ok(_)), Some(_)) => return Err("printed more than one document".to_owned()),
        };
        let root = Piece::from_node(node)?;
        let text = stretches(&root);
        Ok(Self { root, text })
    }

    /// The document with the printed values in place.
    pub(super) fn fill(&self, printed: &[Value]) -> Result<Value, String> {
        self.root.fill(printed)
    }

    /// The document's canonical text, where it can be had without the document.
    pub(super) fn write(&self, printed: &[Value], out: &mut String) -> bool {
        let Some(stretches) = &self.text else {
            return false;
        };
        for stretch in stretches {
            out.push_str(&stretch.text);
            match stretch
                .hole
                .map(|(hole, column)| (printed.get(hole), column))
            {
                Some((Some(value), column)) => yaml::write_block(value, column, out),
                Some((None, _)) => return false,
                None => {}
            }
        }
        true
    }
}

impl Piece {
    fn from_node(node: Node) -> Result<Self, String> {
        Ok(match node.content {
            Content::String(text) => {
                let parts = split(&text)?;
                match parts.as_slice() {
                    [Part::Hole(index)] => Self::Hole(*index),
                    [] | [Part::Text(_)] => Self::Scalar(Value::String(text)),
                    _ => Self::Text(parts),
                }
            }
            Content::Sequence(items) => Self::List(
                items
                    .into_iter()
                    .map(Self::from_node)
                    .collect::<Result<_, _>>()?,
            ),
            Content::Mapping(entries) => Self::Map(
                entries
                    .into_iter()
                    .map(|entry| Ok((split(&entry.key)?, Self::from_node(entry.value)?)))
                    .collect::<Result<_, String>>()?,
            ),
            Content::Null => Self::Scalar(Value::Null),
            Content::Bool(value) => Self::Scalar(Value::Bool(value)),
            Content::Number(value) => Self::Scalar(Value::Number(value)),
        })
    }

    fn fill(&self, printed: &[Value]) -> Result<Value, String> {
        Ok(match self {
            Self::Scalar(value) => value.clone(),
            Self::Hole(index) => printed
                .get(*index)
                .ok_or("a placeholder is broken")?
                .clone(),
            Self::Text(parts) => Value::String(join(parts, printed)?),
            Self::List(items) => Value::Array(
                items
                    .iter()
                    .map(|item| item.fill(printed))
                    .collect::<Result<_, _>>()?,
            ),
            Self::Map(entries) => {
                let mut map = Map::new();
                for (key, value) in entries {
                    let key = join(key, printed)?;
                    if map.contains_key(&key) {
                        return Err(format!("the key `{key}` is printed twice in one map"));
                    }
                    let value = value.fill(printed)?;
                    map.insert(key, value);
                }
                Value::Object(map)
            }
        })
    }

    /// The document with a name in place of each hole; `None` where a hole is part of a text or
    /// key, or an item of a list.
    fn with_names(&self) -> Option<Value> {
        match self {
            Self::Scalar(value) => {
                (!value.as_str().is_some_and(|text| text.contains(NAME))).then(|| value.clone())
            }
            Self::Hole(index) => Some(Value::String(format!("{NAME}{index}"))),
            Self::Text(_) => None,
            Self::List(items) => items
                .iter()
                .map(|item| {
                    if matches!(item, Self::Hole(_)) {
                        None
                    } else {
                        item.with_names()
                    }
                })
                .collect::<Option<Vec<_>>>()
                .map(Value::Array),
            Self::Map(entries) => entries
                .iter()
                .map(|(key, value)| match key.as_slice() {
                    [Part::Text(key)] => Some((key.clone(), value.with_names()?)),
                    _ => None,
                })
                .collect::<Option<Map<_, _>>>()
                .map(Value::Object),
        }
    }
}

/// Begins the name that stands for a hole: a plain scalar, at which the text is cut.
const NAME: &str = "coldframe.hole.";

/// Cuts the canonical text of a document at its holes.
fn stretches(root: &Piece) -> Option<Vec<Stretch>> {
    let mut text = String::new();
    yaml::write(&root.with_names()?, &mut text);
    let mut stretches = Vec::new();
    let mut stretch = String::new();
    for line in text.split_inclusive('\n') {
        let Some((before, name)) = line.split_once(NAME) else {
            stretch.push_str(line);
            continue;
        };
        let before = before.strip_suffix(' ')?;
        let hole = name.trim_end().parse().ok()?;
        let key = before.trim_start_matches([' ', '-']);
        stretch.push_str(before);
        stretches.push(Stretch {
            text: std::mem::take(&mut stretch),
            hole: Some((hole, before.len() - key.len())),
        });
    }
    stretches.push(Stretch {
        text: stretch,
        hole: None,
    });
    Some(stretches)
}

fn split(text: &str) -> Result<Vec<Part>, String> {
    let broken = || {
        "a filter has changed a printed value after it was printed: filter first, print last"
            .to_owned()
    };
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
        parts.push(Part::Hole(index.parse().map_err(|_| broken())?));
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
