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

    /// Whether a chain may go wherever two moves lead it that are drawn at once.
    #[inline]
    fn draws_two(&self) -> bool {
        self.pace.tests == 2 && !self.pace.goes_far && self.fences.are_open()
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
    /// Moves that were drawn at once and not proposed yet.
    two: Option<[Drawn; 2]>,
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
    /// What came of it: how far both scores lie from what they must not cross, and whether they are different decisions.
    distances: [f32; 2],
    pub(super) differs: bool,
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
            two: None,
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

    /// Weighs the moves from where it stands, and is ready to look for people to test.
    pub(super) fn weigh(&mut self) {
        self.looking = Looking::default();
        self.steps.clear();
        self.claimed = 0;
        self.moves.weigh(self.distances, &mut self.stream);
    }

    /// Draws the likeliest moves, if they can be drawn at once.
    pub(super) fn draw_two(&mut self, rules: Rules<'_>) {
        self.two = match rules.draws_two() {
            true => self.moves.draw_two(&mut self.stream),
            false => None,
        };
    }

    /// Proposes whom the moves lead to that were drawn at once, or else draws one after the other.
    pub(super) fn propose(&mut self, ground: &Ground<'_>) {
        match self.two.take() {
            Some(two) => self.propose_both(ground, two),
            None => self.draw(ground),
        }
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
        let free_steps = self.looking.free_steps + 1;
        if free_steps > FREE_STEPS {
            self.leave();
            return false;
        }
        self.weigh();
        self.looking.free_steps = free_steps;
        self.draw(ground);
        true
    }

    #[inline]
    fn propose_both(&mut self, ground: &Ground<'_>, [mut first, mut second]: [Drawn; 2]) {
        if self.leans(ground, &first) {
            self.moves.turn_first_round(&mut first, &mut second);
        }
        self.lean(ground, &mut second);
        for drawn in [first, second] {
            let axis = &ground.axes[drawn.index];
            let code = self.moved(ground, axis, drawn.direction);
            self.add_step(axis, &drawn, drawn.direction, code);
        }
    }

    /// Draws moves that lead to people whom the search may test, as many as are wanted.
    fn draw(&mut self, ground: &Ground<'_>) {
        let is_open = ground.rules.fences.are_open();
        while self.steps.len() < ground.rules.pace.tests {
            let Some(mut drawn) = self.moves.draw(&mut self.stream) else {
                return;
            };
            let steps = self.steps_of(ground, &mut drawn);
            let axis = &ground.axes[drawn.index];
            let code = self.moved(ground, axis, steps);
            if is_open || self.may_go(ground, axis, code) {
                self.add_step(axis, &drawn, steps, code);
            }
        }
    }

    /// The code that so many steps along an axis lead to.
    #[inline]
    fn moved(&self, ground: &Ground<'_>, axis: &Axis, steps: i64) -> Code {
        axis.moved(axis.field.code(&self.key), steps * ground.rules.step)
    }

    #[inline]
    fn add_step(&mut self, axis: &Axis, drawn: &Drawn, steps: i64, code: Code) {
        let (word, value) = axis.field.change(&self.key, code);
        self.steps.push(Step {
            change: Change::new(&self.key, self.sum, word, value),
            slot: 0,
            code,
            index: drawn.index as u32,
            each: 1.0 / steps as f32,
            distances: [0.0; 2],
            differs: false,
        });
    }

    /// How many steps a move takes, and which way.
    ///
    /// With few steps in all, half of the moves go as far as the slopes allow, or less: chains would meet only those
    /// near where they start.
    #[inline]
    fn steps_of(&mut self, ground: &Ground<'_>, drawn: &mut Drawn) -> i64 {
        if !ground.rules.pace.goes_far {
            self.lean(ground, drawn);
            return drawn.direction;
        }
        if !drawn.is_one_of(LONG) || !drawn.stays {
            return drawn.direction;
        }
        let axis = &ground.axes[drawn.index];
        let code = axis.field.code(&self.key);
        let room = axis.room(code, drawn.direction) / ground.rules.step;
        let most = room
            .min(self.moves.reach(drawn.index, drawn.direction))
            .max(1);
        drawn.direction * (1 + below(&mut self.stream, most as u64) as i64)
    }

    /// Turns a move round if it is one of those that lean outward.
    #[inline]
    fn lean(&mut self, ground: &Ground<'_>, drawn: &mut Drawn) {
        if self.leans(ground, drawn) {
            self.moves.turn_round(drawn);
        }
    }

    /// Whether a move is one of those that are turned round if they lead inward: few people lie near the edges.
    #[inline]
    fn leans(&self, ground: &Ground<'_>, drawn: &Drawn) -> bool {
        if !drawn.is_one_of(LEAN) || !drawn.stays {
            return false;
        }
        let axis = &ground.axes[drawn.index];
        axis.outward(axis.field.code(&self.key)) != drawn.direction
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

    /// Sees the scores of those who were tested and of their likeliest counterparts, and learns from them. Says whether
    /// these are different decisions, all of them.
    #[inline]
    pub(super) fn see(&mut self, tested: &Tested) -> bool {
        let mut all_differ = true;
        for step in &mut self.steps[..self.claimed] {
            let scores = tested.scores_here(step.slot);
            let scores = [scores[self.own], scores[self.other]];
            step.differs = tested.sides().differ(scores[0], scores[1]);
            step.distances = self.frame.distances(scores.map(canonical));
            all_differ &= step.differs;
            // The slopes that a test has shown take the place of those that were expected.
            let slope = |whose: usize| (step.distances[whose] - self.distances[whose]) * step.each;
            self.moves
                .set_slopes(step.index as usize, [slope(0), slope(1)]);
        }
        all_differ
    }

    /// Steps to a find that lies far from what it must not cross: from there most moves lead to others.
    pub(super) fn resolve(&mut self, ground: &Ground<'_>, tested: &mut Tested) {
        let best = self.best_find(tested);
        let tests = self.claimed as u32;
        self.claimed = 0;
        let Some(step) = best else {
            self.barren_tests += tests;
            if self.barren_tests >= PATIENCE {
                self.leave();
            }
            return;
        };
        self.take(ground, &step);
        if step.differs && tested.sides().are_two() {
            self.distances = step.distances;
        } else if step.differs {
            // With several bands or classes the two may differ in another way than before.
            self.look_around(tested);
        } else {
            self.pair_up(tested);
        }
    }

    /// Notes what came of the tests. Of finds that are as good the last one is the best; one of another counterpart is
    /// as good as one at the very edge.
    #[inline]
    fn best_find(&self, tested: &mut Tested) -> Option<Step> {
        let (mut best, mut best_depth) = (None, 0.0);
        for (place, step) in self.steps().iter().enumerate() {
            let is_find = step.differs || tested.discriminated(step.slot, self.own);
            tested.meet_claimed(step.slot, self.own, is_find);
            let [own, other] = step.distances.map(f32::abs);
            let depth = if step.differs {
                own.min(other).min(DEEP)
            } else {
                0.0
            };
            let is_better = is_find & (depth >= best_depth);
            best = if is_better { Some(place) } else { best };
            best_depth = if is_better { depth } else { best_depth };
        }
        best.map(|place| self.steps[place])
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
}
