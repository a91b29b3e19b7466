//! JSON: what netcheck writes to files, and reads again.
//!
//! `serde_json` compares its values with numbers (`impl PartialEq<Value> for u16`): in each crate that is linked with it,
//! `assert_eq!(1_u16, small.into())` is an error, because the type to convert to is not the only one any more. So nothing that a
//! test is linked with may use it.

use serde::de::{DeserializeOwned, Error as _, MapAccess, SeqAccess, Visitor};
use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use struson::reader::{JsonReader, JsonStreamReader};
use struson::writer::{JsonStreamWriter, JsonWriter, WriterSettings};

/// Why a text is not read.
#[derive(Debug)]
pub struct Error(String);

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

/// On one line.
///
/// # Panics
/// If the data has no JSON form: a map whose keys are no text, or a number that is none.
#[must_use]
pub fn to_string(data: &impl Serialize) -> String {
    written(data, false)
}

/// Each member on a line of its own.
///
/// # Panics
/// As [`to_string`].
#[must_use]
pub fn to_string_pretty(data: &impl Serialize) -> String {
    written(data, true)
}

fn written(data: &impl Serialize, pretty_print: bool) -> String {
    let mut bytes = Vec::new();
    let settings = WriterSettings { pretty_print, ..WriterSettings::default() };
    let mut writer = JsonStreamWriter::new_custom(&mut bytes, settings);
    writer.serialize_value(data).expect("it is plain data");
    writer.finish_document().expect("memory takes all");
    String::from_utf8(bytes).expect("JSON is text")
}

/// Data from JSON.
///
/// # Errors
/// If the text is no JSON, or not of that data.
pub fn from_str<T: DeserializeOwned>(text: &str) -> Result<T, Error> {
    let mut reader = JsonStreamReader::new(text.as_bytes());
    let data = reader.deserialize_next().map_err(|error| Error(error.to_string()))?;
    reader.consume_trailing_whitespace().map_err(|error| Error(error.to_string()))?;
    Ok(data)
}

/// A value of JSON, for data whose form is not known before it is looked at.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    /// `null`
    Null,
    /// `true` and `false`
    Bool(bool),
    /// A number that is whole and not negative.
    Natural(u64),
    /// A number that is whole and negative.
    Negative(i64),
    /// Any other number.
    Real(f64),
    /// A string.
    Text(String),
    /// An array.
    List(Vec<Json>),
    /// An object: its members, in their order.
    Object(Vec<(String, Json)>),
}

impl Json {
    /// The data that this is the value of.
    ///
    /// # Errors
    /// If it is not of that data.
    pub fn into_data<T: DeserializeOwned>(self) -> Result<T, Error> {
        from_str(&to_string(&self))
    }

    /// The member of an object; `None` if it has none of that name, or this is no object.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Json> {
        match self {
            Json::Object(members) => members.iter().find(|(member, _)| member == name).map(|(_, value)| value),
            _ => None,
        }
    }

    /// The text, if it is one.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Json::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The number, if it is one that is whole and not negative.
    #[must_use]
    pub fn as_u64(&self) -> Option<u64> {
        match self {
            Json::Natural(number) => Some(*number),
            _ => None,
        }
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Json::Null => serializer.serialize_unit(),
            Json::Bool(value) => serializer.serialize_bool(*value),
            Json::Natural(number) => serializer.serialize_u64(*number),
            Json::Negative(number) => serializer.serialize_i64(*number),
            Json::Real(number) => serializer.serialize_f64(*number),
            Json::Text(text) => serializer.serialize_str(text),
            Json::List(list) => {
                let mut all = serializer.serialize_seq(Some(list.len()))?;
                list.iter().try_for_each(|value| all.serialize_element(value))?;
                all.end()
            }
            Json::Object(members) => {
                let mut all = serializer.serialize_map(Some(members.len()))?;
                members.iter().try_for_each(|(name, value)| all.serialize_entry(name, value))?;
                all.end()
            }
        }
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Json, D::Error> {
        deserializer.deserialize_any(AnyJson)
    }
}

/// Takes any value.
struct AnyJson;

impl<'de> Visitor<'de> for AnyJson {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Bool(value))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Json, E> {
        Ok(Json::Natural(number))
    }

    fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<Json, E> {
        Ok(u64::try_from(number).map_or(Json::Negative(number), Json::Natural))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Json, E> {
        Ok(Json::Real(number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Json, E> {
        Ok(Json::Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Json, A::Error> {
        let mut all = Vec::new();
        while let Some(value) = list.next_element()? {
            all.push(value);
        }
        Ok(Json::List(all))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Json, A::Error> {
        let mut all: Vec<(String, Json)> = Vec::new();
        while let Some((name, value)) = object.next_entry::<String, Json>()? {
            if all.iter().any(|(member, _)| *member == name) {
                return Err(A::Error::custom(format!("`{name}` is said twice")));
            }
            all.push((name, value));
        }
        Ok(Json::Object(all))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let text = r#"{"a":[1,-2,0.5,null,true],"b":{"c":"\"\n\u0001süß"},"d":18446744073709551615,"e":[],"f":{}}"#;
        let json: Json = from_str(text).expect("it is JSON");
        assert_eq!(from_str::<Json>(&to_string(&json)).expect("it is JSON"), json);
        assert_eq!(from_str::<Json>(&to_string_pretty(&json)).expect("it is JSON"), json);
        assert_eq!(json.get("d").and_then(Json::as_u64), Some(u64::MAX));
        assert_eq!(json.get("b").and_then(|b| b.get("c")?.as_str()), Some("\"\n\u{1}süß"));
    }

    #[test]
    fn what_is_no_json_is_refused() {
        for text in ["", "{", "[1,]", "1 2", "{\"a\":1,\"a\":2}", "tru", "\"\u{1}\""] {
            assert!(from_str::<Json>(text).is_err(), "{text}");
        }
    }
}
