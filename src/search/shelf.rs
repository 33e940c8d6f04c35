//! Memory that tables of tested people have given back, for tables to come.
//!
//! New memory has to be asked for, cleared and found page by page. For a million people that took a virtual
//! machine 25 to 50 ms, a fifth and more of what the search itself needs. So the benchmarks of a run, one
//! after another, use the same memory.

use std::sync::{Mutex, PoisonError};

use super::large::{Items, Large, none};
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
    /// The smallest piece with room for so many items, empty: one near this worker, if there is any.
    fn take(&self, items: usize) -> Option<Items<T>> {
        let here = Large::here().home;
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let pieces = kept.iter().enumerate();
        let fitting = pieces.filter(|(_, piece)| piece.capacity() >= items);
        let (place, _) =
            fitting.min_by_key(|(_, piece)| (piece.allocator().home != here, piece.capacity()))?;
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
    if all * size_of::<T>() < LEAST {
        return items.reserve(more);
    }
    let kept = T::shelf().take(all);
    let mut roomy = kept.unwrap_or_else(|| Items::with_capacity_in(all, Large::here()));
    roomy.extend_from_slice(items);
    give(items);
    *items = roomy;
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
    fn a_worker_is_given_what_lies_near() {
        let at = |home| {
            let mut piece = Items::with_capacity_in(LEAST, Large { home });
            piece.push(0_u8);
            piece
        };
        let shelf = Shelf::<u8>(Mutex::new(Vec::new()));
        for home in [Some(1), Some(0), None] {
            shelf.give(at(home));
        }
        let homes = [(); 3].map(|()| shelf.take(LEAST).map(|piece| piece.allocator().home));
        assert_eq!(homes[0], Some(None), "this thread is no worker's");
        assert!(homes[1..].contains(&Some(Some(0))) && homes[1..].contains(&Some(Some(1))));
        assert!(shelf.take(1).is_none());
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
