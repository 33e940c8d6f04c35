//! The moves that a chain chooses from.

use crate::search::random::{Stream, unit};

/// How often a move that is expected to leave the band is drawn, for one that stays.
const DOUBT: f64 = 0.02;

/// Attributes whose moves are weighed in one go.
const GROUP: usize = 16;

/// The moves that a chain may make, each once: down and up for every movable attribute.
pub(super) struct Moves {
    groups: Vec<Group>,
    /// How many moves are expected to stay among counterexamples, and how many are not.
    staying: u32,
    leaving: u32,
}

/// Two bits for each attribute: down, then up.
#[derive(Clone, Copy, Default)]
struct Group {
    /// For each attribute how the person's score changes when it grows by one step, and how the
    /// counterpart's score does.
    slopes: [[f32; GROUP]; 2],
    /// The moves that stay inside the domain.
    inside: u32,
    /// Those among them that are expected to stay among counterexamples, and all others.
    staying: u32,
    leaving: u32,
}

impl Moves {
    pub(super) fn new(movable: usize) -> Self {
        Moves {
            groups: vec![Group::default(); movable.div_ceil(GROUP)],
            staying: 0,
            leaving: 0,
        }
    }

    /// Says which moves of an attribute stay inside the domain.
    pub(super) fn allow(&mut self, index: usize, down: bool, up: bool) {
        let inside = &mut self.groups[index / GROUP].inside;
        let place = 2 * (index % GROUP);
        *inside &= !(0b11 << place);
        *inside |= (u32::from(down) | u32::from(up) << 1) << place;
    }

    /// Says how a score changes when an attribute grows: that of the person, or of the counterpart.
    pub(super) fn set_slope(&mut self, index: usize, whose: usize, slope: f32) {
        self.groups[index / GROUP].slopes[whose][index % GROUP] = slope;
    }

    /// Sorts every move inside the domain by whether both scores are expected to keep their sides,
    /// as far as they lie from what they must not cross.
    pub(super) fn weigh(&mut self, [own, other]: [f32; 2]) {
        // As if the person were the one above: a move down is then one up.
        let turned = own.signum() < 0.0;
        let side = if turned { -1.0 } else { 1.0 };
        (self.staying, self.leaving) = (0, 0);
        for group in &mut self.groups {
            let mut staying = staying(own * side, other * side, &group.slopes);
            if turned {
                staying = (staying >> 1 & DOWN) | (staying & DOWN) << 1;
            }
            group.staying = group.inside & staying;
            group.leaving = group.inside & !staying;
            let both = ones_up_to(u64::from(group.staying) << 32 | u64::from(group.leaving));
            let leaving = (both >> 24) as u32 & 0xff;
            self.leaving += leaving;
            self.staying += (both >> 56) as u32 - leaving;
        }
    }

    /// Takes out a move at random, as the index of the movable attribute and the direction.
    pub(super) fn draw(&mut self, stream: &mut Stream) -> Option<(usize, i64)> {
        let [staying, leaving] = [self.staying, self.leaving];
        let total = f64::from(staying) + DOUBT * f64::from(leaving);
        let drawn = unit(stream) * total;
        let place = if staying > 0 && drawn < f64::from(staying) {
            self.staying -= 1;
            let sets = self.groups.iter_mut().map(|group| &mut group.staying);
            take(sets, drawn as u32)
        } else if leaving > 0 {
            self.leaving -= 1;
            let turn = ((drawn - f64::from(staying)) / DOUBT) as u32;
            let sets = self.groups.iter_mut().map(|group| &mut group.leaving);
            take(sets, turn.min(leaving - 1))
        } else {
            return None;
        };
        Some((place / 2, if place.is_multiple_of(2) { -1 } else { 1 }))
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

/// Clears the bit that has `turn` set bits before it, and gives its place.
fn take<'w>(words: impl Iterator<Item = &'w mut u32>, mut turn: u32) -> usize {
    for (index, word) in words.enumerate() {
        let up_to = ones_up_to(u64::from(*word));
        let ones = (up_to >> 56) as u32;
        if turn < ones {
            let place = nth_one(u64::from(*word), up_to, turn);
            *word &= !(1 << place);
            return index * 2 * GROUP + place as usize;
        }
        turn -= ones;
    }
    0
}

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
    use super::*;
    use crate::search::random::{Purpose, stream};

    #[test]
    fn every_move_is_drawn_once_and_those_that_stay_come_first() {
        let mut moves = Moves::new(40);
        (moves.groups[0].staying, moves.groups[2].staying) = (0b1001, 1 << 15);
        moves.groups[1].leaving = 1 << 31;
        (moves.staying, moves.leaving) = (3, 1);
        let mut stream = stream(1, "moves", Purpose::Chain, 0);
        let mut drawn: Vec<_> = std::iter::from_fn(|| moves.draw(&mut stream)).collect();
        drawn.sort_unstable();
        assert_eq!(drawn, [(0, -1), (1, 1), (31, 1), (39, 1)]);
    }

    #[test]
    fn a_move_that_leaves_is_drawn_seldom() {
        let mut stream = stream(1, "moves", Purpose::Chain, 0);
        let leaves = (0..10_000).filter(|_| {
            let mut moves = Moves::new(2);
            (moves.groups[0].staying, moves.groups[0].leaving) = (0b01, 0b10);
            (moves.staying, moves.leaving) = (1, 1);
            moves.draw(&mut stream) == Some((0, 1))
        });
        let share = leaves.count() as f64 / 10_000.0;
        assert!((share - DOUBT).abs() < 0.01, "{share}");
    }

    #[test]
    fn moves_stay_where_both_scores_keep_their_sides() {
        // The person's score grows by 0.2 with attribute 33, the counterpart's by 0.1.
        for distances in [[0.1, -0.3], [0.3, -0.05], [-0.1, 0.3], [-0.3, 0.3]] {
            let mut moves = Moves::new(34);
            moves.allow(33, true, true);
            moves.set_slope(33, 0, 0.2);
            moves.set_slope(33, 1, 0.1);
            moves.weigh(distances);
            let stays = |step: f32| {
                distances[0] * (distances[0] + step * 0.2) > 0.0
                    && distances[1] * (distances[1] + step * 0.1) > 0.0
            };
            let [down, up] = [-1.0, 1.0].map(|step| u32::from(stays(step)));
            assert_eq!(
                moves.groups[2].staying,
                down << 2 | up << 3,
                "{distances:?}"
            );
            assert_eq!(moves.groups[2].leaving, moves.groups[2].staying ^ 0b1100);
            assert_eq!([moves.staying, moves.leaving], [down + up, 2 - down - up]);
        }
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
