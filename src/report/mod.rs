//! Reports: pure renderings of what was checked.

mod entry;
mod explain;
mod github;
mod groups;
mod html;
mod json;
mod junit;
mod kinds;
mod markdown;
mod text;

pub(crate) use entry::{Ending, Entry, NOT_RUN, Tally};
pub(crate) use explain::explanation;
pub(crate) use github::github;
pub(crate) use html::{Input, Page, Part, html, share};
pub use json::json;
pub(crate) use json::json_not_run;
pub(crate) use junit::junit;
pub(crate) use markdown::markdown;
pub use text::{failure, pretty};
