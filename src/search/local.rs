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

/// A chain, and what it waits for.
///
/// Some of the work on a step has to be done for one chain after the other. That work looks at what lies
/// here side by side: a chain stays in the cache of the worker that walks it.
struct Seat {
    chain: Box<Chain>,
    proposal: Option<Proposal>,
    /// The counterpart whose gradient is wanted with the person's own, and the place of both among the
    /// gradients once they are there.
    pair: Option<usize>,
    gradients: usize,
}

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
    combination: usize,
    found: bool,
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
        }
    }

    /// The counterpart with whom the chain needs new weights: if its weights are old and it has moved
    /// since. ADF takes another counterpart even where a chain has not moved.
    fn pair_for_weights(&mut self, search: &Lockstep<'_, '_>) -> Option<usize> {
        if self.steps_since_gradient < search.settings.steps_between_gradients() {
            return None;
        }
        self.steps_since_gradient = 0;
        let stayed = self.weights_of.is_some_and(|(slot, _)| slot == self.slot);
        if stayed && search.settings.method != Method::Adf {
            return None;
        }
        let pair = pair(search, self);
        (self.weights_of != Some((self.slot, pair))).then_some(pair)
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
    let seat = |(index, &find): (usize, &Find)| {
        let mut chain = Box::new(Chain::new(search, index, find));
        Seat {
            pair: chain.pair_for_weights(search),
            chain,
            proposal: None,
            gradients: 0,
        }
    };
    let mut seats: Vec<Seat> = finds.iter().enumerate().map(seat).collect();
    search.tested.reserve(seats.len() * steps / 2);
    for step in 0..steps {
        search.tell(Phase::Local, step, steps);
        let gradients = gradients(search, &mut seats)?;
        search.share_out(&mut seats, |search, seats| {
            learn(search, seats, &gradients);
            propose_all(search, seats);
        });
        test(search, &mut seats)?;
        search.share_out(&mut seats, |search, seats| {
            for seat in seats {
                step_on(search, seat);
                seat.pair = seat.chain.pair_for_weights(search);
            }
        });
    }
    Ok(())
}

/// The gradients of all who want new weights, in one call.
fn gradients(search: &mut Lockstep<'_, '_>, seats: &mut [Seat]) -> Result<Vec<f64>, Halt> {
    let movable = search.space.movable().len();
    let mut points = Vec::new();
    for seat in seats {
        let Some(counterpart) = seat.pair else {
            continue;
        };
        seat.gradients = points.len() * movable;
        let chain = &seat.chain;
        let scores = search.tested.scores(chain.slot);
        let combinations = [chain.start.combination, counterpart];
        points.extend(combinations.map(|combination| Point {
            profile: &chain.key,
            combination,
            score: scores[combination],
        }));
    }
    if points.is_empty() {
        return Ok(Vec::new());
    }
    search
        .gradients
        .of(&points, Precision::Canonical, search.meter)
}

/// Makes weights of the gradients.
fn learn(search: &Lockstep<'_, '_>, seats: &mut [Seat], gradients: &[f64]) {
    let movable = search.space.movable().len();
    for seat in seats {
        if let Some(counterpart) = seat.pair {
            let both = &gradients[seat.gradients..][..2 * movable];
            let (own, other) = both.split_at(movable);
            seat.chain.learn(counterpart, own, other);
        }
    }
}

/// Every chain chooses whom to step to, and looks whether anyone knows this person.
///
/// In three passes, because the middle one waits for memory: in a loop of its own, one chain's wait
/// hides behind the others'.
fn propose_all(search: &Lockstep<'_, '_>, seats: &mut [Seat]) {
    for seat in seats.iter_mut() {
        seat.proposal = propose(search, &mut seat.chain);
    }
    for proposal in seats.iter_mut().filter_map(|seat| seat.proposal.as_mut()) {
        proposal.place = search.tested.place(proposal.change);
    }
    for Seat {
        chain, proposal, ..
    } in seats
    {
        if let Some(proposal) = proposal {
            let (key, change) = (chain.key.as_slice(), proposal.change);
            let (wanted, place) = (Wanted { key, change }, proposal.place);
            proposal.known = search.tested.known(&wanted, place, proposal.combination);
        }
    }
}

/// Tests those proposals whom nobody knows, and notes what came of it.
fn test(search: &mut Lockstep<'_, '_>, seats: &mut [Seat]) -> Result<(), Halt> {
    let has_one_word = search.space.packing().words() == 1;
    let mut new: Vec<&mut Proposal> = Vec::new();
    search.iterations += seats.len() as u64;
    for Seat {
        chain, proposal, ..
    } in seats
    {
        let Some(proposal) = proposal.as_mut().filter(|p| p.known == Known::Nothing) else {
            continue;
        };
        // Where there is but one word the change is all of it.
        let key = match has_one_word {
            true => &[0],
            false => chain.key.as_slice(),
        };
        let change = proposal.change;
        proposal.slot = search.tested.slot_of(&Wanted { key, change });
        new.push(proposal);
    }
    search.ask_enlisted()?;
    for proposal in new {
        proposal.found = search.tested.meet(proposal.slot, proposal.combination);
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
        combination: chain.start.combination,
        found: false,
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

/// Steps to the proposal if it is a counterexample, and back to the start otherwise.
fn step_on(search: &Lockstep<'_, '_>, seat: &mut Seat) {
    let Some(proposal) = seat.proposal.take() else {
        return;
    };
    let chain = &mut seat.chain;
    let counterexample = match proposal.known {
        Known::Nothing => proposal.found.then_some(proposal.slot),
        Known::Discriminated(slot) => Some(slot),
        Known::Alike => None,
    };
    match counterexample {
        Some(slot) => {
            chain.sum = proposal.change.make(&mut chain.key, chain.sum);
            chain.slot = slot;
        }
        None => chain.reset(search.tested.key(chain.start.slot)),
    }
}
