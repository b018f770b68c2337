//! What becomes of a preset's option values, rule by rule. Each is Greenhouse v0.16's.

use coldframe::diagnostic::{Code, Diagnostics};
use coldframe::load::{LoadOptions, load_text};
use coldframe::model::Settings;
use coldframe::render::{Engine, Renderer, resolve};
use serde_json::{Value, json};

use crate::support::settings;

/// One cluster `eu-1`, one definition with `options`, one preset with `plugin` and more of `spec`.
fn manifests(options: &Value, option_values: &Value, spec: &Value) -> String {
    let mut preset = json!({
        "clusterSelector": {"matchLabels": {"greenhouse.sap/cluster": "eu-1"}},
        "plugin": {"pluginDefinitionRef": {"name": "app"}, "optionValues": option_values},
    });
    merge(&mut preset, spec);
    let objects = [
        json!({
            "apiVersion": "greenhouse.sap/v1alpha1", "kind": "Cluster", "spec": {"accessMode": "direct"},
            "metadata": {"name": "eu-1", "labels": {"metadata.greenhouse.sap/region": "eu-de-1"}},
        }),
        json!({
            "apiVersion": "greenhouse.sap/v1alpha1", "kind": "PluginDefinition", "metadata": {"name": "app"},
            "spec": {
                "version": "1.0.0", "options": options,
                "helmChart": {"name": "app", "repository": "oci://charts.example.com", "version": "1.0.0"},
            },
        }),
        json!({
            "apiVersion": "greenhouse.sap/v1alpha1", "kind": "PluginPreset", "spec": preset,
            "metadata": {"name": "app", "labels": {"greenhouse.sap/owned-by": "team"}},
        }),
    ];
    objects
        .iter()
        .map(|object| format!("---\n{object}\n"))
        .collect()
}

fn merge(into: &mut Value, from: &Value) {
    match (into, from) {
        (Value::Object(into), Value::Object(from)) => {
            for (key, value) in from {
                merge(into.entry(key).or_insert(Value::Null), value);
            }
        }
        (into, from) => *into = from.clone(),
    }
}

type Expanded = Result<(Value, Vec<String>), Vec<Code>>;

fn expand_with(options: &Value, option_values: &Value, spec: &Value) -> Expanded {
    let loaded = load_text(
        "in.yaml",
        manifests(options, option_values, spec),
        &LoadOptions::default(),
    );
    assert!(!loaded.diagnostics.has_errors(), "{:?}", loaded.diagnostics);
    let settings = Settings {
        base_domain: "example.com".into(),
        ..settings(&loaded)
    };
    let engine = Engine::new(&[]).unwrap();
    let mut diagnostics = Diagnostics::new();
    let resolved = resolve(&loaded.world, &mut diagnostics);
    let renderer = Renderer::new(
        &loaded.world,
        &settings,
        &engine,
        &resolved,
        &mut diagnostics,
    );
    match renderer.expand(&renderer.jobs()[0]) {
        Ok(release) => {
            let from = release
                .values_from()
                .map(|(option, secret)| format!("{option} = {}/{}", secret.name, secret.key));
            Ok((Value::Object(release.values.clone()), from.collect()))
        }
        Err(problems) => Err(problems.iter().map(|problem| problem.code).collect()),
    }
}

/// The values without the injected ones.
fn values(options: Value, option_values: Value) -> Result<Value, Vec<Code>> {
    expand_with(&options, &option_values, &json!({})).map(|(mut values, _)| {
        values.as_object_mut().unwrap().remove("global");
        values
    })
}

fn option(name: &str, kind: &str, default: Value) -> Value {
    json!({"name": name, "type": kind, "required": false, "default": default})
}

#[test]
fn a_value_takes_the_place_of_the_default() {
    let options = json!([
        option("a", "string", json!("d")),
        option("b", "int", json!(1))
    ]);
    assert_eq!(
        values(options, json!([{"name": "a", "value": "v"}])),
        Ok(json!({"a": "v", "b": 1}))
    );
}

