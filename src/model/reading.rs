//! What a model's answers mean: one score a row, and the rule by which scores are decisions.

use crate::decision::{Rule, class_score};
use crate::spec::{NumberSpec, Scores};

use super::ModelError;
use super::tensor::Answer;

/// What the spec says about the answers.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Meaning {
    /// The output to read, if the model has several.
    pub output: Option<String>,
    /// What the scores are.
    pub scores: Scores,
    /// The score above which the decision is class 1.
    pub threshold: Option<f64>,
    /// What the classes or bands are called.
    pub decisions: Option<Vec<String>>,
    /// The decision that people hope for.
    pub favourable: Option<String>,
    /// When two predicted numbers are different decisions.
    pub number: Option<NumberSpec>,
}

impl Meaning {
    /// Whether the spec says nothing that is about scores, so that a label may decide.
    pub(super) fn leaves_the_label(&self) -> bool {
        self.output.is_none()
            && self.scores == Scores::Auto
            && self.threshold.is_none()
            && self.number.is_none()
    }
}

/// How answers become scores.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Reading {
    pub(super) kind: Kind,
    pub(super) rule: Rule,
    /// The classes' names, where the answers tell them.
    pub(super) names: Option<Vec<String>>,
    /// Scores must lie between 0 and 1.
    pub(super) probabilities: bool,
}

/// Which part of an answer is read.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Kind {
    /// One number of each row.
    Column {
        column: usize,
        link: Link,
    },
    /// The class with the largest number.
    Largest {
        link: Link,
    },
    /// The class itself, as a number or as a word.
    Whole(Vec<i64>),
    Words(Vec<String>),
}

/// What turns numbers into probabilities.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Link {
    None,
    Sigmoid,
    Softmax,
}

fn refuse<T>(message: impl Into<String>, help: impl Into<String>) -> Result<T, ModelError> {
    Err(ModelError::Misfit {
        message: message.into(),
        help: help.into(),
        key: None,
    })
}

impl Reading {
    /// Learns from what the model answered to some people.
    ///
    /// # Errors
    /// The answers can be no decisions, or the spec says what they cannot be.
    pub(super) fn learn(answer: &Answer, meaning: &Meaning) -> Result<Self, ModelError> {
        match answer {
            Answer::Numbers { columns: 1, values } => one_number(values, meaning),
            Answer::Numbers { columns, values } => several_numbers(*columns, values, meaning, None),
            Answer::Named { classes, values } => {
                several_numbers(classes.len(), values, meaning, Some(classes.clone()))
            }
            Answer::Whole(labels) if meaning.number.is_some() => {
                let values: Vec<f32> = labels.iter().map(|&label| label as f32).collect();
                one_number(&values, meaning)
            }
            Answer::Whole(labels) => whole_labels(labels, meaning),
            Answer::Words(labels) => word_labels(labels, meaning),
        }
    }

    /// The scores of an answer.
    ///
    /// # Errors
    /// The answer has another form than the first one, or a class that was never seen before.
    pub(super) fn scores(&self, answer: Answer) -> Result<Vec<f32>, ModelError> {
        match (&self.kind, answer) {
            (
                Kind::Column {
                    link: Link::None, ..
                },
                Answer::Numbers { columns: 1, values },
            ) => Ok(values),
            (Kind::Column { column, link }, Answer::Numbers { columns, values }) => Ok(values
                .chunks_exact(columns)
                .map(|row| picked(row, *column, *link))
                .collect()),
            (Kind::Column { column, link }, Answer::Named { classes, values }) => {
                let rows = values.chunks_exact(classes.len());
                Ok(rows.map(|row| picked(row, *column, *link)).collect())
            }
            (Kind::Column { .. }, Answer::Whole(labels)) => {
                Ok(labels.into_iter().map(|label| label as f32).collect())
            }
            (Kind::Largest { link }, Answer::Numbers { columns, values }) => Ok(values
                .chunks_exact(columns)
                .map(|row| largest(row, *link))
                .collect()),
            (Kind::Largest { link }, Answer::Named { classes, values }) => {
                let rows = values.chunks_exact(classes.len());
                Ok(rows.map(|row| largest(row, *link)).collect())
            }
            (Kind::Whole(classes), Answer::Whole(labels)) => labels
                .iter()
                .map(|label| self.label(classes, label))
                .collect(),
            (Kind::Words(classes), Answer::Words(labels)) => labels
                .iter()
                .map(|label| self.label(classes, label))
                .collect(),
            _ => refuse(
                "the model answers now in this form, now in another",
                "export the model again, so that its output always has the same type",
            ),
        }
    }

