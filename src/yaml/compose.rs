//! Events of the YAML crate to a tree of nodes that still has its aliases and tags.

use std::borrow::Cow;
use std::collections::BTreeMap;

use granit_parser::{
    ErrorKind, Event, Marker, Parser, ScalarStyle, ScanError, StructureStyle, Tag,
};

use super::read::{MAX_DEPTH, ReadError, ReadErrorKind};
use super::{Mark, libyaml};

/// The index of a node in its [`Tree`].
pub(super) type NodeId = usize;

/// A document before its aliases are followed and its scalars resolved.
#[derive(Debug, Default)]
pub(super) struct Tree<'t> {
    nodes: Vec<RawNode<'t>>,
}

/// A node as it is written.
#[derive(Debug)]
pub(super) struct RawNode<'t> {
    pub(super) mark: Mark,
    pub(super) kind: RawKind<'t>,
}

#[derive(Debug)]
pub(super) enum RawKind<'t> {
    Scalar(RawScalar<'t>),
    /// Stands for another node, which may contain it.
    Alias(NodeId),
    Sequence(Vec<NodeId>),
    /// Keys and values in turn.
    Mapping(Vec<NodeId>),
}

#[derive(Debug)]
pub(super) struct RawScalar<'t> {
    pub(super) text: Cow<'t, str>,
    /// The whole tag, empty if there is none.
    pub(super) tag: String,
    /// Whether it is written without quotes.
    pub(super) plain: bool,
    /// Whether nothing is written at all.
    pub(super) absent: bool,
}

impl<'t> Tree<'t> {
    /// The node at `id`.
    pub(super) fn get(&self, id: NodeId) -> &RawNode<'t> {
        &self.nodes[id]
    }
}

/// How much of the text must be well-formed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// The first document; what follows is not read.
    First,
    /// All of it: one document and nothing else.
    Whole,
}

/// Composes the first document of `text`; its root is the last node. `None` if there is none.
pub(super) fn compose(text: &str, extent: Extent) -> Result<Option<(Tree<'_>, NodeId)>, ReadError> {
    let options = granit_parser::options! {
        bom_inside_document_as_content: true,
        block_scalar_eof_without_line_feed: true,
        flow_nesting_limit: MAX_DEPTH,
        block_nesting_limit: MAX_DEPTH,
    };
    let mut parser = Parser::new_from_str_with_options(text, options);
    let mut composer = Composer::default();
    let mut flow_depth = 0_usize;
    while let Some(next) = parser.next_event() {
        let (event, span) = next.map_err(|error| syntax(&error))?;
        let at = mark(span.start);
        let begins = matches!(
            event,
            Event::Scalar(..) | Event::SequenceStart(..) | Event::MappingStart(..)
        );
        if begins && flow_depth == 0 && libyaml::tab_before(text, &span) {
            return Err(ReadError::syntax(at, "a tab cannot indent a value").hint("use spaces"));
        }
        match event {
            Event::DocumentStart(_, Some(version)) if (version.major, version.minor) != (1, 1) => {
                return Err(ReadError::syntax(at, "only YAML 1.1 is supported")
                    .hint("remove the `%YAML` directive"));
            }
            Event::Alias(anchor) => {
                let target = composer.anchors.get(&anchor).copied().unwrap_or_default();
                composer.add(at, RawKind::Alias(target), 0);
            }
            Event::Scalar(value, style, anchor, tag) => {
                if let Some(message) = libyaml::refused(text, &span, style, flow_depth > 0) {
                    return Err(ReadError::syntax(at, message));
                }
                let scalar = RawScalar {
                    tag: full_tag(tag.as_deref()),
                    plain: style == ScalarStyle::Plain,
                    absent: span.is_empty(),
                    text: if span.is_empty() {
                        Cow::Borrowed("")
                    } else {
                        value
                    },
                };
                composer.add(at, RawKind::Scalar(scalar), anchor);
            }
            Event::SequenceStart(style, anchor, _) => {
                flow_depth += usize::from(flow_depth > 0 || style == StructureStyle::Flow);
                composer.open(at, RawKind::Sequence(Vec::new()), anchor);
            }
            Event::MappingStart(style, anchor, _) => {
                flow_depth += usize::from(flow_depth > 0 || style == StructureStyle::Flow);
                composer.open(at, RawKind::Mapping(Vec::new()), anchor);
            }
            Event::SequenceEnd | Event::MappingEnd => {
                flow_depth = flow_depth.saturating_sub(1);
                composer.close();
            }
            Event::DocumentEnd if extent == Extent::First => break,
            Event::DocumentEnd => {
                if let Some(next) = parser.next_event() {
                    let (event, span) = next.map_err(|error| syntax(&error))?;
                    if event != Event::StreamEnd {
                        return Err(ReadError::syntax(
                            mark(span.start),
                            "more text follows the end of the document",
                        )
                        .hint("begin the next document with a line `---`"));
                    }
                }
                break;
            }
            _ => {}
        }
    }
    Ok(composer.root.map(|root| (composer.tree, root)))
}

#[derive(Default)]
struct Composer<'t> {
    tree: Tree<'t>,
    anchors: BTreeMap<usize, NodeId>,
    open: Vec<NodeId>,
    root: Option<NodeId>,
}

impl<'t> Composer<'t> {
    fn add(&mut self, mark: Mark, kind: RawKind<'t>, anchor: usize) -> NodeId {
        let id = self.tree.nodes.len();
        self.tree.nodes.push(RawNode { mark, kind });
        if anchor != 0 {
            self.anchors.insert(anchor, id);
        }
        match self.open.last() {
            Some(&parent) => match &mut self.tree.nodes[parent].kind {
                RawKind::Sequence(children) | RawKind::Mapping(children) => children.push(id),
                RawKind::Scalar(_) | RawKind::Alias(_) => {}
            },
            None => self.root = Some(id),
        }
        id
    }

    fn open(&mut self, mark: Mark, kind: RawKind<'t>, anchor: usize) {
        let id = self.add(mark, kind, anchor);
        self.open.push(id);
    }

    fn close(&mut self) {
        self.open.pop();
    }
}

fn full_tag(tag: Option<&Tag>) -> String {
    tag.map_or_else(String::new, |tag| {
        format!("{}{}", tag.handle(), tag.suffix())
    })
}

fn mark(marker: Marker) -> Mark {
    let number = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
    Mark {
        line: number(marker.line()),
        column: number(marker.col() + 1),
    }
}

fn syntax(error: &ScanError) -> ReadError {
    let (kind, message) = match error.kind() {
        ErrorKind::RecursionLimitExceeded => (
            ReadErrorKind::TooDeep,
            format!("the document nests more than {MAX_DEPTH} lists and maps"),
        ),
        _ => (ReadErrorKind::Syntax, error.info()),
    };
    ReadError {
        mark: mark(*error.marker()),
        kind,
        message,
        hint: None,
    }
}
