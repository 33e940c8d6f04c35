//! Cores that workers begin on.
//!
//! Threads that are woken together may begin on the same core and take turns there for some ten milliseconds, while
//! the core beside it does nothing: until the system sees it, a search may be half done.

/// Moves this thread, one worker of so many, to a core of its own, if there is one for each of them. A hint: from
/// there the system may move it wherever it likes. With fewer workers others may have the other cores.
#[cfg(target_os = "linux")]
pub(super) fn begin_apart(worker: usize, workers: usize) {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

    let Ok(allowed) = sched_getaffinity(None) else {
        return;
    };
    if allowed.count() as usize != workers {
        return;
    }
    let mut cores = (0..CpuSet::MAX_CPU).filter(|&core| allowed.is_set(core));
    if let Some(core) = cores.nth(worker) {
        let mut own = CpuSet::new();
        own.set(core);
        // Where it is not allowed, workers are where they are.
        let moved = sched_setaffinity(None, &own);
        let _ = moved.and_then(|()| sched_setaffinity(None, &allowed));
    }
}

/// Elsewhere the system alone says where threads run.
#[cfg(not(target_os = "linux"))]
pub(super) fn begin_apart(_worker: usize, _workers: usize) {}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};

    use super::*;

    #[test]
    fn a_worker_is_moved_to_a_core_of_its_own_and_may_leave_it() {
        let allowed = sched_getaffinity(None).unwrap();
        let cores: Vec<usize> = (0..CpuSet::MAX_CPU)
            .filter(|&core| allowed.is_set(core))
            .collect();
        // Not every sandbox moves a thread that asks for it.
        let can_be_moved_to = |core| {
            let mut own = CpuSet::new();
            own.set(core);
            let is_there = sched_setaffinity(None, &own).is_ok() && sched_getcpu() == core;
            sched_setaffinity(None, &allowed).is_ok() && is_there
        };
        // The system may move it again at once, but hardly every time.
        let is_moved = |worker: usize| {
            (0..100).any(|_| {
                begin_apart(worker, cores.len());
                sched_getcpu() == cores[worker]
            })
        };
        for (worker, &core) in cores.iter().enumerate() {
            assert!(!can_be_moved_to(core) || is_moved(worker), "{worker}");
            assert_eq!(sched_getaffinity(None).unwrap(), allowed);
        }
    }
}
