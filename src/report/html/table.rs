//! The findings as columns, small enough for a page with a hundred thousand of them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use serde_json::Value;

use crate::findings::Counterexample;
use crate::gate::Checked;
use crate::report::json::value;
use crate::schema::{Attribute, Code, Space};

/// Findings of one benchmark that a page holds at the most.
const OF_A_BENCHMARK: usize = 100_000;

/// Findings of all benchmarks together that a page holds at the most: it must open on a phone.
const OF_A_PAGE: usize = 200_000;

/// How many findings of each benchmark a page of so many benchmarks holds.
pub(crate) fn share(benchmarks: usize) -> usize {
    (OF_A_PAGE / benchmarks.max(1)).min(OF_A_BENCHMARK)
}

/// The findings that a page holds, in the order in which the search met them.
#[derive(Debug, Clone)]
pub(super) struct Table {
    /// How many findings there are.
    pub(super) total: u64,
    /// How many of them are here.
    pub(super) shown: usize,
    data: String,
}

/// A page's data of one benchmark's findings. All bytes are base64, numbers little-endian.
#[derive(Serialize)]
struct Data {
    total: u64,
    shown: usize,
    columns: Vec<Column>,
    decisions: Vec<String>,
    /// Places among the decisions, one byte or two for each finding; the person's, the counterpart's.
    decided: [String; 2],
    /// Four bytes for each finding: a float.
    scores: [String; 2],
}

/// An attribute: its values that occur, and for each finding which.
#[derive(Serialize)]
struct Column {
    name: String,
    values: Vec<Value>,
    /// Places among the values; one, two or four bytes for each finding, by their number.
    person: String,
    /// The counterpart's, where the attribute is protected.
    counterpart: Option<String>,
}

impl Table {
    /// At most so many findings of a benchmark, evenly chosen.
    pub(super) fn of(checked: &Checked, most: usize) -> Self {
        let result = &checked.result;
        let findings = &result.findings;
        let kept: Vec<Counterexample> = findings.evenly(most).collect();
        let space = findings.space();
        let attributes = space.schema().attributes().iter().enumerate();
        let side = |side: usize| kept.iter().map(move |pair| pair.decisions[side] as u32);
        let decided = match result.decisions.is_empty() {
            // Two numbers are compared, and the scores are all there is.
            true => [String::new(), String::new()],
            false => [0, 1].map(|one| packed(side(one), result.decisions.len())),
        };
        let data = Data {
            total: findings.len(),
            shown: kept.len(),
            columns: attributes
                .map(|(position, attribute)| column(space, position, attribute, &kept))
                .collect(),
            decisions: result.decisions.clone(),
            decided,
            scores: [0, 1].map(|one| {
                let bytes = kept.iter().flat_map(|pair| pair.scores[one].to_le_bytes());
                STANDARD.encode(bytes.collect::<Vec<u8>>())
            }),
        };
        Table {
            total: data.total,
            shown: data.shown,
            data: in_script(&data),
        }
    }

    /// The data for a script block of the page.
    pub(super) fn data(&self) -> &str {
        &self.data
    }
}

fn column(
    space: &Space,
    position: usize,
    attribute: &Attribute,
    kept: &[Counterexample],
) -> Column {
    let person = || kept.iter().map(|pair| pair.person[position]);
    let counterpart = || kept.iter().map(|pair| pair.counterpart[position]);
    let protected = space.protected().contains(&position);
    let mut codes: Vec<Code> = person().collect();
    if protected {
        codes.extend(counterpart());
    }
    codes.sort_unstable();
    codes.dedup();
    let place = |code: Code| codes.partition_point(|&other| other < code) as u32;
    Column {
        name: attribute.name.clone(),
        values: codes
            .iter()
            .map(|&code| value(&attribute.domain, code))
            .collect(),
        person: packed(person().map(place), codes.len()),
        counterpart: protected.then(|| packed(counterpart().map(place), codes.len())),
    }
}

/// Numbers below `size` in as few bytes as they need, all in the same number.
fn packed(numbers: impl Iterator<Item = u32>, size: usize) -> String {
    let width = match size {
        0..=0x100 => 1,
        0x101..=0x1_0000 => 2,
        _ => 4,
    };
    let bytes = numbers.flat_map(|number| number.to_le_bytes().into_iter().take(width));
    STANDARD.encode(bytes.collect::<Vec<u8>>())
}

/// JSON that can stand in a script block: no word of the data can end the block.
fn in_script(data: &impl Serialize) -> String {
    // A tree of strings, numbers and lists always has a JSON form.
    let json = serde_json::to_string(data).unwrap_or_default();
    json.replace('<', "\\u003c")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_as_a_page_can_hold() {
        assert_eq!(share(0), 100_000);
        assert_eq!(share(1), 100_000);
        assert_eq!(share(2), 100_000);
        assert_eq!(share(11), 18_181);
    }

    #[test]
    fn as_few_bytes_as_needed() {
        let bytes = |numbers: &[u32], size| {
            STANDARD
                .decode(packed(numbers.iter().copied(), size))
                .unwrap()
        };
        assert_eq!(bytes(&[0, 255], 256), [0, 255]);
        assert_eq!(bytes(&[1, 256], 257), [1, 0, 0, 1]);
        assert_eq!(bytes(&[65_536], 65_537), [0, 0, 1, 0]);
    }

    #[test]
    fn no_word_ends_the_block() {
        let json = in_script(&["</script><!-- <script>"]);
        assert!(!json.contains('<'), "{json}");
        let read: Vec<String> = serde_json::from_str(&json).unwrap();
        assert_eq!(read, ["</script><!-- <script>"]);
    }
}
