//! A value can never change the structure of what is rendered, whatever it contains: everything but
//! the value itself is as if it were harmless.

use coldframe::diagnostic::Diagnostics;
use coldframe::load::{LoadOptions, load_text};
use coldframe::model::{Output, OutputFormat, Settings};
use coldframe::render::{Engine, Kept, Outcome, Previous, Renderer, resolve};
use coldframe::yaml;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::settings;

/// A cluster, a definition and a preset with `text` wherever a user may write text.
fn manifests(text: &str) -> String {
    // A key of YAML without `?` has at most 1,024 characters.
    let key = text
        .get(..1000.min(text.len()))
        .filter(|key| *key == text)
        .unwrap_or("harmless");
    let objects = [
        json!({
            "apiVersion": "greenhouse.sap/v1alpha1", "kind": "Cluster",
            "metadata": {"name": "eu-1", "labels": {"all": "yes"}}, "spec": {"accessMode": "direct"},
        }),
        json!({
            "apiVersion": "greenhouse.sap/v1alpha1", "kind": "PluginDefinition", "metadata": {"name": "app"},
            "spec": {
                "version": "1.0.0", "displayName": text, "description": text,
                "helmChart": {"name": "app", "repository": "oci://charts.example.com", "version": "1.0.0"},
                "options": [{"name": "fallback", "type": "string", "required": false, "default": text, "description": text}],
            },
        }),
        json!({
            "apiVersion": "greenhouse.sap/v1alpha1", "kind": "PluginPreset",
            "metadata": {
                "name": "app",
                "annotations": {"note": text, "greenhouse.sap/propagate-annotations": "note"},
            },
            "spec": {
                "clusterSelector": {"matchLabels": {"all": "yes"}},
                "plugin": {
                    "pluginDefinitionRef": {"name": "app"},
                    "displayName": text,
                    "optionValues": [
                        {"name": "text", "value": text},
                        {"name": "list", "value": [text, {key: text}]},
                        {"name": "token", "valueFrom": {"secret": {"name": text, "key": text}}},
                    ],
                    "ignoreDifferences": [{"kind": text, "paths": [text]}],
                },
            },
        }),
    ];
    objects
        .iter()
        .map(|object| format!("{object}\n"))
        .collect::<Vec<_>>()
        .join("---\n")
}

/// Every rendered document, in both formats, as its text reads.
fn documents(text: &str) -> Vec<Value> {
    let mut all = Vec::new();
    for format in [OutputFormat::Flux, OutputFormat::Greenhouse] {
        let loaded = load_text("in.yaml", manifests(text), &LoadOptions::default());
        let output = Output {
            format,
            ..Output::default()
        };
        let settings = Settings {
            base_domain: text.to_owned(),
            output,
            ..settings(&loaded)
        };
        let engine = Engine::new(&[]).unwrap();
        let mut diagnostics = loaded.diagnostics.clone();
        let resolved = resolve(&loaded.world, &mut diagnostics);
        let renderer = Renderer::new(
            &loaded.world,
            &settings,
            &engine,
            &resolved,
            &mut diagnostics,
        );
        let mut files = Vec::new();
        for job in renderer.jobs() {
            files.extend(renderer.release(job).unwrap());
        }
        assert_eq!(files.len(), 1, "{diagnostics:?}");
        let paths = files.iter().map(|file| file.path.clone()).collect();
        let mut problems = Diagnostics::new();
        files.extend(
            renderer
                .rest(
                    &[Outcome::Rendered],
                    &paths,
                    &Previous::default(),
                    Kept::Failed,
                    &mut problems,
                )
                .files,
        );
        assert!(problems.is_empty(), "{problems:?}");
        for file in files {
            all.extend(
                yaml::read(&file.content)
                    .into_iter()
                    .map(|node| node.unwrap().to_value()),
            );
        }
    }
    all
}