#[test]
fn a_null_default_is_none() {
    assert_eq!(
        values(json!([option("a", "string", Value::Null)]), json!([])),
        Ok(json!({}))
    );
}

#[test]
fn undeclared_options_are_passed_through() {
    assert_eq!(
        values(json!([]), json!([{"name": "x.y[1]", "value": {"z": [1]}}])),
        Ok(json!({"x": {"y": [null, {"z": [1]}]}}))
    );
}

#[test]
fn values_are_applied_by_name_where_the_definition_has_options() {
    let given = json!([{"name": "z.b", "value": 1}, {"name": "z", "value": {"c": 2}}]);
    assert_eq!(values(json!([]), given), Ok(json!({"z": {"b": 1, "c": 2}})));
}

#[test]
fn values_are_applied_as_given_where_the_definition_has_no_options() {
    let given = json!([{"name": "z.b", "value": 1}, {"name": "z", "value": {"c": 2}}]);
    assert_eq!(values(Value::Null, given), Ok(json!({"z": {"c": 2}})));
}

#[test]
fn of_two_values_for_one_option_the_last_wins() {
    assert_eq!(
        values(
            json!([]),
            json!([{"name": "a", "value": 1}, {"name": "a", "value": 2}])
        ),
        Ok(json!({"a": 2}))
    );
}

#[test]
fn a_value_cannot_lead_into_a_scalar() {
    let given = json!([{"name": "a", "value": 1}, {"name": "a.b", "value": 1}]);
    assert_eq!(values(json!([]), given), Err(vec![Code::OptionPath]));
}

#[test]
fn the_first_list_of_overrides_for_a_cluster_counts() {
    let spec = json!({"clusterOptionOverrides": [
        {"clusterName": "eu-2", "overrides": [{"name": "a", "value": 0}]},
        {"clusterName": "eu-1", "overrides": [{"name": "a", "value": 2}, {"name": "new", "value": true}]},
        {"clusterName": "eu-1", "overrides": [{"name": "a", "value": 3}]},
    ]});
    let (values, _) = expand_with(&json!([]), &json!([{"name": "a", "value": 1}]), &spec).unwrap();
    assert_eq!((&values["a"], &values["new"]), (&json!(2), &json!(true)));
}

#[test]
fn an_override_replaces_only_the_first_value_of_its_name() {
    let spec = json!({"clusterOptionOverrides": [{"clusterName": "eu-1", "overrides": [{"name": "a", "value": "override"}]}]});
    let given = json!([{"name": "a", "value": "first"}, {"name": "a", "value": "second"}]);
    assert_eq!(
        expand_with(&json!([]), &given, &spec).unwrap().0["a"],
        json!("second")
    );
}

#[test]
fn an_override_replaces_a_reference_too() {
    let spec = json!({"clusterOptionOverrides": [{"clusterName": "eu-1", "overrides": [{"name": "a", "value": "plain"}]}]});
    let given = json!([{"name": "a", "valueFrom": {"secret": {"name": "s", "key": "k"}}}]);
    let (values, from) = expand_with(&json!([]), &given, &spec).unwrap();
    assert_eq!((&values["a"], from.len()), (&json!("plain"), 0));
}

#[test]
fn injected_values_win_over_given_ones() {
    let given = json!([
        {"name": "global.greenhouse.clusterName", "value": "mine"},
        {"name": "global.greenhouse.custom", "value": "kept"},
        {"name": "global.greenhouse.teamNames", "value": ["dropped"]},
    ]);
    let (values, _) = expand_with(&json!([]), &given, &json!({})).unwrap();
    let expected = json!({
        "baseDomain": "example.com", "clusterName": "eu-1", "custom": "kept",
        "metadata": {"region": "eu-de-1"}, "organizationName": "default",
    });
    assert_eq!(values["global"]["greenhouse"], expected);
}

