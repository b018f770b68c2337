//! Judges rendered objects by the CRDs of Flux and Flagger: what an API server would refuse, and what it
//! would silently prune, is a fault.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Map, Value, json};

/// Kinds of these versions have no CRD among those of Flux and Flagger; only their metadata is judged.
const OTHERS: [&str; 2] = ["coldframe.dev/v1alpha1", "greenhouse.sap/v1alpha1"];

/// The CRDs of one folder.
pub struct Crds(BTreeMap<(String, String), Crd>);

struct Crd {
    open_api: Value,
    json_schema: jsonschema::Validator,
}

impl Crds {
    /// Reads the CRDs in the YAML files of `folder`; folders in it are not read.
    pub fn read(folder: &Path) -> Self {
        let mut crds = BTreeMap::from([(
            ("v1".to_owned(), "ConfigMap".to_owned()),
            Crd::new(config_map()),
        )]);
        for file in std::fs::read_dir(folder).unwrap() {
            let file = file.unwrap().path();
            if file.extension().is_none_or(|extension| extension != "yaml") {
                continue;
            }
            for crd in super::documents(&std::fs::read_to_string(&file).unwrap()) {
                let spec = &crd["spec"];
                for version in spec["versions"].as_array().unwrap() {
                    if version["served"] == json!(true) {
                        let api_version =
                            format!("{}/{}", text(&spec["group"]), text(&version["name"]));
                        let kind = text(&spec["names"]["kind"]);
                        let schema = version["schema"]["openAPIV3Schema"].clone();
                        crds.insert((api_version, kind), Crd::new(schema));
                    }
                }
            }
        }
        Self(crds)
    }

    /// What is wrong with `object`.
    pub fn faults(&self, object: &Value) -> Vec<String> {
        let api_version = text(&object["apiVersion"]);
        let kind = text(&object["kind"]);
        if OTHERS.contains(&api_version.as_str()) {
            let metadata = json!({"properties": {"metadata": metadata(&["name"])}});
            return schema_faults(&jsonschema::validator_for(&metadata).unwrap(), object);
        }
        let Some(crd) = self.0.get(&(api_version.clone(), kind.clone())) else {
            return vec![format!("no CRD serves {kind} in {api_version}")];
        };
        let mut faults = schema_faults(&crd.json_schema, object);
        rule_faults(&crd.open_api, object, "", &mut faults);
        faults
    }
}

impl Crd {
    fn new(open_api: Value) -> Self {
        let mut schema = open_api.clone();
        close(&mut schema);
        let properties = schema["properties"].as_object_mut().unwrap();
        properties.insert("metadata".to_owned(), metadata(&["name", "namespace"]));
        // Controllers write it; in a rendered object it would be a mistake.
        properties.remove("status");
        let json_schema = jsonschema::validator_for(&schema).unwrap();
        Self {
            open_api,
            json_schema,
        }
    }
}

fn schema_faults(schema: &jsonschema::Validator, object: &Value) -> Vec<String> {
    schema
        .iter_errors(object)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect()
}

/// Turns a structural OpenAPI schema into a JSON Schema that admits what an API server stores unchanged.
fn close(schema: &mut Value) {
    let Some(schema) = schema.as_object_mut() else {
        return;
    };
    let keeps_unknown = flag(schema, "x-kubernetes-preserve-unknown-fields");
    if schema.get("type") == Some(&json!("object"))
        && !keeps_unknown
        && !schema.contains_key("additionalProperties")
    {
        schema.insert("additionalProperties".to_owned(), json!(false));
    }
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.values_mut().for_each(close);
    }
    for inner in ["items", "additionalProperties"] {
        if let Some(inner) = schema.get_mut(inner) {
            close(inner);
        }
    }
    if flag(schema, "x-kubernetes-int-or-string") {
        schema.insert("type".to_owned(), json!(["integer", "string"]));
    }
    if flag(schema, "nullable") {
        let open = Value::Object(std::mem::take(schema));
        schema.insert("anyOf".to_owned(), json!([{"type": "null"}, open]));
    }
}

fn flag(schema: &Map<String, Value>, name: &str) -> bool {
    schema.get(name) == Some(&json!(true))
}

/// Evaluates the CEL rules of `schema` and of what is in it on `value`.
fn rule_faults(schema: &Value, value: &Value, path: &str, faults: &mut Vec<String>) {
    for rule in schema["x-kubernetes-validations"]
        .as_array()
        .into_iter()
        .flatten()
    {
        let program = cel::Program::compile(&text(&rule["rule"])).unwrap();
        let mut context = cel::Context::default();
        context.add_variable_from_value("self", cel::to_value(value).unwrap());
        if program.execute(&context) != Ok(cel::Value::Bool(true)) {
            faults.push(format!("{path}: {}", text(&rule["message"])));
        }
    }
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                let known = &schema["properties"][name];
                let inner = if known.is_null() {
                    &schema["additionalProperties"]
                } else {
                    known
                };
                rule_faults(inner, field, &format!("{path}/{name}"), faults);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                rule_faults(&schema["items"], item, &format!("{path}/{index}"), faults);
            }
        }
        _ => {}
    }
}

/// What Kubernetes asks of the metadata that a manifest gives.
fn metadata(required: &[&str]) -> Value {
    let key =
        r"^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$";
    json!({
        "type": "object",
        "required": required,
        "additionalProperties": false,
        "properties": {
            "name": {"type": "string", "maxLength": 253, "pattern": r"^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$"},
            "namespace": {"type": "string", "maxLength": 63, "pattern": r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"},
            "labels": {
                "type": "object",
                "propertyNames": {"pattern": key},
                "additionalProperties": {
                    "type": "string",
                    "maxLength": 63,
                    "pattern": r"^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$",
                },
            },
            "annotations": {
                "type": "object",
                "propertyNames": {"pattern": key},
                "additionalProperties": {"type": "string"},
            },
        },
    })
}

fn config_map() -> Value {
    json!({
        "type": "object",
        "required": ["data"],
        "properties": {
            "apiVersion": {"type": "string"},
            "kind": {"type": "string"},
            "metadata": {"type": "object"},
            "data": {"type": "object", "additionalProperties": {"type": "string"}},
        },
    })
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
