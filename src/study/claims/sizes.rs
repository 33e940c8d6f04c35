//! What the paper claims of the perturbation size (RQ1).

use crate::study::contender::PAPER;
use crate::study::plan::{Question, RECOMMENDED, STABLE_ABOVE};
use crate::study::results::{About, Metric, Results, Which};
use crate::study::stats::{Anova, SIGNIFICANT, anova, mean, paired};

use super::ratio::Ratio;
use super::{Claim, FEWEST, Judgement, p_value, significant};

/// Sizes up to this one are claimed to be too small.
const TOO_SMALL: f64 = 1e-6;

pub(super) fn judge(results: &Results<'_>) -> Vec<Claim> {
    if !results.has(Question::One) {
        return Vec::new();
    }
    vec![
        stable(results),
        too_small(results),
        too_large(results),
        more_than_sg(results),
    ]
}

fn sized(size: f64) -> Which<'static> {
    Which::method(Question::One, PAPER).with(size)
}

/// Analysis of variance over the sizes of the stable range: of one benchmark, or of all together.
pub(in crate::study) fn over_stable_range(
    results: &Results<'_>,
    benchmark: Option<&str>,
    metric: Metric,
) -> Option<Anova> {
    let sizes = results
        .form
        .sizes
        .iter()
        .filter(|&&size| size > STABLE_ABOVE);
    let groups: Vec<Vec<f64>> = sizes
        .map(|&size| {
            let which = Which {
                benchmark,
                ..sized(size)
            };
            results.values(which, metric)
        })
        .collect();
    let groups: Vec<&[f64]> = groups.iter().map(Vec::as_slice).collect();
    anova(&groups)
}

fn stable(results: &Results<'_>) -> Claim {
    let each: Vec<(&About, Anova)> = results
        .benchmarks
        .iter()
        .filter_map(|about| {
            let analysed = over_stable_range(results, Some(&about.name), Metric::Count)?;
            Some((about, analysed))
        })
        .collect();
    // Of many analyses some are below 5 % by chance: the level is shared out among them.
    let level = SIGNIFICANT / each.len().max(1) as f64;
    let differing: Vec<&str> = each
        .iter()
        .filter(|(_, anova)| anova.p < level)
        .map(|(about, _)| about.name.as_str())
        .collect();
    let together = over_stable_range(results, None, Metric::Count);
    let together = together.map_or_else(
        || "cannot be analysed".to_owned(),
        |anova| format!("F = {}, {}", significant(anova.f, 3), p_value(anova.p)),
    );
    let which = match differing.is_empty() {
        true => "none differs".to_owned(),
        false => format!("{} differ: {}", differing.len(), differing.join(", ")),
    };
    Claim {
        text: "the counts with h in (1e-5, 10] do not differ significantly (analysis of variance)",
        judgement: match each.is_empty() {
            true => Judgement::NotComparable,
            false => Judgement::when(differing.is_empty()),
        },
        measured: format!(
            "all benchmarks together, as in the paper: {together}; each by itself, of {} benchmarks: {which}",
            each.len()
        ),
    }
}

fn too_small(results: &Results<'_>) -> Claim {
    let sizes = results.form.sizes.iter().filter(|&&size| size <= TOO_SMALL);
    let mut words = Vec::new();
    let mut inferior = Vec::new();
    for &size in sizes {
        let adf = Which::method(Question::One, "adf");
        let [small, adf] = results.pairs(sized(size), adf, Metric::Count);
        let (Some(small_mean), Some(adf_mean)) = (mean(&small), mean(&adf)) else {
            continue;
        };
        let below = paired(&small, &adf).is_some_and(|test| test.p < SIGNIFICANT);
        inferior.push(small_mean < adf_mean && below);
        words.push(format!(
            "{size:e}: {} x",
            significant(small_mean / adf_mean, 2)
        ));
    }
    Claim {
        text: "with h up to 1e-6 MAFT finds significantly fewer than ADF",
        judgement: match inferior.is_empty() {
            true => Judgement::NotComparable,
            false => Judgement::when(inferior.iter().all(|&inferior| inferior)),
        },
        measured: match words.is_empty() {
            true => "ADF took no part".to_owned(),
            false => format!("of ADF's mean count, h = {}", words.join(", ")),
        },
    }
}

fn too_large(results: &Results<'_>) -> Claim {
    let [large, recommended] = results.pairs(sized(10.0), sized(RECOMMENDED), Metric::Success);
    let test = paired(&large, &recommended);
    let (large_mean, mean) = (mean(&large), mean(&recommended));
    let text = "the success rate at h = 10 is below that at h = 1";
    match (large_mean, mean, test) {
        (Some(large), Some(one), Some(test)) if recommended.len() >= FEWEST => Claim {
            text,
            judgement: Judgement::when(large < one && test.p < SIGNIFICANT),
            measured: format!(
                "{} against {}; pair by pair {}",
                significant(large, 3),
                significant(one, 3),
                p_value(test.p)
            ),
        },
        _ => Claim {
            text,
            judgement: Judgement::NotComparable,
            measured: "there are too few benchmarks with both sizes".into(),
        },
    }
}

fn more_than_sg(results: &Results<'_>) -> Claim {
    let sg = Which::method(Question::One, "sg");
    let ratio = Ratio::new(&results.pairs(sized(RECOMMENDED), sg, Metric::Count));
    let capped = results.is_capped(sg);
    Claim {
        text: "MAFT with h = 1 finds 292.15 % more than SG (3.92 x)",
        judgement: match &ratio {
            Some(ratio) if !capped => ratio.is_at_least(3.9215),
            _ => Judgement::NotComparable,
        },
        measured: match &ratio {
            Some(ratio) if capped => {
                format!(
                    "{}; runs of SG were ended by the cap on queries",
                    ratio.words()
                )
            }
            Some(ratio) => ratio.words(),
            None => "there are too few benchmarks in which both found anybody".into(),
        },
    }
}
