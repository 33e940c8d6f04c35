//! What `--format json` prints about a benchmark, read back. The page is made from nothing else, so
//! every figure in it can be found there. What a run did not measure is not there, and left out.

use serde::Deserialize;
use serde_json::{Map, Value};

/// Values of attributes by their names.
pub(super) type Words = Map<String, Value>;

/// One benchmark.
#[derive(Debug, Deserialize)]
pub(super) struct Told {
    pub(super) reason: String,
    pub(super) method: String,
    pub(super) variant: Option<String>,
    pub(super) seed: u64,
    pub(super) runtime: String,
    pub(super) device: String,
    pub(super) counterexamples: u64,
    pub(super) people: u64,
    pub(super) tested: u64,
    pub(super) queries: u64,
    pub(super) calls: Option<u64>,
    pub(super) batch_rows: Option<u64>,
    pub(super) afterwards: Option<u64>,
    pub(super) seconds: f64,
    pub(super) model_seconds: f64,
    pub(super) rates: Rates,
    pub(super) snapshot: String,
    pub(super) snapshot_message: String,
    pub(super) replay: Replay,
    pub(super) changes: Option<Changes>,
    #[serde(default)]
    pub(super) progress: Vec<[u64; 2]>,
    #[serde(default)]
    pub(super) notes: Vec<String>,
    #[serde(default)]
    pub(super) decisions: Vec<String>,
    pub(super) favourable: Option<String>,
    #[serde(default)]
    pub(super) constraints: Vec<String>,
    #[serde(default)]
    pub(super) pairs: Vec<Pair>,
    pub(super) severity: Option<Severity>,
    pub(super) looked_at: Option<u64>,
    #[serde(default)]
    pub(super) directions: Vec<Direction>,
    pub(super) favourable_decision: Option<String>,
    #[serde(default)]
    pub(super) favoured: Vec<Favoured>,
    #[serde(default)]
    pub(super) subgroups: Vec<Subgroup>,
    #[serde(default)]
    pub(super) rules: Vec<Rule>,
    pub(super) rules_measured_on: Option<MeasuredOn>,
    #[serde(default)]
    pub(super) hinges: Vec<Hinge>,
    pub(super) groups: Option<Groups>,
}

/// The three rates.
#[derive(Debug, Deserialize)]
pub(super) struct Rates {
    pub(super) search: Rate,
    pub(super) dataset: Rate,
    pub(super) domain: Rate,
}

/// One rate; the interval is the domain's alone.
#[derive(Debug, Deserialize)]
pub(super) struct Rate {
    pub(super) value: Option<f64>,
    pub(super) limit: Option<f64>,
    pub(super) of: Option<u64>,
    pub(super) sampled: Option<u64>,
    pub(super) lower: Option<f64>,
    pub(super) upper: Option<f64>,
    pub(super) confidence: Option<f64>,
    #[serde(default)]
    pub(super) exact: bool,
    pub(super) people: Option<f64>,
    pub(super) undecided: Option<u64>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Replay {
    pub(super) still_there: usize,
    pub(super) fixed: usize,
}

#[derive(Debug, Deserialize)]
pub(super) struct Changes {
    pub(super) recorded: u64,
    pub(super) new: Vec<usize>,
    pub(super) gone: Vec<Gone>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Gone {
    pub(super) flips: String,
    pub(super) scores: [f64; 2],
    pub(super) still_there: Option<bool>,
    pub(super) person: Words,
    pub(super) counterpart: Words,
}

#[derive(Debug, Deserialize)]
pub(super) struct Pair {
    pub(super) flips: String,
    pub(super) scores: [f64; 2],
    pub(super) decisions: [String; 2],
    pub(super) person: Words,
    pub(super) counterpart: Words,
    pub(super) nearest: Option<Nearest>,
    pub(super) gap: Option<f64>,
    pub(super) boundary: Option<[Option<f64>; 2]>,
    pub(super) distinct_decisions: Option<u64>,
    pub(super) shrunk: Option<bool>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Nearest {
    pub(super) changed: usize,
    pub(super) person: Words,
}

#[derive(Debug, Deserialize)]
pub(super) struct Severity {
    pub(super) gap: Option<Spread>,
    pub(super) boundary: Option<Spread>,
    #[serde(default)]
    pub(super) distinct_decisions: Vec<[u64; 2]>,
}

/// How a measure is spread over all counterexamples.
#[derive(Debug, Deserialize)]
pub(super) struct Spread {
    pub(super) mean: Option<f64>,
    pub(super) median: Option<f64>,
    pub(super) p90: Option<f64>,
    pub(super) largest: Option<f64>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Direction {
    pub(super) from: Words,
    pub(super) to: Words,
    pub(super) from_decision: Value,
    pub(super) to_decision: Value,
    pub(super) count: u64,
}

#[derive(Debug, Deserialize)]
pub(super) struct Favoured {
    pub(super) group: Words,
    pub(super) favourable: u64,
    pub(super) of: u64,
    pub(super) share: Option<f64>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Subgroup {
    pub(super) attribute: String,
    pub(super) value: Value,
    pub(super) tested: u64,
    pub(super) found: u64,
    pub(super) share: Option<f64>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Rule {
    pub(super) text: String,
    pub(super) found: u64,
    pub(super) tested: u64,
    pub(super) coverage: f64,
    pub(super) precision: Option<f64>,
    pub(super) discriminated: Option<u64>,
}

/// Whom the precision of rules is measured on.
#[derive(Debug, Deserialize)]
pub(super) struct MeasuredOn {
    pub(super) source: String,
    pub(super) tested: u64,
    pub(super) share: Option<f64>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Hinge {
    pub(super) attribute: String,
    pub(super) share: f64,
    pub(super) vanished: Option<u64>,
    pub(super) of: Option<u64>,
}

/// How groups of the dataset's people are decided about.
#[derive(Debug, Deserialize)]
pub(super) struct Groups {
    pub(super) of: Option<u64>,
    pub(super) favourable: Option<String>,
    #[serde(default)]
    pub(super) assumed: bool,
    #[serde(default)]
    pub(super) empty: u64,
    #[serde(default)]
    pub(super) outside: u64,
    #[serde(default)]
    pub(super) metrics: Map<String, Value>,
    #[serde(default)]
    pub(super) limits: Map<String, Value>,
    #[serde(default)]
    pub(super) by_group: Vec<Group>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Group {
    pub(super) group: Words,
    pub(super) people: u64,
    pub(super) selected: u64,
    pub(super) rate: Option<f64>,
    pub(super) positives: Option<u64>,
    pub(super) true_positive_rate: Option<f64>,
}

/// A value as people read it: words without quotes.
pub(super) fn in_words(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => "unknown".to_owned(),
        other => other.to_string(),
    }
}

/// The values of a group: `Female`, or `Female & Black` where several attributes are protected.
pub(super) fn group_in_words(words: &Words) -> String {
    let values: Vec<String> = words.values().map(in_words).collect();
    values.join(" & ")
}
