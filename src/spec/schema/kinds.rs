//! What kind of value each key has. The finer rules (rising numbers, `min` below `max`) are the
//! reader's.

use clap::ValueEnum;
use serde_json::{Value, json};

use super::Table;
use crate::model::{DeviceChoice, RuntimeChoice};
use crate::spec::attribute::Kind;
use crate::spec::{Gradient, Method, OnInconclusive, Scores, SnapshotMode, Variant};

/// The kind of `key` in `table`; nothing if it has been forgotten here.
pub(super) fn kind(table: Table, key: &str) -> Option<Value> {
    match table {
        Table::Top => top(key),
        Table::Defaults => benchmark(key).or_else(|| (key == "snapshots").then(text)),
        Table::Benchmark => benchmark(key),
        Table::Model => model(key),
        Table::Dataset => dataset(key),
        Table::Attribute => attribute(key).or_else(|| encoding(key)),
        Table::Encoding => encoding(key),
        Table::Scale => match key {
            "std" => Some(json!({ "type": "number", "exclusiveMinimum": 0 })),
            _ => Some(number()),
        },
        Table::Derived => match key {
            "expression" => Some(text()),
            "scale" => Some(Table::Scale.schema()),
            _ => None,
        },
        Table::Groups => Some(whole(2)),
        Table::Realistic => match key {
            "max-changed" => Some(whole(1)),
            "max-shift" => Some(share()),
            _ => None,
        },
        Table::Rates => Some(share()),
        Table::GroupLimits => match key {
            "four-fifths" => Some(truth()),
            _ => Some(share()),
        },
        Table::Budget => budget(key),
        Table::Search => search(key),
    }
}

fn top(key: &str) -> Option<Value> {
    Some(match key {
        "defaults" => Table::Defaults.schema(),
        "model" => named(Table::Model),
        "dataset" => named(Table::Dataset),
        "benchmark" => named(Table::Benchmark),
        _ => return None,
    })
}

fn model(key: &str) -> Option<Value> {
    Some(match key {
        "path" | "output" => text(),
        "runtime" => word::<RuntimeChoice>(),
        "device" => word::<DeviceChoice>(),
        "scores" => word::<Scores>(),
        "threshold" => number(),
        "decisions" => {
            json!({ "type": "array", "items": text(), "minItems": 2, "uniqueItems": true })
        }
        "favourable" => plain(),
        "tolerance" => json!({ "type": "number", "minimum": 0 }),
        "bands" => numbers(),
        "columns" => texts(),
        "inputs" => each(json!({ "anyOf": [text(), texts()] })),
        "attributes" => each(Table::Encoding.schema()),
        _ => return None,
    })
}

fn dataset(key: &str) -> Option<Value> {
    Some(match key {
        "path" | "label" | "encoding" => text(),
        "favourable-label" => plain(),
        "ignore" | "constraints" => texts(),
        "delimiter" => json!({ "type": "string", "examples": [",", ";", "|", "tab"] }),
        "missing" => json!({ "enum": ["reject", "skip", "most-frequent", "median"] }),
        "missing-markers" => list(&plain()),
        "spaces" => json!({ "enum": ["trim", "keep"] }),
        "sample" => whole(1),
        "attributes" => each(Table::Attribute.schema()),
        "derived" => each(json!({ "anyOf": [text(), Table::Derived.schema()] })),
        "mine-constraints" => truth(),
        _ => return None,
    })
}

fn attribute(key: &str) -> Option<Value> {
    Some(match key {
        "type" => word::<Kind>(),
        // Dates are dates in TOML; editors see them as text.
        "min" | "max" => json!({ "type": ["number", "string"] }),
        "step" => json!({ "type": "number", "exclusiveMinimum": 0 }),
        "values" => {
            json!({ "type": "array", "items": plain(), "minItems": 1, "uniqueItems": true })
        }
        "missing" => json!({
            "anyOf": [{ "enum": ["reject", "skip", "most-frequent", "median"] }, plain()]
        }),
        _ => return None,
    })
}

