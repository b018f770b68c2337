//! The kinds of Greenhouse.

use rstest::rstest;

use super::{fine, hints, problems, text, wrong};
use crate::model::{DefinitionKind, Operator, ValueFrom, label};
use crate::yaml::Value;

/// A preset whose `spec.plugin`, and what follows it, is `rest`.
fn preset(rest: &str) -> String {
    format!(
        "\
apiVersion: greenhouse.sap/v1alpha1
kind: PluginPreset
metadata: {{name: p}}
spec:
  clusterSelector: {{matchLabels: {{tier: qa}}}}
{rest}"
    )
}

/// A definition whose `spec` is `spec`.
pub(super) fn definition(spec: &str) -> String {
    format!(
        "\
apiVersion: greenhouse.sap/v1alpha1
kind: PluginDefinition
metadata: {{name: d}}
spec:
{spec}"
    )
}

pub(super) const CHART: &str = "  version: 1.0.0
  helmChart: {name: c, repository: oci://r.example.com/x, version: 1.0.0}
";

/// A cluster with these labels.
fn cluster(labels: &str) -> String {
    format!(
        "\
apiVersion: greenhouse.sap/v1alpha1
kind: Cluster
metadata:
  name: c
  labels: {{{labels}}}
spec: {{accessMode: direct}}
"
    )
}

#[test]
fn a_cluster_gets_the_label_that_greenhouse_defaults() {
    let world = fine(&cluster("tier: qa"));
    let cluster = &world.clusters[&("acme".into(), "c".into())];
    assert_eq!(cluster.meta.labels[label::CLUSTER], "c");
    assert_eq!(cluster.meta.labels["tier"], "qa");
    assert_eq!(world.clusters_seen, 1);
}

#[rstest]
#[case(
    "ha: no",
    "error WrongType 5:16 `metadata.labels.ha` is a boolean: YAML 1.1 reads the word `no` as false",
    "quote it: \"no\""
)]
#[case(
    "ha: on, x: y",
    "error WrongType 5:16 `metadata.labels.ha` is a boolean: YAML 1.1 reads the word `on` as true",
    "quote it: \"on\""
)]
#[case(
    "v: 1.20",
    "error WrongType 5:15 `metadata.labels.v` is a number: YAML 1.1 reads the word `1.20` as 1.2",
    "quote it: \"1.20\""
)]
#[case(
    "v: 3",
    "error WrongType 5:15 `metadata.labels.v` is a number: `3` without quotes",
    "quote it: \"3\""
)]
fn a_label_that_yaml_reads_as_something_else_is_an_error(
    #[case] labels: &str,
    #[case] expected: &str,
    #[case] hint: &str,
) {
    let loaded = text(&cluster(labels));
    assert_eq!(problems(&loaded)[0], expected);
    assert_eq!(hints(&loaded)[0], hint);
    assert!(loaded.world.clusters.is_empty());
    assert_eq!(loaded.world.clusters_seen, 1);
}

#[test]
fn labels_are_those_that_kubernetes_allows() {
    wrong(
        &cluster("tier: a b"),
        "error InvalidName 5:18 `metadata.labels.tier`: `a b` cannot be the value of a label, it contains ` `",
    );
    wrong(
        &cluster("a/b/c: x"),
        "error InvalidName 5:12 `metadata.labels`: `a/b/c` cannot be the key of a label, after the `/`, it contains `/`",
    );
}

#[rstest]
#[case(
    "name: double--dash",
    "`double--dash` cannot be the name of a Cluster, two `-` follow each other"
)]
#[case(
    "name: a-name-that-is-longer-than-forty-characters",
    "`a-name-that-is-longer-than-forty-characters` cannot be the name of a Cluster, it has 43 characters"
)]
#[case(
    "name: UPPER",
    "`UPPER` cannot be the name of an object, it contains `U`"
)]
fn the_name_of_a_cluster_is_checked(#[case] name: &str, #[case] message: &str) {
    let yaml = format!(
        "apiVersion: greenhouse.sap/v1alpha1\nkind: Cluster\nmetadata:\n  {name}\nspec: {{accessMode: direct}}\n"
    );
    wrong(
        &yaml,
        &format!("error InvalidName 4:9 `metadata.name`: {message}"),
    );
}