#[test]
fn a_secret_becomes_a_reference_and_no_value() {
    let options = json!([{"name": "token", "type": "secret", "required": true}]);
    let given = json!([{"name": "token", "valueFrom": {"secret": {"name": "s", "key": "k"}}}]);
    let (values, from) = expand_with(&options, &given, &json!({})).unwrap();
    assert_eq!(
        (values.get("token"), from),
        (None, vec!["token = s/k".to_owned()])
    );
}

#[test]
fn a_secret_has_a_reference_or_a_value_from_vault() {
    let options = json!([{"name": "token", "type": "secret", "required": false}]);
    let vault = json!([{"name": "token", "value": "vault+kvv2:///path/key"}]);
    assert_eq!(
        values(options.clone(), vault),
        Ok(json!({"token": "vault+kvv2:///path/key"}))
    );
    assert_eq!(
        values(options, json!([{"name": "token", "value": "plain"}])),
        Err(vec![Code::SecretValue])
    );
}

#[test]
fn a_reference_over_a_default_is_lost() {
    let given = json!([{"name": "a", "valueFrom": {"secret": {"name": "s", "key": "k"}}}]);
    assert_eq!(
        values(json!([option("a", "string", json!("d"))]), given),
        Err(vec![Code::OptionSource])
    );
}

#[test]
fn a_required_option_needs_a_value_or_a_default() {
    let mut required = option("a", "string", Value::Null);
    required["required"] = json!(true);
    assert_eq!(
        values(json!([required]), json!([])),
        Err(vec![Code::RequiredOption])
    );
    required["default"] = json!("d");
    assert_eq!(values(json!([required]), json!([])), Ok(json!({"a": "d"})));
}

#[test]
fn a_value_has_the_declared_type() {
    for (kind, good, bad) in [
        ("string", json!("x"), json!(1)),
        ("bool", json!(true), json!("true")),
        ("int", json!(3.5), json!("3")),
        ("list", json!([]), json!({})),
        ("map", json!({}), json!([])),
    ] {
        let options = json!([{"name": "a", "type": kind, "required": false}]);
        assert_eq!(
            values(options.clone(), json!([{"name": "a", "value": good}])),
            Ok(json!({"a": good})),
            "{kind}"
        );
        assert_eq!(
            values(options, json!([{"name": "a", "value": bad}])),
            Err(vec![Code::OptionType]),
            "{kind}"
        );
    }
}

#[test]
fn a_null_is_no_value() {
    assert_eq!(
        values(json!([]), json!([{"name": "a", "value": null}])),
        Err(vec![Code::OptionSource])
    );
}

#[test]
fn an_expression_is_evaluated_for_the_cluster_and_read_as_yaml() {
    let given = json!([
        {"name": "host", "expression": "app.${global.greenhouse.clusterName}.${global.greenhouse.baseDomain}"},
        {"name": "labels", "expression": "region: ${global.greenhouse.metadata.region}\nowner: ${global.greenhouse.ownedBy}"},
        {"name": "count", "expression": "${1 + 1}"},
    ]);
    let expected = json!({"host": "app.eu-1.example.com", "labels": {"region": "eu-de-1", "owner": "team"}, "count": 2});
    assert_eq!(values(json!([]), given), Ok(expected));
}

#[test]
fn an_expression_that_fails_is_the_only_error_of_its_option() {
    let options = json!([{"name": "a", "type": "string", "required": true}]);
    let given = json!([{"name": "a", "expression": "${global.greenhouse.metadata.absent}"}]);
    assert_eq!(values(options, given), Err(vec![Code::ExpressionFailed]));
}

#[test]
fn valuefrom_ref_is_not_supported() {
    let given = json!([{"name": "a", "valueFrom": {"ref": {"kind": "PluginPreset", "name": "x", "expression": "spec"}}}]);
    assert_eq!(
        values(json!([]), given),
        Err(vec![Code::ReferenceUnsupported])
    );
}
