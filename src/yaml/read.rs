//! A tree of the YAML crate to values, as go-yaml v2 and `sigs.k8s.io/yaml` decode it.

use std::borrow::Cow;

use super::compose::{Extent, NodeId, RawKind, RawScalar, Tree, compose};
use super::scalar::{self, Scalar};
use super::split::split;
use super::{Content, Entry, Mark, Node, libyaml};

/// How deep lists and maps may nest, aliases followed. Go allows 10,000; no manifest comes near
/// this one, and every stage after this may recurse.
pub(super) const MAX_DEPTH: usize = 500;

/// How many bytes of text aliases may repeat: Go shares them, here they are copied.
const MAX_ALIASED_BYTES: usize = 16 << 20;

/// Why a document cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ReadError {
    /// Where, in the whole text.
    pub mark: Mark,
    /// What kind of problem it is.
    pub kind: ReadErrorKind,
    /// The problem in a sentence.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

/// The kinds of problems of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadErrorKind {
    /// It is not YAML, or not YAML that can become JSON.
    Syntax,
    /// A key stands twice in one map.
    DuplicateKey,
    /// It nests too deeply, or its aliases grow too large.
    TooDeep,
}

impl ReadError {
    pub(super) fn syntax(mark: Mark, message: impl Into<String>) -> Self {
        Self {
            mark,
            kind: ReadErrorKind::Syntax,
            message: message.into(),
            hint: None,
        }
    }

    #[must_use]
    pub(super) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// Reads every document of a stream, strictly: a key that stands twice in one map is an error.
///
/// The stream is cut at lines that begin with `---`, so a broken document does not end it.
/// Documents without content are left out. Marks count from the start of `text`.
pub fn read(text: &str) -> Vec<Result<Node, ReadError>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut documents = Vec::new();
    for chunk in split(text) {
        let document = match chunk.stray {
            Some(stray) => Err(ReadError::syntax(
                Mark { line: 0, column: 4 },
                format!("`{stray}` follows the document separator `---`"),
            )
            .hint("begin the document on the next line")),
            None => document(chunk.text, true),
        };
        let shifted = match document {
            Ok(None) => continue,
            Ok(Some(mut node)) => {
                shift(&mut node, chunk.lines_before);
                Ok(node)
            }
            Err(mut error) => {
                error.mark.line += chunk.lines_before;
                Err(error)
            }
        };
        documents.push(shifted);
    }
    documents
}

/// Reads one document as `YAMLToJSON` of `sigs.k8s.io/yaml` does: the first of `text`, `null` if
/// there is none; of keys that stand twice the last wins.
pub fn parse(text: &str) -> Result<Node, ReadError> {
    let start = Mark { line: 1, column: 1 };
    Ok(document(text, false)?.unwrap_or(Node {
        content: Content::Null,
        mark: start,
    }))
}

fn shift(node: &mut Node, lines: u32) {
    node.mark.line += lines;
    match &mut node.content {
        Content::Sequence(items) => items.iter_mut().for_each(|item| shift(item, lines)),
        Content::Mapping(entries) => {
            for entry in entries {
                entry.mark.line += lines;
                shift(&mut entry.value, lines);
            }
        }
        _ => {}
    }
}

fn document(text: &str, strict: bool) -> Result<Option<Node>, ReadError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let extent = if strict { Extent::Whole } else { Extent::First };
    let text = libyaml::with_line_breaks(text);
    let Some((tree, root)) = compose(&text, extent)? else {
        let blank_tab = text.lines().position(|line| line.starts_with('\t'));
        return match blank_tab.and_then(|line| u32::try_from(line).ok()) {
            Some(line) => Err(ReadError::syntax(
                Mark {
                    line: line + 1,
                    column: 1,
                },
                "a tab cannot indent a value",
            )
            .hint("use spaces")),
            None => Ok(None),
        };
    };
    if let RawKind::Scalar(RawScalar { absent: true, .. }) = tree.get(root).kind {
        return Ok(None);
    }
    let mut decoder = Decoder {
        tree: &tree,
        strict,
        decoded: 1,
        aliased: 0,
        aliased_bytes: 0,
        following: Vec::new(),
        mappings: 0,
    };
    decoder.node(root, 0).map(Some).map_err(Failure::into_inner)
}

/// What stops the decoding of a node.
enum Failure {
    /// The whole document is unreadable.
    Fatal(ReadError),
    /// JSON cannot express the value: no error if a later duplicate replaces it.
    Json(ReadError),
}

impl Failure {
    fn into_inner(self) -> ReadError {
        match self {
            Self::Fatal(error) | Self::Json(error) => error,
        }
    }

    fn syntax(mark: Mark, message: impl Into<String>) -> Self {
        Self::Fatal(ReadError::syntax(mark, message))
    }
}

type Decoded<T> = Result<T, Failure>;

/// An entry while its mapping is decoded.
struct Pair {
    key: String,
    mark: Mark,
    value: Decoded<Node>,
    /// The mapping that it is written in: not this one, if it was merged.
    origin: usize,
}

