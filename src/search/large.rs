//! Memory in large pages.
//!
//! Chains look at places all over tables of some megabytes. In pages of four kilobytes a look waits longer for
//! where its memory lies than for the memory, since the processor keeps that for a few pages alone.

use std::alloc::Layout;
use std::ptr::NonNull;

use allocator_api2::alloc::{AllocError, Allocator, Global};

/// How much memory a large page has.
const PAGE: usize = 1 << 21;

/// Less than so much is not worth a page.
const LEAST: usize = 1 << 20;

/// The usual memory; where there is much of it, in large pages as far as the system has any.
#[derive(Debug, Clone, Copy)]
pub(super) struct Large {
    /// The worker who asked for it first, and whose core it lies near; nobody where there is but one.
    pub(super) home: Option<usize>,
}

impl Large {
    /// Memory near this worker.
    pub(super) fn here() -> Self {
        let home = rayon::current_thread_index();
        Large { home }
    }
}

/// Items in such memory.
pub(super) type Items<T> = allocator_api2::vec::Vec<T, Large>;

/// No items.
pub(super) fn none<T>() -> Items<T> {
    Items::new_in(Large::here())
}

/// Adds an item. What is done where there is no room for it stands apart: it is long, and hardly ever needed.
#[inline]
pub(super) fn push<T>(items: &mut Items<T>, item: T) {
    if items.len() == items.capacity() {
        return push_in_new_room(items, item);
    }
    items.push(item);
}

#[cold]
#[inline(never)]
fn push_in_new_room<T>(items: &mut Items<T>, item: T) {
    items.push(item);
}

/// Whole pages, unless it is too little for one.
fn in_pages(layout: Layout) -> Result<Layout, AllocError> {
    if layout.size() < LEAST {
        return Ok(layout);
    }
    let pages = layout.size().div_ceil(PAGE);
    let bytes = pages.checked_mul(PAGE).ok_or(AllocError)?;
    Layout::from_size_align(bytes, layout.align().max(PAGE)).map_err(|_| AllocError)
}

#[allow(
    unsafe_code,
    reason = "an allocator is unsafe to write: this one hands on to the usual one"
)]
// SAFETY: all memory comes from the usual allocator, which keeps the promises of the trait for all copies of
// `Large`. It is asked for memory of another layout, which has room for the one that is wanted, and is given
// back the memory with that very layout: it follows from the wanted one alone.
unsafe impl Allocator for Large {
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        let memory = Global.allocate(in_pages(layout)?)?;
        if layout.size() >= LEAST {
            ask_for_large_pages(memory);
        }
        Ok(NonNull::slice_from_raw_parts(memory.cast(), layout.size()))
    }

    unsafe fn deallocate(&self, memory: NonNull<u8>, layout: Layout) {
        if let Ok(layout) = in_pages(layout) {
            // SAFETY: the memory was allocated with this layout.
            unsafe { Global.deallocate(memory, layout) };
        }
    }
}

/// Tells the system before it has been touched that memory is wanted in large pages. A hint: whether it is taken
/// changes nothing but the time.
#[cfg_attr(
    target_os = "linux",
    allow(unsafe_code, reason = "the hint takes a pointer")
)]
fn ask_for_large_pages(memory: NonNull<[u8]>) {
    #[cfg(target_os = "linux")]
    // SAFETY: the memory is ours and whole pages of it, and the hint does not change what is in it.
    unsafe {
        libc::madvise(memory.as_ptr().cast(), memory.len(), libc::MADV_HUGEPAGE);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = memory;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_keep_what_they_hold_while_they_grow_into_large_pages_and_out_of_them() {
        let mut items = none::<u64>();
        for item in 0..600_000 {
            items.push(item);
        }
        assert!(items.iter().copied().eq(0..600_000));
        assert_eq!(items.as_ptr() as usize % PAGE, 0);
        items.truncate(1000);
        items.shrink_to_fit();
        assert!(items.iter().copied().eq(0..1000));
        let copy = items.clone();
        drop(items);
        assert_eq!(copy.len(), 1000);
    }

    #[test]
    fn only_much_memory_is_in_whole_pages() {
        let pages = |bytes| in_pages(Layout::from_size_align(bytes, 8).unwrap()).unwrap();
        assert_eq!(
            (pages(LEAST - 1).size(), pages(LEAST - 1).align()),
            (LEAST - 1, 8)
        );
        for (bytes, whole) in [(LEAST, 1), (PAGE, 1), (PAGE + 1, 2)] {
            assert_eq!(
                (pages(bytes).size(), pages(bytes).align()),
                (whole * PAGE, PAGE)
            );
        }
    }
}
