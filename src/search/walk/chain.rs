//! A chain of the local phase: where it stands, whom it wants to test, and what it has learnt.

use crate::model::canonical;
use crate::schema::{Code, Space};
use crate::search::Find;
use crate::search::axis::Axis;
use crate::search::fences::Fences;
use crate::search::random::{Stream, below};
use crate::search::rows::pad;
use crate::search::sides::Frame;
use crate::search::tested::{Claim, Slot, Tested};
use crate::search::wanted::{Change, Wanted, sum};
use crate::spec::SearchSettings;

use super::moves::{Drawn, Moves};

/// Moves to people who are known already, before a chain gives up its place.
const LOOKS: usize = 8;

/// Steps through people who are known already, before a chain gives up its place.
const FREE_STEPS: usize = 4;

/// Tests without a find after which a chain goes elsewhere.
const PATIENCE: u32 = 12;

/// Moves elsewhere without a find after which a chain ends.
const LAST_MOVE: u32 = 4;

/// Of so many moves one may take several steps at once, where a chain goes far.
const LONG: u64 = 2;

/// Of so many moves one leads outward, away from the middle, even if it was drawn as one inward.
const LEAN: u64 = 8;

/// Finds whose scores lie at least so far from what they must not cross are as good as each other: who always went
/// to the deepest would meet fewer others.
const DEEP: f32 = 0.05;

/// What holds for every chain.
#[derive(Clone, Copy)]
pub(super) struct Rules<'r> {
    pub(super) space: &'r Space,
    pub(super) fences: &'r Fences,
    /// How far a step leads.
    pub(super) step: i64,
    pub(super) pace: Pace,
}

/// How chains go on.
#[derive(Clone, Copy, Default)]
pub(super) struct Pace {
    /// People whom a chain may test at a time.
    pub(super) tests: usize,
    /// Whether a chain has so few steps that it goes far with them.
    pub(super) goes_far: bool,
}

impl<'r> Rules<'r> {
    pub(super) fn new(
        space: &'r Space,
        fences: &'r Fences,
        settings: &SearchSettings,
        pace: Pace,
    ) -> Self {
        Rules {
            space,
            fences,
            step: settings.local_step as i64,
            pace,
        }
    }
}

/// Where the chains of a party walk.
#[derive(Clone, Copy)]
pub(super) struct Ground<'g> {
    pub(super) rules: Rules<'g>,
    pub(super) axes: &'g [Axis],
}

/// A chain. It stands at a counterexample, or at the person it came from.
pub(super) struct Chain {
    key: Vec<u64>,
    /// The [`sum`] of the key.
    sum: u64,
    /// What the model eats for the person.
    row: Vec<f32>,
    pub(super) slot: Slot,
    /// The person's combination, and one that is decided otherwise.
    pub(super) own: usize,
    pub(super) other: usize,
    /// What the scores of both must not cross, and how far they lie from it.
    frame: Frame,
    distances: [f32; 2],
    /// The real person whom the chain stays near, if it has to.
    origin: Vec<Code>,
    moves: Moves,
    barren_tests: u32,
    barren_moves: u32,
    stream: Stream,
    /// Steps to people whom the chain may test, and then such as it has not asked for yet.
    steps: Vec<Step>,
    claimed: usize,
    looking: Looking,
    /// Whether the chain waits to be taken elsewhere, and whether it has ended.
    pub(super) adrift: bool,
    pub(super) ended: bool,
}

/// A step that a chain may take.
#[derive(Clone, Copy)]
pub(super) struct Step {
    pub(super) change: Change,
    /// Who would be there.
    pub(super) slot: Slot,
    /// Which movable attribute is moved, and where to.
    code: Code,
    index: u32,
    /// The share of the change that one step up would be.
    each: f32,
    /// What came of it: the scores of both, and whether they are different decisions.
    scores: [f32; 2],
    pub(super) differs: bool,
}

/// A find that a chain may step to.
#[derive(Clone, Copy)]
struct Best {
    place: usize,
    distances: [f32; 2],
    /// How far the nearer of both scores lies from what it must not cross; nothing where the find is one
    /// of another counterpart.
    depth: f32,
}

