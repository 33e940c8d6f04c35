//! The global phase: strides towards the boundary that grow while nothing is crossed, and a careful
//! approach, attribute by attribute, once a stride has crossed it.
//!
//! The paper's step moves every attribute at once and jumps over the thin band in which counterparts
//! disagree. Here a seed whose counterparts all changed sides goes back and comes as near to the
//! boundary as each attribute in turn allows; most bands are met on the way.

use crate::model::meter::Halt;
use crate::schema::Code;
use crate::search::global::{farthest, sign};
use crate::search::gradient::{Point, Precision};
use crate::search::random::{Purpose, Stream, below, stream, unit};
use crate::search::sides::Side;
use crate::search::tested::Slot;
use crate::search::{Find, Lockstep, Phase, keep};

/// A stride is at most this part of an attribute's range.
const LONGEST_STRIDE: i64 = 8;

/// How many tests a seed may take, for each of the paper's iterations.
const TESTS_AN_ITERATION: usize = 12;

/// People that are proposed before a seed stays where it is, because none of them may be tested.
const TRIES: usize = 16;

/// The share of attributes that are drawn anew when an approach ended without a find.
const STIRRED: f64 = 0.25;

/// A place is flat if less than one of so many slopes is there: trees have few, other models most.
const SPARSE: usize = 4;

/// Flat places in a row after which a seed doubts that slopes lead anywhere.
const FLAT: usize = 2;

struct Walker {
    person: Vec<Code>,
    combination: usize,
    slot: Slot,
    side: Side,
    slopes: Slopes,
    /// How far a stride goes, in steps.
    reach: i64,
    strides: usize,
    proposal: Vec<Code>,
    /// Where the walk started.
    origin: Vec<Code>,
    mode: Mode,
    stream: Stream,
}

/// What a seed is doing.
enum Mode {
    /// Testing a person to go on from, whatever the test says.
    Arrive,
    /// Looking for the boundary.
    Stride,
    /// Coming near it.
    Approach(Approach),
}

/// The momentum of the person's and of the counterpart's gradient.
struct Slopes {
    momentum: [Vec<f64>; 2],
    fresh: bool,
    /// How many times in a row there was hardly a slope.
    flat: usize,
    /// People to test before slopes are asked for again.
    wander: usize,
}

/// On the way from a person to another on the other side of the boundary.
struct Approach {
    /// Attributes and steps still to take, the last one first.
    legs: Vec<(usize, i64)>,
    /// Steps of the current leg that are known to stay on this side.
    safe: i64,
    /// Steps of the current leg that are known to cross.
    across: i64,
}

/// Walks all seeds side by side; `finds` grows as people are found, without repeats.
pub(in crate::search) fn run(
    search: &mut Lockstep<'_, '_>,
    seeds: &[Vec<Code>],
    finds: &mut Vec<Find>,
) -> Result<(), Halt> {
    let before = search.meter.queries();
    let mut live: Vec<Walker> = seeds
        .iter()
        .enumerate()
        .map(|(index, seed)| Walker::new(search, index, seed))
        .collect();
    test(search, &mut live, finds)?;
    if search.space.movable().is_empty() {
        return Ok(());
    }
    stride_out(search, &mut live, finds)?;
    if finds.is_empty() {
        let spent = search.meter.queries() - before;
        wander(search, seeds, spent, finds)?;
    }
    Ok(())
}

/// Lets all seeds walk where their slopes lead.
fn stride_out(
    search: &mut Lockstep<'_, '_>,
    live: &mut Vec<Walker>,
    finds: &mut Vec<Find>,
) -> Result<(), Halt> {
    let most = search.settings.max_iter * TESTS_AN_ITERATION;
    for round in 0..most {
        if live.is_empty() {
            break;
        }
        search.tell(Phase::Global, round, most);
        learn(search, live)?;
        for walker in live.iter_mut() {
            walker.propose(search);
        }
        test(search, live, finds)?;
        live.retain(|walker| walker.strides <= search.settings.max_iter);
    }
    Ok(())
}

/// Slopes led nobody anywhere, so they are not followed: from every seed people are stirred and tested,
/// with as many queries again.
fn wander(
    search: &mut Lockstep<'_, '_>,
    seeds: &[Vec<Code>],
    queries: u64,
    finds: &mut Vec<Find>,
) -> Result<(), Halt> {
    let last = search.meter.queries() + queries;
    let most = search.settings.max_iter * TESTS_AN_ITERATION;
    let walker = |(index, seed): (usize, &Vec<Code>)| {
        let mut walker = Walker::new(search, seeds.len() + index, seed);
        walker.slopes.wander = most;
        walker
    };
    let mut live: Vec<Walker> = seeds.iter().enumerate().map(walker).collect();
    for round in 0..most {
        if live.is_empty() || search.meter.queries() >= last {
            break;
        }
        search.tell(Phase::Global, round, most);
        for walker in &mut live {
            walker.propose(search);
        }
        test(search, &mut live, finds)?;
    }
    Ok(())
}

