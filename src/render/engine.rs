//! The template engine: Tera, made so that no value can change a document's structure.
//!
//! What a template prints never enters its text. Printing a value leaves a placeholder, of
//! characters that no template may contain, and records the value; the text with placeholders,
//! the *skeleton*, is parsed as YAML, and only then the values are put in place, whole. A value
//! is therefore data wherever it stands, whatever it contains. Skeletons repeat (one per template
//! and combination of branches), so that each is parsed once however many releases there are.
//!
//! `{{ x }}` prints text: a string, also beside other text (`{{ preset }}-{{ tier }}`).
//! `{{ x | yaml }}` prints a value with its type: a number, boolean, list or map.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::sync::{Arc, RwLock};

use serde::Serialize;
use tera::{Context, Kwargs, State, Tera};

use super::kinds;
use super::skeleton::{CLOSE, OPEN, Skeleton};
use crate::yaml::Value;

/// The built-in templates: name and text.
pub const BUILT_IN: &[(&str, &str)] = &[
    ("canary.yaml", include_str!("../../templates/canary.yaml")),
    (
        "canary-kustomization.yaml",
        include_str!("../../templates/canary-kustomization.yaml"),
    ),
    (
        "helmchart.yaml",
        include_str!("../../templates/helmchart.yaml"),
    ),
    (
        "helmrelease.yaml",
        include_str!("../../templates/helmrelease.yaml"),
    ),
    (
        "helmrepository.yaml",
        include_str!("../../templates/helmrepository.yaml"),
    ),
    ("index.yaml", include_str!("../../templates/index.yaml")),
    (
        "kustomization.yaml",
        include_str!("../../templates/kustomization.yaml"),
    ),
    (
        "metrictemplate.yaml",
        include_str!("../../templates/metrictemplate.yaml"),
    ),
    ("plugin.yaml", include_str!("../../templates/plugin.yaml")),
    (
        "plugindefinition.yaml",
        include_str!("../../templates/plugindefinition.yaml"),
    ),
    (
        "variables.yaml",
        include_str!("../../templates/variables.yaml"),
    ),
];

/// The templates of which there is one document for each release. What they get is made by this
/// crate alone, so that documents with values of the same types have the same form.
const FREQUENT: [&str; 2] = ["helmrelease.yaml", "plugin.yaml"];

/// Skeletons beyond this many are not remembered: a template that prints in a loop has one for
/// each number of rounds.
const REMEMBERED: usize = 256;

thread_local! {
    /// The values printed by the template that this thread is rendering. Tera's escape function is
    /// a plain `fn`, which leaves no other place for them.
    static PRINTED: RefCell<Vec<Value>> = const { RefCell::new(Vec::new()) };
}

/// Why a template could not be rendered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("template `{template}`: {message}")]
pub struct TemplateError {
    /// Name of the template.
    pub template: String,
    /// What is wrong, with the line and column where Tera knows them.
    pub message: String,
}

/// What a template gets.
#[derive(Debug)]
pub(super) struct Variables {
    context: Context,
    /// Values that the template only prints, and their placeholders stand for in the context.
    printed: Vec<Value>,
    opaque: bool,
}

impl Variables {
    /// A variable that the template may look at.
    pub(super) fn set<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) {
        self.context.insert(name, value);
    }

    /// A variable of many parts. The built-in template only prints it, so that it need not become a
    /// value of Tera's where there are many such documents.
    pub(super) fn data(&mut self, name: &'static str, value: Value) {
        if self.opaque {
            let placeholder = format!("{OPEN}{}{CLOSE}", self.printed.len());
            self.printed.push(value);
            self.context
                .insert_value(name, tera::Value::safe_string(&placeholder));
        } else {
            self.context.insert(name, &value);
        }
    }
}

/// Templates, ready to render.
pub struct Engine {
    tera: Tera,
    overridden: BTreeSet<String>,
    skeletons: RwLock<BTreeMap<String, Arc<Known>>>,
}

/// A skeleton, and for which types of printed values its document has been checked. The documents
/// of a built-in template differ in nothing else.
struct Known {
    skeleton: Skeleton,
    checked: RwLock<BTreeSet<Vec<u8>>>,
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine").finish_non_exhaustive()
    }
}

impl Engine {
    /// The built-in templates, with those of `overrides` (name and text) in place of the ones of
    /// the same name.
    ///
    /// # Errors
    /// An override that is not a template, or whose name is that of no built-in one.
    pub fn new(overrides: &[(String, String)]) -> Result<Self, TemplateError> {
        let mut tera = Tera::default();
        tera.autoescape_on([".yaml"]);
        tera.set_escape_fn(|text, out| print(Value::String(text.to_owned()), out));
        tera.register_filter("yaml", yaml);
        tera.register_filter("safe", unavailable);
        tera.register_filter("newlines_to_br", unavailable);
        for (name, text) in BUILT_IN {
            add(&mut tera, name, text)?;
        }
        for (name, text) in overrides {
            if !BUILT_IN.iter().any(|(built_in, _)| built_in == name) {
                let names: Vec<&str> = BUILT_IN.iter().map(|(name, _)| *name).collect();
                return Err(TemplateError {
                    template: name.clone(),
                    message: format!(
                        "there is no built-in template of that name; there are {}",
                        names.join(", ")
                    ),
                });
            }
            add(&mut tera, name, text)?;
        }
        let overridden = overrides.iter().map(|(name, _)| name.clone()).collect();
        Ok(Self {
            tera,
            overridden,
            skeletons: RwLock::new(BTreeMap::new()),
        })
    }

