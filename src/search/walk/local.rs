//! The local phase: chains that walk on among counterexamples and test somebody new at every step.
//!
//! The paper's chain spends most of its steps on people whom it has seen, on moves that clipping
//! undoes and on gradients. Here a step always tests a person whom nobody has tested, inside the
//! domain, chosen by where the scores are expected to lie; every test teaches the chain a slope; and
//! a chain that finds nothing more goes on from somebody whom another chain found.

use crate::model::canonical;
use crate::model::meter::{self, Halt};
use crate::schema::{Code, Field, Space};
use crate::search::gradient::{Point, Precision};
use crate::search::random::{Purpose, Stream, below, stream};
use crate::search::sides::Frame;
use crate::search::tested::{Change, Known, Place, Slot, Wanted, sum};
use crate::search::{Find, Lockstep, Phase};

use super::moves::Moves;

/// Moves that are looked at before a chain gives up its place.
const LOOKS: usize = 8;

/// Steps through people who are known already, before a chain gives up its place.
const FREE_STEPS: usize = 4;

/// Tests without a find after which a chain goes elsewhere.
const PATIENCE: u32 = 12;

/// Moves elsewhere without a find after which a chain ends.
const LAST_MOVE: u32 = 4;

/// The score of a row that is being asked for.
const PENDING: f32 = f32::INFINITY;

/// A chain, and what it proposes.
///
/// Some of the work on a step has to be done for one chain after the other. That work looks at the
/// proposals alone, which lie side by side and are small: a chain stays in the cache of the worker that
/// walks it.
struct Seat {
    proposal: Proposal,
    chain: Box<Chain>,
}

/// The person whom a chain proposes to test, and what came of it.
#[derive(Clone, Copy, Default)]
struct Proposal {
    /// Whether there is anybody.
    made: bool,
    /// Whether the test was a find.
    found: bool,
    /// Whether the chain has ended.
    ended: bool,
    slot: Slot,
    /// The person's combination, and that of the counterpart who is asked about first.
    own: u32,
    other: u32,
    change: Change,
}

struct Chain {
    key: Vec<u64>,
    /// The [`sum`] of the key.
    sum: u64,
    /// What the model eats for the person, but for the protected attributes.
    row: Vec<f32>,
    slot: Slot,
    /// The person's combination, and one that is decided otherwise.
    own: usize,
    other: usize,
    /// What the scores of both must not cross, and how far they lie from it.
    frame: Frame,
    distances: [f32; 2],
    /// The real person whom the chain stays near, if it has to.
    origin: Vec<Code>,
    moves: Moves,
    barren_tests: u32,
    barren_moves: u32,
    stream: Stream,
    step: Option<Step>,
    looking: Looking,
    ended: bool,
}

/// The step that a chain would take to the person whom it proposes.
#[derive(Clone, Copy)]
struct Step {
    /// Which movable attribute is moved, which way and where to.
    index: usize,
    direction: i64,
    code: Code,
    change: Change,
    /// The attribute, and what the model eats for it then.
    cell: (usize, f32),
}

/// How far a chain is with choosing a proposal.
#[derive(Clone, Copy, Default)]
struct Looking {
    place: Place,
    looks: usize,
    free_steps: usize,
    /// A counterexample that the looks met.
    counterexample: Option<Slot>,
}

/// A movable attribute.
struct Axis {
    field: Field,
    largest: Code,
    /// What the model eats for its first code.
    base: f32,
}

impl Axis {
    fn all(space: &Space) -> Vec<Self> {
        let axis = |&attribute: &usize| Axis {
            field: space.packing().field(attribute),
            largest: space.largest(attribute),
            base: space.value(attribute, 0),
        };
        space.movable().iter().map(axis).collect()
    }

    /// A code some steps away, clipped to the domain.
    fn moved(&self, code: Code, steps: i64) -> Code {
        (i64::from(code) + steps).clamp(0, i64::from(self.largest)) as Code
    }
}

/// Walks `chains` chains side by side, from the finds in turn.
pub(in crate::search) fn run(
    search: &mut Lockstep<'_, '_>,
    finds: &[Find],
    chains: usize,
    steps: usize,
) -> Result<(), Halt> {
    if search.space.movable().is_empty() || finds.is_empty() {
        return Ok(());
    }
    let axes = &Axis::all(search.space);
    let mut seats: Vec<Seat> = finds
        .iter()
        .cycle()
        .take(chains.max(finds.len()))
        .enumerate()
        .map(|(index, find)| Seat {
            proposal: Proposal::default(),
            chain: Box::new(Chain::new(search, axes, index, *find)),
        })
        .collect();
    learn(search, &mut seats)?;
    search.tested.reserve(seats.len() * steps);
    for step in 0..steps {
        if seats.is_empty() {
            break;
        }
        search.tell(Phase::Local, step, steps);
        search.share_out(&mut seats, |search, seats| propose(search, axes, seats));
        test(search, &mut seats)?;
        search.share_out(&mut seats, |search, seats| {
            for Seat { proposal, chain } in seats {
                chain.resolve(search, axes, proposal);
            }
        });
        meet(search, &seats);
        seats.retain(|seat| !seat.proposal.ended);
    }
    Ok(())
}

