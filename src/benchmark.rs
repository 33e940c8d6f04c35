//! One benchmark, ready to run: everything but the model.

mod favourable;
mod run;

use std::borrow::Cow;
use std::time::Instant;

use crate::afterwards::Afterwards;
use crate::decision::Rule;
use crate::findings::Findings;
use crate::model::crew::Crew;
use crate::model::meter::{Asking, BATCH_ROWS, Cut, Halt, Meter};
use crate::model::{Device, Model, ModelError};
use crate::rates::{self, Domain, GroupMetrics, Keep, Rates, Share, Wanted};
use crate::result::{BenchmarkResult, Counts, Global, Replay};
use crate::schema::{Code, Schema, Space, SpaceError};
use crate::search::random::{Purpose, stream};
use crate::search::sides::Sides;
use crate::search::tested::Tested;
use crate::search::{self, Estimate, Lockstep, Task, Walked};
use crate::spec::{Budget, DEFAULT_CONFIDENCE, DEFAULT_SEED, Limits, Realistic, SearchSettings};
use crate::verdict::{Evidence, decide, words_of_estimate};
pub use run::{Pair, Run};

/// Rows that a model may look at before the search, to learn how noisy its scores are.
const CALIBRATION: usize = 1024;

/// As many pairs as a snapshot keeps, to be shown to the model before the search.
pub(crate) const REPLAYED: usize = 10;

/// One test case: a space, people to start from, a budget and limits.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Benchmark {
    /// Its name: part of every random stream.
    pub name: String,
    /// The attributes, and which are protected.
    pub space: Space,
    /// The codes of the dataset's people, one row after another.
    pub people: Vec<Code>,
    /// How scores are decisions: above 0.5 or not, unless told otherwise.
    pub rule: Rule,
    /// Whether scores must lie between 0 and 1.
    pub probabilities: bool,
    /// The names of the decisions.
    pub decisions: Vec<String>,
    /// The decision that people hope for, if that is known.
    pub favourable: Option<String>,
    /// For each of the people whether the label is the favourable one, where that is known; empty where
    /// there are no labels.
    pub outcomes: Vec<Option<bool>>,
    /// The random seed.
    pub seed: u64,
    /// What is allowed.
    pub limits: Limits,
    /// How much is spent.
    pub budget: Budget,
    /// How the search goes.
    pub search: SearchSettings,
    /// The confidence of the domain rate's interval.
    pub confidence: f64,
    /// How far from real people the search may go; anywhere in the domain if nothing is said.
    pub realistic: Option<Realistic>,
    /// Remarks for the report.
    pub notes: Vec<String>,
    /// The remark among them that says what was mined from the dataset: it decides who is tested.
    pub(crate) mined: Option<String>,
}

/// Why a benchmark cannot be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BenchmarkError {
    /// A protected attribute is not in the schema.
    #[error("there is no attribute `{0}` to protect")]
    UnknownProtected(String),
    /// The rows of people do not fit the schema.
    #[error("the people's codes do not fit the schema: {0}")]
    BadPeople(String),
    /// The schema cannot be searched.
    #[error(transparent)]
    Space(#[from] SpaceError),
}

impl Benchmark {
    /// A benchmark with the default limits, budget and search.
    ///
    /// `people` holds the codes of the people to start from, one row after another.
    ///
    /// # Errors
    /// See [`BenchmarkError`].
    pub fn new(
        name: impl Into<String>,
        schema: Schema,
        protected: &[&str],
        people: Vec<Code>,
    ) -> Result<Self, BenchmarkError> {
        let position = |name: &&str| {
            schema
                .position(name)
                .ok_or_else(|| BenchmarkError::UnknownProtected((*name).to_owned()))
        };
        let protected: Vec<usize> = protected.iter().map(position).collect::<Result<_, _>>()?;
        Self::in_space(name, Space::new(schema, &protected)?, people)
    }

    /// A benchmark in a space that says more than which attributes are protected.
    ///
    /// # Errors
    /// The people do not fit the space.
    pub fn in_space(
        name: impl Into<String>,
        space: Space,
        people: Vec<Code>,
    ) -> Result<Self, BenchmarkError> {
        check_people(space.schema(), &people)?;
        Ok(Benchmark {
            name: name.into(),
            space,
            people,
            rule: Rule::default(),
            probabilities: true,
            decisions: vec!["0".into(), "1".into()],
            favourable: None,
            outcomes: Vec::new(),
            seed: DEFAULT_SEED,
            limits: Limits::default(),
            budget: Budget::default(),
            search: SearchSettings::default(),
            confidence: DEFAULT_CONFIDENCE,
            realistic: None,
            notes: Vec::new(),
            mined: None,
        })
    }

