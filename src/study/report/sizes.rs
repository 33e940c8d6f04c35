//! RQ1: how the perturbation size matters.

use crate::study::claims::{over_stable_range, p_value, significant};
use crate::study::contender::{ALL, PAPER};
use crate::study::figures::FigureError;
use crate::study::plan::{Question, RECOMMENDED, STABLE_ABOVE};
use crate::study::results::{Metric, Results, Which};
use crate::study::stats::{geometric_mean, mean};

use super::table::Table;
use super::{Section, draw};

/// The section, if anything of the question was run.
pub(super) fn section(results: &Results<'_>) -> Result<Option<Section>, FigureError> {
    if !results.has(Question::One) {
        return Ok(None);
    }
    Ok(Some(Section {
        name: "rq1",
        title: "RQ1: how does the perturbation size matter?",
        tables: vec![by_size(results), variance(results)],
        figures: vec![draw::sizes(results)?, draw::relative_sizes(results)?],
    }))
}

/// The columns of the figures and the lines of the table: the methods beside MAFT, then every size.
pub(super) fn entries(results: &Results<'_>) -> Vec<(String, usize, Which<'static>)> {
    let place = |name: &str| {
        ALL.iter()
            .position(|other| other.name == name)
            .unwrap_or_default()
    };
    let beside = ALL.iter().filter(|contender| contender.name != PAPER);
    let beside = beside.map(|contender| {
        let which = Which::method(Question::One, contender.name);
        (contender.title.to_owned(), place(contender.name), which)
    });
    let sizes = results.form.sizes.iter().map(|&size| {
        let which = Which::method(Question::One, PAPER).with(size);
        (format!("{size:e}"), place(PAPER), which)
    });
    beside
        .chain(sizes)
        .filter(|(_, _, which)| results.runs(*which).next().is_some())
        .map(|(name, place, which)| (in_words(name), place, which))
        .collect()
}

/// Sizes that need no exponent have none.
fn in_words(name: String) -> String {
    match name.as_str() {
        "1e-2" => "0.01".into(),
        "1e-1" => "0.1".into(),
        "1e0" => "1".into(),
        "1e1" => "10".into(),
        _ => name,
    }
}

fn by_size(results: &Results<'_>) -> Table {
    let head = [
        "method, or MAFT's h",
        "mean count",
        "of the count at h = 1",
        "a second",
        "for 1000 queries",
        "success rate",
    ];
    let mut table = Table::new(
        "rq1-sizes",
        "RQ1: counterexamples by perturbation size",
        &head,
    );
    let recommended = Which::method(Question::One, PAPER).with(RECOMMENDED);
    for (name, _, which) in entries(results) {
        let figure = |metric, digits| {
            let mean = mean(&results.values(which, metric));
            mean.map_or_else(String::new, |mean| significant(mean, digits))
        };
        let [own, one] = results.pairs(which, recommended, Metric::Count);
        let ratios: Vec<f64> = own.iter().zip(&one).map(|(own, one)| own / one).collect();
        let relative =
            geometric_mean(&ratios).map_or("-".to_owned(), |ratio| significant(ratio, 3));
        let capped = if results.is_capped(which) {
            " (capped)"
        } else {
            ""
        };
        table.row([
            format!("{name}{capped}"),
            figure(Metric::Count, 4),
            relative,
            figure(Metric::PerSecond, 3),
            figure(Metric::PerQuery, 3),
            figure(Metric::Success, 3),
        ]);
    }
    let extent = results.form.one;
    table.note(format!(
        "{} seeds x {} steps, {} rounds, means over all benchmarks and rounds. The third column is the \
         geometric mean over benchmarks; it has none where a benchmark has no finds.",
        extent.seeds, extent.steps, extent.rounds
    ));
    table
}

fn variance(results: &Results<'_>) -> Table {
    let sizes = results
        .form
        .sizes
        .iter()
        .filter(|&&size| size > STABLE_ABOVE);
    let caption = format!(
        "RQ1: analysis of variance over the {} sizes above 1e-5",
        sizes.count()
    );
    let head = [
        "benchmark",
        "F of the count",
        "p",
        "F of the success rate",
        "p",
    ];
    let mut table = Table::new("rq1-anova", &caption, &head);
    let everything = std::iter::once(("all together", None));
    let each = results
        .benchmarks
        .iter()
        .map(|about| (about.name.as_str(), Some(about.name.as_str())));
    for (name, benchmark) in everything.chain(each) {
        let mut row = vec![name.to_owned()];
        for metric in [Metric::Count, Metric::Success] {
            match over_stable_range(results, benchmark, metric) {
                Some(anova) => {
                    let [between, within] = anova.freedom;
                    row.push(format!(
                        "F({between}, {within}) = {}",
                        significant(anova.f, 3)
                    ));
                    row.push(p_value(anova.p));
                }
                None => row.extend(["-".to_owned(), "-".to_owned()]),
            }
        }
        table.row(row);
    }
    table.note(
        "All benchmarks together is the paper's analysis. Benchmarks differ far more than sizes do, which hides \
         the sizes; benchmark by benchmark they are seen.",
    );
    table
}
