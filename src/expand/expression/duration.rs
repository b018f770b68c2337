//! Durations of CEL, as cel-go has them on Go's `time`.

#![expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the crate decides how functions get their arguments"
)]

use std::any::Any;
use std::cmp::Ordering;

use cel::common::traits::{Adder, Comparer, Subtractor};
use cel::common::types::{CelInt, CelString, DURATION_TYPE, Type};
use cel::common::value::{CowVal, StaticVal, Val};
use cel::{DeclarationError, Env, ExecutionError, add_member_overload, add_overload};

use super::timestamp::Timestamp;

const NANOS_PER_SECOND: i64 = 1_000_000_000;

static TYPE: Type = DURATION_TYPE;

/// A duration in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Duration(pub(super) i64);

/// Adds the type and its functions to `env`.
pub(super) fn declare(env: &mut Env) -> Result<(), DeclarationError> {
    env.add_type(DURATION_TYPE)?;
    add_overload!(env, fn parse: (CelString) -> Result<Duration>, name = "duration")?;
    add_overload!(env, fn same: (Duration) -> Duration, name = "duration")?;
    add_overload!(env, fn nanoseconds: (Duration) -> CelInt, name = "int")?;
    add_overload!(env, fn text: (Duration) -> CelString, name = "string")?;
    add_member_overload!(env, fn hours: (Duration) -> CelInt, name = "getHours")?;
    add_member_overload!(env, fn minutes: (Duration) -> CelInt, name = "getMinutes")?;
    add_member_overload!(env, fn seconds: (Duration) -> CelInt, name = "getSeconds")?;
    add_member_overload!(env, fn millis: (Duration) -> CelInt, name = "getMilliseconds")
}

fn same(this: &Duration) -> Duration {
    *this
}

fn nanoseconds(this: &Duration) -> CelInt {
    CelInt::from(this.0)
}

fn hours(this: &Duration) -> CelInt {
    CelInt::from(this.0 / (3600 * NANOS_PER_SECOND))
}

fn minutes(this: &Duration) -> CelInt {
    CelInt::from(this.0 / (60 * NANOS_PER_SECOND))
}

fn seconds(this: &Duration) -> CelInt {
    CelInt::from(this.0 / NANOS_PER_SECOND)
}

fn millis(this: &Duration) -> CelInt {
    CelInt::from(this.0 / 1_000_000)
}

/// Seconds as a float in the fewest digits, as cel-go prints them.
#[expect(
    clippy::cast_precision_loss,
    reason = "Go's `Duration.Seconds` loses it too"
)]
pub(super) fn text(this: &Duration) -> CelString<'static> {
    let whole = (this.0 / NANOS_PER_SECOND) as f64;
    let rest = (this.0 % NANOS_PER_SECOND) as f64;
    CelString::from(format!("{}s", whole + rest / 1e9))
}

/// Reads what Go's `time.ParseDuration` reads.
fn parse(text: &CelString<'_>) -> Result<Duration, ExecutionError> {
    let text = text.inner();
    let wrong = || {
        let help = "is not a duration: write numbers with units, such as `1h30m` or `1.5s`";
        ExecutionError::function_error("duration", format!("`{text}` {help}"))
    };
    let (negative, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if rest == "0" {
        return Ok(Duration(0));
    }
    if rest.is_empty() {
        return Err(wrong());
    }
    let mut total: u64 = 0;
    while !rest.is_empty() {
        let (nanos, after) = parse_part(rest).ok_or_else(wrong)?;
        total = total
            .checked_add(nanos)
            .filter(|total| *total <= i64::MIN.unsigned_abs())
            .ok_or_else(wrong)?;
        rest = after;
    }
    let nanos = i128::from(total) * if negative { -1 } else { 1 };
    i64::try_from(nanos).map(Duration).map_err(|_| wrong())
}

/// Reads one number with its unit: its nanoseconds and what follows it.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "Go computes the fraction in floats too; it is less than the unit"
)]
fn parse_part(text: &str) -> Option<(u64, &str)> {
    let (whole, rest) = digits(text);
    let (fraction, rest) = rest.strip_prefix('.').map_or(("", rest), digits);
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let end = rest.find(|letter: char| letter == '.' || letter.is_ascii_digit());
    let (unit, rest) = rest.split_at(end.unwrap_or(rest.len()));
    let unit: u64 = match unit {
        "ns" => 1,
        "us" | "\u{b5}s" | "\u{3bc}s" => 1_000,
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        "m" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        _ => return None,
    };
    let whole: u64 = if whole.is_empty() {
        0
    } else {
        whole.parse().ok()?
    };
    let (mut numerator, mut scale) = (0u64, 1.0);
    for digit in fraction.bytes() {
        // Digits that do not fit do not count, as in Go.
        let next = numerator
            .checked_mul(10)
            .map(|tens| tens + u64::from(digit - b'0'));
        let Some(next) = next.filter(|next| *next <= i64::MIN.unsigned_abs()) else {
            break;
        };
        (numerator, scale) = (next, scale * 10.0);
    }
    let part = numerator as f64 * (unit as f64 / scale);
    Some((whole.checked_mul(unit)?.checked_add(part as u64)?, rest))
}

