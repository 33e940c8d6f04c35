//! How parties ask the model: each worker by itself, or all together.

use crate::model::meter::{Asker, Halt, Meter};

/// Somebody who asks the model about rows.
pub(super) trait Asks {
    /// The rows to be asked, one after another.
    fn rows(&mut self) -> &mut Vec<f32>;

    /// The scores of the rows, which are taken away.
    fn ask(&mut self) -> Result<Vec<f32>, Halt>;
}

impl Asks for Asker<'_> {
    fn rows(&mut self) -> &mut Vec<f32> {
        &mut self.rows
    }

    fn ask(&mut self) -> Result<Vec<f32>, Halt> {
        Asker::ask(self)
    }
}

/// All parties together: one call, which the workers share, and not a row more than the budget has.
pub(super) struct Together<'t, 'm> {
    meter: &'t mut Meter<'m>,
    rows: Vec<f32>,
}

impl<'t, 'm> Together<'t, 'm> {
    pub(super) fn new(meter: &'t mut Meter<'m>) -> Self {
        Together {
            meter,
            rows: Vec::new(),
        }
    }
}

impl Asks for Together<'_, '_> {
    fn rows(&mut self) -> &mut Vec<f32> {
        &mut self.rows
    }

    fn ask(&mut self) -> Result<Vec<f32>, Halt> {
        let scores = self.meter.ask_rows(&self.rows)?;
        self.rows.clear();
        Ok(scores)
    }
}
