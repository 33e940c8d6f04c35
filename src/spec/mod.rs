//! `fairness.toml`: from text to a [`Spec`] that cannot hold a bad value.
//!
//! ```text
//! text --toml--> tree with spans --Table, Entry--> drafts --validate--> Spec
//!                                        \------------\----> every problem, once, with its span
//! ```
//!
//! The file is not deserialized by `serde`, which stops at the first thing it dislikes. It is
//! parsed into toml's tree of spanned values, and small typed readers (`table.rs`, `entry.rs`)
//! take values out of that tree. What they dislike goes into a shared `Problems`, and reading goes
//! on, so one run reports everything there is to mend.
//!
//! Each table of the file has its own file here, with its type, its defaults and its reading:
//!
//! | in `fairness.toml`        | here           | gives               |
//! |---------------------------|----------------|---------------------|
//! | `[model.NAME]`            | `model.rs`     | [`ModelSpec`]       |
//! | `[dataset.NAME]`          | `dataset.rs`   | [`DatasetSpec`]     |
//! | `[benchmark.NAME]`        | `benchmark.rs` | [`BenchmarkSpec`]   |
//! | `max-discrimination-rate` | `limits.rs`    | [`Limits`]          |
//! | `group-limits`            | `group_limits.rs` | [`GroupLimits`]  |
//! | `budget`                  | `budget.rs`    | [`Budget`]          |
//! | `search`                  | `search.rs`    | [`SearchSettings`]  |
//!
//! `[defaults]` is read like a benchmark, on top of the built-in defaults; each benchmark is then
//! read on top of that. [`EXAMPLE`] is a complete file in which every key has its default.

mod attribute;
mod benchmark;
mod budget;
mod dataset;
mod duration;
mod entry;
mod error;
mod example;
mod group_limits;
mod keys;
mod limits;
mod load;
mod located;
mod model;
mod names;
mod problem;
mod problems;
mod schema;
mod search;
pub(crate) mod suggest;
mod table;
mod validate;

pub use attribute::{AttributeSpec, DomainSpec, EncodingSpec, MissingSpec, OneHotSpec, Scale};
pub use benchmark::{
    BenchmarkSpec, DEFAULT_CONFIDENCE, DEFAULT_SEED, GroupsSpec, OnInconclusive, Realistic,
    SnapshotMode,
};
pub use budget::Budget;
pub use dataset::{DEFAULT_SAMPLE, DatasetSpec, DerivedSpec};
pub use error::SpecError;
pub use example::EXAMPLE;
pub use group_limits::GroupLimits;
pub use limits::{DEFAULT_SEARCH_LIMIT, Limits};
pub use load::Spec;
pub use located::Located;
pub use model::{ModelSpec, NumberSpec, Scores};
pub use problem::SpecProblem;
pub use schema::json_schema;
pub use search::{Gradient, Method, SearchSettings, Variant};
