//! The options of a definition, and the values that presets and Plugins give them.

use serde_json::json;

use crate::diagnostic::Location;
use crate::yaml::{Map, Value};

/// An option that a definition declares.
#[derive(Clone, Debug, PartialEq)]
pub struct OptionSpec {
    /// Its name: a path into the Helm values.
    pub name: String,
    /// Name for people.
    pub display_name: Option<String>,
    /// What it is for.
    pub description: Option<String>,
    /// Whether it must have a value.
    pub required: bool,
    /// Its type.
    pub kind: OptionKind,
    /// The value where none is given; absent and null are the same.
    pub default: Option<Value>,
    /// A pattern that Greenhouse stores and never checks.
    pub regex: Option<String>,
    /// Where it stands.
    pub location: Location,
}

/// The types of options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionKind {
    /// Text.
    String,
    /// A reference to a Secret, or to Vault.
    Secret,
    /// A boolean.
    Bool,
    /// A number; Greenhouse accepts any, not only whole ones.
    Int,
    /// A list.
    List,
    /// A map.
    Map,
}

impl OptionKind {
    /// The word that manifests use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Secret => "secret",
            Self::Bool => "bool",
            Self::Int => "int",
            Self::List => "list",
            Self::Map => "map",
        }
    }
}

/// A value given to an option. Exactly one of its sources should be set; whether that is so is
/// checked when it is expanded, as Greenhouse does it.
#[derive(Clone, Debug, PartialEq)]
pub struct OptionValue {
    /// The option's name.
    pub name: String,
    /// A plain value. An explicit null is the same as none, as it is for the API server.
    pub value: Option<Value>,
    /// A reference.
    pub value_from: Option<ValueFrom>,
    /// A text with CEL expressions in `${…}`; on presets only.
    pub expression: Option<String>,
    /// Where the entry stands.
    pub location: Location,
}

/// A reference instead of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValueFrom {
    /// A key of a Secret.
    Secret(SecretRef),
    /// `ref`, which Greenhouse v0.16 silently drops; or nothing at all.
    Unsupported,
}

/// A key of a Secret. The value is never read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecretRef {
    /// Name of the Secret.
    pub name: String,
    /// Key in it.
    pub key: String,
}

impl OptionSpec {
    /// The option as an API server would store it: absent and null fields alike are left out.
    pub fn to_value(&self) -> Value {
        let mut content = Map::new();
        content.insert("name".into(), json!(self.name));
        content.insert("required".into(), json!(self.required));
        content.insert("type".into(), json!(self.kind.as_str()));
        let texts = [
            ("displayName", &self.display_name),
            ("description", &self.description),
            ("regex", &self.regex),
        ];
        for (key, text) in texts {
            if let Some(text) = text {
                content.insert(key.into(), json!(text));
            }
        }
        if let Some(default) = self.default.as_ref().filter(|default| !default.is_null()) {
            content.insert("default".into(), default.clone());
        }
        Value::Object(content)
    }
}
