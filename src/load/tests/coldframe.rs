//! Our own kinds, and their schemas.

use rstest::rstest;

use super::{KINDS, fine, hints, problems, schema, text, wrong};
use crate::model::{DeletionLimit, FluxVersion, OutputFormat, Quota, SourceKind, Unmatched};
use crate::yaml;

const FLEET: &str = r#"apiVersion: coldframe.dev/v1alpha1
kind: Fleet
metadata: {name: acme, namespace: acme}
spec:
  sources:
  - name: extensions
    url: https://github.com/cloudoperators/greenhouse-extensions
    ref: {branch: main}
    paths: ["**/plugindefinition.yaml"]
  output:
    format: flux
    sourceRef: {kind: OCIRepository, name: acme-fleet}
    path: out/rendered
    kubeConfigKey: value
    fluxVersion: "2.10"
  baseDomain: greenhouse.example.com
  templates: templates
  limits: {deletions: "10%"}
  identities: {jane@example.com: jane}
"#;

const POLICY: &str = r#"apiVersion: coldframe.dev/v1alpha1
kind: RolloutPolicy
metadata: {name: default, namespace: acme}
spec:
  presetSelector: {}
  tiers:
  - name: qa
    clusterSelector: {matchLabels: {tier: qa}}
    delay: 0s
  - name: bronze
    clusterSelector: {matchLabels: {tier: bronze}}
    soak: 24h
    restartBudget: 100%
    maxConcurrent: 25%
    maxUnhealthy: 0
    deadline: 1h
    evidence: Release
    windows:
    - {schedule: "0 8 * * MON-THU", duration: 6h, timeZone: Europe/Berlin}
    approvals: 0
  - name: gold
    clusterSelector: {matchLabels: {tier: gold}}
    soak: 7d
    approvals: 2
  unmatched: Last
  calendars:
  - {name: holidays, timeZone: Europe/Berlin, dates: ["2026-12-24/2027-01-02"]}
  maxDelay: 30d
  maxDelayOverrides: [Soak, Window]
  onFailure: Stop
  majorUpdates: RequireAcceptance
  prereleases: false
"#;

const OVERRIDE: &str = "apiVersion: coldframe.dev/v1alpha1
kind: RolloutOverride
metadata: {name: o}
spec:
  action: Expedite
  presets: {names: [a]}
  tiers: [gold]
  clusters: [c]
  versions: 1.2.4
  reason: fixes the outage
  author: jane
  expiresAt: 2026-12-24T08:00:00Z
";

const APPROVAL: &str = "apiVersion: coldframe.dev/v1alpha1
kind: RolloutApproval
metadata: {name: a}
spec:
  preset: a
  tier: gold
  version: 1.2.4
  digest: sha256:0000000000000000000000000000000000000000000000000000000000000000
  approver: joe
  expiresAt: 2026-12-24T08:00:00Z
";

#[test]
fn a_fleet_is_read_with_everything_it_has() {
    let loaded = text(FLEET);
    assert_eq!(
        problems(&loaded),
        [
            "warning SourceNotFetched 6:5 `https://github.com/cloudoperators/greenhouse-extensions` is not fetched yet"
        ]
    );
    let fleet = loaded.world.fleet.unwrap();
    assert_eq!(fleet.sources[0].git_ref.branch.as_deref(), Some("main"));
    assert_eq!(fleet.output.format, OutputFormat::Flux);
    assert_eq!(fleet.output.source_ref.kind, SourceKind::OCIRepository);
    assert_eq!(fleet.output.path, "out/rendered");
    assert_eq!(fleet.output.kube_config_key, "value");
    assert_eq!(
        fleet.output.flux_version,
        FluxVersion {
            major: 2,
            minor: 10
        }
    );
    assert_eq!(fleet.base_domain.as_deref(), Some("greenhouse.example.com"));
    assert_eq!(fleet.templates.as_deref(), Some("templates"));
    assert_eq!(fleet.deletion_limit, Some(DeletionLimit::Percent(10)));
    assert_eq!(fleet.identities["jane@example.com"], "jane");
}

#[rstest]
#[case(
    "format: flux",
    "format: flx",
    "error InvalidValue 11:13 `spec.output.format` is `flx`",
    "did you mean `flux`?"
)]
#[case(
    "  baseDomain",
    "  baseDomian: x\n  baseDomain",
    "error UnknownField 16:3 `spec` has no field `baseDomian`",
    "did you mean `baseDomain`?"
)]
#[case(
    "fluxVersion: \"2.10\"",
    "fluxVersion: 2.10",
    "error WrongType 15:18 `spec.output.fluxVersion` is a number: YAML 1.1 reads the word `2.10` as 2.1",
    "quote it: \"2.10\""
)]
#[case(
    "kind: Fleet",
    "kind: Flet",
    "error UnknownKind 2:7 the group `coldframe.dev` has no kind `Flet`",
    "did you mean `Fleet`?"
)]
#[case(
    "kind: Fleet",
    "kind: Cluster",
    "error UnknownKind 2:7 the group `coldframe.dev` has no kind `Cluster`",
    "Cluster is of the group `greenhouse.sap`"
)]
fn a_typo_in_a_fleet_is_an_error_that_names_what_was_meant(
    #[case] from: &str,
    #[case] to: &str,
    #[case] expected: &str,
    #[case] hint: &str,
) {
    let loaded = wrong(&FLEET.replacen(from, to, 1), expected);
    assert_eq!(hints(&loaded), [hint]);
}

