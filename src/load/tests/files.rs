//! Which files are read.

use std::fmt::Write;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::{LoadOptions, Loaded, load};

fn cluster(name: &str) -> String {
    format!(
        "apiVersion: greenhouse.sap/v1alpha1\nkind: Cluster\nmetadata: {{name: {name}}}\nspec: {{accessMode: direct}}\n"
    )
}

/// A folder with these files.
// Tests write what they read.
#[allow(clippy::disallowed_methods)]
fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

fn read(sources: &[&Path]) -> Loaded {
    let sources: Vec<_> = sources.iter().map(|path| PathBuf::from(*path)).collect();
    let options = LoadOptions {
        organization: Some("acme".into()),
        ..LoadOptions::default()
    };
    load(&sources, &options)
}

fn clusters(loaded: &Loaded) -> Vec<&str> {
    loaded
        .world
        .clusters
        .keys()
        .map(|(_, name)| name.as_str())
        .collect()
}

/// The problems, with files relative to the folder.
fn problems(folder: &TempDir, loaded: &Loaded) -> Vec<String> {
    let root = format!("{}/", folder.path().display());
    loaded
        .diagnostics
        .iter()
        .map(|diagnostic| {
            let at = diagnostic.location.as_ref().unwrap();
            let text = format!(
                "{} {:?} {at} {}",
                diagnostic.severity.as_str(),
                diagnostic.code,
                diagnostic.message
            );
            text.replace(&root, "")
        })
        .collect()
}

#[test]
fn only_kinds_of_ours_are_read_whatever_lies_between_them() {
    let broken = "kind: Plugin\nmetadata: {{ .Values.x }}\n";
    let folder = folder(&[
        ("a/one.yaml", &cluster("one")),
        (
            "b/two.yml",
            &format!("kind: ConfigMap\napiVersion: v1\n---\n{}", cluster("two")),
        ),
        (
            "three.json",
            r#"{"apiVersion":"greenhouse.sap/v1alpha1","kind":"Cluster","metadata":{"name":"three"},"spec":{"accessMode":"direct"}}"#,
        ),
        (
            "list.yaml",
            "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: greenhouse.sap/v1alpha1, kind: Cluster, metadata: {name: four}, spec: {accessMode: direct}}\n- {apiVersion: v1, kind: Secret}\n",
        ),
        (
            "kustomization.yaml",
            "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [a]\n",
        ),
        ("README.md", &cluster("text")),
        (".github/hidden.yaml", &cluster("hidden")),
        (
            "other/cluster.yaml",
            "apiVersion: cluster.x-k8s.io/v1beta1\nkind: Cluster\nmetadata: {name: x\n",
        ),
        ("other/broken.yaml", "a: b: c\n"),
        ("chart/Chart.yaml", "name: chart\n"),
        (
            "chart/templates/preset.yaml",
            &format!("apiVersion: greenhouse.sap/v1alpha1\n{broken}"),
        ),
        ("chart/templates/fine.yaml", &cluster("template")),
        (
            "loose/templates/preset.yaml",
            &format!("apiVersion: greenhouse.sap/v1alpha1\n{broken}"),
        ),
    ]);
    let loaded = read(&[folder.path()]);
    assert_eq!(problems(&folder, &loaded), Vec::<String>::new());
    assert_eq!(clusters(&loaded), ["four", "one", "three", "two"]);
}

#[test]
fn a_broken_document_of_ours_is_an_error_and_the_rest_of_the_file_is_read() {
    let folder = folder(&[(
        "a.yaml",
        &format!(
            "{}---\napiVersion: greenhouse.sap/v1alpha1\nkind: Cluster\nmetadata: {{name: b: c}}\n---\n{}",
            cluster("one"),
            cluster("two")
        ),
    )]);
    let loaded = read(&[folder.path()]);
    let [problem] = problems(&folder, &loaded).try_into().unwrap();
    assert!(
        problem.starts_with("error InvalidYaml a.yaml:8:"),
        "{problem}"
    );
    assert_eq!(clusters(&loaded), ["one", "two"]);
    assert_eq!(loaded.files.len(), 1);
}

#[test]
fn a_key_that_stands_twice_is_an_error() {
    let folder = folder(&[("a.yaml", &format!("{}kind: Cluster\n", cluster("one")))]);
    let loaded = read(&[folder.path()]);
    let [problem] = problems(&folder, &loaded).try_into().unwrap();
    assert!(
        problem.starts_with("error DuplicateKey a.yaml:5:1 "),
        "{problem}"
    );
}

