//! What is different from what is recorded, pair by pair.

use serde_json::{Map, Value};

use super::{Recorded, RecordedPair, decode};
use crate::benchmark::Pair;
use crate::result::BenchmarkResult;

/// What changed since the snapshot was recorded.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Changes {
    /// The counterexamples that are recorded; all of them, not only the pairs.
    pub recorded: u64,
    /// The places among this run's most telling pairs of those that are not recorded.
    pub new: Vec<usize>,
    /// Recorded pairs that are no longer among the most telling.
    pub gone: Vec<GonePair>,
}

/// A recorded pair that is no longer among the most telling.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct GonePair {
    /// The pair in one line, as recorded.
    pub flips: String,
    /// The recorded scores.
    pub scores: [f64; 2],
    /// The recorded person, by the names of the attributes.
    pub person: Map<String, Value>,
    /// The recorded counterpart.
    pub counterpart: Map<String, Value>,
    /// Whether the model still decides differently about the two; nothing if it was not asked, or
    /// cannot be because attributes or values are gone.
    pub still_there: Option<bool>,
}

impl Changes {
    /// Between what is recorded and what a run found. Recorded pairs that can still be read were
    /// shown to the model in their order.
    pub(super) fn between(recorded: &Recorded, result: &BenchmarkResult) -> Self {
        let schema = result.findings.space().schema();
        let mut replayed = result.replay.differs.iter();
        let (mut known, mut gone) = (Vec::new(), Vec::new());
        for pair in &recorded.pairs {
            let decoded = decode(pair, schema);
            let still_there = decoded.as_ref().and_then(|_| replayed.next().copied());
            let shown = decoded.as_ref().is_some_and(|pair| shows(result, pair));
            if !shown {
                gone.push(GonePair::new(pair, still_there));
            }
            known.extend(decoded);
        }
        let is_new = |place: &usize| {
            let pair = &result.pairs[*place];
            !known
                .iter()
                .any(|known| known.person == pair.person && known.counterpart == pair.counterpart)
        };
        Changes {
            recorded: recorded.counterexamples,
            new: (0..result.pairs.len()).filter(is_new).collect(),
            gone,
        }
    }
}

fn shows(result: &BenchmarkResult, recorded: &Pair) -> bool {
    let is_it = |pair: &crate::findings::Counterexample| {
        pair.person == recorded.person && pair.counterpart == recorded.counterpart
    };
    result.pairs.iter().any(is_it)
}

impl GonePair {
    fn new(pair: &RecordedPair, still_there: Option<bool>) -> Self {
        let person = in_json(&pair.person);
        let mut counterpart = person.clone();
        for (name, value) in in_json(&pair.counterpart) {
            counterpart.insert(name, value);
        }
        GonePair {
            flips: pair.flips.clone(),
            scores: pair.scores,
            person,
            counterpart,
            still_there,
        }
    }
}

fn in_json(table: &toml::Table) -> Map<String, Value> {
    table
        .iter()
        .map(|(name, value)| {
            // Words, numbers and truth values always have a JSON form.
            let value = serde_json::to_value(value).unwrap_or_default();
            (name.clone(), value)
        })
        .collect()
}
