//! Label selectors, checked as apimachinery's `LabelSelectorAsSelector` checks them.

use std::collections::BTreeMap;

use super::fields::{Fields, Item, allowed};
use crate::diagnostic::Code;
use crate::expand::names;
use crate::model::{LabelSelector, Operator, Requirement};

const OPERATORS: &[(&str, Operator)] = &[
    ("In", Operator::In),
    ("NotIn", Operator::NotIn),
    ("Exists", Operator::Exists),
    ("DoesNotExist", Operator::DoesNotExist),
];

/// Reads a label selector.
pub(super) fn selector(item: &Item<'_>) -> Option<LabelSelector> {
    let mut fields = item.map()?;
    let selector = selector_fields(&mut fields);
    fields.finish();
    selector
}

/// Reads a label selector whose fields stand among others.
pub(super) fn selector_fields(fields: &mut Fields<'_>) -> Option<LabelSelector> {
    let mut match_labels = BTreeMap::new();
    if let Some(labels) = fields.optional("matchLabels") {
        for (key, value) in labels.entries()? {
            check_key(&value, key);
            if let Some(text) = value.string() {
                check_value(&value, text);
                match_labels.insert(key.to_owned(), text.to_owned());
            }
        }
    }
    let requirements: Vec<_> = match fields.optional("matchExpressions") {
        Some(list) => list.list()?.iter().map(requirement).collect(),
        None => Vec::new(),
    };
    Some(LabelSelector {
        match_labels,
        match_expressions: requirements.into_iter().collect::<Option<_>>()?,
    })
}

fn requirement(item: &Item<'_>) -> Option<Requirement> {
    let mut fields = item.map()?;
    let key = fields.required("key").and_then(|item| {
        let key = item.string()?;
        check_key(&item, key);
        Some(key.to_owned())
    });
    let operator = fields
        .required("operator")
        .and_then(|item| item.choice(OPERATORS));
    let list = fields.optional("values");
    let values = match &list {
        Some(list) => list.strings(),
        None => Some(Vec::new()),
    };
    fields.finish();
    let (operator, values) = (operator?, values?);
    let place = list.as_ref().unwrap_or(item);
    for value in &values {
        check_value(place, value);
    }
    let needs_values = matches!(operator, Operator::In | Operator::NotIn);
    if needs_values == values.is_empty() {
        let (is, expected) = if needs_values {
            ("needs `values`", "at least one value")
        } else {
            ("takes no `values`", "no `values`")
        };
        let name = OPERATORS.iter().find(|(_, each)| *each == operator);
        let name = name.map_or("", |(name, _)| name);
        place.push(
            place
                .error(
                    Code::InvalidSelector,
                    format!("the operator `{name}` of `{}` {is}", item.path),
                )
                .expected(expected),
        );
    }
    Some(Requirement {
        key: key?,
        operator,
        values,
    })
}

fn check_key(item: &Item<'_>, key: &str) {
    if let Err(error) = names::label_key(key) {
        item.push(
            item.error(Code::InvalidSelector, error.problem())
                .at(&item.key_location())
                .expected(allowed(&error)),
        );
    }
}

fn check_value(item: &Item<'_>, value: &str) {
    if let Err(error) = names::label_value(value) {
        item.push(
            item.error(Code::InvalidSelector, error.problem())
                .expected(allowed(&error)),
        );
    }
}
