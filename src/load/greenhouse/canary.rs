//! A canary's settings: `spec.canary`, or the annotation `coldframe.dev/canary` with the same as
//! YAML. The field names are Flagger's (v1beta1), and so are the rules.

use crate::diagnostic::{Code, Diagnostic};
use crate::expand::names;
use crate::load::context::{Context, Embedded};
use crate::load::fields::{Fields, Item, intact};
use crate::load::settings::{annotation, setting};
use crate::model::{CanarySettings, annotation as key};
use crate::yaml::{self, Value};

const PROVIDERS: &[&str] = &[
    "apisix",
    "appmesh",
    "appmesh:v1beta2",
    "contour",
    "gatewayapi:v1",
    "gatewayapi:v1beta1",
    "gloo",
    "istio",
    "knative",
    "kubernetes",
    "kuma",
    "linkerd",
    "nginx",
    "osm",
    "skipper",
    "smi:v1alpha1",
    "smi:v1alpha2",
    "smi:v1alpha3",
    "traefik",
];

const SERVICE_FIELDS: &[&str] = &[
    "apex",
    "appProtocol",
    "backendTimeout",
    "backends",
    "canary",
    "corsPolicy",
    "delegation",
    "gatewayRefs",
    "gateways",
    "headers",
    "headless",
    "hosts",
    "match",
    "meshName",
    "mirror",
    "name",
    "portDiscovery",
    "portName",
    "primary",
    "retries",
    "rewrite",
    "targetPort",
    "timeout",
    "trafficDistribution",
    "trafficPolicy",
    "unmanagedMetadata",
];

const ANALYSIS_FIELDS: &[&str] = &[
    "alerts",
    "canaryReadyThreshold",
    "match",
    "maxWeight",
    "metrics",
    "mirror",
    "mirrorWeight",
    "primaryReadyThreshold",
    "sessionAffinity",
    "stepWeightPromotion",
    "webhooks",
];

/// What decides how traffic moves; exactly one of them.
const STRATEGIES: [&str; 3] = ["iterations", "stepWeight", "stepWeights"];

/// Reads the settings from the field, the annotation, or both.
pub(super) fn canary_setting<'a>(
    root: &Item<'a>,
    field: Option<Item<'a>>,
) -> Option<CanarySettings> {
    let read = |item: &Item<'a>| {
        if item.is_annotation() {
            embedded(item)
        } else {
            settings(item)
        }
    };
    let same = |item: &Item<'a>| read(item).map(Same);
    setting([field, annotation(root, key::CANARY)], same).map(|same| same.0)
}

/// Settings that are the same wherever they stand.
struct Same(CanarySettings);

impl PartialEq for Same {
    fn eq(&self, other: &Self) -> bool {
        let mut moved = other.0.clone();
        moved.location = self.0.location.clone();
        self.0 == moved
    }
}

/// Reads the text of the annotation.
fn embedded(item: &Item<'_>) -> Option<CanarySettings> {
    let text = item.text()?;
    let mut cx = Context::new(&item.cx.file, text, item.cx.organization, item.cx.unknown);
    cx.embedded = Some(Embedded::at(item.cx.text, item.key, item.node.mark));
    let found = match yaml::parse(text) {
        Ok(node) => {
            let root = Item {
                path: item.path.clone(),
                ..Item::root(&cx, &node)
            };
            settings(&root)
        }
        Err(error) => {
            cx.push(
                Diagnostic::error(
                    Code::InvalidYaml,
                    format!("`{}` is not valid YAML: {error}", item.path),
                )
                .at(&cx.location(error.mark)),
            );
            None
        }
    };
    for diagnostic in cx.into_diagnostics() {
        item.push(diagnostic);
    }
    found
}

fn settings(item: &Item<'_>) -> Option<CanarySettings> {
    let mut fields = item.map()?;
    let target = fields.required("targetRef").and_then(|item| target(&item));
    let provider = match fields.optional("provider") {
        Some(item) => item.word(PROVIDERS),
        None => Some("kubernetes"),
    };
    let service = fields.required("service").and_then(|item| service(&item));
    let analysis_item = fields.required("analysis");
    let analysis = analysis_item.as_ref().and_then(analysis);
    if let Some(item) = &analysis_item
        && provider == Some("kubernetes")
        && ["stepWeight", "stepWeights"]
            .iter()
            .any(|name| item.node.get(name).is_some())
        && item.node.get("iterations").is_none()
    {
        item.push(
            Diagnostic::warning(
                Code::CanaryInvalid,
                "the provider kubernetes shifts no traffic: Flagger ignores weights and takes 10 iterations",
            )
            .at(&item.key_location())
            .expected("`iterations`"),
        );
    }
    let progress_deadline_seconds = fields
        .optional("progressDeadlineSeconds")
        .map(|item| item.count());
    let templates = fields
        .optional("metricTemplates")
        .map(|item| metric_templates(&item));
    fields.finish_strictly();
    let (target_kind, target_name) = target?;
    Some(CanarySettings {
        target_kind,
        target_name,
        provider: provider?.to_owned(),
        service: service?,
        analysis: analysis?,
        progress_deadline_seconds: intact(progress_deadline_seconds)?,
        metric_templates: intact(templates)?.unwrap_or_default(),
        location: item.location(),
    })
}

