//! Commands about the program itself.

use std::io::{self, Write};

use clap_mangen::Man as Page;

use super::Exit;
use super::args::{Completion, Man, Schema, Version, View};
use super::console::Console;
use crate::load;

pub(super) fn schema(args: &Schema, console: Console) -> io::Result<Exit> {
    let mut out = console.stdout();
    let Some(kind) = &args.kind else {
        for kind in load::KINDS {
            writeln!(out, "{kind}")?;
        }
        return Ok(Exit::Fine);
    };
    let known = load::KINDS
        .iter()
        .find(|known| known.eq_ignore_ascii_case(kind));
    let Some(schema) = known.and_then(|kind| load::schema(kind)) else {
        console.error(&format!(
            "there is no kind `{kind}` of ours; there are {}",
            load::KINDS.join(", ")
        ));
        return Ok(Exit::Invalid);
    };
    writeln!(out, "{schema:#}")?;
    Ok(Exit::Fine)
}

pub(super) fn completion(
    args: &Completion,
    command: &mut clap::Command,
    console: Console,
) -> io::Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, command, "coldframe", &mut script);
    console.stdout().write_all(&script)?;
    Ok(Exit::Fine)
}

pub(super) fn man(args: &Man, command: clap::Command, console: Console) -> io::Result<Exit> {
    match &args.output {
        Some(folder) => {
            std::fs::create_dir_all(folder)?;
            clap_mangen::generate_to(command, folder)?;
        }
        None => Page::new(command).render(&mut console.stdout())?,
    }
    Ok(Exit::Fine)
}

pub(super) fn version(args: &Version, console: Console) -> io::Result<Exit> {
    let version = env!("CARGO_PKG_VERSION");
    let mut out = console.stdout();
    match args.o {
        View::Table => writeln!(out, "coldframe {version}")?,
        View::Json => writeln!(out, "{}", serde_json::json!({"version": version}))?,
        View::Yaml => writeln!(out, "version: \"{version}\"")?,
    }
    Ok(Exit::Fine)
}