/// Every chain chooses somebody to test.
///
/// In rounds of two passes, because the first one waits for memory: in a loop of its own, without
/// anything that depends on what is there, one chain's wait hides behind the others'.
fn propose(search: &Lockstep<'_, '_>, axes: &[Axis], seats: &mut [Seat]) {
    let mut looking: Vec<&mut Chain> = seats
        .iter_mut()
        .map(|seat| seat.chain.as_mut())
        .filter_map(|chain| chain.begin(search, axes).then_some(chain))
        .collect();
    while !looking.is_empty() {
        for chain in &mut looking {
            let change = chain.step.map_or(Change::default(), |step| step.change);
            chain.looking.place = search.tested.place(change);
        }
        looking.retain_mut(|chain| chain.look(search, axes));
    }
    for Seat { proposal, chain } in seats {
        *proposal = chain.proposal();
    }
}

/// The slopes around every chain's start, in one call. From there on every test teaches one.
fn learn(search: &mut Lockstep<'_, '_>, seats: &mut [Seat]) -> Result<(), Halt> {
    let movable = search.space.movable().len();
    let mut points = Vec::with_capacity(seats.len() * 2);
    for Seat { chain, .. } in seats.iter() {
        let scores = search.tested.scores(chain.slot);
        for combination in [chain.own, chain.other] {
            points.push(Point {
                profile: search.tested.key(chain.slot),
                combination,
                score: scores[combination],
            });
        }
    }
    let slopes = search
        .gradients
        .slopes(&points, Precision::Canonical, search.meter)?;
    for (Seat { chain, .. }, slopes) in seats.iter_mut().zip(slopes.chunks_exact(2 * movable)) {
        let (own, other) = slopes.split_at(movable);
        let both = own.iter().zip(other);
        for (index, (&own, &other)) in both.enumerate() {
            for (whose, slope) in chain.frame.slopes(own, other).into_iter().enumerate() {
                chain.moves.set_slope(index, whose, slope as f32);
            }
        }
    }
    Ok(())
}

/// A row that is needed: of a chain's proposal, with these protected values.
struct Needed {
    seat: usize,
    slot: Slot,
    combination: usize,
}

/// Tests all proposals: the person and the likeliest counterpart first, the others only where these
/// two agree.
fn test(search: &mut Lockstep<'_, '_>, seats: &mut [Seat]) -> Result<(), Halt> {
    let mut needed = Vec::with_capacity(2 * seats.len());
    let has_one_word = search.space.packing().words() == 1;
    for (index, Seat { proposal, chain }) in seats.iter_mut().enumerate() {
        if proposal.made {
            // Where there is but one word the change is all of it.
            let key = if has_one_word {
                &[0]
            } else {
                chain.key.as_slice()
            };
            let change = proposal.change;
            proposal.slot = search.tested.slot_of(&Wanted { key, change });
            search.iterations += 1;
            for combination in [proposal.own, proposal.other] {
                let slot = proposal.slot;
                need(search, (index, slot), combination as usize, &mut needed);
            }
        }
    }
    ask(search, seats, &mut needed)?;
    let combinations = search.space.combinations().len();
    if combinations > 2 {
        for (index, Seat { proposal, .. }) in seats.iter().enumerate() {
            let (slot, own) = (proposal.slot, proposal.own as usize);
            if proposal.made
                && !search.tested.differ(slot, own, proposal.other as usize)
                && !search.tested.discriminated(slot, own)
            {
                for combination in 0..combinations {
                    need(search, (index, slot), combination, &mut needed);
                }
            }
        }
        ask(search, seats, &mut needed)?;
    }
    Ok(())
}

/// Notes a row that is not known yet; a counterpart who cannot exist is never asked about.
fn need(
    search: &mut Lockstep<'_, '_>,
    (seat, slot): (usize, Slot),
    combination: usize,
    needed: &mut Vec<Needed>,
) {
    let known = !search.tested.scores(slot)[combination].is_nan();
    if known || !search.can_exist(slot, combination) {
        return;
    }
    search.tested.scores_mut(slot)[combination] = PENDING;
    needed.push(Needed {
        seat,
        slot,
        combination,
    });
}

