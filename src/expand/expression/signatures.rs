//! The functions of CEL's standard library and of cel-go's strings extension, and their types.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::LazyLock;

/// A type of CEL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Type {
    Dyn,
    Null,
    Bool,
    Int,
    Uint,
    Double,
    String,
    Bytes,
    Duration,
    Timestamp,
    /// The type of types.
    OfTypes,
    List(Box<Self>),
    Map(Box<(Self, Self)>),
    /// A type that is not known yet; in a signature, a parameter: 0 is `A`, 1 is `B`.
    Variable(usize),
}

/// One way to call a function.
pub(super) struct Overload {
    /// Whether the first parameter stands before the dot.
    pub(super) member: bool,
    pub(super) parameters: Vec<Type>,
    pub(super) result: Type,
}

/// The types that have a name in expressions.
pub(super) const TYPE_NAMES: [&str; 13] = [
    "bool",
    "bytes",
    "double",
    "google.protobuf.Duration",
    "google.protobuf.Timestamp",
    "int",
    "list",
    "map",
    "null_type",
    "string",
    "type",
    "uint",
    "dyn",
];

/// `name: parameters = result`, one overload a line; `.name` is called on its first parameter.
const SIGNATURES: &str = "
_?_:_: bool A A = A
_&&_: bool bool = bool
_||_: bool bool = bool
!_: bool = bool
@not_strictly_false: bool = bool
_==_: A A = bool
_!=_: A A = bool
_<_ _<=_ _>_ _>=_: bool bool = bool
_<_ _<=_ _>_ _>=_: int int = bool
_<_ _<=_ _>_ _>=_: uint uint = bool
_<_ _<=_ _>_ _>=_: double double = bool
_<_ _<=_ _>_ _>=_: string string = bool
_<_ _<=_ _>_ _>=_: bytes bytes = bool
_<_ _<=_ _>_ _>=_: timestamp timestamp = bool
_<_ _<=_ _>_ _>=_: duration duration = bool
_+_ _-_ _*_ _/_ _%_: int int = int
_+_ _-_ _*_ _/_ _%_: uint uint = uint
_+_ _-_ _*_ _/_: double double = double
_+_: string string = string
_+_: bytes bytes = bytes
_+_: list(A) list(A) = list(A)
_+_ _-_: duration duration = duration
_+_: duration timestamp = timestamp
_+_ _-_: timestamp duration = timestamp
_-_: timestamp timestamp = duration
-_: int = int
-_: double = double
_[_]: list(A) int = A
_[_]: map(A,B) A = B
@in: A list(A) = bool
@in: A map(A,B) = bool
size .size: string = int
size .size: bytes = int
size .size: list(A) = int
size .size: map(A,B) = int
type: A = type
dyn: A = dyn
bool: bool = bool
bool: string = bool
bytes: bytes = bytes
bytes: string = bytes
double: double = double
double: int = double
double: uint = double
double: string = double
duration: duration = duration
duration: string = duration
int: int = int
int: uint = int
int: double = int
int: string = int
int: duration = int
int: timestamp = int
string: string = string
string: bool = string
string: int = string
string: uint = string
string: double = string
string: bytes = string
string: duration = string
string: timestamp = string
timestamp: timestamp = timestamp
timestamp: int = timestamp
timestamp: string = timestamp
uint: uint = uint
uint: int = uint
uint: double = uint
uint: string = uint
.contains .endsWith .startsWith: string string = bool
matches .matches: string string = bool
.getFullYear .getMonth .getDate .getDayOfMonth .getDayOfWeek .getDayOfYear: timestamp = int
.getFullYear .getMonth .getDate .getDayOfMonth .getDayOfWeek .getDayOfYear: timestamp string = int
.getHours .getMinutes .getSeconds .getMilliseconds: timestamp = int
.getHours .getMinutes .getSeconds .getMilliseconds: timestamp string = int
.getHours .getMinutes .getSeconds .getMilliseconds: duration = int
.charAt: string int = string
.format: string list(dyn) = string
.indexOf .lastIndexOf: string string = int
.indexOf .lastIndexOf: string string int = int
.join: list(string) = string
.join: list(string) string = string
.lowerAscii .upperAscii .reverse .trim: string = string
.replace: string string string = string
.replace: string string string int = string
.split: string string = list(string)
.split: string string int = list(string)
.substring: string int = string
.substring: string int int = string
strings.quote: string = string
";

static OVERLOADS: LazyLock<BTreeMap<&str, Vec<Overload>>> = LazyLock::new(|| {
    let mut overloads: BTreeMap<&str, Vec<Overload>> = BTreeMap::new();
    for line in SIGNATURES.lines() {
        let Some((names, signature)) = line.rsplit_once(": ") else {
            continue;
        };
        let mut types: Vec<Type> = signature.split([' ', '=']).filter_map(parse).collect();
        let Some(result) = types.pop() else {
            continue;
        };
        for name in names.split(' ') {
            let plain = name.strip_prefix('.');
            overloads
                .entry(plain.unwrap_or(name))
                .or_default()
                .push(Overload {
                    member: plain.is_some(),
                    parameters: types.clone(),
                    result: result.clone(),
                });
        }
    }
    overloads
});

/// The overloads of a function.
pub(super) fn find(name: &str) -> Option<&'static [Overload]> {
    OVERLOADS.get(name).map(Vec::as_slice)
}

/// The name as it is written: `_+_` is the operator `+`.
pub(super) fn readable(name: &str) -> String {
    let operator = name.trim_matches('@').trim_matches('_');
    if operator == name {
        format!("the function `{name}`")
    } else {
        format!("the operator `{}`", operator.replace('_', ""))
    }
}

fn parse(text: &str) -> Option<Type> {
    Some(match text {
        "A" => Type::Variable(0),
        "B" => Type::Variable(1),
        "bool" => Type::Bool,
        "bytes" => Type::Bytes,
        "double" => Type::Double,
        "duration" => Type::Duration,
        "dyn" => Type::Dyn,
        "int" => Type::Int,
        "list(A)" => Type::List(Box::new(Type::Variable(0))),
        "list(dyn)" => Type::List(Box::new(Type::Dyn)),
        "list(string)" => Type::List(Box::new(Type::String)),
        "map(A,B)" => Type::Map(Box::new((Type::Variable(0), Type::Variable(1)))),
        "string" => Type::String,
        "timestamp" => Type::Timestamp,
        "type" => Type::OfTypes,
        "uint" => Type::Uint,
        _ => return None,
    })
}

impl Type {
    /// The type with its parameters counted from `first`.
    pub(super) fn shifted(&self, first: usize) -> Self {
        match self {
            Self::Variable(index) => Self::Variable(index + first),
            Self::List(element) => Self::List(Box::new(element.shifted(first))),
            Self::Map(entry) => {
                Self::Map(Box::new((entry.0.shifted(first), entry.1.shifted(first))))
            }
            other => other.clone(),
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Dyn | Self::Variable(_) => "dyn",
            Self::Null => "null",
            Self::Bool => "bool",
            Self::Int => "int",
            Self::Uint => "uint",
            Self::Double => "double",
            Self::String => "string",
            Self::Bytes => "bytes",
            Self::Duration => "duration",
            Self::Timestamp => "timestamp",
            Self::OfTypes => "type",
            Self::List(element) => return write!(formatter, "list({element})"),
            Self::Map(entry) => return write!(formatter, "map({}, {})", entry.0, entry.1),
        })
    }
}