struct Decoder<'t> {
    tree: &'t Tree<'t>,
    strict: bool,
    decoded: usize,
    aliased: usize,
    aliased_bytes: usize,
    /// The alias nodes being followed.
    following: Vec<NodeId>,
    mappings: usize,
}

impl Decoder<'_> {
    /// Counts the decoding of a node; go-yaml's protection against alias bombs.
    fn count(&mut self, mark: Mark, depth: usize) -> Decoded<()> {
        let too_deep = |message: &str| {
            Err(Failure::Fatal(ReadError {
                mark,
                kind: ReadErrorKind::TooDeep,
                message: message.to_owned(),
                hint: None,
            }))
        };
        self.decoded += 1;
        if !self.following.is_empty() {
            self.aliased += 1;
        }
        if self.aliased > 100
            && self.decoded > 1000
            && ratio(self.aliased, self.decoded) > allowed_alias_ratio(self.decoded)
        {
            return too_deep("the document contains excessive aliasing");
        }
        if self.aliased_bytes > MAX_ALIASED_BYTES {
            return too_deep("the document repeats too much text by aliases");
        }
        if depth > MAX_DEPTH {
            return too_deep("the document nests too deeply");
        }
        Ok(())
    }

    fn node(&mut self, id: NodeId, depth: usize) -> Decoded<Node> {
        let node = self.tree.get(id);
        let mark = node.mark;
        self.count(mark, depth)?;
        let content = match &node.kind {
            RawKind::Alias(target) => {
                self.follow(id, mark)?;
                let decoded = self.node(*target, depth + 1);
                self.following.pop();
                return decoded;
            }
            RawKind::Scalar(scalar) => self.leaf(scalar, mark)?,
            RawKind::Sequence(items) => {
                let mut nodes = Vec::with_capacity(items.len());
                for item in items {
                    nodes.push(self.node(*item, depth + 1)?);
                }
                Content::Sequence(nodes)
            }
            RawKind::Mapping(children) => {
                let mut pairs = Vec::with_capacity(children.len() / 2);
                self.pairs(children, depth, &mut pairs)?;
                Content::Mapping(self.entries(pairs)?)
            }
        };
        Ok(Node { content, mark })
    }

    fn follow(&mut self, alias: NodeId, mark: Mark) -> Decoded<()> {
        if self.following.contains(&alias) {
            return Err(Failure::syntax(
                mark,
                "the value of the anchor contains itself",
            ));
        }
        self.following.push(alias);
        Ok(())
    }

    fn leaf(&mut self, scalar: &RawScalar<'_>, mark: Mark) -> Decoded<Content> {
        let content = match Self::scalar(scalar, mark)? {
            Scalar::Null => Content::Null,
            Scalar::Bool(value) => Content::Bool(value),
            Scalar::Int(value) => Content::Number(value.into()),
            Scalar::Uint(value) => Content::Number(value.into()),
            Scalar::Float(value) => {
                Content::Number(scalar::float_number(value).ok_or_else(|| {
                    Failure::Json(
                        ReadError::syntax(mark, format!("`{}` is not a JSON number", scalar.text))
                            .hint("quote it if it is meant as text"),
                    )
                })?)
            }
            Scalar::String(text) => {
                if !self.following.is_empty() {
                    self.aliased_bytes += text.len();
                }
                Content::String(text.into_owned())
            }
        };
        Ok(content)
    }

    fn scalar<'s>(scalar: &'s RawScalar<'_>, mark: Mark) -> Decoded<Scalar<'s>> {
        scalar::resolve(Cow::Borrowed(&*scalar.text), &scalar.tag, scalar.plain)
            .map_err(|message| Failure::syntax(mark, message))
    }

    /// Decodes the entries of a mapping after those already in `pairs`.
    fn pairs(&mut self, children: &[NodeId], depth: usize, pairs: &mut Vec<Pair>) -> Decoded<()> {
        self.mappings += 1;
        let origin = self.mappings;
        for entry in children.chunks_exact(2) {
            let [key, value] = [entry[0], entry[1]];
            if self.is_merge(key) {
                self.merge(value, depth, pairs)?;
                continue;
            }
            let mark = self.tree.get(key).mark;
            let key = self.key(key, depth)?;
            let value = match self.node(value, depth + 1) {
                Err(Failure::Fatal(error)) => return Err(Failure::Fatal(error)),
                value => value,
            };
            pairs.push(Pair {
                key,
                mark,
                value,
                origin,
            });
        }
        Ok(())
    }

    fn is_merge(&self, key: NodeId) -> bool {
        match &self.tree.get(key).kind {
            RawKind::Scalar(scalar) => {
                scalar.text == "<<"
                    && match scalar.tag.as_str() {
                        "" => scalar.plain,
                        tag => tag == "!" || tag == "tag:yaml.org,2002:merge",
                    }
            }
            _ => false,
        }
    }

    /// Merges a mapping, or each of a list of mappings, into `pairs`: what comes later wins.
    fn merge(&mut self, value: NodeId, depth: usize, pairs: &mut Vec<Pair>) -> Decoded<()> {
        match &self.tree.get(value).kind {
            RawKind::Sequence(items) => {
                // From the back, as earlier ones take precedence.
                for item in items.iter().rev() {
                    self.merge_mapping(*item, depth + 1, pairs)?;
                }
                Ok(())
            }
            _ => self.merge_mapping(value, depth, pairs),
        }
    }

    fn merge_mapping(&mut self, value: NodeId, depth: usize, pairs: &mut Vec<Pair>) -> Decoded<()> {
        let node = self.tree.get(value);
        match &node.kind {
            RawKind::Mapping(children) => {
                self.count(node.mark, depth)?;
                self.pairs(children, depth, pairs)
            }
            RawKind::Alias(target) => {
                let target = self.tree.get(*target);
                let RawKind::Mapping(children) = &target.kind else {
                    return Err(not_mergeable(node.mark));
                };
                self.count(node.mark, depth)?;
                self.follow(value, node.mark)?;
                self.count(target.mark, depth)?;
                self.pairs(children, depth + 1, pairs)?;
                self.following.pop();
                Ok(())
            }
            _ => Err(not_mergeable(node.mark)),
        }
    }

    /// The key as JSON has it: a string.
    fn key(&mut self, id: NodeId, depth: usize) -> Decoded<String> {
        let node = self.tree.get(id);
        self.count(node.mark, depth)?;
        match &node.kind {
            RawKind::Alias(target) => {
                self.follow(id, node.mark)?;
                let key = self.key(*target, depth + 1);
                self.following.pop();
                key
            }
            RawKind::Scalar(scalar) => match Self::scalar(scalar, node.mark)? {
                Scalar::String(text) => {
                    if !self.following.is_empty() {
                        self.aliased_bytes += text.len();
                    }
                    Ok(text.into_owned())
                }
                Scalar::Int(value) => Ok(value.to_string()),
                Scalar::Float(value) => Ok(scalar::float_key(value)),
                Scalar::Bool(value) => Ok(value.to_string()),
                Scalar::Null => Err(Failure::Json(not_a_key(node.mark, "null"))),
                Scalar::Uint(_) => Err(Failure::Json(not_a_key(
                    node.mark,
                    "an integer above 9223372036854775807",
                ))),
            },
            RawKind::Sequence(_) => Err(Failure::Fatal(not_a_key(node.mark, "a list"))),
            RawKind::Mapping(_) => Err(Failure::Fatal(not_a_key(node.mark, "a map"))),
        }
    }

    /// The entries that remain when of equal keys the last has won.
    fn entries(&self, pairs: Vec<Pair>) -> Decoded<Vec<Entry>> {
        let mut order: Vec<usize> = (0..pairs.len()).collect();
        order.sort_by(|&a, &b| pairs[a].key.cmp(&pairs[b].key).then(a.cmp(&b)));
        let mut replaced = vec![false; pairs.len()];
        for two in order.windows(2) {
            let [first, second] = [&pairs[two[0]], &pairs[two[1]]];
            if first.key == second.key {
                if self.strict && first.origin == second.origin {
                    return Err(Failure::Fatal(duplicate(first, second)));
                }
                replaced[two[0]] = true;
            }
        }
        let mut entries = Vec::with_capacity(pairs.len());
        for (pair, replaced) in pairs.into_iter().zip(replaced) {
            if !replaced {
                entries.push(Entry {
                    key: pair.key,
                    mark: pair.mark,
                    value: pair.value?,
                });
            }
        }
        Ok(entries)
    }
}

