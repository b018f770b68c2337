//! A cluster's data as a value of CEL.

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::Arc;

use cel::ExecutionError;
use cel::common::traits::{self, Container, Indexer, Iterable, Sizer};
use cel::common::types::{
    CelBool, CelDouble, CelInt, CelList, CelNull, CelString, CelUInt, MAP_TYPE, Type,
};
use cel::common::value::{CowVal, StaticVal, Val};

use crate::yaml::{Map, Value};

/// A map of CEL whose keys are in order, so that iterating over it gives the same result each
/// time; the map of the crate has none.
#[derive(Clone, Debug)]
pub(super) struct Data(Arc<BTreeMap<String, Entry>>);

/// A key, as what iterating gives, and its value.
type Entry = (CelString<'static>, Box<dyn Val>);

static TYPE: Type = MAP_TYPE;

impl Data {
    pub(super) fn new(map: &Map<String, Value>) -> Self {
        let entries = map
            .iter()
            .map(|(key, value)| (key.clone(), (CelString::from(key.clone()), to_cel(value))));
        Self(Arc::new(entries.collect()))
    }
}

fn to_cel(value: &Value) -> Box<dyn Val> {
    match value {
        Value::Null => Box::new(CelNull),
        Value::Bool(value) => Box::new(CelBool::from(*value)),
        Value::Number(number) => {
            if let Some(int) = number.as_i64() {
                Box::new(CelInt::from(int))
            } else if let Some(uint) = number.as_u64() {
                Box::new(CelUInt::from(uint))
            } else {
                Box::new(CelDouble::from(number.as_f64().unwrap_or_default()))
            }
        }
        Value::String(text) => Box::new(CelString::from(text.clone())),
        Value::Array(items) => {
            let items: Vec<Box<dyn Val>> = items.iter().map(to_cel).collect();
            Box::new(CelList::from(items))
        }
        Value::Object(map) => Box::new(Data::new(map)),
    }
}

impl Val for Data {
    fn get_type(&self) -> &Type {
        &TYPE
    }

    fn cel_type() -> &'static Type {
        &TYPE
    }

    fn as_container(&self) -> Option<&dyn Container> {
        Some(self)
    }

    fn as_indexer<'b, 'v>(&'b self) -> Option<&'b (dyn Indexer + 'v)>
    where
        Self: 'v,
    {
        Some(self)
    }

    fn as_iterable<'b, 'v>(&'b self) -> Option<&'b (dyn Iterable + 'v)>
    where
        Self: 'v,
    {
        Some(self)
    }

    fn as_sizer(&self) -> Option<&dyn Sizer> {
        Some(self)
    }

    fn equals(&self, other: &dyn Val) -> bool {
        other.downcast_ref::<Self>().is_some_and(|other| {
            self.0.len() == other.0.len()
                && self.0.iter().all(|(key, (_, value))| {
                    let found = other.0.get(key);
                    found.is_some_and(|(_, found)| value.equals(found.as_ref()))
                })
        })
    }

    fn clone_as_boxed<'v>(&self) -> Box<dyn Val + 'v>
    where
        Self: 'v,
    {
        Box::new(self.clone())
    }

    fn as_any(&self) -> Option<&dyn Any> {
        Some(self)
    }
}

impl StaticVal for Data {}

impl Container for Data {
    fn contains(&self, key: &dyn Val) -> Result<bool, ExecutionError> {
        let key = key.downcast_ref::<CelString>();
        Ok(key.is_some_and(|key| self.0.contains_key(key.inner())))
    }
}

impl Indexer for Data {
    fn get<'b, 'v>(&'b self, key: &dyn Val) -> Result<CowVal<'b, 'v>, ExecutionError>
    where
        Self: 'v,
    {
        let Some(key) = key.downcast_ref::<CelString>() else {
            return Err(ExecutionError::no_such_key(key.get_type().name()));
        };
        match self.0.get(key.inner()) {
            Some((_, value)) => Ok(CowVal::Borrowed(value.as_ref())),
            None => Err(ExecutionError::no_such_key(key.inner())),
        }
    }

    fn steal<'v>(self: Box<Self>, key: &dyn Val) -> Result<Box<dyn Val + 'v>, ExecutionError>
    where
        Self: 'v,
    {
        self.get(key).map(CowVal::into_owned)
    }
}

impl Iterable for Data {
    fn iter<'b, 'v>(&'b self) -> Box<dyn traits::Iterator<'b, 'v> + 'b>
    where
        Self: 'v,
    {
        Box::new(Keys(self.0.values()))
    }
}

/// The keys, in order.
struct Keys<'b>(std::collections::btree_map::Values<'b, String, Entry>);

impl<'b, 'v> traits::Iterator<'b, 'v> for Keys<'b> {
    fn next(&mut self) -> Option<&'b (dyn Val + 'v)> {
        self.0.next().map(|(key, _)| key as &(dyn Val + 'v))
    }
}

impl Sizer for Data {
    fn size(&self) -> CelInt {
        CelInt::from(i64::try_from(self.0.len()).unwrap_or(i64::MAX))
    }
}
