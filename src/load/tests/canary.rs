//! Settings of a canary.

use rstest::rstest;

use super::greenhouse::{CHART, definition};
use super::{fine, problems, text, wrong};

const CANARY: &str = "  canary:
    targetRef: {name: web}
    service: {port: 80, targetPort: http}
    analysis:
      interval: 1m
      threshold: 2
      iterations: 5
      metrics: [{name: success, interval: 30s, templateRef: {name: t}}]
    metricTemplates:
    - name: t
      spec: {provider: {type: prometheus}, query: up}
";

#[test]
fn a_canary_is_read_from_the_field_or_the_annotation() {
    let field = fine(&definition(&format!("{CHART}{CANARY}")));
    let canary = field.definitions[0].canary.as_ref().unwrap();
    assert_eq!(
        (canary.target_kind.as_str(), canary.provider.as_str()),
        ("Deployment", "kubernetes")
    );
    assert_eq!(canary.metric_templates[0].0, "t");
    let (_, settings) = CANARY.split_once('\n').unwrap();
    let indented = format!("  {}", settings.trim_end().replace('\n', "\n  "));
    let annotated = definition(CHART).replace(
        "{name: d}\n",
        &format!("\n  name: d\n  annotations:\n    coldframe.dev/canary: |\n{indented}\n"),
    );
    let annotation = fine(&annotated);
    let mut other = annotation.definitions[0].canary.clone().unwrap();
    other.location = canary.location.clone();
    assert_eq!(canary, &other);
    // Inside a block scalar the place is exact.
    wrong(
        &annotated.replace("        iterations: 5\n", ""),
        "error CanaryInvalid 9:7 `metadata.annotations[\"coldframe.dev/canary\"].analysis` does not say how the canary advances",
    );
}

#[rstest]
#[case("interval: 1m", "interval: 1h", &["error InvalidValue 11:17 `spec.canary.analysis.interval` is `1h`"])]
#[case("iterations: 5", "iterations: 5\n      stepWeight: 10", &["error CanaryInvalid 10:5 `spec.canary.analysis` has both `iterations` and `stepWeight`"])]
#[case("targetRef: {name: web}", "targetRef: {name: web, kind: StatefulSet}", &["error InvalidValue 8:34 `spec.canary.targetRef.kind` is `StatefulSet`"])]
#[case("port: 80, ", "", &["error MissingField 9:5 `spec.canary.service.port` is missing"])]
#[case("port: 80", "port: 80000", &["error InvalidValue 9:21 `spec.canary.service.port` is 80000"])]
#[case("{name: web}", "{name: web}\n    providr: istio", &["error UnknownField 9:5 `spec.canary` has no field `providr`"])]
#[case("iterations: 5", "stepWeight: 5", &["warning CanaryInvalid 10:5 the provider kubernetes shifts no traffic: Flagger ignores weights and takes 10 iterations"])]
fn a_canary_follows_the_rules_of_flagger(
    #[case] from: &str,
    #[case] to: &str,
    #[case] expected: &[&str],
) {
    let yaml = definition(&format!("{CHART}{}", CANARY.replace(from, to)));
    assert_eq!(problems(&text(&yaml)), expected);
}
