//! Central differences in double precision, which real gradients must equal.

use fairgate::model::{Differential, Gradients, Objective};
use fairgate::ndarray::ArrayView2;

/// A power of two, so that people, who have whole codes, and steps from them are exact as floats.
const STEP: f32 = 1.0 / 16384.0;

/// How many slopes there are, how many were compared, and how many of those are of people whose score
/// changes at all.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Compared {
    pub(crate) slopes: usize,
    pub(crate) compared: usize,
    pub(crate) steep: usize,
}

/// Compares the gradients of `rows` with differences.
///
/// # Errors
/// The first slope that differs.
pub(crate) fn compare(
    model: &dyn Gradients,
    rows: &[f32],
    width: usize,
    objective: Objective,
) -> Result<Compared, String> {
    let here = differentiate(model, rows, width, objective)?;
    let mut all = Compared::default();
    for attribute in 0..width {
        let moved = |by: f32| {
            let mut rows = rows.to_vec();
            let cells = rows.iter_mut().skip(attribute).step_by(width);
            cells.for_each(|cell| *cell += by);
            differentiate(model, &rows, width, objective).map(|moved| moved.values)
        };
        let (above, below) = (moved(STEP)?, moved(-STEP)?);
        for (row, &value) in here.values.iter().enumerate() {
            let steepest =
                (here.gradients.row(row).iter()).fold(0.0, |most: f64, s| most.max(s.abs()));
            let step = f64::from(STEP);
            let [up, down] = [(above[row] - value) / step, (value - below[row]) / step];
            all.slopes += 1;
            // A step over a kink of the network has no slope to compare with.
            if (up - down).abs() > 1e-2 * steepest.max(1e-9) {
                continue;
            }
            let (slope, real) = ((up + down) / 2.0, here.gradients[[row, attribute]]);
            // What differences of numbers of about 1 can tell in double precision.
            let rounding = f64::EPSILON * value.abs().max(1.0) / step;
            if (slope - real).abs() > 1e-6 * steepest + 4.0 * rounding {
                return Err(format!(
                    "row {row}, attribute {attribute}: {slope} and {real}"
                ));
            }
            all.compared += 1;
            all.steep += usize::from(steepest > 1e-3);
        }
    }
    Ok(all)
}

fn differentiate(
    model: &dyn Gradients,
    rows: &[f32],
    width: usize,
    objective: Objective,
) -> Result<Differential, String> {
    let rows = ArrayView2::from_shape((rows.len() / width, width), rows);
    let rows = rows.map_err(|error| error.to_string())?;
    let differential = model.differentiate(rows, objective);
    differential.map_err(|error| error.to_string())
}
