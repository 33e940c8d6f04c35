//! From results to figures.

use crate::study::contender::{ALL, Contender, PAPER};
use crate::study::figures::{
    BoxGroup, BoxPanel, Boxes, Cloud, CurvePanel, Curves, Figure, FigureError, Growth, Line,
    LinePanel, Lines, Scale, Scatter, ScatterPanel, Violin, ViolinPanel, Violins,
};
use crate::study::gradients::{Measured, Similarity, Timing};
use crate::study::plan::{Question, RECOMMENDED};
use crate::study::results::{Metric, Results, Which};
use crate::study::stats::{Spread, mean};

use super::{methods, sizes};

/// Points of a cloud that are drawn; more would only cover each other.
const POINTS: usize = 250;

/// Points of a curve.
const STATIONS: usize = 60;

fn place_of_title(title: &str) -> usize {
    ALL.iter()
        .position(|contender| contender.title == title)
        .unwrap_or_default()
}

/// RQ1: counts, speed and success rate by size.
pub(super) fn sizes(results: &Results<'_>) -> Result<Figure, FigureError> {
    let panels = [
        (
            "Counterexamples",
            "count",
            Scale::Logarithmic,
            Metric::Count,
        ),
        (
            "Counterexamples a second",
            "a second",
            Scale::Logarithmic,
            Metric::PerSecond,
        ),
        (
            "Success rate",
            "found / tested",
            Scale::Linear,
            Metric::Success,
        ),
    ];
    let entries = sizes::entries(results);
    let panels = panels.map(|(title, label, scale, metric)| BoxPanel {
        title: title.to_owned(),
        label: label.to_owned(),
        scale,
        spreads: entries
            .iter()
            .map(|(_, _, which)| Spread::of(&results.values(*which, metric)))
            .collect(),
    });
    let caption = "RQ1. What is found by perturbation size h of MAFT, beside the other methods; all benchmarks and \
                   rounds in one box. Line: median. Dot: mean. Whiskers: one and a half boxes. Circles: beyond.";
    boxes("rq1", caption, &entries, panels.into())
}

/// RQ1: each benchmark's count beside its own mean at the recommended size.
pub(super) fn relative_sizes(results: &Results<'_>) -> Result<Figure, FigureError> {
    let entries = sizes::entries(results);
    let relative = |which: &Which<'static>| {
        let mut values = Vec::new();
        for about in results.benchmarks {
            let recommended = Which::method(Question::One, PAPER).with(RECOMMENDED);
            let mean = mean(&results.values(recommended.on(&about.name), Metric::Count));
            if let Some(mean) = mean.filter(|&mean| mean > 0.0) {
                let own = results.values(which.on(&about.name), Metric::Count);
                values.extend(own.into_iter().map(|value| value / mean));
            }
        }
        Spread::of(&values)
    };
    let panel = BoxPanel {
        title: "Counterexamples, beside the benchmark's own mean at h = 1".to_owned(),
        label: "times".to_owned(),
        scale: Scale::Linear,
        spreads: entries
            .iter()
            .map(|(_, _, which)| relative(which))
            .collect(),
    };
    let caption = "RQ1. The same counts, each divided by its benchmark's mean at h = 1: what the size does, without \
                   what the benchmarks do.";
    boxes("rq1-relative", caption, &entries, vec![panel])
}

