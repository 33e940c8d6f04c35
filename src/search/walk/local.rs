//! The local phase: chains that walk on among counterexamples and test somebody new at every step.
//!
//! The paper's chain spends most of its steps on people whom it has seen, on moves that clipping
//! undoes and on gradients. Here a step always tests a person whom nobody has tested, inside the
//! domain, chosen by where the scores are expected to lie; every test teaches the chain a slope; and
//! a chain that finds nothing more goes on from somebody whom another chain found.

use crate::model::canonical;
use crate::model::meter::{Halt, Wanted};
use crate::schema::Code;
use crate::search::gradient::{Point, Precision};
use crate::search::random::{Purpose, Stream, below, stream};
use crate::search::tested::{Slot, Tested, hash};
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

struct Chain {
    key: Vec<u64>,
    /// The codes of the movable attributes, which are in the key as well.
    codes: Vec<Code>,
    slot: Slot,
    /// The person's combination, and one that is decided otherwise.
    own: usize,
    other: usize,
    /// How far the scores of both lie from the threshold.
    distances: [f32; 2],
    /// For each movable attribute how both scores change when it grows by one step.
    slopes: Vec<[f32; 2]>,
    barren_tests: u32,
    barren_moves: u32,
    stream: Stream,
    moves: Moves,
    proposal: Vec<u64>,
    hash: u64,
    /// The profile of the proposal, if anyone knows it.
    known: Option<Slot>,
    step: Step,
    ended: bool,
}

/// What a chain does in this round.
#[derive(Clone, Copy)]
enum Step {
    /// Tests the proposal: a move of the movable attribute `index` by `direction`.
    Test {
        index: usize,
        direction: i64,
        slot: Slot,
    },
    /// Nothing: it has just gone elsewhere, or ended.
    Rest,
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
    let mut chains: Vec<Chain> = finds
        .iter()
        .cycle()
        .take(chains.max(finds.len()))
        .enumerate()
        .map(|(index, find)| Chain::new(search, index, *find))
        .collect();
    learn(search, &mut chains)?;
    search.tested.reserve(chains.len() * steps);
    for step in 0..steps {
        if chains.is_empty() {
            break;
        }
        search.tell(Phase::Local, step, steps);
        search.share_out(&mut chains, propose);
        test(search, &mut chains)?;
        for chain in &mut chains {
            chain.resolve(search);
        }
        chains.retain(|chain| !chain.ended);
    }
    Ok(())
}

/// Every chain chooses somebody to test.
///
/// In three passes, because the middle one waits for memory: in a loop of its own, one chain's wait
/// hides behind another's.
fn propose(search: &Lockstep<'_, '_>, chains: &mut [Chain]) {
    for chain in chains.iter_mut() {
        chain.draw_first(search);
    }
    for chain in chains.iter_mut() {
        chain.look_up(search);
    }
    for chain in chains {
        chain.settle(search);
    }
}

