//! Memory that is brought near before it is looked at.

/// Asks the processor to fetch an item, and waits for nothing: whoever looks at it a little later finds it
/// in the cache. A hint, without any effect on what is computed; not every processor takes it here.
#[inline]
#[cfg_attr(
    target_arch = "x86_64",
    allow(
        unsafe_code,
        reason = "the hint takes a pointer, which is never read from"
    )
)]
pub(super) fn bring<T>(items: &[T], at: usize) {
    #[cfg(target_arch = "x86_64")]
    if let Some(item) = items.get(at) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: the pointer is that of a reference, and a hint reads nothing into the program.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(item).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (items, at);
}