    /// The variables for a template, none yet.
    pub(super) fn variables(&self, template: &str) -> Variables {
        Variables {
            context: Context::new(),
            printed: Vec::new(),
            opaque: FREQUENT.contains(&template) && !self.overridden.contains(template),
        }
    }

    /// Renders one document to canonical text.
    ///
    /// # Errors
    /// A variable that is not there, a filter that fails, text that is not one YAML document, or a
    /// document that does not have the form of its kind.
    pub(super) fn render(
        &self,
        template: &str,
        variables: Variables,
        out: &mut String,
    ) -> Result<(), TemplateError> {
        let error = |message: String| TemplateError {
            template: template.to_owned(),
            message,
        };
        PRINTED.set(variables.printed);
        let text = self
            .tera
            .render(template, &variables.context)
            .map_err(|cause| error(describe(&cause)))?;
        let known = match self
            .skeletons
            .read()
            .ok()
            .and_then(|known| known.get(&text).cloned())
        {
            Some(known) => known,
            None => self.remember(text).map_err(error)?,
        };
        let printed = PRINTED.take();
        let types: Vec<u8> = printed.iter().map(type_of).collect();
        let checked = variables.opaque
            && known
                .checked
                .read()
                .is_ok_and(|checked| checked.contains(&types));
        if checked && known.skeleton.write(&printed, out) {
            return Ok(());
        }
        let document = known.skeleton.fill(&printed).map_err(error)?;
        kinds::check(&document)
            .map_err(|message| error(format!("prints a document of the wrong form: {message}")))?;
        if let Ok(mut checked) = known.checked.write() {
            checked.insert(types);
        }
        crate::yaml::write(&document, out);
        Ok(())
    }

    fn remember(&self, text: String) -> Result<Arc<Known>, String> {
        let skeleton = Skeleton::parse(&text)?;
        let known = Arc::new(Known {
            skeleton,
            checked: RwLock::default(),
        });
        if let Ok(mut skeletons) = self.skeletons.write()
            && skeletons.len() < REMEMBERED
        {
            skeletons.insert(text, Arc::clone(&known));
        }
        Ok(known)
    }
}

fn type_of(value: &Value) -> u8 {
    match value {
        Value::Null => 0,
        Value::Bool(_) => 1,
        Value::Number(_) => 2,
        Value::String(_) => 3,
        Value::Array(_) => 4,
        Value::Object(_) => 5,
    }
}

fn add(tera: &mut Tera, name: &str, text: &str) -> Result<(), TemplateError> {
    let error = |message: String| TemplateError {
        template: name.to_owned(),
        message,
    };
    if text.contains([OPEN, CLOSE]) {
        return Err(error(
            "the characters U+E000 and U+E001 stand for printed values, and are not allowed"
                .to_owned(),
        ));
    }
    tera.add_raw_template(name, text)
        .map_err(|cause| error(describe(&cause)))
}

/// Records a value and leaves its placeholder.
fn print(value: Value, out: &mut dyn Write) -> std::io::Result<()> {
    let index = PRINTED.with_borrow_mut(|printed| {
        printed.push(value);
        printed.len() - 1
    });
    write!(out, "{OPEN}{index}{CLOSE}")
}

fn yaml(value: &tera::Value, _: Kwargs, _: &State<'_>) -> tera::TeraResult<tera::Value> {
    if value.is_safe() && value.as_str().is_some_and(|text| text.starts_with(OPEN)) {
        return Ok(value.clone());
    }
    let value =
        serde_json::to_value(value).map_err(|cause| tera::Error::message(cause.to_string()))?;
    let mut placeholder = Vec::with_capacity(8);
    print(value, &mut placeholder).map_err(|cause| tera::Error::message(cause.to_string()))?;
    Ok(tera::Value::safe_string(&String::from_utf8_lossy(
        &placeholder,
    )))
}

fn unavailable(_: &tera::Value, _: Kwargs, _: &State<'_>) -> tera::TeraResult<tera::Value> {
    Err(tera::Error::message(
        "this filter is not available: what is printed is always data. Use `| yaml` for a list, map, number or boolean",
    ))
}

/// A Tera error with its causes, on one line each.
fn describe(error: &tera::Error) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        text.push_str(": ");
        text.push_str(&inner.to_string());
        cause = inner.source();
    }
    text
}
