//! A document of JSON with every member that it has: of a name that stands twice in an object, both.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

/// A value in a document.
#[derive(Debug)]
pub(super) enum Document {
    /// Neither an object nor an array.
    Plain(Value),
    Array(Vec<Self>),
    /// In their order; a name may stand twice, of which readers take the first, the last, or none.
    Object(Vec<(String, Self)>),
}

impl Document {
    /// As most readers have it: of a name that stands twice the last.
    pub(super) fn value(&self) -> Value {
        match self {
            Self::Plain(value) => value.clone(),
            Self::Array(elements) => elements.iter().map(Self::value).collect(),
            Self::Object(members) => members.iter().map(|(name, one)| (name.clone(), one.value())).collect(),
        }
    }
}

impl<'de> Deserialize<'de> for Document {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Document;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("JSON")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Document, E> {
        Ok(Document::Plain(value.into()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Document, E> {
        Ok(Document::Plain(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Document, E> {
        Ok(Document::Plain(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Document, E> {
        Ok(Document::Plain(value.into()))
    }

    fn visit_str<E>(self, value: &str) -> Result<Document, E> {
        Ok(Document::Plain(value.into()))
    }

    fn visit_unit<E>(self) -> Result<Document, E> {
        Ok(Document::Plain(Value::Null))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Document, A::Error> {
        let mut found = Vec::new();
        while let Some(one) = elements.next_element()? {
            found.push(one);
        }
        Ok(Document::Array(found))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Document, A::Error> {
        let mut found = Vec::new();
        while let Some(one) = members.next_entry()? {
            found.push(one);
        }
        Ok(Document::Object(found))
    }
}
