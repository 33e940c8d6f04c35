//! The moves that a chain chooses from.

use rand::RngExt;

use crate::search::random::{Stream, below};

use super::choice::{Choice, Chosen, LEAVING};

/// Attributes whose moves are weighed in one go.
const GROUP: usize = 16;

/// The moves that a chain may make: down and up for every movable attribute.
///
/// Attributes are looked at a group at a time, from one that is drawn, so that a step takes no longer
/// where there are many of them.
pub(super) struct Moves {
    groups: Vec<Group>,
    /// How far the scores lie from what they must not cross.
    distances: [f32; 2],
    /// The group where the look began, and how many were looked at after it.
    first: usize,
    passed: usize,
    /// The moves of the group that is looked at: in the lower half those that are expected to stay among
    /// counterexamples and need not wait, in the upper half all others.
    left: u64,
}

/// A move that was drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Drawn {
    /// Which movable attribute is moved, and which way.
    pub(super) index: usize,
    pub(super) direction: i64,
    /// Whether it is expected to stay among counterexamples.
    pub(super) stays: bool,
    /// The random number that it was drawn by.
    random: u64,
}

impl Drawn {
    /// The place among the moves of its group.
    fn place(&self) -> u32 {
        let leaving = if self.stays { 0 } else { LEAVING };
        leaving + 2 * (self.index % GROUP) as u32 + u32::from(self.direction > 0)
    }

    /// Whether this is one of so many draws, at random: a power of two, no more than 2048.
    #[inline]
    pub(super) fn is_one_of(&self, draws: u64) -> bool {
        Chosen::spare(self.random).is_multiple_of(draws)
    }
}

/// Two bits for each attribute: down, then up.
#[derive(Clone, Copy, Default)]
struct Group {
    /// For each attribute how the person's score changes when it grows by one step, and how the
    /// counterpart's score does.
    slopes: [[f32; GROUP]; 2],
    /// The moves that stay inside the domain.
    inside: u32,
    /// The moves of attributes that have to wait until others were moved.
    waiting: u32,
}

impl Moves {
    pub(super) fn new(movable: usize) -> Self {
        Moves {
            groups: vec![Group::default(); movable.div_ceil(GROUP)],
            distances: [0.0; 2],
            first: 0,
            passed: 0,
            left: 0,
        }
    }

    /// Says which moves of an attribute stay inside the domain.
    pub(super) fn allow(&mut self, index: usize, down: bool, up: bool) {
        let inside = &mut self.groups[index / GROUP].inside;
        let place = 2 * (index % GROUP);
        *inside &= !(0b11 << place);
        *inside |= (u32::from(down) | u32::from(up) << 1) << place;
    }

    /// Says how the scores change when an attribute grows: that of the person, and the counterpart's.
    /// What is no number says nothing.
    #[inline]
    pub(super) fn set_slopes(&mut self, index: usize, slopes: [f32; 2]) {
        let [own, other] = &mut self.groups[index / GROUP].slopes;
        for (known, slope) in [own, other].into_iter().zip(slopes) {
            if slope.is_finite() {
                known[index % GROUP] = slope;
            }
        }
    }

    /// Lets an attribute wait until others were moved.
    pub(super) fn wait(&mut self, index: usize) {
        self.groups[index / GROUP].waiting |= 0b11 << (2 * (index % GROUP));
    }

    /// How many steps of an attribute both scores are expected to keep their sides.
    pub(super) fn reach(&self, index: usize, direction: i64) -> i64 {
        let slopes = &self.groups[index / GROUP].slopes;
        let both = self.distances.iter().zip(slopes);
        let steps = both.map(|(distance, slopes)| {
            let nearer = -distance.signum() * slopes[index % GROUP] * direction as f32;
            if nearer > 0.0 {
                distance.abs() / nearer
            } else {
                f32::INFINITY
            }
        });
        steps.fold(f32::INFINITY, f32::min) as i64
    }

