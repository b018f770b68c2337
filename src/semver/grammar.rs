//! Reads a constraint: hyphen ranges first, then alternatives, then comparators.
//!
//! Masterminds rewrites each hyphen range `A - B` to `>= A, <= B ` in the text before it reads
//! anything else, and its parts may hold any of `0-9 x X * |`. What follows from that (`1 - 2=2` is
//! valid, `1 2 - 3` is not, and `1||2 - 3` means `>=1 || 2, <=3`) holds here too, since Flux and Helm
//! act on it.

use super::constraint::{Comparator, Constraint, Group, Operator, Precision};
use super::scan::{self, Fault, MAX_VERSION_LEN, Scan, run};

const MAX_LEN: usize = 512;
const MAX_GROUPS: usize = 32;

/// Longer ones before those that they begin with.
const OPERATORS: [(&str, Operator); 11] = [
    ("!=", Operator::NotEqual),
    (">=", Operator::GreaterEqual),
    ("=>", Operator::GreaterEqual),
    ("<=", Operator::LessEqual),
    ("=<", Operator::LessEqual),
    ("~>", Operator::Tilde),
    ("=", Operator::Equal),
    (">", Operator::Greater),
    ("<", Operator::Less),
    ("~", Operator::Tilde),
    ("^", Operator::Caret),
];

pub(super) fn parse(text: &str) -> Result<Constraint, Fault> {
    if text.len() > MAX_LEN {
        let boundary = (0..=MAX_LEN).rfind(|at| text.is_char_boundary(*at));
        return Err(Fault::new(boundary.unwrap_or(0), "at most 512 bytes"));
    }
    let source = Source::expand(text);
    let groups = source
        .groups()
        .and_then(|spans| {
            spans
                .into_iter()
                .map(|(start, end)| source.group(start, end))
                .collect::<Result<Vec<_>, _>>()
        })
        .map_err(|fault| source.locate(fault))?;
    Ok(Constraint {
        text: text.to_owned(),
        groups,
        torn_range: source.torn_range,
    })
}

/// The text with its hyphen ranges rewritten, and from where in the original each byte comes.
struct Source {
    text: String,
    origins: Vec<Origin>,
    torn_range: Option<usize>,
}

#[derive(Clone, Copy)]
struct Origin {
    at: usize,
    inserted: bool,
}

impl Source {
    fn expand(text: &str) -> Self {
        let mut source = Self {
            text: String::with_capacity(text.len() + 8),
            origins: Vec::with_capacity(text.len() + 8),
            torn_range: None,
        };
        let mut done = 0;
        while let Some(range) = HyphenRange::find(text.as_bytes(), done) {
            source.copy(text, done, range.start);
            source.insert(">= ", range.low.start);
            source.copy(text, range.low.start, range.low.end);
            source.insert(", <= ", range.high.start);
            source.copy(text, range.high.start, range.high.end);
            source.insert(" ", range.high.end);
            if text[range.low.start..range.low.end].contains("||") {
                source.torn_range = Some(range.low.start);
            }
            done = range.end;
        }
        source.copy(text, done, text.len());
        source.origins.push(Origin {
            at: text.len(),
            inserted: false,
        });
        source
    }

    fn copy(&mut self, text: &str, start: usize, end: usize) {
        self.text.push_str(&text[start..end]);
        self.origins.extend((start..end).map(|at| Origin {
            at,
            inserted: false,
        }));
    }

    fn insert(&mut self, text: &str, at: usize) {
        self.text.push_str(text);
        self.origins
            .extend(text.bytes().map(|_| Origin { at, inserted: true }));
    }

    fn origin(&self, at: usize) -> Origin {
        let last = self.origins.len() - 1;
        self.origins[at.min(last)]
    }

    /// The fault at its place in the original text.
    fn locate(&self, fault: Fault) -> Fault {
        let origin = self.origin(fault.at);
        let before = self.text[..fault.at].trim_ascii_end();
        let (expected, hint) = if !origin.inserted || fault.at == 0 {
            (fault.expected, fault.hint)
        } else if before.ends_with(['=', '<', '>', '~', '^', '!']) {
            let hint = "`1.2 - 1.4` means `>=1.2, <=1.4`";
            ("a hyphen range without an operator", Some(hint))
        } else {
            let hint = "put one before the hyphen range; a space is not enough there";
            ("a comma or `||`", Some(hint))
        };
        Fault {
            at: origin.at,
            expected,
            hint,
        }
    }

