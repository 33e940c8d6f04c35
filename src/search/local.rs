//! The local phase of the paper (Algorithm 4): from every global find a chain walks on among
//! counterexamples.

use super::gradient::{Point, Precision};
use super::random::{Purpose, Stream, below, stream, unit};
use super::tested::{Change, Known, Place, Slot, Wanted, sum};
use super::{Find, Lockstep, Phase};
use crate::model::meter::Halt;
use crate::schema::Code;
use crate::spec::Method;

/// Keeps the reciprocal of a zero gradient finite.
pub(crate) const SMALLEST_SALIENCE: f64 = 1e-6;

struct Chain {
    start: Find,
    /// Where the chain stands, packed.
    key: Vec<u64>,
    /// The [`sum`] of the key.
    sum: u64,
    slot: Slot,
    weights: Vec<f64>,
    /// The first weights, taken at the start, and whether they hold: after going back there.
    start_weights: Vec<f64>,
    as_at_start: bool,
    /// Where the weights were taken, and with which counterpart.
    weights_of: Option<(Slot, usize)>,
    /// The counterpart of the first weights.
    start_pair: usize,
    steps_since_gradient: usize,
    stream: Stream,
    proposal: Option<Proposal>,
    /// The real person whom the chain stays near, if it has to.
    origin: Vec<Code>,
}

/// The person that a chain wants to step to.
#[derive(Clone, Copy)]
struct Proposal {
    change: Change,
    place: Place,
    known: Known,
    slot: Slot,
}

impl Chain {
    fn new(search: &Lockstep<'_, '_>, index: usize, start: Find) -> Self {
        let key = search.tested.key(start.slot).to_vec();
        let origin = match search.fences.need_origins() {
            true => search
                .fences
                .origin_of(search.space, &search.space.person(&key, start.combination)),
            false => Vec::new(),
        };
        Chain {
            origin,
            sum: sum(&key),
            key,
            slot: start.slot,
            start,
            weights: Vec::new(),
            start_weights: Vec::new(),
            as_at_start: false,
            weights_of: None,
            start_pair: start.combination,
            steps_since_gradient: search.settings.steps_between_gradients(),
            stream: stream(search.seed, search.benchmark, Purpose::Chain, index as u64),
            proposal: None,
        }
    }

    fn learn(&mut self, counterpart: usize, own: &[f64], other: &[f64]) {
        self.weights_of = Some((self.slot, counterpart));
        self.as_at_start = self.start_weights.is_empty();
        let weights = if self.as_at_start {
            self.start_pair = counterpart;
            &mut self.start_weights
        } else {
            &mut self.weights
        };
        weights.clear();
        weights.extend(running_weights(own, other));
    }

    /// Running sums of the attributes' weights: the last one is the total.
    fn weights(&self) -> &[f64] {
        if self.as_at_start {
            &self.start_weights
        } else {
            &self.weights
        }
    }