fn encoding(key: &str) -> Option<Value> {
    Some(match key {
        "scale" => Table::Scale.schema(),
        "one-hot" => json!({ "anyOf": [truth(), texts()] }),
        "drop-first" => truth(),
        "order" => list(&plain()),
        "codes" | "bins" => numbers(),
        _ => return None,
    })
}

fn benchmark(key: &str) -> Option<Value> {
    Some(match key {
        "model" | "dataset" => text(),
        "protected" => {
            json!({ "type": "array", "items": text(), "minItems": 1, "uniqueItems": true })
        }
        "groups" => each(json!({
            "anyOf": [numbers(), list(&list(&plain())), Table::Groups.schema()]
        })),
        "max-combinations" => whole(2),
        "frozen" | "constraints" => texts(),
        "realistic" => json!({ "anyOf": [truth(), Table::Realistic.schema()] }),
        "seed" | "max-counterexamples" => whole(0),
        "max-discrimination-rate" => json!({ "anyOf": [share(), Table::Rates.schema()] }),
        "group-limits" => Table::GroupLimits.schema(),
        "budget" => Table::Budget.schema(),
        "search" => Table::Search.schema(),
        "on-inconclusive" => word::<OnInconclusive>(),
        "snapshot" => word::<SnapshotMode>(),
        "confidence" => json!({
            "type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1
        }),
        _ => return None,
    })
}

fn budget(key: &str) -> Option<Value> {
    Some(match key {
        "global-seeds" | "max-queries" | "domain-sample" => whole(1),
        "local-steps" | "exhaustive" => whole(0),
        "domain-precision" => json!({ "type": "number", "minimum": 0.001, "maximum": 0.5 }),
        "domain-early-stop" => truth(),
        "time-limit" => json!({
            "type": "string", "pattern": "^\\s*([0-9]+\\s*(ms|s|m|h)\\s*)+$", "examples": ["30s", "2m"]
        }),
        _ => return None,
    })
}

fn search(key: &str) -> Option<Value> {
    Some(match key {
        "method" => word::<Method>(),
        "variant" => word::<Variant>(),
        "gradient" => word::<Gradient>(),
        "perturbation-size" => json!({ "type": "number", "exclusiveMinimum": 0 }),
        "decay" => share(),
        "max-iter" | "clusters" | "update-interval" => whole(1),
        "global-step" | "local-step" => json!({ "type": "number", "minimum": 1 }),
        "error-bound" => json!({
            "type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1
        }),
        "explanation-rows" => whole(10),
        _ => return None,
    })
}

/// One table for each name; names are plain, since files are called after them.
fn named(table: Table) -> Value {
    let mut named = each(table.schema());
    named["propertyNames"] = json!({ "pattern": "^[A-Za-z0-9-]+$" });
    named
}

fn each(value: Value) -> Value {
    json!({ "type": "object", "additionalProperties": value })
}

fn text() -> Value {
    json!({ "type": "string", "minLength": 1 })
}

fn texts() -> Value {
    json!({ "type": "array", "items": text(), "uniqueItems": true })
}

/// Text, or what is taken for it.
fn plain() -> Value {
    json!({ "type": ["string", "integer", "boolean"] })
}

fn list(items: &Value) -> Value {
    json!({ "type": "array", "items": items })
}

fn numbers() -> Value {
    list(&number())
}

fn number() -> Value {
    json!({ "type": "number" })
}

fn share() -> Value {
    json!({ "type": "number", "minimum": 0, "maximum": 1 })
}

fn whole(least: u8) -> Value {
    json!({ "type": "integer", "minimum": least })
}

fn truth() -> Value {
    json!({ "type": "boolean" })
}

/// One of the words that the reader knows.
fn word<W: ValueEnum>() -> Value {
    let words: Vec<String> = W::value_variants()
        .iter()
        .filter_map(ValueEnum::to_possible_value)
        .map(|word| word.get_name().to_owned())
        .collect();
    json!({ "enum": words })
}
