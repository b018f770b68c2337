//! CEL: the environment of Greenhouse's expressions, and programs in it.

use std::sync::{Arc, LazyLock};
use std::{io, thread};

use cel::{Context, Env, ExecutionError, Value, extensions, parser};

use super::data::Data;
use super::{check, duration, functions, json, timestamp};
use crate::yaml::{self, Map};

/// The longest source, in bytes: the parser is slow, and the depth of what it makes grows with it.
const MAX_LENGTH: usize = 4 << 10;

/// A stack in bytes for anything that nests no more than [`check::MAX_DEPTH`]. The parser takes up
/// to 300 KiB of it for each level; only what is used becomes memory.
const LARGE_STACK: usize = 256 << 20;

/// How deep an expression may nest to be evaluated on the stack of any thread.
const SHALLOW: usize = 20;

/// The standard library and macros of CEL with cel-go's strings extension. Without optionals.
static ENVIRONMENT: LazyLock<Result<Arc<Env>, String>> = LazyLock::new(|| {
    let mut env = Env::stdlib().with_optional_support(false);
    env.add_extension(extensions::strings)
        .and_then(|()| duration::declare(&mut env))
        .and_then(|()| timestamp::declare(&mut env))
        .and_then(|()| functions::declare(&mut env))
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
pub(super) struct Program {
    expression: parser::Expression,
    depth: usize,
}

impl Program {
    /// Parses and checks `source`. The error says in words what is wrong.
    pub(super) fn compile(source: &str) -> Result<Self, String> {
        if source.len() > MAX_LENGTH {
            let length = source.len();
            return Err(format!(
                "it has {length} bytes, and coldframe reads at most {MAX_LENGTH}: split it"
            ));
        }
        let env = environment()?;
        on_large_stack(|| {
            let mut expression = parse(env, source)?;
            let depth = check::check(&mut expression)?;
            Ok(Self { expression, depth })
        })
    }

    /// Evaluates the program to what stands in its place in the text.
    pub(super) fn run(&self, globals: &Globals) -> Result<String, String> {
        let env = environment()?;
        let run = || {
            let mut context = Context::with_env(Arc::clone(env));
            context.add_variable_as_val("global", Box::new(globals.0.clone()));
            let value = Value::resolve_val(&self.expression, &context);
            json::to_text(value.map_err(in_words)?.as_ref())
        };
        if self.depth > SHALLOW {
            on_large_stack(run)
        } else {
            run()
        }
    }
}

fn in_words(error: ExecutionError) -> String {
    match error {
        ExecutionError::NoSuchKey(key) => {
            format!("there is no key `{key}`: ask `has(…)` first where it may be missing")
        }
        ExecutionError::FunctionError { function, message } => format!("`{function}`: {message}"),
        ExecutionError::UnsupportedBinaryOperator(operator, _, _) => {
            format!("the operator `{operator}` does not take values of these types")
        }
        ExecutionError::DivisionByZero(_) | ExecutionError::RemainderByZero(_) => {
            "a division by zero".to_owned()
        }
        other => other.to_string(),
    }
}

fn environment() -> Result<&'static Arc<Env>, String> {
    ENVIRONMENT.as_ref().map_err(Clone::clone)
}

fn parse(env: &Env, source: &str) -> Result<parser::Expression, String> {
    let parser = env
        .parser()
        .max_recursion_depth(u16::try_from(check::MAX_DEPTH).unwrap_or(u16::MAX))
        .enable_ident_escape_syntax(true);
    let errors = match parser.parse(source) {
        Ok(expression) => return Ok(expression),
        Err(errors) => errors.errors,
    };
    if errors
        .iter()
        .any(|error| error.msg.contains("recursion limit"))
    {
        return Err(check::too_deep());
    }
    let first = errors.first();
    let message = first.map_or("syntax error", |error| error.msg.as_str());
    // Of what the parser would have taken instead, it lists all it knows.
    let message = message.split(" expecting {").next().unwrap_or(message);
    let message = message.trim_start_matches("Syntax error: ");
    let place = match first.map_or((1, 1), |error| error.pos) {
        (1, column) => format!("at character {column}"),
        (line, column) => format!("at character {column} of line {line}"),
    };
    let cut = source.contains('{') || source.matches('"').count() % 2 == 1;
    let help = if cut {
        "; a placeholder ends at the first `}`, so its CEL cannot contain one"
    } else {
        ""
    };
    Err(format!("{message}, {place}{help}"))
}

/// Does `work` on a thread of its own. A panic in it becomes an error.
fn on_large_stack<T: Send>(work: impl FnOnce() -> Result<T, String> + Send) -> Result<T, String> {
    let done = thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(LARGE_STACK);
        let panicked = |_| io::Error::other("the CEL library has failed: simplify the expression");
        thread.spawn_scoped(scope, work)?.join().map_err(panicked)
    });
    done.unwrap_or_else(|error| Err(error.to_string()))
}