    /// Runs the benchmark on a model.
    ///
    /// # Errors
    /// The model failed. A failing verdict is not an error.
    pub fn run(&self, model: &dyn Model, run: &Run<'_>) -> Result<BenchmarkResult, ModelError> {
        at_home(model, run, &|crew| self.run_with(crew, model, run))
    }

    /// The search alone: no rates, no recorded pairs, no verdict.
    ///
    /// # Errors
    /// The model failed.
    pub(crate) fn search(&self, model: &dyn Model, run: &Run<'_>) -> Result<Searched, ModelError> {
        at_home(model, run, &|crew| self.search_with(crew, model, run))
    }

    fn search_with(
        &self,
        crew: Crew,
        model: &dyn Model,
        run: &Run<'_>,
    ) -> Result<Searched, ModelError> {
        let starts = self.starts();
        let mut meter = self.meter(crew, model, run, &starts)?;
        meter.allow(self.budget.max_queries, self.budget.time_limit);
        let task = self.task(&starts);
        let started = Instant::now();
        let mut search = Lockstep::new(&task, &mut meter, run.progress);
        let walked = search::run(&mut search, &task)?;
        let (iterations, tested) = search.end();
        Ok(Searched {
            counterexamples: tested.found().len() as u64,
            tested: tested.tested(),
            iterations,
            queries: meter.queries(),
            seeds: walked.seeds,
            global_found: walked.global_found,
            cut: walked.cut,
            seconds: started.elapsed().as_secs_f64(),
            model_seconds: meter.model_time().as_secs_f64(),
        })
    }

