//! Durations and timestamps of CEL, as cel-go has them on Go's `time`.

use std::any::Any;
use std::cmp::Ordering;

use cel::common::traits::{Adder, Comparer, Subtractor};
use cel::common::types::{CelInt, CelString, DURATION_TYPE, TIMESTAMP_TYPE, Type};
use cel::common::value::{CowVal, StaticVal, Val};
use cel::{DeclarationError, Env, ExecutionError, add_member_overload, add_overload};
use jiff::civil::DateTime;
use jiff::tz::Offset;

const NANOS_PER_SECOND: i64 = 1_000_000_000;
/// The first second of year 1 and the last of year 9999, the range of CEL.
const SECONDS: std::ops::RangeInclusive<i64> = -62_135_596_800..=253_402_300_799;

static DURATION: Type = DURATION_TYPE;
static TIMESTAMP: Type = TIMESTAMP_TYPE;

/// A duration in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Duration(pub(super) i64);

/// An instant, and the offset it was written with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timestamp {
    instant: jiff::Timestamp,
    offset: Offset,
}

/// Adds the types and their functions to `env`.
pub(super) fn declare(env: &mut Env) -> Result<(), DeclarationError> {
    env.add_type(DURATION_TYPE)?;
    env.add_type(TIMESTAMP_TYPE)?;
    add_overload!(env, fn parse_duration: (CelString) -> Result<Duration>, name = "duration")?;
    add_overload!(env, fn same_duration: (Duration) -> Duration, name = "duration")?;
    add_overload!(env, fn nanoseconds: (Duration) -> CelInt, name = "int")?;
    add_overload!(env, fn duration_text: (Duration) -> CelString, name = "string")?;
    add_member_overload!(env, fn whole_hours: (Duration) -> CelInt, name = "getHours")?;
    add_member_overload!(env, fn whole_minutes: (Duration) -> CelInt, name = "getMinutes")?;
    add_member_overload!(env, fn whole_seconds: (Duration) -> CelInt, name = "getSeconds")?;
    add_member_overload!(env, fn whole_millis: (Duration) -> CelInt, name = "getMilliseconds")?;
    add_overload!(env, fn parse_timestamp: (CelString) -> Result<Timestamp>, name = "timestamp")?;
    add_overload!(env, fn same_timestamp: (Timestamp) -> Timestamp, name = "timestamp")?;
    add_overload!(env, fn from_seconds: (CelInt) -> Result<Timestamp>, name = "timestamp")?;
    add_overload!(env, fn unix_seconds: (Timestamp) -> CelInt, name = "int")?;
    add_overload!(env, fn timestamp_text: (Timestamp) -> CelString, name = "string")?;
    declare_parts(env)
}

/// A getter of a part of a timestamp, in its own offset and in one that is given.
macro_rules! part {
    ($env:expr, $name:literal, |$at:ident| $part:expr) => {{
        fn own(this: &Timestamp) -> CelInt {
            let $at = this.offset.to_datetime(this.instant);
            CelInt::from(i64::from($part))
        }
        fn given(this: &Timestamp, zone: &CelString<'_>) -> Result<CelInt, ExecutionError> {
            let $at = parse_zone(zone.inner())?.to_datetime(this.instant);
            Ok(CelInt::from(i64::from($part)))
        }
        add_member_overload!($env, fn own: (Timestamp) -> CelInt, name = $name)?;
        add_member_overload!($env, fn given: (Timestamp, CelString) -> Result<CelInt>, name = $name)?;
    }};
}

fn declare_parts(env: &mut Env) -> Result<(), DeclarationError> {
    part!(env, "getFullYear", |at| at.year());
    part!(env, "getMonth", |at| at.month() - 1);
    part!(env, "getDate", |at| at.day());
    part!(env, "getDayOfMonth", |at| at.day() - 1);
    part!(env, "getDayOfWeek", |at| at
        .weekday()
        .to_sunday_zero_offset());
    part!(env, "getDayOfYear", |at| at.day_of_year() - 1);
    part!(env, "getHours", |at| at.hour());
    part!(env, "getMinutes", |at| at.minute());
    part!(env, "getSeconds", |at| at.second());
    part!(env, "getMilliseconds", |at| at.subsec_nanosecond()
        / 1_000_000);
    Ok(())
}

fn same_duration(this: &Duration) -> Duration {
    *this
}

fn nanoseconds(this: &Duration) -> CelInt {
    CelInt::from(this.0)
}

fn whole_hours(this: &Duration) -> CelInt {
    CelInt::from(this.0 / (3600 * NANOS_PER_SECOND))
}

fn whole_minutes(this: &Duration) -> CelInt {
    CelInt::from(this.0 / (60 * NANOS_PER_SECOND))
}

