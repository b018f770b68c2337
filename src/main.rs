//! The program `coldframe`: arguments in, exit code out.

use std::process::ExitCode;

fn main() -> ExitCode {
    coldframe::cli::main()
}
