//! Transcripts of the command line: `tests/cmd/*.trycmd`. `TRYCMD=overwrite` rewrites them.

#[test]
fn the_command_line_answers_as_written() {
    trycmd::TestCases::new()
        .env("NO_COLOR", "1")
        .env("COLUMNS", "100")
        .case("tests/cmd/*.trycmd");
}
