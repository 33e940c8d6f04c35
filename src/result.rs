//! What a benchmark found, as plain data.

use crate::decision::Rule;
use crate::findings::{Counterexample, Findings};
use crate::insight::Insight;
use crate::model::Device;
use crate::model::meter::Cut;
use crate::rates::{GroupMetrics, Rates, Unfinished};
use crate::spec::{Method, Variant};
use crate::verdict::Verdict;

/// What the run cost.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Counts {
    /// Steps of single seeds and chains.
    pub iterations: u64,
    /// Rows shown to the model by the rates and the search.
    pub queries: u64,
    /// Calls to the model, all of them.
    pub calls: u64,
    /// Rows that a call holds at the most.
    pub batch_rows: usize,
    /// Rows shown once the verdict was known: to make the pairs plain and to see what they have in
    /// common. They count for no limit.
    pub afterwards: u64,
    /// Rows shown besides: to learn how the runtimes differ, and to the embedded engine because a
    /// score lay on a rounding edge.
    pub settled: u64,
    /// Time spent inside the runtime, added up over the workers.
    pub model_seconds: f64,
    /// The part of the whole time after the verdict was known.
    pub afterwards_seconds: f64,
    /// The part of the time inside the runtime after the verdict was known.
    pub afterwards_model_seconds: f64,
}

impl Counts {
    /// The time inside the runtime until the verdict was known.
    pub fn verdict_model_seconds(&self) -> f64 {
        self.model_seconds - self.afterwards_model_seconds
    }
}

/// What the global phase did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Global {
    /// Seeds it started from.
    pub seeds: usize,
    /// Distinct people it found.
    pub found: usize,
}

/// What became of the recorded pairs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Replay {
    /// Pairs that still get different decisions.
    pub still_there: usize,
    /// Pairs that are decided alike now.
    pub fixed: usize,
    /// Whether each of the recorded pairs still gets different decisions, in their order; empty if
    /// they were not shown to the model.
    pub differs: Vec<bool>,
}

impl Replay {
    pub(crate) fn of(differs: Vec<bool>) -> Self {
        let still_there = differs.iter().filter(|&&differs| differs).count();
        Replay {
            still_there,
            fixed: differs.len() - still_there,
            differs,
        }
    }
}

/// What a benchmark found, and what follows.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct BenchmarkResult {
    /// The benchmark's name.
    pub name: String,
    /// What the limits say.
    pub verdict: Verdict,
    /// Why, in a sentence.
    pub reason: String,
    /// The search method.
    pub method: Method,
    /// Whose steps the search took; none where the method has no variants.
    pub variant: Option<Variant>,
    /// The random seed.
    pub seed: u64,
    /// What ran the model: `onnxruntime 1.31.1`, `embedded`, or `own model`.
    pub runtime: String,
    /// Where it ran.
    pub device: Device,
    /// Remarks: why this runtime or device, what made it slow.
    pub notes: Vec<String>,
    /// Distinct counterexamples.
    pub counterexamples: u64,
    /// Distinct people among them, apart from protected attributes.
    pub people: u64,
    /// Distinct people tested by the search.
    pub tested: u64,
    /// What it cost.
    pub counts: Counts,
    /// The three rates.
    pub rates: Rates,
    /// What the protected groups of the dataset's people get; nothing where no decision is known to be
    /// the favourable one.
    pub groups: Option<GroupMetrics>,
    /// The global phase.
    pub global: Global,
    /// What the search found over its queries: at most 200 pairs of queries made until then, those of
    /// the rates among them, and distinct counterexamples found.
    pub progress: Vec<[u64; 2]>,
    /// What ended the work early, if anything did.
    pub cut: Option<Cut>,
    /// The recorded pairs.
    pub replay: Replay,
    /// How scores were decisions.
    pub rule: Rule,
    /// The names of the decisions; none where two numbers are compared.
    pub decisions: Vec<String>,
    /// The decision that people hope for, if the spec says it.
    pub favourable: Option<String>,
    /// The most telling counterexamples of the search, made plain: as near to real people as they can
    /// come.
    pub pairs: Vec<Counterexample>,
    /// What ended making them plain, if time or somebody did.
    pub pairs_cut: Option<Cut>,
    /// The clearest pairs of the whole domain, where everyone in it was looked at.
    pub domain_pairs: Vec<Counterexample>,
    /// How far looking at everyone came, if that was asked for and ended early.
    pub unfinished: Option<Unfinished>,
    /// What all counterexamples have in common, if there are any and there was time to look.
    pub insight: Option<Insight>,
    /// Every counterexample.
    pub findings: Findings,
    /// The time that the whole benchmark took.
    pub seconds: f64,
}

impl BenchmarkResult {
    /// The pairs to show: the search's, or, where it found nobody, those of the whole domain.
    pub fn shown_pairs(&self) -> &[Counterexample] {
        match self.pairs.is_empty() {
            true => &self.domain_pairs,
            false => &self.pairs,
        }
    }
}