#[test]
fn what_is_deep_or_grows_is_an_error() {
    let deep = format!(
        "{}x: {}1{}\n",
        cluster("deep"),
        "[".repeat(100_000),
        "]".repeat(100_000)
    );
    let mut bomb = cluster("bomb");
    bomb.push_str("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
    for level in 1..9 {
        let last = level - 1;
        let row = vec![format!("*a{last}"); 9].join(", ");
        writeln!(bomb, "a{level}: &a{level} [{row}]").unwrap();
    }
    let folder = folder(&[("bomb.yaml", &bomb), ("deep.yaml", &deep)]);
    let loaded = read(&[folder.path()]);
    let codes: Vec<_> = loaded.diagnostics.iter().map(|each| each.code).collect();
    assert_eq!(
        codes,
        [crate::diagnostic::Code::TooDeep; 2],
        "{:?}",
        problems(&folder, &loaded)
    );
}

#[test]
fn a_file_given_by_name_is_read_whatever_it_is_called() {
    let folder = folder(&[(".hidden/cluster.txt", &cluster("one"))]);
    let file = folder.path().join(".hidden/cluster.txt");
    assert_eq!(clusters(&read(&[&file])), ["one"]);
}

#[test]
fn a_file_of_two_sources_is_read_once() {
    let folder = folder(&[("a/one.yaml", &cluster("one")), ("b.yaml", &cluster("two"))]);
    let inner = folder.path().join("a");
    let loaded = read(&[folder.path(), &inner, &inner.join("one.yaml")]);
    assert_eq!(problems(&folder, &loaded), Vec::<String>::new());
    assert_eq!(loaded.world.clusters_seen, 2);
}

#[test]
fn two_objects_of_one_name_are_an_error_that_names_both() {
    let folder = folder(&[("a.yaml", &cluster("one")), ("b.yaml", &cluster("one"))]);
    let loaded = read(&[folder.path()]);
    assert_eq!(
        problems(&folder, &loaded),
        [
            "error DuplicateObject b.yaml:1:1 Cluster acme/one is defined twice: here and at a.yaml:1:1"
        ]
    );
    assert_eq!(clusters(&loaded), ["one"]);
}

#[test]
fn a_path_that_is_missing_or_has_nothing_is_reported() {
    let folder = folder(&[("empty/readme.txt", ""), ("other.yaml", "a: 1\n")]);
    let missing = folder.path().join("missing");
    let loaded = read(&[
        &missing,
        &folder.path().join("empty"),
        &folder.path().join("other.yaml"),
    ]);
    assert_eq!(
        problems(&folder, &loaded),
        [
            "warning NothingFound empty:1:1 `empty` has no object that coldframe knows",
            "error Unreadable missing:1:1 `missing` cannot be read: No such file or directory (os error 2)",
            "warning NothingFound other.yaml:1:1 `other.yaml` has no object that coldframe knows",
        ]
    );
}

#[test]
fn the_output_and_the_templates_of_a_fleet_are_no_input() {
    let fleet = "apiVersion: coldframe.dev/v1alpha1\nkind: Fleet\nmetadata: {name: acme}\nspec: {output: {path: out/tree}, templates: mine}\n";
    let folder = folder(&[
        ("coldframe.yaml", fleet),
        ("out/tree/one.yaml", &cluster("one")),
        ("out/two.yaml", &cluster("two")),
        ("mine/three.yaml", &cluster("three")),
        ("given/four.yaml", &cluster("four")),
    ]);
    let options = LoadOptions {
        organization: None,
        ignore: vec![folder.path().join("given")],
    };
    let loaded = load(&[folder.path().to_path_buf()], &options);
    assert_eq!(clusters(&loaded), ["two"]);
    // What is given by name is meant.
    assert_eq!(clusters(&read(&[&folder.path().join("out/tree")])), ["one"]);
}

#[test]
fn what_is_no_text_is_skipped_and_said() {
    let folder = folder(&[("fine.yaml", &cluster("one"))]);
    let write = |name: &str, bytes: &[u8]| {
        // Tests write what they read.
        #[allow(clippy::disallowed_methods)]
        fs::write(folder.path().join(name), bytes).unwrap();
    };
    write("binary.yaml", b"\0\x01\x02");
    write("latin.yaml", b"name: \xfcber\n");
    write(
        "ours.yaml",
        b"apiVersion: greenhouse.sap/v1alpha1\nname: \xfcber\n",
    );
    write("utf16.yaml", b"\xff\xfea\0:\0");
    let loaded = read(&[folder.path()]);
    assert_eq!(
        problems(&folder, &loaded),
        [
            "note NotText binary.yaml:1:1 `binary.yaml` is not a text of UTF-8 and was skipped",
            "note NotText latin.yaml:1:1 `latin.yaml` is not a text of UTF-8 and was skipped",
            "error NotText ours.yaml:1:1 `ours.yaml` is not a text of UTF-8 and was skipped",
            "error NotText utf16.yaml:1:1 `utf16.yaml` is not a text of UTF-8 and was skipped",
        ]
    );
    let explicit = read(&[&folder.path().join("binary.yaml")]);
    assert!(explicit.diagnostics.has_errors());
}

#[test]
fn a_file_that_is_too_large_is_skipped_and_said() {
    let folder = folder(&[("fine.yaml", &cluster("one"))]);
    // A file with a hole, so that nothing is really written.
    #[allow(clippy::disallowed_methods)]
    let file = fs::File::create(folder.path().join("large.yaml")).unwrap();
    file.set_len(100 << 20).unwrap();
    let loaded = read(&[folder.path()]);
    assert_eq!(
        problems(&folder, &loaded),
        ["error NotText large.yaml:1:1 `large.yaml` is larger than 32 MB and was skipped"]
    );
    assert_eq!(clusters(&loaded), ["one"]);
}

#[test]
fn what_cannot_be_read_is_an_error() {
    let folder = folder(&[
        ("closed.yaml", &cluster("one")),
        ("open.yaml", &cluster("two")),
    ]);
    let closed = folder.path().join("closed.yaml");
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).unwrap();
    // The superuser can read it all the same.
    #[allow(clippy::disallowed_methods)]
    if fs::File::open(&closed).is_ok() {
        println!("SKIPPED: this user can read every file");
        return;
    }
    let loaded = read(&[folder.path()]);
    assert_eq!(
        problems(&folder, &loaded),
        [
            "error Unreadable closed.yaml:1:1 `closed.yaml` cannot be read: Permission denied (os error 13)"
        ]
    );
    assert_eq!(clusters(&loaded), ["two"]);
}

