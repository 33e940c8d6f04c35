//! A fairness gate for model repositories.
//!
//! `fairness.toml` names models (ONNX), datasets, protected attributes, budgets and limits. fairgate
//! searches each model for people who would be decided differently if only a protected attribute
//! changed, and reports each benchmark as one pass/fail test with its counterexamples recorded as
//! snapshots.
//!
//! # As a test
//! See [`harness!`].
//!
//! # As a library
//! ```no_run
//! use fairgate::{Filter, Options, Spec};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let spec = Spec::load("fairness.toml")?;
//! let options = Options::new(spec.snapshots.clone())?;
//! for plan in fairgate::plan(&spec, &Filter::default())? {
//!     let dataset = fairgate::Dataset::load(&plan.dataset)?;
//!     let checked = fairgate::check(&plan, &dataset, &options, &|_| {}, &|| false)?;
//!     println!("{}: {}", checked.result.name, checked.result.reason);
//!     for pair in checked.result.findings.most_telling(3) {
//!         println!("  {:?} and {:?}", pair.person, pair.counterpart);
//!     }
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # With a model of your own
//! Any type can be the model: implement [`Model`], make a [`Benchmark`] from a [`Schema`] and people
//! to start from, and [`Benchmark::run`] it. `examples/own_model.rs` does.
//!
//! # What a result means
//! A counterexample is a fact: two people who differ in protected attributes alone and get different
//! decisions. The absence of one is not a proof: it says that none was found in so many queries.
//!
//! What is called *protected* here is called *sensitive* in other tools.

mod afterwards;
mod benchmark;
pub mod cli;
mod dataset;
pub mod decision;
mod encoding;
mod explain;
mod export;
mod findings;
mod fingerprint;
mod fit;
mod gate;
mod groups;
mod harness;
mod init;
pub mod insight;
pub mod model;
mod nearest;
mod plan;
mod rates;
mod report;
mod result;
pub mod schema;
mod search;
mod share;
mod shrink;
mod snapshot;
pub mod spec;
mod study;
mod stump;
mod telling;
mod verdict;
mod whole_file;
mod words;

/// What a [`Model`]'s rows come in: [`ndarray::ArrayView2`].
pub use ndarray;

pub use benchmark::{Benchmark, BenchmarkError, Pair, Run};
pub use dataset::{Dataset, DatasetError, Header, NO_LABEL};
pub use encoding::{Cell, Column, Derived};
pub use export::{Counterparts, Terms, Wanted, Who, export};
pub use findings::{Counterexample, Findings};
pub use fit::FitError;
pub use gate::{
    Checked, Datasets, GateError, Options, Ran, Watch, check, check_and_tell, decide, run,
};
pub use model::meter::Cut;
pub use model::{Model, ModelError};
pub use nearest::Nearest;
pub use plan::{BenchmarkPlan, Filter, PlanError, plan};
pub use rates::{
    DomainRate, Extremes, FOUR_FIFTHS, Group, GroupMetrics, Keep, NotEveryone, Rates, Share, Start,
    StateFile, Unfinished, clopper_pearson,
};
pub use report::{failure, json, pretty};
pub use result::{BenchmarkResult, Counts, Global, Replay};
pub use schema::{Attribute, Code, Domain, Schema, Space};
pub use search::{Phase, Progress};
pub use snapshot::{
    Changes, GonePair, Rules, SnapshotCheck, SnapshotError, SnapshotState, Update, contents, flips,
};
pub use spec::Spec;
pub use verdict::Verdict;

/// Whether the crate was built with optimisation.
pub(crate) const OPTIMISED: bool = !matches!(env!("FAIRGATE_OPT_LEVEL").as_bytes(), b"0");

/// What the macros call; not for you.
#[doc(hidden)]
pub mod __private {
    pub use crate::harness::run as harness;
}
