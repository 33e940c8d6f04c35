//! The local phase of the paper (Algorithm 4): from every global find a chain walks on among
//! counterexamples.

use super::axis::Axis;
use super::gradient::{Point, Precision};
use super::random::{Purpose, Stream, below, stream, unit};
use super::rows::{copy, pad, push_combinations};
use super::tested::{Change, Glance, Place, Slot, Wanted, sum};
use super::{Find, Lockstep, Phase};
use crate::model::meter::{self, Halt};
use crate::schema::Code;
use crate::spec::Method;

/// Keeps the reciprocal of a zero gradient finite.
pub(crate) const SMALLEST_SALIENCE: f64 = 1e-6;

/// What all chains go by.
struct Ground {
    /// One for each movable attribute.
    axes: Vec<Axis>,
    /// How far a step leads.
    stride: i64,
    steps_between_gradients: usize,
    /// Whether a chain that has not moved takes another counterpart all the same.
    changes_pairs: bool,
}

impl Ground {
    fn new(search: &Lockstep<'_, '_>) -> Self {
        let settings = search.settings;
        Ground {
            axes: Axis::all(search.space),
            stride: settings.local_step as i64,
            steps_between_gradients: settings.steps_between_gradients(),
            changes_pairs: settings.method == Method::Adf,
        }
    }
}

/// A chain, and what it waits for.
struct Seat {
    chain: Chain,
    proposal: Proposal,
    /// The counterpart whose gradient is wanted with the person's own, and the place of both among the
    /// gradients once they are there.
    pair: Option<usize>,
    gradients: usize,
}