#[test]
fn a_preset_is_read_with_everything_it_has() {
    let yaml = preset(
        "  updateDelay: 36h
  waitFor: [{pluginRef: {name: a}}, {pluginRef: {pluginPreset: b}}]
  plugin:
    pluginDefinition: {name: d, kind: ClusterPluginDefinition, version: ^1.2}
    releaseName: r
    releaseNamespace: ns
    optionValues:
    - {name: a.b, value: null}
    - {name: c, valueFrom: {secret: {name: s, key: k}}}
    - {name: d, valueFrom: {ref: {kind: Plugin, name: x, expression: y}}}
    - {name: e, expression: '${global.greenhouse.clusterName}'}
    ignoreDifferences: [{kind: Deployment, paths: [/spec/replicas]}]
  clusterOptionOverrides:
  - clusterName: c
    overrides: [{name: a, value: [1]}]
",
    );
    let world = fine(&yaml);
    let preset = &world.presets[&("acme".into(), "p".into())];
    assert_eq!(
        preset.plugin.definition.kind,
        DefinitionKind::ClusterPluginDefinition
    );
    let version = preset.version.as_ref().unwrap();
    assert_eq!((version.text.as_str(), version.location.line), ("^1.2", 9));
    assert_eq!(
        preset.update_delay,
        Some(jiff::SignedDuration::from_hours(36))
    );
    let [a, c, d, e] = preset.plugin.options.as_slice() else {
        panic!()
    };
    assert_eq!(a.value, Some(Value::Null));
    assert!(matches!(c.value_from, Some(ValueFrom::Secret(_))));
    assert_eq!(d.value_from, Some(ValueFrom::Unsupported));
    assert_eq!(
        e.expression.as_deref(),
        Some("${global.greenhouse.clusterName}")
    );
    assert_eq!(preset.overrides[0].overrides[0].location.line, 20);
    assert_eq!(
        preset.plugin.wait_for[1].plugin_preset.as_deref(),
        Some("b")
    );
}

#[rstest]
#[case("{pluginDefinitionRef: {name: d}}", None)]
#[case("{pluginDefinitionRef: {name: d, version: 1.2.3}}", Some("1.2.3"))]
#[case("{pluginDefinitionRef: {name: d}, version: 1.2.x}", Some("1.2.x"))]
#[case("{pluginDefinition: {name: d, version: v1.0.0}}", Some("v1.0.0"))]
#[case("{pluginDefinition: d}", None)]
#[case("{pluginDefinition: d, pluginDefinitionRef: {name: d}}", None)]
fn a_definition_can_be_named_in_three_ways(#[case] plugin: &str, #[case] version: Option<&str>) {
    let world = fine(&preset(&format!("  plugin: {plugin}\n")));
    let preset = &world.presets[&("acme".into(), "p".into())];
    assert_eq!(preset.plugin.definition.name, "d");
    assert_eq!(
        preset.version.as_ref().map(|version| version.text.as_str()),
        version
    );
}

