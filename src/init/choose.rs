//! Choosing among the ways to give people to a model, by how well its decisions go with the label.

use crate::decision::Rule;
use crate::gate::{GateError, Options};
use crate::plan::{BenchmarkPlan, Filter, plan};
use crate::spec::Spec;

use super::answers::{self, Agreement, Answers, Tried};
use super::draft::{Draft, Proposed};
use super::layout::{Fit, Scaling};
use super::table::Field;
use super::write;

/// A more complicated way must agree with the label by so much more.
pub(super) const CLEARLY: f64 = 0.03;

/// A way that was tried.
pub(super) struct Candidate {
    pub(super) fit: Fit,
    pub(super) tried: Result<Tried, GateError>,
    pub(super) agreement: Option<Agreement>,
    /// How it differs from the first one, in words.
    pub(super) called: String,
}

impl Candidate {
    fn worth(&self) -> f64 {
        let refused = if self.tried.is_ok() { 0.0 } else { -1.0 };
        self.agreement
            .map_or(refused, |agreement| agreement.worth())
    }
}

/// What a trial needs besides the way itself.
pub(super) struct Trials<'a> {
    pub(super) draft: Draft<'a>,
    pub(super) outputs: Vec<String>,
    pub(super) path: &'a std::path::Path,
    pub(super) options: &'a Options,
    /// Whether the label was said, not guessed.
    pub(super) label_is_said: bool,
}

/// Tries every way and its variants. The first of them is the simplest.
pub(super) fn candidates(trials: &Trials<'_>, fits: &[Fit]) -> Vec<Candidate> {
    let mut candidates = Vec::new();
    for (number, fit) in fits.iter().enumerate() {
        for (order, fit) in orders(fit) {
            for scaling in scalings(&fit) {
                let called = called(number, order, scaling);
                let fit = Fit {
                    scaling,
                    ..fit.clone()
                };
                candidates.push(trials.candidate(fit, called));
            }
        }
    }
    candidates
}

/// The one to take: the first, unless another agrees with the label clearly better.
pub(super) fn best(candidates: &[Candidate]) -> Option<usize> {
    let mut best = 0;
    for (place, candidate) in candidates.iter().enumerate() {
        let margin = if best == 0 { CLEARLY } else { 0.0 };
        if candidate.worth() > candidates[best].worth() + margin {
            best = place;
        }
    }
    (!candidates.is_empty()).then_some(best)
}

fn called(fit: usize, order: &str, scaling: Scaling) -> String {
    let scaling = match scaling {
        Scaling::None => "as they are",
        Scaling::Standard => "less the mean, over the standard deviation",
        Scaling::Range => "from 0 to 1",
    };
    let words = if fit == 0 {
        ""
    } else {
        "words given in another way, "
    };
    format!("{words}{order}{scaling}")
}

fn scalings(fit: &Fit) -> Vec<Scaling> {
    match fit.scalable.is_empty() {
        true => vec![Scaling::None],
        false => vec![Scaling::None, Scaling::Standard, Scaling::Range],
    }
}

/// The columns in the order of the CSV and, where words are one-hot, as tools put them: numbers
/// first (pandas), or words first (scikit-learn with a remainder).
fn orders(fit: &Fit) -> Vec<(&'static str, Fit)> {
    let mut orders = vec![("", fit.clone())];
    let is_one_hot = |position: usize| fit.one_hot.iter().any(|(p, _)| *p == position);
    let Some(columns) = &fit.columns else {
        return orders;
    };
    let parts = |first: bool| {
        columns
            .iter()
            .copied()
            .filter(move |&p| is_one_hot(p) == first)
    };
    let numbers_first: Vec<usize> = parts(false).chain(parts(true)).collect();
    let words_first: Vec<usize> = parts(true).chain(parts(false)).collect();
    for (called, order) in [
        ("numbers before words, ", numbers_first),
        ("words before numbers, ", words_first),
    ] {
        if orders
            .iter()
            .all(|(_, fit)| fit.columns.as_ref() != Some(&order))
        {
            let columns = Some(order);
            orders.push((
                called,
                Fit {
                    columns,
                    ..fit.clone()
                },
            ));
        }
    }
    orders
}