    /// Where the alternatives begin and end.
    fn groups(&self) -> Result<Vec<(usize, usize)>, Fault> {
        let mut spans = Vec::new();
        let mut start = 0;
        for alternative in self.text.split("||") {
            let end = start + alternative.len();
            spans.push((start, end));
            start = end + 2;
        }
        match spans.get(MAX_GROUPS) {
            Some((start, _)) => Err(Fault::new(*start, "at most 32 alternatives")),
            None => Ok(spans),
        }
    }

    fn group(&self, start: usize, end: usize) -> Result<Group, Fault> {
        let bytes = &self.text.as_bytes()[..end];
        let mut at = run(bytes, start, is_space);
        if at == end {
            let hint = "an empty alternative admits nothing; `*` admits any release";
            return Err(Fault::new(at, "a comparator such as `^1.2`").hint(hint));
        }
        let mut comparators = Vec::new();
        loop {
            let (comparator, scan) = self.comparator(bytes, at)?;
            comparators.push(comparator);
            at = run(bytes, scan.end, is_space);
            if at == end {
                return Ok(Group { comparators });
            }
            if bytes[at] == b',' {
                at = run(bytes, at + 1, is_space);
            } else if at == scan.end {
                let hint = hint_after(&self.text[at..], &scan);
                return Err(Fault::new(at, "a space, a comma or `||`").hint(hint));
            }
        }
    }

    fn comparator(&self, bytes: &[u8], start: usize) -> Result<(Comparator, Scan), Fault> {
        let rest = &self.text[start..bytes.len()];
        let (spelled, operator) = OPERATORS
            .into_iter()
            .find(|(spelled, _)| rest.starts_with(spelled))
            .unwrap_or(("", Operator::Equal));
        let at = run(bytes, start + spelled.len(), is_space);
        let Some(scan) = scan::scan(bytes, at, is_part) else {
            let rest = &self.text[at..bytes.len()];
            let fault = Fault::new(at, "a version such as `1.2` or `1.x`");
            return Err(fault.hint(hint_before(spelled, rest)));
        };
        let (version, precision) = self.version(&scan)?;
        let number_follows = |part: &Option<std::ops::Range<usize>>| {
            part.as_ref()
                .is_some_and(|range| !is_wildcard(&self.text[range.clone()]))
        };
        let comparator = Comparator {
            operator,
            version,
            precision,
            text: self.text[start..scan.end].to_owned(),
            start: self.origin(start).at,
            precedence_end: self.origin(scan.precedence_end - 1).at + 1,
            has_wildcard_patch: precision == Precision::Minor && scan.patch.is_some(),
            ignores_part: match precision {
                Precision::Any => number_follows(&scan.minor) || number_follows(&scan.patch),
                Precision::Major => number_follows(&scan.patch),
                Precision::Minor | Precision::Full => false,
            },
            has_build: scan.build.is_some(),
        };
        Ok((comparator, scan))
    }

    /// The lowest version that is named, and how much of it. What follows a wildcard is not read.
    fn version(&self, scan: &Scan) -> Result<(::semver::Version, Precision), Fault> {
        let text = &self.text;
        let given = |part: Option<&std::ops::Range<usize>>| {
            part.filter(|range| !is_wildcard(&text[(*range).clone()]))
                .cloned()
        };
        let major = given(Some(&scan.major));
        let minor = major.as_ref().and_then(|_| given(scan.minor.as_ref()));
        let patch = minor.as_ref().and_then(|_| given(scan.patch.as_ref()));

        let prerelease_length = scan.prerelease.as_ref().map_or(0, |range| range.len() + 1);
        let (precision, length) = match (&major, &minor, &patch) {
            (None, ..) => (Precision::Any, "0.0.0".len() + prerelease_length),
            (Some(major), None, _) => {
                let numbers = major.len() + ".0.0".len();
                (Precision::Major, numbers + prerelease_length)
            }
            (Some(major), Some(minor), None) => {
                let numbers = major.len() + 1 + minor.len() + ".0".len();
                (Precision::Minor, numbers + prerelease_length)
            }
            (Some(_), Some(_), Some(_)) => (Precision::Full, scan.end - scan.start),
        };
        if length > MAX_VERSION_LEN {
            return Err(Fault::new(scan.start, "a version of at most 256 bytes"));
        }
        let number = |part: Option<std::ops::Range<usize>>| {
            part.map_or(Ok(0), |range| {
                scan::number(text, &range).map_err(|fault| explain_part(&text[range], fault))
            })
        };
        let version = ::semver::Version {
            major: number(major)?,
            minor: number(minor)?,
            patch: number(patch)?,
            pre: scan::prerelease(text, scan.prerelease.as_ref())?,
            build: ::semver::BuildMetadata::EMPTY,
        };
        Ok((version, precision))
    }
}

