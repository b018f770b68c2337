//! Functions that the crate has otherwise than cel-go, and the calls to them.

#![expect(
    clippy::needless_pass_by_value,
    clippy::trivially_copy_pass_by_ref,
    reason = "the crate decides how functions get their arguments"
)]

use cel::common::ast::{CallExpr, Expr, IdedExpr, LiteralValue};
use cel::common::types::{
    CelBool, CelInt, CelList, CelString, DYN_TYPE, Kind, LIST_TYPE, STRING_TYPE,
};
use cel::common::value::{CowVal, Val};
use cel::{DeclarationError, Env, ExecutionError, add_member_overload, add_overload};

use super::duration::{self, Duration};
use super::pattern;
use super::timestamp::{self, Timestamp};

/// Adds the functions to `env`, under names that no expression can have.
pub(super) fn declare(env: &mut Env) -> Result<(), DeclarationError> {
    add_overload!(env, fn matches: (CelString, CelString) -> Result<CelBool>, name = "@matches")?;
    add_member_overload!(env, fn matches: (CelString, CelString) -> Result<CelBool>,
        name = "@matches", id = "@string_matches")?;
    add_member_overload!(env, fn index_of: (CelString, CelString, CelInt) -> Result<CelInt>,
        name = "@indexOf")?;
    add_member_overload!(env, fn last_index_of: (CelString, CelString, CelInt) -> Result<CelInt>,
        name = "@lastIndexOf")?;
    env.add_overload("@has", "@has", vec![DYN_TYPE, STRING_TYPE], has)?;
    env.add_overload("@notMap", "@notMap", vec![DYN_TYPE], not_map)?;
    env.add_overload("@printable", "@printable", vec![LIST_TYPE], printable)
}

/// Replaces a call of the crate's function by one of ours.
pub(super) fn substitute(expression: &mut Expr) {
    match expression {
        Expr::Select(select) if select.test => {
            let field = Expr::Literal(LiteralValue::String(
                std::mem::take(&mut select.field).into(),
            ));
            let field = IdedExpr {
                id: select.operand.id,
                expr: field,
            };
            let operand = std::mem::take(&mut *select.operand);
            *expression = global_call("@has", vec![operand, field]);
        }
        Expr::Call(call) => match (call.func_name.as_str(), call.args.as_mut_slice()) {
            ("matches", _) | ("indexOf" | "lastIndexOf", [_, _]) => {
                call.func_name.insert(0, '@');
            }
            ("format", [list]) => {
                let arguments = vec![std::mem::take(list)];
                list.expr = global_call("@printable", arguments);
            }
            _ => {}
        },
        _ => {}
    }
}

/// Makes a map an error here, as the crate adds the keys of a map to a list.
pub(super) fn refuse_map(expression: &mut IdedExpr) {
    let inner = std::mem::take(expression);
    expression.id = inner.id;
    expression.expr = global_call("@notMap", vec![inner]);
}

/// Checks that a list that is written out has no more than the clauses of its format, as cel-go
/// does; that it has no fewer is checked when it is formatted.
pub(super) fn check_format(call: &CallExpr) -> Result<(), String> {
    let target = call.target.as_ref().map(|target| &target.expr);
    if call.func_name == "format"
        && let Some(Expr::Literal(LiteralValue::String(format))) = target
        && let [
            IdedExpr {
                expr: Expr::List(list),
                ..
            },
        ] = call.args.as_slice()
    {
        let clauses = format.replace("%%", "").matches('%').count();
        let values = list.elements.len();
        if values > clauses {
            return Err(format!(
                "`format` has {values} values for {clauses} `%` clauses"
            ));
        }
    }
    Ok(())
}

fn global_call(name: &str, args: Vec<IdedExpr>) -> Expr {
    Expr::Call(CallExpr {
        func_name: name.to_owned(),
        target: None,
        args,
    })
}