    /// The score of a class: the paper's one-hot substitution.
    fn label<T: PartialEq + std::fmt::Display>(
        &self,
        classes: &[T],
        label: &T,
    ) -> Result<f32, ModelError> {
        match classes.iter().position(|class| class == label) {
            Some(class) if self.rule == Rule::Threshold(0.5) => Ok(class as f32),
            Some(class) => Ok(class_score(class, 1.0)),
            None => {
                let known: Vec<String> = classes.iter().map(ToString::to_string).collect();
                refuse(
                    format!(
                        "the model decided `{label}`, which it never did for the dataset's people ({})",
                        known.join(", ")
                    ),
                    "name all its decisions under the model: decisions = [..]",
                )
            }
        }
    }
}

fn picked(row: &[f32], column: usize, link: Link) -> f32 {
    match link {
        Link::None => row[column],
        Link::Sigmoid => 1.0 / (1.0 + (-row[column]).exp()),
        Link::Softmax => softmax(row, column),
    }
}

fn softmax(row: &[f32], column: usize) -> f32 {
    let top = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let sum: f32 = row.iter().map(|logit| (logit - top).exp()).sum();
    (row[column] - top).exp() / sum
}

/// The class with the largest number, the first of several; and its lead over the next.
fn largest(row: &[f32], link: Link) -> f32 {
    if row.iter().any(|number| number.is_nan()) {
        return f32::NAN;
    }
    let mut best = 0;
    let mut next = f32::NEG_INFINITY;
    for (class, &number) in row.iter().enumerate().skip(1) {
        if number > row[best] {
            next = row[best];
            best = class;
        } else if number > next {
            next = number;
        }
    }
    let lead = match link {
        Link::Softmax => {
            let own = softmax(row, best);
            own - own * (next - row[best]).exp()
        }
        _ => row[best] - next,
    };
    class_score(best, lead)
}

fn looks_like_probabilities(columns: usize, values: &[f32]) -> bool {
    values.chunks_exact(columns).all(|row| {
        let sum: f32 = row.iter().sum();
        row.iter().all(|p| (-1e-4..=1.0001).contains(p)) && (sum - 1.0).abs() < 1e-2
    })
}

/// One number a row: a probability, a logit or a predicted number.
fn one_number(values: &[f32], meaning: &Meaning) -> Result<Reading, ModelError> {
    let reading = |link, rule, probabilities| Reading {
        kind: Kind::Column { column: 0, link },
        rule,
        names: None,
        probabilities,
    };
    if let Some(number) = &meaning.number {
        let rule = match number {
            NumberSpec::Tolerance(tolerance) => Rule::Tolerance(*tolerance),
            NumberSpec::Bands(starts) => Rule::Bands(starts.clone()),
        };
        return Ok(reading(Link::None, rule, false));
    }
    if let Some(names) = &meaning.decisions
        && names.len() != 2
    {
        return refuse(
            format!(
                "the model gives one score a row, but `decisions` has {} names",
                names.len()
            ),
            "a score above the threshold is the second of two decisions; for a predicted number say \
             `tolerance` or `bands`",
        );
    }
    let threshold = Rule::Threshold(meaning.threshold.unwrap_or(0.5));
    let outside = values
        .iter()
        .copied()
        // Not a number is told of when it is met, with the person.
        .find(|value| !value.is_nan() && !(-1e-4..=1.0001).contains(value));
    match (meaning.scores, outside) {
        (Scores::Logit, _) => Ok(reading(Link::Sigmoid, threshold, true)),
        (Scores::Number, _) => refuse(
            "the model predicts a number, and the spec does not say when two are different decisions",
            "add `tolerance = ..` (further apart than this) or `bands = [..]` under the model",
        ),
        (Scores::Auto | Scores::Probability, Some(outside)) if meaning.threshold.is_none() => {
            refuse(
                format!("the model gives scores outside 0 to 1, such as {outside}"),
                "if they are logits, add `scores = \"logit\"` under the model; if it predicts a \
                 number, add `tolerance = ..` or `bands = [..]`; otherwise say the `threshold`",
            )
        }
        _ => Ok(reading(Link::None, threshold, meaning.threshold.is_none())),
    }
}

