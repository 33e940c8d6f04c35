//! What a model's answers mean, told by trying it with the dataset's people.

use ndarray::ArrayView2;

use crate::dataset::Dataset;
use crate::decision::Rule;
use crate::gate::{self, GateError, Options};
use crate::model::{ModelError, RuntimeError};
use crate::plan::BenchmarkPlan;
use crate::schema::Code;

use super::table::Field;

/// More values than this make a label a number rather than a class.
const MOST_CLASSES: usize = 20;

/// What the spec says about the answers.
#[derive(Debug, Clone, Default)]
pub(super) struct Answers {
    /// The output to read, where there are several.
    pub(super) output: Option<String>,
    /// Scores are logits.
    pub(super) logit: bool,
    /// The decisions' names.
    pub(super) decisions: Option<Vec<String>>,
    /// The answers are numbers, and differ if they are further apart than this.
    pub(super) tolerance: Option<f64>,
}

/// What a model answered to some people.
pub(super) struct Tried {
    pub(super) answers: Answers,
    pub(super) rule: Rule,
    /// What the model calls its decisions.
    pub(super) names: Option<Vec<String>>,
    pub(super) scores: Vec<f32>,
    /// The scores are probabilities of the second of two decisions.
    probabilities: bool,
}

/// Whether a label is a number that is predicted, not a class.
pub(super) fn is_quantity(label: &Field) -> bool {
    label.is_number() && label.values.len() > MOST_CLASSES
}

/// Shows people to the model of a plan.
pub(super) fn ask(
    plan: &BenchmarkPlan,
    dataset: &Dataset,
    options: &Options,
    answers: Answers,
) -> Result<Tried, GateError> {
    let opened = gate::open_model(plan, dataset, options)?;
    let width = dataset.schema.width();
    let mut rows = vec![0.0; dataset.people.len()];
    let people = dataset.people.chunks_exact(width);
    for (person, row) in people.zip(rows.chunks_exact_mut(width)) {
        dataset.schema.encode(person, row);
    }
    let rows = ArrayView2::from_shape((dataset.len(), width), &rows);
    let rows = rows.unwrap_or_else(|_| ArrayView2::from(&[[0.0_f32; 0]; 0]));
    let scores = opened
        .model
        .scores(rows)
        .map_err(|error| crate::fit::model_error(plan, error))?;
    Ok(Tried {
        answers,
        probabilities: opened.probabilities && opened.rule.decisions() == 2,
        rule: opened.rule,
        names: opened.decisions,
        scores,
    })
}

/// Finds out what the answers mean: as they are, then as what else they could be. `ask` tries one
/// meaning.
///
/// # Errors
/// What the first meaning was refused for.
pub(super) fn learn(
    label: Option<&Field>,
    outputs: &[String],
    ask: impl Fn(Answers) -> Result<Tried, GateError>,
) -> Result<Tried, GateError> {
    let refused = match ask(Answers::default()) {
        Ok(tried) => return Ok(tried),
        Err(refused) => refused,
    };
    let ambiguous = matches!(
        &refused,
        GateError::Model {
            error: ModelError::Runtime(RuntimeError::AmbiguousOutput { .. }),
            ..
        }
    );
    if ambiguous {
        let named = by_likelihood(outputs).into_iter().map(|output| Answers {
            output: Some(output),
            ..Answers::default()
        });
        return named.map(ask).find(Result::is_ok).unwrap_or(Err(refused));
    }
    let mut tries = Vec::new();
    let classes = label.filter(|label| (2..=MOST_CLASSES).contains(&label.values.len()));
    tries.extend(classes.map(|label| Answers {
        decisions: Some(label.texts()),
        ..Answers::default()
    }));
    tries.extend(one_number(label, &ask));
    tries
        .into_iter()
        .map(&ask)
        .find(Result::is_ok)
        .unwrap_or(Err(refused))
}

/// A number outside 0 to 1 is a logit if the label is a class, and a prediction if it is a number.
fn one_number(
    label: Option<&Field>,
    ask: &impl Fn(Answers) -> Result<Tried, GateError>,
) -> Option<Answers> {
    let number = |tolerance| Answers {
        tolerance: Some(tolerance),
        ..Answers::default()
    };
    let logit = Answers {
        logit: true,
        ..Answers::default()
    };
    match label {
        Some(label) if is_quantity(label) => Some(number(tenth(label.mean_and_std().1))),
        Some(_) => Some(logit),
        None => {
            let scores = ask(number(0.0)).ok()?.scores;
            let signs = scores.iter().any(|&score| score < 0.0);
            match signs {
                true => Some(logit),
                false => Some(number(tenth(spread(&scores)))),
            }
        }
    }
}

/// A tenth of a standard deviation, with two digits.
pub(super) fn tenth(std: f64) -> f64 {
    let tenth = std / 10.0;
    if !(tenth.is_finite() && tenth > 0.0) {
        return 0.0;
    }
    let places = 1 - tenth.log10().floor() as i32;
    let scale = 10_f64.powi(places.clamp(-300, 300));
    (tenth * scale).round() / scale
}

