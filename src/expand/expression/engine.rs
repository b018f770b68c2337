//! CEL: the environment of Greenhouse's expressions, and programs in it.

use std::sync::{Arc, LazyLock};

use cel::{Context, Env, Value, extensions, parser};

use super::data::Data;
use super::{json, time};
use crate::yaml::{self, Map};

/// How deep an expression can nest, as in cel-go.
const MAX_DEPTH: u16 = 250;

/// The standard library and macros of CEL with cel-go's strings extension. Without optionals.
static ENVIRONMENT: LazyLock<Result<Arc<Env>, String>> = LazyLock::new(|| {
    let mut env = Env::stdlib().with_optional_support(false);
    env.add_extension(extensions::strings)
        .and_then(|()| time::declare(&mut env))
        .map_err(|error| error.to_string())?;
    Ok(Arc::new(env))
});

/// The value of the variable `global`.
pub(super) struct Globals(Data);

impl Globals {
    pub(super) fn new(globals: &Map<String, yaml::Value>) -> Self {
        Self(Data::new(globals))
    }
}

/// A compiled CEL expression.
#[derive(Debug)]
pub(super) struct Program(parser::Expression);

impl Program {
    /// Parses and checks `source`. The error says in words what is wrong.
    pub(super) fn compile(source: &str) -> Result<Self, String> {
        let env = ENVIRONMENT.as_ref().map_err(Clone::clone)?;
        let parser = env
            .parser()
            .max_recursion_depth(MAX_DEPTH)
            .enable_ident_escape_syntax(true);
        let expression = parser.parse(source).map_err(|errors| {
            errors
                .errors
                .first()
                .map_or_else(String::new, |error| error.msg.clone())
        })?;
        Ok(Self(expression))
    }

    /// Evaluates the program to what stands in its place in the text.
    pub(super) fn run(&self, globals: &Globals) -> Result<String, String> {
        let env = ENVIRONMENT.as_ref().map_err(Clone::clone)?;
        let mut context = Context::with_env(Arc::clone(env));
        context.add_variable_as_val("global", Box::new(globals.0.clone()));
        let value = Value::resolve_val(&self.0, &context).map_err(|error| error.to_string())?;
        json::to_text(value.as_ref())
    }
}
