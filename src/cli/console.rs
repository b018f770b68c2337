//! What goes to the terminal, and in which colours.

use std::collections::BTreeMap;
use std::io::{self, IsTerminal, Write};
use std::sync::Arc;

use anstream::{AutoStream, ColorChoice};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::args::{Global, When};
use crate::diagnostic::{Diagnostic, Diagnostics, Severity, did_you_mean, report, summary};

/// Work that takes less than this shows no progress bar.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(1);

/// Stdout and stderr with the user's wishes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Console {
    color: When,
    quiet: bool,
    verbose: bool,
}

impl Console {
    pub(super) fn new(global: &Global) -> Self {
        Self {
            color: global.color,
            quiet: global.quiet,
            verbose: global.verbose,
        }
    }

    /// Where data goes, buffered and as it is.
    #[expect(clippy::unused_self, reason = "whoever prints has a console")]
    pub(super) fn stdout(self) -> impl Write {
        io::BufWriter::with_capacity(1 << 16, io::stdout().lock())
    }

    /// Where words go that are the data, in colour where that is wanted.
    pub(super) fn colored_stdout(self) -> impl Write {
        io::BufWriter::new(AutoStream::new(io::stdout().lock(), self.choice()))
    }

    /// Where words go.
    fn stderr(self) -> AutoStream<io::StderrLock<'static>> {
        AutoStream::new(io::stderr().lock(), self.choice())
    }

    fn choice(self) -> ColorChoice {
        match self.color {
            When::Auto => ColorChoice::Auto,
            When::Always => ColorChoice::AlwaysAnsi,
            When::Never => ColorChoice::Never,
        }
    }

    /// Says something unless nobody wants to hear it. A message that cannot be written is lost:
    /// there is nobody left to tell.
    pub(super) fn say(self, text: &str) {
        if !self.quiet {
            drop(writeln!(self.stderr(), "{text}"));
        }
    }

    /// Says why the program ends.
    pub(super) fn error(self, text: &str) {
        let style = clap::builder::styling::AnsiColor::Red.on_default().bold();
        drop(writeln!(self.stderr(), "{style}error{style:#}: {text}"));
    }

    /// Prints diagnostics for people, and how many there are.
    pub(super) fn report(
        self,
        diagnostics: &Diagnostics,
        files: &BTreeMap<Arc<str>, Arc<str>>,
    ) -> io::Result<()> {
        let mut out = io::BufWriter::new(self.stderr());
        self.report_to(&mut out, diagnostics, files)
    }

    /// The same, to somewhere.
    pub(super) fn report_to(
        self,
        out: &mut impl Write,
        diagnostics: &Diagnostics,
        files: &BTreeMap<Arc<str>, Arc<str>>,
    ) -> io::Result<()> {
        let least = match (self.quiet, self.verbose) {
            (true, _) => Severity::Error,
            (_, true) => Severity::Note,
            _ => Severity::Warning,
        };
        let shown = diagnostics
            .iter()
            .filter(|one| one.severity <= least)
            .cloned();
        let shown = if self.verbose {
            shown.collect()
        } else {
            grouped(shown)
        };
        out.write_all(report(&shown, files, self.is_colored()).as_bytes())?;
        if !self.quiet && !diagnostics.is_empty() {
            writeln!(out, "{}", summary(diagnostics))?;
        }
        out.flush()
    }

    /// Whether reports are written in colour: the stream strips it again where it is not wanted.
    fn is_colored(self) -> bool {
        self.color != When::Never
    }

    /// A progress bar on stderr, which appears when the work takes long and somebody is there.
    pub(super) fn progress(self, total: usize, what: &'static str) -> Progress {
        let bar = ProgressBar::with_draw_target(Some(total as u64), ProgressDrawTarget::hidden())
            .with_message(what);
        if let Ok(style) = ProgressStyle::with_template("{msg} {bar:40} {pos}/{len}") {
            bar.set_style(style);
        }
        Progress {
            bar,
            wanted: !self.quiet && io::stderr().is_terminal(),
        }
    }
}

/// See [`Console::progress`].
pub(super) struct Progress {
    bar: ProgressBar,
    wanted: bool,
}

impl Progress {
    pub(super) fn advance(&mut self, count: usize) {
        if self.wanted && self.bar.is_hidden() && self.bar.elapsed() > PATIENCE {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.bar.inc(count as u64);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// `1 release`, `2 releases`.
pub(super) fn plural(count: usize, word: &str) -> String {
    format!("{count} {word}{}", if count == 1 { "" } else { "s" })
}

/// `; did you mean …?`, the end of a sentence about a name that nobody knows; empty if no name is near
/// enough.
pub(super) fn or_did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    did_you_mean(name, known).map_or_else(String::new, |hint| format!("; {hint}"))
}

/// The same problem of several releases once: of a preset on a thousand clusters there would be a
/// thousand.
fn grouped(diagnostics: impl Iterator<Item = Diagnostic>) -> Vec<Diagnostic> {
    let mut groups: Vec<(Diagnostic, usize)> = Vec::new();
    for one in diagnostics {
        match groups.last_mut() {
            Some((first, more))
                if one.release.is_some()
                    && Diagnostic {
                        release: first.release.clone(),
                        ..one.clone()
                    } == *first =>
            {
                *more += 1;
            }
            _ => groups.push((one, 0)),
        }
    }
    groups
        .into_iter()
        .map(|(mut first, more)| {
            if more > 0 {
                first.release = first
                    .release
                    .map(|name| format!("{name}, and {more} more (-v names them)"));
            }
            first
        })
        .collect()
}