/// The digits that `text` begins with, and the rest.
pub(super) fn digits(text: &str) -> (&str, &str) {
    let end = text.find(|letter: char| !letter.is_ascii_digit());
    text.split_at(end.unwrap_or(text.len()))
}

impl Duration {
    /// The duration of `nanos`, the result of `operator`.
    pub(super) fn new(nanos: i128, operator: &str) -> Result<Self, ExecutionError> {
        i64::try_from(nanos).map(Self).map_err(|_| {
            ExecutionError::function_error(operator, "the duration is longer than 292 years")
        })
    }
}

/// The error that an operator does not take two values.
pub(super) fn no_overload(operator: &str, left: &dyn Val, right: &dyn Val) -> ExecutionError {
    let types = [left, right].map(|value| value.get_type().name().to_owned());
    ExecutionError::no_such_overload(operator, types.to_vec())
}

/// What durations and timestamps have in common as values of CEL.
macro_rules! time_value {
    ($name:ident) => {
        impl Val for $name {
            fn get_type(&self) -> &Type {
                &TYPE
            }

            fn cel_type() -> &'static Type {
                &TYPE
            }

            fn as_adder<'b, 'v>(&'b self) -> Option<&'b (dyn Adder + 'v)>
            where
                Self: 'v,
            {
                Some(self)
            }

            fn as_subtractor<'b, 'v>(&'b self) -> Option<&'b (dyn Subtractor + 'v)>
            where
                Self: 'v,
            {
                Some(self)
            }

            fn as_comparer(&self) -> Option<&dyn Comparer> {
                Some(self)
            }

            fn equals(&self, other: &dyn Val) -> bool {
                self.compare(other).is_ok_and(Ordering::is_eq)
            }

            fn clone_as_boxed<'v>(&self) -> Box<dyn Val + 'v>
            where
                Self: 'v,
            {
                Box::new(*self)
            }

            fn as_any(&self) -> Option<&dyn Any> {
                Some(self)
            }
        }

        impl StaticVal for $name {}

        impl Comparer for $name {
            fn compare(&self, other: &dyn Val) -> Result<Ordering, ExecutionError> {
                other
                    .downcast_ref::<Self>()
                    .map(|other| Ord::cmp(self, other))
                    .ok_or_else(|| no_overload("_<_", self, other))
            }
        }
    };
}

pub(super) use time_value;

time_value!(Duration);

impl Adder for Duration {
    fn add<'b, 'v>(&'b self, other: &(dyn Val + 'v)) -> Result<CowVal<'b, 'v>, ExecutionError>
    where
        Self: 'v,
    {
        if let Some(other) = other.downcast_ref::<Self>() {
            Self::new(i128::from(self.0) + i128::from(other.0), "_+_").map(CowVal::owned)
        } else if let Some(timestamp) = other.downcast_ref::<Timestamp>() {
            timestamp.plus(self.0).map(CowVal::owned)
        } else {
            Err(no_overload("_+_", self, other))
        }
    }
}

impl Subtractor for Duration {
    fn sub<'b, 'v>(&'b self, other: &(dyn Val + 'v)) -> Result<CowVal<'b, 'v>, ExecutionError>
    where
        Self: 'v,
    {
        match other.downcast_ref::<Self>() {
            Some(other) => {
                Self::new(i128::from(self.0) - i128::from(other.0), "_-_").map(CowVal::owned)
            }
            None => Err(no_overload("_-_", self, other)),
        }
    }
}