/// A number for each class.
fn several_numbers(
    columns: usize,
    values: &[f32],
    meaning: &Meaning,
    names: Option<Vec<String>>,
) -> Result<Reading, ModelError> {
    if columns == 0 {
        return refuse("the model answers with nothing", "export the model again");
    }
    if columns == 1 {
        let reading = one_number(values, meaning)?;
        return Ok(Reading { names, ..reading });
    }
    if meaning.number.is_some() || meaning.scores == Scores::Number {
        return refuse(
            format!("the model gives {columns} numbers a row, not one predicted number"),
            "leave out `tolerance`, `bands` and `scores = \"number\"`, or name another `output`",
        );
    }
    let said = meaning.decisions.clone().or(names);
    if let Some(said) = &said
        && said.len() != columns
    {
        return refuse(
            format!(
                "the model has {columns} classes, but `decisions` has {} names",
                said.len()
            ),
            "name every class, in the order of the model's output",
        );
    }
    let logits = match meaning.scores {
        Scores::Logit => true,
        Scores::Probability => false,
        _ => !looks_like_probabilities(columns, values),
    };
    let link = if logits { Link::Softmax } else { Link::None };
    let of_two = |column: usize, names: Option<Vec<String>>| Reading {
        kind: Kind::Column { column, link },
        rule: Rule::Threshold(meaning.threshold.unwrap_or(0.5)),
        names,
        probabilities: true,
    };
    if columns == 2 {
        return Ok(of_two(1, said));
    }
    if meaning.threshold.is_none() {
        return Ok(Reading {
            kind: Kind::Largest { link },
            rule: Rule::Classes(columns),
            names: said,
            probabilities: false,
        });
    }
    let favourable = meaning.favourable.as_ref().and_then(|name| {
        let position = said.as_ref()?.iter().position(|said| said == name)?;
        Some((position, name))
    });
    match favourable {
        Some((column, name)) => Ok(of_two(
            column,
            Some(vec![format!("not {name}"), name.clone()]),
        )),
        None => refuse(
            format!("a `threshold` among {columns} classes needs the class that it is for"),
            "add `favourable = \"..\"` and `decisions = [..]` under the model, or leave out \
             `threshold`: the largest number decides then",
        ),
    }
}

/// Classes as whole numbers.
fn whole_labels(labels: &[i64], meaning: &Meaning) -> Result<Reading, ModelError> {
    let mut classes = labels.to_vec();
    classes.sort_unstable();
    classes.dedup();
    let named = meaning.decisions.as_ref().map(Vec::len);
    let counted = |count: usize| {
        classes
            .iter()
            .all(|&class| (0..count as i64).contains(&class))
    };
    match named {
        Some(count) if counted(count) => classes = (0..count as i64).collect(),
        Some(count) if count != classes.len() => {
            let seen: Vec<String> = classes.iter().map(ToString::to_string).collect();
            return refuse(
                format!(
                    "the model's decisions are {}, but `decisions` has {count} names",
                    seen.join(", ")
                ),
                "name every decision, in the order of their numbers",
            );
        }
        None if counted(2) => classes = vec![0, 1],
        _ => {}
    }
    let names = classes.iter().map(ToString::to_string).collect();
    by_label(Kind::Whole(classes), meaning, names)
}

/// Classes as words.
fn word_labels(labels: &[String], meaning: &Meaning) -> Result<Reading, ModelError> {
    let mut classes = labels.to_vec();
    classes.sort_unstable();
    classes.dedup();
    if let Some(names) = &meaning.decisions {
        if let Some(lost) = classes.iter().find(|class| !names.contains(class)) {
            return refuse(
                format!("the model decides `{lost}`, which `decisions` does not name"),
                format!("the model's decisions are {}", classes.join(", ")),
            );
        }
        classes.clone_from(names);
    }
    by_label(Kind::Words(classes.clone()), meaning, classes)
}

