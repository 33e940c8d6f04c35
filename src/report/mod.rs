//! Reports: pure renderings of what was checked.

mod json;
mod text;

pub use json::json;
pub use text::{failure, pretty};