fn ask(
    search: &mut Lockstep<'_, '_>,
    seats: &[Seat],
    needed: &mut Vec<Needed>,
) -> Result<(), Halt> {
    let space = search.space;
    let answered = search.meter.ask(&meter::Wanted {
        items: needed.len(),
        each: 1,
        make: &|item, rows| {
            let chain = &seats[needed[item].seat].chain;
            if let Some(Step { cell, .. }) = chain.step {
                space.push_changed(&chain.row, cell, needed[item].combination, rows);
            }
        },
    });
    let scores = match answered {
        Ok(scores) => scores,
        Err(halt) => {
            // Nobody may be taken for decided who was never shown to the model.
            for row in needed.iter() {
                search.tested.scores_mut(row.slot)[row.combination] = f32::NAN;
            }
            return Err(halt);
        }
    };
    for (row, score) in needed.iter().zip(scores) {
        search.tested.scores_mut(row.slot)[row.combination] = score;
    }
    search.answered = search.tested.profiles();
    needed.clear();
    Ok(())
}

/// Notes whom the chains have tested, in their order.
fn meet(search: &mut Lockstep<'_, '_>, seats: &[Seat]) {
    for Seat { proposal, .. } in seats {
        if proposal.made {
            let own = proposal.own as usize;
            search.tested.meet_as(proposal.slot, own, proposal.found);
        }
    }
}

impl Chain {
    fn new(search: &Lockstep<'_, '_>, axes: &[Axis], index: usize, start: Find) -> Self {
        let mut chain = Chain {
            key: search.tested.key(start.slot).to_vec(),
            sum: 0,
            row: Vec::with_capacity(search.space.schema().width()),
            slot: start.slot,
            own: start.combination,
            other: start.combination,
            barren_tests: 0,
            barren_moves: 0,
            stream: stream(search.seed, search.benchmark, Purpose::Chain, index as u64),
            origin: Vec::new(),
            moves: Moves::new(search.space.movable().len()),
            frame: Frame::default(),
            distances: [0.0; 2],
            step: None,
            looking: Looking::default(),
            ended: false,
        };
        chain.stand_at(search, axes, start.slot);
        chain
    }

    /// Takes the place of a known counterexample.
    fn stand_at(&mut self, search: &Lockstep<'_, '_>, axes: &[Axis], slot: Slot) {
        self.key.copy_from_slice(search.tested.key(slot));
        self.sum = sum(&self.key);
        self.slot = slot;
        self.row.clear();
        search.space.push_packed(&self.key, self.own, &mut self.row);
        for (index, axis) in axes.iter().enumerate() {
            let code = axis.field.code(&self.key);
            self.moves.allow(index, code > 0, code < axis.largest);
        }
        if search.fences.need_origins() {
            self.origin = search.fences.origin_of(search.space, &self.person(search));
        }
        self.pair_up(search);
    }

    /// Chooses the counterpart that is decided otherwise most clearly.
    fn pair_up(&mut self, search: &Lockstep<'_, '_>) {
        self.other = search.tested.clearest_other(self.slot, self.own);
        self.look_around(search);
    }

    /// Sees what the two must not cross, and how far they are from it.
    fn look_around(&mut self, search: &Lockstep<'_, '_>) {
        let scores = search.tested.scores(self.slot);
        self.frame = search
            .tested
            .sides()
            .frame(scores[self.own], scores[self.other]);
        self.distances = self.distances_at(search, self.slot);
    }

    /// Proposes the likeliest move, unless it is time to go elsewhere.
    fn begin(&mut self, search: &Lockstep<'_, '_>, axes: &[Axis]) -> bool {
        self.looking = Looking::default();
        self.draw_first(search, axes);
        if self.barren_tests >= PATIENCE {
            self.go_elsewhere(search, axes);
            return false;
        }
        true
    }

    fn draw_first(&mut self, search: &Lockstep<'_, '_>, axes: &[Axis]) {
        self.moves.weigh(self.distances);
        self.draw(search, axes);
    }

    /// Keeps the proposal if it is somebody new, and says whether to look on otherwise. Where there
    /// is nobody new the chain walks through known counterexamples, or goes elsewhere.
    fn look(&mut self, search: &Lockstep<'_, '_>, axes: &[Axis]) -> bool {
        let Some(Step { change, .. }) = self.step else {
            return self.walk_through(search, axes);
        };
        let key = self.key.as_slice();
        let place = self.looking.place;
        match search
            .tested
            .known(&Wanted { key, change }, place, self.own)
        {
            Known::Nothing => return false,
            Known::Discriminated(slot) => self.looking.counterexample = Some(slot),
            Known::Alike => {}
        }
        self.looking.looks += 1;
        self.draw(search, axes);
        if self.looking.looks == LOOKS {
            return self.walk_through(search, axes);
        }
        true
    }