fn spread(scores: &[f32]) -> f64 {
    let count = scores.len().max(1) as f64;
    let mean = scores.iter().map(|&s| f64::from(s)).sum::<f64>() / count;
    let squares = scores.iter().map(|&s| (f64::from(s) - mean).powi(2));
    (squares.sum::<f64>() / count).sqrt()
}

fn by_likelihood(outputs: &[String]) -> Vec<String> {
    const LIKELY: [&str; 5] = ["prob", "score", "logit", "pred", "out"];
    let mut outputs = outputs.to_vec();
    let rank = |name: &String| {
        let name = name.to_lowercase();
        LIKELY.iter().position(|word| name.contains(word))
    };
    outputs.sort_by_key(|name| rank(name).unwrap_or(LIKELY.len()));
    outputs
}

/// How well decisions go with the label.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Agreement {
    /// People decided as the label says, as a share; for numbers, how they go together (-1 to 1).
    pub(super) share: f64,
    /// The same share, had the model always given the commonest decision.
    pub(super) commonest: f64,
    /// The same, but each value of the label counts as much as any other: a coin gets 0.5 of two.
    balanced: f64,
    /// How likely the label is by the model's probabilities, a geometric mean; none where it gives
    /// none. It is what training makes as large as can be, so it tells more than decisions do.
    likelihood: Option<f64>,
    /// The likelihood by the label's shares alone.
    least_likelihood: f64,
    /// The first decision is the label's second value, and the second its first.
    pub(super) swapped: bool,
}

impl Agreement {
    /// For choosing: a swap must be clearly better than none.
    pub(super) fn worth(&self) -> f64 {
        let swap = if self.swapped { 0.1 } else { 0.0 };
        self.likelihood.unwrap_or(self.share) - swap
    }

    /// How two things go together of which one is a number; nothing where one does not vary.
    fn of_numbers(together: f64) -> Option<Self> {
        together.is_finite().then_some(Agreement {
            share: together,
            commonest: 0.0,
            balanced: 0.0,
            likelihood: None,
            least_likelihood: 0.0,
            swapped: false,
        })
    }

    /// Whether the model tells hardly more than nothing, so that it gets something wrong to eat.
    pub(super) fn is_poor(&self) -> bool {
        let tells_little = match self.likelihood {
            Some(likelihood) => likelihood < self.least_likelihood + 0.01,
            None => self.share < self.commonest + 0.01,
        };
        // A model that was taught to weigh rare values more is right about them at least.
        tells_little && self.balanced < 0.7
    }
}

/// Compares what was decided with the label's codes of the same people. Nothing where they cannot
/// be compared.
pub(super) fn agreement(tried: &Tried, label: &Field, people: &[usize]) -> Option<Agreement> {
    if matches!(tried.rule, Rule::Tolerance(_)) {
        return is_quantity(label).then(|| correlation(tried, label, people))?;
    }
    if is_quantity(label) {
        return explained(tried, label, people);
    }
    let classes = classes_of_label(tried, label)?;
    let truth: Option<Vec<usize>> = people
        .iter()
        .map(|&person| classes.iter().position(|&code| code == label.codes[person]))
        .collect();
    let truth = truth?;
    let as_is = compared(tried, &truth, classes.len(), false);
    // Names that the model gives are not swapped.
    let may_swap = classes.len() == 2 && !has_words(tried);
    let swapped = may_swap.then(|| compared(tried, &truth, 2, true));
    let better = swapped.filter(|swapped| swapped.worth() > as_is.worth());
    Some(better.unwrap_or(as_is))
}

/// Compares decisions with the true classes.
fn compared(tried: &Tried, truth: &[usize], classes: usize, swapped: bool) -> Agreement {
    let mut hits = vec![0_u64; classes];
    let mut counts = vec![0_u64; classes];
    let mut logs = 0.0;
    for (&score, &class) in tried.scores.iter().zip(truth) {
        counts[class] += 1;
        let wanted = if swapped { 1 - class } else { class };
        hits[class] += u64::from(tried.rule.decision(score) == Some(wanted));
        let one = f64::from(score).clamp(0.01, 0.99);
        logs += if wanted == 1 { one } else { 1.0 - one }.ln();
    }
    let all = truth.len().max(1) as f64;
    let share = |(&hits, &count): (&u64, &u64)| hits as f64 / count.max(1) as f64;
    let met = counts.iter().filter(|&&count| count > 0);
    let entropy: f64 = met
        .clone()
        .map(|&count| count as f64 / all * (count as f64 / all).ln())
        .sum();
    let largest = counts.iter().copied().max().unwrap_or_default();
    Agreement {
        share: hits.iter().sum::<u64>() as f64 / all,
        commonest: largest as f64 / all,
        balanced: hits.iter().zip(&counts).map(share).sum::<f64>() / met.count().max(1) as f64,
        likelihood: tried.probabilities.then(|| (logs / all).exp()),
        least_likelihood: entropy.exp(),
        swapped,
    }
}

