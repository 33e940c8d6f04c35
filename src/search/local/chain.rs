//! A chain of the paper's local phase: where it stands, how it chooses whom to step to, and what it waits for.

use crate::schema::Code;
use crate::search::axis::Axis;
use crate::search::gradient::Point;
use crate::search::near;
use crate::search::random::{Purpose, Stream, below, coin, stream, unit};
use crate::search::rows::{copy, pad};
use crate::search::tested::{Glance, Place, Slot};
use crate::search::wanted::{Change, Wanted, sum};
use crate::search::zero_order::Forward;
use crate::search::{Find, Lockstep};
use crate::spec::Method;

use super::weights::Weights;

/// What all chains go by.
pub(super) struct Ground {
    /// One for each movable attribute.
    axes: Vec<Axis>,
    /// How far a step leads.
    stride: i64,
    /// How many steps a chain takes.
    steps: usize,
    pub(super) steps_between_gradients: usize,
    /// Whether a chain that has not moved takes another counterpart all the same.
    changes_pairs: bool,
    /// How gradients are made of scores that are asked for together with tests, if they can be.
    pub(super) forward: Option<Forward>,
}

impl Ground {
    pub(super) fn new(search: &Lockstep<'_, '_>, steps: usize) -> Self {
        let settings = search.settings;
        Ground {
            axes: Axis::all(search.space),
            stride: settings.local_step as i64,
            steps,
            steps_between_gradients: settings.steps_between_gradients(),
            changes_pairs: settings.method == Method::Adf,
            forward: search.gradients.forward(),
        }
    }
}

/// A chain, and what it waits for.
pub(super) struct Seat {
    pub(super) chain: Chain,
    pub(super) proposal: Proposal,
    pub(super) awaits: Awaits,
}

/// What a chain waits for before it can go on.
#[derive(Clone, Copy)]
pub(super) enum Awaits {
    /// The gradients of the person and of a counterpart.
    Gradients(Pair),
    /// What comes of its proposal, whom nobody knew.
    Test,
    /// A proposal, with new weights.
    Proposal,
    /// Nothing any more: it has taken all its steps.
    Nothing,
}

/// A person and a counterpart whose gradients are wanted.
#[derive(Clone, Copy)]
pub(super) struct Pair {
    pub(super) counterpart: usize,
    /// The scores of both.
    pub(super) scores: [f32; 2],
}

pub(super) struct Chain {
    pub(super) place: Standing,
    start: Standing,
    pub(super) combination: usize,
    weights: Weights,
    /// The first weights, taken at the start, and whether they hold: after going back there.
    start_weights: Weights,
    as_at_start: bool,
    /// Where the weights were taken, and with which counterpart.
    weights_of: Option<(Slot, usize)>,
    /// The counterpart of the first weights.
    start_pair: usize,
    pub(super) steps_since_gradient: usize,
    /// Steps that are left.
    steps: usize,
    stream: Stream,
    /// The real person whom the chain stays near, if it has to.
    origin: Vec<Code>,
}

/// Where a chain stands.
#[derive(Clone)]
pub(super) struct Standing {
    slot: Slot,
    /// The [`sum`] of the key.
    sum: u64,
    pub(super) key: Key,
    /// What the model eats for this person, in blocks that are copied quickly.
    pub(super) row: Vec<f32>,
}

/// A packed profile. Most have one word, which is looked at in every step: it lies where the chain does.
#[derive(Clone)]
pub(super) enum Key {
    One([u64; 1]),
    Many(Vec<u64>),
}

impl Key {
    fn new(words: &[u64]) -> Self {
        match words {
            [word] => Key::One([*word]),
            words => Key::Many(words.to_vec()),
        }
    }

    #[inline]
    pub(super) fn words(&self) -> &[u64] {
        match self {
            Key::One(word) => word,
            Key::Many(words) => words,
        }
    }

    #[inline]
    fn words_mut(&mut self) -> &mut [u64] {
        match self {
            Key::One(word) => word,
            Key::Many(words) => words,
        }
    }

    #[inline]
    fn become_like(&mut self, other: &Key) {
        match (self, other) {
            (Key::One(word), Key::One(other)) => *word = *other,
            (own, other) => own.words_mut().copy_from_slice(other.words()),
        }
    }
}

/// The person that a chain wants to step to.
#[derive(Clone, Copy, Default)]
pub(super) struct Proposal {
    pub(super) change: Change,
    /// Which attribute is moved, and what the model eats for it then.
    pub(super) attribute: usize,
    pub(super) value: f32,
    /// Where it is likely to be found, if anybody knows it.
    pub(super) place: Place,
    pub(super) seen: Glance,
}

impl Standing {
    fn new(search: &Lockstep<'_, '_>, find: Find) -> Self {
        let key = search.tested.key(find.slot);
        let mut row = Vec::new();
        search.space.push_packed(key, find.combination, &mut row);
        pad(&mut row);
        Standing {
            slot: find.slot,
            sum: sum(key),
            key: Key::new(key),
            row,
        }
    }

