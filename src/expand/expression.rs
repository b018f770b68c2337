//! Expressions of option values, as Greenhouse evaluates them: a text of YAML in which
//! `${…}` stands for the result of a CEL expression.

mod check;
mod data;
mod duration;
mod engine;
mod functions;
mod json;
mod pattern;
mod signatures;
mod timestamp;

use self::engine::{Globals, Program};
use crate::yaml::{self, Map, ReadError, Value};

/// An expression whose CEL is compiled, to be evaluated for many clusters.
#[derive(Debug)]
pub struct Expression {
    text: String,
    placeholders: Vec<Placeholder>,
}

/// One `${…}` of the text.
#[derive(Debug)]
struct Placeholder {
    /// All of it, with `${` and `}`.
    whole: String,
    program: Program,
}

/// Why an expression has no value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExpressionError {
    /// There is nothing.
    #[error("the expression is empty: write YAML with `${{…}}` placeholders, or leave it out")]
    Empty,
    /// The CEL of a placeholder is not valid.
    #[error("`{placeholder}` is not valid CEL: {reason}")]
    Compile {
        /// The placeholder with `${` and `}`.
        placeholder: String,
        /// What is wrong, and where in the placeholder.
        reason: String,
    },
    /// The CEL of a placeholder is valid and fails for these globals.
    #[error("`{placeholder}` cannot be evaluated: {reason}")]
    Evaluate {
        /// The placeholder with `${` and `}`.
        placeholder: String,
        /// What is wrong.
        reason: String,
    },
    /// The text with all results in it is not YAML.
    #[error("with its placeholders filled in, the expression is not YAML: {error}")]
    Yaml {
        /// The text with all results in it.
        text: String,
        /// What is wrong with it.
        error: ReadError,
    },
}

impl Expression {
    /// Compiles the placeholders of `text`, as cel-go with its strings extension does.
    ///
    /// `${}` and `${` without `}` are plain text, and so no CEL can contain a `}`.
    pub fn compile(text: &str) -> Result<Self, ExpressionError> {
        if text.is_empty() {
            return Err(ExpressionError::Empty);
        }
        let mut placeholders: Vec<Placeholder> = Vec::new();
        for whole in placeholders_of(text) {
            if placeholders.iter().any(|known| known.whole == whole) {
                continue;
            }
            let program = Program::compile(&whole[2..whole.len() - 1]);
            let program = program.map_err(|reason| ExpressionError::Compile {
                placeholder: whole.to_owned(),
                reason,
            })?;
            placeholders.push(Placeholder {
                whole: whole.to_owned(),
                program,
            });
        }
        Ok(Self {
            text: text.to_owned(),
            placeholders,
        })
    }

    /// The value for one cluster; `globals` is what the variable `global` holds.
    ///
    /// Strings are filled in as they are, anything else as JSON; then the whole text is read as
    /// YAML, so that a string such as `no` becomes a boolean unless it is quoted.
    pub fn evaluate(&self, globals: &Map<String, Value>) -> Result<Value, ExpressionError> {
        let text = self.fill_in(globals)?;
        match yaml::parse(&text) {
            Ok(node) => Ok(node.to_value()),
            Err(error) => Err(ExpressionError::Yaml { text, error }),
        }
    }

    /// The text with the results in the place of the placeholders.
    fn fill_in(&self, globals: &Map<String, Value>) -> Result<String, ExpressionError> {
        let mut text = self.text.clone();
        if self.placeholders.is_empty() {
            return Ok(text);
        }
        let globals = Globals::new(globals);
        for placeholder in &self.placeholders {
            let result =
                placeholder
                    .program
                    .run(&globals)
                    .map_err(|reason| ExpressionError::Evaluate {
                        placeholder: placeholder.whole.clone(),
                        reason,
                    })?;
            // One after the other and in the results too, as Greenhouse does it.
            text = text.replace(&placeholder.whole, &result);
        }
        Ok(text)
    }
}

/// What matches `\$\{[^}]+\}`.
fn placeholders_of(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            let whole = &rest[rest.find("${")?..];
            let end = whole.find('}')?;
            rest = &whole[end + 1..];
            if end > 2 {
                return Some(&whole[..=end]);
            }
        }
    })
}

#[cfg(test)]
mod tests;
