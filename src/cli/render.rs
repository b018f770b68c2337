//! `coldframe render`.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::path::Path;

use rayon::prelude::*;

use super::Exit;
use super::args::Render;
use super::console::{Console, or_did_you_mean, plural};
use super::inputs::{Inputs, cache};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::emit::{EmitError, HEADER, Left, Stamp, TreeWriter, WriteOptions};
use crate::model::DeletionLimit;
use crate::render::{self, File, Job, Kept, Outcome, Previous, Renderer};

/// How many releases are rendered at a time: enough for all cores, few enough to hold.
const BATCH: usize = 1024;

const NOTHING: &str = "Nothing was written; `--keep-going` renders what can be rendered";

/// How many releases a render may remove where nothing else is said.
const DEFAULT_DELETION_LIMIT: DeletionLimit = DeletionLimit::Percent(10);

pub(super) fn run(args: &Render, console: Console) -> io::Result<Exit> {
    let to_stdout = args.output == Path::new("-");
    let ignored = (!to_stdout).then_some(args.output.as_path());
    let Some(mut inputs) = Inputs::read(&args.paths, &args.inputs, ignored, console)? else {
        return Ok(Exit::Invalid);
    };
    let limit = match &args.deletion_limit {
        None => inputs
            .loaded
            .world
            .fleet
            .as_ref()
            .and_then(|fleet| fleet.deletion_limit),
        Some(text) => match text.parse() {
            Ok(limit) => Some(limit),
            Err(message) => {
                console.error(&format!("`--deletion-limit {text}`: {message}"));
                return Ok(Exit::Invalid);
            }
        },
    };
    let unread = inputs.has_unread();
    let no_clusters = inputs
        .loaded
        .diagnostics
        .iter()
        .any(|one| one.code == Code::EmptyInventory);
    let mut diagnostics = std::mem::take(&mut inputs.loaded.diagnostics);
    let resolved = render::resolve(&inputs.loaded.world, &mut diagnostics);
    let renderer = inputs.renderer(&resolved, &mut diagnostics);
    let filter = Filter::new(args);
    if let Some(message) = filter.mistake(&renderer) {
        console.error(&message);
        return Ok(Exit::Invalid);
    }
    if no_clusters || diagnostics.has_errors() && !args.keep_going {
        return give_up(&renderer, &filter, diagnostics, &inputs, console);
    }

    let whole = !to_stdout && !filter.is_active() && !diagnostics.has_errors();
    let digest = if whole {
        inputs.digest()?
    } else {
        String::new()
    };
    let stamp = || Stamp::new(&cache()?, &args.output).filter(|_| whole);
    if let Some(left) = stamp().and_then(|stamp| stamp.matching(&digest)) {
        diagnostics.sort();
        console.report(&diagnostics, &inputs.loaded.files)?;
        console.say(&done(
            &plural(left.releases, "release"),
            &args.output,
            0,
            left.files,
            0,
        ));
        return Ok(Exit::Fine);
    }

    let kept = match (filter.is_active(), unread) {
        (true, _) => Kept::Everything,
        (false, true) => Kept::Unread,
        (false, false) => Kept::Failed,
    };
    let run = Run {
        renderer: &renderer,
        filter: &filter,
        console,
        keep_going: args.keep_going,
        kept,
    };
    let result = if to_stdout {
        run.to_stdout(&mut diagnostics)
    } else {
        let options = WriteOptions {
            remove: !filter.is_active(),
            deletion_limit: Some(limit.unwrap_or(DEFAULT_DELETION_LIMIT)),
            allow_deletions: args.allow_deletions,
        };
        run.to_folder(&args.output, options, &mut diagnostics)
    };
    diagnostics.sort();
    console.report(&diagnostics, &inputs.loaded.files)?;
    let outcome = match result {
        Ok(outcome) => outcome,
        Err(Failure::Io(error)) => return Err(error),
        Err(Failure::Emit(error)) => return Ok(refused(&error, console)),
    };
    match outcome {
        Some((words, left)) => {
            console.say(&words);
            if let (Some(left), Some(stamp), false) = (left, stamp(), diagnostics.has_errors()) {
                // Without a stamp the next render takes longer, and is right all the same.
                drop(stamp.record(&digest, left));
            }
        }
        None => console.say(NOTHING),
    }
    Ok(if diagnostics.has_errors() {
        Exit::Invalid
    } else {
        Exit::Fine
    })
}

/// Nothing will be written, but every problem is worth knowing: those of the releases too.
fn give_up(
    renderer: &Renderer<'_>,
    filter: &Filter,
    mut diagnostics: Diagnostics,
    inputs: &Inputs,
    console: Console,
) -> io::Result<Exit> {
    let jobs: Vec<&Job<'_>> = renderer
        .jobs()
        .iter()
        .filter(|job| filter.wants(renderer, job))
        .collect();
    let problems: Vec<_> = jobs
        .par_iter()
        .filter_map(|job| renderer.expand(job).err())
        .collect();
    diagnostics.extend(problems.into_iter().flatten());
    diagnostics.sort();
    let no_clusters = diagnostics
        .iter()
        .any(|one| one.code == Code::EmptyInventory);
    console.report(&diagnostics, &inputs.loaded.files)?;
    console.say(if no_clusters {
        "Nothing was written"
    } else {
        NOTHING
    });
    Ok(Exit::Invalid)
}

