//! The generated pages of the reference are as the code is. `UPDATE=1 cargo test` rewrites them.

use std::fmt::Write;
use std::path::Path;

use coldframe::diagnostic::Code;

#[test]
fn the_command_line_is_described() {
    let mut page = String::from(
        "# Command line\n\n<!-- Generated: UPDATE=1 cargo test --test it reference -->\n",
    );
    let mut command = coldframe::cli::command().term_width(100);
    command.build();
    describe(&mut page, &mut command);
    check("command-line.md", &page);
}

fn describe(page: &mut String, command: &mut clap::Command) {
    let name = command
        .get_bin_name()
        .unwrap_or_else(|| command.get_name())
        .to_owned();
    let help = command.render_long_help().to_string();
    let help = help
        .lines()
        .map(str::trim_end)
        .collect::<Vec<_>>()
        .join("\n");
    write!(page, "\n## `{name}`\n\n```text\n{}\n```\n", help.trim_end()).unwrap();
    for sub in command
        .get_subcommands_mut()
        .filter(|sub| sub.get_name() != "help")
    {
        describe(page, sub);
    }
}

#[test]
fn every_diagnostic_is_listed_once() {
    let mut page = String::from(
        "# Diagnostics\n\n<!-- Generated: UPDATE=1 cargo test --test it reference -->\n\n\
         A code never changes its meaning. 1xxx are about files, 2xxx about objects, 3xxx about what becomes of them,\n\
         4xxx about rendering, 5xxx about the tree.\n\n| code | meaning |\n|---|---|\n",
    );
    let mut ids: Vec<&str> = Code::ALL.iter().map(|code| code.id()).collect();
    for code in Code::ALL {
        writeln!(page, "| `{}` | {} |", code.id(), code.title()).unwrap();
    }
    check("diagnostics.md", &page);
    ids.dedup();
    assert_eq!(ids.len(), Code::ALL.len());
    assert!(ids.is_sorted());
}

fn check(name: &str, page: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("docs/reference")
        .join(name);
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, page).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == page,
        "{} is out of date: run UPDATE=1 cargo test --test it reference",
        path.display()
    );
}
