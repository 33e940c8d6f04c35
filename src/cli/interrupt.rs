//! Ctrl-C: the first ends the run and keeps what was found, the second ends the program. The only
//! file that names `ctrlc`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::progress::Bars;
use super::tell;

/// The exit code of a program that Ctrl-C ended, as shells know it.
const ENDED_AT_ONCE: i32 = 130;

/// Whether somebody asked to stop.
#[derive(Debug, Clone, Default)]
pub(super) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Listens for Ctrl-C and for being asked to end (SIGINT, SIGTERM) from now on. What it says
    /// stands above the bars.
    pub(super) fn listen(bars: Bars) -> Self {
        let interrupt = Interrupt::default();
        let asked = Arc::clone(&interrupt.0);
        // Without a listener Ctrl-C ends the program at once, as it does everywhere.
        let _ = ctrlc::set_handler(move || {
            if asked.swap(true, Ordering::Relaxed) {
                std::process::exit(ENDED_AT_ONCE);
            }
            bars.suspend(|| {
                tell::remark(
                    "interrupted: ending with what was found so far; again to end at once",
                );
            });
        });
        interrupt
    }

    /// Whether somebody asked to stop.
    pub(super) fn asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
