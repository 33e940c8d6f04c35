//! Somebody who is looked for: a packed profile with one word changed, and the hash that follows from it.

/// A profile that is looked for: a packed one with one word changed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted<'k> {
    /// The packed profile before the change.
    pub(crate) key: &'k [u64],
    /// Which word is changed, and what it is then.
    pub(crate) change: Change,
}

/// A change of one word of a packed profile, with the hash that follows from it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Change {
    pub(super) word: usize,
    pub(super) value: u64,
    pub(super) hash: u64,
}

impl Change {
    /// The change of a word of a profile with this [`sum`].
    pub(crate) fn new(key: &[u64], sum: u64, word: usize, value: u64) -> Self {
        let hash = finish(sum_after(key, sum, word, value));
        Change { word, value, hash }
    }

    /// Makes the change. The new [`sum`] is given back.
    pub(crate) fn make(self, key: &mut [u64], sum: u64) -> u64 {
        let sum = sum_after(key, sum, self.word, self.value);
        key[self.word] = self.value;
        sum
    }
}

fn sum_after(key: &[u64], sum: u64, word: usize, value: u64) -> u64 {
    let difference = value.wrapping_sub(key[word]);
    sum.wrapping_add(difference.wrapping_mul(factor(word)))
}

impl<'k> Wanted<'k> {
    pub(super) fn unchanged(key: &'k [u64]) -> Self {
        let change = Change::new(key, sum(key), 0, key[0]);
        Wanted { key, change }
    }

    /// Words are compared without a branch: the other profile has to come from memory, and whoever guesses
    /// what it is guesses wrongly now and then. Most keys have one word.
    #[inline]
    pub(super) fn is(&self, other: &[u64]) -> bool {
        let Change { word, value, .. } = self.change;
        match other {
            [other] => *other == value,
            _ => {
                let pairs = self.key.iter().zip(other).enumerate();
                let differences = pairs.map(|(place, (own, other))| {
                    let own = if place == word { value } else { *own };
                    own ^ other
                });
                differences.fold(0, |all, difference| all | difference) == 0
            }
        }
    }
}

/// A sum over the words of a packed profile: a change of one word changes it by as much.
pub(crate) fn sum(words: &[u64]) -> u64 {
    let parts = words.iter().enumerate();
    parts.fold(0, |sum, (index, word)| {
        sum.wrapping_add(word.wrapping_mul(factor(index)))
    })
}

/// An odd number for each word.
fn factor(word: usize) -> u64 {
    0x9e37_79b9_7f4a_7c15_u64.rotate_left(word as u32 * 7) | 1
}

/// The hash of a packed profile.
pub(super) fn hash(key: &[u64]) -> u64 {
    finish(sum(key))
}

/// The hash that the index goes by: every bit of the sum has a say in each of its bits.
fn finish(sum: u64) -> u64 {
    let mixed = (sum ^ (sum >> 32)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (mixed ^ (mixed >> 29)).wrapping_mul(0x94d0_49bb_1331_11eb)
}
