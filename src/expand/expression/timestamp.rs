//! Timestamps of CEL, as cel-go has them on Go's `time`.

#![expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the crate decides how functions get their arguments"
)]

use std::any::Any;
use std::cmp::Ordering;

use cel::common::traits::{Adder, Comparer, Subtractor};
use cel::common::types::{CelInt, CelString, TIMESTAMP_TYPE, Type};
use cel::common::value::{CowVal, StaticVal, Val};
use cel::{DeclarationError, Env, ExecutionError, add_member_overload, add_overload};
use jiff::SignedDuration;
use jiff::civil::DateTime;

use super::duration::{Duration, digits, no_overload, time_value};

const EPOCH: DateTime = DateTime::constant(1970, 1, 1, 0, 0, 0, 0);

static TYPE: Type = TIMESTAMP_TYPE;

/// An instant as a date in UTC, from year 1 to 9999, and the offset that it was written with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timestamp {
    utc: DateTime,
    offset: SignedDuration,
}

/// Adds the type and its functions to `env`.
pub(super) fn declare(env: &mut Env) -> Result<(), DeclarationError> {
    env.add_type(TIMESTAMP_TYPE)?;
    add_overload!(env, fn parse: (CelString) -> Result<Timestamp>, name = "timestamp")?;
    add_overload!(env, fn same: (Timestamp) -> Timestamp, name = "timestamp")?;
    add_overload!(env, fn from_seconds: (CelInt) -> Result<Timestamp>, name = "timestamp")?;
    add_overload!(env, fn to_seconds: (Timestamp) -> CelInt, name = "int")?;
    add_overload!(env, fn text: (Timestamp) -> CelString, name = "string")?;
    declare_parts(env)
}

