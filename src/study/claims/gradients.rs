//! What the paper claims of estimated gradients (RQ3).

use crate::study::gradients::{Measured, Similarity};
use crate::study::plan::RECOMMENDED;
use crate::study::results::About;
use crate::study::stats::mean;

use super::{Claim, Judgement, significant};

/// A similarity above this is claimed.
const SIMILAR: f64 = 0.8;

pub(super) fn judge(measured: Option<&Measured>, benchmarks: &[About]) -> Vec<Claim> {
    let Some(measured) = measured else {
        return Vec::new();
    };
    let at_one: Vec<&Similarity> = measured
        .similarities
        .iter()
        .filter(|similarity| similarity.size == RECOMMENDED)
        .filter(|similarity| {
            let mut benchmarks = benchmarks.iter();
            benchmarks.any(|about| about.name == similarity.benchmark)
        })
        .collect();
    vec![
        most_are_similar(
            "the cosine similarity of estimated and real gradients is above 0.8 on most benchmarks",
            &at_one,
            |similarity| &similarity.gradient,
        ),
        most_are_similar(
            "so is that of the directions of the global phase",
            &at_one,
            |similarity| &similarity.direction,
        ),
        most_are_similar(
            "so is that of the probabilities of the local phase",
            &at_one,
            |similarity| &similarity.probability,
        ),
    ]
}

fn most_are_similar(
    text: &'static str,
    similarities: &[&Similarity],
    of: impl Fn(&Similarity) -> &[f64],
) -> Claim {
    let means: Vec<f64> = similarities
        .iter()
        .filter_map(|similarity| mean(of(similarity)))
        .collect();
    let above = means.iter().filter(|&&mean| mean > SIMILAR).count();
    let least = means.iter().copied().fold(f64::INFINITY, f64::min);
    Claim {
        text,
        judgement: match means.is_empty() {
            true => Judgement::NotComparable,
            false => Judgement::when(2 * above > means.len()),
        },
        measured: match mean(&means) {
            None => "no benchmark's gradients could be compared".into(),
            Some(mean) => format!(
                "above 0.8 on {above} of {} benchmarks; {} on average, {} at the least",
                means.len(),
                significant(mean, 3),
                significant(least, 3)
            ),
        },
    }
}