#[rstest]
#[case(
    "ref: {branch: main}",
    "ref: {branch: main, tag: v1}",
    "error InvalidValue 8:10 `spec.sources[0].ref` says more than one thing"
)]
#[case(
    "ref: {branch: main}",
    "ref: {commit: abc}",
    "error InvalidValue 8:19 `spec.sources[0].ref.commit` is `abc`"
)]
#[case(
    "path: out/rendered",
    "path: ../rendered",
    "error InvalidValue 13:11 `spec.output.path` leads out of the repository: `../rendered`"
)]
#[case(
    "templates: templates",
    "templates: /etc",
    "error InvalidValue 17:14 `spec.templates` leads out of the repository: `/etc`"
)]
#[case(
    "\"10%\"",
    "110%",
    "error InvalidValue 18:23 `spec.limits.deletions` is `110%`"
)]
#[case(
    "\"10%\"",
    "-1",
    "error InvalidValue 18:23 `spec.limits.deletions` is -1"
)]
#[case(
    "v1alpha1",
    "v1",
    "error UnknownVersion 1:13 the version `v1` of Fleet is not known"
)]
#[case(
    "coldframe.dev",
    "coldfarme.dev",
    "warning UnknownVersion 1:13 the group `coldfarme.dev` is unknown, and the object is not read"
)]
#[case(
    "apiVersion: coldframe.dev/v1alpha1\n",
    "",
    "error MissingField 1:7 `apiVersion` is missing"
)]
#[case(
    "kind: Fleet\n",
    "",
    "error MissingField 1:1 `kind` is missing or no string"
)]
fn a_fleet_is_checked(#[case] from: &str, #[case] to: &str, #[case] expected: &str) {
    wrong(&FLEET.replacen(from, to, 1), expected);
}

#[test]
fn there_is_one_fleet() {
    let second = FLEET.replace("name: acme,", "name: other,");
    let loaded = text(&format!("{FLEET}---\n{second}"));
    assert_eq!(
        problems(&loaded)[0],
        "error DuplicateObject 21:1 there are two Fleets: here and at f.yaml:1:1"
    );
}

#[test]
fn a_policy_is_read() {
    let world = fine(POLICY);
    let policy = &world.policies[&("acme".into(), "default".into())];
    assert_eq!(policy.unmatched, Unmatched::Last);
    let [qa, bronze, gold] = policy.tiers.as_slice() else {
        panic!()
    };
    assert_eq!(qa.max_concurrent, Quota::Percent(100));
    assert_eq!(bronze.max_concurrent, Quota::Percent(25));
    assert_eq!(bronze.soak, jiff::SignedDuration::from_hours(24));
    assert_eq!(gold.approvals, 2);
    assert_eq!(gold.location.line, 21);
}

#[rstest]
#[case(
    "name: gold",
    "name: qa",
    "error InvalidValue 21:11 `spec.tiers[2].name` is `qa` for the second time"
)]
#[case(
    "soak: 24h",
    "soak: 24",
    "error InvalidValue 12:11 `spec.tiers[1].soak`: `24` is not a duration: write a number and a unit, such as 90s, 30m, 36h, 7d or 2w"
)]
#[case(
    "soak: 24h",
    "delay: 24h",
    "error InvalidValue 12:12 `spec.tiers[1].delay` is not about the first tier"
)]
#[case(
    "delay: 0s",
    "delay: 31d",
    "error InvalidValue 9:12 `spec.tiers[0].delay` is longer than `spec.maxDelay`"
)]
#[case(
    "delay: 0s",
    "soak: 1d",
    "warning InvalidValue 9:11 `spec.tiers[0].soak` has no effect: there is no tier before"
)]
#[case(
    "restartBudget: 100%",
    "restartBudget: some",
    "error InvalidValue 13:20 `spec.tiers[1].restartBudget` is `some`"
)]
#[case(
    "maxConcurrent: 25%",
    "maxConcurrent: 0",
    "error InvalidValue 14:20 `spec.tiers[1].maxConcurrent` is 0: no cluster could ever update"
)]
#[case(
    "maxConcurrent: 25%",
    "maxConcurrent: 125%",
    "error InvalidValue 14:20 `spec.tiers[1].maxConcurrent` is `125%`"
)]
#[case(
    "deadline: 1h",
    "deadline: 0",
    "error InvalidValue 16:15 `spec.tiers[1].deadline` is 0"
)]
#[case(
    "0 8 * * MON-THU",
    "0 25 * * *",
    "error InvalidValue 19:18 `spec.tiers[1].windows[0].schedule` is `0 25 * * *`: `25` is no hour from 0 to 23"
)]
#[case(
    "duration: 6h",
    "duration: 0",
    "error InvalidValue 19:47 `spec.tiers[1].windows[0].duration` is 0: the window never opens"
)]
#[case(
    "Europe/Berlin}",
    "Europe Berlin}",
    "error InvalidValue 19:61 `spec.tiers[1].windows[0].timeZone` is `Europe Berlin`"
)]
#[case(
    "approvals: 2",
    "approvals: \"2\"",
    "error WrongType 24:16 `spec.tiers[2].approvals` is a string"
)]
#[case(
    "2026-12-24/2027-01-02",
    "2027-01-02/2026-12-24",
    "error InvalidValue 27:55 `spec.calendars[0].dates[0]` is `2027-01-02/2026-12-24`"
)]
#[case(
    "2026-12-24/2027-01-02",
    "2026-13-24",
    "error InvalidValue 27:55 `spec.calendars[0].dates[0]` is `2026-13-24`"
)]
#[case(
    ", dates: [\"2026-12-24/2027-01-02\"]",
    "",
    "error InvalidValue 27:5 `spec.calendars[0]` needs its dates from one place"
)]
#[case(
    "[Soak, Window]",
    "[Soak, Hold]",
    "error InvalidValue 29:29 `spec.maxDelayOverrides[1]` is `Hold`"
)]
#[case(
    "prereleases: false",
    "prereleases: \"false\"",
    "error WrongType 32:16 `spec.prereleases` is a string"
)]
#[case(
    "  unmatched",
    "  unmached",
    "error UnknownField 25:3 `spec` has no field `unmached`"
)]
fn a_policy_is_checked(#[case] from: &str, #[case] to: &str, #[case] expected: &str) {
    wrong(&POLICY.replacen(from, to, 1), expected);
}