fn boxes(
    name: &'static str,
    caption: &str,
    entries: &[(String, usize, Which<'static>)],
    panels: Vec<BoxPanel>,
) -> Result<Figure, FigureError> {
    let groups = entries.iter().map(|(name, place, _)| BoxGroup {
        name: name.clone(),
        place: *place,
    });
    let boxes = Boxes {
        groups: groups.collect(),
        label: "method, or h of MAFT".to_owned(),
        panels,
    };
    Figure::new(name, caption.to_owned(), &boxes)
}

/// RQ2: counts and speeds of all methods on all benchmarks.
pub(super) fn methods(results: &Results<'_>) -> Result<Figure, FigureError> {
    let panels = [
        ("Counterexamples", "count", Metric::Count),
        (
            "Counterexamples for 1000 queries",
            "for 1000 queries",
            Metric::PerQuery,
        ),
        ("Counterexamples a second", "a second", Metric::PerSecond),
    ];
    let panels = panels.map(|(title, label, metric)| LinePanel {
        title: title.to_owned(),
        label: label.to_owned(),
        lines: methods::present(results)
            .into_iter()
            .map(|contender| line(results, contender, metric))
            .collect(),
    });
    let names = results.benchmarks.iter().map(|about| about.name.clone());
    let lines = Lines {
        names: names.collect(),
        panels: panels.into(),
    };
    let caption = "RQ2. All methods on all benchmarks: means of the rounds, shaded from the least to the largest. \
                   The scales are logarithmic.";
    Figure::new("rq2", caption.to_owned(), &lines)
}

fn line(results: &Results<'_>, contender: Contender, metric: Metric) -> Line {
    let points = results.benchmarks.iter().map(|about| {
        let which = Which::method(Question::Two, contender.name).on(&about.name);
        range(&results.values(which, metric))
    });
    Line {
        name: contender.title,
        place: place_of_title(contender.title),
        points: points.collect(),
    }
}

/// The least, the mean and the largest.
fn range(values: &[f64]) -> Option<[f64; 3]> {
    let least = values.iter().copied().reduce(f64::min)?;
    let most = values.iter().copied().reduce(f64::max)?;
    Some([least, mean(values)?, most])
}

/// RQ2: finds over queries.
pub(super) fn growth(results: &Results<'_>) -> Result<Figure, FigureError> {
    let panels = results.benchmarks.iter().map(|about| {
        let curves = methods::present(results)
            .into_iter()
            .filter_map(|contender| {
                let which = Which::method(Question::Two, contender.name).on(&about.name);
                let points = stations(results, which);
                (!points.is_empty()).then(|| Growth {
                    name: contender.title,
                    place: place_of_title(contender.title),
                    points,
                })
            });
        CurvePanel {
            title: about.name.clone(),
            curves: curves.collect(),
        }
    });
    let curves = Curves {
        panels: panels.collect(),
    };
    let caption = "RQ2. Counterexamples found over queries: at any height of the queries the methods have had the same \
                   budget. Means of the rounds, shaded from the least to the largest. The scales are logarithmic.";
    Figure::new("rq2-growth", caption.to_owned(), &curves)
}

/// What the rounds of a method had found at some numbers of queries, as far as all of them came.
fn stations(results: &Results<'_>, which: Which<'_>) -> Vec<(f64, [f64; 3])> {
    let curves: Vec<_> = results.runs(which).map(|run| &run.outcome.curve).collect();
    let last = |points: &[(u64, u64)]| points.last().map_or(0.0, |&(queries, _)| queries as f64);
    let first = |points: &[(u64, u64)]| points.first().map_or(1.0, |&(queries, _)| queries as f64);
    let end = curves
        .iter()
        .map(|curve| last(curve.points()))
        .fold(f64::INFINITY, f64::min);
    let start = curves
        .iter()
        .map(|curve| first(curve.points()))
        .fold(1.0, f64::max);
    if !end.is_finite() || end < 1.0 {
        return Vec::new();
    }
    // Who asks in large portions is first heard of late; before that finds grow in proportion.
    let start = start.min(end / 100.0).max(1.0);
    let station = |place: usize| start * (end / start).powf(place as f64 / (STATIONS - 1) as f64);
    let at = |queries: f64| {
        // The last station is the end, up to rounding.
        let queries = queries.min(end);
        let found: Vec<f64> = curves
            .iter()
            .filter_map(|curve| curve.at(queries))
            .collect();
        Some((queries, range(&found)?))
    };
    (0..STATIONS)
        .filter_map(|place| at(station(place)))
        .collect()
}

/// RQ3: violins of the similarities.
pub(super) fn similarities(measured: &Measured) -> Result<Figure, FigureError> {
    let at_one: Vec<&Similarity> = measured
        .similarities
        .iter()
        .filter(|similarity| similarity.size == RECOMMENDED)
        .collect();
    let panel = |title: &str, of: fn(&Similarity) -> &[f64]| ViolinPanel {
        title: title.to_owned(),
        label: "cosine".to_owned(),
        violins: at_one
            .iter()
            .map(|similarity| Violin {
                values: of(similarity).to_vec(),
            })
            .collect(),
    };
    let violins = Violins {
        names: at_one
            .iter()
            .map(|similarity| similarity.benchmark.clone())
            .collect(),
        panels: vec![
            panel("Gradients", |similarity| &similarity.gradient),
            panel("Directions of the global phase", |similarity| {
                &similarity.direction
            }),
            panel("Probabilities of the local phase", |similarity| {
                &similarity.probability
            }),
        ],
    };
    let caption = "RQ3. Cosine similarity of what is estimated with h = 1 and what is real, person by person. The wider, \
                   the more people. Dot: mean. Line: median.";
    Figure::new("rq3-violins", caption.to_owned(), &violins)
}

/// RQ3: times.
pub(super) fn timings(measured: &Measured) -> Result<Figure, FigureError> {
    let timings = &measured.timings;
    let mut names: Vec<String> = timings
        .iter()
        .map(|timing| timing.benchmark.clone())
        .collect();
    names.dedup();
    let panels = [
        panel_of_times(timings, &names, "Gradients, one person a call", |timing| {
            timing.one_by_one
        }),
        panel_of_times(
            timings,
            &names,
            "Directions of the global phase",
            |timing| timing.directions,
        ),
        panel_of_times(
            timings,
            &names,
            "Probabilities of the local phase",
            |timing| timing.probabilities,
        ),
    ];
    let lines = Lines {
        names,
        panels: panels.into(),
    };
    let caption =
        "RQ3. Milliseconds for all people, one person after another. The scales are logarithmic.";
    Figure::new("rq3-milliseconds", caption.to_owned(), &lines)
}

fn panel_of_times(
    timings: &[Timing],
    names: &[String],
    title: &str,
    of: fn(&Timing) -> f64,
) -> LinePanel {
    let mut methods: Vec<&'static str> = timings.iter().map(|timing| timing.method).collect();
    methods.sort_by_key(|title| place_of_title(title));
    methods.dedup();
    let time = |method: &str, name: &String| {
        let mut timings = timings.iter();
        let own = timings.find(|timing| timing.method == method && timing.benchmark == *name);
        own.map(|timing| [of(timing) * 1000.0; 3])
    };
    let lines = methods.into_iter().map(|method| Line {
        name: method,
        place: place_of_title(method),
        points: names.iter().map(|name| time(method, name)).collect(),
    });
    LinePanel {
        title: title.to_owned(),
        label: "milliseconds".to_owned(),
        lines: lines.collect(),
    }
}

/// RQ3: gradients on two principal components.
pub(super) fn projections(measured: &Measured) -> Result<Figure, FigureError> {
    let panels = measured.projections.iter().map(|projection| {
        let label = |place: usize| {
            let share = 100.0 * projection.shares[place];
            format!("component {} ({share:.0} %)", place + 1)
        };
        ScatterPanel {
            title: projection.model.clone(),
            labels: [label(0), label(1)],
            clouds: projection
                .clouds
                .iter()
                .map(|(title, points)| Cloud {
                    name: title,
                    place: place_of_title(title),
                    points: points
                        .iter()
                        .step_by(points.len().div_ceil(POINTS).max(1))
                        .copied()
                        .collect(),
                })
                .collect(),
        }
    });
    let scatter = Scatter {
        panels: panels.collect(),
    };
    let caption = "RQ3. The gradients of each model's people on the two principal components of all of them. In \
                   brackets: the share of the variance.";
    Figure::new("rq3-pca", caption.to_owned(), &scatter)
}