fn target(item: &Item<'_>) -> Option<(String, String)> {
    let mut fields = item.map()?;
    let kind = match fields.optional("kind") {
        Some(item) => item.word(&["Deployment", "DaemonSet"]),
        None => Some("Deployment"),
    };
    if let Some(version) = fields.optional("apiVersion") {
        version.word(&["apps/v1"]);
    }
    let name = fields
        .required("name")
        .and_then(|item| item.name(names::dns1123_subdomain));
    fields.finish_strictly();
    Some((kind?.to_owned(), name?.to_owned()))
}

fn service(item: &Item<'_>) -> Option<Value> {
    let mut fields = item.map()?;
    let port = fields.required("port").and_then(|item| port(&item));
    fields.known(SERVICE_FIELDS);
    fields.finish_strictly();
    port.map(|_| item.node.to_value())
}

fn port(item: &Item<'_>) -> Option<u32> {
    let port = item.count()?;
    if !(1..=65_535).contains(&port) {
        item.invalid(
            format!("`{}` is {port}", item.path),
            "a port from 1 to 65535",
        );
        return None;
    }
    Some(port)
}

fn analysis(item: &Item<'_>) -> Option<Value> {
    let mut fields = item.map()?;
    let interval = fields.required("interval").and_then(|item| interval(&item));
    let threshold = fields.required("threshold").and_then(|item| item.count());
    let given: Vec<_> = STRATEGIES
        .into_iter()
        .filter(|name| fields.optional(name).is_some())
        .collect();
    if given.len() != 1 {
        let message = if given.is_empty() {
            format!("`{}` does not say how the canary advances", item.path)
        } else {
            format!("`{}` has both `{}`", item.path, given.join("` and `"))
        };
        item.push(
            Diagnostic::error(Code::CanaryInvalid, message)
                .at(&item.key_location())
                .expected("exactly one of `iterations`, `stepWeight` and `stepWeights`"),
        );
    }
    for name in ["iterations", "stepWeight"] {
        if let Some(item) = fields.optional(name) {
            item.count();
        }
    }
    if let Some(weights) = fields.optional("stepWeights") {
        for weight in weights.list().unwrap_or_default() {
            weight.count();
        }
    }
    for name in ["metrics", "webhooks", "alerts"] {
        if let Some(list) = fields.optional(name) {
            for entry in list.list().unwrap_or_default() {
                analysis_entry(&entry, name);
            }
        }
    }
    fields.known(ANALYSIS_FIELDS);
    fields.finish_strictly();
    interval.and(threshold).map(|_| item.node.to_value())
}

/// The pattern of Flagger's CRD, `^[0-9]+(m|s)`.
fn interval(item: &Item<'_>) -> Option<()> {
    let text = item.string()?;
    let unit = text.trim_start_matches(|c: char| c.is_ascii_digit());
    if unit.len() == text.len() || !unit.starts_with(['m', 's']) {
        item.invalid(
            format!("`{}` is `{text}`", item.path),
            "minutes or seconds, such as 1m or 30s",
        );
        return None;
    }
    Some(())
}

/// One metric, webhook or alert.
fn analysis_entry(item: &Item<'_>, list: &str) {
    let Some(mut fields) = item.map() else { return };
    required_text(&mut fields, "name");
    match list {
        "metrics" => {
            if let Some(item) = fields.optional("interval") {
                interval(&item);
            }
            fields.known(&[
                "threshold",
                "thresholdRange",
                "query",
                "templateRef",
                "templateVariables",
            ]);
        }
        "webhooks" => {
            required_text(&mut fields, "url");
            if let Some(item) = fields.optional("timeout") {
                interval(&item);
            }
            if let Some(item) = fields.optional("type") {
                item.word(&[
                    "confirm-rollout",
                    "pre-rollout",
                    "rollout",
                    "confirm-traffic-increase",
                    "confirm-promotion",
                    "post-rollout",
                    "event",
                    "rollback",
                ]);
            }
            fields.known(&["muteAlert", "retries", "disableTLS", "metadata"]);
        }
        _ => {
            fields.required("providerRef");
            if let Some(item) = fields.optional("severity") {
                item.word(&["", "info", "warn", "error"]);
            }
        }
    }
    fields.finish_strictly();
}

fn required_text(fields: &mut Fields<'_>, name: &'static str) {
    if let Some(item) = fields.required(name) {
        item.text();
    }
}

fn metric_templates(item: &Item<'_>) -> Option<Vec<(String, Value)>> {
    let templates: Vec<_> = item
        .list()?
        .iter()
        .map(|item| {
            let mut fields = item.map()?;
            let name = fields
                .required("name")
                .and_then(|item| item.name(names::dns1123_subdomain));
            let spec = fields.required("spec").and_then(|item| {
                let mut fields = item.map()?;
                fields.required("provider");
                required_text(&mut fields, "query");
                fields.finish_strictly();
                Some(item.node.to_value())
            });
            fields.finish_strictly();
            Some((name?.to_owned(), spec?))
        })
        .collect();
    templates.into_iter().collect()
}

impl Embedded {
    /// Where the text of a scalar begins, whose key stands at `key`: exact for a literal block
    /// (`|`), which keeps its lines.
    fn at(text: &str, key: yaml::Mark, value: yaml::Mark) -> Self {
        let mut lines = text.lines().skip(key.line.saturating_sub(1) as usize);
        let header = lines.next().and_then(|line| line.rsplit_once(": "));
        if !header.is_some_and(|(_, style)| style.starts_with('|')) {
            return Self::Inline(value);
        }
        let indent = lines
            .find(|line| !line.trim().is_empty())
            .map_or(0, |line| line.len() - line.trim_start_matches(' ').len());
        Self::Block {
            line: key.line,
            indent: u32::try_from(indent).unwrap_or_default(),
        }
    }
}
