//! Pairs as people read them.

use std::fmt::Write as _;

use super::{nearest_line, scores, wrapped};
use crate::decision::Rule;
use crate::findings::Counterexample;
use crate::result::BenchmarkResult;
use crate::schema::Space;
use crate::snapshot::{decision, flips};

/// How many pairs a report shows.
const SHOWN: usize = 3;

/// The narrowest text.
const NARROWEST: usize = 40;

/// The first pairs: the first one side by side, the others in short.
pub(super) fn pair_lines(result: &BenchmarkResult, indent: &str, width: usize) -> String {
    let space = result.findings.space();
    let width = width.saturating_sub(indent.len() + 4).max(NARROWEST);
    let mut text = String::new();
    for (index, pair) in result.shown_pairs().iter().take(SHOWN).enumerate() {
        let flip = flips(pair, space, &result.decisions);
        let _ = writeln!(text, "{indent}{flip}{}", scores(pair, &result.rule));
        let mut lines = Vec::new();
        if index == 0 {
            lines.extend(side_by_side(pair, result));
        }
        lines.extend(wrapped(&person_words(pair, space), ",", width));
        if let Some(nearest) = &pair.nearest {
            lines.push(nearest_line(nearest, pair, space));
        }
        for line in lines {
            let _ = writeln!(text, "{indent}    {line}");
        }
    }
    text
}

/// What differs, in two columns: the protected attributes are marked, the decision and the score follow
/// from them.
fn side_by_side(pair: &Counterexample, result: &BenchmarkResult) -> Vec<String> {
    let space = result.findings.space();
    let schema = space.schema();
    let mut rows = vec![[" ", "", "person", "counterpart"].map(str::to_owned)];
    for (own, other) in schema
        .words(&pair.person)
        .into_iter()
        .zip(schema.words(&pair.counterpart))
    {
        if own.1 != other.1 {
            rows.push(["*".to_owned(), own.0, own.1, other.1]);
        }
    }
    let mut follows = |name: &str, [own, other]: [String; 2]| {
        rows.push([" ".to_owned(), name.to_owned(), own, other]);
    };
    let decisions = [0, 1].map(|side| decision(pair, side, &result.decisions));
    follows("decision", decisions);
    if !matches!(result.rule, Rule::Tolerance(_)) {
        follows("score", pair.scores.map(|score| format!("{score:.3}")));
    }
    let wide = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let [name, own] = [1, 2].map(|column| wide(column).unwrap_or_default());
    rows.iter()
        .map(|[mark, attribute, person, counterpart]| {
            format!("{mark} {attribute:<name$}  {person:<own$}  {counterpart}")
        })
        .collect()
}

/// Everything about the person that stays the same.
fn person_words(pair: &Counterexample, space: &Space) -> Vec<String> {
    space
        .schema()
        .words(&pair.person)
        .into_iter()
        .enumerate()
        .filter(|(position, _)| pair.person[*position] == pair.counterpart[*position])
        .map(|(_, (name, value))| format!("{name} {value}"))
        .collect()
}
