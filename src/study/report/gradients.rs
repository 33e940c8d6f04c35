//! RQ3: how near estimated gradients are to real ones.

use crate::study::claims::significant;
use crate::study::figures::FigureError;
use crate::study::gradients::Measured;
use crate::study::results::Results;
use crate::study::stats::mean;

use super::table::Table;
use super::{Section, draw};

/// The section.
pub(super) fn section(measured: &Measured, results: &Results<'_>) -> Result<Section, FigureError> {
    Ok(Section {
        name: "rq3",
        title: "RQ3: how near are estimated gradients to real ones?",
        tables: vec![similarities(measured, results), timings(measured)],
        figures: vec![
            draw::similarities(measured)?,
            draw::timings(measured)?,
            draw::projections(measured)?,
        ],
    })
}

fn similarities(measured: &Measured, results: &Results<'_>) -> Table {
    let head = [
        "benchmark",
        "h",
        "gradient",
        "signs that agree",
        "direction",
        "probabilities",
    ];
    let caption = "RQ3: mean cosine similarity of estimated and real gradients, and of what follows from them";
    let mut table = Table::new("rq3-similarity", caption, &head);
    for similarity in &measured.similarities {
        let cosine = |values: &[f64]| mean(values).map_or("-".into(), |mean| format!("{mean:.4}"));
        table.row([
            similarity.benchmark.clone(),
            similarity.size.to_string(),
            cosine(&similarity.gradient),
            format!("{:.3}", similarity.signs),
            cosine(&similarity.direction),
            cosine(&similarity.probability),
        ]);
    }
    table.note(format!(
        "{} people of each dataset, or all. Gradients are of the score, by the attributes that are not \
         protected. Directions are of pairs that are decided alike, as the global phase takes its first step.",
        results.form.people
    ));
    table
}

fn timings(measured: &Measured) -> Table {
    let head = [
        "benchmark",
        "method",
        "gradients, one person a call",
        "gradients, all in one call",
        "directions",
        "probabilities",
    ];
    let mut table = Table::new("rq3-time", "RQ3: milliseconds for all people", &head);
    for timing in &measured.timings {
        let milliseconds = |seconds: f64| significant(seconds * 1000.0, 3);
        table.row([
            timing.benchmark.clone(),
            timing.method.to_owned(),
            milliseconds(timing.one_by_one),
            milliseconds(timing.at_once),
            milliseconds(timing.directions),
            milliseconds(timing.probabilities),
        ]);
    }
    table.note(
        "The quickest of three. One person a call is how the paper measures, and how directions and probabilities are timed.",
    );
    table
}
