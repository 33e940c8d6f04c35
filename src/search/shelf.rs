//! Memory that tables of tested people have given back, for tables to come.
//!
//! New memory has to be asked for, cleared and found page by page. For a million people that took a virtual
//! machine 25 to 50 ms, a fifth and more of what the search itself needs. So the benchmarks of a run, one
//! after another, use the same memory.

use std::sync::{Mutex, PoisonError};

use super::large::{Items, none};
use super::tested::{Found, Slot};

/// Less than so many bytes is not worth keeping.
const LEAST: usize = 1 << 20;

/// So many bytes of each kind are kept at the most.
const MOST: usize = 1 << 26;

/// Pieces of memory for items of one kind.
pub(super) struct Shelf<T>(Mutex<Vec<Items<T>>>);

/// Something that tables are made of.
pub(super) trait Shelved: Copy + 'static {
    /// Where pieces of it are kept.
    fn shelf() -> &'static Shelf<Self>;
}

macro_rules! shelved {
    ($($kind:ty),*) => {$(
        impl Shelved for $kind {
            fn shelf() -> &'static Shelf<Self> {
                static SHELF: Shelf<$kind> = Shelf(Mutex::new(Vec::new()));
                &SHELF
            }
        }
    )*};
}

shelved!(u8, Slot, u64, f32, Found);

impl<T> Shelf<T> {
    /// The smallest piece with room for so many items, empty.
    fn take(&self, items: usize) -> Option<Items<T>> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let pieces = kept.iter().enumerate();
        let fitting = pieces.filter(|(_, piece)| piece.capacity() >= items);
        let (place, _) = fitting.min_by_key(|(_, piece)| piece.capacity())?;
        Some(kept.swap_remove(place))
    }

    fn give(&self, mut piece: Items<T>) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let all: usize = kept.iter().map(bytes).sum();
        if bytes(&piece) >= LEAST && all + bytes(&piece) <= MOST {
            piece.clear();
            kept.push(piece);
        }
    }
}

fn bytes<T>(piece: &Items<T>) -> usize {
    piece.capacity() * size_of::<T>()
}

/// Makes room for so many items more.
pub(super) fn reserve<T: Shelved>(items: &mut Items<T>, more: usize) {
    let all = items.len() + more;
    if all <= items.capacity() {
        return;
    }
    let kept = if all * size_of::<T>() >= LEAST {
        T::shelf().take(all)
    } else {
        None
    };
    match kept {
        None => items.reserve(more),
        Some(mut roomy) => {
            roomy.extend_from_slice(items);
            give(items);
            *items = roomy;
        }
    }
}

/// So many items that are all the same.
pub(super) fn filled<T: Shelved>(item: T, items: usize) -> Items<T> {
    let mut filled = none();
    reserve(&mut filled, items);
    filled.resize(items, item);
    filled
}

/// Empties a vector and keeps its memory, if it is worth it.
pub(super) fn give<T: Shelved>(items: &mut Items<T>) {
    T::shelf().give(std::mem::replace(items, none()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_used_again_and_empty() {
        // No table has so many bytes in the other tests that run meanwhile.
        let many = (1 << 23) + 5;
        let mut first = filled(7_u8, many);
        let capacity = first.capacity();
        give(&mut first);
        assert_eq!(first.capacity(), 0);
        let second = filled(9_u8, many - 1);
        assert_eq!(second.capacity(), capacity);
        assert!(second.len() == many - 1 && second.iter().all(|&item| item == 9));
        let mut third = none();
        third.extend_from_slice(&[1_u8, 2]);
        give(&mut { second });
        reserve(&mut third, many - 2);
        assert_eq!(
            (third.as_slice(), third.capacity()),
            ([1, 2].as_slice(), capacity)
        );
    }

    #[test]
    fn no_more_is_kept_than_is_allowed() {
        for _ in 0..3 {
            let mut piece = none::<Found>();
            piece.reserve(MOST / 16);
            give(&mut piece);
        }
        let kept = Found::shelf().0.lock().unwrap();
        assert!(kept.iter().map(bytes).sum::<usize>() <= MOST);
    }
}
