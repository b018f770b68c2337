//! Results of CEL as text, as Greenhouse makes it with Go's `encoding/json`.

use std::fmt::Write as _;
use std::sync::Arc;

use cel::common::types::{CelBool, CelBytes, CelDouble, CelInt, CelString, CelType, CelUInt, Kind};
use cel::common::value::Val;

use super::duration::Duration;
use super::timestamp::{self, Timestamp};

/// What stands in the text in the place of a placeholder: a string as it is, anything else as
/// JSON.
pub(super) fn to_text(value: &dyn Val) -> Result<String, String> {
    if let Some(text) = value.downcast_ref::<CelString>() {
        return Ok(text.inner().to_owned());
    }
    if let Some(name) = value.downcast_ref::<CelType>() {
        return Ok(name.name().to_owned());
    }
    let mut json = String::new();
    write(value, false, &mut json)?;
    Ok(json)
}

/// Writes `value`; `native` where it is a part of the cluster's data and not made by CEL.
fn write(value: &dyn Val, native: bool, json: &mut String) -> Result<(), String> {
    if let Some(list) = value.as_iterable().filter(|_| is(value, Kind::List)) {
        let mut items = list.iter();
        json.push('[');
        while let Some(item) = items.next() {
            separate(json);
            write(item, native, json)?;
        }
        json.push(']');
    } else if let (Some(map), Some(index)) = (value.as_iterable(), value.as_indexer()) {
        let mut keys = Vec::new();
        let mut iterator = map.iter();
        while let Some(key) = iterator.next() {
            let name = key.downcast_ref::<CelString>();
            keys.push(name.ok_or("its keys are not all strings")?);
        }
        keys.sort();
        json.push('{');
        for key in keys {
            separate(json);
            write_string(key.inner(), json);
            json.push(':');
            let inner = index.get(key).map_err(|error| error.to_string())?;
            write(inner.as_ref(), true, json)?;
        }
        json.push('}');
    } else {
        write_scalar(value, native, json)?;
    }
    Ok(())
}

fn write_scalar(value: &dyn Val, native: bool, json: &mut String) -> Result<(), String> {
    if is(value, Kind::NullType) {
        // The null of CEL is an enum in Go, of which it writes the number.
        json.push_str(if native { "null" } else { "0" });
    } else if let Some(value) = value.downcast_ref::<CelBool>() {
        json.push_str(if *value.inner() { "true" } else { "false" });
    } else if let Some(value) = value.downcast_ref::<CelInt>() {
        json.push_str(&value.inner().to_string());
    } else if let Some(value) = value.downcast_ref::<CelUInt>() {
        json.push_str(&value.inner().to_string());
    } else if let Some(value) = value.downcast_ref::<CelDouble>() {
        json.push_str(&double(*value.inner())?);
    } else if let Some(value) = value.downcast_ref::<CelString>() {
        write_string(value.inner(), json);
    } else if let Some(value) = value.downcast_ref::<CelBytes>() {
        let base64 = cel::Value::Bytes(Arc::new(value.to_vec()));
        json.push_str(
            &base64
                .json()
                .map_err(|error| error.to_string())?
                .to_string(),
        );
    } else if let Some(value) = value.downcast_ref::<CelType>() {
        write_string(value.name(), json);
    } else if let Some(value) = value.downcast_ref::<Duration>() {
        json.push_str(&value.0.to_string());
    } else if let Some(value) = value.downcast_ref::<Timestamp>() {
        write_string(timestamp::text(value).inner(), json);
    } else {
        return Err(format!("a {} has no JSON", value.get_type().name()));
    }
    Ok(())
}

fn is(value: &dyn Val, kind: Kind) -> bool {
    value.get_type().kind() == kind
}

/// A comma, unless what follows is the first.
fn separate(json: &mut String) {
    if !json.ends_with(['[', '{']) {
        json.push(',');
    }
}

/// Go escapes what is special in HTML, too.
fn write_string(text: &str, json: &mut String) {
    for part in serde_json::Value::from(text).to_string().chars() {
        match part {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                // Writing to a String does not fail.
                let _ = write!(json, "\\u{:04x}", u32::from(part));
            }
            _ => json.push(part),
        }
    }
}

/// The shortest digits, with an exponent where Go uses one.
fn double(value: f64) -> Result<String, String> {
    if !value.is_finite() {
        return Err(format!("the number {value} has no JSON"));
    }
    if value != 0.0 && !(1e-6..1e21).contains(&value.abs()) {
        let text = format!("{value:e}");
        return Ok(match text.split_once('e') {
            Some((digits, exponent)) if !exponent.starts_with('-') => {
                format!("{digits}e+{exponent}")
            }
            _ => text,
        });
    }
    Ok(value.to_string())
}