/// Declares a getter of a part of a timestamp, in UTC and in an offset that is given.
macro_rules! part {
    ($env:expr, $name:literal, |$at:ident| $part:expr) => {{
        fn utc(this: &Timestamp) -> CelInt {
            let $at = this.utc;
            CelInt::from(i64::from($part))
        }
        fn local(this: &Timestamp, zone: &CelString<'_>) -> Result<CelInt, ExecutionError> {
            let $at = this.utc.saturating_add(parse_zone(zone.inner())?);
            Ok(CelInt::from(i64::from($part)))
        }
        add_member_overload!($env, fn utc: (Timestamp) -> CelInt, name = $name)?;
        add_member_overload!($env, fn local: (Timestamp, CelString) -> Result<CelInt>,
            name = $name)?;
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

fn same(this: &Timestamp) -> Timestamp {
    *this
}

fn to_seconds(this: &Timestamp) -> CelInt {
    let nanos = this.utc.duration_since(EPOCH).as_nanos();
    CelInt::from(i64::try_from(nanos.div_euclid(1_000_000_000)).unwrap_or_default())
}

fn from_seconds(seconds: &CelInt) -> Result<Timestamp, ExecutionError> {
    let utc = EPOCH.checked_add(SignedDuration::from_secs(*seconds.inner()));
    Timestamp::new(utc, SignedDuration::ZERO).ok_or_else(out_of_range)
}

/// RFC 3339 with the offset that the timestamp was written with.
pub(super) fn text(this: &Timestamp) -> CelString<'static> {
    let local = this.utc.saturating_add(this.offset);
    let minutes = this.offset.as_mins();
    CelString::from(if minutes == 0 {
        format!("{local}Z")
    } else {
        let sign = if minutes < 0 { '-' } else { '+' };
        format!(
            "{local}{sign}{:02}:{:02}",
            minutes.abs() / 60,
            minutes.abs() % 60
        )
    })
}

fn out_of_range() -> ExecutionError {
    ExecutionError::function_error(
        "timestamp",
        "the result is not between the years 1 and 9999",
    )
}

/// Reads RFC 3339 as strictly as cel-go.
fn parse(text: &CelString<'_>) -> Result<Timestamp, ExecutionError> {
    let text = text.inner();
    rfc3339(text).ok_or_else(|| {
        let help = "is not a timestamp: write RFC 3339, such as `2006-01-02T15:04:05Z`";
        ExecutionError::function_error("timestamp", format!("`{text}` {help}"))
    })
}

fn rfc3339(text: &str) -> Option<Timestamp> {
    let (date, rest) = text.split_at_checked("2006-01-02T15:04:05".len())?;
    let marks = [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':')];
    if marks.iter().any(|(at, mark)| date.as_bytes()[*at] != *mark) {
        return None;
    }
    let number = |start: usize, end: usize| {
        let (digits, rest) = digits(date.get(start..end)?);
        rest.is_empty().then(|| digits.parse::<i16>().ok())?
    };
    let two = |start: usize| number(start, start + 2)?.try_into().ok();
    let (fraction, zone) = match rest.strip_prefix('.') {
        Some(rest) => digits(rest),
        None => ("0", rest),
    };
    if fraction.is_empty() {
        return None;
    }
    let nanos = format!("{fraction:0<9}")[..9].parse().ok()?;
    let offset = match zone.as_bytes() {
        b"Z" => SignedDuration::ZERO,
        [b'+' | b'-', _, _, b':', _, _] => parse_zone(zone).ok()?,
        _ => return None,
    };
    let (year, month, day) = (number(0, 4)?, two(5)?, two(8)?);
    let local = DateTime::new(year, month, day, two(11)?, two(14)?, two(17)?, nanos);
    Timestamp::new(local.and_then(|local| local.checked_sub(offset)), offset)
}

/// Reads an offset such as `+02:00`. No names of time zones but UTC: what they mean changes, and
/// is not the same on each machine.
fn parse_zone(zone: &str) -> Result<SignedDuration, ExecutionError> {
    if matches!(zone, "" | "UTC") {
        return Ok(SignedDuration::ZERO);
    }
    let minutes = zone.split_once(':').and_then(|(hours, minutes)| {
        let hours: i64 = hours.parse().ok()?;
        let minutes: i64 = minutes.parse().ok()?;
        let sign = if zone.starts_with('-') { -1 } else { 1 };
        let fits = (-23..=23).contains(&hours) && (0..=59).contains(&minutes);
        fits.then_some(hours * 60 + sign * minutes)
    });
    minutes.map(SignedDuration::from_mins).ok_or_else(|| {
        let help = "is not an offset: write one such as `+02:00`, of names only `UTC` is known";
        ExecutionError::function_error("timestamp", format!("`{zone}` {help}"))
    })
}

impl Timestamp {
    fn new(utc: Result<DateTime, jiff::Error>, offset: SignedDuration) -> Option<Self> {
        let utc = utc.ok().filter(|utc| utc.year() >= 1)?;
        Some(Self { utc, offset })
    }

    /// The timestamp so many nanoseconds later.
    pub(super) fn plus(&self, nanos: i64) -> Result<Self, ExecutionError> {
        let utc = self.utc.checked_add(SignedDuration::from_nanos(nanos));
        Self::new(utc, self.offset).ok_or_else(out_of_range)
    }

    fn minus(&self, duration: Duration) -> Result<Self, ExecutionError> {
        let utc = self.utc.checked_sub(SignedDuration::from_nanos(duration.0));
        Self::new(utc, self.offset).ok_or_else(out_of_range)
    }
}

impl PartialEq for Timestamp {
    fn eq(&self, other: &Self) -> bool {
        self.utc == other.utc
    }
}

impl Eq for Timestamp {}

impl PartialOrd for Timestamp {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Timestamp {
    fn cmp(&self, other: &Self) -> Ordering {
        self.utc.cmp(&other.utc)
    }
}

time_value!(Timestamp);

impl Adder for Timestamp {
    fn add<'b, 'v>(&'b self, other: &(dyn Val + 'v)) -> Result<CowVal<'b, 'v>, ExecutionError>
    where
        Self: 'v,
    {
        match other.downcast_ref::<Duration>() {
            Some(other) => self.plus(other.0).map(CowVal::owned),
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
            self.minus(*other).map(CowVal::owned)
        } else if let Some(other) = other.downcast_ref::<Self>() {
            let nanos = self.utc.duration_since(other.utc).as_nanos();
            Duration::new(nanos, "_-_").map(CowVal::owned)
        } else {
            Err(no_overload("_-_", self, other))
        }
    }
}