    /// A meter whose model has seen some of the rows to come.
    fn meter<'m>(
        &self,
        crew: Crew,
        model: &'m dyn Model,
        run: &Run<'m>,
        starts: &[Code],
    ) -> Result<Meter<'m>, ModelError> {
        let width = self.space.schema().width();
        let meter = Meter::new(model, width, self.asking(run.batch_rows))
            .with_crew(crew)
            .with_interrupt(run.interrupted);
        meter.calibrate(&self.calibration_rows(starts))?;
        Ok(meter)
    }

    fn run_with(
        &self,
        crew: Crew,
        model: &dyn Model,
        run: &Run<'_>,
    ) -> Result<BenchmarkResult, ModelError> {
        let started = Instant::now();
        let starts = self.starts();
        let mut meter = self.meter(crew, model, run, &starts)?;
        let replay = self.replay(run.recorded, &mut meter)?;
        let task = self.task(&starts);
        let mut search = Lockstep::new(&task, &mut meter, run.progress);
        let mut measured = self.measure(&mut search, &task, run.exhaustive.as_ref())?;
        let (iterations, tested) = search.end();
        let (queries, in_model) = (meter.queries(), meter.model_time());
        let verdict_known = Instant::now();
        let findings = Findings::new(self.space.clone(), tested);
        let afterwards = self.afterwards(&findings, measured.cut, queries);
        let seen = afterwards.look(&mut meter)?;
        if seen.cut == Some(Cut::Interrupted) {
            measured.cut = seen.cut;
        }
        let counts = Counts {
            iterations,
            queries,
            calls: meter.calls(),
            batch_rows: meter.batch_rows(),
            afterwards: meter.queries() - queries,
            settled: meter.settled(),
            model_seconds: meter.model_time().as_secs_f64(),
            afterwards_seconds: verdict_known.elapsed().as_secs_f64(),
            afterwards_model_seconds: (meter.model_time() - in_model).as_secs_f64(),
        };
        let mut result = self.result(findings, measured, counts, replay);
        result.pairs = seen.pairs;
        result.pairs_cut = seen.cut;
        result.insight = seen.insight;
        result.seconds = started.elapsed().as_secs_f64();
        Ok(result)
    }

    fn afterwards<'a>(
        &'a self,
        findings: &'a Findings,
        cut: Option<Cut>,
        queries: u64,
    ) -> Afterwards<'a> {
        Afterwards {
            findings,
            people: &self.people,
            rule: &self.rule,
            realistic: self.realistic,
            budget: &self.budget,
            queries,
            cut,
            pairs: REPLAYED,
            favourable: self.favourable_decision(),
            seed: self.seed,
            benchmark: &self.name,
        }
    }

    /// The model's scores of all people.
    pub(crate) fn scores(&self, model: &dyn Model) -> Result<Vec<f32>, ModelError> {
        let width = self.space.schema().width();
        let mut rows = Vec::with_capacity(self.people.len());
        for person in self.people.chunks_exact(width) {
            self.space.push_row(person, &mut rows);
        }
        let mut meter = Meter::new(model, width, self.asking(BATCH_ROWS));
        meter.ask_rows(&rows).map_err(|halt| match halt {
            Halt::Model(error) => error,
            Halt::Cut(_) => ModelError::Answer {
                message: "the model was not asked".into(),
                help: None,
            },
        })
    }

    /// Shows the model the first person, to learn before a run whether it answers with a score.
    ///
    /// # Errors
    /// It does not.
    pub(crate) fn try_out(&self, model: &dyn Model) -> Result<(), ModelError> {
        let width = self.space.schema().width();
        let mut row = Vec::with_capacity(width);
        if let Some(person) = self.starts().chunks_exact(width).next() {
            self.space.push_row(person, &mut row);
        }
        let mut meter = Meter::new(model, width, self.asking(BATCH_ROWS));
        match meter.ask_rows(&row) {
            Err(Halt::Model(error)) => Err(error),
            Ok(_) | Err(Halt::Cut(_)) => Ok(()),
        }
    }

    /// The memory that everyone whom the search may test would take, in bytes.
    pub fn memory_at_most(&self) -> u64 {
        let budget = &self.budget;
        let real = self.people.len() / self.space.schema().width();
        // Whoever draws people has as many as are wanted.
        let people = match real == 0 || self.search.method.draws_people() {
            true => usize::MAX,
            false => real,
        };
        let seeds = budget.global_seeds.min(people) as u64;
        let steps = seeds.saturating_mul(budget.local_steps as u64);
        let queries = budget.max_queries.unwrap_or(u64::MAX);
        let everyone = self.space.schema().people().min(1e18) as u64;
        let tested = steps.min(queries).min(everyone);
        tested.saturating_mul(Tested::bytes_each(&self.space) as u64)
    }

    fn asking(&self, batch_rows: usize) -> Asking {
        Asking {
            batch_rows,
            probabilities: self.probabilities,
            ..Asking::default()
        }
    }

    /// The people that seeds are drawn from: the dataset's who can exist, or, where there is no
    /// dataset, people drawn from the declared domain. They must be able to exist with the protected
    /// values that stand for their group, too: with those the search tests them.
    fn starts(&self) -> Cow<'_, [Code]> {
        let width = self.space.schema().width();
        if !self.people.is_empty() {
            if !self.space.is_constrained() {
                return Cow::Borrowed(&self.people);
            }
            let people = self.people.chunks_exact(width);
            let possible = people.filter(|person| self.can_be_tested(person));
            return possible.flatten().copied().collect();
        }
        let mut drawn = Vec::new();
        let mut stream = stream(self.seed, &self.name, Purpose::Seeds, 1);
        for _ in 0..self.budget.global_seeds {
            let person = self.space.draw(&mut stream);
            drawn.extend(
                person
                    .filter(|person| self.can_be_tested(person))
                    .unwrap_or_default(),
            );
        }
        Cow::Owned(drawn)
    }

    fn can_be_tested(&self, person: &[Code]) -> bool {
        let mut tested = person.to_vec();
        let combination = self.space.combination_of(person);
        self.space.set_combination(&mut tested, combination);
        self.space.can_exist(person) && self.space.can_exist(&tested)
    }

    fn task<'a>(&'a self, people: &'a [Code]) -> Task<'a> {
        Task {
            space: &self.space,
            people,
            rule: &self.rule,
            benchmark: &self.name,
            seed: self.seed,
            settings: &self.search,
            budget: &self.budget,
            realistic: self.realistic,
            confidence: self.confidence,
        }
    }

    fn calibration_rows(&self, starts: &[Code]) -> Vec<f32> {
        let width = self.space.schema().width();
        let people = starts.len() / width;
        let stride = people.div_ceil(CALIBRATION).max(1);
        let mut rows = Vec::new();
        for person in starts.chunks_exact(width).step_by(stride) {
            self.space.push_row(person, &mut rows);
        }
        rows
    }

    /// Shows recorded pairs to the model: which are still counterexamples?
    fn replay(&self, pairs: &[Pair], meter: &mut Meter<'_>) -> Result<Replay, ModelError> {
        let mut rows = Vec::new();
        for pair in pairs {
            self.space.push_row(&pair.person, &mut rows);
            self.space.push_row(&pair.counterpart, &mut rows);
        }
        let most = self.budget.max_queries.map(kept_for_replay);
        if rows.is_empty() || most.is_some_and(|most| 2 * pairs.len() as u64 > most) {
            return Ok(Replay::default());
        }
        let scores = match meter.ask_rows(&rows) {
            Ok(scores) => scores,
            Err(Halt::Cut(_)) => return Ok(Replay::default()),
            Err(Halt::Model(error)) => return Err(error),
        };
        let sides = Sides::new(&self.rule);
        let differs: Vec<bool> = scores
            .chunks_exact(2)
            .map(|pair| sides.differ(pair[0], pair[1]))
            .collect();
        Ok(Replay::of(differs))
    }

    /// The dataset's and the domain's rates first, with at most half of the budget, so that all
    /// three rates are there however the search ends; then the search; then everyone in the domain, if
    /// that is asked for.
    fn measure(
        &self,
        search: &mut Lockstep<'_, '_>,
        task: &Task<'_>,
        exhaustive: Option<&Keep<'_>>,
    ) -> Result<Measured, ModelError> {
        let budget = &self.budget;
        let replayed = search.meter.queries();
        let most = budget
            .max_queries
            .map(|most| most - kept_for_replay(most) + replayed);
        let half = most.map(|most| replayed + (most - replayed) / 2);
        search
            .meter
            .allow(half, budget.time_limit.map(|limit| limit / 2));
        let question = self.question();
        let dataset = rates::dataset(search, &self.people, question.as_ref())?;
        let wanted = Wanted {
            budget,
            confidence: self.confidence,
            limit: self.limits.domain,
        };
        let mut domain = rates::domain(search, &wanted)?;
        search.meter.allow(most, budget.time_limit);
        let walked = match [dataset.cut, domain.cut].contains(&Some(Cut::Interrupted)) {
            // Drawing seeds asks nothing and can take long: a run that was ended does not begin it.
            true => Walked::interrupted(),
            false => search::run(search, task)?,
        };
        let found = search.tested.found().len() as u64;
        search.curve.add(search.meter.queries(), found);
        if let Some(keep) = exhaustive
            && !domain.rate.exact
        {
            search.meter.allow(None, budget.time_limit);
            rates::everyone_in(search, &mut domain, self.confidence, keep)?;
        }
        let cut = what_ended([walked.cut, dataset.cut, ended(&domain)], budget);
        let of = search.tested.tested();
        Ok(Measured {
            rates: Rates {
                search: Share {
                    discriminated: found,
                    of,
                },
                dataset: dataset.share,
                domain: domain.rate,
            },
            groups: dataset.groups,
            seeds: walked.seeds,
            global_found: walked.global_found,
            progress: std::mem::take(&mut search.curve).thinned(),
            cut,
            estimate: walked.estimate,
            domain,
        })
    }

    /// The names of the decisions; plain ones where there are not as many as decisions.
    pub(crate) fn decision_names(&self) -> Vec<String> {
        match self.decisions.len() == self.rule.decisions() {
            true => self.decisions.clone(),
            false => self.rule.default_names(),
        }
    }

    fn result(
        &self,
        findings: Findings,
        measured: Measured,
        counts: Counts,
        replay: Replay,
    ) -> BenchmarkResult {
        let counterexamples = measured.rates.search.discriminated;
        let (verdict, reason) = decide(
            &Evidence {
                rates: &measured.rates,
                counterexamples,
                queries: counts.queries,
                cut: measured.cut,
                unfinished: measured.domain.unfinished,
                groups: measured.groups.as_ref(),
                space: &self.space,
            },
            &self.limits,
        );
        let method = self.search.method;
        let estimate = measured
            .estimate
            .map(|e| words_of_estimate(&e, self.confidence, &self.search));
        BenchmarkResult {
            name: self.name.clone(),
            verdict,
            reason,
            method,
            variant: method.has_variants().then_some(self.search.variant),
            seed: self.seed,
            runtime: "own model".into(),
            device: Device::Cpu,
            notes: self.notes.iter().cloned().chain(estimate).collect(),
            counterexamples,
            people: findings.people(),
            tested: measured.rates.search.of,
            counts,
            rates: measured.rates,
            global: Global {
                seeds: measured.seeds,
                found: measured.global_found,
            },
            progress: measured.progress,
            cut: measured.cut,
            replay,
            rule: self.rule.clone(),
            decisions: self.decision_names(),
            favourable: self.favourable.clone(),
            groups: measured.groups,
            domain_pairs: measured.domain.pairs,
            unfinished: measured.domain.unfinished,
            pairs: Vec::new(),
            pairs_cut: None,
            insight: None,
            findings,
            seconds: 0.0,
        }
    }
}

