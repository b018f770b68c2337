//! What Helm's strvals, cel-go with sigs.k8s.io/yaml, and Kubernetes' validators answer.

use crate::support;

use coldframe::expand::expression::Expression;
use coldframe::expand::{names, strvals};
use coldframe::yaml::{Map, Value};

#[test]
fn every_vector_holds() {
    let Some(path) = support::shared("corpus/expected/vectors-strvals-expr-names.json") else {
        return;
    };
    let vectors: Vec<Value> =
        serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let mut wrong = Vec::new();
    for vector in &vectors {
        let expected = if vector.get("err").is_some() {
            None
        } else {
            Some(vector["out"].clone())
        };
        let found = match vector["op"].as_str().unwrap() {
            "strvals" => nested(&vector["values"], false),
            "strvals-sorted" => nested(&vector["values"], true),
            "expr" => evaluated(vector),
            "releaseName" => valid(names::release_name(name(vector))),
            "labelValue" => valid(names::label_value(name(vector))),
            "dns1123" => valid(names::dns1123_subdomain(name(vector))),
            other => panic!("unknown kind of vector {other}"),
        };
        if found != expected {
            wrong.push(format!(
                "{}: expected {expected:?}, found {found:?}",
                vector["id"]
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn name(vector: &Value) -> &str {
    vector["in"].as_str().unwrap_or_default()
}

fn valid<E>(result: Result<(), E>) -> Option<Value> {
    result.is_ok().then_some(Value::Bool(true))
}

fn nested(values: &Value, sorted: bool) -> Option<Value> {
    let mut values: Vec<&Value> = values.as_array().unwrap().iter().collect();
    if sorted {
        values.sort_by_key(|value| value["name"].as_str());
    }
    let mut result = Map::new();
    for value in values {
        let json: Value = serde_json::from_str(value["raw"].as_str().unwrap()).unwrap();
        strvals::set(&mut result, value["name"].as_str().unwrap(), &json).ok()?;
    }
    Some(Value::Object(result))
}

fn evaluated(vector: &Value) -> Option<Value> {
    let text = vector["expr"].as_str().unwrap_or_default();
    let globals = vector["data"]["global"]
        .as_object()
        .cloned()
        .unwrap_or_default();
    Expression::compile(text).ok()?.evaluate(&globals).ok()
}
