//! A benchmark of the study: what it is tested on, and by what it is recognised.

use std::sync::Arc;

use crate::benchmark::Benchmark;
use crate::dataset::Dataset;
use crate::fingerprint::Fingerprint;
use crate::fit;
use crate::gate::{self, GateError, Options};
use crate::model::{OpenModel, canonical};
use crate::plan::BenchmarkPlan;

use super::contender::Contender;
use super::plan::Subject;
use super::results::About;

/// A benchmark that can be run.
pub(crate) struct Prepared {
    /// Its part of the spec.
    pub plan: BenchmarkPlan,
    /// Its people.
    pub dataset: Arc<Dataset>,
    /// The benchmark as the spec has it.
    pub benchmark: Benchmark,
    /// A number for everything that what is found depends on, apart from method, budget and seed.
    pub fingerprint: String,
}

impl Prepared {
    /// Opens the model once, to learn what it is.
    ///
    /// # Errors
    /// The model cannot be used, or does not fit the dataset.
    pub(crate) fn new(
        plan: &BenchmarkPlan,
        dataset: Arc<Dataset>,
        options: &Options,
    ) -> Result<Self, GateError> {
        let model = gate::open_model(plan, &dataset, options)?;
        let benchmark = fit::benchmark(plan, &dataset, &model)?;
        let fingerprint = fingerprint(plan, &benchmark, &model)?;
        Ok(Prepared {
            plan: plan.clone(),
            dataset,
            benchmark,
            fingerprint,
        })
    }

    /// Opens the model for the runs of a contender: with its gradients, if it needs them.
    ///
    /// # Errors
    /// As [`Prepared::new`], and where the contender cannot search this benchmark.
    pub(crate) fn open(
        &self,
        contender: Option<Contender>,
        options: &Options,
    ) -> Result<OpenModel, GateError> {
        let Some(contender) = contender.filter(|contender| contender.needs_gradients()) else {
            return gate::open_model(&self.plan, &self.dataset, options);
        };
        let mut plan = self.plan.clone();
        let search = &mut plan.benchmark.search;
        *search = contender.settings(*search, search.perturbation_size);
        let model = gate::open_model(&plan, &self.dataset, options)?;
        // What does not fit is told here, before any run.
        fit::benchmark(&plan, &self.dataset, &model)?;
        Ok(model)
    }

    /// What the report says of it.
    pub(crate) fn about(&self) -> About {
        let schema = self.benchmark.space.schema();
        About {
            name: self.plan.name().to_owned(),
            model: self.plan.model.name.value.clone(),
            protected: self
                .plan
                .protected()
                .into_iter()
                .map(str::to_owned)
                .collect(),
            combinations: self.benchmark.space.combinations().len(),
            attributes: schema.width(),
            people: self.benchmark.people.len() / schema.width().max(1),
        }
    }

    /// What the plan of the study has to know.
    pub(crate) fn subject(&self) -> Subject<'_> {
        Subject {
            name: self.plan.name(),
            seed: self.benchmark.seed,
            size: self.benchmark.search.perturbation_size,
            fingerprint: &self.fingerprint,
        }
    }
}

/// Letters of a fingerprint: enough that no two are the same.
const SHOWN: usize = 16;

/// What is searched and how it answers: a model that was trained anew, people that were added or a domain
/// that was widened give another number. The scores stand for whatever lies outside the model's file;
/// on the grid they are the same in every runtime, which is named by itself because it decides how
/// long a run takes.
fn fingerprint(
    plan: &BenchmarkPlan,
    benchmark: &Benchmark,
    model: &OpenModel,
) -> Result<String, GateError> {
    let mut all = Vec::new();
    all.extend(env!("CARGO_PKG_VERSION").as_bytes());
    let file = Fingerprint::of_file(&plan.model.path.value);
    // A file that cannot be read could not have been opened: its scores are there in any case.
    all.extend(file.map(|file| file.sha256).unwrap_or_default());
    let words = format!(
        "{} on {}; {:?}",
        model.runtime,
        model.device,
        (
            &benchmark.space,
            &benchmark.rule,
            &benchmark.realistic,
            &benchmark.search
        )
    );
    all.extend(words.as_bytes());
    all.extend(benchmark.people.iter().flat_map(|code| code.to_le_bytes()));
    let scores = benchmark.scores(model.model.as_ref());
    let scores = scores.map_err(|error| fit::model_error(plan, error))?;
    all.extend(
        scores
            .into_iter()
            .flat_map(|score| canonical(score).to_le_bytes()),
    );
    Ok(Fingerprint::of(&all).hexadecimal()[..SHOWN].to_owned())
}
