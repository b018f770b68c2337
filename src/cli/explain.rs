//! `coldframe explain`: where each value of a release comes from, and what it took the place of.

use std::io::{self, Write};

use comfy_table::{ContentArrangement, Table, presets};
use serde_json::{Value, json};

use super::Exit;
use super::args::{Explain, View};
use super::console::{Console, or_did_you_mean};
use super::inputs::Inputs;
use crate::diagnostic::Diagnostics;
use crate::expand::{Entry, Origin, Release, Source};
use crate::model::label;
use crate::render::{self, Job, Renderer};
use crate::resolve::Revision;
use crate::yaml;

pub(super) fn run(args: &Explain, console: Console) -> io::Result<Exit> {
    let paths = [args.directory.clone()];
    let Some(inputs) = Inputs::read(&paths, &args.inputs, None, console)? else {
        return Ok(Exit::Invalid);
    };
    let mut diagnostics = inputs.loaded.diagnostics.clone();
    let resolved = render::resolve(&inputs.loaded.world, &mut diagnostics);
    let renderer = inputs.renderer(&resolved, &mut diagnostics);
    let job = match find(args, &renderer) {
        Ok(job) => job,
        Err(message) => {
            console.report(&about(&diagnostics, &args.preset), &inputs.loaded.files)?;
            console.error(&message);
            return Ok(Exit::Invalid);
        }
    };
    let revision = &resolved[job.subject].revision;
    let release = match renderer.expand(job) {
        Ok(release) => release,
        Err(problems) => {
            let mut all = Diagnostics::new();
            all.extend(problems);
            console.report(&all, &inputs.loaded.files)?;
            return Ok(Exit::Invalid);
        }
    };
    let (_, tier) = renderer.subject(job);
    let mut out = console.stdout();
    match args.o {
        View::Table => print(&mut out, &release, revision, tier)?,
        View::Json => writeln!(out, "{:#}", value(&release, revision, tier))?,
        View::Yaml => {
            let mut text = String::new();
            yaml::write(&value(&release, revision, tier), &mut text);
            out.write_all(text.as_bytes())?;
        }
    }
    out.flush()?;
    Ok(Exit::Fine)
}

fn about(diagnostics: &Diagnostics, name: &str) -> Diagnostics {
    diagnostics
        .iter()
        .filter(|one| {
            one.object
                .as_ref()
                .is_some_and(|object| object.name == name)
        })
        .cloned()
        .collect()
}

fn find<'r, 'a>(args: &Explain, renderer: &'r Renderer<'a>) -> Result<&'r Job<'a>, String> {
    let name = |job: &Job<'a>| job.cluster_name().unwrap_or("hub");
    let preset = |job: &Job<'a>| renderer.subject(job).0.meta().name.as_str();
    let jobs: Vec<&Job<'a>> = renderer
        .jobs()
        .iter()
        .filter(|job| preset(job) == args.preset)
        .collect();
    if jobs.is_empty() {
        let hint = or_did_you_mean(&args.preset, renderer.jobs().iter().map(preset));
        return Err(format!(
            "no release comes from a preset or Plugin `{}`{hint}",
            args.preset
        ));
    }
    match &args.cluster {
        None if jobs.len() == 1 => Ok(jobs[0]),
        None => {
            let names: Vec<&str> = jobs.iter().map(|job| name(job)).collect();
            Err(format!(
                "`{}` is on {} clusters; name one of {}",
                args.preset,
                jobs.len(),
                names.join(", ")
            ))
        }
        Some(cluster) => jobs
            .iter()
            .find(|job| name(job) == *cluster)
            .copied()
            .ok_or_else(|| {
                let hint = or_did_you_mean(cluster, jobs.iter().map(|job| name(job)));
                format!("`{}` is not on a cluster `{cluster}`{hint}", args.preset)
            }),
    }
}

fn print(
    out: &mut impl Write,
    release: &Release<'_>,
    revision: &Revision,
    tier: &str,
) -> io::Result<()> {
    let definition = &revision.definition;
    writeln!(
        out,
        "{} on {}, tier {tier}",
        release.name,
        release.cluster.unwrap_or("the hub")
    )?;
    writeln!(
        out,
        "  runs      {} {} ({})",
        definition.meta.name, definition.version, definition.meta.location
    )?;
    writeln!(out, "  digest    {}", revision.digest)?;
    if let Some(chart) = release.chart {
        writeln!(
            out,
            "  chart     {} {} from {}",
            chart.name, chart.version, chart.repository
        )?;
        let (name, namespace) = (
            release.release_name.unwrap_or_default(),
            release.release_namespace.unwrap_or_default(),
        );
        writeln!(out, "  release   {name} in namespace {namespace}")?;
    }
    if let Some(owner) = release.labels.get(label::OWNED_BY) {
        writeln!(out, "  owner     {owner}")?;
    }
    let waits: Vec<String> = release.depends_on().collect();
    if !waits.is_empty() {
        writeln!(out, "  waits for {}", waits.join(", "))?;
    }
    writeln!(out)?;
    let mut grid = Table::new();
    grid.load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic);
    grid.set_header(["OPTION", "VALUE", "FROM", "INSTEAD OF"]);
    for entry in &release.options {
        let instead: Vec<String> = entry
            .overrode
            .iter()
            .rev()
            .map(|source| place(*source))
            .collect();
        grid.add_row([
            entry.name.to_string(),
            shown(entry),
            place(entry.source),
            instead.join("\n"),
        ]);
    }
    for line in grid.lines() {
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}

/// A value on one line, cut where it is long.
fn shown(entry: &Entry<'_>) -> String {
    const LONGEST: usize = 60;
    let text = match (entry.secret(), entry.value.as_deref()) {
        (Some(secret), _) => format!("key {} of Secret {}", secret.key, secret.name),
        (None, Some(Value::String(text))) => text.clone(),
        (None, Some(value)) => value.to_string(),
        (None, None) => String::new(),
    };
    let line = text.lines().next().unwrap_or_default();
    if line.len() == text.len() && line.chars().count() <= LONGEST {
        return text;
    }
    format!("{}…", line.chars().take(LONGEST - 1).collect::<String>())
}

fn origin(origin: Origin) -> &'static str {
    match origin {
        Origin::Default => "default",
        Origin::OptionValues => "optionValues",
        Origin::Override => "clusterOptionOverrides",
        Origin::Injected => "set by Greenhouse",
    }
}

fn place(source: Source<'_>) -> String {
    match source.location {
        Some(location) => format!(
            "{}:{} {}",
            location.file,
            location.line,
            origin(source.origin)
        ),
        None => origin(source.origin).to_owned(),
    }
}

fn value(release: &Release<'_>, revision: &Revision, tier: &str) -> Value {
    let source =
        |source: &Source<'_>| json!({"origin": origin(source.origin), "location": source.location});
    let options: Vec<Value> = release
        .options
        .iter()
        .map(|entry| {
            json!({
                "name": entry.name,
                "value": entry.value,
                "secret": entry.secret().map(|secret| json!({"name": secret.name, "key": secret.key})),
                "from": source(&entry.source),
                "insteadOf": entry.overrode.iter().rev().map(source).collect::<Vec<_>>(),
            })
        })
        .collect();
    json!({
        "release": release.name,
        "namespace": release.namespace,
        "cluster": release.cluster,
        "tier": tier,
        "definition": revision.definition.meta.name,
        "version": revision.version(),
        "digest": revision.digest,
        "releaseName": release.release_name,
        "releaseNamespace": release.release_namespace,
        "dependsOn": release.depends_on().collect::<Vec<_>>(),
        "options": options,
    })
}