    /// Begins to look at the moves of somebody whose scores, and whose counterpart's, lie so far from
    /// what they must not cross.
    pub(super) fn weigh(&mut self, distances: [f32; 2], stream: &mut Stream) {
        self.distances = distances;
        self.passed = 0;
        self.first = match self.groups.len() {
            1 => 0,
            groups => below(stream, groups as u64) as usize,
        };
        self.weigh_group();
    }

    /// Sorts every move of the group inside the domain by whether both scores are expected to keep their
    /// sides.
    fn weigh_group(&mut self) {
        let [own, other] = self.distances;
        // As if the person were the one above: a move down is then one up.
        let turned = u32::from(own < 0.0);
        let side = if turned == 1 { -1.0 } else { 1.0 };
        // Second time round those that stay have been drawn.
        let is_first_time = self.passed < self.groups.len();
        let place = self.group();
        let group = &mut self.groups[place];
        let staying = staying(own * side, other * side, &group.slopes);
        // Nobody can foresee which it is, so there is no branch.
        let mut staying = (staying >> turned & DOWN) | (staying << turned & DOWN << 1);
        let others = group.inside & staying & !group.waiting;
        if others & others.wrapping_sub(1) == 0 {
            // Hardly anything else is left.
            group.waiting = 0;
        }
        staying &= !group.waiting;
        let leaving = u64::from(group.inside & !staying) << LEAVING;
        self.left = match is_first_time {
            true => leaving | u64::from(group.inside & staying),
            false => leaving,
        };
    }

    fn group(&self) -> usize {
        let group = self.first + self.passed;
        // At most twice round.
        match group.checked_sub(self.groups.len()) {
            None => group,
            Some(group) => group.checked_sub(self.groups.len()).unwrap_or(group),
        }
    }

    /// Takes out a move at random. A move that is expected to leave comes seldom, until there are no others.
    pub(super) fn draw(&mut self, stream: &mut Stream) -> Option<Drawn> {
        while !self.has_moves() {
            self.passed += 1;
            if self.passed >= 2 * self.groups.len() - 1 {
                self.passed -= 1;
                return None;
            }
            self.weigh_group();
        }
        let choice = Choice::among(self.left);
        let random = stream.random();
        Some(self.take(&choice, choice.choose(random), random))
    }

    /// Takes out two moves, those that two calls of [`Moves::draw`] would: but neither waits for the other. No moves if
    /// hardly any are left in the group.
    #[inline]
    pub(super) fn draw_two(&mut self, stream: &mut Stream) -> Option<[Drawn; 2]> {
        let choice = Choice::among(self.left);
        if choice.staying() < 2 {
            return None;
        }
        let randoms = [stream.random(), stream.random()];
        let first = choice.choose(randoms[0]);
        let second = choice.choose_another(first, randoms[1]);
        Some([
            self.take(&choice, first, randoms[0]),
            self.take(&choice, second, randoms[1]),
        ])
    }

    #[inline]
    fn take(&mut self, choice: &Choice, chosen: Chosen, random: u64) -> Drawn {
        let place = choice.place(chosen);
        self.left &= !(1 << place);
        let stays = place < LEAVING;
        let place = (place % LEAVING) as usize;
        Drawn {
            index: self.group() * GROUP + place / 2,
            direction: if place.is_multiple_of(2) { -1 } else { 1 },
            stays,
            random,
        }
    }

    /// Takes out the move the other way instead of one that was just drawn, if both are expected to stay. Says whether it
    /// did.
    pub(super) fn turn_round(&mut self, drawn: &mut Drawn) -> bool {
        let place = drawn.place();
        let other = place ^ 1;
        let turns = drawn.stays && self.left >> other & 1 == 1;
        if turns {
            self.left ^= 1 << place | 1 << other;
            drawn.direction = -drawn.direction;
        }
        turns
    }

    /// The same for the first of two that were drawn at once. The second is drawn again then, by the same random number:
    /// other moves are left for it.
    pub(super) fn turn_first_round(&mut self, first: &mut Drawn, second: &mut Drawn) {
        self.left |= 1 << second.place();
        if self.turn_round(first) {
            let choice = Choice::among(self.left);
            *second = self.take(&choice, choice.choose(second.random), second.random);
        } else {
            self.left &= !(1 << second.place());
        }
    }

