//! Speed and memory of `coldframe render`, beside Helm, kustomize and `cp` in the same run.
//!
//! `make bench` builds what is compared. A tool that is not there is left out, and that is said.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::cast_precision_loss,
    reason = "a measurement, no part of the program"
)]

use std::fmt::Write as _;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use wait4::Wait4;

const RUNS: usize = 3;
const PRESETS: usize = 50;

/// One command's figures: seconds and MiB.
#[derive(Clone, Copy)]
struct Figures {
    wall: f64,
    cpu: f64,
    peak: f64,
}

fn main() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    println!("{:<44} {:>8} {:>8} {:>8}", "", "wall s", "CPU s", "MiB");

    let fleet = root.join("fleet");
    generate(&fleet, 1_000);
    let out = root.join("out");
    let stdout = row(
        "coldframe, 50,000 releases to stdout",
        || coldframe(&fleet, Path::new("-")),
        || {},
    );
    let first = row(
        "coldframe, to an empty folder",
        || coldframe(&fleet, &out),
        || remove(&out),
    );
    let again = row(
        "coldframe, again with nothing changed",
        || coldframe(&fleet, &out),
        || {},
    );
    let copy = root.join("copy");
    let cp = row(
        "cp -r of the tree",
        || command("cp", &["-r", path(&out), path(&copy)]),
        || remove(&copy),
    );

    // One document as the body of those that the others render.
    let mut releases = fs::read_dir(out.join("releases/plugin-00/default"))
        .unwrap()
        .map(Result::unwrap);
    let release = releases
        .find(|entry| entry.file_name() != "kustomization.yaml")
        .unwrap();
    let document = fs::read_to_string(release.path()).unwrap();
    let name = release
        .file_name()
        .into_string()
        .unwrap()
        .replace(".yaml", "");
    let document = document.replace(&format!("name: plugin-00-{name}"), "name: NAME");
    let helm = tool("helm").map(|helm| {
        let chart = root.join("chart");
        chart_of(&chart, &document, 50_000);
        row(
            "helm template, 50,000 documents",
            || command(&helm, &["template", "bench", path(&chart)]),
            || {},
        )
    });
    if let Some(kustomize) = tool("kustomize") {
        for count in [1_000, 4_000] {
            let folder = root.join(format!("kustomize-{count}"));
            kustomization_of(&folder, &document, count);
            row(
                &format!("kustomize build, {count} documents"),
                || command(&kustomize, &["build", path(&folder)]),
                || {},
            );
        }
    }

    let per_release = [200, 1_000, 2_000].map(|clusters| {
        let fleet = root.join(format!("fleet-{clusters}"));
        generate(&fleet, clusters);
        let releases = clusters * PRESETS;
        let figures = row(
            &format!("coldframe, {releases} releases to stdout"),
            || coldframe(&fleet, Path::new("-")),
            || {},
        );
        figures.cpu / releases as f64
    });

    println!();
    if let Some(helm) = helm {
        verdict(
            "to stdout, times faster than helm",
            helm.wall / stdout.wall,
            "at least 4",
        );
        verdict(
            "memory, share of helm's",
            stdout.peak / helm.peak,
            "less than 0.5",
        );
    }
    verdict(
        "to an empty folder, times cp -r",
        first.wall / cp.wall,
        "at most 2",
    );
    verdict(
        "again, share of the first time",
        again.wall / first.wall,
        "at most 0.33",
    );
    verdict(
        "CPU per release, 100,000 against 10,000",
        per_release[2] / per_release[0],
        "0.85 to 1.15",
    );
}

fn verdict(what: &str, figure: f64, required: &str) {
    println!("{what:<44} {figure:>8.2}   required: {required}");
}

/// The median of some runs by wall time, printed as a row.
fn row(name: &str, run: impl Fn() -> Command, before: impl Fn()) -> Figures {
    let mut figures: Vec<Figures> = (0..RUNS)
        .map(|_| {
            before();
            measure(run())
        })
        .collect();
    figures.sort_by(|a, b| a.wall.total_cmp(&b.wall));
    let figures = figures[RUNS / 2];
    println!(
        "{name:<44} {:>8.2} {:>8.2} {:>8.0}",
        figures.wall, figures.cpu, figures.peak
    );
    figures
}

/// Runs a command to its end, its output read. CPU time and peak memory are the kernel's.
fn measure(mut command: Command) -> Figures {
    let start = Instant::now();
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut output = child.stdout.take().unwrap();
    let mut buffer = vec![0; 1 << 20];
    while output.read(&mut buffer).unwrap() > 0 {}
    let used = child.wait4().unwrap();
    assert!(used.status.success(), "{command:?}");
    Figures {
        wall: start.elapsed().as_secs_f64(),
        cpu: (used.rusage.utime + used.rusage.stime).as_secs_f64(),
        peak: used.rusage.maxrss as f64 / 1024.0 / 1024.0,
    }
}