/// How far a chain is with looking for people to test.
#[derive(Clone, Copy, Default)]
struct Looking {
    looks: usize,
    free_steps: usize,
    /// A counterexample that the looks met.
    counterexample: Option<Slot>,
}

impl Chain {
    pub(super) fn new(ground: &Ground<'_>, tested: &Tested, start: Find, stream: Stream) -> Self {
        let mut chain = Chain {
            key: tested.key(start.slot).to_vec(),
            sum: 0,
            row: Vec::with_capacity(ground.rules.space.schema().width()),
            slot: start.slot,
            own: start.combination,
            other: start.combination,
            barren_tests: 0,
            barren_moves: 0,
            stream,
            origin: Vec::new(),
            moves: Moves::new(ground.axes.len()),
            frame: Frame::default(),
            distances: [0.0; 2],
            steps: Vec::new(),
            claimed: 0,
            looking: Looking::default(),
            adrift: false,
            ended: false,
        };
        chain.stand_at(ground, tested, start.slot);
        chain
    }

    /// Takes the slopes of a person and the counterpart for those of the distances.
    pub(super) fn learn(&mut self, own: &[f64], other: &[f64]) {
        let both = own.iter().zip(other);
        for (index, (&own, &other)) in both.enumerate() {
            let slopes = self.frame.slopes(own, other).map(|slope| slope as f32);
            self.moves.set_slopes(index, slopes);
        }
    }

    /// Takes the place of a known counterexample.
    fn stand_at(&mut self, ground: &Ground<'_>, tested: &Tested, slot: Slot) {
        self.key.copy_from_slice(tested.key(slot));
        self.sum = sum(&self.key);
        self.slot = slot;
        self.row.clear();
        ground
            .rules
            .space
            .push_packed(&self.key, self.own, &mut self.row);
        pad(&mut self.row);
        for (index, axis) in ground.axes.iter().enumerate() {
            self.allow(axis, index, axis.field.code(&self.key));
        }
        if ground.rules.fences.need_origins() {
            self.origin = ground
                .rules
                .fences
                .origin_of(ground.rules.space, &self.person(ground.rules.space));
        }
        self.pair_up(tested);
    }

    fn allow(&mut self, axis: &Axis, index: usize, code: Code) {
        self.moves.allow(index, code > axis.least, code < axis.most);
    }

    /// Chooses the counterpart that is decided otherwise most clearly.
    fn pair_up(&mut self, tested: &Tested) {
        self.other = tested.clearest_other(self.slot, self.own);
        self.look_around(tested);
    }

    /// Sees what the two must not cross, and how far they are from it.
    fn look_around(&mut self, tested: &Tested) {
        let scores = tested.scores(self.slot);
        let sides = tested.sides();
        self.frame = sides.frame(scores[self.own], scores[self.other]);
        self.distances = self.distances_at(tested, self.slot);
    }

    /// Draws the likeliest moves.
    pub(super) fn begin(&mut self, ground: &Ground<'_>) {
        self.looking = Looking::default();
        self.draw_anew(ground);
    }

    /// Brings the places near where people are looked for who were drawn and not asked for yet.
    pub(super) fn bring_places(&self, tested: &Tested) {
        for step in &self.steps[self.claimed..] {
            tested.bring_place(step.change);
        }
    }

    /// Steps to people whom the chain tests.
    pub(super) fn steps(&self) -> &[Step] {
        &self.steps[..self.claimed]
    }

    /// Asks for those who were drawn, and says whether to look on. Where there is nobody new the
    /// chain walks through known counterexamples, or goes elsewhere.
    pub(super) fn look(&mut self, ground: &Ground<'_>, tested: &mut Tested) -> bool {
        for place in self.claimed..self.steps.len() {
            let Step { change, .. } = self.steps[place];
            let key = self.key.as_slice();
            match tested.claim(&Wanted { key, change }, self.own) {
                Claim::Granted(slot) => {
                    self.steps[place].slot = slot;
                    // Hardly ever, and reading again what was just written is waited for.
                    if place > self.claimed {
                        self.steps.swap(self.claimed, place);
                    }
                    self.claimed += 1;
                    continue;
                }
                Claim::Discriminated(slot) => self.looking.counterexample = Some(slot),
                Claim::Refused => {}
            }
            self.looking.looks += 1;
        }
        self.steps.truncate(self.claimed);
        if self.claimed == ground.rules.pace.tests {
            return false;
        }
        if self.looking.looks < LOOKS {
            self.draw(ground);
        }
        if self.steps.len() > self.claimed {
            return true;
        }
        self.claimed == 0 && self.walk_through(ground, tested)
    }