struct Chain {
    place: Standing,
    start: Standing,
    combination: usize,
    /// Running sums of the attributes' weights: the last one is the total.
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

/// Where a chain stands.
#[derive(Clone)]
struct Standing {
    slot: Slot,
    /// The [`sum`] of the key.
    sum: u64,
    key: Key,
    /// What the model eats for this person, in blocks that are copied quickly.
    row: Vec<f32>,
}

/// A packed profile. Most have one word, which is looked at in every step: it lies where the chain does.
#[derive(Clone)]
enum Key {
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
    fn words(&self) -> &[u64] {
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
struct Proposal {
    change: Change,
    /// Which attribute is moved, and what the model eats for it then.
    attribute: usize,
    value: f32,
    seen: Glance,
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
    fn new(search: &Lockstep<'_, '_>, ground: &Ground, index: usize, find: Find) -> Self {
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
            weights: Vec::with_capacity(ground.axes.len()),
            start_weights: Vec::with_capacity(ground.axes.len()),
            as_at_start: false,
            weights_of: None,
            start_pair: find.combination,
            steps_since_gradient: 0,
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
    fn draw_pair(&mut self, search: &Lockstep<'_, '_>) -> Option<usize> {
        let (slot, own) = (self.place.slot, self.combination);
        let draw = |count: usize| below(&mut self.stream, count.max(1) as u64) as usize;
        let pair = search.tested.any_other(slot, own, draw).unwrap_or(own);
        (self.weights_of != Some((slot, pair))).then_some(pair)
    }

    fn learn(&mut self, counterpart: usize, own: &[f64], other: &[f64]) {
        self.weights_of = Some((self.place.slot, counterpart));
        self.as_at_start = self.start_weights.is_empty();
        let weights = if self.as_at_start {
            self.start_pair = counterpart;
            &mut self.start_weights
        } else {
            &mut self.weights
        };
        set_weights(weights, own, other);
    }

    fn weights(&self) -> &[f64] {
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

/// An attribute that hardly moves the score is likely to be picked: weights are reciprocals, added up.
fn set_weights(weights: &mut Vec<f64>, own: &[f64], other: &[f64]) {
    let both = own.iter().zip(other);
    weights.clear();
    // Apart from adding up, because several are divided at once.
    weights.extend(both.map(|(own, other)| 1.0 / (own.abs() + other.abs() + SMALLEST_SALIENCE)));
    let mut sum = 0.0;
    for weight in weights {
        sum += *weight;
        *weight = sum;
    }
}

/// Walks all chains side by side.
pub(super) fn run(search: &mut Lockstep<'_, '_>, finds: &[Find], steps: usize) -> Result<(), Halt> {
    if search.space.movable().is_empty() || finds.is_empty() {
        return Ok(());
    }
    let ground = Ground::new(search);
    let seat = |(index, &find): (usize, &Find)| {
        let mut chain = Chain::new(search, &ground, index, find);
        Seat {
            pair: chain.draw_pair(search),
            chain,
            proposal: Proposal::default(),
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
            propose_all(search, &ground, seats);
        });
        test(search, &mut seats)?;
        search.share_out(&mut seats, |search, seats| {
            step_on(search, &ground, seats);
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
        let place = &seat.chain.place;
        let scores = search.tested.scores(place.slot);
        points.extend(
            [seat.chain.combination, counterpart].map(|combination| Point {
                profile: place.key.words(),
                combination,
                score: scores[combination],
            }),
        );
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
/// In several passes, each of which brings near what the next one looks at: so the memory of one chain
/// comes while others are at work.
fn propose_all(search: &Lockstep<'_, '_>, ground: &Ground, seats: &mut [Seat]) {
    let tested = &search.tested;
    for seat in seats.iter_mut() {
        seat.proposal = propose(search, ground, &mut seat.chain);
        tested.bring_place(seat.proposal.change);
    }
    let places = seats.iter().map(|seat| {
        let place = tested.likely(seat.proposal.change);
        tested.bring_profile(place);
        place
    });
    let places: Vec<Place> = places.collect();
    for (seat, place) in seats.iter_mut().zip(places) {
        seat.proposal.seen = tested.glance(&seat.wanted(), place, seat.chain.combination);
    }
    for seat in seats.iter_mut().filter(|seat| !seat.proposal.seen.is_sure) {
        let known = tested.known(&seat.wanted(), seat.chain.combination);
        seat.proposal.seen = Glance::from(known);
    }
}

impl Seat {
    /// The profile of the proposal.
    fn wanted(&self) -> Wanted<'_> {
        let key = self.chain.place.key.words();
        let change = self.proposal.change;
        Wanted { key, change }
    }
}

/// Picks an attribute and a direction. A move that clipping undoes, or that may not be made, leads to the
/// chain's own place, a person who is known to be a counterexample.
fn propose(search: &Lockstep<'_, '_>, ground: &Ground, chain: &mut Chain) -> Proposal {
    chain.steps_since_gradient += 1;
    let drawn = unit(&mut chain.stream);
    let goes_up = below(&mut chain.stream, 2) == 1;
    let weights = chain.weights();
    let drawn = drawn * weights.last().copied().unwrap_or_default();
    let picked = weights.iter().filter(|&&sum| sum <= drawn).count();
    let axis = &ground.axes[picked.min(ground.axes.len() - 1)];
    let step = if goes_up {
        ground.stride
    } else {
        -ground.stride
    };
    let (key, sum) = (chain.place.key.words(), chain.place.sum);
    let code = axis.field.code(key);
    let moved = axis.moved(code, step);
    let moved = match may_go(search, chain, axis.field.attribute, moved) {
        true => moved,
        false => code,
    };
    let (word, value) = axis.field.change(key, moved);
    Proposal {
        change: Change::new(key, sum, word, value),
        attribute: axis.field.attribute,
        value: axis.value(moved),
        seen: Glance::default(),
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

/// Tests those proposals whom nobody knows, and notes what came of it.
fn test(search: &mut Lockstep<'_, '_>, seats: &mut [Seat]) -> Result<(), Halt> {
    search.iterations += seats.len() as u64;
    let new = unknown(seats);
    let added = enlist(search, seats, &new);
    ask(search, seats, &added)?;
    for place in new {
        let Seat {
            chain, proposal, ..
        } = &mut seats[place];
        proposal.seen.is_found = search.tested.meet(proposal.seen.slot, chain.combination);
    }
    Ok(())
}

/// The places of those whose proposal nobody knows. Who that is cannot be guessed, so nothing here depends
/// on a guess.
fn unknown(seats: &[Seat]) -> Vec<usize> {
    let mut places = vec![0; seats.len()];
    let mut count = 0;
    for (place, seat) in seats.iter().enumerate() {
        places[count] = place;
        count += usize::from(!seat.proposal.seen.is_met);
    }
    places.truncate(count);
    places
}

/// Enlists the proposals of those at these places. Says whose profiles are new, in the order of their slots.
fn enlist(search: &mut Lockstep<'_, '_>, seats: &mut [Seat], new: &[usize]) -> Vec<usize> {
    let first = search.tested.profiles();
    let mut added = Vec::with_capacity(new.len());
    for &place in new {
        let slot = search.tested.slot_of(&seats[place].wanted());
        seats[place].proposal.seen.slot = slot;
        if slot as usize == first + added.len() {
            added.push(place);
        }
    }
    added
}

/// Asks for all combinations of those who are new.
fn ask(search: &mut Lockstep<'_, '_>, seats: &[Seat], added: &[usize]) -> Result<(), Halt> {
    let space = search.space;
    let is_all = search.answered + added.len() == search.tested.profiles();
    if space.is_constrained() || !is_all {
        return search.ask_enlisted();
    }
    let scores = search.meter.ask(&meter::Wanted {
        items: added.len(),
        each: space.combinations().len(),
        make: &|items, rows| {
            for &place in &added[items] {
                let Seat {
                    chain, proposal, ..
                } = &seats[place];
                let change = (proposal.attribute, proposal.value);
                push_combinations(space, &chain.place.row, change, rows);
            }
        },
    })?;
    search.note_answers(&scores);
    Ok(())
}

/// Every chain steps to its proposal if that is a counterexample, and back to the start otherwise. Those
/// who want new weights then choose a counterpart.
fn step_on(search: &Lockstep<'_, '_>, ground: &Ground, seats: &mut [Seat]) {
    let mut due = Vec::new();
    for (place, seat) in seats.iter_mut().enumerate() {
        if seat.proposal.seen.is_found {
            seat.chain.place.step_to(&seat.proposal);
        } else {
            seat.chain.go_back();
        }
        seat.pair = None;
        if seat.chain.is_due(ground) {
            search.tested.bring_scores(seat.chain.place.slot);
            due.push(place);
        }
    }
    for place in due {
        let seat = &mut seats[place];
        seat.pair = seat.chain.draw_pair(search);
    }
}
