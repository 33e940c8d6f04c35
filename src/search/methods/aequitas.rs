//! AEQUITAS (Udeshi et al., ASE 2018), fully directed: people drawn at random, and from each find a
//! walk among finds that learns which attributes to move, and which way.
//!
//! What is learnt is shared by all walks, as in the publication. They advance in lockstep: a step is
//! drawn by what was known when it began, and what it teaches is taken in walk after walk.

use crate::model::meter::Halt;
use crate::schema::Code;
use crate::search::drawing::{Drawing, Drawn};
use crate::search::random::{Purpose, Stream, below, stream, unit};
use crate::search::{Lockstep, Met, Phase, Task, Walked};

/// How much a test changes the probability of an attribute, and of a direction for each step.
const LESSON: f64 = 0.001;

/// How likely an attribute is moved down before anything was learnt.
const FIRST_DOWN: f64 = 0.5;

/// Draws people, then walks from those that were found.
pub(super) fn run(
    search: &mut Lockstep<'_, '_>,
    task: &Task<'_>,
    walked: &mut Walked,
) -> Result<(), Halt> {
    let mut walks = Vec::new();
    let ended = draw(search, task, walked, &mut walks);
    walked.global_found = walks.len();
    ended?;
    if search.space.movable().is_empty() || walks.is_empty() {
        return Ok(());
    }
    let mut learnt = Learnt::new(search.space.movable().len());
    let steps = task.budget.local_steps;
    for step in 0..steps {
        search.tell(Phase::Local, step, steps);
        search.share_out(&mut walks, |search, walks| {
            for walk in walks {
                walk.propose(search, &learnt);
            }
        });
        let met = search.test(walks.iter().map(|walk| walk.person.as_slice()))?;
        for (walk, met) in walks.iter_mut().zip(met) {
            walk.resolve(search, &mut learnt, met);
        }
    }
    Ok(())
}

/// The global phase: a walk for everyone who is found.
fn draw(
    search: &mut Lockstep<'_, '_>,
    task: &Task<'_>,
    walked: &mut Walked,
    walks: &mut Vec<Walk>,
) -> Result<(), Halt> {
    let drawing = Drawing::new(task);
    let mut stream = stream(task.seed, task.benchmark, Purpose::Drawn, 0);
    let wanted = task.budget.global_seeds;
    while walked.seeds < wanted {
        search.tell(Phase::Global, walked.seeds, wanted);
        let portion = search.portion().min(wanted - walked.seeds);
        let people = drawing.draw(portion, &mut stream);
        let met = search.test(people.iter().map(|drawn| drawn.person.as_slice()))?;
        walked.seeds += met.len();
        let nobody_more = people.len() < portion;
        for (drawn, met) in people.into_iter().zip(met) {
            if met.is_first_find {
                walks.push(Walk::new(search, walks.len(), drawn));
            }
        }
        if nobody_more {
            break;
        }
    }
    Ok(())
}

/// What all walks have learnt.
struct Learnt {
    /// How likely each movable attribute is chosen; they add up to one.
    attributes: Vec<f64>,
    /// How likely each is moved down rather than up.
    down: Vec<f64>,
}

impl Learnt {
    fn new(movable: usize) -> Self {
        Learnt {
            attributes: vec![1.0 / movable as f64; movable],
            down: vec![FIRST_DOWN; movable],
        }
    }

    /// Where a number in [0, 1) falls among the attributes.
    fn attribute(&self, drawn: f64) -> usize {
        let mut sum = 0.0;
        let place = self.attributes.iter().position(|probability| {
            sum += probability;
            drawn < sum
        });
        place.unwrap_or(self.attributes.len() - 1)
    }

    /// A find makes the attribute and the direction likelier; anybody else less likely.
    fn learn(&mut self, step: Step, steps: f64, found: bool) {
        let lesson = if found { LESSON } else { -LESSON };
        let down = &mut self.down[step.index];
        *down = (*down - step.direction as f64 * lesson * steps).clamp(0.0, 1.0);
        let attribute = &mut self.attributes[step.index];
        *attribute = (*attribute + lesson).max(0.0);
        let sum: f64 = self.attributes.iter().sum();
        for attribute in &mut self.attributes {
            *attribute /= sum;
        }
    }
}

/// Which movable attribute is moved, which way, and the code that it had.
#[derive(Debug, Clone, Copy)]
struct Step {
    index: usize,
    direction: i64,
    from: Code,
}

struct Walk {
    /// Somebody who was found; while a step is tested, whom it leads to.
    person: Vec<Code>,
    /// The real person to stay near, if there is one.
    origin: Vec<Code>,
    stream: Stream,
    step: Option<Step>,
}

impl Walk {
    fn new(search: &Lockstep<'_, '_>, index: usize, drawn: Drawn) -> Self {
        Walk {
            person: drawn.person,
            origin: drawn.origin,
            stream: stream(search.seed, search.benchmark, Purpose::Chain, index as u64),
            step: None,
        }
    }

    /// Moves one attribute, unless that leads to somebody who must not be tested.
    fn propose(&mut self, search: &Lockstep<'_, '_>, learnt: &Learnt) {
        let index = learnt.attribute(unit(&mut self.stream));
        let attribute = search.space.movable()[index];
        let from = self.person[attribute];
        let is_at_edge = from == 0 || from == search.space.largest(attribute);
        let down = match is_at_edge {
            true => below(&mut self.stream, 2) == 0,
            false => unit(&mut self.stream) < learnt.down[index],
        };
        let direction = if down { -1 } else { 1 };
        let steps = direction * search.settings.local_step as i64;
        self.person[attribute] = search.moved(attribute, from, steps);
        let fences = &search.fences;
        let may_go = fences.are_open()
            || fences.allow_move(search.space, &self.person, attribute, &self.origin);
        self.step = may_go.then_some(Step {
            index,
            direction,
            from,
        });
        if !may_go {
            self.person[attribute] = from;
        }
    }

    /// A step is taken if it leads to a find.
    fn resolve(&mut self, search: &Lockstep<'_, '_>, learnt: &mut Learnt, met: Met) {
        let Some(step) = self.step else {
            return;
        };
        learnt.learn(step, search.settings.local_step, met.discriminated);
        if !met.discriminated {
            self.person[search.space.movable()[step.index]] = step.from;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(index: usize, direction: i64) -> Step {
        Step {
            index,
            direction,
            from: 0,
        }
    }

    #[test]
    fn finds_make_an_attribute_and_a_direction_likelier() {
        let mut learnt = Learnt::new(4);
        learnt.learn(step(1, -1), 1.0, true);
        assert_eq!(learnt.down, [0.5, 0.501, 0.5, 0.5]);
        assert!(learnt.attributes[1] > 0.25 && learnt.attributes[0] < 0.25);
        learnt.learn(step(1, 1), 1.0, true);
        learnt.learn(step(2, 1), 2.0, false);
        assert_eq!(learnt.down, [0.5, 0.5, 0.502, 0.5]);
        assert!(learnt.attributes[2] < learnt.attributes[3]);
        let sum: f64 = learnt.attributes.iter().sum();
        assert!((sum - 1.0).abs() < 1e-12);
    }

    #[test]
    fn probabilities_stay_probabilities() {
        let mut learnt = Learnt::new(3);
        for _ in 0..10_000 {
            learnt.learn(step(0, 1), 1.0, false);
            learnt.learn(step(2, 1), 1.0, true);
        }
        assert_eq!(learnt.down, [1.0, 0.5, 0.0]);
        assert_eq!(learnt.attributes[0], 0.0);
        assert_eq!(learnt.attribute(0.999_999), 2);
    }
}
