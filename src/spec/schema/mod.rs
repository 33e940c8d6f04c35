//! `fairness.schema.json`: the spec as a JSON Schema, for editors that complete keys and show what
//! they mean.
//!
//! The keys are those of [`keys`], which the reader uses; the words about them are the comments of
//! [`EXAMPLE`](super::EXAMPLE), and so are the defaults. A key that has no kind here may have any
//! value: the reader is the judge, the schema only helps with typing. A test asks for the kind.

mod kinds;
mod words;

use serde_json::{Map, Value, json};

use super::keys;

/// The tables of a spec.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Table {
    Top,
    Defaults,
    Model,
    Dataset,
    Benchmark,
    /// An attribute under a dataset: its domain and its encoding.
    Attribute,
    /// An attribute under a model: its encoding alone.
    Encoding,
    Scale,
    Derived,
    Groups,
    Realistic,
    Rates,
    GroupLimits,
    Budget,
    Search,
}

impl Table {
    /// The keys that the reader allows here.
    fn keys(self) -> Vec<&'static str> {
        let tables: &[&[&str]] = match self {
            Table::Top => &[keys::TOP],
            Table::Defaults => &[keys::BENCHMARK, keys::DEFAULTS_ONLY],
            Table::Model => &[keys::MODEL],
            Table::Dataset => &[keys::DATASET],
            Table::Benchmark => &[keys::BENCHMARK],
            Table::Attribute => &[keys::ATTRIBUTE, keys::ENCODING],
            Table::Encoding => &[keys::ENCODING],
            Table::Scale => &[keys::SCALE],
            Table::Derived => &[keys::DERIVED],
            Table::Groups => &[keys::GROUPS],
            Table::Realistic => &[keys::REALISTIC],
            Table::Rates => &[keys::RATES],
            Table::GroupLimits => &[keys::GROUP_LIMITS],
            Table::Budget => &[keys::BUDGET],
            Table::Search => &[keys::SEARCH],
        };
        tables.concat()
    }

    /// Keys without which the table means nothing.
    fn required(self) -> &'static [&'static str] {
        match self {
            Table::Model => &["path"],
            Table::Derived => &["expression"],
            _ => &[],
        }
    }

    /// The table as a schema: its keys and no others.
    fn schema(self) -> Value {
        let properties: Map<String, Value> = self
            .keys()
            .into_iter()
            .map(|key| (key.to_owned(), self.property(key)))
            .collect();
        let mut schema = json!({
            "type": "object",
            "additionalProperties": false,
            "properties": properties,
        });
        if !self.required().is_empty() {
            schema["required"] = json!(self.required());
        }
        schema
    }

    fn property(self, key: &str) -> Value {
        let mut property = kinds::kind(self, key).unwrap_or_else(|| json!({}));
        if let Some(words) = words::about(self, key) {
            property["description"] = words.into();
        }
        if let Some(default) = words::default(self, key) {
            property["default"] = default;
        }
        property
    }
}

/// The JSON Schema (draft 7) of `fairness.toml`, as text.
pub fn json_schema() -> String {
    let mut schema = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "fairness.toml",
        "description": "What fairgate tests: models, datasets, protected attributes, budgets and limits.",
    });
    if let (Some(schema), Value::Object(top)) = (schema.as_object_mut(), Table::Top.schema()) {
        schema.extend(top);
    }
    // A tree of strings, numbers and lists always has a JSON form.
    let text = serde_json::to_string_pretty(&schema).unwrap_or_default();
    format!("{text}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Table; 15] = [
        Table::Top,
        Table::Defaults,
        Table::Model,
        Table::Dataset,
        Table::Benchmark,
        Table::Attribute,
        Table::Encoding,
        Table::Scale,
        Table::Derived,
        Table::Groups,
        Table::Realistic,
        Table::Rates,
        Table::GroupLimits,
        Table::Budget,
        Table::Search,
    ];

    #[test]
    fn every_key_of_the_reader_has_a_kind_and_a_description() {
        for table in ALL {
            for key in table.keys() {
                assert!(kinds::kind(table, key).is_some(), "{table:?} {key}: kind");
                let words = words::about(table, key).unwrap_or_default();
                assert!(words.len() > 8, "{table:?} {key}: {words:?}");
            }
        }
    }

    #[test]
    fn every_table_is_somewhere_in_the_schema() {
        let text = json_schema();
        for key in ALL.into_iter().flat_map(Table::keys) {
            assert!(text.contains(&format!("\"{key}\": {{")), "{key}");
        }
    }

    #[test]
    fn defaults_are_those_of_the_example() {
        let schema: Value = serde_json::from_str(&json_schema()).unwrap();
        let defaults = &schema["properties"]["defaults"]["properties"];
        assert_eq!(defaults["seed"]["default"], 42);
        assert_eq!(defaults["snapshots"]["default"], "tests/snapshots");
        let budget = &defaults["budget"]["properties"];
        assert_eq!(budget["global-seeds"]["default"], 1000);
        assert_eq!(budget["max-queries"].get("default"), None);
        let model = &schema["properties"]["model"]["additionalProperties"]["properties"];
        assert_eq!(model["runtime"]["default"], "auto");
        assert_eq!(model["path"].get("default"), None);
        assert_eq!(
            model["runtime"]["enum"],
            json!(["auto", "onnxruntime", "embedded"])
        );
    }

    /// `UPDATE_SCHEMA=1 cargo test --lib schema` writes it anew.
    #[test]
    fn the_committed_file_is_up_to_date() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/fairness.schema.json");
        if std::env::var_os("UPDATE_SCHEMA").is_some() {
            std::fs::write(file, json_schema()).unwrap();
        }
        let committed = std::fs::read_to_string(file).unwrap_or_default();
        assert!(
            committed.replace("\r\n", "\n") == json_schema(),
            "fairness.schema.json is old: cargo run -- schema > fairness.schema.json"
        );
    }
}