fn by_label(kind: Kind, meaning: &Meaning, names: Vec<String>) -> Result<Reading, ModelError> {
    if names.len() < 2 {
        return refuse(
            format!(
                "the model decides `{}` for everyone in the dataset",
                names.join("")
            ),
            "name all its decisions under the model, so that others are known: decisions = [..]",
        );
    }
    if let Some(threshold) = meaning.threshold
        && threshold != 0.5
    {
        return refuse(
            "the model gives decisions, not scores: no `threshold` applies",
            "leave out `threshold`, or name the output that holds the scores: output = \"..\"",
        );
    }
    Ok(Reading {
        kind,
        rule: if names.len() == 2 {
            Rule::Threshold(0.5)
        } else {
            Rule::Classes(names.len())
        },
        names: Some(meaning.decisions.clone().unwrap_or(names)),
        probabilities: false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decision::class_of;

    fn numbers(columns: usize, values: &[f32]) -> Answer {
        Answer::Numbers {
            columns,
            values: values.to_vec(),
        }
    }

    fn learn(answer: &Answer, meaning: &Meaning) -> Reading {
        Reading::learn(answer, meaning).unwrap()
    }

    fn refused(answer: &Answer, meaning: &Meaning) -> String {
        Reading::learn(answer, meaning).unwrap_err().to_string()
    }

    #[test]
    fn two_columns_are_probabilities_or_logits() {
        let answer = numbers(2, &[0.9, 0.1, 0.25, 0.75]);
        let reading = learn(&answer, &Meaning::default());
        assert_eq!(reading.scores(answer).unwrap(), [0.1, 0.75]);
        let answer = numbers(2, &[1.0, 1.0, -2.0, 40.0]);
        let reading = learn(&answer, &Meaning::default());
        assert_eq!(reading.scores(answer).unwrap(), [0.5, 1.0]);
    }

    #[test]
    fn a_logit_must_be_said() {
        let answer = numbers(1, &[0.0, 3.0, -1.0]);
        assert!(refused(&answer, &Meaning::default()).contains("outside 0 to 1"));
        let logit = Meaning {
            scores: Scores::Logit,
            ..Meaning::default()
        };
        let scores = learn(&answer, &logit).scores(answer).unwrap();
        assert_eq!(scores[0], 0.5);
        assert!(scores[1] > 0.95 && scores[2] < 0.27);
    }

    #[test]
    fn the_largest_of_many_classes_decides() {
        let answer = numbers(3, &[0.5, 0.25, 0.25, 0.1, 0.3, 0.6]);
        let reading = learn(&answer, &Meaning::default());
        assert_eq!(reading.rule, Rule::Classes(3));
        let scores = reading.scores(answer).unwrap();
        assert_eq!(class_of(scores[0]), (0, 0.25));
        let (class, lead) = class_of(scores[1]);
        assert!(class == 2 && (lead - 0.3).abs() < 1e-6);
        let logits = numbers(3, &[10.0, -3.0, 10.0]);
        let scores = learn(&logits, &Meaning::default()).scores(logits).unwrap();
        assert_eq!(class_of(scores[0]), (0, 0.0));
    }

    #[test]
    fn labels_are_classes() {
        let reading = learn(&Answer::Whole(vec![-1, 1, 1]), &Meaning::default());
        assert_eq!(reading.rule, Rule::Threshold(0.5));
        let scores = reading.scores(Answer::Whole(vec![1, -1])).unwrap();
        assert_eq!(scores, [1.0, 0.0]);
        let words = ["b", "a", "c"].map(str::to_owned).to_vec();
        let reading = learn(&Answer::Words(words), &Meaning::default());
        assert_eq!(reading.names.as_deref().unwrap(), ["a", "b", "c"]);
        let scores = reading.scores(Answer::Words(vec!["c".into()])).unwrap();
        assert_eq!(class_of(scores[0]), (2, 1.0));
        let error = reading.scores(Answer::Words(vec!["d".into()])).unwrap_err();
        assert!(error.to_string().contains("decided `d`"), "{error}");
    }

    #[test]
    fn predicted_numbers_need_a_meaning() {
        let answer = numbers(1, &[39.5, 41.0]);
        let meaning = |number| Meaning {
            number: Some(number),
            ..Meaning::default()
        };
        let rule = learn(&answer, &meaning(NumberSpec::Tolerance(5.0))).rule;
        assert_eq!(rule, Rule::Tolerance(5.0));
        let bands = NumberSpec::Bands(vec![20.0, 40.0]);
        assert_eq!(learn(&answer, &meaning(bands)).rule.decisions(), 3);
        let number = Meaning {
            scores: Scores::Number,
            ..Meaning::default()
        };
        assert!(refused(&answer, &number).contains("does not say when"));
    }

    #[test]
    fn names_must_be_as_many_as_classes() {
        let meaning = Meaning {
            decisions: Some(vec!["a".into(), "b".into()]),
            ..Meaning::default()
        };
        let three = numbers(3, &[0.5, 0.25, 0.25]);
        assert!(refused(&three, &meaning).contains("3 classes"));
        assert!(refused(&Answer::Whole(vec![4, 5, 6]), &meaning).contains("4, 5, 6"));
    }
}