    fn step_to(&mut self, proposal: &Proposal) {
        self.sum = proposal.change.make(self.key.words_mut(), self.sum);
        self.row[proposal.attribute] = proposal.value;
        self.slot = proposal.seen.slot;
    }

    fn go_back_to(&mut self, start: &Standing) {
        self.key.become_like(&start.key);
        copy(&start.row, &mut self.row);
        self.sum = start.sum;
        self.slot = start.slot;
    }
}

impl Chain {
    pub(super) fn new(
        search: &Lockstep<'_, '_>,
        ground: &Ground,
        index: usize,
        find: Find,
    ) -> Self {
        let start = Standing::new(search, find);
        let origin = match search.fences.need_origins() {
            true => search.fences.origin_of(
                search.space,
                &search.space.person(start.key.words(), find.combination),
            ),
            false => Vec::new(),
        };
        Chain {
            origin,
            place: start.clone(),
            start,
            combination: find.combination,
            // What a step looks at lies side by side if it is there from the start.
            weights: Weights::with_capacity(ground.axes.len()),
            start_weights: Weights::with_capacity(ground.axes.len()),
            as_at_start: false,
            weights_of: None,
            start_pair: find.combination,
            steps_since_gradient: 0,
            steps: ground.steps,
            stream: stream(search.seed, search.benchmark, Purpose::Chain, index as u64),
        }
    }

    /// Whether the chain needs new weights: if its weights are old and it has moved since. ADF takes
    /// another counterpart even where a chain has not moved.
    fn is_due(&mut self, ground: &Ground) -> bool {
        if self.steps_since_gradient < ground.steps_between_gradients {
            return false;
        }
        self.steps_since_gradient = 0;
        let slot = self.place.slot;
        let has_stayed = self.weights_of.is_some_and(|(of, _)| of == slot);
        !has_stayed || ground.changes_pairs
    }

    /// The counterpart with whom the chain takes new weights: one of those that are decided otherwise, at
    /// random; nobody if it has these very weights.
    fn draw_pair(&mut self, search: &Lockstep<'_, '_>) -> Option<Pair> {
        let (slot, own) = (self.place.slot, self.combination);
        let draw = |count: usize| below(&mut self.stream, count.max(1) as u64) as usize;
        let counterpart = search.tested.any_other(slot, own, draw).unwrap_or(own);
        let scores = search.tested.scores(slot);
        (self.weights_of != Some((slot, counterpart))).then(|| Pair {
            counterpart,
            scores: [own, counterpart].map(|combination| scores[combination]),
        })
    }

    /// Takes new weights from how steep the scores of the person and of the counterpart are in each attribute,
    /// both added up.
    fn learn(&mut self, counterpart: usize, set_steepness: impl FnOnce(&mut Vec<f64>)) {
        self.weights_of = Some((self.place.slot, counterpart));
        self.as_at_start = self.start_weights.is_empty();
        let weights = if self.as_at_start {
            self.start_pair = counterpart;
            &mut self.start_weights
        } else {
            &mut self.weights
        };
        weights.set(set_steepness);
    }

    fn weights(&self) -> &Weights {
        if self.as_at_start {
            &self.start_weights
        } else {
            &self.weights
        }
    }

    fn go_back(&mut self) {
        self.place.go_back_to(&self.start);
        self.weights_of = Some((self.start.slot, self.start_pair));
        self.as_at_start = true;
        self.steps_since_gradient = 0;
    }
}

impl Seat {
    /// A chain that waits for its first weights.
    pub(super) fn new(mut chain: Chain, search: &Lockstep<'_, '_>) -> Self {
        let awaits = match chain.draw_pair(search) {
            Some(pair) => Awaits::Gradients(pair),
            None => unreachable!("a chain without weights wants some"),
        };
        Seat {
            chain,
            proposal: Proposal::default(),
            awaits,
        }
    }

    /// Brings the chain near, that is all that lies in its seat.
    #[inline]
    pub(super) fn bring(&self) {
        near::bring_all(std::slice::from_ref(self));
    }

    /// Brings near what the chain points to, as far as a step takes it.
    #[inline]
    pub(super) fn bring_pieces(&self) {
        near::bring_all(&self.chain.place.row);
        near::bring_all(&self.chain.start.row);
        self.chain.weights.bring();
        self.chain.start_weights.bring();
    }

    /// Brings near what rows are made of.
    #[inline]
    pub(super) fn bring_row(&self) {
        near::bring_all(&self.chain.place.row);
        near::bring_all(std::slice::from_ref(&self.proposal));
    }