    /// Steps to a known counterexample, if the looks met one, and looks from there.
    fn walk_through(&mut self, ground: &Ground<'_>, tested: &Tested) -> bool {
        if let Some(slot) = self.looking.counterexample {
            self.stand_at(ground, tested, slot);
        }
        self.looking = Looking {
            free_steps: self.looking.free_steps + 1,
            ..Looking::default()
        };
        if self.looking.free_steps > FREE_STEPS {
            self.leave();
            return false;
        }
        self.draw_anew(ground);
        true
    }

    fn draw_anew(&mut self, ground: &Ground<'_>) {
        self.steps.clear();
        self.claimed = 0;
        self.moves.weigh(self.distances, &mut self.stream);
        self.draw(ground);
    }

    /// Draws moves that lead to people whom the search may test, as many as are wanted.
    fn draw(&mut self, ground: &Ground<'_>) {
        let is_open = ground.rules.fences.are_open();
        while self.steps.len() < ground.rules.pace.tests {
            let Some(mut drawn) = self.moves.draw(&mut self.stream) else {
                return;
            };
            let axis = &ground.axes[drawn.index];
            let steps = self.steps_of(ground, axis, &mut drawn);
            let code = axis.moved(axis.field.code(&self.key), steps * ground.rules.step);
            if !is_open && !self.may_go(ground, axis, code) {
                continue;
            }
            let (word, value) = axis.field.change(&self.key, code);
            self.steps.push(Step {
                change: Change::new(&self.key, self.sum, word, value),
                slot: 0,
                code,
                index: drawn.index as u32,
                each: 1.0 / steps as f32,
                scores: [0.0; 2],
                differs: false,
            });
        }
    }

    /// How many steps a move takes, and which way.
    ///
    /// With few steps in all, half of the moves go as far as the slopes allow, or less: chains would meet only those
    /// near where they start. With many, some moves lead outward that would not: few people lie near the edges.
    #[inline]
    fn steps_of(&mut self, ground: &Ground<'_>, axis: &Axis, drawn: &mut Drawn) -> i64 {
        let goes_far = ground.rules.pace.goes_far;
        let is_other = match goes_far {
            true => drawn.spare.is_multiple_of(LONG),
            false => drawn.spare.is_multiple_of(LEAN),
        };
        if !is_other || !drawn.stays {
            return drawn.direction;
        }
        let code = axis.field.code(&self.key);
        if goes_far {
            let room = axis.room(code, drawn.direction) / ground.rules.step;
            let most = room
                .min(self.moves.reach(drawn.index, drawn.direction))
                .max(1);
            return drawn.direction * (1 + below(&mut self.stream, most as u64) as i64);
        }
        if axis.outward(code) != drawn.direction {
            self.moves.turn_round(drawn);
        }
        drawn.direction
    }

    /// Whether the search may test the person whom a move leads to.
    fn may_go(&self, ground: &Ground<'_>, axis: &Axis, code: Code) -> bool {
        let (space, attribute) = (ground.rules.space, axis.field.attribute);
        let mut person = self.person(space);
        person[attribute] = code;
        ground
            .rules
            .fences
            .allow_move(space, &person, attribute, &self.origin)
    }

    fn person(&self, space: &Space) -> Vec<Code> {
        space.person(&self.key, self.own)
    }

    /// What the model eats where the chain stands, and what is different at a step: an attribute, and
    /// what the model eats for it there.
    #[inline]
    pub(super) fn changed(&self, axes: &[Axis], step: &Step) -> (&[f32], (usize, f32)) {
        let axis = &axes[step.index as usize];
        (&self.row, (axis.field.attribute, axis.value(step.code)))
    }

    /// Waits to be taken to somebody whom any chain has found, unless that has been in vain too often.
    fn leave(&mut self) {
        self.barren_moves += 1;
        self.ended = self.barren_moves > LAST_MOVE;
        self.adrift = !self.ended;
    }

