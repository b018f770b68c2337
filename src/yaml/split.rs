//! A stream of documents, cut as Kubernetes' `YAMLReader` cuts it: at lines that begin with `---`.

/// One document's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Chunk<'t> {
    /// The text, without its separator if that is a line of its own.
    pub(super) text: &'t str,
    /// How many lines stand before it.
    pub(super) lines_before: u32,
    /// What follows `---` in its separator, where only a comment may.
    pub(super) stray: Option<&'t str>,
}

/// Cuts `text` into documents, without looking into them.
pub(super) fn split(text: &str) -> Vec<Chunk<'_>> {
    let mut chunks = Vec::new();
    let mut chunk = Chunk {
        text: "",
        lines_before: 0,
        stray: None,
    };
    let mut start = 0;
    let mut offset = 0;
    for (lines, line) in (1..).zip(text.split_inclusive('\n')) {
        let end = offset + line.len();
        if let Some(rest) = line.strip_prefix("---") {
            chunk.text = &text[start..offset];
            chunks.push(chunk);
            let rest = rest.trim();
            chunk = Chunk {
                text: "",
                lines_before: lines,
                stray: (!rest.is_empty() && !rest.starts_with('#')).then_some(rest),
            };
            start = end;
        }
        offset = end;
    }
    chunk.text = &text[start..];
    chunks.push(chunk);
    chunks
}
