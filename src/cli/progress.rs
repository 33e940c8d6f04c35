//! A bar for each running benchmark, on a terminal only.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::search::{Phase, Progress};
use crate::words::grouped;

/// Guessing how long a phase takes needs a look at how fast it goes.
const WORTH_GUESSING: Duration = Duration::from_millis(800);

/// The room for the name of a run.
const RUN_NAME: usize = 32;

/// The bars. Clones are of the same bars.
#[derive(Debug, Clone)]
pub(super) struct Bars {
    bars: MultiProgress,
    /// How many benchmarks are done, where there are several.
    done: Option<ProgressBar>,
    width: usize,
}

impl Bars {
    /// Bars on standard error; hidden if that is not a terminal, or one that cannot move its cursor.
    pub(super) fn new() -> Self {
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let bars = MultiProgress::with_draw_target(match dumb {
            true => ProgressDrawTarget::hidden(),
            false => ProgressDrawTarget::stderr(),
        });
        Bars {
            bars,
            done: None,
            width: usize::from(console::Term::stderr().size().1),
        }
    }

    /// The same bars with a line under them that counts benchmarks, if there are several.
    pub(super) fn counting(mut self, benchmarks: usize) -> Self {
        self.done = (benchmarks > 1).then(|| {
            let bar = self.bars.add(ProgressBar::new(benchmarks as u64));
            set_style(&bar, "{pos} of {len} benchmarks done");
            bar.tick();
            bar
        });
        self
    }

    /// A bar for one benchmark.
    pub(super) fn start(&self, name: &str) -> Bar<'_> {
        let bar = match &self.done {
            Some(done) => self.bars.insert_before(done, ProgressBar::new(1)),
            None => self.bars.add(ProgressBar::new(1)),
        };
        set_style(&bar, "{prefix} {wide_bar} {msg}");
        let room = self.width.saturating_sub(40).max(12);
        bar.set_prefix(console::truncate_str(name, room, "...").into_owned());
        bar.enable_steady_tick(Duration::from_millis(200));
        Bar {
            bars: self,
            bar,
            pace: Mutex::new(Pace::default()),
        }
    }

    /// A bar for many runs, of which some are done already.
    pub(super) fn runs(&self, done: usize, of: usize) -> Runs {
        let bar = ProgressBar::new(of as u64).with_position(done as u64);
        let bar = self.bars.add(bar);
        set_style(
            &bar,
            match self.width {
                80.. => "{msg} {wide_bar} {pos} of {len} runs, {eta} left",
                _ => "{wide_bar} {pos} of {len} runs, {eta} left",
            },
        );
        bar.reset_eta();
        bar.enable_steady_tick(Duration::from_millis(200));
        Runs(bar)
    }

    /// Runs something that prints, with the bars out of its way.
    pub(super) fn suspend(&self, print: impl FnOnce()) {
        self.bars.suspend(print);
    }
}

impl Drop for Bars {
    fn drop(&mut self) {
        if let Some(done) = &self.done {
            done.finish_and_clear();
        }
    }
}

fn set_style(bar: &ProgressBar, template: &str) {
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style.progress_chars("=> "));
    }
}

/// The bar of one benchmark.
pub(super) struct Bar<'b> {
    bars: &'b Bars,
    bar: ProgressBar,
    pace: Mutex<Pace>,
}

impl Bar<'_> {
    /// Shows how far the benchmark is.
    pub(super) fn show(&self, progress: Progress) {
        let mut pace = self.pace.lock().unwrap_or_else(PoisonError::into_inner);
        pace.note(progress, Instant::now());
        self.bar.set_length(progress.of as u64);
        self.bar.set_position(progress.done as u64);
        self.bar
            .set_message(pace.message(progress, self.bars.width));
    }
}

impl Drop for Bar<'_> {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
        if let Some(done) = &self.bars.done {
            done.inc(1);
        }
    }
}

/// The bar of many runs.
pub(super) struct Runs(ProgressBar);

impl Runs {
    /// Shows which run has begun.
    pub(super) fn begun(&self, name: &str) {
        // As wide whatever the name is: the bar stays where it is.
        let name = console::truncate_str(name, RUN_NAME, "...");
        self.0.set_message(format!("{name:RUN_NAME$}"));
    }

    /// One run more is done.
    pub(super) fn ended(&self) {
        self.0.inc(1);
    }
}

