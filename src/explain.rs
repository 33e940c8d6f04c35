//! One counterexample, looked at closely: what lies between person and counterpart, and what around.
//!
//! Everything is asked in one call to the model.

use crate::benchmark::Benchmark;
use crate::decision::Rule;
use crate::findings::Counterexample;
use crate::model::meter::{Asking, Halt, Meter};
use crate::model::{Model, ModelError};
use crate::schema::{Code, Space};
use crate::search::sides::Sides;

/// Stops on the way of one protected attribute, and values of another attribute, that are looked at.
const MOST_VALUES: usize = 60;

/// What the model says about somebody.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Said {
    /// The score.
    pub(crate) score: f32,
    /// The decision's place among the names; none within the noise of a boundary, nor where two
    /// numbers are compared.
    pub(crate) decision: Option<usize>,
}

/// A stop on the way from the person to the counterpart.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Stop {
    /// Who stands there.
    pub(crate) person: Vec<Code>,
    /// What the model says.
    pub(crate) said: Said,
    /// Whether nobody can be like that.
    pub(crate) impossible: bool,
}

/// What becomes of the pair when one attribute of both has another value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Around {
    /// The attribute.
    pub(crate) attribute: usize,
    /// Values with which the two are still decided differently.
    pub(crate) still: Vec<Code>,
    /// Values with which they are decided alike, or too closely to tell.
    pub(crate) alike: Vec<Code>,
    /// Whether these are some of its values only, evenly taken.
    pub(crate) some: bool,
}

/// A counterexample, looked at closely.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Explanation {
    /// The pair, with what the model says now.
    pub(crate) pair: Counterexample,
    /// Whether the two are decided differently now: a recorded pair may be mended.
    pub(crate) differs: bool,
    /// The way from the person to the counterpart, both ends among it: protected attributes change one
    /// after another.
    pub(crate) path: Vec<Stop>,
    /// Attribute by attribute.
    pub(crate) around: Vec<Around>,
}

/// Asks the model about a pair and everyone near it.
///
/// # Errors
/// The model failed.
pub(crate) fn explain(
    benchmark: &Benchmark,
    model: &dyn Model,
    pair: &Counterexample,
) -> Result<Explanation, ModelError> {
    let space = &benchmark.space;
    let path = path(space, &pair.person, &pair.counterpart);
    let around = changed(space, pair);
    let mut rows = Vec::new();
    for person in path.iter().chain(around.iter().flat_map(|near| &near.pair)) {
        space.push_row(person, &mut rows);
    }
    let scores = ask(benchmark, model, &rows)?;
    let (on_path, beside) = scores.split_at(path.len());
    let sides = Sides::new(&benchmark.rule);
    let mut pair = pair.clone();
    if let ([first, ..], [.., last]) = (on_path, on_path) {
        pair.scores = [*first, *last].map(|score| sides.shown(score));
        let decision = |score: f32| sides.side(score).decision().unwrap_or_default();
        pair.decisions = [decision(*first), decision(*last)];
    }
    Ok(Explanation {
        differs: match (on_path.first(), on_path.last()) {
            (Some(&first), Some(&last)) => sides.differ(first, last),
            _ => false,
        },
        path: path
            .into_iter()
            .zip(on_path)
            .map(|(person, &score)| Stop {
                impossible: !space.can_exist(&person),
                person,
                said: said(&sides, &benchmark.rule, score),
            })
            .collect(),
        around: told(space, &around, beside, &sides),
        pair,
    })
}

fn ask(benchmark: &Benchmark, model: &dyn Model, rows: &[f32]) -> Result<Vec<f32>, ModelError> {
    let asking = Asking {
        probabilities: benchmark.probabilities,
        ..Asking::default()
    };
    let mut meter = Meter::new(model, benchmark.space.schema().width(), asking);
    meter.calibrate(rows)?;
    meter.ask_rows(rows).map_err(|halt| match halt {
        Halt::Model(error) => error,
        Halt::Cut(_) => ModelError::Answer {
            message: "the model was not asked".into(),
            help: None,
        },
    })
}

fn said(sides: &Sides, rule: &Rule, score: f32) -> Said {
    Said {
        score: sides.shown(score),
        decision: match rule {
            Rule::Tolerance(_) => None,
            _ => sides.side(score).decision(),
        },
    }
}

/// From one to the other: each protected attribute in turn, through the values that its domain has
/// between the two.
fn path(space: &Space, from: &[Code], to: &[Code]) -> Vec<Vec<Code>> {
    let mut stops = vec![from.to_vec()];
    let mut person = from.to_vec();
    for &attribute in space.protected() {
        let (start, end) = (from[attribute], to[attribute]);
        if start == end {
            continue;
        }
        for code in between(start, end).into_iter().chain([end]) {
            person[attribute] = code;
            stops.push(person.clone());
        }
    }
    stops
}

/// The codes between two others in their order, evenly taken where there are many.
fn between(start: Code, end: Code) -> Vec<Code> {
    let distance = i64::from(end) - i64::from(start);
    let stops = (distance.unsigned_abs() as usize).min(MOST_VALUES);
    let mut codes: Vec<Code> = (1..stops as i64)
        .map(|stop| (i64::from(start) + distance * stop / stops as i64) as Code)
        .collect();
    codes.dedup();
    codes
}

