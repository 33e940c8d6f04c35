//! A bar for each running benchmark, on a terminal only.

use std::time::Duration;

use indicatif::{HumanDuration, MultiProgress, ProgressBar, ProgressStyle};

use crate::search::{Phase, Progress};
use crate::words::grouped;

/// The bars.
pub(super) struct Bars(MultiProgress);

impl Bars {
    /// Bars on standard error; hidden if that is not a terminal.
    pub(super) fn new() -> Self {
        Bars(MultiProgress::new())
    }

    /// A bar for one benchmark.
    pub(super) fn start(&self, name: &str) -> Bar {
        let bar = self.0.add(ProgressBar::new(1));
        let template = "{prefix} {wide_bar} {msg}";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("=> "));
        }
        bar.set_prefix(name.to_owned());
        bar.enable_steady_tick(Duration::from_millis(200));
        Bar(bar)
    }

    /// Runs something that prints, with the bars out of its way.
    pub(super) fn suspend(&self, print: impl FnOnce()) {
        self.0.suspend(print);
    }
}

/// The bar of one benchmark.
pub(super) struct Bar(ProgressBar);

impl Bar {
    /// Shows how far the benchmark is.
    pub(super) fn show(&self, progress: Progress) {
        let phase = match progress.phase {
            Phase::Dataset => "dataset",
            Phase::Domain => "domain",
            Phase::Everyone => "everyone in the domain",
            Phase::Global => "global",
            Phase::Local => "local",
        };
        if self.0.length() != Some(progress.of as u64) {
            // Another phase, which may begin where an earlier run was ended.
            self.0.set_length(progress.of as u64);
            self.0.set_position(progress.done as u64);
            self.0.reset_eta();
        }
        self.0.set_position(progress.done as u64);
        let pace = match progress.phase {
            Phase::Everyone => format!(
                ", {} people a second, {} left",
                grouped(self.0.per_sec() as u64),
                HumanDuration(self.0.eta())
            ),
            _ => String::new(),
        };
        self.0.set_message(format!(
            "{phase}, {} found in {} queries{pace}",
            grouped(progress.found),
            grouped(progress.queries)
        ));
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