/// A tree that could not be written.
fn refused(error: &EmitError, console: Console) -> Exit {
    console.error(&error.to_string());
    match error {
        EmitError::Deletions { removed, .. } => {
            for path in removed {
                console.say(&format!("  {path}"));
            }
            console.say(&format!(
                "`--allow-deletions {}` lets it pass this once",
                removed.len()
            ));
            Exit::Limit
        }
        _ => Exit::Io,
    }
}

enum Failure {
    Io(io::Error),
    Emit(EmitError),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<EmitError> for Failure {
    fn from(error: EmitError) -> Self {
        Self::Emit(error)
    }
}

struct Run<'r, 'a> {
    renderer: &'r Renderer<'a>,
    filter: &'r Filter,
    console: Console,
    keep_going: bool,
    kept: Kept,
}

impl<'a> Run<'_, 'a> {
    /// Renders every release that is wanted, batch by batch; `each` gets the files of a batch in
    /// order. Whatever `take` makes of a release's files is made on many threads.
    fn releases<T: Send>(
        &self,
        diagnostics: &mut Diagnostics,
        take: impl Fn(Vec<File>) -> Result<T, Failure> + Sync,
        mut each: impl FnMut(T) -> Result<(), Failure>,
    ) -> Result<Vec<Outcome>, Failure>
    where
        Failure: Send,
    {
        let jobs = self.renderer.jobs();
        let mut progress = self.console.progress(jobs.len(), "Rendering releases");
        let mut outcomes = Vec::with_capacity(jobs.len());
        for batch in jobs.chunks(BATCH) {
            let results: Vec<_> = batch
                .par_iter()
                .map(|job| self.release(job, &take))
                .collect();
            for result in results {
                let (outcome, taken, problems) = result?;
                outcomes.push(outcome);
                diagnostics.extend(problems);
                if let Some(taken) = taken {
                    each(taken)?;
                }
            }
            progress.advance(batch.len());
        }
        Ok(outcomes)
    }

    fn release<T>(
        &self,
        job: &Job<'a>,
        take: impl Fn(Vec<File>) -> Result<T, Failure>,
    ) -> Result<(Outcome, Option<T>, Vec<Diagnostic>), Failure> {
        if !self.filter.wants(self.renderer, job) {
            return Ok((Outcome::Skipped, None, Vec::new()));
        }
        match self.renderer.release(job) {
            Ok(files) if files.is_empty() => {
                let sound = self.renderer.is_sound(job);
                Ok((
                    if sound {
                        Outcome::Empty
                    } else {
                        Outcome::Failed
                    },
                    None,
                    Vec::new(),
                ))
            }
            Ok(files) => Ok((Outcome::Rendered, Some(take(files)?), Vec::new())),
            Err(problems) => Ok((Outcome::Failed, None, problems)),
        }
    }

    /// Prints every document: with `--keep-going` as it comes, otherwise when all is known to be well.
    fn to_stdout(&self, diagnostics: &mut Diagnostics) -> Result<Option<Done>, Failure> {
        let mut out = self.console.stdout();
        let mut held = Vec::new();
        let text = |files: Vec<File>| {
            let mut text = Vec::new();
            for file in files.iter().filter(|file| !file.is_index()) {
                print(&mut text, file)?;
            }
            Ok(text)
        };
        let outcomes = self.releases(diagnostics, text, |text| {
            if self.keep_going {
                out.write_all(&text)?;
            } else {
                held.push(text);
            }
            Ok(())
        })?;
        let rest = self.renderer.rest(
            &outcomes,
            &self.renderer.paths(&outcomes),
            &Previous::default(),
            Kept::Failed,
            diagnostics,
        );
        if diagnostics.has_errors() && !self.keep_going {
            return Ok(None);
        }
        for text in held {
            out.write_all(&text)?;
        }
        for file in rest.files.iter().filter(|file| !file.is_index()) {
            print(&mut out, file)?;
        }
        out.flush()?;
        Ok(Some((format!("Rendered {}", counted(&outcomes)), None)))
    }

    fn to_folder(
        &self,
        output: &Path,
        options: WriteOptions,
        diagnostics: &mut Diagnostics,
    ) -> Result<Option<Done>, Failure> {
        let writer = TreeWriter::open(output, options)?;
        let may_keep = self.keep_going || self.filter.is_active();
        let previous = previous(output, &writer, may_keep)?;
        let put = |files: Vec<File>| {
            let mut paths = Vec::with_capacity(files.len());
            for file in files {
                writer.put(&file.path, &file.content)?;
                paths.push(file.path);
            }
            Ok(paths)
        };
        let mut written = BTreeSet::new();
        let outcomes = self.releases(diagnostics, put, |paths| {
            written.extend(paths);
            Ok(())
        })?;
        let rest = self
            .renderer
            .rest(&outcomes, &written, &previous, self.kept, diagnostics);
        if diagnostics.has_errors() && !self.keep_going {
            return Ok(None);
        }
        for file in &rest.files {
            writer.put(&file.path, &file.content)?;
        }
        for path in &rest.kept {
            writer.keep(path)?;
        }
        let committed = writer.commit()?;
        let left = Left {
            releases: outcomes
                .iter()
                .filter(|outcome| **outcome == Outcome::Rendered)
                .count(),
            files: committed.written + committed.unchanged,
        };
        let words = done(
            &counted(&outcomes),
            output,
            committed.written,
            committed.unchanged,
            committed.removed.len(),
        );
        Ok(Some((words, Some(left))))
    }
}

