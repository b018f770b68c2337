//! All integration tests, in one program: it links once.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "tests read files, and may panic"
)]
#![allow(
    clippy::format_collect,
    clippy::format_push_string,
    clippy::needless_pass_by_value,
    clippy::explicit_write,
    unreachable_pub,
    reason = "tests are written to be read"
)]

mod commands;
mod conflicts;
mod docs;
mod expanding;
mod golden;
mod hostile;
mod killed;
mod oracle_semver;
mod oracle_values;
mod oracle_yaml;
mod readme;
mod reference;
mod rendered;
mod rendering;
mod support;
mod tiers;
mod yaml_go;