    fn reset(&mut self, start: &[u64]) {
        self.key.copy_from_slice(start);
        self.sum = sum(start);
        self.slot = self.start.slot;
        self.weights_of = Some((self.slot, self.start_pair));
        self.as_at_start = true;
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
        search.share_out(&mut chains, propose_all);
        for chain in &mut chains {
            if let Some(proposal) = &mut chain.proposal
                && proposal.known == Known::Nothing
            {
                let (key, change) = (chain.key.as_slice(), proposal.change);
                proposal.slot = search.tested.slot_of(&Wanted { key, change });
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

/// Every chain chooses whom to step to, and looks whether anyone knows this person.
///
/// In three passes, because the middle one waits for memory: in a loop of its own, one chain's wait
/// hides behind the others'.
fn propose_all(search: &Lockstep<'_, '_>, chains: &mut [Chain]) {
    for chain in chains.iter_mut() {
        chain.proposal = propose(search, chain);
    }
    let mut proposals: Vec<_> = chains
        .iter_mut()
        .filter_map(|chain| {
            let (key, own) = (chain.key.as_slice(), chain.start.combination);
            chain.proposal.as_mut().map(|proposal| (key, own, proposal))
        })
        .collect();
    for (_, _, proposal) in &mut proposals {
        proposal.place = search.tested.place(proposal.change);
    }
    for (key, own, proposal) in proposals {
        let change = proposal.change;
        let wanted = Wanted { key, change };
        proposal.known = search.tested.known(&wanted, proposal.place, own);
    }
}

/// New weights for every chain whose weights are old and that has moved since, in one call. ADF takes
/// another counterpart even where a chain has not moved.
fn learn(search: &mut Lockstep<'_, '_>, chains: &mut [Chain]) -> Result<(), Halt> {
    let interval = search.settings.steps_between_gradients();
    let every_pair = search.settings.method == Method::Adf;
    let mut asked = Vec::new();
    for (index, chain) in chains.iter_mut().enumerate() {
        if chain.steps_since_gradient < interval {
            continue;
        }
        chain.steps_since_gradient = 0;
        let stayed = chain.weights_of.is_some_and(|(slot, _)| slot == chain.slot);
        if stayed && !every_pair {
            continue;
        }
        let pair = pair(search, chain);
        if chain.weights_of != Some((chain.slot, pair)) {
            asked.push((index, pair));
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
        .gradients
        .of(&points, Precision::Canonical, search.meter)?;
    let movable = search.space.movable().len();
    for ((index, counterpart), pair) in asked.iter().zip(gradients.chunks_exact(2 * movable)) {
        let (own, other) = pair.split_at(movable);
        chains[*index].learn(*counterpart, own, other);
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

/// Picks an attribute and a direction. A move that clipping undoes proposes nobody: the chain's own
/// place, a person who is known to be a counterexample.
fn propose(search: &Lockstep<'_, '_>, chain: &mut Chain) -> Option<Proposal> {
    chain.steps_since_gradient += 1;
    let drawn = unit(&mut chain.stream);
    let direction = if below(&mut chain.stream, 2) == 0 {
        -1
    } else {
        1
    };
    let weights = chain.weights();
    let drawn = drawn * weights.last().copied().unwrap_or_default();
    let picked = weights.iter().filter(|&&sum| sum <= drawn).count();
    let attribute = search.space.movable()[picked.min(weights.len() - 1)];
    let step = direction * search.settings.local_step as i64;
    let field = search.space.packing().field(attribute);
    let code = field.code(&chain.key);
    let moved = search.moved(attribute, code, step);
    let (word, value) = field.change(&chain.key, moved);
    if moved == code || !may_go(search, chain, attribute, moved) {
        return None;
    }
    Some(Proposal {
        change: Change::new(&chain.key, chain.sum, word, value),
        place: Place::default(),
        known: Known::Nothing,
        slot: 0,
    })
}

/// Whether the search may test the person whom a move leads to.
fn may_go(search: &Lockstep<'_, '_>, chain: &Chain, attribute: usize, code: Code) -> bool {
    if search.fences.are_open() {
        return true;
    }
    let mut person = search.space.person(&chain.key, chain.start.combination);
    person[attribute] = code;
    search
        .fences
        .allow_move(search.space, &person, attribute, &chain.origin)
}

fn resolve(search: &mut Lockstep<'_, '_>, chain: &mut Chain) {
    let Some(proposal) = chain.proposal.take() else {
        return;
    };
    let found = match proposal.known {
        Known::Nothing => {
            let found = search.tested.meet(proposal.slot, chain.start.combination);
            found.then_some(proposal.slot)
        }
        Known::Discriminated(slot) => Some(slot),
        Known::Alike => None,
    };
    match found {
        Some(slot) => {
            chain.sum = proposal.change.make(&mut chain.key, chain.sum);
            chain.slot = slot;
        }
        None => chain.reset(search.tested.key(chain.start.slot)),
    }
}
