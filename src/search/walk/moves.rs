//! The moves that a chain chooses from.

use crate::search::random::{Stream, unit};

/// How often a move that is expected to leave the band is drawn, for one that stays.
const DOUBT: f64 = 0.02;

/// The moves that a chain may make, each once: down and up for every movable attribute.
pub(super) struct Moves {
    /// One bit for each move that is expected to stay among counterexamples, and one for each other.
    pub(super) staying: Vec<u64>,
    pub(super) leaving: Vec<u64>,
}

impl Moves {
    pub(super) fn new(movable: usize) -> Self {
        let words = movable.div_ceil(32);
        Moves {
            staying: vec![0; words],
            leaving: vec![0; words],
        }
    }

    /// Takes out a move at random, as the index of the movable attribute and the direction.
    pub(super) fn draw(&mut self, stream: &mut Stream) -> Option<(usize, i64)> {
        let [staying, leaving] = [count(&self.staying), count(&self.leaving)];
        let total = f64::from(staying) + DOUBT * f64::from(leaving);
        let drawn = unit(stream) * total;
        let (set, turn) = if staying > 0 && drawn < f64::from(staying) {
            (&mut self.staying, drawn as u32)
        } else if leaving > 0 {
            let turn = ((drawn - f64::from(staying)) / DOUBT) as u32;
            (&mut self.leaving, turn.min(leaving - 1))
        } else {
            return None;
        };
        let place = take(set, turn);
        Some((place / 2, if place.is_multiple_of(2) { -1 } else { 1 }))
    }
}

fn count(bits: &[u64]) -> u32 {
    bits.iter().map(|word| word.count_ones()).sum()
}

/// Clears the bit that has `turn` set bits before it, and gives its place.
fn take(bits: &mut [u64], mut turn: u32) -> usize {
    for (index, word) in bits.iter_mut().enumerate() {
        let ones = word.count_ones();
        if turn < ones {
            let mut rest = *word;
            for _ in 0..turn {
                rest &= rest - 1;
            }
            let place = rest.trailing_zeros();
            *word &= !(1 << place);
            return index * 64 + place as usize;
        }
        turn -= ones;
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::random::{Purpose, stream};

    #[test]
    fn every_move_is_drawn_once_and_those_that_stay_come_first() {
        let mut moves = Moves::new(40);
        moves.staying = vec![0b1001, 1 << 15];
        moves.leaving = vec![1 << 63, 0];
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
            (moves.staying[0], moves.leaving[0]) = (0b01, 0b10);
            moves.draw(&mut stream) == Some((0, 1))
        });
        let share = leaves.count() as f64 / 10_000.0;
        assert!((share - DOUBT).abs() < 0.01, "{share}");
    }
}
