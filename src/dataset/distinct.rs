//! The distinct texts of a column, numbered as they come.

use std::hash::Hasher;

use hashbrown::HashTable;
use rustc_hash::FxHasher;

use super::recent::{Key, Recent};

/// More distinct texts than this are ids, names or free text, and no attribute.
pub(super) const MOST_TEXTS: usize = 1 << 20;

/// The same for their bytes, so that a few long texts cannot fill the memory either.
const MOST_BYTES: usize = 1 << 28;

/// One distinct text.
#[derive(Debug)]
pub(super) struct Text {
    end: usize,
    /// How often it occurs.
    pub(super) count: u64,
    /// The first line that has it.
    pub(super) line: u64,
    /// Whether it stands for a value that is missing.
    pub(super) missing: bool,
}

/// The distinct texts of a column.
#[derive(Debug, Default)]
pub(super) struct Distinct {
    table: HashTable<u32>,
    bytes: Vec<u8>,
    texts: Vec<Text>,
    recent: Recent,
}

impl Distinct {
    /// The number of a text that is there, counted once more, and whether it is missing.
    #[inline]
    pub(super) fn count(&mut self, text: &[u8]) -> Option<(u32, bool)> {
        let key = Key::of(text);
        let recent = key.and_then(|key| self.recent.get(key));
        let number = match recent {
            Some(number) => number,
            None => self.find(text, key)?,
        };
        let found = self.texts.get_mut(number as usize)?;
        found.count += 1;
        Some((number, found.missing))
    }

    #[inline(never)]
    fn find(&mut self, text: &[u8], key: Option<Key>) -> Option<u32> {
        let same = |&number: &u32| bytes(&self.bytes, &self.texts, number) == text;
        let number = *self.table.find(hash(text), same)?;
        if let Some(key) = key {
            self.recent.set(key, number);
        }
        Some(number)
    }

    /// A new text. It must not be there yet.
    pub(super) fn insert(&mut self, text: &[u8], line: u64, missing: bool) -> u32 {
        let number = self.texts.len() as u32;
        self.bytes.extend_from_slice(text);
        self.texts.push(Text {
            end: self.bytes.len(),
            count: 1,
            line,
            missing,
        });
        let again = |&number: &u32| hash(bytes(&self.bytes, &self.texts, number));
        self.table.insert_unique(hash(text), number, again);
        number
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.texts.len()
    }

    /// Whether these are too many for an attribute.
    pub(super) fn too_many(&self) -> bool {
        self.texts.len() > MOST_TEXTS || self.bytes.len() > MOST_BYTES
    }

    /// All texts in the order of their numbers.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &Text)> {
        let text = |number| bytes(&self.bytes, &self.texts, number);
        self.texts.iter().enumerate().map(move |(number, entry)| {
            // Only valid text is inserted.
            (
                std::str::from_utf8(text(number as u32)).unwrap_or_default(),
                entry,
            )
        })
    }
}

fn bytes<'a>(bytes: &'a [u8], texts: &[Text], number: u32) -> &'a [u8] {
    let number = number as usize;
    let start = match number {
        0 => 0,
        _ => texts[number - 1].end,
    };
    &bytes[start..texts[number].end]
}

fn hash(text: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(text);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_numbered_and_counted() {
        let mut distinct = Distinct::default();
        assert_eq!(distinct.count(b"Male"), None);
        assert_eq!(distinct.insert(b"Male", 2, false), 0);
        assert_eq!(distinct.insert(b"?", 3, true), 1);
        assert_eq!(distinct.count(b"Male"), Some((0, false)));
        assert_eq!(distinct.count(b"?"), Some((1, true)));
        let all: Vec<_> = distinct
            .iter()
            .map(|(text, entry)| (text, entry.count, entry.line))
            .collect();
        assert_eq!(all, [("Male", 2, 2), ("?", 2, 3)]);
    }

    #[test]
    fn many_texts_are_found_again() {
        let mut distinct = Distinct::default();
        for number in 0..10_000_u32 {
            let text = number.to_string();
            assert_eq!(distinct.insert(text.as_bytes(), 1, false), number);
        }
        assert_eq!(distinct.count(b"9999"), Some((9999, false)));
        assert_eq!(distinct.len(), 10_000);
    }
}