/// Where `A - B` stands in the text, the spaces around it included.
struct HyphenRange {
    start: usize,
    low: Scan,
    high: Scan,
    end: usize,
}

impl HyphenRange {
    /// The first one from `from` on.
    fn find(text: &[u8], from: usize) -> Option<Self> {
        if !text.get(from..)?.contains(&b'-') {
            return None;
        }
        (from..text.len()).find_map(|start| Self::at(text, start))
    }

    fn at(text: &[u8], start: usize) -> Option<Self> {
        let low = scan::scan(text, run(text, start, is_space), is_part)?;
        let hyphen = run(text, low.end, is_space);
        let high_start = run(text, hyphen + 1, is_space);
        if hyphen == low.end || text.get(hyphen) != Some(&b'-') || high_start == hyphen + 1 {
            return None;
        }
        let high = scan::scan(text, high_start, is_part)?;
        Some(Self {
            start,
            end: run(text, high.end, is_space),
            low,
            high,
        })
    }
}

/// Go's `\s`.
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b'\x0c')
}

/// A byte of a part; the bar is one by a slip of Masterminds' pattern.
fn is_part(byte: u8) -> bool {
    byte.is_ascii_digit() || matches!(byte, b'x' | b'X' | b'*' | b'|')
}

fn is_wildcard(part: &str) -> bool {
    matches!(part, "x" | "X" | "*")
}

fn explain_part(part: &str, fault: Fault) -> Fault {
    if part.bytes().all(|byte| byte.is_ascii_digit()) {
        return fault;
    }
    let hint = part
        .contains('|')
        .then_some("alternatives are separated by `||`");
    Fault::new(fault.at, "a number or `x`").hint(hint)
}

fn hint_before(operator: &str, rest: &str) -> Option<&'static str> {
    let word: String = rest
        .chars()
        .take_while(char::is_ascii_alphabetic)
        .collect::<String>()
        .to_ascii_lowercase();
    match (operator, rest.bytes().next()) {
        ("=", Some(b'=')) => Some("one `=` asks for exactly a version"),
        ("~", Some(b'=')) => Some("`~1.2` admits patches, `^1.2` minor versions too"),
        ("", None) => Some("nothing may follow the last comma"),
        (_, None) => Some("a version must follow the operator"),
        (_, Some(b',')) => Some("one comma, between two comparators"),
        (_, Some(b'-')) => Some("a range has a space on both sides of its hyphen: `1.2 - 1.4`"),
        (_, Some(b'&')) => Some("a space or a comma already means `and`"),
        (_, Some(b'[' | b'(')) => Some("an interval is written `>=1.2, <2`"),
        _ => match word.as_str() {
            "and" => Some("a space or a comma already means `and`"),
            "or" => Some("alternatives are separated by `||`"),
            "latest" | "newest" | "any" => Some("`*` admits any release"),
            _ => scan::hint_before(rest),
        },
    }
}

fn hint_after(rest: &str, scan: &Scan) -> Option<&'static str> {
    match rest.bytes().next()? {
        b'&' => Some("a space or a comma already means `and`"),
        b'=' | b'<' | b'>' | b'~' | b'^' | b'!' => {
            Some("comparators are separated by spaces or commas")
        }
        _ => scan::hint_after(rest, scan),
    }
}