/// A document with every occurrence of `from`, as key or value, replaced by `to`.
fn replaced(value: &Value, from: &str, to: &str) -> Value {
    match value {
        Value::String(text) => Value::String(text.replace(from, to)),
        Value::Array(items) => items.iter().map(|item| replaced(item, from, to)).collect(),
        Value::Object(map) => Value::Object(
            map.iter()
                .map(|(key, value)| (key.replace(from, to), replaced(value, from, to)))
                .collect(),
        ),
        other => other.clone(),
    }
}

fn assert_harmless(text: &str) {
    const HARMLESS: &str = "harmless";
    // The digest of a definition with another default is another one.
    let digests = |documents: Vec<Value>| -> Vec<Value> {
        let digest = documents[0]["metadata"]["annotations"]["coldframe.dev/digest"]
            .as_str()
            .unwrap()
            .to_owned();
        documents
            .iter()
            .map(|document| replaced(document, &digest, "digest"))
            .collect()
    };
    let hostile = digests(documents(text));
    let harmless = digests(documents(HARMLESS));
    let hostile: Vec<Value> = hostile
        .iter()
        .zip(&harmless)
        .map(|(hostile, harmless)| same_shape(hostile, harmless, text, HARMLESS))
        .collect();
    assert_eq!(hostile, harmless);
}

/// `hostile` with `text` replaced exactly where `harmless` has the harmless word.
fn same_shape(hostile: &Value, harmless: &Value, text: &str, word: &str) -> Value {
    match (hostile, harmless) {
        (Value::String(found), Value::String(expected))
            if *found == expected.replace(word, text) =>
        {
            harmless.clone()
        }
        (Value::Array(found), Value::Array(expected)) if found.len() == expected.len() => found
            .iter()
            .zip(expected)
            .map(|(found, expected)| same_shape(found, expected, text, word))
            .collect(),
        (Value::Object(found), Value::Object(expected)) if found.len() == expected.len() => {
            Value::Object(
                expected
                    .iter()
                    .map(|(key, expected)| {
                        let found = found
                            .get(&key.replace(word, text))
                            .or_else(|| found.get(key))
                            .unwrap_or(&Value::Null);
                        (key.clone(), same_shape(found, expected, text, word))
                    })
                    .collect(),
            )
        }
        _ => hostile.clone(),
    }
}

#[test]
fn known_troublemakers_are_only_data() {
    for text in [
        "\"",
        "'",
        "\\",
        "a: b",
        "- a",
        "{{ name }}",
        "{% if x %}",
        "{# x #}",
        "${x}",
        "$${x}",
        "---",
        "\n---\n",
        "...",
        "\nkind: Secret\n",
        "a\n  b: c",
        "|",
        ">-",
        "&a",
        "*a",
        "!!binary x",
        "<<",
        "%YAML 1.2",
        "# no comment",
        "a # b",
        "yes",
        "null",
        "~",
        "0123",
        "1e3",
        "12:30:45",
        "2026-01-01",
        ".inf",
        "0x1F",
        "1_000",
        " lead",
        "trail ",
        "\ttab",
        "\u{0}",
        "\u{7f}",
        "\u{85}",
        "\u{2028}",
        "\u{feff}",
        "\u{e000}0\u{e001}",
        "\u{e000}",
        "🌱",
        "e\u{301}",
        "\r\n",
        "a\n\n\nb\n",
        "harmless no more",
    ] {
        if text.contains(['\u{0}', '\u{7f}']) {
            continue; // no text of a YAML document
        }
        assert_harmless(text);
    }
}

#[test]
fn a_megabyte_of_text_is_only_data() {
    assert_harmless(&"x: \"y\"\n- ${z} {{ w }}\n".repeat(50_000));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, max_shrink_iters: 200, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_only_data(text in "[ -~äé🌱\u{e000}\u{e001}\n\t\\\\\"'{}%#$&*!|>:,\\[\\]-]{1,40}") {
        prop_assume!(!text.contains("harmless"));
        assert_harmless(&text);
    }
}
