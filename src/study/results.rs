//! The runs of a study, seen by question, benchmark, method and size.

use super::contender::Contender;
use super::plan::{Form, Planned, Question};
use super::record::{Finished, Outcome, Record};
use super::stats::mean;

/// What is measured in a run. More is better in all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Metric {
    /// Distinct counterexamples.
    Count,
    /// Counterexamples a second.
    PerSecond,
    /// Counterexamples for a thousand queries.
    PerQuery,
    /// Counterexamples among the people tested.
    Success,
}

impl Metric {
    /// The number of a run; none where it is not defined.
    pub(crate) fn of(self, outcome: &Outcome) -> f64 {
        let found = outcome.counterexamples as f64;
        let share = |of: f64| if of > 0.0 { found / of } else { 0.0 };
        match self {
            Metric::Count => found,
            Metric::PerSecond => share(outcome.seconds),
            Metric::PerQuery => share(outcome.queries as f64 / 1000.0),
            Metric::Success => share(outcome.tested as f64),
        }
    }
}

/// What is known of a benchmark.
#[derive(Debug, Clone)]
pub(crate) struct About {
    /// Its name.
    pub name: String,
    /// The name of its model.
    pub model: String,
    /// The names of its protected attributes.
    pub protected: Vec<String>,
    /// How many combinations of protected values people are tested with.
    pub combinations: usize,
    /// How many attributes people have.
    pub attributes: usize,
    /// How many people the dataset has.
    pub people: usize,
}

/// The ended runs of a plan.
pub(crate) struct Results<'a> {
    /// The benchmarks.
    pub benchmarks: &'a [About],
    /// Who took part, in the order of figures.
    pub contenders: &'a [Contender],
    /// How large the study is.
    pub form: &'a Form,
    runs: Vec<&'a Finished>,
    /// How many runs were planned.
    pub planned: usize,
}

/// Which runs are looked at.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Which<'a> {
    /// Of this question.
    pub question: Question,
    /// Of this benchmark; of all if nothing is said.
    pub benchmark: Option<&'a str>,
    /// Of this method.
    pub method: &'a str,
    /// With this size; with any if nothing is said.
    pub size: Option<f64>,
}

impl<'a> Results<'a> {
    /// Whatever the record has of the plan.
    pub(crate) fn new(
        benchmarks: &'a [About],
        contenders: &'a [Contender],
        form: &'a Form,
        planned: &[Planned],
        record: &'a Record,
    ) -> Self {
        Results {
            benchmarks,
            contenders,
            form,
            runs: planned
                .iter()
                .filter_map(|run| record.get(&run.key))
                .collect(),
            planned: planned.len(),
        }
    }

    /// The same, of some of the benchmarks.
    pub(crate) fn of<'b>(&self, benchmarks: &'b [About]) -> Results<'b>
    where
        'a: 'b,
    {
        let runs = self.runs.iter().copied();
        let kept = |run: &&Finished| {
            benchmarks
                .iter()
                .any(|about| about.name == run.key.benchmark)
        };
        Results {
            benchmarks,
            contenders: self.contenders,
            form: self.form,
            runs: runs.filter(kept).collect(),
            planned: self.planned,
        }
    }

    /// How many runs there are.
    pub(crate) fn len(&self) -> usize {
        self.runs.len()
    }

    /// Whether there is any run of a question.
    pub(crate) fn has(&self, question: Question) -> bool {
        self.runs
            .iter()
            .any(|run| run.key.question == question as u8)
    }

    /// The runs that are looked at, in the order of the plan.
    pub(crate) fn runs(&self, which: Which<'_>) -> impl Iterator<Item = &'a Finished> {
        self.runs.iter().copied().filter(move |run| {
            let key = &run.key;
            key.question == which.question as u8
                && which.benchmark.is_none_or(|name| key.benchmark == name)
                && key.method == which.method
                && which.size.is_none_or(|size| key.perturbation_size == size)
        })
    }

    /// What was measured in them.
    pub(crate) fn values(&self, which: Which<'_>, metric: Metric) -> Vec<f64> {
        self.runs(which)
            .map(|run| metric.of(&run.outcome))
            .collect()
    }

    /// The mean over rounds for each benchmark; nothing where there are no runs.
    pub(crate) fn means(&self, which: Which<'_>, metric: Metric) -> Vec<Option<f64>> {
        let of = |about: &About| {
            let which = Which {
                benchmark: Some(&about.name),
                ..which
            };
            mean(&self.values(which, metric))
        };
        self.benchmarks.iter().map(of).collect()
    }

    /// The means over rounds of two lots of runs, for the benchmarks that have both.
    pub(crate) fn pairs(&self, one: Which<'_>, other: Which<'_>, metric: Metric) -> [Vec<f64>; 2] {
        let both = self
            .means(one, metric)
            .into_iter()
            .zip(self.means(other, metric));
        let both = both.filter_map(|(one, other)| Some((one?, other?)));
        let (one, other) = both.unzip();
        [one, other]
    }

    /// Whether the cap ended any of these runs.
    pub(crate) fn is_capped(&self, which: Which<'_>) -> bool {
        self.runs(which).any(|run| run.outcome.capped)
    }
}

impl<'a> Which<'a> {
    /// The runs of a method in a question, on all benchmarks.
    pub(crate) fn method(question: Question, method: &'a str) -> Self {
        Which {
            question,
            benchmark: None,
            method,
            size: None,
        }
    }

    /// The same, on one benchmark.
    pub(crate) fn on(self, benchmark: &'a str) -> Self {
        Which {
            benchmark: Some(benchmark),
            ..self
        }
    }

    /// The same, with one size.
    pub(crate) fn with(self, size: f64) -> Self {
        Which {
            size: Some(size),
            ..self
        }
    }
}
