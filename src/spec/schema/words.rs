//! What each key means, and its default: what the commented example says.

use serde_json::Value;

use super::Table;
use crate::spec::EXAMPLE;

/// Keys that have no line of their own in the example, because they stand for a whole table or
/// inside an inline one.
const INSIDE: &[(Table, &str, &str)] = &[
    (
        Table::Top,
        "defaults",
        "what holds for every benchmark that does not say otherwise",
    ),
    (Table::Top, "model", "the models under test, by name"),
    (
        Table::Top,
        "dataset",
        "the people that models are tested with, by name",
    ),
    (Table::Top, "benchmark", "the tests, by name"),
    (
        Table::Model,
        "inputs",
        "the columns of each input, where names do not tell what goes in",
    ),
    (
        Table::Model,
        "attributes",
        "how attributes are given to this model, in place of what the dataset says",
    ),
    (
        Table::Dataset,
        "attributes",
        "domains and encodings of attributes, where the CSV does not tell",
    ),
    (
        Table::Dataset,
        "derived",
        "columns of the model that are computed from attributes and not searched",
    ),
    (
        Table::Benchmark,
        "budget",
        "how much the benchmark may cost",
    ),
    (
        Table::Benchmark,
        "search",
        "how counterexamples are looked for",
    ),
    (
        Table::Benchmark,
        "group-limits",
        "how far the protected groups of the dataset's people may be apart",
    ),
    (
        Table::Attribute,
        "type",
        "the kind of the attribute: integer | decimal | category | boolean | date",
    ),
    (
        Table::Attribute,
        "min",
        "the smallest value; default: the smallest in the CSV",
    ),
    (
        Table::Attribute,
        "max",
        "the largest value; default: the largest in the CSV",
    ),
    (
        Table::Attribute,
        "step",
        "the distance between two values of a decimal; default: found from the CSV",
    ),
    (
        Table::Attribute,
        "values",
        "the categories, in the order of their codes 0, 1 ...",
    ),
    (
        Table::Attribute,
        "missing",
        "what stands for a missing value: reject | skip | most-frequent | median, or a value",
    ),
    (
        Table::Encoding,
        "scale",
        "the number is scaled before the model sees it: { mean, std } or { min, max }",
    ),
    (
        Table::Encoding,
        "one-hot",
        "one column of the model for each value: true, or the names of the columns",
    ),
    (
        Table::Encoding,
        "drop-first",
        "with one-hot: the first value has no column",
    ),
    (
        Table::Encoding,
        "order",
        "the model's own order of the values",
    ),
    (
        Table::Encoding,
        "codes",
        "the number that the model gets for each value, in the order of `values`",
    ),
    (
        Table::Encoding,
        "bins",
        "each number starts a new bin; the model gets 0, 1 ...",
    ),
    (Table::Scale, "mean", "the mean, which is taken away first"),
    (
        Table::Scale,
        "std",
        "the standard deviation, by which the rest is divided",
    ),
    (Table::Scale, "min", "the number that becomes 0"),
    (Table::Scale, "max", "the number that becomes 1"),
    (
        Table::Derived,
        "expression",
        "how the column is computed: \"capital-gain - capital-loss\"",
    ),
    (
        Table::Derived,
        "scale",
        "the result is scaled before the model sees it",
    ),
    (
        Table::Groups,
        "quantiles",
        "so many groups of about the same number of people",
    ),
    (
        Table::Groups,
        "grid",
        "so many values, evenly spread over the domain",
    ),
    (
        Table::Realistic,
        "max-changed",
        "attributes that may differ from a real person's; default: 3",
    ),
    (
        Table::Realistic,
        "max-shift",
        "how far a number may be from a real person's, as a share of its domain; default: 0.1",
    ),
    (
        Table::Rates,
        "search",
        "limit on the share among the people that the search tested",
    ),
    (
        Table::Rates,
        "dataset",
        "limit on the share among the dataset's own people",
    ),
    (
        Table::Rates,
        "domain",
        "limit on the share among all people that the attributes allow",
    ),
];

