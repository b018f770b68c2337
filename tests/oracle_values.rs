//! Option names, expressions and names against what Greenhouse, Helm and Kubernetes make of them.
//!
//! The vectors are data beside the repository, and this test is skipped where they are not.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "these are tests")]

use std::path::PathBuf;

use coldframe::expand::expression::Expression;
use coldframe::expand::{names, strvals};
use serde_json::{Map, Value};

#[expect(clippy::disallowed_methods, reason = "a test finds and reads its data")]
fn vectors() -> Vec<Value> {
    let shared = std::env::var("COLDFRAME_SHARED").map_or_else(
        |_| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared"),
        PathBuf::from,
    );
    let path = shared.join("corpus/expected/vectors-strvals-expr-names.json");
    if let Ok(text) = std::fs::read_to_string(&path) {
        serde_json::from_str(&text).unwrap()
    } else {
        println!("SKIPPED: {} is not there", path.display());
        Vec::new()
    }
}

/// The value with all numbers as floats: whole ones are equal in either form, as in JSON.
fn as_json(value: &Value) -> Value {
    match value {
        Value::Number(number) => number.as_f64().into(),
        Value::Array(items) => items.iter().map(as_json).collect(),
        Value::Object(map) => Value::Object(
            map.iter()
                .map(|(key, value)| (key.clone(), as_json(value)))
                .collect(),
        ),
        other => other.clone(),
    }
}

fn nested(vector: &Value, sorted: bool) -> Result<Value, String> {
    let mut options: Vec<(&str, Value)> = vector["values"]
        .as_array()
        .unwrap()
        .iter()
        .map(|option| {
            let raw = option["raw"].as_str().unwrap();
            let value = serde_json::from_str(raw).unwrap();
            (option["name"].as_str().unwrap(), value)
        })
        .collect();
    if sorted {
        options.sort_by_key(|(name, _)| *name);
    }
    let mut values = Map::new();
    for (name, value) in &options {
        strvals::set(&mut values, name, value).map_err(|error| error.to_string())?;
    }
    Ok(Value::Object(values))
}

fn evaluated(vector: &Value) -> Result<Value, String> {
    let globals = vector["data"]["global"].as_object().unwrap();
    Expression::compile(vector["expr"].as_str().unwrap_or_default())
        .and_then(|expression| expression.evaluate(globals))
        .map_err(|error| error.to_string())
}

fn valid<E: ToString>(result: Result<(), E>) -> Result<Value, String> {
    result
        .map(|()| Value::Bool(true))
        .map_err(|error| error.to_string())
}

#[test]
fn every_vector_holds() {
    let mut failures = Vec::new();
    for vector in vectors() {
        let text = vector["in"].as_str().unwrap_or_default();
        let found = match vector["op"].as_str().unwrap() {
            "strvals" => nested(&vector, false),
            "strvals-sorted" => nested(&vector, true),
            "expr" => evaluated(&vector),
            "releaseName" => valid(names::release_name(text)),
            "labelValue" => valid(names::label_value(text)),
            "dns1123" => valid(names::dns1123_subdomain(text)),
            other => panic!("an operation that is not known: {other}"),
        };
        let holds = match &found {
            Ok(value) => vector.get("err").is_none() && as_json(value) == as_json(&vector["out"]),
            Err(_) => vector.get("err").is_some(),
        };
        if !holds {
            failures.push(format!("{}: {found:?}", vector["id"]));
        }
    }
    assert_eq!(failures, Vec::<String>::new());
}