/// The pair with another value of one attribute.
struct Near {
    attribute: usize,
    code: Code,
    pair: [Vec<Code>; 2],
}

/// The pair with every other value of every attribute that is not protected, as far as both can exist.
fn changed(space: &Space, pair: &Counterexample) -> Vec<Near> {
    let mut all = Vec::new();
    for attribute in 0..space.schema().width() {
        if space.protected().contains(&attribute) {
            continue;
        }
        for code in values(space, attribute) {
            if code == pair.person[attribute] {
                continue;
            }
            let near = [&pair.person, &pair.counterpart].map(|person| {
                let mut person = person.clone();
                person[attribute] = code;
                person
            });
            if near.iter().all(|person| space.can_exist(person)) {
                all.push(Near {
                    attribute,
                    code,
                    pair: near,
                });
            }
        }
    }
    all
}

/// The codes of an attribute, evenly taken where there are many.
fn values(space: &Space, attribute: usize) -> Vec<Code> {
    let largest = u64::from(space.largest(attribute));
    let last = (MOST_VALUES as u64 - 1).min(largest);
    (0..=last)
        .map(|place| (largest * place / last.max(1)) as Code)
        .collect()
}

/// What the scores of the changed pairs say, attribute by attribute.
fn told(space: &Space, changed: &[Near], scores: &[f32], sides: &Sides) -> Vec<Around> {
    let mut told: Vec<Around> = Vec::new();
    for (near, scores) in changed.iter().zip(scores.chunks_exact(2)) {
        let attribute = near.attribute;
        if told.last().is_none_or(|last| last.attribute != attribute) {
            told.push(Around {
                attribute,
                still: Vec::new(),
                alike: Vec::new(),
                some: u64::from(space.largest(attribute)) >= MOST_VALUES as u64,
            });
        }
        if let Some(around) = told.last_mut() {
            match sides.differ(scores[0], scores[1]) {
                true => around.still.push(near.code),
                false => around.alike.push(near.code),
            }
        }
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decision::Rule;
    use crate::model::from_fn;
    use crate::schema::{Attribute, Domain, Schema};

    fn range(name: &str, max: i64) -> Attribute {
        Attribute::new(name, Domain::Integers { min: 0, max })
    }

    fn benchmark() -> Benchmark {
        let schema = Schema::new(vec![range("job", 4), range("age", 9), range("sex", 1)]);
        Benchmark::new("b", schema, &["age", "sex"], vec![1, 2, 0]).unwrap()
    }

    fn pair(person: [Code; 3], counterpart: [Code; 3]) -> Counterexample {
        let sides = Sides::new(&Rule::default());
        Counterexample::new(person.to_vec(), counterpart.to_vec(), [0.0; 2], &sides)
    }

    #[test]
    fn the_way_goes_value_by_value_and_attribute_by_attribute() {
        let model = from_fn(|row| {
            if row[1] > 4.0 && row[0] < 3.0 {
                0.9
            } else {
                0.1
            }
        });
        let pair = pair([1, 3, 0], [1, 6, 1]);
        let explained = explain(&benchmark(), &model, &pair).unwrap();
        let stops: Vec<_> = explained
            .path
            .iter()
            .map(|stop| (stop.person[1], stop.person[2], stop.said.decision))
            .collect();
        let (no, yes) = (Some(0), Some(1));
        assert_eq!(
            stops,
            [
                (3, 0, no),
                (4, 0, no),
                (5, 0, yes),
                (6, 0, yes),
                (6, 1, yes)
            ]
        );
        assert!(explained.differs);
        assert_eq!(explained.pair.decisions, [0, 1]);
        let [around] = explained.around.as_slice() else {
            panic!("one attribute is not protected: {:?}", explained.around);
        };
        assert_eq!((&around.still, &around.alike), (&vec![0, 2], &vec![3, 4]));
    }

    #[test]
    fn a_pair_that_is_mended_is_seen_to_be() {
        let model = from_fn(|_| 0.1);
        let explained = explain(&benchmark(), &model, &pair([1, 3, 0], [1, 3, 1])).unwrap();
        assert!(!explained.differs);
        assert_eq!(explained.path.len(), 2, "sex has no value between");
    }

    #[test]
    fn many_values_are_taken_evenly_with_both_ends() {
        let schema = Schema::new(vec![range("income", 1000), range("sex", 1)]);
        let space = Space::new(schema, &[1]).unwrap();
        let values = values(&space, 0);
        assert_eq!(values.len(), MOST_VALUES);
        assert_eq!((values[0], values[MOST_VALUES - 1]), (0, 1000));
        assert!(values.is_sorted());
        assert_eq!(between(0, 3), [1, 2]);
        assert_eq!(between(3, 0), [2, 1]);
        assert!(between(0, 1).is_empty());
        assert!(between(0, 1000).len() < MOST_VALUES);
    }
}