#[test]
fn symbolic_links_are_followed_inside_the_folder_only() {
    let outside = folder(&[("out.yaml", &cluster("out"))]);
    let folder = folder(&[
        ("a/one.yaml", &cluster("one")),
        (".data/two.yaml", &cluster("two")),
        ("z/deep/three.yaml", &cluster("three")),
    ]);
    let link = |target: &Path, name: &str| symlink(target, folder.path().join(name)).unwrap();
    link(&folder.path().join(".data/two.yaml"), "two.yaml");
    link(&folder.path().join("a/one.yaml"), "again.yaml");
    link(&folder.path().join("z/deep"), "a/sideways");
    link(&outside.path().join("out.yaml"), "out.yaml");
    link(outside.path(), "z/out");
    link(folder.path(), "z/deep/circle");
    link(Path::new("self.yaml"), "self.yaml");
    let loaded = read(&[folder.path()]);
    assert_eq!(clusters(&loaded), ["one", "three", "two"]);
    assert_eq!(loaded.world.clusters_seen, 3);
    assert_eq!(
        problems(&folder, &loaded),
        [
            "warning SymlinkSkipped out.yaml:1:1 the symbolic link `out.yaml` leads out of the folder: it is not read",
            "warning SymlinkSkipped self.yaml:1:1 the symbolic link `self.yaml` leads nowhere, or in a circle: it is not read",
            "warning SymlinkSkipped z/deep/circle:1:1 the symbolic link `z/deep/circle` leads in a circle: it is not read",
            "warning SymlinkSkipped z/out:1:1 the symbolic link `z/out` leads out of the folder: it is not read",
        ]
    );
}

#[test]
fn links_in_every_direction_end() {
    let folder = folder(&[]);
    let names: Vec<_> = (0..12)
        .map(|index| folder.path().join(format!("d{index}")))
        .collect();
    for name in &names {
        fs::create_dir(name).unwrap();
    }
    for (index, from) in names.iter().enumerate() {
        for (other, to) in names
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != index)
        {
            symlink(to, from.join(format!("l{other}"))).unwrap();
        }
    }
    let loaded = read(&[folder.path()]);
    assert_eq!(
        loaded.diagnostics.iter().count(),
        1,
        "{:?}",
        problems(&folder, &loaded)
    );
}

#[test]
fn the_organization_is_told_by_what_is_there() {
    let preset = |name: &str, namespace: &str| {
        format!(
            "---\napiVersion: greenhouse.sap/v1alpha1\nkind: PluginPreset\nmetadata: {{name: {name}{namespace}}}\nspec: {{clusterSelector: {{matchLabels: {{a: b}}}}, plugin: {{pluginDefinition: d}}}}\n"
        )
    };
    let fleet = "---\napiVersion: coldframe.dev/v1alpha1\nkind: Fleet\nmetadata: {name: f, namespace: fleet}\n";
    let of = |text: &str| {
        let loaded = super::load_text("f.yaml", text.to_owned(), &LoadOptions::default());
        (loaded.organization.clone(), super::problems(&loaded))
    };
    let none = Vec::<String>::new();
    let homeless = cluster("c");
    assert_eq!(of(&homeless), ("default".into(), none.clone()));
    let one = format!("{homeless}{}", preset("p", ", namespace: one"));
    assert_eq!(of(&one), ("one".into(), none.clone()));
    assert_eq!(of(&format!("{one}{fleet}")), ("fleet".into(), none));
    let two = format!("{one}{}", preset("q", ", namespace: two"));
    assert_eq!(
        of(&two),
        (
            "default".into(),
            vec!["warning OrganizationAssumed 1:1 this Cluster has no namespace, and the presets are in 2 of them: `default` is assumed".into()]
        )
    );
}