impl Drop for Runs {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// How fast a benchmark goes.
#[derive(Debug, Default)]
struct Pace {
    /// When the first query was counted, and when the phase began.
    began: Option<(Instant, Instant)>,
    phase: Option<Phase>,
    /// How long all took so far, and the phase.
    took: Duration,
    took_phase: Duration,
    /// Steps of the phase that were done when it began to be watched.
    first: usize,
}

impl Pace {
    fn note(&mut self, progress: Progress, now: Instant) {
        let (start, mut phase_start) = self.began.unwrap_or((now, now));
        if self.phase != Some(progress.phase) {
            (self.phase, self.first, phase_start) = (Some(progress.phase), progress.done, now);
        }
        self.began = Some((start, phase_start));
        self.took = now - start;
        self.took_phase = now - phase_start;
    }

    /// What stands behind the bar, as much as there is room for.
    fn message(&self, progress: Progress, width: usize) -> String {
        let found = format!("{} found", grouped(progress.found));
        let seconds = self.took.as_secs_f64();
        let rate = (seconds > 0.2).then(|| short(progress.queries as f64 / seconds));
        let left = self.left(progress);
        let phase = match progress.phase {
            Phase::Dataset => "dataset",
            Phase::Domain => "domain",
            Phase::Everyone => "everyone in the domain",
            Phase::Global => "global",
            Phase::Local => "local",
        };
        let parts = match width {
            110.. => [
                Some(phase.to_owned()),
                Some(format!("{found} in {} queries", grouped(progress.queries))),
                rate.map(|rate| format!("{rate} a second")),
                left,
            ],
            80.. => [
                Some(phase.to_owned()),
                Some(found),
                rate.map(|rate| format!("{rate} queries/s")),
                left,
            ],
            _ => [
                None,
                Some(found),
                rate.map(|rate| format!("{rate}/s")),
                left,
            ],
        };
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }

    /// How long the phase goes on, if its steps go on as fast as until now.
    fn left(&self, progress: Progress) -> Option<String> {
        let done = progress.done.saturating_sub(self.first);
        if done == 0 || self.took_phase < WORTH_GUESSING {
            return None;
        }
        let each = self.took_phase.as_secs_f64() / done as f64;
        let left = each * progress.of.saturating_sub(progress.done) as f64;
        Some(format!("{} left", clock(left.ceil() as u64)))
    }
}

/// `12 s`, `3:05`, `1:02:03`.
fn clock(seconds: u64) -> String {
    let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match (hours, minutes) {
        (0, 0) => format!("{rest} s"),
        (0, _) => format!("{minutes}:{rest:02}"),
        _ => format!("{hours}:{minutes:02}:{rest:02}"),
    }
}

/// A number in little room: `850`, `12 k`, `2.1 M`.
fn short(number: f64) -> String {
    match number {
        1e6.. => format!("{:.1} M", number / 1e6),
        1e3.. => format!("{:.0} k", number / 1e3),
        _ => format!("{number:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn progress(phase: Phase, done: usize) -> Progress {
        Progress {
            phase,
            done,
            of: 1000,
            found: 123_456,
            queries: 2_106_240,
        }
    }

    #[test]
    fn rate_and_time_left_as_far_as_there_is_room() {
        let (mut pace, start) = (Pace::default(), Instant::now());
        pace.note(progress(Phase::Global, 0), start);
        let after = |seconds| start + Duration::from_secs(seconds);
        pace.note(progress(Phase::Local, 0), after(2));
        let begun = progress(Phase::Local, 0);
        assert_eq!(pace.message(begun, 60), "123,456 found, 1.1 M/s");
        let quarter = progress(Phase::Local, 250);
        pace.note(quarter, after(32));
        assert_eq!(
            pace.message(quarter, 60),
            "123,456 found, 66 k/s, 1:30 left"
        );
        assert_eq!(
            pace.message(quarter, 80),
            "local, 123,456 found, 66 k queries/s, 1:30 left"
        );
        assert_eq!(
            pace.message(quarter, 120),
            "local, 123,456 found in 2,106,240 queries, 66 k a second, 1:30 left"
        );
    }

    #[test]
    fn times_and_numbers_for_people() {
        assert_eq!(clock(9), "9 s");
        assert_eq!(clock(185), "3:05");
        assert_eq!(clock(3723), "1:02:03");
        assert_eq!(short(850.4), "850");
        assert_eq!(short(12_345.0), "12 k");
        assert_eq!(short(2_100_000.0), "2.1 M");
    }
}