#[test]
fn overrides_and_approvals_are_checked() {
    fine(OVERRIDE);
    fine(APPROVAL);
    wrong(
        &OVERRIDE.replace("  versions: 1.2.4\n", ""),
        "error MissingField 4:1 `spec.versions` is missing",
    );
    wrong(
        &OVERRIDE.replace("{names: [a]}", "{names: [a], matchLabels: {x: z}}"),
        "error InvalidValue 6:12 `spec.presets` has both names and a selector",
    );
    wrong(
        &OVERRIDE.replace("2026-12-24T08:00:00Z", "tomorrow"),
        "error InvalidValue 12:14 `spec.expiresAt` is `tomorrow`",
    );
    wrong(
        &APPROVAL.replace("1.2.4", "^1.2"),
        "error InvalidConstraint 7:12 `^1.2` is a constraint",
    );
    wrong(
        &APPROVAL.replace("sha256:0", "sha256:"),
        "error InvalidValue 8:11 `spec.digest` is `sha256:000000000000000000000000000000000000000000000000000000000000000`",
    );
}

/// Whether the schema of its kind accepts a document.
fn accepts(yaml: &str) -> bool {
    let document = yaml::parse(yaml).unwrap().to_value();
    let schema = schema(document["kind"].as_str().unwrap()).unwrap();
    jsonschema::draft202012::new(&schema)
        .unwrap()
        .is_valid(&document)
}

#[rstest]
#[case(FLEET)]
#[case(POLICY)]
#[case(OVERRIDE)]
#[case(APPROVAL)]
fn a_schema_accepts_what_is_read_and_refuses_what_is_not(#[case] yaml: &str) {
    assert!(accepts(yaml));
    assert!(!accepts(&yaml.replacen(
        "spec:\n",
        "spec:\n  unknown: 1\n",
        1
    )));
    assert!(!accepts(&yaml.replacen("v1alpha1", "v1", 1)));
    assert!(!accepts(&yaml.replacen(
        "metadata: {",
        "metadata: {nmae: x, ",
        1
    )));
}

#[test]
fn a_schema_knows_every_level() {
    for (yaml, field) in [
        (FLEET, "name: extensions"),
        (FLEET, "branch: main"),
        (FLEET, "format: flux"),
        (FLEET, "name: acme-fleet"),
        (FLEET, "deletions: \"10%\""),
        (POLICY, "name: bronze"),
        (POLICY, "schedule: \"0 8 * * MON-THU\""),
        (POLICY, "name: holidays"),
        (OVERRIDE, "names: [a]"),
    ] {
        let separator = if yaml.contains(&format!("{{{field}"))
            || yaml.contains(&format!(" {field},"))
            || yaml.contains(&format!("{field}}}"))
        {
            ", "
        } else {
            "\n    "
        };
        let unknown = yaml.replacen(field, &format!("{field}{separator}unknown: 1"), 1);
        assert!(!accepts(&unknown), "{unknown}");
        assert!(
            problems(&text(&unknown))
                .iter()
                .any(|each| each.contains("UnknownField")),
            "{unknown}"
        );
    }
}

#[test]
fn every_kind_of_ours_has_a_schema() {
    for kind in KINDS {
        let schema = schema(kind).unwrap();
        assert!(jsonschema::meta::is_valid(&schema));
        assert_eq!(schema["title"], kind);
    }
    assert_eq!(schema("Cluster"), None);
}
