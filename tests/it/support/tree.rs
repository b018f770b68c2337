//! A rendered tree, and what a cluster would get from it.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use serde::Deserialize;
use serde_json::Value;

/// An object of a tree.
pub struct Object {
    /// Its file, relative to the tree.
    pub file: String,
    pub value: Value,
}

/// What kustomize made of a Flux Kustomization, or of a folder.
#[derive(Deserialize)]
pub struct Built {
    #[serde(alias = "kustomization", alias = "folder")]
    pub name: String,
    pub objects: Option<Vec<Value>>,
    pub error: Option<String>,
}

/// Every object in the YAML files of a tree; kustomize's own configuration is none.
pub fn objects(tree: &Path) -> Vec<Object> {
    let mut objects = Vec::new();
    for entry in walkdir::WalkDir::new(tree).sort_by_file_name() {
        let entry = entry.unwrap();
        if entry
            .path()
            .extension()
            .is_none_or(|extension| extension != "yaml")
        {
            continue;
        }
        let file = entry
            .path()
            .strip_prefix(tree)
            .unwrap()
            .display()
            .to_string();
        let text = std::fs::read_to_string(entry.path()).unwrap();
        for value in super::documents(&text) {
            if !is_configuration(&value) {
                objects.push(Object {
                    file: file.clone(),
                    value,
                });
            }
        }
    }
    objects
}

fn is_configuration(value: &Value) -> bool {
    value["apiVersion"]
        .as_str()
        .is_some_and(|version| version.starts_with("kustomize.config.k8s.io/"))
}

/// Runs `tests/go/kustomize-build` on a tree: its Flux Kustomizations, or with `--all-folders` its folders.
pub fn build(program: &Path, tree: &Path, arguments: &[&str]) -> Vec<Built> {
    let output = Command::new(program)
        .arg("-root")
        .arg(tree)
        .args(arguments)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::Deserializer::from_slice(&output.stdout)
        .into_iter()
        .map(Result::unwrap)
        .collect()
}

/// Where what is built is not exactly what is in the files. Objects for several clusters may have
/// one identity: then it must be one of them.
pub fn build_faults(objects: &[Object], built: &[Built]) -> Vec<String> {
    let mut files: BTreeMap<String, Vec<&Value>> = BTreeMap::new();
    for object in objects {
        files
            .entry(id(&object.value))
            .or_default()
            .push(&object.value);
    }
    let mut faults = Vec::new();
    for Built {
        name,
        objects,
        error,
    } in built
    {
        if let Some(error) = error {
            faults.push(format!("{name} does not build: {error}"));
        }
        for object in objects.iter().flatten() {
            match files.get(&id(object)) {
                None => faults.push(format!("{name} makes {}, which is in no file", id(object))),
                Some(known) if !known.contains(&object) => {
                    faults.push(format!(
                        "{name} changes {}:\n  file:  {}\n  built: {object}",
                        id(object),
                        known[0]
                    ));
                }
                Some(_) => {}
            }
        }
    }
    faults
}

/// Where an object is not delivered by exactly one of `built`.
pub fn delivery_faults(objects: &[Object], built: &[Built]) -> Vec<String> {
    let mut deliveries: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for Built { name, objects, .. } in built {
        for object in objects.iter().flatten() {
            deliveries.entry(id(object)).or_default().push(name);
        }
    }
    let undelivered = objects
        .iter()
        .filter(|object| !deliveries.contains_key(&id(&object.value)))
        .map(|object| {
            format!(
                "{} in {} is delivered by nothing",
                id(&object.value),
                object.file
            )
        });
    let twice = deliveries
        .iter()
        .filter(|(_, by)| by.len() > 1)
        .map(|(object, by)| format!("{object} is delivered by {}", by.join(" and ")));
    undelivered.chain(twice).collect()
}

/// Objects that stand in the files more than once.
pub fn duplicates(objects: &[Object]) -> Vec<String> {
    let mut files: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for object in objects {
        files
            .entry(id(&object.value))
            .or_default()
            .push(&object.file);
    }
    files.retain(|_, files| files.len() > 1);
    files
        .iter()
        .map(|(object, files)| format!("{object} is in {}", files.join(" and ")))
        .collect()
}

/// The identity of an object in a cluster.
pub fn id(object: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let metadata = &object["metadata"];
    let group = text(&object["apiVersion"]);
    let group = group.rsplit_once('/').map_or("", |(group, _)| group);
    format!(
        "{} {group} {}/{}",
        text(&object["kind"]),
        text(&metadata["namespace"]),
        text(&metadata["name"])
    )
}