/// In cel-go a value without fields has none, which is no error.
fn has<'b, 'v>(arguments: Vec<CowVal<'b, 'v>>) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let found = match arguments.as_slice() {
        [map, key] if map.get_type().kind() == Kind::Map => map
            .as_container()
            .map_or(Ok(false), |map| map.contains(key.as_ref())),
        [list, _] if list.get_type().kind() == Kind::List => Err(ExecutionError::function_error(
            "has",
            "a list has no fields",
        )),
        _ => Ok(false),
    };
    found.map(|found| CowVal::owned(CelBool::from(found)))
}

fn not_map<'b, 'v>(arguments: Vec<CowVal<'b, 'v>>) -> Result<CowVal<'b, 'v>, ExecutionError> {
    match arguments.into_iter().next() {
        Some(map) if map.get_type().kind() == Kind::Map => {
            Err(ExecutionError::function_error("+", "a map cannot be added"))
        }
        Some(other) => Ok(other),
        None => Err(ExecutionError::missing_argument_or_target()),
    }
}

/// A list for `format`, which knows only the types of the crate.
fn printable<'b, 'v>(arguments: Vec<CowVal<'b, 'v>>) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let list = arguments.into_iter().next();
    let list = list.ok_or_else(ExecutionError::missing_argument_or_target)?;
    Ok(CowVal::Owned(with_times_as_text(list.as_ref())))
}

fn with_times_as_text<'v>(value: &(dyn Val + 'v)) -> Box<dyn Val + 'v> {
    if let Some(duration) = value.downcast_ref::<Duration>() {
        return Box::new(duration::text(duration));
    }
    if let Some(timestamp) = value.downcast_ref::<Timestamp>() {
        return Box::new(timestamp::text(timestamp));
    }
    match value.as_iterable() {
        Some(list) if value.get_type().kind() == Kind::List => {
            let mut items: Vec<Box<dyn Val + 'v>> = Vec::new();
            let mut iterator = list.iter();
            while let Some(item) = iterator.next() {
                items.push(with_times_as_text(item));
            }
            Box::new(CelList::from(items))
        }
        _ => value.clone_as_boxed(),
    }
}

fn matches(text: &CelString<'_>, pattern: &CelString<'_>) -> Result<CelBool, ExecutionError> {
    let regex = pattern::compile(pattern.inner())
        .map_err(|reason| ExecutionError::function_error("matches", reason))?;
    Ok(CelBool::from(regex.is_match(text.inner())))
}

fn index_of(
    text: &CelString<'_>,
    part: &CelString<'_>,
    offset: &CelInt,
) -> Result<CelInt, ExecutionError> {
    find(text, part, offset, "indexOf", |starts, offset| {
        starts.iter().find(|start| **start >= offset).copied()
    })
}

fn last_index_of(
    text: &CelString<'_>,
    part: &CelString<'_>,
    offset: &CelInt,
) -> Result<CelInt, ExecutionError> {
    find(text, part, offset, "lastIndexOf", |starts, offset| {
        starts.iter().rfind(|start| **start <= offset).copied()
    })
}

/// Chooses among the places, counted in characters, where `part` begins in `text`.
fn find(
    text: &CelString<'_>,
    part: &CelString<'_>,
    offset: &CelInt,
    function: &str,
    choose: impl Fn(&[usize], usize) -> Option<usize>,
) -> Result<CelInt, ExecutionError> {
    let Ok(offset) = usize::try_from(*offset.inner()) else {
        let reason = format!("the offset {} is negative", offset.inner());
        return Err(ExecutionError::function_error(function, reason));
    };
    let length = text.chars().count();
    let found = if part.is_empty() {
        Some(offset.min(length))
    } else if offset >= length {
        None
    } else {
        let places = text.char_indices().enumerate();
        let starts: Vec<usize> = places
            .filter(|(_, (byte, _))| text[*byte..].starts_with(part.inner()))
            .map(|(place, _)| place)
            .collect();
        choose(&starts, offset)
    };
    let found = found.and_then(|place| i64::try_from(place).ok());
    Ok(CelInt::from(found.unwrap_or(-1)))
}