    /// Draws one of so many finds.
    pub(super) fn draw_find(&mut self, finds: usize) -> usize {
        below(&mut self.stream, finds as u64) as usize
    }

    /// Goes on from the find at a place among those of a party, with the slopes it knows.
    pub(super) fn settle(&mut self, ground: &Ground<'_>, tested: &Tested, place: usize) {
        let (slot, combination) = tested.found()[place];
        self.own = combination as usize;
        self.stand_at(ground, tested, slot);
        self.barren_tests = 0;
        self.adrift = false;
    }

    /// Sees the scores of those who were tested and of their likeliest counterparts. Says whether these
    /// are different decisions, all of them.
    #[inline]
    pub(super) fn see(&mut self, tested: &Tested) -> bool {
        let mut all_differ = true;
        for step in &mut self.steps[..self.claimed] {
            let place = |combination| tested.place_of_score(step.slot, combination);
            step.scores = [self.own, self.other].map(|whose| tested.score(place(whose)));
            step.differs = tested.sides().differ(step.scores[0], step.scores[1]);
            all_differ &= step.differs;
        }
        all_differ
    }

    /// Learns from the tests, and steps to a find that lies far from what it must not cross: from there most
    /// moves lead to others.
    pub(super) fn resolve(&mut self, ground: &Ground<'_>, tested: &mut Tested) {
        let best = self.best_find(tested);
        let tests = self.claimed as u32;
        self.claimed = 0;
        let Some(best) = best else {
            self.barren_tests += tests;
            if self.barren_tests >= PATIENCE {
                self.leave();
            }
            return;
        };
        let step = self.steps[best.place];
        self.take(ground, &step);
        if step.differs && tested.sides().are_two() {
            self.distances = best.distances;
        } else if step.differs {
            // With several bands or classes the two may differ in another way than before.
            self.look_around(tested);
        } else {
            self.pair_up(tested);
        }
    }

    /// Notes what came of the tests. Of finds that are as good the last one is the best.
    #[inline]
    fn best_find(&mut self, tested: &mut Tested) -> Option<Best> {
        let mut best: Option<Best> = None;
        for place in 0..self.claimed {
            let step = &self.steps[place];
            let is_find = step.differs || tested.discriminated(step.slot, self.own);
            tested.meet_claimed(step.slot, self.own, is_find);
            let distances = self.frame.distances(step.scores.map(canonical));
            let depth = match step.differs {
                true => distances[0].abs().min(distances[1].abs()).min(DEEP),
                false => 0.0,
            };
            self.notice(place, distances);
            if is_find && best.is_none_or(|best| best.depth <= depth) {
                best = Some(Best {
                    place,
                    distances,
                    depth,
                });
            }
        }
        best
    }

    /// Gives up everybody whom the chain was to test.
    pub(super) fn release(&mut self, tested: &mut Tested) {
        for step in self.steps() {
            tested.release(step.slot, self.own);
        }
    }

    /// Steps to a find.
    fn take(&mut self, ground: &Ground<'_>, step: &Step) {
        let index = step.index as usize;
        let axis = &ground.axes[index];
        self.sum = step.change.make(&mut self.key, self.sum);
        self.row[axis.field.attribute] = axis.value(step.code);
        self.slot = step.slot;
        self.allow(axis, index, step.code);
        if ground.rules.pace.goes_far {
            self.moves.wait(index);
        }
        self.barren_tests = 0;
        self.barren_moves = 0;
    }

    /// How far the scores of both combinations lie from what they must not cross.
    fn distances_at(&self, tested: &Tested, slot: Slot) -> [f32; 2] {
        let scores = tested.scores(slot);
        self.frame
            .distances([canonical(scores[self.own]), canonical(scores[self.other])])
    }

    /// The slopes that a test has shown take the place of those that were expected.
    #[inline]
    fn notice(&mut self, place: usize, after: [f32; 2]) {
        let Step { index, each, .. } = self.steps[place];
        let slope = |whose: usize| (after[whose] - self.distances[whose]) * each;
        self.moves.set_slopes(index as usize, [slope(0), slope(1)]);
    }
}
