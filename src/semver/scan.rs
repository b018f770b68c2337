//! The syntax that versions and constraints share: `v`, up to three parts, prerelease, build.

use std::ops::Range;

/// Longest version that Masterminds reads, in bytes.
pub(super) const MAX_VERSION_LEN: usize = 256;

/// What is wrong at a byte of the text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fault {
    pub(super) at: usize,
    pub(super) expected: &'static str,
    pub(super) hint: Option<&'static str>,
}

impl Fault {
    pub(super) fn new(at: usize, expected: &'static str) -> Self {
        Self {
            at,
            expected,
            hint: None,
        }
    }

    pub(super) fn hint(mut self, hint: impl Into<Option<&'static str>>) -> Self {
        self.hint = hint.into();
        self
    }
}

/// Where the pieces of a version stand in the text, without their `.`, `-` and `+`.
pub(super) struct Scan {
    pub(super) start: usize,
    pub(super) major: Range<usize>,
    pub(super) minor: Option<Range<usize>>,
    pub(super) patch: Option<Range<usize>>,
    pub(super) prerelease: Option<Range<usize>>,
    pub(super) build: Option<Range<usize>>,
    /// The end of all but the build metadata.
    pub(super) precedence_end: usize,
    pub(super) end: usize,
}

/// The longest version that begins at `start`, its parts being runs of bytes of the class `part`.
pub(super) fn scan(text: &[u8], start: usize, part: fn(u8) -> bool) -> Option<Scan> {
    let begin = start + usize::from(text.get(start) == Some(&b'v'));
    let mut end = run(text, begin, part);
    if end == begin {
        return None;
    }
    let major = begin..end;
    let mut next_part = || {
        let found = after(text, end, b'.', part)?;
        end = found.end;
        Some(found)
    };
    let minor = next_part();
    let patch = minor.is_some().then(next_part).flatten();
    let prerelease = identifiers(text, end, b'-');
    let precedence_end = prerelease.as_ref().map_or(end, |range| range.end);
    let build = identifiers(text, precedence_end, b'+');
    Some(Scan {
        start,
        major,
        minor,
        patch,
        prerelease,
        precedence_end,
        end: build.as_ref().map_or(precedence_end, |range| range.end),
        build,
    })
}

/// The end of the run of bytes of a class that begins at `at`.
pub(super) fn run(text: &[u8], at: usize, class: impl Fn(u8) -> bool) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    at + rest.iter().take_while(|byte| class(**byte)).count()
}

/// The non-empty run that follows `mark` at `at`.
fn after(text: &[u8], at: usize, mark: u8, class: fn(u8) -> bool) -> Option<Range<usize>> {
    let begin = at + 1;
    let end = run(text, begin, class);
    (text.get(at) == Some(&mark) && end > begin).then_some(begin..end)
}

fn identifiers(text: &[u8], at: usize, mark: u8) -> Option<Range<usize>> {
    let identifier = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    let mut range = after(text, at, mark, identifier)?;
    while let Some(next) = after(text, range.end, b'.', identifier) {
        range.end = next.end;
    }
    Some(range)
}

/// A part as a number; leading zeros are accepted.
pub(super) fn number(text: &str, part: &Range<usize>) -> Result<u64, Fault> {
    text[part.clone()]
        .parse()
        .map_err(|_| Fault::new(part.start, "a number of at most 64 bits"))
}

/// The prerelease of a version, empty where it has none.
pub(super) fn prerelease(
    text: &str,
    range: Option<&Range<usize>>,
) -> Result<::semver::Prerelease, Fault> {
    let Some(range) = range else {
        return Ok(::semver::Prerelease::EMPTY);
    };
    ::semver::Prerelease::new(&text[range.clone()]).map_err(|_| {
        Fault::new(
            range.start,
            "a prerelease whose numbers have no leading zeros",
        )
    })
}

/// What may be meant where a version should begin.
pub(super) fn hint_before(rest: &str) -> Option<&'static str> {
    let mut bytes = rest.bytes();
    match (bytes.next(), bytes.next()) {
        (Some(b'V'), Some(byte)) if byte.is_ascii_digit() => {
            Some("the prefix is a lower-case `v`, or nothing")
        }
        _ if rest.starts_with("sha256:") => Some("this is a digest, not a version"),
        _ => None,
    }
}

/// What may be meant where a version goes on in a way that it cannot.
pub(super) fn hint_after(rest: &str, scan: &Scan) -> Option<&'static str> {
    match rest.bytes().next()? {
        b'.' if scan
            .patch
            .as_ref()
            .is_some_and(|patch| patch.end == scan.end) =>
        {
            Some("a version has at most three numbers")
        }
        b'.' => Some("something must follow the dot"),
        b'-' => Some("a prerelease such as `rc.1` must follow the hyphen"),
        b'+' if scan.build.is_none() => Some("build metadata must follow the `+`"),
        b'_' => Some("the tag of an OCI chart has `_` where its version has `+`"),
        b'@' | b':' => Some("only a version goes here, without a digest or an image"),
        _ => None,
    }
}

/// The user's text for a message: control characters escaped, and not too long.
pub(super) fn excerpt(text: &str) -> String {
    const LONGEST: usize = 60;
    let mut shown = String::new();
    for (index, character) in text.chars().enumerate() {
        if index == LONGEST {
            shown.push('…');
            break;
        }
        if character.is_control() {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    shown
}

/// The word at `at` for a message, or that the text ends there.
pub(super) fn found(text: &str, at: usize) -> String {
    let rest = text.get(at..).unwrap_or_default();
    match rest.split_ascii_whitespace().next() {
        Some(word) => format!("at `{}`", excerpt(word)),
        None => "at the end".to_owned(),
    }
}
