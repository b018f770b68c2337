//! The form of every kind that coldframe renders. A rendered document is checked against it before
//! it goes anywhere, so that a mistake in an overridden template is an error here, and not one on
//! the cluster. Fields are those of Flux 2.9, Flagger 1.44 and Greenhouse v0.16.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::yaml::Value;

type Strings = BTreeMap<String, String>;

/// Declares structs in which an unknown field is an error.
macro_rules! kinds {
    ($($name:ident { $($field:ident $(as $rename:literal)? : $type:ty),* $(,)? })*) => {
        $(
            #[derive(Deserialize)]
            #[serde(rename_all = "camelCase", deny_unknown_fields)]
            #[allow(dead_code, clippy::struct_field_names, clippy::zero_sized_map_values, reason = "only whether they can be read counts")]
            struct $name { $($(#[serde(rename = $rename)])? $field: $type,)* }
        )*
    };
}

kinds! {
    Meta { name: String, namespace: Option<String>, labels: Option<Strings>, annotations: Option<Strings> }

    LocalRef { name: String }
    SecretKey { name: String, key: Option<String> }
    KubeConfig { secret_ref: Option<SecretKey>, config_map_ref: Option<LocalRef> }
    Dependency { name: String, namespace: Option<String>, ready_expr: Option<String> }
    Target { group: Option<String>, version: Option<String>, kind: Option<String>, name: Option<String>,
        namespace: Option<String>, label_selector: Option<String>, annotation_selector: Option<String> }
    IgnoreRule { paths: Vec<String>, target: Option<Target> }
    HealthCheck { api_version: Option<String>, kind: String, name: String, namespace: Option<String> }
    HealthExpr { api_version: String, kind: Option<String>, current: String, in_progress: Option<String>, failed: Option<String> }

    HelmReleaseObject { api_version: String, kind: String, metadata: Meta, spec: HelmRelease }
    ChartRef { kind: String, name: String, namespace: Option<String> }
    ValuesFrom { kind: String, name: String, values_key: Option<String>, target_path: Option<String>, optional: Option<bool>, literal: Option<bool> }
    DriftDetection { mode: Option<String>, ignore: Option<Vec<IgnoreRule>> }
    HelmRelease {
        chart: Option<IgnoredAny>, chart_ref: Option<ChartRef>, common_metadata: Option<IgnoredAny>, depends_on: Option<Vec<Dependency>>,
        drift_detection: Option<DriftDetection>, health_check_exprs: Option<Vec<HealthExpr>>, install: Option<IgnoredAny>,
        interval: String, kube_config: Option<KubeConfig>, max_history: Option<u32>, persistent_client: Option<bool>,
        post_render_strategy: Option<String>, post_renderers: Option<Vec<IgnoredAny>>, release_name: Option<String>,
        rollback: Option<IgnoredAny>, service_account_name: Option<String>, storage_namespace: Option<String>, suspend: Option<bool>,
        target_namespace: Option<String>, test: Option<IgnoredAny>, timeout: Option<String>, uninstall: Option<IgnoredAny>,
        upgrade: Option<IgnoredAny>, values: Option<BTreeMap<String, IgnoredAny>>, values_from: Option<Vec<ValuesFrom>>,
        wait_strategy: Option<IgnoredAny>,
    }

    HelmRepositoryObject { api_version: String, kind: String, metadata: Meta, spec: HelmRepository }
    HelmRepository {
        access_from: Option<IgnoredAny>, cert_secret_ref: Option<LocalRef>, insecure: Option<bool>, interval: Option<String>,
        pass_credentials: Option<bool>, provider: Option<String>, secret_ref: Option<LocalRef>, suspend: Option<bool>,
        timeout: Option<String>, r#type: Option<String>, url: String,
    }

    HelmChartObject { api_version: String, kind: String, metadata: Meta, spec: HelmChart }
    SourceRef { kind: String, name: String, namespace: Option<String>, api_version: Option<String> }
    HelmChart {
        chart: String, ignore_missing_values_files: Option<bool>, interval: String, reconcile_strategy: Option<String>,
        source_ref: SourceRef, suspend: Option<bool>, values_files: Option<Vec<String>>, verify: Option<IgnoredAny>, version: Option<String>,
    }

    KustomizationObject { api_version: String, kind: String, metadata: Meta, spec: Kustomization }
    PostBuild { substitute: Option<Strings>, substitute_from: Option<Vec<IgnoredAny>>, substitute_strategy: Option<String> }
    Kustomization {
        build_metadata: Option<Vec<String>>, common_metadata: Option<IgnoredAny>, components: Option<Vec<String>>,
        decryption: Option<IgnoredAny>, deletion_policy: Option<String>, depends_on: Option<Vec<Dependency>>, force: Option<bool>,
        health_check_exprs: Option<Vec<HealthExpr>>, health_checks: Option<Vec<HealthCheck>>, ignore: Option<Vec<IgnoreRule>>,
        ignore_missing_components: Option<bool>, images: Option<Vec<IgnoredAny>>, interval: String, kube_config: Option<KubeConfig>,
        name_prefix: Option<String>, name_suffix: Option<String>, patches: Option<Vec<IgnoredAny>>, path: Option<String>,
        post_build: Option<PostBuild>, prune: bool, retry_interval: Option<String>, service_account_name: Option<String>,
        source_ref: SourceRef, suspend: Option<bool>, target_namespace: Option<String>, timeout: Option<String>, wait: Option<bool>,
    }

    ConfigMapObject { api_version: String, kind: String, metadata: Meta, data: Option<Strings>, binary_data: Option<Strings>, immutable: Option<bool> }

    IndexObject { api_version: String, kind: String, metadata: Option<IgnoredAny>, namespace: Option<String>, resources: Vec<String>,
        common_annotations: Option<Strings>, labels: Option<Vec<IgnoredAny>>, patches: Option<Vec<IgnoredAny>>, components: Option<Vec<String>> }

    CanaryObject { api_version: String, kind: String, metadata: Meta, spec: Canary }
    CanaryTarget { api_version: Option<String>, kind: String, name: String }
    Canary {
        provider: Option<String>, metrics_server: Option<String>, progress_deadline_seconds: Option<u32>, target_ref: CanaryTarget,
        autoscaler_ref: Option<IgnoredAny>, ingress_ref: Option<IgnoredAny>, route_ref: Option<IgnoredAny>, upstream_ref: Option<IgnoredAny>,
        service: Option<BTreeMap<String, IgnoredAny>>, skip_analysis: Option<bool>, revert_on_deletion: Option<bool>,
        suspend: Option<bool>, analysis: BTreeMap<String, IgnoredAny>,
    }
    MetricTemplateObject { api_version: String, kind: String, metadata: Meta, spec: MetricTemplate }
    MetricTemplate { provider: BTreeMap<String, IgnoredAny>, query: String }

    PluginObject { api_version: String, kind: String, metadata: Meta, spec: Plugin }
    DefinitionRef { kind: Option<String>, name: String }
    OptionValue { name: String, value: Option<IgnoredAny>, value_from: Option<IgnoredAny> }
    Plugin {
        cluster_name: Option<String>, deletion_policy: Option<String>, display_name: Option<String>, ignore_differences: Option<Vec<IgnoredAny>>,
        option_values: Option<Vec<OptionValue>>, plugin_definition_ref: DefinitionRef, release_name: Option<String>,
        release_namespace: Option<String>, wait_for: Option<Vec<IgnoredAny>>,
    }
    PluginDefinitionObject { api_version: String, kind: String, metadata: Meta, spec: PluginDefinition }
    PluginDefinition {
        description: Option<String>, display_name: Option<String>, doc_mark_down_url: Option<String>, docs_url as "docsURL": Option<String>,
        helm_chart: Option<Strings>, icon: Option<String>, options: Option<Vec<IgnoredAny>>, ui_application: Option<Strings>,
        version: String, weight: Option<i64>,
    }
}

/// Checks a rendered document against its kind.
///
/// # Errors
/// A kind that coldframe does not render, a field that the kind does not have, one of the wrong
/// type, or a required one that is missing.
pub(super) fn check(document: &Value) -> Result<(), String> {
    fn as_kind<'de, T: Deserialize<'de>>(document: &'de Value) -> Result<(), String> {
        T::deserialize(document)
            .map(drop)
            .map_err(|error| error.to_string())
    }
    let field = |name: &str| {
        document
            .get(name)
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    match (field("apiVersion"), field("kind")) {
        ("helm.toolkit.fluxcd.io/v2", "HelmRelease") => {
            as_kind::<HelmReleaseObject>(document)?;
            let spec = &document["spec"];
            if spec.get("chart").is_some() == spec.get("chartRef").is_some() {
                return Err("a HelmRelease has exactly one of `chart` and `chartRef`".to_owned());
            }
            Ok(())
        }
        ("source.toolkit.fluxcd.io/v1", "HelmRepository") => {
            as_kind::<HelmRepositoryObject>(document)
        }
        ("source.toolkit.fluxcd.io/v1", "HelmChart") => as_kind::<HelmChartObject>(document),
        ("kustomize.toolkit.fluxcd.io/v1", "Kustomization") => {
            as_kind::<KustomizationObject>(document)
        }
        ("kustomize.config.k8s.io/v1beta1", "Kustomization") => as_kind::<IndexObject>(document),
        ("v1", "ConfigMap") => as_kind::<ConfigMapObject>(document),
        ("flagger.app/v1beta1", "Canary") => as_kind::<CanaryObject>(document),
        ("flagger.app/v1beta1", "MetricTemplate") => as_kind::<MetricTemplateObject>(document),
        ("greenhouse.sap/v1alpha1", "Plugin") => as_kind::<PluginObject>(document),
        ("greenhouse.sap/v1alpha1", "PluginDefinition" | "ClusterPluginDefinition") => {
            as_kind::<PluginDefinitionObject>(document)
        }
        ("", _) | (_, "") => Err("a document needs `apiVersion` and `kind`".to_owned()),
        (version, kind) => Err(format!("coldframe does not render {kind} of {version}")),
    }
}