#[rstest]
#[case(
    "{}",
    "error MissingField 6:3 `spec.plugin.pluginDefinitionRef` is missing"
)]
#[case(
    "{pluginDefinitionRef: {kind: PluginDefinition}}",
    "error MissingField 6:12 `spec.plugin.pluginDefinitionRef.name` is missing"
)]
#[case(
    "{pluginDefinitionRef: {name: ''}}",
    "error InvalidValue 6:40 `spec.plugin.pluginDefinitionRef.name` is empty"
)]
#[case(
    "{pluginDefinitionRef: {name: d, kind: Chart}}",
    "error InvalidValue 6:49 `spec.plugin.pluginDefinitionRef.kind` is `Chart`"
)]
#[case(
    "{pluginDefinition: {name: d, version: 1.2}}",
    "error WrongType 6:49 `spec.plugin.pluginDefinition.version` is a number: `1.2` without quotes"
)]
#[case(
    "{pluginDefinition: {name: d, version: ''}}",
    "error InvalidConstraint 6:49 `spec.plugin.pluginDefinition.version`: `` is not a version constraint: expected a version or a constraint at the end"
)]
#[case(
    "{pluginDefinition: d, pluginDefinitionRef: {name: e}}",
    "error ConflictingSettings 6:54 `spec.plugin.pluginDefinition` and `spec.plugin.pluginDefinitionRef` differ"
)]
#[case(
    "{pluginDefinition: {name: d, version: 1.2.3}, version: ^1}",
    "error ConflictingSettings 6:66 `spec.plugin.pluginDefinition.version` and `spec.plugin.version` differ"
)]
#[case(
    "{pluginDefinition: d, releaseName: Not_Valid}",
    "error InvalidReleaseName 6:46 `spec.plugin.releaseName`: `Not_Valid` cannot be the name of a Helm release, it contains `N`"
)]
#[case(
    "{pluginDefinition: d, deletionPolicy: Keep}",
    "error InvalidValue 6:49 `spec.plugin.deletionPolicy` is `Keep`"
)]
#[case(
    "{pluginDefinition: d, optionValues: {a: 1}}",
    "error WrongType 6:47 `spec.plugin.optionValues` is a map"
)]
#[case(
    "{pluginDefinition: d, optionValues: [{value: 1}]}",
    "error MissingField 6:48 `spec.plugin.optionValues[0].name` is missing"
)]
#[case(
    "{pluginDefinition: d, optionValues: [{name: a, valueFrom: {}}]}",
    "error MissingField 6:58 `spec.plugin.optionValues[0].valueFrom.secret` is missing"
)]
#[case(
    "{pluginDefinition: d, optionValues: [{name: a, valueFrom: {secret: {name: s, key: k}, ref: {}}}]}",
    "error OptionSource 6:102 `spec.plugin.optionValues[0].valueFrom` has both `secret` and `ref`"
)]
fn what_is_wrong_with_a_plugin_is_said_where_it_stands(
    #[case] plugin: &str,
    #[case] expected: &str,
) {
    wrong(&preset(&format!("  plugin: {plugin}\n")), expected);
}

#[test]
fn what_greenhouse_prunes_is_a_warning_that_says_where_it_belongs() {
    let yaml = preset(
        "  plugin:
    pluginDefinitionRef: {name: d}
    clusterOptionOverrides: []
    optionValue: []
",
    );
    let loaded = text(&yaml);
    assert_eq!(
        problems(&loaded),
        [
            "warning PrunedField 8:5 `spec.plugin` has no field `clusterOptionOverrides`: Greenhouse drops it without a word",
            "warning PrunedField 9:5 `spec.plugin` has no field `optionValue`: Greenhouse drops it without a word",
        ]
    );
    assert_eq!(
        hints(&loaded),
        [
            "move it to `spec.clusterOptionOverrides`",
            "did you mean `optionValues`?"
        ]
    );
    assert_eq!(loaded.world.presets.len(), 1);
}

#[rstest]
#[case("{}", "error InvalidSelector 5:20 `spec.clusterSelector` is empty")]
#[case(
    "{matchLabels: {a: b c}}",
    "error InvalidSelector 5:38 `b c` cannot be the value of a label, it contains ` `"
)]
#[case(
    "{matchExpressions: [{key: a, operator: Is}]}",
    "error InvalidValue 5:59 `spec.clusterSelector.matchExpressions[0].operator` is `Is`"
)]
#[case(
    "{matchExpressions: [{key: a, operator: In}]}",
    "error InvalidSelector 5:40 the operator `In` of `spec.clusterSelector.matchExpressions[0]` needs `values`"
)]
#[case(
    "{matchExpressions: [{key: a, operator: Exists, values: [b]}]}",
    "error InvalidSelector 5:75 the operator `Exists` of `spec.clusterSelector.matchExpressions[0]` takes no `values`"
)]
fn a_selector_is_checked_as_kubernetes_checks_it(#[case] selector: &str, #[case] expected: &str) {
    let yaml =
        preset("  plugin: {pluginDefinition: d}\n").replace("{matchLabels: {tier: qa}}", selector);
    wrong(&yaml, expected);
}

