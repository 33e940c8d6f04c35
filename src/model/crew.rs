//! Workers that stay awake while a benchmark runs, so that even a short step is worth sharing out.
//!
//! Waking a sleeping thread takes longer than a small network needs for a whole step. So the
//! threads of the pool in which a benchmark runs are kept looking for work until it is done.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::cores::begin_apart;

/// Looks for work in vain after which a worker lets other processes have its core.
const PATIENCE: u32 = 2_000;

/// The threads of the current pool, all of them awake; or this thread alone.
#[derive(Debug, Clone, Copy)]
pub struct Crew {
    workers: usize,
}

impl Crew {
    /// This thread alone.
    pub fn alone() -> Self {
        Crew { workers: 1 }
    }

    /// Does the work with all threads of the pool that this thread belongs to.
    pub fn gather<R: Send>(work: impl FnOnce(Crew) -> R + Send) -> R {
        let workers = rayon::current_num_threads();
        let Some(own) = rayon::current_thread_index().filter(|_| workers > 1) else {
            return work(Crew::alone());
        };
        let (work, done) = (Mutex::new(Some(work)), AtomicBool::new(false));
        // A broadcast has a part for each thread which no other can take.
        let results = rayon::broadcast(|context| {
            begin_apart(context.index(), workers);
            if context.index() != own {
                help_until(|| done.load(Ordering::Acquire));
                return None;
            }
            let _done = OnDrop(|| done.store(true, Ordering::Release));
            let work = work.lock().ok().and_then(|mut work| work.take());
            work.map(|work| work(Crew { workers }))
        });
        let mut results = results.into_iter().flatten();
        match results.next() {
            Some(result) => result,
            None => unreachable!("this thread is one of the pool's"),
        }
    }

    /// How many workers there are.
    pub fn workers(self) -> usize {
        self.workers
    }

    /// Does something with every share, side by side as far as there are workers.
    pub fn share_out<T: Send>(self, shares: impl IntoIterator<Item = T>, act: impl Fn(T) + Sync) {
        let mut shares = shares.into_iter();
        if self.workers == 1 {
            return shares.for_each(act);
        }
        let Some(first) = shares.next() else {
            return;
        };
        let (act, others) = (&act, AtomicUsize::new(0));
        let left = &others;
        rayon::in_place_scope(|scope| {
            for share in shares {
                left.fetch_add(1, Ordering::Relaxed);
                scope.spawn(move |_| {
                    let _done = OnDrop(|| {
                        left.fetch_sub(1, Ordering::Release);
                    });
                    act(share);
                });
            }
            act(first);
            // The pool would put this thread to sleep.
            help_until(|| left.load(Ordering::Acquire) == 0);
        });
    }
}

/// Takes what other threads of the pool share out.
fn help_until(done: impl Fn() -> bool) {
    let mut in_vain = 0;
    while !done() {
        match rayon::yield_now() {
            Some(rayon::Yield::Executed) => in_vain = 0,
            _ if in_vain < PATIENCE => {
                in_vain += 1;
                std::hint::spin_loop();
            }
            _ => std::thread::yield_now(),
        }
    }
}

/// Does something even if the work before it panics.
struct OnDrop<F: Fn()>(F);

impl<F: Fn()> Drop for OnDrop<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}