    /// Whether the group has moves for now: such as leave only once all groups were looked at.
    fn has_moves(&self) -> bool {
        self.left as u32 > 0 || self.left > 0 && self.passed + 1 >= self.groups.len()
    }
}

/// The bits of all moves down.
const DOWN: u32 = 0x5555_5555;

/// Which moves keep both scores on their sides. Without branches: which way they go cannot be
/// foreseen. Not inlined and as plain as can be, so that the compiler weighs attributes side by side.
#[inline(never)]
fn staying(own: f32, other: f32, [own_slopes, other_slopes]: &[[f32; GROUP]; 2]) -> u32 {
    let mut staying = 0;
    for index in 0..GROUP {
        let (own_slope, other_slope) = (own_slopes[index], other_slopes[index]);
        let down = (own > own_slope) & (other < other_slope);
        let up = (own > -own_slope) & (other < -other_slope);
        staying |= if down { BITS[index] } else { 0 };
        staying |= if up { BITS[index] << 1 } else { 0 };
    }
    staying
}

/// The bit of each attribute's move down.
static BITS: [u32; GROUP] = {
    let mut bits = [0; GROUP];
    let mut index = 0;
    while index < GROUP {
        bits[index] = 1 << (2 * index);
        index += 1;
    }
    bits
};

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::search::random::{Purpose, stream};
    use crate::search::walk::choice::TRUST;

    /// Moves of attributes that all change both scores so much for each step up.
    fn moves(movable: usize, slope: f32) -> Moves {
        let mut moves = Moves::new(movable);
        for index in 0..movable {
            moves.allow(index, true, true);
            moves.set_slopes(index, [slope; 2]);
        }
        moves
    }

    fn drawn(moves: &mut Moves, distances: [f32; 2], index: u64) -> Vec<(usize, i64)> {
        let mut stream = stream(1, "moves", Purpose::Chain, index);
        moves.weigh(distances, &mut stream);
        let drawn = std::iter::from_fn(|| moves.draw(&mut stream));
        drawn.map(|drawn| (drawn.index, drawn.direction)).collect()
    }

    #[test]
    fn every_move_is_drawn_and_those_that_stay_come_first() {
        for movable in [1, 16, 17, 40] {
            let mut moves = moves(movable, 0.0);
            moves.allow(0, true, false);
            // The last attribute must not go down, or the person's score would cross.
            moves.set_slopes(movable - 1, [1.0, 0.0]);
            let mut last = 0;
            for index in 0..100 {
                let drawn = drawn(&mut moves, [0.5, -0.5], index);
                let distinct: BTreeSet<_> = drawn.iter().copied().collect();
                assert_eq!(distinct.len(), 2 * movable - 1, "{movable}: {drawn:?}");
                last += usize::from(drawn.last() == Some(&(movable - 1, -1)));
            }
            assert!(last > 80, "{movable}: {last} of 100");
        }
    }

    #[test]
    fn a_move_that_leaves_is_drawn_seldom() {
        // Down leads the person across, up leads nobody anywhere.
        let mut moves = moves(1, 0.0);
        moves.set_slopes(0, [1.0, 0.0]);
        let draws = 10_000;
        let leaves =
            (0..draws).filter(|&index| drawn(&mut moves, [0.5, -0.5], index)[0] == (0, -1));
        let share = leaves.count() as f64 / draws as f64;
        assert!((share * TRUST as f64 - 1.0).abs() < 0.5, "{share}");
    }

    #[test]
    fn moves_stay_where_both_scores_keep_their_sides() {
        // The person's score grows by 0.2 with attribute 13, the counterpart's by 0.1.
        for distances in [[0.1, -0.3], [0.3, -0.05], [-0.1, 0.3], [-0.3, 0.3]] {
            let mut moves = Moves::new(14);
            moves.allow(13, true, true);
            moves.set_slopes(13, [0.2, 0.1]);
            moves.weigh(distances, &mut stream(1, "moves", Purpose::Chain, 0));
            let stays = |step: f32| {
                distances[0] * (distances[0] + step * 0.2) > 0.0
                    && distances[1] * (distances[1] + step * 0.1) > 0.0
            };
            let [down, up] = [-1.0, 1.0].map(|step| u32::from(stays(step)));
            let staying = (down | up << 1) << 26;
            assert_eq!(moves.left as u32, staying, "{distances:?}");
            assert_eq!((moves.left >> LEAVING) as u32, staying ^ 0b11 << 26);
        }
    }

    #[test]
    fn an_attribute_waits_until_others_were_moved() {
        let mut moves = moves(3, 0.0);
        for index in [2, 0] {
            moves.wait(index);
            let next = drawn(&mut moves, [0.5, -0.5], 1)[0].0;
            assert_ne!(next, index);
        }
        // The one that is left could only go to and fro.
        moves.allow(1, true, false);
        let firsts: BTreeSet<usize> = (0..20)
            .map(|index| drawn(&mut moves, [0.5, -0.5], index)[0].0)
            .collect();
        assert_eq!(firsts.len(), 3);
    }

    #[test]
    fn a_move_is_turned_round_only_where_both_ways_stay() {
        let mut stream = stream(1, "moves", Purpose::Chain, 0);
        for (slope, turns) in [(0.0, true), (1.0, false)] {
            let mut moves = moves(17, 0.0);
            moves.set_slopes(16, [slope, 0.0]);
            moves.allow(16, true, true);
            moves.weigh([0.5, -0.5], &mut stream);
            let mut drawn = loop {
                match moves.draw(&mut stream) {
                    Some(drawn) if drawn.index == 16 => break drawn,
                    Some(_) => {}
                    None => moves.weigh([0.5, -0.5], &mut stream),
                }
            };
            let before = drawn;
            assert_eq!(moves.turn_round(&mut drawn), turns);
            assert_eq!(drawn.direction != before.direction, turns);
            if turns {
                // The one that was drawn is left again, and the other is not.
                let rest = std::iter::from_fn(|| moves.draw(&mut stream));
                let rest: Vec<i64> = rest
                    .filter(|other| other.index == 16)
                    .map(|other| other.direction)
                    .collect();
                assert_eq!(rest, [before.direction]);
            }
        }
    }

    #[test]
    fn two_at_once_are_those_that_are_drawn_one_after_the_other() {
        for index in 0..1000 {
            let mut one_by_one = moves(5, 0.0);
            one_by_one.set_slopes(2, [1.0, 0.0]);
            let mut at_once = moves(5, 0.0);
            at_once.set_slopes(2, [1.0, 0.0]);
            let streams = [0, 0].map(|_| stream(1, "moves", Purpose::Chain, index));
            let [mut own, mut other] = streams;
            one_by_one.weigh([0.5, -0.5], &mut own);
            at_once.weigh([0.5, -0.5], &mut other);
            let mut first = one_by_one.draw(&mut own).unwrap();
            let [mut first_of_two, mut second_of_two] = at_once.draw_two(&mut other).unwrap();
            assert_eq!(first_of_two, first);
            if first.is_one_of(2) && one_by_one.turn_round(&mut first) {
                at_once.turn_first_round(&mut first_of_two, &mut second_of_two);
            }
            assert_eq!(second_of_two, one_by_one.draw(&mut own).unwrap());
            assert_eq!((at_once.left, own), (one_by_one.left, other));
        }
    }

    #[test]
    fn a_reach_ends_where_the_first_score_crosses() {
        let mut moves = moves(2, 0.0);
        moves.set_slopes(1, [0.1, 0.125]);
        moves.weigh([0.5, -0.5], &mut stream(1, "moves", Purpose::Chain, 0));
        assert_eq!(moves.reach(1, 1), 4);
        assert_eq!(moves.reach(1, -1), 5);
        assert_eq!(moves.reach(0, 1), i64::MAX);
    }
}