/// What the key means.
pub(super) fn about(table: Table, key: &str) -> Option<String> {
    let homes = homes(table);
    let inside = INSIDE
        .iter()
        .find(|(home, name, _)| *name == key && homes.contains(home));
    match inside {
        Some((_, _, words)) => Some((*words).to_owned()),
        None => comments()
            .into_iter()
            .find(|said| said.key == key && homes.contains(&said.table))
            .map(|said| said.comment),
    }
}

/// Where the words about the keys of a table stand: tables share keys.
fn homes(table: Table) -> Vec<Table> {
    match table {
        Table::Defaults => vec![Table::Benchmark],
        Table::Attribute => vec![Table::Attribute, Table::Encoding],
        other => vec![other],
    }
}

/// The default, if it is a value: keys whose default is "none" are commented out in the example, and
/// what is required has none.
pub(super) fn default(table: Table, key: &str) -> Option<Value> {
    let required = ["path", "model", "dataset", "protected", "budget", "search"];
    if required.contains(&key) {
        return None;
    }
    let example: toml::Table = EXAMPLE.parse().ok()?;
    let places: &[&[&str]] = match table {
        Table::Defaults | Table::Benchmark => &[&["defaults"], &["benchmark", "census-sex"]],
        Table::Budget => &[&["defaults", "budget"]],
        Table::Search => &[&["defaults", "search"]],
        Table::Model => &[&["model", "census"]],
        Table::Dataset => &[&["dataset", "census"]],
        _ => &[],
    };
    let found = places.iter().find_map(|path| {
        let table = path.iter().try_fold(&example, |table, name| {
            table.get(*name).and_then(toml::Value::as_table)
        });
        table.and_then(|table| table.get(key))
    });
    found.and_then(|value| serde_json::to_value(value).ok())
}

/// A key of the example with the comment behind it.
struct Said {
    table: Table,
    key: String,
    comment: String,
}

/// The comments of the example. One that goes on in the next line is put together.
fn comments() -> Vec<Said> {
    let mut said: Vec<Said> = Vec::new();
    let mut table = None;
    for line in EXAMPLE.lines() {
        if let Some(more) = line.strip_prefix("    ").map(str::trim_start) {
            if let (Some(more), Some(last)) = (more.strip_prefix("# "), said.last_mut()) {
                last.comment = format!("{} {more}", last.comment);
            }
            continue;
        }
        // Keys whose default is "none" are commented out.
        let line = line.strip_prefix("# ").unwrap_or(line);
        if let Some(header) = line.strip_prefix('[') {
            table = section(header.trim_end_matches(']'));
        } else if let (Some(table), Some((key, rest))) = (table, line.split_once(" = "))
            && let Some((_, comment)) = rest.split_once(" # ").or_else(|| rest.split_once("  # "))
        {
            said.push(Said {
                table,
                key: key.to_owned(),
                comment: comment.trim().to_owned(),
            });
        }
    }
    said
}

/// The table that a header of the example begins.
fn section(header: &str) -> Option<Table> {
    match header.split('.').collect::<Vec<_>>().as_slice() {
        ["defaults"] | ["benchmark", _] => Some(Table::Benchmark),
        ["defaults", "budget"] => Some(Table::Budget),
        ["defaults", "search"] => Some(Table::Search),
        ["defaults", "group-limits"] => Some(Table::GroupLimits),
        ["model", _] => Some(Table::Model),
        ["dataset", _] => Some(Table::Dataset),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_read_with_their_next_line() {
        let protected = about(Table::Benchmark, "protected").unwrap();
        assert!(protected.starts_with("required, here or in [defaults]"));
        assert!(
            protected.ends_with("several = all combinations"),
            "{protected}"
        );
        assert_eq!(
            about(Table::Defaults, "seed").unwrap(),
            "where random choices start; a whole number from 0 up"
        );
    }

    #[test]
    fn no_key_is_described_twice() {
        for (table, key, _) in INSIDE {
            let twice = comments()
                .iter()
                .any(|s| s.table == *table && s.key == *key);
            assert!(!twice, "{table:?} {key} is in the example, too");
        }
    }
}
