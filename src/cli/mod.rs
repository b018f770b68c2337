//! The command line: reads, calls the pipeline, prints. Data goes to stdout, words to stderr.

mod args;
mod console;
mod explain;
mod inputs;
mod render;
mod validate;
mod words;

use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use args::{Cli, Command};
use console::Console;

/// How a command ended. The numbers are the program's exit codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// All is well.
    Fine = 0,
    /// Wrong arguments, or invalid input.
    Invalid = 2,
    /// A file, the network or a cluster could not be used.
    Io = 3,
    /// A safety limit stopped it.
    Limit = 4,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// The command line as clap describes it, for the generated reference.
pub fn command() -> clap::Command {
    Cli::command()
}

/// Runs the program with the arguments of the process.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let console = Console::new(&cli.global);
    let result = match cli.command {
        Command::Render(args) => render::run(&args, console),
        Command::Validate(args) => validate::run(&args, console),
        Command::Explain(args) => explain::run(&args, console),
        Command::Schema(args) => words::schema(&args, console),
        Command::Completion(args) => words::completion(&args, &mut Cli::command(), console),
        Command::Man(args) => words::man(&args, Cli::command(), console),
        Command::Version(args) => words::version(&args, console),
    };
    match result {
        Ok(exit) => exit.into(),
        // Whoever reads the output has seen enough: `coldframe render --output - | head`.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Exit::Fine.into(),
        Err(error) => {
            console.error(&error.to_string());
            Exit::Io.into()
        }
    }
}