#[test]
fn a_selector_with_expressions_is_read() {
    let yaml = preset("  plugin: {pluginDefinition: d}\n").replace(
        "{matchLabels: {tier: qa}}",
        "{matchExpressions: [{key: a, operator: NotIn, values: [b, c]}]}",
    );
    let world = fine(&yaml);
    let requirement = &world.presets[&("acme".into(), "p".into())]
        .cluster_selector
        .match_expressions[0];
    assert_eq!(requirement.operator, Operator::NotIn);
    assert_eq!(requirement.values, ["b", "c"]);
}

#[test]
fn wait_for_names_exactly_one_thing_each_time() {
    let yaml = preset(
        "  plugin: {pluginDefinition: d}
  waitFor:
  - pluginRef: {name: x, pluginPreset: other}
  - pluginRef: {}
  - pluginRef: {name: z}
  - pluginRef: {name: z}
",
    );
    assert_eq!(
        problems(&text(&yaml)),
        [
            "error WaitFor 8:5 `spec.waitFor[0].pluginRef` has both `name` and `pluginPreset`",
            "error WaitFor 9:5 `spec.waitFor[1].pluginRef` has neither `name` nor `pluginPreset`",
            "error WaitFor 11:5 `spec.waitFor[3].pluginRef` names `z` for the second time",
        ]
    );
}

#[test]
fn a_setting_can_be_an_annotation() {
    let yaml = preset("  plugin: {pluginDefinition: d}\n").replace(
        "{name: p}",
        "{name: p, annotations: {coldframe.dev/version: ^1.2, coldframe.dev/update-delay: 7d, coldframe.dev/policy: slow, coldframe.dev/accept-breaking: 2.0.0}}",
    );
    let world = fine(&yaml);
    let preset = &world.presets[&("acme".into(), "p".into())];
    assert_eq!(preset.version.as_ref().unwrap().text, "^1.2");
    assert_eq!(
        preset.update_delay,
        Some(jiff::SignedDuration::from_hours(168))
    );
    assert_eq!(preset.policy.as_deref(), Some("slow"));
    assert_eq!(preset.accept_breaking.as_deref(), Some("2.0.0"));
}

#[test]
fn a_field_and_its_annotation_may_not_differ() {
    let yaml = preset("  plugin: {pluginDefinition: d}\n  updateDelay: 168h\n");
    let same = yaml.replace(
        "{name: p}",
        "{name: p, annotations: {coldframe.dev/update-delay: 7d}}",
    );
    fine(&same);
    let loaded = wrong(
        &same.replace("7d", "8d"),
        "error ConflictingSettings 7:16 `metadata.annotations[\"coldframe.dev/update-delay\"]` and `spec.updateDelay` differ",
    );
    assert_eq!(
        hints(&loaded),
        [
            "remove one of them; `metadata.annotations[\"coldframe.dev/update-delay\"]` stands in line 3"
        ]
    );
}

#[rstest]
#[case(
    "updateDelay: 7",
    "error InvalidValue 7:16 `spec.updateDelay`: `7` is not a duration: write a number and a unit, such as 90s, 30m, 36h, 7d or 2w"
)]
#[case(
    "updateDelay: -1h",
    "error InvalidValue 7:16 `spec.updateDelay`: `-1h` is not a duration: write a number and a unit, such as 90s, 30m, 36h, 7d or 2w"
)]
#[case(
    "acceptBreaking: '>=x <='",
    "error InvalidConstraint 7:19 `spec.acceptBreaking`: `>=x <=` is not a version constraint: expected a version such as `1.2` or `1.x` at the end"
)]
fn settings_are_checked(#[case] field: &str, #[case] expected: &str) {
    wrong(
        &preset(&format!("  plugin: {{pluginDefinition: d}}\n  {field}\n")),
        expected,
    );
}

