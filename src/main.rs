//! The coldframe program.
fn main() {}
