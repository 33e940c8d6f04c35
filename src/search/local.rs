//! The local phase (Algorithm 4): from every global find a chain walks on among counterexamples.

use super::global::Find;
use super::gradient::Point;
use super::random::{Purpose, Stream, below, stream, unit};
use super::tested::Slot;
use super::{Lockstep, Phase};
use crate::model::meter::Halt;
use crate::schema::Code;

/// Keeps the reciprocal of a zero gradient finite.
const SMALLEST_SALIENCE: f64 = 1e-6;

struct Chain {
    start: Find,
    start_weights: Option<Vec<f64>>,
    person: Vec<Code>,
    slot: Slot,
    /// Running sums of the attributes' weights: the last one is the total.
    weights: Vec<f64>,
    /// Where the weights were taken.
    weights_of: Option<Slot>,
    steps_since_gradient: usize,
    stream: Stream,
    proposal: Option<(Vec<Code>, Slot)>,
}

impl Chain {
    fn new(start: Find, interval: usize, stream: Stream) -> Self {
        Chain {
            person: start.person.clone(),
            slot: start.slot,
            start,
            start_weights: None,
            weights: Vec::new(),
            weights_of: None,
            steps_since_gradient: interval,
            stream,
            proposal: None,
        }
    }

    fn reset(&mut self) {
        self.person.clone_from(&self.start.person);
        self.slot = self.start.slot;
        if let Some(weights) = &self.start_weights {
            self.weights.clone_from(weights);
        }
        self.weights_of = Some(self.start.slot);
        self.steps_since_gradient = 0;
    }
}

/// Walks all chains side by side.
pub(super) fn run(search: &mut Lockstep<'_, '_>, finds: &[Find], steps: usize) -> Result<(), Halt> {
    if search.space.movable().is_empty() {
        return Ok(());
    }
    let interval = search.settings.update_interval;
    let mut chains: Vec<Chain> = finds
        .iter()
        .enumerate()
        .map(|(index, find)| {
            let stream = stream(search.seed, search.benchmark, Purpose::Chain, index as u64);
            Chain::new(find.clone(), interval, stream)
        })
        .collect();
    if chains.is_empty() {
        return Ok(());
    }
    for step in 0..steps {
        search.tell(Phase::Local, step, steps);
        learn(search, &mut chains)?;
        for chain in &mut chains {
            propose(search, chain);
        }
        search.iterations += chains.len() as u64;
        search.ask_enlisted()?;
        for chain in &mut chains {
            resolve(search, chain);
        }
    }
    Ok(())
}

/// New weights for every chain whose weights are old and that has moved since, in one call.
fn learn(search: &mut Lockstep<'_, '_>, chains: &mut [Chain]) -> Result<(), Halt> {
    let interval = search.settings.update_interval;
    let mut asked = Vec::new();
    for (index, chain) in chains.iter_mut().enumerate() {
        if chain.steps_since_gradient < interval {
            continue;
        }
        chain.steps_since_gradient = 0;
        if chain.weights_of != Some(chain.slot) {
            asked.push((index, pair(search, chain)));
        }
    }
    let points: Vec<Point<'_>> = asked
        .iter()
        .flat_map(|&(index, counterpart)| {
            let chain = &chains[index];
            let scores = search.tested.scores(chain.slot);
            [chain.start.combination, counterpart].map(|combination| Point {
                person: &chain.person,
                combination,
                score: scores[combination],
            })
        })
        .collect();
    if points.is_empty() {
        return Ok(());
    }
    let gradients = search.estimator.gradients(&points, search.meter)?;
    let movable = search.space.movable().len();
    for ((index, _), pair) in asked.iter().zip(gradients.chunks_exact(2 * movable)) {
        let chain = &mut chains[*index];
        let (own, other) = pair.split_at(movable);
        chain.weights.clear();
        chain.weights.extend(running_weights(own, other));
        chain.weights_of = Some(chain.slot);
        if chain.start_weights.is_none() {
            chain.start_weights = Some(chain.weights.clone());
        }
    }
    Ok(())
}

/// One of the counterparts that are decided otherwise, at random.
fn pair(search: &Lockstep<'_, '_>, chain: &mut Chain) -> usize {
    let own = chain.start.combination;
    let count = search.tested.other_decisions(chain.slot, own).count();
    let turn = below(&mut chain.stream, count.max(1) as u64) as usize;
    search
        .tested
        .other_decisions(chain.slot, own)
        .nth(turn)
        .unwrap_or(own)
}

/// An attribute that hardly moves the score is likely to be picked: weights are reciprocals.
fn running_weights(own: &[f64], other: &[f64]) -> impl Iterator<Item = f64> {
    own.iter().zip(other).scan(0.0, |sum, (own, other)| {
        *sum += 1.0 / (own.abs() + other.abs() + SMALLEST_SALIENCE);
        Some(*sum)
    })
}

fn propose(search: &mut Lockstep<'_, '_>, chain: &mut Chain) {
    chain.steps_since_gradient += 1;
    let total = chain.weights.last().copied().unwrap_or_default();
    let drawn = unit(&mut chain.stream) * total;
    let picked = chain.weights.partition_point(|&sum| sum <= drawn);
    let attribute = search.space.movable()[picked.min(chain.weights.len() - 1)];
    let direction = if below(&mut chain.stream, 2) == 0 {
        -1
    } else {
        1
    };
    let step = direction * search.settings.local_step as i64;
    let code = search.moved(attribute, chain.person[attribute], step);
    // A move that clipping undoes leaves a person who is known to be a counterexample.
    chain.proposal = (code != chain.person[attribute]).then(|| {
        let mut person = chain.person.clone();
        person[attribute] = code;
        let slot = search.enlist(&person);
        (person, slot)
    });
}

fn resolve(search: &mut Lockstep<'_, '_>, chain: &mut Chain) {
    let Some((person, slot)) = chain.proposal.take() else {
        return;
    };
    search.meet(slot, chain.start.combination);
    if search.tested.discriminated(slot, chain.start.combination) {
        chain.person = person;
        chain.slot = slot;
    } else {
        chain.reset();
    }
}