fn whole_seconds(this: &Duration) -> CelInt {
    CelInt::from(this.0 / NANOS_PER_SECOND)
}

fn whole_millis(this: &Duration) -> CelInt {
    CelInt::from(this.0 / 1_000_000)
}

/// Seconds as a float in the fewest digits, as cel-go prints them.
#[expect(
    clippy::cast_precision_loss,
    reason = "Go's `Duration.Seconds` loses it too"
)]
fn duration_text(this: &Duration) -> CelString<'static> {
    let whole = (this.0 / NANOS_PER_SECOND) as f64;
    let rest = (this.0 % NANOS_PER_SECOND) as f64;
    CelString::from(format!("{}s", whole + rest / 1e9))
}

/// Reads what Go's `time.ParseDuration` reads.
fn parse_duration(text: &CelString<'_>) -> Result<Duration, ExecutionError> {
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
    // More digits than fit do not count, as in Go.
    let fraction = &fraction[..fraction.len().min(18)];
    let scale = 10f64.powi(fraction.len() as i32);
    let part = fraction.parse::<u64>().map_or(0.0, |digits| digits as f64) * (unit as f64 / scale);
    Some((whole.checked_mul(unit)?.checked_add(part as u64)?, rest))
}

fn digits(text: &str) -> (&str, &str) {
    let end = text.find(|letter: char| !letter.is_ascii_digit());
    text.split_at(end.unwrap_or(text.len()))
}

fn same_timestamp(this: &Timestamp) -> Timestamp {
    *this
}

fn unix_seconds(this: &Timestamp) -> CelInt {
    CelInt::from(
        this.instant
            .as_nanosecond()
            .div_euclid(i128::from(NANOS_PER_SECOND)) as i64,
    )
}

pub(super) fn timestamp_text(this: &Timestamp) -> CelString<'static> {
    let at = this.offset.to_datetime(this.instant);
    let offset = this.offset.seconds();
    let zone = if offset == 0 {
        "Z".to_owned()
    } else {
        let sign = if offset < 0 { '-' } else { '+' };
        let minutes = offset.abs() / 60;
        format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60)
    };
    CelString::from(format!("{at}{zone}"))
}

fn from_seconds(seconds: &CelInt) -> Result<Timestamp, ExecutionError> {
    let seconds = *seconds.inner();
    jiff::Timestamp::new(seconds, 0)
        .ok()
        .and_then(|instant| Timestamp::new(instant, Offset::UTC))
        .ok_or_else(|| overflow("timestamp"))
}

fn overflow(function: &str) -> ExecutionError {
    let range = "the result is not between the years 1 and 9999";
    ExecutionError::function_error(function, range)
}

/// Reads RFC 3339 as strictly as cel-go.
fn parse_timestamp(text: &CelString<'_>) -> Result<Timestamp, ExecutionError> {
    let text = text.inner();
    strict_rfc3339(text).ok_or_else(|| {
        let help = "is not a timestamp: write RFC 3339, such as `2006-01-02T15:04:05Z`";
        ExecutionError::function_error("timestamp", format!("`{text}` {help}"))
    })
}

fn strict_rfc3339(text: &str) -> Option<Timestamp> {
    let (date, rest) = text.split_at_checked("2006-01-02T15:04:05".len())?;
    let number = |range: std::ops::Range<usize>| -> Option<i16> {
        let part = date.get(range)?;
        part.bytes()
            .all(|byte| byte.is_ascii_digit())
            .then(|| part.parse().ok())?
    };
    let small = |start: usize| -> Option<i8> { number(start..start + 2)?.try_into().ok() };
    let marks = [(4, '-'), (7, '-'), (10, 'T'), (13, ':'), (16, ':')];
    if marks
        .iter()
        .any(|(at, mark)| !date[*at..].starts_with(*mark))
    {
        return None;
    }
    let (nanos, zone) = match rest.strip_prefix('.') {
        Some(rest) => {
            let (fraction, zone) = digits(rest);
            let nine = format!("{fraction:0<9}");
            (
                Some(fraction)
                    .filter(|digits| !digits.is_empty())
                    .and(nine[..9].parse().ok())?,
                zone,
            )
        }
        None => (0, rest),
    };
    let offset = match zone.as_bytes() {
        b"Z" => Offset::UTC,
        [b'+' | b'-', _, _, b':', _, _] => parse_zone(zone).ok()?,
        _ => return None,
    };
    let at = DateTime::new(
        number(0..4)?,
        small(5)?,
        small(8)?,
        small(11)?,
        small(14)?,
        small(17)?,
        nanos,
    );
    Timestamp::new(offset.to_timestamp(at.ok()?).ok()?, offset)
}

