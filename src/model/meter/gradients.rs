//! Gradients, counted and shared out as rows are.

use std::ops::Range;
use std::time::Instant;

use super::{Halt, Meter, Wanted, shown};
use crate::model::ModelError;
use crate::model::gradients::{Gradients, Objective};

/// What the gradient of a row counts: it is shown to the model, and then goes through it backwards.
const PASSES: u64 = 2;

impl Meter<'_> {
    /// The gradients of the rows that are wanted: for each row a number for each attribute. A row
    /// counts as two queries: one pass forwards, one backwards.
    ///
    /// # Errors
    /// As [`Meter::ask`], and if the model has no gradients.
    pub fn differentiate(
        &mut self,
        wanted: &Wanted<'_>,
        objective: Objective,
    ) -> Result<Vec<f64>, Halt> {
        let Some(model) = self.model.gradients() else {
            return Err(Halt::Model(without_gradients()));
        };
        let queries = PASSES * wanted.rows();
        self.check_affordable(queries)?;
        let gradients = self.shared(wanted, |items| {
            self.in_blocks(wanted, items, |items| {
                self.gradient_block(model, objective, wanted, items)
            })
        })?;
        self.queries += queries;
        Ok(gradients)
    }

    fn gradient_block(
        &self,
        model: &dyn Gradients,
        objective: Objective,
        wanted: &Wanted<'_>,
        items: Range<usize>,
    ) -> Result<Vec<f64>, Halt> {
        let mut rows = self.buffers.take();
        (wanted.make)(items, &mut rows);
        let answered = self.gradient(model, objective, &rows);
        self.buffers.give(rows);
        answered
    }

    fn gradient(
        &self,
        model: &dyn Gradients,
        objective: Objective,
        rows: &[f32],
    ) -> Result<Vec<f64>, Halt> {
        self.check_budget()?;
        let matrix = self.matrix(rows)?;
        let start = Instant::now();
        let gradients = model.differentiate(matrix, objective)?.gradients;
        self.worked(start, PASSES * matrix.nrows() as u64);
        if gradients.dim() != matrix.dim() {
            let (rows, columns) = gradients.dim();
            let message = format!(
                "the model gave {rows} x {columns} slopes for {} rows of {} attributes",
                matrix.nrows(),
                matrix.ncols()
            );
            return Err(Halt::Model(ModelError::Answer {
                message,
                help: Some("a gradient has one number for each attribute of its row".into()),
            }));
        }
        for (row, gradient) in matrix.rows().into_iter().zip(gradients.rows()) {
            if !gradient.iter().all(|slope| slope.is_finite()) {
                let row = row.as_slice().unwrap_or_default();
                return Err(Halt::Model(no_number(row)));
            }
        }
        Ok(gradients.into_iter().collect())
    }
}

fn without_gradients() -> ModelError {
    ModelError::Answer {
        message: "the search method needs the model's gradients, and this model gives none".into(),
        help: Some(
            "search with a method that needs scores only, such as `maft`; a model of your own gives \
             its gradients by `Model::gradients`"
                .into(),
        ),
    }
}

fn no_number(row: &[f32]) -> ModelError {
    ModelError::Answer {
        message: format!(
            "the model's gradient for the row {} is not a number",
            shown(row)
        ),
        help: Some("search with a method that needs scores only, such as `maft`".into()),
    }
}
