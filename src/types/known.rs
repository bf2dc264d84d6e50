//! Reads a value of a type from a mapping that holds more than the type knows, and tells what it knows.
//!
//! Serde's derive names the fields of a struct, aliases included, when it asks for them. So a type that denies
//! unknown fields can be read too, and an old name of a field is told from an unknown one.

use serde::Deserializer;
use serde::de::DeserializeOwned;
use serde::de::Visitor;
use serde_json::Error;
use serde_json::Map;
use serde_json::Value;

/// Reads a value, with the names that its type asked for. No names when the type takes whatever comes
/// (`#[serde(flatten)]`, a map, an enum told apart by its content).
pub(crate) fn read<S: DeserializeOwned>(from: &Map<String, Value>) -> Result<(S, Vec<&'static str>), Error> {
    let mut from = from.clone();
    loop {
        let mut asked = Vec::new();
        let error = match S::deserialize(Asking { from: &from, asked: &mut asked }) {
            Ok(value) => return Ok((value, asked)),
            Err(error) => error,
        };
        // An enum with a tag buffers its content, and only then denies what it does not know.
        let Some(unknown) = unknown_field(&error) else { return Err(error) };
        if from.remove(&unknown).is_none() {
            return Err(error);
        }
    }
}

/// The field of `serde::de::Error::unknown_field`, whose text is the only trace that it leaves in an error.
fn unknown_field(error: &Error) -> Option<String> {
    let text = error.to_string();
    let (name, _) = text.strip_prefix("unknown field `")?.split_once('`')?;
    Some(name.to_owned())
}

struct Asking<'a> {
    from: &'a Map<String, Value>,
    asked: &'a mut Vec<&'static str>,
}

impl Asking<'_> {
    fn only(self, names: &'static [&'static str]) -> Value {
        self.asked.extend(names);
        let known = self.from.iter().filter(|(key, _)| names.contains(&key.as_str()));
        Value::Object(known.map(|(key, it)| (key.clone(), it.clone())).collect())
    }

    fn all(self) -> Value {
        Value::Object(self.from.clone())
    }
}

impl<'de> Deserializer<'de> for Asking<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.all().deserialize_any(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.only(fields).deserialize_struct(name, fields, visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.only(variants).deserialize_enum(name, variants, visitor)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map identifier ignored_any
    }
}