    /// Steps to a known counterexample, if the looks met one, and looks from there.
    fn walk_through(&mut self, search: &Lockstep<'_, '_>, axes: &[Axis]) -> bool {
        if let Some(slot) = self.looking.counterexample {
            self.stand_at(search, axes, slot);
        }
        self.looking = Looking {
            free_steps: self.looking.free_steps + 1,
            ..Looking::default()
        };
        if self.looking.free_steps > FREE_STEPS {
            self.go_elsewhere(search, axes);
            return false;
        }
        self.draw_first(search, axes);
        true
    }

    /// Draws moves until one leads to somebody whom the search may test.
    fn draw(&mut self, search: &Lockstep<'_, '_>, axes: &[Axis]) {
        self.draw_any(search, axes);
        while !search.fences.are_open() && !self.may_go(search) {
            self.draw_any(search, axes);
        }
    }

    /// Whether the search may test the proposal.
    fn may_go(&mut self, search: &Lockstep<'_, '_>) -> bool {
        let Some(Step { cell, code, .. }) = self.step else {
            return true;
        };
        let mut person = self.person(search);
        person[cell.0] = code;
        search
            .fences
            .allow_move(search.space, &person, cell.0, &self.origin)
    }

    fn person(&self, search: &Lockstep<'_, '_>) -> Vec<Code> {
        search.space.person(&self.key, self.own)
    }

    /// Draws a move and makes the proposal that follows from it.
    fn draw_any(&mut self, search: &Lockstep<'_, '_>, axes: &[Axis]) {
        let Some((index, direction)) = self.moves.draw(&mut self.stream) else {
            self.step = None;
            return;
        };
        let axis = &axes[index];
        let steps = direction * search.settings.local_step as i64;
        let code = axis.moved(axis.field.code(&self.key), steps);
        let (word, value) = axis.field.change(&self.key, code);
        self.step = Some(Step {
            index,
            direction,
            code,
            change: Change::new(&self.key, self.sum, word, value),
            cell: (axis.field.attribute, axis.base + code as f32),
        });
    }

    /// What everybody may know of the step.
    fn proposal(&self) -> Proposal {
        Proposal {
            made: self.step.is_some(),
            found: false,
            ended: self.ended,
            slot: 0,
            own: self.own as u32,
            other: self.other as u32,
            change: self.step.map(|step| step.change).unwrap_or_default(),
        }
    }

    /// Goes on from somebody whom any chain has found, with the slopes it knows.
    fn go_elsewhere(&mut self, search: &Lockstep<'_, '_>, axes: &[Axis]) {
        self.step = None;
        self.barren_moves += 1;
        if self.barren_moves > LAST_MOVE {
            self.ended = true;
            return;
        }
        let found = search.tested.found();
        let (slot, combination) = found[below(&mut self.stream, found.len() as u64) as usize];
        self.own = combination as usize;
        self.stand_at(search, axes, slot);
        self.barren_tests = 0;
    }

    /// Learns from the test, and steps to the proposal if it was a find.
    fn resolve(&mut self, search: &Lockstep<'_, '_>, axes: &[Axis], proposal: &mut Proposal) {
        let Some(step) = self.step else {
            return;
        };
        let slot = proposal.slot;
        let distances = self.distances_at(search, slot);
        self.notice(step, distances);
        let as_expected = search.tested.differ(slot, self.own, self.other);
        proposal.found = as_expected || search.tested.discriminated(slot, self.own);
        if !proposal.found {
            self.barren_tests += 1;
            return;
        }
        self.take(axes, step, slot);
        if as_expected && search.tested.sides().are_two() {
            self.distances = distances;
        } else if as_expected {
            // With several bands or classes the two may differ in another way than before.
            self.look_around(search);
        } else {
            self.pair_up(search);
        }
    }

    /// Steps to the proposal, a find.
    fn take(&mut self, axes: &[Axis], step: Step, slot: Slot) {
        self.sum = step.change.make(&mut self.key, self.sum);
        let (attribute, value) = step.cell;
        self.row[attribute] = value;
        self.slot = slot;
        let largest = axes[step.index].largest;
        self.moves
            .allow(step.index, step.code > 0, step.code < largest);
        self.barren_tests = 0;
        self.barren_moves = 0;
    }

    /// How far the scores of both combinations lie from what they must not cross.
    fn distances_at(&self, search: &Lockstep<'_, '_>, slot: Slot) -> [f32; 2] {
        let scores = search.tested.scores(slot);
        self.frame
            .distances([canonical(scores[self.own]), canonical(scores[self.other])])
    }

    /// The slopes that a test has shown take the place of those that were expected.
    fn notice(&mut self, step: Step, after: [f32; 2]) {
        for (whose, after) in after.into_iter().enumerate() {
            let change = after - self.distances[whose];
            if change.is_finite() {
                let slope = change * step.direction as f32;
                self.moves.set_slope(step.index, whose, slope);
            }
        }
    }
}