#[test]
fn a_delay_of_0_needs_no_unit_and_no_quotes() {
    fine(&preset(
        "  plugin: {pluginDefinition: d}\n  updateDelay: 0\n",
    ));
}

#[test]
fn a_constraint_that_means_something_else_is_a_warning() {
    let loaded = text(&preset(
        "  plugin: {pluginDefinition: {name: d, version: ^v1.1.x}}\n",
    ));
    assert!(
        problems(&loaded)[0].starts_with("warning ConstraintTrap 6:49 "),
        "{:?}",
        problems(&loaded)
    );
}

#[test]
fn a_plugin_names_one_version() {
    let plugin = |spec: &str| {
        format!(
            "apiVersion: greenhouse.sap/v1alpha1\nkind: Plugin\nmetadata: {{name: p}}\nspec: {{clusterName: c, pluginDefinitionRef: {{name: d}}{spec}}}\n"
        )
    };
    let world = fine(&plugin(", pluginDefinitionVersion: 1.2.3"));
    let read = &world.plugins[&("acme".into(), "p".into())];
    assert_eq!(read.version.as_ref().unwrap().text, "1.2.3");
    assert_eq!(read.cluster_name.as_deref(), Some("c"));
    wrong(
        &plugin(", pluginDefinitionVersion: ~1.2"),
        "error InvalidConstraint 4:81 `~1.2` is a constraint",
    );
    wrong(
        &plugin(", optionValues: [{name: a, expression: x}]"),
        "warning PrunedField 4:81 `spec.optionValues[0]` has no field `expression`: Greenhouse drops it without a word",
    );
    wrong(
        &plugin(", waitFor: [{pluginRef: {pluginPreset: q}}]").replace("clusterName: c, ", ""),
        "error WaitFor 4:50 a Plugin on the hub itself cannot wait for a preset",
    );
}

#[test]
fn a_plugin_that_is_a_definition_of_old_is_told_apart() {
    let yaml = definition(CHART).replace("PluginDefinition", "Plugin");
    let loaded = text(&yaml);
    assert!(
        hints(&loaded).contains(&"write `kind: PluginDefinition`"),
        "{:?}",
        problems(&loaded)
    );
}

#[test]
fn a_definition_is_read_with_everything_it_has() {
    let yaml = definition(&format!(
        "{CHART}  displayName: D
  maxRevisions: 3
  uiApplication: {{name: u, version: latest}}
  options:
  - {{name: a, type: int, required: true, default: 3, displayName: A, regex: x}}
  - {{name: b, type: secret, required: false, default: null}}
"
    ));
    let world = fine(&yaml);
    let [definition] = world.definitions.as_slice() else {
        panic!()
    };
    assert_eq!(definition.max_revisions, Some(3));
    let options = definition.options.as_deref().unwrap();
    assert_eq!(options[0].default, Some(Value::from(3)));
    assert_eq!(options[1].default, None);
    assert_eq!(options[1].location.line, 12);
}

#[test]
fn a_cluster_plugin_definition_lies_where_greenhouse_keeps_it() {
    let yaml = definition(CHART).replace("PluginDefinition", "ClusterPluginDefinition");
    let world = fine(&yaml);
    assert_eq!(world.definitions[0].meta.namespace, "greenhouse");
    assert_eq!(world.definitions[0].options, None);
}