    /// The profile of the proposal.
    pub(super) fn wanted(&self) -> Wanted<'_> {
        let key = self.chain.place.key.words();
        let change = self.proposal.change;
        Wanted { key, change }
    }

    /// The person and the counterpart whose gradients are wanted.
    pub(super) fn points(&self, pair: &Pair) -> [Point<'_>; 2] {
        let profile = self.chain.place.key.words();
        let both = [
            (self.chain.combination, pair.scores[0]),
            (pair.counterpart, pair.scores[1]),
        ];
        both.map(|(combination, score)| Point {
            profile,
            combination,
            score,
        })
    }

    /// Makes a step of the proposal that was tested, or a proposal by new weights. Says whether the chain has a
    /// proposal then.
    pub(super) fn go_on(
        &mut self,
        search: &Lockstep<'_, '_>,
        ground: &Ground,
        steps: &mut u64,
    ) -> bool {
        match self.awaits {
            Awaits::Test => self.step(search, ground, steps),
            Awaits::Proposal => self.propose(search, ground, steps),
            Awaits::Gradients(_) | Awaits::Nothing => false,
        }
    }

    /// Makes weights of the scores of probes: those around the person, then those around the counterpart.
    pub(super) fn learn_forward(&mut self, forward: Forward, pair: &Pair, scores: &[f32]) {
        let (own, other) = scores.split_at(scores.len() / 2);
        self.learn(pair.counterpart, |steepness| {
            forward.steepness(pair.scores, [own, other], steepness);
        });
    }

    /// Makes weights of how steep the scores are in each attribute.
    pub(super) fn learn(&mut self, counterpart: usize, set_steepness: impl FnOnce(&mut Vec<f64>)) {
        self.chain.learn(counterpart, set_steepness);
        self.awaits = Awaits::Proposal;
    }

    /// Draws whom to step to next. A step that leads nowhere is taken at once: the chain stands at a
    /// counterexample, whom it knows. Says whether there is a proposal, as [`Seat::step`] does; `steps` counts
    /// all that were drawn.
    fn propose(&mut self, search: &Lockstep<'_, '_>, ground: &Ground, steps: &mut u64) -> bool {
        loop {
            *steps += 1;
            self.chain.steps -= 1;
            if self.draw(search, ground) {
                search.tested.bring_place(self.proposal.change);
                return true;
            }
            if !self.is_ready(search, ground) {
                return false;
            }
        }
    }

    /// Picks an attribute and a direction. A move that clipping undoes, or that may not be made, leads nowhere:
    /// then there is no new proposal.
    #[inline]
    fn draw(&mut self, search: &Lockstep<'_, '_>, ground: &Ground) -> bool {
        let chain = &mut self.chain;
        chain.steps_since_gradient += 1;
        let drawn = unit(&mut chain.stream);
        let goes_up = coin(&mut chain.stream);
        let axis = &ground.axes[chain.weights().pick(drawn)];
        let step = if goes_up {
            ground.stride
        } else {
            -ground.stride
        };
        let (key, sum) = (chain.place.key.words(), chain.place.sum);
        let code = axis.field.code(key);
        let moved = axis.moved(code, step);
        if moved == code || !may_go(search, chain, axis.field.attribute, moved) {
            return false;
        }
        let (word, value) = axis.field.change(key, moved);
        let proposal = &mut self.proposal;
        proposal.change = Change::new(key, sum, word, value);
        proposal.attribute = axis.field.attribute;
        proposal.value = axis.value(moved);
        true
    }

    /// Whether the chain may take another step: not if it wants new weights, or has taken all its steps.
    fn is_ready(&mut self, search: &Lockstep<'_, '_>, ground: &Ground) -> bool {
        let chain = &mut self.chain;
        if chain.steps == 0 {
            self.awaits = Awaits::Nothing;
            return false;
        }
        if chain.is_due(ground)
            && let Some(pair) = chain.draw_pair(search)
        {
            self.awaits = Awaits::Gradients(pair);
            return false;
        }
        true
    }

    /// Looks whether anybody knows the proposal.
    pub(super) fn look(&mut self, search: &Lockstep<'_, '_>) -> bool {
        let (tested, combination) = (&search.tested, self.chain.combination);
        let mut seen = tested.glance(&self.wanted(), self.proposal.place, combination);
        if !seen.is_sure {
            seen = Glance::from(tested.known(&self.wanted(), combination));
        }
        self.proposal.seen = seen;
        if !seen.is_met {
            self.awaits = Awaits::Test;
        }
        seen.is_met
    }

    /// Steps to the proposal if that is a counterexample, and back to the start otherwise. Says whether the
    /// chain has another proposal then: not if it wants new weights, or has taken all its steps.
    pub(super) fn step(
        &mut self,
        search: &Lockstep<'_, '_>,
        ground: &Ground,
        steps: &mut u64,
    ) -> bool {
        let chain = &mut self.chain;
        if self.proposal.seen.is_found {
            chain.place.step_to(&self.proposal);
        } else {
            chain.go_back();
        }
        self.is_ready(search, ground) && self.propose(search, ground, steps)
    }
}

/// Whether the search may test the person whom a move leads to.
fn may_go(search: &Lockstep<'_, '_>, chain: &Chain, attribute: usize, code: Code) -> bool {
    if search.fences.are_open() {
        return true;
    }
    let mut person = search
        .space
        .person(chain.place.key.words(), chain.combination);
    person[attribute] = code;
    search
        .fences
        .allow_move(search.space, &person, attribute, &chain.origin)
}
