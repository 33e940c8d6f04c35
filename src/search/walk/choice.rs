//! Choosing one of some moves at random: those that are expected to stay among counterexamples often, others seldom.

/// How often a move is drawn that is expected to stay among counterexamples, for one that leaves them.
pub(super) const TRUST: u64 = 50;

/// Where the moves begin that are expected to leave: the bits below stand for those that stay.
pub(super) const LEAVING: u32 = 32;

/// Moves to choose from, a bit for each, counted.
#[derive(Clone, Copy)]
pub(super) struct Choice {
    moves: u64,
    /// In each byte the set bits of it and of all bytes before it.
    up_to: u64,
    staying: u64,
    leaving: u64,
}

/// A move that was chosen: so many moves come before it.
#[derive(Clone, Copy)]
pub(super) struct Chosen(u32);

/// Bits of a random number that choosing leaves over.
const SPARE: u32 = 11;

impl Chosen {
    #[inline]
    fn by(random: u64, staying: u64, leaving: u64) -> Self {
        let all = TRUST * staying + leaving;
        let number = ((random >> SPARE) * all) >> (u64::BITS - SPARE);
        Chosen(match number.checked_sub(TRUST * staying) {
            None => number / TRUST,
            Some(place) => staying + place,
        } as u32)
    }

    /// The bits of a random number that nothing was chosen by.
    #[inline]
    pub(super) fn spare(random: u64) -> u64 {
        random & ((1 << SPARE) - 1)
    }
}

impl Choice {
    #[inline]
    pub(super) fn among(moves: u64) -> Self {
        let up_to = ones_up_to(moves);
        let staying = up_to >> (LEAVING - 8) & 0xff;
        Choice {
            moves,
            up_to,
            staying,
            leaving: (up_to >> 56) - staying,
        }
    }

    /// How many are expected to stay.
    #[inline]
    pub(super) fn staying(&self) -> u64 {
        self.staying
    }

    /// The move that a random number chooses. There must be one.
    #[inline]
    pub(super) fn choose(&self, random: u64) -> Chosen {
        Chosen::by(random, self.staying, self.leaving)
    }

    /// The move that a random number chooses once the first is taken out. There must be another.
    #[inline]
    pub(super) fn choose_another(&self, Chosen(first): Chosen, random: u64) -> Chosen {
        let stays = u64::from(u64::from(first) < self.staying);
        let (staying, leaving) = (self.staying - stays, self.leaving - (1 - stays));
        let Chosen(other) = Chosen::by(random, staying, leaving);
        Chosen(other + u32::from(other >= first))
    }

    /// The bit of a move that was chosen.
    #[inline]
    pub(super) fn place(&self, Chosen(turn): Chosen) -> u32 {
        nth_one(self.moves, self.up_to, turn)
    }
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