impl Trials<'_> {
    fn candidate(&self, fit: Fit, called: String) -> Candidate {
        let table = self.draft.table;
        let (dataset, people) = table.sample(&fit.read, fit.label);
        let label = fit.label.map(|label| &table.fields[label]);
        let ask = |answers: Answers| {
            let plan = self.plan(&fit, &answers);
            let plan = plan.map_err(|error| GateError::Dataset(error.into()))?;
            answers::ask(&plan, &dataset, self.options, answers)
        };
        let mut tried = answers::learn(label, &self.outputs, ask);
        let mut fit = fit.clone();
        if let Ok(Tried { answers, .. }) = &tried
            && answers.logit
            && !self.label_is_said
            && let Some((number, better)) = self.predicted(&fit, &people, ask)
        {
            fit.ignore.extend(fit.label);
            fit.ignore.retain(|&ignored| ignored != number);
            fit.ignore.sort_unstable();
            fit.label = Some(number);
            tried = Ok(better);
        }
        let label = fit.label.map(|label| &table.fields[label]);
        let agreement = match (&tried, label) {
            (Ok(tried), Some(label)) => answers::agreement(tried, label, &people),
            _ => None,
        };
        Candidate {
            fit,
            tried,
            agreement,
            called,
        }
    }

    /// A column of numbers that the model is not given and that its answers look like: what it
    /// predicts.
    fn predicted(
        &self,
        fit: &Fit,
        people: &[usize],
        ask: impl Fn(Answers) -> Result<Tried, GateError>,
    ) -> Option<(usize, Tried)> {
        let field = |position: usize| &self.draft.table.fields[position];
        let numbers = fit.ignore.iter().copied();
        let mut numbers = numbers
            .filter(|&p| answers::is_quantity(field(p)))
            .peekable();
        numbers.peek()?;
        let answers = |tolerance| Answers {
            tolerance: Some(tolerance),
            ..Answers::default()
        };
        let raw = ask(answers(0.0)).ok()?;
        let number = numbers.find(|&p| looks_like(&raw, field(p), people))?;
        let tolerance = answers::tenth(field(number).mean_and_std().1);
        Some((number, ask(answers(tolerance)).ok()?))
    }

    /// The plan of a draft with this way and this meaning.
    fn plan(
        &self,
        fit: &Fit,
        answers: &Answers,
    ) -> Result<BenchmarkPlan, crate::dataset::DatasetError> {
        let mut draft = self.draft.clone();
        draft.fit = fit.clone();
        draft.answers = answers.clone();
        let attribute = fit.read.first().copied().unwrap_or_default();
        draft.benchmarks = vec![Proposed {
            name: "trial".to_owned(),
            attribute,
            commented: false,
        }];
        let impossible = |why: String| crate::dataset::DatasetError::Unreadable {
            name: draft.places.dataset.clone(),
            path: self.path.to_owned(),
            why,
        };
        let text = write::spec(&draft);
        let spec = Spec::parse(&text, self.path).map_err(|error| impossible(error.to_string()))?;
        let plans = plan(&spec, &Filter::default());
        let plans = plans.map_err(|error| impossible(error.to_string()))?;
        plans
            .into_iter()
            .next()
            .ok_or_else(|| impossible("there is nothing to run".to_owned()))
    }
}

/// Predictions lie about the mean of what they predict, and rise with it.
fn looks_like(raw: &Tried, field: &Field, people: &[usize]) -> bool {
    let (mean, std) = field.mean_and_std();
    let count = raw.scores.len().max(1) as f64;
    let middle = raw.scores.iter().map(|&s| f64::from(s)).sum::<f64>() / count;
    let together = matches!(raw.rule, Rule::Tolerance(_))
        .then(|| answers::agreement(raw, field, people))
        .flatten();
    (middle - mean).abs() < std && together.is_some_and(|together| together.share > 0.1)
}