/// Reads an offset such as `+02:00`. The names of zones other than UTC are not known here, as
/// their table changes from machine to machine.
fn parse_zone(zone: &str) -> Result<Offset, ExecutionError> {
    if matches!(zone, "" | "UTC") {
        return Ok(Offset::UTC);
    }
    let offset = zone.split_once(':').and_then(|(hours, minutes)| {
        let hours: i32 = hours
            .parse()
            .ok()
            .filter(|hours| (-23..=23).contains(hours))?;
        let minutes: i32 = minutes
            .parse()
            .ok()
            .filter(|minutes| (0..=59).contains(minutes))?;
        let sign = if zone.starts_with('-') { -1 } else { 1 };
        Offset::from_seconds((hours * 60 + sign * minutes) * 60).ok()
    });
    offset.ok_or_else(|| {
        let help =
            "is not an offset: write `+02:00`; coldframe knows no names of time zones but `UTC`";
        ExecutionError::function_error("timestamp", format!("`{zone}` {help}"))
    })
}

impl Timestamp {
    fn new(instant: jiff::Timestamp, offset: Offset) -> Option<Self> {
        SECONDS
            .contains(
                &instant
                    .as_nanosecond()
                    .div_euclid(i128::from(NANOS_PER_SECOND))
                    .try_into()
                    .ok()?,
            )
            .then_some(Self { instant, offset })
    }

    fn plus(&self, nanos: i128) -> Result<Self, ExecutionError> {
        jiff::Timestamp::from_nanosecond(self.instant.as_nanosecond() + nanos)
            .ok()
            .and_then(|instant| Self::new(instant, self.offset))
            .ok_or_else(|| overflow("timestamp"))
    }
}

fn no_overload(operator: &str, left: &dyn Val, right: &dyn Val) -> ExecutionError {
    let types = [left, right].map(|value| value.get_type().name().to_owned());
    ExecutionError::no_such_overload(operator, types.to_vec())
}

fn duration_of(nanos: i128, operator: &str) -> Result<Duration, ExecutionError> {
    i64::try_from(nanos)
        .map(Duration)
        .map_err(|_| ExecutionError::function_error(operator, "the duration is too long"))
}

/// What both types have in common as values of CEL.
macro_rules! value {
    ($name:ident, $type:ident, |$one:ident, $other:ident| $same:expr) => {
        impl Val for $name {
            fn get_type(&self) -> &Type {
                &$type
            }

            fn cel_type() -> &'static Type {
                &$type
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
                let $one = self;
                match other.downcast_ref::<Self>() {
                    Some($other) => Ok($same),
                    None => Err(no_overload("_<_", self, other)),
                }
            }
        }
    };
}

value!(Duration, DURATION, |one, other| one.cmp(other));
value!(Timestamp, TIMESTAMP, |one, other| one
    .instant
    .cmp(&other.instant));

impl Adder for Duration {
    fn add<'b, 'v>(&'b self, other: &(dyn Val + 'v)) -> Result<CowVal<'b, 'v>, ExecutionError>
    where
        Self: 'v,
    {
        if let Some(other) = other.downcast_ref::<Self>() {
            duration_of(i128::from(self.0) + i128::from(other.0), "_+_").map(CowVal::owned)
        } else if let Some(timestamp) = other.downcast_ref::<Timestamp>() {
            timestamp.plus(i128::from(self.0)).map(CowVal::owned)
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
                duration_of(i128::from(self.0) - i128::from(other.0), "_-_").map(CowVal::owned)
            }
            None => Err(no_overload("_-_", self, other)),
        }
    }
}

impl Adder for Timestamp {
    fn add<'b, 'v>(&'b self, other: &(dyn Val + 'v)) -> Result<CowVal<'b, 'v>, ExecutionError>
    where
        Self: 'v,
    {
        match other.downcast_ref::<Duration>() {
            Some(other) => self.plus(i128::from(other.0)).map(CowVal::owned),
            None => Err(no_overload("_+_", self, other)),
        }
    }
}

impl Subtractor for Timestamp {
    fn sub<'b, 'v>(&'b self, other: &(dyn Val + 'v)) -> Result<CowVal<'b, 'v>, ExecutionError>
    where
        Self: 'v,
    {
        if let Some(other) = other.downcast_ref::<Duration>() {
            self.plus(-i128::from(other.0)).map(CowVal::owned)
        } else if let Some(other) = other.downcast_ref::<Self>() {
            let nanos = self.instant.as_nanosecond() - other.instant.as_nanosecond();
            duration_of(nanos, "_-_").map(CowVal::owned)
        } else {
            Err(no_overload("_-_", self, other))
        }
    }
}
