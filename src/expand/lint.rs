//! Warnings about a preset's values: what Greenhouse accepts, but hardly as it was meant.

use std::collections::{BTreeMap, BTreeSet};

use regex::Regex;

use super::check::fits;
use super::release::Subject;
use crate::diagnostic::{Code, Diagnostic, Diagnostics, did_you_mean};
use crate::model::{Cluster, Definition, OptionKind, OptionValue, Preset};

/// Looks at `subject` once, whatever the number of its clusters. `selected` are the clusters that
/// its selector matches.
pub fn lint(
    subject: Subject<'_>,
    definition: &Definition,
    selected: &[&Cluster],
    diagnostics: &mut Diagnostics,
) {
    let mut problems = Vec::new();
    duplicates(&subject.spec().options, &mut problems);
    let mut values: Vec<&OptionValue> = subject.spec().options.iter().collect();
    if let Subject::Preset(preset) = subject {
        overrides(preset, selected, &mut problems);
        values.extend(preset.overrides.iter().flat_map(|entry| &entry.overrides));
    }
    for value in values {
        sources(value, definition, &mut problems);
        declared(value, definition, &mut problems);
    }
    diagnostics.extend(
        problems
            .into_iter()
            .map(|problem| problem.about(&subject.object())),
    );
}

fn duplicates(options: &[OptionValue], problems: &mut Vec<Diagnostic>) {
    let mut seen = BTreeMap::new();
    for option in options {
        if let Some(first) = seen.insert(&option.name, &option.location) {
            problems.push(
                Diagnostic::warning(
                    Code::OverrideIgnored,
                    format!("option `{}` is given twice; this one wins", option.name),
                )
                .at(&option.location)
                .hint(format!(
                    "the other is at {first}; an override would change only the first"
                )),
            );
        }
    }
}

fn overrides(preset: &Preset, selected: &[&Cluster], problems: &mut Vec<Diagnostic>) {
    let selected: BTreeSet<&str> = selected
        .iter()
        .map(|cluster| cluster.meta.name.as_str())
        .collect();
    let mut seen = BTreeMap::new();
    for entry in &preset.overrides {
        let name = entry.cluster_name.as_str();
        if let Some(first) = seen.get(name) {
            problems.push(
                Diagnostic::warning(
                    Code::OverrideIgnored,
                    format!("the overrides for `{name}` are ignored: it has some already"),
                )
                .at(&entry.location)
                .hint(format!("merge them into those at {first}")),
            );
        } else if !selected.contains(name) {
            let mut diagnostic =
                Diagnostic::warning(Code::OverrideIgnored, format!("the overrides for `{name}` are ignored: the preset does not select that cluster"))
                    .at(&entry.location);
            diagnostic.hint = did_you_mean(name, selected.iter().copied());
            problems.push(diagnostic);
        }
        seen.entry(name).or_insert(&entry.location);
    }
}

fn sources(value: &OptionValue, definition: &Definition, problems: &mut Vec<Diagnostic>) {
    let ignored = match (&value.expression, &value.value, &value.value_from) {
        (Some(_), Some(_), _) => "`value` beside `expression`",
        (Some(_), _, Some(_)) => "`valueFrom` beside `expression`",
        (None, Some(_), Some(_)) if definition.option(&value.name).is_none() => {
            "`value` beside `valueFrom`"
        }
        _ => return,
    };
    problems.push(
        Diagnostic::warning(
            Code::OptionSource,
            format!("option `{}`: {ignored} is ignored", value.name),
        )
        .at(&value.location)
        .expected("exactly one of `value`, `valueFrom` and `expression`"),
    );
}

fn declared(value: &OptionValue, definition: &Definition, problems: &mut Vec<Diagnostic>) {
    let Some(option) = definition.option(&value.name) else {
        if let Some(meant) = typo(&value.name, definition) {
            problems.push(
                Diagnostic::warning(
                    Code::UndeclaredOption,
                    format!(
                        "{} declares no option `{}`; it is passed to the chart as it is",
                        definition.meta.name, value.name
                    ),
                )
                .at(&value.location)
                .hint(format!("did you mean `{meant}`?")),
            );
        }
        return;
    };
    let Some(given) = value
        .value
        .as_ref()
        .filter(|given| fits(option.kind, given))
    else {
        return;
    };
    if option.kind == OptionKind::Int && given.as_f64().is_some_and(|number| number.fract() != 0.0)
    {
        problems.push(
            Diagnostic::warning(
                Code::NotAnInteger,
                format!(
                    "option `{}` is an int, but its value is {given}; Greenhouse accepts it",
                    value.name
                ),
            )
            .at(&value.location)
            .expected("a whole number"),
        );
    }
    let pattern = option
        .regex
        .as_deref()
        .and_then(|pattern| Regex::new(pattern).ok());
    if let (Some(pattern), Some(text)) = (pattern, given.as_str())
        && option.kind != OptionKind::Secret
        && !pattern.is_match(text)
    {
        problems.push(
                Diagnostic::warning(
                    Code::RegexIgnored,
                    format!("the value of option `{}` does not match its regex `{pattern}`; Greenhouse never checks it", value.name),
                )
                .at(&value.location),
            );
    }
}

/// A declared option that an undeclared name differs from by one slip, not in a number.
fn typo<'a>(name: &str, definition: &'a Definition) -> Option<&'a str> {
    let without_digits = |text: &str| {
        text.chars()
            .filter(|c| !c.is_ascii_digit())
            .collect::<String>()
    };
    definition
        .options
        .iter()
        .flatten()
        .map(|option| option.name.as_str())
        .filter(|declared| without_digits(declared) != without_digits(name))
        .find(|declared| {
            declared.eq_ignore_ascii_case(name)
                || (declared.len() > 4
                    && strsim::damerau_levenshtein(name, declared)
                        <= 1 + usize::from(declared.len() > 16))
        })
}