/// Tests everyone's proposal in one call; finds leave the walk, the others take it in.
fn test(
    search: &mut Lockstep<'_, '_>,
    live: &mut Vec<Walker>,
    finds: &mut Vec<Find>,
) -> Result<(), Halt> {
    search.iterations += live.len() as u64;
    let slots: Vec<Slot> = live
        .iter()
        .map(|walker| search.enlist(&walker.proposal))
        .collect();
    search.ask_enlisted()?;
    let mut slots = slots.into_iter();
    live.retain_mut(|walker| {
        let slot = slots.next().unwrap_or_default();
        let combination = walker.combination;
        if search.tested.meet(slot, combination) {
            keep(finds, Find { slot, combination });
            return false;
        }
        walker.take_in(search, slot);
        true
    });
    Ok(())
}

/// Gradients for everyone who is about to stride, in one call.
fn learn(search: &mut Lockstep<'_, '_>, live: &mut [Walker]) -> Result<(), Halt> {
    let movable = search.space.movable().len();
    let needs = |walker: &&mut Walker| matches!(walker.mode, Mode::Stride) && !walker.slopes.fresh;
    let mut points = Vec::new();
    for walker in live.iter_mut().filter(needs) {
        let scores = search.tested.scores(walker.slot);
        let counterpart = farthest(scores, walker.combination);
        for combination in [walker.combination, counterpart] {
            points.push(Point {
                profile: search.tested.key(walker.slot),
                combination,
                score: scores[combination],
            });
        }
    }
    let gradients = search
        .gradients
        .of(&points, Precision::Exact, search.meter)?;
    drop(points);
    let mut gradients = gradients.chunks_exact(movable.max(1));
    let decay = search.settings.decay;
    for walker in live.iter_mut().filter(needs) {
        let both = [(); 2].map(|()| gradients.next().unwrap_or_default());
        walker.slopes.learn(both, decay);
        if walker.slopes.flat >= FLAT {
            // As many people as these gradients would be worth.
            walker.slopes.wander = 2 * movable / search.space.combinations().len();
        }
    }
    Ok(())
}

impl Walker {
    fn new(search: &Lockstep<'_, '_>, index: usize, seed: &[Code]) -> Self {
        let movable = search.space.movable().len();
        Walker {
            combination: search.space.combination_of(seed),
            person: seed.to_vec(),
            slot: 0,
            side: Side::UNDECIDED,
            slopes: Slopes {
                momentum: [vec![0.0; movable], vec![0.0; movable]],
                fresh: false,
                flat: 0,
                wander: 0,
            },
            reach: 1,
            strides: 0,
            proposal: seed.to_vec(),
            origin: seed.to_vec(),
            mode: Mode::Arrive,
            stream: stream(search.seed, search.benchmark, Purpose::Walker, index as u64),
        }
    }

    /// The next person to test, whom the search may test.
    fn propose(&mut self, search: &Lockstep<'_, '_>) {
        self.propose_any(search);
        if search.fences.are_open() {
            return;
        }
        for _ in 0..TRIES {
            let asked = self.proposal.clone();
            search
                .fences
                .rein(search.space, &mut self.proposal, &self.origin);
            // An approach can only learn from the very person that it asked for.
            let usable = !matches!(self.mode, Mode::Approach(_)) || self.proposal == asked;
            if usable && self.may_go(search) {
                return;
            }
            self.proposal.clone_from(&self.person);
            self.stir(search);
        }
        self.proposal.clone_from(&self.person);
    }

    fn may_go(&self, search: &Lockstep<'_, '_>) -> bool {
        let mut person = self.proposal.clone();
        search.space.set_combination(&mut person, self.combination);
        search.fences.allow(search.space, &person, &self.origin)
    }

    fn propose_any(&mut self, search: &Lockstep<'_, '_>) {
        self.proposal.clone_from(&self.person);
        match &self.mode {
            Mode::Approach(approach) => {
                let (attribute, steps) = approach.probe();
                self.proposal[attribute] = search.moved(attribute, self.person[attribute], steps);
            }
            Mode::Stride => {
                self.strides += 1;
                self.stride(search);
                if self.proposal == self.person {
                    self.stir(search);
                }
            }
            Mode::Arrive => self.stir(search),
        }
    }

    fn stride(&mut self, search: &Lockstep<'_, '_>) {
        let [own, other] = &self.slopes.momentum;
        for (index, &attribute) in search.space.movable().iter().enumerate() {
            let direction = -sign(own[index]);
            if direction == 0 || -sign(other[index]) != direction {
                continue;
            }
            let longest = (i64::from(search.space.largest(attribute)) / LONGEST_STRIDE).max(1);
            let steps = self.reach.min(longest) * search.settings.global_step as i64;
            self.proposal[attribute] =
                search.moved(attribute, self.person[attribute], direction * steps);
        }
    }

