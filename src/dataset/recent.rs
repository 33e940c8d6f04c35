//! Short texts that were met of late, found without a look at the table of all texts.
//!
//! Nearly every cell of a large file is one of a few short texts. Here a cell is found by one
//! comparison of two numbers.

const BITS: u32 = 11;

/// A text of at most 16 bytes as numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Key {
    low: u64,
    high: u64,
    length: u32,
}

impl Key {
    /// The key of a text, if it is short. Its first and its last bytes overlap where it is shorter
    /// than both together, so no text shares its key with another of its length.
    #[inline]
    pub(super) fn of(text: &[u8]) -> Option<Self> {
        let (low, high) = match text.len() {
            8..=16 => (
                u64::from_le_bytes(*text.first_chunk()?),
                u64::from_le_bytes(*text.last_chunk()?),
            ),
            4..8 => (
                u64::from(u32::from_le_bytes(*text.first_chunk()?)),
                u64::from(u32::from_le_bytes(*text.last_chunk()?)),
            ),
            2..4 => (
                u64::from(u16::from_le_bytes(*text.first_chunk()?)),
                u64::from(u16::from_le_bytes(*text.last_chunk()?)),
            ),
            1 => (u64::from(text[0]), 0),
            0 => (0, 0),
            _ => return None,
        };
        Some(Key {
            low,
            high,
            length: text.len() as u32,
        })
    }

    #[inline]
    fn place(self) -> usize {
        let mixed = self.low ^ self.high.rotate_left(29) ^ u64::from(self.length);
        (mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - BITS)) as usize
    }
}

/// The texts met of late and their numbers; a new one takes the place of an older one.
#[derive(Debug)]
pub(super) struct Recent {
    places: Vec<(Key, u32)>,
}

impl Default for Recent {
    fn default() -> Self {
        let nothing = Key {
            low: 0,
            high: 0,
            length: u32::MAX,
        };
        Recent {
            places: vec![(nothing, 0); 1 << BITS],
        }
    }
}

impl Recent {
    /// The number of a text.
    #[inline]
    pub(super) fn get(&self, key: Key) -> Option<u32> {
        let (held, number) = self.places.get(key.place())?;
        (*held == key).then_some(*number)
    }

    /// Remembers the number of a text.
    pub(super) fn set(&mut self, key: Key, number: u32) {
        if let Some(held) = self.places.get_mut(key.place()) {
            *held = (key, number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn different_texts_have_different_keys() {
        let text = b"abcdefghijklmnopq";
        for length in 0..=17 {
            let short = &text[..length];
            let Some(key) = Key::of(short) else {
                assert_eq!(length, 17);
                continue;
            };
            for at in 0..length {
                let mut other = short.to_vec();
                other[at] ^= 1;
                assert_ne!(Key::of(&other), Some(key), "{length} {at}");
            }
            assert_ne!(Key::of(&[short, &b"\0"[..]].concat()), Some(key));
        }
    }

    #[test]
    fn a_text_is_found_until_another_takes_its_place() {
        let mut recent = Recent::default();
        let keys: Vec<Key> = (0..10_000)
            .filter_map(|number| Key::of(number.to_string().as_bytes()))
            .collect();
        for (number, &key) in keys.iter().enumerate() {
            assert_eq!(recent.get(key), None);
            recent.set(key, number as u32);
            assert_eq!(recent.get(key), Some(number as u32));
        }
    }
}