fn command(program: impl AsRef<Path>, arguments: &[&str]) -> Command {
    let mut command = Command::new(program.as_ref());
    command.args(arguments);
    command
}

fn coldframe(fleet: &Path, output: &Path) -> Command {
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/release/coldframe");
    command(
        program,
        &["render", path(fleet), "--output", path(output), "-q"],
    )
}

/// A tool on the PATH, or in the cache where `make bench` builds it.
fn tool(name: &str) -> Option<PathBuf> {
    let variable = |name| std::env::var_os(name).map(PathBuf::from);
    let cache = variable("COLDFRAME_CACHE")
        .or_else(|| Some(variable("XDG_CACHE_HOME")?.join("coldframe")))
        .or_else(|| Some(variable("HOME")?.join(".cache/coldframe")))?;
    let places = std::env::split_paths(&std::env::var_os("PATH")?).collect::<Vec<_>>();
    let found = places
        .into_iter()
        .chain([cache.join("bench")])
        .map(|folder| folder.join(name))
        .find(|file| file.is_file());
    if found.is_none() {
        println!("SKIPPED: {name} is not there");
    }
    found
}

/// Clusters, and 50 presets with 10 options each and overrides on 5 % of the clusters.
fn generate(folder: &Path, clusters: usize) {
    fs::create_dir_all(folder).unwrap();
    let mut text = String::new();
    for index in 0..clusters {
        write!(
            text,
            "---\napiVersion: greenhouse.sap/v1alpha1\nkind: Cluster\nmetadata:\n  name: cluster-{index:04}\n  labels:\n    all: x\n    \
             metadata.greenhouse.sap/region: eu-{}\n    metadata.greenhouse.sap/environment: production\nspec: {{accessMode: direct}}\n",
            index % 5
        )
        .unwrap();
    }
    fs::write(folder.join("clusters.yaml"), text).unwrap();
    for preset in 0..PRESETS {
        let mut text = format!(
            "apiVersion: greenhouse.sap/v1alpha1\nkind: PluginDefinition\nmetadata: {{name: plugin-{preset:02}}}\nspec:\n  version: 1.2.3\n  \
             helmChart: {{name: plugin-{preset:02}, repository: \"oci://charts.example.com/x\", version: 1.0.0}}\n  options:\n"
        );
        for option in 0..10 {
            writeln!(text, "  - {{name: section{}.option{option}, type: string, required: false, default: none}}", option % 3).unwrap();
        }
        write!(
            text,
            "---\napiVersion: greenhouse.sap/v1alpha1\nkind: PluginPreset\nmetadata: {{name: plugin-{preset:02}}}\nspec:\n  \
             clusterSelector: {{matchLabels: {{all: x}}}}\n  plugin:\n    pluginDefinitionRef: {{name: plugin-{preset:02}}}\n    optionValues:\n"
        )
        .unwrap();
        for option in 0..10 {
            writeln!(text, "    - {{name: section{}.option{option}, value: \"value {option} of plugin {preset}\"}}", option % 3).unwrap();
        }
        text.push_str("  clusterOptionOverrides:\n");
        for cluster in (preset % 20..clusters).step_by(20) {
            writeln!(text, "  - {{clusterName: cluster-{cluster:04}, overrides: [{{name: section0.option3, value: \"over {cluster}\"}}]}}").unwrap();
        }
        fs::write(folder.join(format!("plugin-{preset:02}.yaml")), text).unwrap();
    }
}

/// A chart that ranges over documents like ours.
fn chart_of(folder: &Path, document: &str, count: usize) {
    fs::create_dir_all(folder.join("templates")).unwrap();
    fs::write(
        folder.join("Chart.yaml"),
        "apiVersion: v2\nname: bench\nversion: 1.0.0\n",
    )
    .unwrap();
    let body = document.replace("name: NAME", "name: plugin-00-{{ $i }}");
    let template = format!("{{{{- range $i := until {count} }}}}\n---\n{body}{{{{- end }}}}\n");
    fs::write(folder.join("templates/all.yaml"), template).unwrap();
}

fn kustomization_of(folder: &Path, document: &str, count: usize) {
    fs::create_dir_all(folder).unwrap();
    let mut index = String::from("resources:\n");
    for number in 0..count {
        let text = document.replace("name: NAME", &format!("name: plugin-00-{number}"));
        fs::write(folder.join(format!("{number}.yaml")), text).unwrap();
        writeln!(index, "- {number}.yaml").unwrap();
    }
    fs::write(folder.join("kustomization.yaml"), index).unwrap();
}

fn remove(folder: &Path) {
    if folder.exists() {
        fs::remove_dir_all(folder).unwrap();
    }
}

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}