fn check_people(schema: &Schema, people: &[Code]) -> Result<(), BenchmarkError> {
    let width = schema.width();
    if width == 0 || !people.len().is_multiple_of(width) {
        return Err(BenchmarkError::BadPeople(format!(
            "{} codes are not whole rows of {width} attributes",
            people.len()
        )));
    }
    for (row, person) in people.chunks_exact(width).enumerate() {
        for (attribute, &code) in schema.attributes().iter().zip(person) {
            if u64::from(code) >= attribute.domain.size() {
                return Err(BenchmarkError::BadPeople(format!(
                    "row {row} has code {code} for `{}`, which has {} values",
                    attribute.name,
                    attribute.domain.size()
                )));
            }
        }
    }
    Ok(())
}

/// What ended the work early, in the words of the spec. That somebody ended the run explains every
/// other cut.
fn what_ended(cuts: [Option<Cut>; 3], budget: &Budget) -> Option<Cut> {
    if cuts.contains(&Some(Cut::Interrupted)) {
        return Some(Cut::Interrupted);
    }
    let first = cuts.into_iter().flatten().next();
    first.map(|cut| match cut {
        Cut::MaxQueries(_) => Cut::MaxQueries(budget.max_queries.unwrap_or_default()),
        Cut::TimeLimit(_) => Cut::TimeLimit(budget.time_limit.unwrap_or_default()),
        Cut::Interrupted => Cut::Interrupted,
    })
}

