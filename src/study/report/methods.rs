//! RQ2: how the methods compare.

use crate::study::claims::{p_value, significant};
use crate::study::contender::{Contender, PAPER};
use crate::study::figures::FigureError;
use crate::study::plan::Question;
use crate::study::results::{About, Metric, Results, Which};
use crate::study::stats::{TTest, mean, paired, welch};
use crate::words::grouped;

use super::table::Table;
use super::{Section, draw};

/// The section, if anything of the question was run.
pub(super) fn section(results: &Results<'_>) -> Result<Option<Section>, FigureError> {
    if !results.has(Question::Two) {
        return Ok(None);
    }
    Ok(Some(Section {
        name: "rq2",
        title: "RQ2: how do the methods compare?",
        tables: vec![
            counts(results),
            at_equal_queries(results),
            speeds(results, "rq2-queries", "for 1000 queries", Metric::PerQuery),
            speeds(results, "rq2-seconds", "a second", Metric::PerSecond),
            tests(results),
        ],
        figures: vec![draw::methods(results)?, draw::growth(results)?],
    }))
}

/// Those who ran, in the order of figures.
pub(super) fn present(results: &Results<'_>) -> Vec<Contender> {
    let ran = |contender: &&Contender| results.runs(of(contender.name)).next().is_some();
    results.contenders.iter().filter(ran).copied().collect()
}

fn of(method: &str) -> Which<'_> {
    Which::method(Question::Two, method)
}

fn head(results: &Results<'_>) -> Vec<String> {
    let titles = present(results)
        .into_iter()
        .map(|contender| contender.title.to_owned());
    std::iter::once("benchmark".to_owned())
        .chain(titles)
        .collect()
}

/// A row for each benchmark, with a cell for each method.
fn by_method(
    results: &Results<'_>,
    table: &mut Table,
    cell: impl Fn(&About, Contender) -> Option<String>,
) {
    for about in results.benchmarks {
        let cells = present(results).into_iter();
        let cells = cells.map(|contender| cell(about, contender).unwrap_or_else(|| "-".into()));
        table.row(std::iter::once(about.name.clone()).chain(cells));
    }
}

fn counts(results: &Results<'_>) -> Table {
    let extent = results.form.two;
    let caption = "RQ2: counterexamples, mean of the rounds (least to largest)";
    let mut table = Table::new("rq2-counts", caption, &head(results));
    by_method(results, &mut table, |about, contender| {
        let which = of(contender.name).on(&about.name);
        let values = results.values(which, Metric::Count);
        let least = values.iter().copied().reduce(f64::min)?;
        let most = values.iter().copied().reduce(f64::max)?;
        let whole = |value: f64| grouped(value.round() as u64);
        let capped = if results.is_capped(which) { "*" } else { "" };
        Some(format!(
            "{}{capped} ({} to {})",
            whole(mean(&values)?),
            whole(least),
            whole(most)
        ))
    });
    table.note(format!(
        "{} seeds x {} steps, {} rounds.",
        extent.seeds, extent.steps, extent.rounds
    ));
    if present(results)
        .iter()
        .any(|contender| results.is_capped(of(contender.name)))
    {
        table.note(format!(
            "`*`: ended by the cap of {} queries.",
            grouped(results.form.cap)
        ));
    }
    table
}

/// What everyone had found when the paper's MAFT had ended.
fn at_equal_queries(results: &Results<'_>) -> Table {
    let caption = "RQ2: counterexamples after as many queries as MAFT took";
    let mut head = head(results);
    head.insert(1, "queries".into());
    let mut table = Table::new("rq2-equal-queries", caption, &head);
    for about in results.benchmarks {
        let paper = results.runs(of(PAPER).on(&about.name));
        let queries: Vec<f64> = paper.map(|run| run.outcome.queries as f64).collect();
        let Some(queries) = mean(&queries) else {
            continue;
        };
        let cells = present(results).into_iter().map(|contender| {
            let runs = results.runs(of(contender.name).on(&about.name));
            let found: Vec<(f64, bool)> = runs
                .map(|run| match run.outcome.curve.at(queries) {
                    Some(found) => (found, false),
                    None => (run.outcome.counterexamples as f64, true),
                })
                .collect();
            // The paper's own rounds end a little before or after their mean.
            let ended = contender.name != PAPER && found.iter().any(|&(_, ended)| ended);
            let found: Vec<f64> = found.into_iter().map(|(found, _)| found).collect();
            let ended = if ended { "+" } else { "" };
            mean(&found).map_or("-".into(), |mean| {
                format!("{}{ended}", grouped(mean.round() as u64))
            })
        });
        let row = [about.name.clone(), grouped(queries.round() as u64)];
        table.row(row.into_iter().chain(cells));
    }
    table.note("`+`: the method ended before; the number is its last.");
    table
}

fn speeds(results: &Results<'_>, name: &'static str, words: &str, metric: Metric) -> Table {
    let caption = format!("RQ2: counterexamples {words}, mean of the rounds");
    let mut table = Table::new(name, &caption, &head(results));
    by_method(results, &mut table, |about, contender| {
        let values = results.values(of(contender.name).on(&about.name), metric);
        let mean = mean(&values)?;
        Some(match mean >= 1000.0 {
            true => grouped(mean.round() as u64),
            false => significant(mean, 3),
        })
    });
    table
}

fn tests(results: &Results<'_>) -> Table {
    let head = [
        "methods",
        "benchmarks",
        "count: Welch's t",
        "count: t of the pairs",
        "a second: Welch's t",
        "for 1000 queries: t of the pairs",
    ];
    let mut table = Table::new("rq2-tests", "RQ2: t-tests, pair by pair", &head);
    let present = present(results);
    for (place, one) in present.iter().enumerate() {
        for other in &present[place + 1..] {
            let figures = |metric| results.pairs(of(one.name), of(other.name), metric);
            let [counts, seconds, queries] =
                [Metric::Count, Metric::PerSecond, Metric::PerQuery].map(figures);
            table.row([
                format!("{} and {}", one.title, other.title),
                counts[0].len().to_string(),
                words(welch(&counts[0], &counts[1])),
                words(paired(&counts[0], &counts[1])),
                words(welch(&seconds[0], &seconds[1])),
                words(paired(&queries[0], &queries[1])),
            ]);
        }
    }
    table.note(
        "Of the means of the benchmarks. Welch's test over benchmarks is the paper's; benchmarks differ so much \
         that it sees only the largest differences. The test of the pairs compares benchmark by benchmark.",
    );
    table
}

fn words(test: Option<TTest>) -> String {
    test.map_or("-".into(), |test| {
        format!("{} ({})", significant(test.t, 3), p_value(test.p))
    })
}