/// What was done, in words, and what it left in a folder; nothing where anything was wrong.
type Done = (String, Option<Left>);

fn done(rendered: &str, output: &Path, written: usize, unchanged: usize, removed: usize) -> String {
    let written = plural(written, "file");
    format!(
        "Rendered {rendered} to {}: {written} written, {unchanged} unchanged, {removed} removed",
        output.display()
    )
}

/// What was rendered, in words.
fn counted(outcomes: &[Outcome]) -> String {
    let count = |wanted| {
        outcomes
            .iter()
            .filter(|outcome| **outcome == wanted)
            .count()
    };
    let rendered = plural(count(Outcome::Rendered), "release");
    match count(Outcome::Failed) {
        0 => rendered,
        failed => format!("{rendered} ({failed} could not be)"),
    }
}

/// A file's documents, with the path that it has in the tree.
fn print(out: &mut impl Write, file: &File) -> io::Result<()> {
    write!(out, "---\n# Source: {}\n{}", file.path, file.content)
}

/// The tree before, with the text of what releases share. Only files of coldframe's, where any may be
/// kept.
#[expect(
    clippy::disallowed_methods,
    reason = "the command line is one of the two shells that do I/O"
)]
fn previous(output: &Path, writer: &TreeWriter, may_keep: bool) -> Result<Previous, Failure> {
    if !may_keep {
        return Ok(Previous::default());
    }
    let paths: Vec<&str> = writer.previous().collect();
    let ours = |path: &&str| {
        writer
            .is_ours(path)
            .map(|ours| ours.then(|| (*path).to_owned()))
    };
    let paths: Vec<Option<String>> = paths.par_iter().map(ours).collect::<Result<_, _>>()?;
    let mut previous = Previous {
        paths: paths.into_iter().flatten().collect(),
        shared: BTreeMap::new(),
    };
    for path in &previous.paths {
        if path.starts_with("sources/") || path.starts_with("definitions/") {
            let text = std::fs::read_to_string(output.join(path))?;
            if let Some(text) = text.strip_prefix(HEADER) {
                previous.shared.insert(path.clone(), text.to_owned());
            }
        }
    }
    Ok(previous)
}

/// Which releases are wanted.
struct Filter {
    presets: BTreeSet<String>,
    clusters: BTreeSet<String>,
    tiers: BTreeSet<String>,
}

impl Filter {
    fn new(args: &Render) -> Self {
        let set = |names: &[String]| names.iter().cloned().collect();
        Self {
            presets: set(&args.preset),
            clusters: set(&args.cluster),
            tiers: set(&args.tier),
        }
    }

    fn is_active(&self) -> bool {
        !(self.presets.is_empty() && self.clusters.is_empty() && self.tiers.is_empty())
    }

    fn wants(&self, renderer: &Renderer<'_>, job: &Job<'_>) -> bool {
        let (subject, tier) = renderer.subject(job);
        let cluster = job.cluster_name().unwrap_or_default();
        let one_of =
            |names: &BTreeSet<String>, name: &str| names.is_empty() || names.contains(name);
        one_of(&self.presets, &subject.meta().name)
            && one_of(&self.clusters, cluster)
            && one_of(&self.tiers, tier)
    }

    /// A filter that no release passes is a mistake; the first name that nothing has is named.
    fn mistake(&self, renderer: &Renderer<'_>) -> Option<String> {
        type Select = fn(&Renderer<'_>, &Job<'_>) -> String;
        let jobs = renderer.jobs();
        let known = |select: Select| -> BTreeSet<String> {
            jobs.iter().map(|job| select(renderer, job)).collect()
        };
        let filters: [(&str, &BTreeSet<String>, Select); 3] = [
            ("preset", &self.presets, |renderer, job| {
                renderer.subject(job).0.meta().name.clone()
            }),
            ("cluster", &self.clusters, |_, job| {
                job.cluster_name().unwrap_or_default().to_owned()
            }),
            ("tier", &self.tiers, |renderer, job| {
                renderer.subject(job).1.to_owned()
            }),
        ];
        for (what, names, select) in filters {
            if names.is_empty() {
                continue;
            }
            let known = known(select);
            if let Some(name) = names.iter().find(|name| !known.contains(*name)) {
                let hint = or_did_you_mean(name, known.iter().map(String::as_str));
                return Some(format!("no release has the {what} `{name}`{hint}"));
            }
        }
        None
    }
}
