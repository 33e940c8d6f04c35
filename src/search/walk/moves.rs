//! The moves that a chain chooses from.

use crate::search::random::{Stream, below, below_few};

/// How often a move is drawn that is expected to stay in the band, for one that leaves it.
const TRUST: u64 = 50;

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
    /// Random bits that were left over.
    pub(super) spare: u64,
}

impl Drawn {
    /// The place among the moves of its group.
    fn place(&self) -> u32 {
        2 * (self.index % GROUP) as u32 + u32::from(self.direction > 0)
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
        let up_to = ones_up_to(self.left);
        let staying = up_to >> (LEAVING - 8) & 0xff;
        let leaving = (up_to >> 56) - staying;
        let (drawn, spare) = below_few(stream, TRUST * staying + leaving);
        let turn = match drawn.checked_sub(TRUST * staying) {
            None => drawn / TRUST,
            Some(turn) => staying + turn,
        } as u32;
        let place = nth_one(self.left, up_to, turn);
        self.left &= !(1 << place);
        let stays = place < LEAVING;
        let place = (place % LEAVING) as usize;
        Some(Drawn {
            index: self.group() * GROUP + place / 2,
            direction: if place.is_multiple_of(2) { -1 } else { 1 },
            stays,
            spare,
        })
    }

    /// Takes out the move the other way instead of one that was just drawn, if both are expected to stay.
    pub(super) fn turn_round(&mut self, drawn: &mut Drawn) {
        let place = drawn.place();
        let other = place ^ 1;
        if drawn.stays && self.left >> other & 1 == 1 {
            self.left ^= 1 << place | 1 << other;
            drawn.direction = -drawn.direction;
        }
    }

    /// Whether the group has moves for now: such as leave only once all groups were looked at.
    fn has_moves(&self) -> bool {
        self.left as u32 > 0 || self.left > 0 && self.passed + 1 >= self.groups.len()
    }
}

/// Where the moves begin that are expected to leave.
const LEAVING: u32 = 32;

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

/// One in each byte.
const EACH: u64 = 0x0101_0101_0101_0101;

/// In each byte the set bits of it and of all bytes before it.
fn ones_up_to(word: u64) -> u64 {
    let pairs = word - (word >> 1 & 0x5555_5555_5555_5555);
    let fours = (pairs & 0x3333_3333_3333_3333) + (pairs >> 2 & 0x3333_3333_3333_3333);
    let bytes = (fours + (fours >> 4)) & 0x0f0f_0f0f_0f0f_0f0f;
    bytes.wrapping_mul(EACH)
}

/// The place of the set bit that has `turn` set bits before it: without branches, all bytes at once.
fn nth_one(word: u64, up_to: u64, turn: u32) -> u32 {
    // The highest bit of each byte says that the place lies beyond it.
    let beyond = ((u64::from(turn) * EACH) | (EACH << 7)) - up_to;
    let byte = ((beyond & (EACH << 7)) >> 7).wrapping_mul(EACH) >> 56;
    let before = (up_to << 8 >> (8 * byte)) as u32 & 0xff;
    let rest = (word >> (8 * byte)) as usize & 0xff;
    8 * byte as u32 + u32::from(NTH_ONE[rest][(turn - before) as usize & 7])
}

/// For every byte the places of its set bits.
static NTH_ONE: [[u8; 8]; 256] = {
    let mut places = [[0; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut place, mut turn) = (0, 0);
        while place < 8 {
            if byte >> place & 1 == 1 {
                places[byte][turn] = place as u8;
                turn += 1;
            }
            place += 1;
        }
        byte += 1;
    }
    places
};

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::search::random::{Purpose, stream};

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
            moves.turn_round(&mut drawn);
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
    fn a_reach_ends_where_the_first_score_crosses() {
        let mut moves = moves(2, 0.0);
        moves.set_slopes(1, [0.1, 0.125]);
        moves.weigh([0.5, -0.5], &mut stream(1, "moves", Purpose::Chain, 0));
        assert_eq!(moves.reach(1, 1), 4);
        assert_eq!(moves.reach(1, -1), 5);
        assert_eq!(moves.reach(0, 1), i64::MAX);
    }

    #[test]
    fn every_set_bit_has_its_turn() {
        for word in [1, 1 << 63, u64::from(u32::MAX), 0x8000_0101_0010_3001] {
            let places: Vec<u32> = (0..64).filter(|place| word >> place & 1 == 1).collect();
            let by_turn: Vec<u32> = (0..word.count_ones())
                .map(|turn| nth_one(word, ones_up_to(word), turn))
                .collect();
            assert_eq!(by_turn, places);
        }
    }
}
