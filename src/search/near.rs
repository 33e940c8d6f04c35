//! Memory that is brought near before it is looked at.

/// Bytes that come together.
const LINE: usize = 64;

/// Lines that are asked for in a row: what is longer comes by itself once somebody reads on.
const LINES: usize = 8;

/// Asks the processor to fetch an item, and waits for nothing: whoever looks at it a little later finds it
/// in the cache. A hint, without any effect on what is computed; not every processor takes it here.
#[inline]
pub(super) fn bring<T>(items: &[T], at: usize) {
    if let Some(item) = items.get(at) {
        hint(std::ptr::from_ref(item).cast());
    }
}

/// The same for all of some items, or the first of them if they are long.
#[inline]
pub(super) fn bring_all<T>(items: &[T]) {
    let start: *const u8 = items.as_ptr().cast();
    for offset in (0..size_of_val(items)).step_by(LINE).take(LINES) {
        hint(start.wrapping_add(offset));
    }
}

#[inline]
#[cfg_attr(
    target_arch = "x86_64",
    allow(
        unsafe_code,
        reason = "the hint takes a pointer, which is never read from"
    )
)]
fn hint(at: *const u8) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a hint reads nothing into the program, wherever the pointer leads.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(at.cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = at;
}
