//! How near estimated gradients are to real ones (RQ3).

mod measure;
mod pca;
mod people;
mod similar;
mod source;

use crate::decision::Rule;
use crate::fit;
use crate::gate::{GateError, Options};
use crate::model::ModelError;

use super::contender::Contender;
use super::prepared::Prepared;
use super::run::LeftOut;

use measure::Subject;
use people::People;
use source::Width;

/// Everything that was measured of gradients.
#[derive(Debug, Clone, Default)]
pub(crate) struct Measured {
    /// One for each benchmark and size.
    pub similarities: Vec<Similarity>,
    /// One for each benchmark and way to take gradients.
    pub timings: Vec<Timing>,
    /// One for each model.
    pub projections: Vec<Projection>,
}

/// How near the estimates with one size are to the real gradients of a benchmark's people.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Similarity {
    /// The benchmark.
    pub benchmark: String,
    /// How far gradients were probed.
    pub size: f64,
    /// The cosine of each person's gradients.
    pub gradient: Vec<f64>,
    /// The cosine of each pair's directions in the global phase.
    pub direction: Vec<f64>,
    /// The cosine of each pair's probabilities in the local phase.
    pub probability: Vec<f64>,
    /// The share of the gradients' numbers whose signs agree.
    pub signs: f64,
}

/// How long the gradients of a benchmark's people took.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Timing {
    /// The benchmark.
    pub benchmark: String,
    /// Whose gradients: the title of a contender.
    pub method: &'static str,
    /// Seconds for the gradients of all people, one person after another.
    pub one_by_one: f64,
    /// Seconds for the gradients of all people, all in one call.
    pub at_once: f64,
    /// Seconds for the directions of the global phase: the gradients of both people of each pair, and
    /// where their signs agree.
    pub directions: f64,
    /// Seconds for the probabilities of the local phase.
    pub probabilities: f64,
}

/// The gradients of a model's people in the plane in which they vary the most.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Projection {
    /// The model.
    pub model: String,
    /// The share of the variance along each axis.
    pub shares: [f64; 2],
    /// A cloud for each way to take gradients: the title of a contender, and its points.
    pub clouds: Vec<(&'static str, Vec<[f64; 2]>)>,
}

/// How gradients are compared.
pub(crate) struct Comparing<'a> {
    /// People of each benchmark at the most.
    pub people: usize,
    /// How models are opened.
    pub options: &'a Options,
    /// Asked all the time whether to stop.
    pub interrupted: &'a dyn Fn() -> bool,
}

/// Compares estimated and real gradients on every benchmark that has them; the others are left out. Nothing
/// where this build has no real ones.
pub(crate) fn measure(
    benchmarks: &[Prepared],
    comparing: &Comparing<'_>,
    left_out: &mut Vec<LeftOut>,
) -> Option<Measured> {
    if !cfg!(feature = "white-box") {
        return None;
    }
    let mut measured = Measured::default();
    for prepared in benchmarks {
        if (comparing.interrupted)() {
            break;
        }
        if let Err(error) = measured.add(prepared, comparing) {
            left_out.push(LeftOut {
                method: "RQ3".into(),
                benchmark: prepared.plan.name().to_owned(),
                why: error.to_string(),
            });
        }
    }
    Some(measured)
}

impl Measured {
    fn add(&mut self, prepared: &Prepared, comparing: &Comparing<'_>) -> Result<(), GateError> {
        let failed = |error: ModelError| fit::model_error(&prepared.plan, error);
        let open = prepared.open(Contender::of_name("eidig"), comparing.options)?;
        let (benchmark, model) = (&prepared.benchmark, open.model.as_ref());
        let (Rule::Threshold(_), Some(real)) = (&benchmark.rule, model.gradients()) else {
            return Err(failed(ModelError::Answer {
                message: "gradients are compared where a score is held against a threshold".into(),
                help: None,
            }));
        };
        let people = People::of(benchmark, model, comparing.people).map_err(failed)?;
        let subject = Subject {
            name: prepared.plan.name(),
            model,
            real,
            people: &people,
            width: Width {
                row: benchmark.space.schema().width(),
                movable: benchmark.space.movable(),
            },
            interrupted: comparing.interrupted,
        };
        self.similarities
            .extend(subject.similarities().map_err(failed)?);
        self.timings.extend(subject.timings().map_err(failed)?);
        let name = &prepared.plan.model.name.value;
        if !self
            .projections
            .iter()
            .any(|projection| projection.model == *name)
        {
            self.projections
                .extend(subject.projection(name).map_err(failed)?);
        }
        Ok(())
    }
}