/// The label's code for each decision: by name, or in their order.
fn classes_of_label(tried: &Tried, label: &Field) -> Option<Vec<Code>> {
    let named = tried.names.as_ref().filter(|_| has_words(tried));
    if let Some(names) = named {
        let code = |name: &String| label.domain.code(name);
        return names.iter().map(code).collect();
    }
    (tried.rule.decisions() == label.values.len()).then(|| label.values.clone())
}

/// Whether the model calls its decisions by words, not by numbers.
pub(super) fn has_words(tried: &Tried) -> bool {
    let in_words = |names: &Vec<String>| names.iter().any(|name| name.parse::<f64>().is_err());
    tried.names.as_ref().is_some_and(in_words)
}

/// How predicted numbers go with the label's.
fn correlation(tried: &Tried, label: &Field, people: &[usize]) -> Option<Agreement> {
    let numbers = label.numbers();
    let pairs = tried.scores.iter().zip(people);
    let pairs: Vec<(f64, f64)> = pairs
        .map(|(&score, &person)| (f64::from(score), numbers[person]))
        .collect();
    let count = pairs.len() as f64;
    let (a, b) = pairs
        .iter()
        .fold((0.0, 0.0), |(a, b), p| (a + p.0, b + p.1));
    let (a, b) = (a / count, b / count);
    let sum = |of: fn(f64, f64) -> f64| pairs.iter().map(|p| of(p.0 - a, p.1 - b)).sum::<f64>();
    let (ab, aa, bb) = (sum(|a, b| a * b), sum(|a, _| a * a), sum(|_, b| b * b));
    Agreement::of_numbers(ab / (aa * bb).sqrt())
}

/// How classes go with a label that is a number: the part of its spread that they explain.
fn explained(tried: &Tried, label: &Field, people: &[usize]) -> Option<Agreement> {
    let numbers = label.numbers();
    let mut sums = vec![(0.0, 0.0); tried.rule.decisions()];
    let (mut sum, mut squares) = (0.0, 0.0);
    for (&score, &person) in tried.scores.iter().zip(people) {
        let of_class = sums.get_mut(tried.rule.decision(score)?)?;
        let number = numbers[person];
        *of_class = (of_class.0 + number, of_class.1 + 1.0);
        (sum, squares) = (sum + number, squares + number * number);
    }
    let count = people.len() as f64;
    let between: f64 = sums
        .iter()
        .filter(|(_, count)| *count > 0.0)
        .map(|(sum, count)| sum * sum / count)
        .sum();
    let middle = sum * sum / count;
    Agreement::of_numbers(((between - middle) / (squares - middle)).max(0.0).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::Domain;

    fn tried(scores: &[f32], rule: Rule) -> Tried {
        Tried {
            answers: Answers::default(),
            rule,
            names: None,
            scores: scores.to_vec(),
            probabilities: true,
        }
    }

    fn label(codes: &[Code]) -> Field {
        let names = ["no", "yes"].map(str::to_owned).to_vec();
        Field {
            name: "label".into(),
            domain: Domain::Categories(names),
            codes: codes.to_vec(),
            values: vec![0, 1],
        }
    }

    #[test]
    fn the_commonest_answer_for_everybody_tells_nothing() {
        let all_no = tried(&[0.1; 10], Rule::default());
        let label = label(&[0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
        let people: Vec<usize> = (0..10).collect();
        let agreement = agreement(&all_no, &label, &people).unwrap();
        assert_eq!((agreement.share, agreement.commonest), (0.9, 0.9));
        assert_eq!(agreement.balanced, 0.5);
        assert!(agreement.is_poor() && !agreement.swapped);
    }

    #[test]
    fn likelihood_tells_more_than_decisions() {
        let people: Vec<usize> = (0..4).collect();
        let label = label(&[0, 0, 1, 1]);
        let worth = |scores: &[f32]| {
            let tried = tried(scores, Rule::default());
            agreement(&tried, &label, &people).unwrap().worth()
        };
        assert!(worth(&[0.1, 0.2, 0.9, 0.6]) > worth(&[0.4, 0.4, 0.6, 0.6]));
        assert!(worth(&[0.4, 0.4, 0.6, 0.6]) > worth(&[0.0, 0.0, 0.0, 0.0]));
    }

    #[test]
    fn decisions_can_be_the_other_way_round() {
        let other = tried(&[0.9, 0.8, 0.1, 0.2], Rule::default());
        let agreement = agreement(&other, &label(&[0, 0, 1, 1]), &[0, 1, 2, 3]).unwrap();
        assert!(agreement.swapped && agreement.share == 1.0);
    }

    #[test]
    fn a_tolerance_has_two_digits() {
        assert_eq!(tenth(123.0), 12.0);
        assert_eq!(tenth(0.0456), 0.0046);
        assert_eq!(tenth(0.0), 0.0);
    }
}