/// The slopes around every chain's start, in one call. From there on every test teaches one.
fn learn(search: &mut Lockstep<'_, '_>, chains: &mut [Chain]) -> Result<(), Halt> {
    let movable = search.space.movable().len();
    let mut points = Vec::with_capacity(chains.len() * 2);
    for chain in chains.iter() {
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
        .estimator
        .slopes(&points, Precision::Canonical, search.meter)?;
    for (chain, slopes) in chains.iter_mut().zip(slopes.chunks_exact(2 * movable)) {
        let (own, other) = slopes.split_at(movable);
        let both = own.iter().zip(other);
        chain.slopes = both
            .map(|(&own, &other)| [own as f32, other as f32])
            .collect();
    }
    Ok(())
}

/// Tests all proposals: the person and the likeliest counterpart first, the others only where these
/// two agree.
fn test(search: &mut Lockstep<'_, '_>, chains: &mut [Chain]) -> Result<(), Halt> {
    let mut needed = Vec::new();
    for chain in chains.iter_mut() {
        if let Step::Test { slot, .. } = &mut chain.step {
            *slot = search.tested.slot_hashed(chain.hash, &chain.proposal).0;
            search.iterations += 1;
            need(
                &mut search.tested,
                *slot,
                [chain.own, chain.other],
                &mut needed,
            );
        }
    }
    ask(search, &mut needed)?;
    let combinations = search.space.combinations().len();
    if combinations > 2 {
        for chain in chains.iter() {
            if let Step::Test { slot, .. } = chain.step
                && !search.tested.discriminated(slot, chain.own)
            {
                need(&mut search.tested, slot, 0..combinations, &mut needed);
            }
        }
        ask(search, &mut needed)?;
    }
    Ok(())
}

fn need(
    tested: &mut Tested,
    slot: Slot,
    combinations: impl IntoIterator<Item = usize>,
    needed: &mut Vec<(Slot, usize)>,
) {
    let scores = tested.scores_mut(slot);
    for combination in combinations {
        if scores[combination].is_nan() {
            scores[combination] = PENDING;
            needed.push((slot, combination));
        }
    }
}

fn ask(search: &mut Lockstep<'_, '_>, needed: &mut Vec<(Slot, usize)>) -> Result<(), Halt> {
    let (space, tested) = (search.space, &search.tested);
    let answered = search.meter.ask(&Wanted {
        items: needed.len(),
        each: 1,
        make: &|item, rows| {
            let (slot, combination) = needed[item];
            // Neighbours in the list are often counterparts.
            if !rows.is_empty() && needed[item - 1].0 == slot {
                space.push_counterpart(combination, rows);
            } else {
                space.push_packed(tested.key(slot), combination, rows);
            }
        },
    });
    let scores = match answered {
        Ok(scores) => scores,
        Err(halt) => {
            // Nobody may be taken for decided who was never shown to the model.
            for &(slot, combination) in needed.iter() {
                search.tested.scores_mut(slot)[combination] = f32::NAN;
            }
            return Err(halt);
        }
    };
    for (&(slot, combination), score) in needed.iter().zip(scores) {
        search.tested.scores_mut(slot)[combination] = score;
    }
    search.answered = search.tested.profiles();
    needed.clear();
    Ok(())
}

impl Chain {
    fn new(search: &Lockstep<'_, '_>, index: usize, start: Find) -> Self {
        let key = search.tested.key(start.slot).to_vec();
        let mut chain = Chain {
            codes: vec![0; search.space.movable().len()],
            proposal: key.clone(),
            key,
            slot: start.slot,
            own: start.combination,
            other: start.combination,
            slopes: Vec::new(),
            barren_tests: 0,
            barren_moves: 0,
            stream: stream(search.seed, search.benchmark, Purpose::Chain, index as u64),
            moves: Moves::new(search.space.movable().len()),
            distances: [0.0; 2],
            hash: 0,
            known: None,
            step: Step::Rest,
            ended: false,
        };
        chain.stand_at(search, start.slot);
        chain
    }

    /// Takes the place of a known counterexample.
    fn stand_at(&mut self, search: &Lockstep<'_, '_>, slot: Slot) {
        self.key.copy_from_slice(search.tested.key(slot));
        self.slot = slot;
        let packing = search.space.packing();
        for (code, &attribute) in self.codes.iter_mut().zip(search.space.movable()) {
            *code = packing.code(&self.key, attribute);
        }
        self.pair_up(search);
    }

    /// Chooses the counterpart that is decided otherwise most clearly.
    fn pair_up(&mut self, search: &Lockstep<'_, '_>) {
        self.other = search.tested.clearest_other(self.slot, self.own);
        self.distances = self.distances_at(search, self.slot);
    }

    /// Proposes the likeliest move.
    fn draw_first(&mut self, search: &Lockstep<'_, '_>) {
        self.weigh(search);
        self.step = self.draw(search);
    }

    fn look_up(&mut self, search: &Lockstep<'_, '_>) {
        self.known = search.tested.get_hashed(self.hash, &self.proposal);
    }

    /// Keeps the proposal if it is somebody new. Otherwise draws on, and where there is nobody new
    /// walks through known counterexamples, or goes elsewhere.
    fn settle(&mut self, search: &Lockstep<'_, '_>) {
        if self.barren_tests >= PATIENCE {
            self.go_elsewhere(search);
            return;
        }
        for free_steps in 0..=FREE_STEPS {
            if free_steps > 0 {
                self.draw_first(search);
                self.look_up(search);
            }
            if self.look_on(search) {
                return;
            }
        }
        self.go_elsewhere(search);
    }

    /// Draws moves until one leads to somebody new. Failing that, steps to a known counterexample,
    /// if the looks met one.
    fn look_on(&mut self, search: &Lockstep<'_, '_>) -> bool {
        let mut counterexample = None;
        for _ in 0..LOOKS {
            if matches!(self.step, Step::Rest) {
                break;
            }
            match self.known {
                Some(slot) if search.tested.is_met(slot, self.own) => {
                    if search.tested.discriminated(slot, self.own) {
                        counterexample = Some(slot);
                    }
                }
                _ => return true,
            }
            self.step = self.draw(search);
            self.look_up(search);
        }
        if let Some(slot) = counterexample {
            self.stand_at(search, slot);
        }
        false
    }

    /// Draws a move and makes the proposal that follows from it.
    fn draw(&mut self, search: &Lockstep<'_, '_>) -> Step {
        let Some((index, direction)) = self.moves.draw(&mut self.stream) else {
            return Step::Rest;
        };
        let attribute = search.space.movable()[index];
        let steps = direction * search.settings.local_step as i64;
        let code = search.moved(attribute, self.codes[index], steps);
        self.proposal.copy_from_slice(&self.key);
        search
            .space
            .packing()
            .set(&mut self.proposal, attribute, code);
        self.hash = hash(&self.proposal);
        let slot = 0;
        Step::Test {
            index,
            direction,
            slot,
        }
    }

    /// Sorts every move inside the domain by whether both scores are expected to keep their sides.
    fn weigh(&mut self, search: &Lockstep<'_, '_>) {
        // As if the person were the one above, so that the same comparison serves both cases.
        let side = self.distances[0].signum();
        let [own, other] = self.distances.map(|distance| distance * side);
        let largest = search.space.movable_largest();
        let attributes = self
            .codes
            .chunks(32)
            .zip(largest.chunks(32))
            .zip(self.slopes.chunks(32));
        for (word, ((codes, largest), slopes)) in attributes.enumerate() {
            let (mut inside, mut staying) = (0_u64, 0_u64);
            // Without branches: which way they go cannot be foreseen.
            for (index, ((&code, &largest), slopes)) in
                codes.iter().zip(largest).zip(slopes).enumerate()
            {
                let [own_slope, other_slope] = slopes.map(|slope| slope * side);
                let down = u64::from((own > own_slope) & (other < other_slope));
                let up = u64::from((own > -own_slope) & (other < -other_slope));
                inside |= (u64::from(code > 0) | u64::from(code < largest) << 1) << (2 * index);
                staying |= (down | up << 1) << (2 * index);
            }
            self.moves.staying[word] = inside & staying;
            self.moves.leaving[word] = inside & !staying;
        }
    }

    /// Goes on from somebody whom any chain has found, with the slopes it knows.
    fn go_elsewhere(&mut self, search: &Lockstep<'_, '_>) {
        self.step = Step::Rest;
        self.barren_moves += 1;
        if self.barren_moves > LAST_MOVE {
            self.ended = true;
            return;
        }
        let found = search.tested.found();
        let (slot, combination) = found[below(&mut self.stream, found.len() as u64) as usize];
        self.own = combination as usize;
        self.stand_at(search, slot);
        self.barren_tests = 0;
    }

    fn resolve(&mut self, search: &mut Lockstep<'_, '_>) {
        let Step::Test {
            index,
            direction,
            slot,
        } = self.step
        else {
            return;
        };
        let found = search.tested.meet(slot, self.own);
        let distances = self.distances_at(search, slot);
        self.notice(index, direction, distances);
        if !found {
            self.barren_tests += 1;
            return;
        }
        std::mem::swap(&mut self.key, &mut self.proposal);
        let attribute = search.space.movable()[index];
        self.codes[index] = search.space.packing().code(&self.key, attribute);
        self.slot = slot;
        self.barren_tests = 0;
        self.barren_moves = 0;
        if search
            .tested
            .side(slot, self.own)
            .differs(search.tested.side(slot, self.other))
        {
            self.distances = distances;
        } else {
            self.pair_up(search);
        }
    }

    /// How far the scores of both combinations lie from the threshold.
    fn distances_at(&self, search: &Lockstep<'_, '_>, slot: Slot) -> [f32; 2] {
        let scores = search.tested.scores(slot);
        let distance =
            |combination: usize| canonical(scores[combination]) - search.threshold as f32;
        [distance(self.own), distance(self.other)]
    }

    /// The slopes that a test has shown take the place of those that were expected.
    fn notice(&mut self, index: usize, direction: i64, after: [f32; 2]) {
        for (place, slope) in self.slopes[index].iter_mut().enumerate() {
            let change = after[place] - self.distances[place];
            if change.is_finite() {
                *slope = change * direction as f32;
            }
        }
    }
}
