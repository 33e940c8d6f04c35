//! How parties ask the model: each worker by itself, or all together.

use crate::model::meter::{Asker, Halt, Meter};

/// Somebody who asks the model about rows.
pub(super) trait Asks {
    /// The scores of rows laid out one after another.
    fn ask(&mut self, rows: &[f32]) -> Result<Vec<f32>, Halt>;
}

impl Asks for Asker<'_> {
    fn ask(&mut self, rows: &[f32]) -> Result<Vec<f32>, Halt> {
        self.ask_rows(rows)
    }
}

/// All parties together: one call, which the workers share, and not a row more than the budget has.
impl Asks for Meter<'_> {
    fn ask(&mut self, rows: &[f32]) -> Result<Vec<f32>, Halt> {
        self.ask_rows(rows)
    }
}
