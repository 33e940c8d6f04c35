//! The local phase of the paper (Algorithm 4): from every global find a chain walks on among
//! counterexamples.

use super::gradient::{Point, Precision};
use super::random::{Purpose, Stream, below, stream, unit};
use super::tested::Slot;
use super::{Find, Lockstep, Phase};
use crate::model::meter::Halt;

/// Keeps the reciprocal of a zero gradient finite.
const SMALLEST_SALIENCE: f64 = 1e-6;

struct Chain {
    start: Find,
    /// Where the chain stands, packed.
    key: Vec<u64>,
    slot: Slot,
    /// Running sums of the attributes' weights: the last one is the total.
    weights: Vec<f64>,
    start_weights: Vec<f64>,
    /// Where the weights were taken.
    weights_of: Option<Slot>,
    steps_since_gradient: usize,
    stream: Stream,
    /// The person that the chain wants to step to, packed.
    proposal: Vec<u64>,
    proposed: Option<Slot>,
}

impl Chain {
    fn new(search: &Lockstep<'_, '_>, index: usize, start: Find) -> Self {
        let key = search.tested.key(start.slot).to_vec();
        Chain {
            proposal: key.clone(),
            key,
            slot: start.slot,
            start,
            weights: Vec::new(),
            start_weights: Vec::new(),
            weights_of: None,
            steps_since_gradient: search.settings.update_interval,
            stream: stream(search.seed, search.benchmark, Purpose::Chain, index as u64),
            proposed: None,
        }
    }

    fn learn(&mut self, own: &[f64], other: &[f64]) {
        self.weights.clear();
        self.weights.extend(running_weights(own, other));
        self.weights_of = Some(self.slot);
        if self.start_weights.is_empty() {
            self.start_weights.clone_from(&self.weights);
        }
    }

    fn reset(&mut self, start: &[u64]) {
        self.key.copy_from_slice(start);
        self.slot = self.start.slot;
        self.weights.clone_from(&self.start_weights);
        self.weights_of = Some(self.slot);
        self.steps_since_gradient = 0;
    }
}

/// Walks all chains side by side.
pub(super) fn run(search: &mut Lockstep<'_, '_>, finds: &[Find], steps: usize) -> Result<(), Halt> {
    if search.space.movable().is_empty() || finds.is_empty() {
        return Ok(());
    }
    let mut chains: Vec<Chain> = finds
        .iter()
        .enumerate()
        .map(|(index, &find)| Chain::new(search, index, find))
        .collect();
    search.tested.reserve(chains.len() * steps / 2);
    for step in 0..steps {
        search.tell(Phase::Local, step, steps);
        learn(search, &mut chains)?;
        search.share_out(&mut chains, |search, chains| {
            chains.iter_mut().for_each(|chain| propose(search, chain));
        });
        for chain in &mut chains {
            if chain.proposal != chain.key {
                chain.proposed = Some(search.tested.slot(&chain.proposal).0);
            }
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
                profile: &chain.key,
                combination,
                score: scores[combination],
            })
        })
        .collect();
    if points.is_empty() {
        return Ok(());
    }
    let gradients = search
        .estimator
        .gradients(&points, Precision::Canonical, search.meter)?;
    let movable = search.space.movable().len();
    for ((index, _), pair) in asked.iter().zip(gradients.chunks_exact(2 * movable)) {
        let (own, other) = pair.split_at(movable);
        chains[*index].learn(own, other);
    }
    Ok(())
}

/// One of the counterparts that are decided otherwise, at random.
fn pair(search: &Lockstep<'_, '_>, chain: &mut Chain) -> usize {
    let own = chain.start.combination;
    let count = search.tested.other_decisions(chain.slot, own).count();
    let turn = below(&mut chain.stream, count.max(1) as u64) as usize;
    let mut others = search.tested.other_decisions(chain.slot, own);
    others.nth(turn).unwrap_or(own)
}

/// An attribute that hardly moves the score is likely to be picked: weights are reciprocals.
fn running_weights(own: &[f64], other: &[f64]) -> impl Iterator<Item = f64> {
    own.iter().zip(other).scan(0.0, |sum, (own, other)| {
        *sum += 1.0 / (own.abs() + other.abs() + SMALLEST_SALIENCE);
        Some(*sum)
    })
}

/// Picks an attribute and a direction. A move that clipping undoes proposes the chain's own place:
/// a person who is known to be a counterexample.
fn propose(search: &Lockstep<'_, '_>, chain: &mut Chain) {
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
    let packing = search.space.packing();
    let code = search.moved(attribute, packing.code(&chain.key, attribute), step);
    chain.proposal.copy_from_slice(&chain.key);
    packing.set(&mut chain.proposal, attribute, code);
}

fn resolve(search: &mut Lockstep<'_, '_>, chain: &mut Chain) {
    let Some(slot) = chain.proposed.take() else {
        return;
    };
    if search.tested.meet(slot, chain.start.combination) {
        std::mem::swap(&mut chain.key, &mut chain.proposal);
        chain.slot = slot;
    } else {
        chain.reset(search.tested.key(chain.start.slot));
    }
}
