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
use std::collections::BTreeMap;
use std::io::Write;
use std::sync::{Arc, RwLock};

use tera::{Context, Kwargs, State, Tera};

use super::skeleton::{CLOSE, OPEN, Skeleton};
use crate::yaml::Value;

/// The built-in templates: name and text.
pub const BUILT_IN: &[(&str, &str)] = &[
    ("canary.yaml", include_str!("../../templates/canary.yaml")),
    ("canary-kustomization.yaml", include_str!("../../templates/canary-kustomization.yaml")),
    ("helmchart.yaml", include_str!("../../templates/helmchart.yaml")),
    ("helmrelease.yaml", include_str!("../../templates/helmrelease.yaml")),
    ("helmrepository.yaml", include_str!("../../templates/helmrepository.yaml")),
    ("index.yaml", include_str!("../../templates/index.yaml")),
    ("kustomization.yaml", include_str!("../../templates/kustomization.yaml")),
    ("metrictemplate.yaml", include_str!("../../templates/metrictemplate.yaml")),
    ("plugin.yaml", include_str!("../../templates/plugin.yaml")),
    ("plugindefinition.yaml", include_str!("../../templates/plugindefinition.yaml")),
    ("variables.yaml", include_str!("../../templates/variables.yaml")),
];

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

/// Templates, ready to render.
pub struct Engine {
    tera: Tera,
    skeletons: RwLock<BTreeMap<String, Arc<Skeleton>>>,
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
                    message: format!("there is no built-in template of that name; there are {}", names.join(", ")),
                });
            }
            add(&mut tera, name, text)?;
        }
        Ok(Self { tera, skeletons: RwLock::new(BTreeMap::new()) })
    }

    /// Renders one document.
    ///
    /// # Errors
    /// A variable that is not there, a filter that fails, or text that is not one YAML document.
    pub fn render(&self, template: &str, context: &Context) -> Result<Value, TemplateError> {
        let error = |message: String| TemplateError { template: template.to_owned(), message };
        PRINTED.with_borrow_mut(Vec::clear);
        let text = self.tera.render(template, context).map_err(|cause| error(describe(&cause)))?;
        let skeleton = match self.skeletons.read().ok().and_then(|known| known.get(&text).cloned()) {
            Some(skeleton) => skeleton,
            None => self.remember(text).map_err(error)?,
        };
        PRINTED.with_borrow_mut(|printed| skeleton.fill(printed)).map_err(error)
    }

    fn remember(&self, text: String) -> Result<Arc<Skeleton>, String> {
        let skeleton = Arc::new(Skeleton::parse(&text)?);
        if let Ok(mut known) = self.skeletons.write() {
            if known.len() < REMEMBERED {
                known.insert(text, Arc::clone(&skeleton));
            }
        }
        Ok(skeleton)
    }
}

fn add(tera: &mut Tera, name: &str, text: &str) -> Result<(), TemplateError> {
    let error = |message: String| TemplateError { template: name.to_owned(), message };
    if text.contains([OPEN, CLOSE]) {
        return Err(error("the characters U+E000 and U+E001 stand for printed values, and are not allowed".to_owned()));
    }
    tera.add_raw_template(name, text).map_err(|cause| error(describe(&cause)))
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
    let value = serde_json::to_value(value).map_err(|cause| tera::Error::message(cause.to_string()))?;
    let mut placeholder = Vec::with_capacity(8);
    print(value, &mut placeholder).map_err(|cause| tera::Error::message(cause.to_string()))?;
    Ok(tera::Value::safe_string(&String::from_utf8_lossy(&placeholder)))
}

fn unavailable(_: &tera::Value, _: Kwargs, _: &State<'_>) -> tera::TeraResult<tera::Value> {
    Err(tera::Error::message("this filter is not available: what is printed is always data. Use `| yaml` for a list, map, number or boolean"))
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