/// What ended the work on the domain, if it has to be told: that somebody ended the run, or that there
/// is not as much as the spec wants. That not everyone was looked at is told elsewhere.
fn ended(domain: &Domain) -> Option<Cut> {
    let everyone = domain.unfinished.map(|walk| walk.cut);
    let interrupted = everyone.filter(|cut| *cut == Cut::Interrupted);
    interrupted.or(domain.cut)
}

/// The part of `max-queries` that recorded pairs may take. It is kept back whether or not there are
/// any: what the search may spend, and so what it finds, must not depend on the snapshot.
fn kept_for_replay(max_queries: u64) -> u64 {
    (2 * REPLAYED as u64).min(max_queries / 2)
}

/// Does work where the model answers soonest, with the workers that there are.
fn at_home<T: Send>(
    model: &dyn Model,
    run: &Run<'_>,
    work: &(dyn Fn(Crew) -> Result<T, ModelError> + Sync),
) -> Result<T, ModelError> {
    let mut result = None;
    let mut at_work = || {
        model.at_home(&mut || {
            result = Some(match run.workers {
                Some(_) => Crew::gather(work),
                None => work(Crew::alone()),
            });
        });
    };
    match run.workers {
        Some(workers) => workers.install(at_work),
        None => at_work(),
    }
    result.unwrap_or_else(|| {
        Err(ModelError::Answer {
            message: "the model did not let the benchmark run".into(),
            help: None,
        })
    })
}

/// What a search by itself did.
#[derive(Debug, Clone)]
pub(crate) struct Searched {
    /// Distinct counterexamples.
    pub counterexamples: u64,
    /// Distinct people tested.
    pub tested: u64,
    /// Steps of single seeds and chains.
    pub iterations: u64,
    /// Rows shown to the model.
    pub queries: u64,
    /// Seeds of the global phase.
    pub seeds: usize,
    /// Distinct people that the global phase found.
    pub global_found: usize,
    /// What ended the search early, if anything did.
    pub cut: Option<Cut>,
    /// How long it took.
    pub seconds: f64,
    /// How long the model took, added up over the workers.
    pub model_seconds: f64,
}

struct Measured {
    rates: Rates,
    groups: Option<GroupMetrics>,
    seeds: usize,
    global_found: usize,
    progress: Vec<[u64; 2]>,
    cut: Option<Cut>,
    estimate: Option<Estimate>,
    domain: Domain,
}