fn duplicate(first: &Pair, second: &Pair) -> ReadError {
    ReadError {
        mark: second.mark,
        kind: ReadErrorKind::DuplicateKey,
        message: format!("the key `{}` stands twice in this map", second.key),
        hint: Some(format!(
            "it is already set in line {}: remove one of the two",
            first.mark.line
        )),
    }
}

fn not_mergeable(mark: Mark) -> Failure {
    Failure::syntax(
        mark,
        "`<<` merges a map or a list of maps, and this is neither",
    )
}

fn not_a_key(mark: Mark, found: &str) -> ReadError {
    ReadError::syntax(mark, format!("{found} cannot be the key of a map"))
        .hint("quote it to make it a string")
}

#[expect(clippy::cast_precision_loss, reason = "counts of nodes")]
fn ratio(part: usize, whole: usize) -> f64 {
    part as f64 / whole as f64
}

/// The share of nodes that may come from aliases: `allowedAliasRatio` of go-yaml.
#[expect(clippy::cast_precision_loss, reason = "counts of nodes")]
fn allowed_alias_ratio(decoded: usize) -> f64 {
    const LOW: usize = 400_000;
    const HIGH: usize = 4_000_000;
    match decoded {
        ..=LOW => 0.99,
        HIGH.. => 0.10,
        _ => 0.99 - 0.89 * ((decoded - LOW) as f64 / (HIGH - LOW) as f64),
    }
}