    /// Nowhere to go, or an approach without a find: some attributes are drawn anew.
    fn stir(&mut self, search: &Lockstep<'_, '_>) {
        for &attribute in search.space.movable() {
            if unit(&mut self.stream) < STIRRED {
                let values = u64::from(search.space.largest(attribute)) + 1;
                self.proposal[attribute] = below(&mut self.stream, values) as Code;
            }
        }
        self.slopes.reset();
        self.reach = 1;
        self.mode = Mode::Arrive;
    }

    /// What the test of the proposal says, if it is no find.
    fn take_in(&mut self, search: &Lockstep<'_, '_>, slot: Slot) {
        let side = search.tested.side(slot, self.combination);
        match &mut self.mode {
            Mode::Approach(approach) => {
                approach.learn(side == self.side);
                self.end_leg(search);
            }
            Mode::Stride if side.differs(self.side) => self.begin_approach(search),
            Mode::Stride => {
                self.arrive(slot, side);
                self.reach *= 2;
                if self.slopes.wander > 0 {
                    self.mode = Mode::Arrive;
                }
            }
            Mode::Arrive => {
                self.arrive(slot, side);
                match self.slopes.wander.checked_sub(1) {
                    Some(left) => self.slopes.wander = left,
                    None => self.mode = Mode::Stride,
                }
            }
        }
    }

    fn arrive(&mut self, slot: Slot, side: Side) {
        self.person.clone_from(&self.proposal);
        (self.slot, self.side) = (slot, side);
        self.slopes.fresh = false;
    }

    /// The attributes that matter most first: the last legs are the finest.
    fn begin_approach(&mut self, search: &Lockstep<'_, '_>) {
        let steps = |attribute: usize| {
            i64::from(self.proposal[attribute]) - i64::from(self.person[attribute])
        };
        let [own, _] = &self.slopes.momentum;
        let mut legs: Vec<(f64, usize, i64)> = search
            .space
            .movable()
            .iter()
            .enumerate()
            .map(|(index, &attribute)| (own[index].abs(), attribute, steps(attribute)))
            .filter(|&(_, _, steps)| steps != 0)
            .collect();
        legs.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let legs: Vec<(usize, i64)> = legs.into_iter().map(|(_, a, steps)| (a, steps)).collect();
        self.mode = Mode::Approach(Approach::new(legs));
    }

    /// Goes as far as the leg allows, and on to the next one; after the last one somewhere near.
    fn end_leg(&mut self, search: &Lockstep<'_, '_>) {
        let Mode::Approach(approach) = &mut self.mode else {
            return;
        };
        if let Some((attribute, steps)) = approach.end_leg() {
            self.person[attribute] = search.moved(attribute, self.person[attribute], steps);
            if approach.legs.is_empty() {
                self.mode = Mode::Arrive;
            }
        }
    }
}

impl Slopes {
    /// Takes in new gradients, of the person and of the counterpart.
    fn learn(&mut self, gradients: [&[f64]; 2], decay: f64) {
        let slopes = gradients.iter().copied().flatten();
        let there = slopes.filter(|&&slope| sign(slope) != 0).count();
        self.flat = match SPARSE * there < gradients.concat().len() {
            true => self.flat + 1,
            false => 0,
        };
        for (momentum, gradient) in self.momentum.iter_mut().zip(gradients) {
            for (sum, new) in momentum.iter_mut().zip(gradient) {
                *sum = decay * *sum + new;
            }
        }
        self.fresh = true;
    }

    fn reset(&mut self) {
        self.fresh = false;
        for momentum in &mut self.momentum {
            momentum.fill(0.0);
        }
    }
}

impl Approach {
    fn new(legs: Vec<(usize, i64)>) -> Self {
        let across = legs.last().map_or(0, |(_, steps)| steps.abs() + 1);
        Approach {
            legs,
            safe: 0,
            across,
        }
    }

    /// The attribute of the current leg, and how far to try it: the whole leg, then halves.
    fn probe(&self) -> (usize, i64) {
        let (attribute, steps) = self.legs.last().copied().unwrap_or_default();
        (attribute, self.middle() * steps.signum())
    }

    fn middle(&self) -> i64 {
        let whole = self.legs.last().map_or(0, |(_, steps)| steps.abs());
        if self.across > whole {
            whole
        } else {
            (self.safe + self.across) / 2
        }
    }

    fn learn(&mut self, stayed: bool) {
        let middle = self.middle();
        if stayed {
            self.safe = middle;
        } else {
            self.across = middle;
        }
    }

    /// The steps to take if there is nothing more to learn on this leg; the next one is then on.
    fn end_leg(&mut self) -> Option<(usize, i64)> {
        if self.across - self.safe > 1 {
            return None;
        }
        let (attribute, steps) = self.legs.pop()?;
        let taken = self.safe * steps.signum();
        *self = Approach::new(std::mem::take(&mut self.legs));
        Some((attribute, taken))
    }
}
