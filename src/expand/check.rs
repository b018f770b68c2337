//! The checks of Greenhouse's admission on a Plugin's option values.
//!
//! Only declared options are checked; undeclared ones pass (in real presets nearly half are), but
//! must have a value when the release is made.

use super::options::Entry;
use crate::diagnostic::{Code, Diagnostic};
use crate::model::{Definition, OptionKind, OptionSpec};
use crate::yaml::Value;

/// The prefix by which Vault's values are known. They are handed on as they are.
pub const VAULT_PREFIX: &str = "vault+kvv2:///";

/// Every violation, in the order of the definition's options, then of the entries.
pub(super) fn check(definition: &Definition, entries: &[Entry<'_>]) -> Vec<Diagnostic> {
    let mut problems = Vec::new();
    for option in definition.options.as_deref().unwrap_or_default() {
        let mut given = false;
        for entry in entries.iter().filter(|entry| entry.name == option.name) {
            given = true;
            problems.extend(check_declared(option, entry));
        }
        if option.required && !given {
            problems.push(
                Diagnostic::error(
                    Code::RequiredOption,
                    format!(
                        "option `{}` is required by {}, and has no value",
                        option.name, definition.meta.name
                    ),
                )
                .expected(format!("a value of type {}", option.kind.as_str()))
                .hint(format!(
                    "declared at {}; add it to `optionValues`",
                    option.location
                )),
            );
        }
    }
    for entry in entries
        .iter()
        .filter(|entry| definition.option(&entry.name).is_none())
    {
        if entry.value.is_none() && entry.secret().is_none() {
            problems.push(one_source(entry));
        }
    }
    problems
}

fn check_declared(option: &OptionSpec, entry: &Entry<'_>) -> Option<Diagnostic> {
    let secret = option.kind == OptionKind::Secret;
    if entry.value.is_some() == entry.value_from.is_some() {
        let problem = one_source(entry);
        return Some(if secret {
            problem.confidential()
        } else {
            problem
        });
    }
    if secret {
        return check_secret(entry).map(Diagnostic::confidential);
    }
    let value = entry.value.as_deref()?;
    if fits(option.kind, value) {
        return None;
    }
    Some(place(
        Diagnostic::error(
            Code::OptionType,
            format!(
                "option `{}` has type {}, but its value is {}",
                option.name,
                option.kind.as_str(),
                describe(value)
            ),
        )
        .expected(match option.kind {
            OptionKind::String => "a string (quote it)".to_owned(),
            kind => format!("a value of type {}", kind.as_str()),
        }),
        entry,
    ))
}

fn check_secret(entry: &Entry<'_>) -> Option<Diagnostic> {
    if let Some(value) = entry.value.as_deref() {
        if value
            .as_str()
            .is_some_and(|text| text.contains(VAULT_PREFIX))
        {
            return None;
        }
        return Some(place(
            Diagnostic::error(
                Code::SecretValue,
                format!("option `{}` is a secret, but has a plain value", entry.name),
            )
            .expected(format!(
                "`valueFrom.secret`, or a value with `{VAULT_PREFIX}`"
            ))
            .hint("move the value to a Secret, and change it: it has been in a file"),
            entry,
        ));
    }
    let secret = entry.secret()?;
    let missing = if secret.name.is_empty() {
        "name"
    } else if secret.key.is_empty() {
        "key"
    } else {
        return None;
    };
    Some(place(
        Diagnostic::error(
            Code::OptionSource,
            format!(
                "option `{}` refers to a Secret without a {missing}",
                entry.name
            ),
        )
        .expected("`name` and `key` of a Secret"),
        entry,
    ))
}

/// Whether a value has a type, as Greenhouse's `IsValidValue` decides: any number is an int.
pub(super) fn fits(kind: OptionKind, value: &Value) -> bool {
    match kind {
        OptionKind::String | OptionKind::Secret => value.is_string(),
        OptionKind::Bool => value.is_boolean(),
        OptionKind::Int => value.is_number(),
        OptionKind::List => value.is_array(),
        OptionKind::Map => value.is_object(),
    }
}

fn one_source(entry: &Entry<'_>) -> Diagnostic {
    let message = match (entry.value.is_some(), entry.value_from.is_some()) {
        (true, true) => format!("option `{}` has both a value and valueFrom", entry.name),
        _ if entry.overrode.is_empty() => format!("option `{}` has no value", entry.name),
        // The reference itself is lost when it lands on a default: greenhouse.sap keeps only `value`.
        _ => format!(
            "option `{}` has a default, over which Greenhouse loses a valueFrom",
            entry.name
        ),
    };
    place(
        Diagnostic::error(Code::OptionSource, message)
            .expected("exactly one of `value` and `valueFrom.secret`"),
        entry,
    )
}

fn place(diagnostic: Diagnostic, entry: &Entry<'_>) -> Diagnostic {
    match entry.source.location {
        Some(location) => diagnostic.at(location),
        None => diagnostic,
    }
}

fn describe(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => format!("the boolean {value}"),
        Value::Number(value) => format!("the number {value}"),
        Value::String(_) => "a string".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "a map".to_owned(),
    }
}