#[rstest]
#[case(
    "  version: 1.0.0\n",
    "error MissingContent 4:1 the PluginDefinition has neither a chart nor a UI application"
)]
#[case(
    "  version: ''\n  uiApplication: {name: u, version: v}\n",
    "error InvalidValue 5:12 `spec.version` is empty"
)]
#[case(
    "  version: 1.0\n  uiApplication: {name: u, version: v}\n",
    "error WrongType 5:12 `spec.version` is a number: YAML 1.1 reads the word `1.0` as 1"
)]
#[case(
    "  version: 1.0.0\n  helmChart: {name: c, repository: example.com, version: 1.0.0}\n",
    "error InvalidValue 6:36 `spec.helmChart.repository` is `example.com`"
)]
#[case(
    "  version: 1.0.0\n  helmChart: {name: c, repository: 'https://example.com'}\n",
    "error MissingField 6:3 `spec.helmChart.version` is missing"
)]
fn a_definition_needs_content(#[case] spec: &str, #[case] expected: &str) {
    wrong(&definition(spec), expected);
}

#[rstest]
#[case("int", "1.5", Some("the number 1.5"))]
#[case("int", "2.0", None)]
#[case("int", "\"1\"", Some("a string"))]
#[case("bool", "yes", None)]
#[case("bool", "\"yes\"", Some("a string"))]
#[case("string", "no", Some("the boolean false"))]
#[case("list", "{}", Some("a map"))]
#[case("map", "[]", Some("a list"))]
#[case("map", "{a: 1}", None)]
#[case("secret", "\"\"", None)]
#[case("secret", "x", Some("a string"))]
fn a_default_fits_its_type(#[case] kind: &str, #[case] default: &str, #[case] found: Option<&str>) {
    let yaml = definition(&format!(
        "{CHART}  options:\n  - {{name: o, type: {kind}, required: false, default: {default}}}\n"
    ));
    let column = 49 + kind.len();
    match found {
        None => drop(fine(&yaml)),
        Some(found) => drop(wrong(
            &yaml,
            &format!(
                "error DefaultType 8:{column} the default of the {kind} option `o` is {found}"
            ),
        )),
    }
}

#[test]
fn max_revisions_can_be_an_annotation() {
    let yaml = definition(CHART).replace(
        "{name: d}",
        "{name: d, annotations: {coldframe.dev/max-revisions: \"5\"}}",
    );
    assert_eq!(fine(&yaml).definitions[0].max_revisions, Some(5));
    wrong(
        &yaml.replace("\"5\"", "none"),
        "error InvalidValue 3:64 `metadata.annotations[\"coldframe.dev/max-revisions\"]` is \"none\"",
    );
}

#[test]
fn an_organization_has_no_namespace() {
    let loaded = super::load_text(
        "f.yaml",
        format!(
            "apiVersion: greenhouse.sap/v1alpha1\nkind: Organization\nmetadata: {{name: org}}\nspec: {{displayName: O}}\n---\n{}",
            cluster("")
        ),
        &super::LoadOptions::default(),
    );
    assert_eq!(problems(&loaded), Vec::<String>::new());
    assert_eq!(loaded.organization, "org");
    assert!(
        loaded
            .world
            .clusters
            .contains_key(&("org".into(), "c".into()))
    );
}

#[rstest]
#[case(
    "PluginPreset",
    "PluginPrest",
    Some("warning UnknownKind 2:7 the group `greenhouse.sap` has no kind `PluginPrest`")
)]
#[case("PluginPreset", "Team", None)]
#[case("PluginPreset", "SomethingNew", None)]
#[case(
    "v1alpha1",
    "v1alpha2",
    Some("error UnknownVersion 1:13 the version `v1alpha2` of PluginPreset is not known")
)]
fn what_looks_like_a_kind_of_greenhouse_is_reported(
    #[case] from: &str,
    #[case] to: &str,
    #[case] expected: Option<&str>,
) {
    let yaml = preset("  plugin: {pluginDefinition: d}\n").replacen(from, to, 1);
    let loaded = text(&yaml);
    assert_eq!(problems(&loaded), expected.into_iter().collect::<Vec<_>>());
    assert!(loaded.world.presets.is_empty());
}
