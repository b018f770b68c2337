//! `coldframe validate`.

use std::io::{self, Write};

use rayon::prelude::*;

use super::Exit;
use super::args::{Report, Validate};
use super::console::{Console, plural};
use super::inputs::Inputs;
use crate::diagnostic::{Severity, github, json};
use crate::render::{self, Outcome, Previous};

pub(super) fn run(args: &Validate, console: Console) -> io::Result<Exit> {
    let Some(mut inputs) = Inputs::read(&args.paths, &args.inputs, None, console)? else {
        return Ok(Exit::Invalid);
    };
    let mut diagnostics = std::mem::take(&mut inputs.loaded.diagnostics);
    let loaded = &inputs.loaded;
    let resolved = render::resolve(&loaded.world, &mut diagnostics);
    let renderer = inputs.renderer(&resolved, &mut diagnostics);
    let problems: Vec<_> = renderer
        .jobs()
        .par_iter()
        .map(|job| renderer.release(job).err())
        .collect();
    let outcomes: Vec<_> = problems
        .iter()
        .map(|problem| {
            if problem.is_some() {
                Outcome::Failed
            } else {
                Outcome::Rendered
            }
        })
        .collect();
    diagnostics.extend(problems.into_iter().flatten().flatten());
    renderer.rest(
        &outcomes,
        &renderer.paths(&outcomes),
        &Previous::default(),
        render::Kept::Failed,
        &mut diagnostics,
    );
    diagnostics.sort();

    let mut out = console.stdout();
    match args.o {
        Report::Text => {
            console.report_to(&mut console.colored_stdout(), &diagnostics, &loaded.files)?;
        }
        Report::Json => writeln!(out, "{:#}", json(diagnostics.iter()))?,
        Report::Github => write!(out, "{}", github(diagnostics.iter()))?,
    }
    out.flush()?;
    if diagnostics.has_errors() || args.strict && diagnostics.count(Severity::Warning) > 0 {
        return Ok(Exit::Invalid);
    }
    console.say(&format!(
        "{} of {} on {} are valid",
        plural(renderer.jobs().len(), "release"),
        plural(resolved.len(), "plugin"),
        plural(loaded.world.clusters.len(), "cluster")
    ));
    Ok(Exit::Fine)
}
