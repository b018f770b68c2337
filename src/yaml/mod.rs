//! YAML, read as Kubernetes reads it and written so that everybody reads the same.
//!
//! This is the only module that knows the YAML crate. A crate scans the text to events; what a
//! plain scalar means (YAML 1.1, as `sigs.k8s.io/yaml` 1.6.0 has it) is decided in `scalar`.

mod compose;
mod libyaml;
mod node;
mod quote;
mod read;
mod scalar;
mod split;
mod write;

pub use node::{Content, Entry, Mark, Node};
pub use read::{ReadError, ReadErrorKind, parse, read};
pub use serde_json::{Map, Number, Value};
pub use write::{write, write_block, write_number, write_string};
