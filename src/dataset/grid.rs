//! The grid of a column of decimals: where it starts, its step, where it ends.

use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive;

use super::domain::{Span, Told, no_value, nothing_between};
use super::error::Problem;
use super::number::decimals;
use crate::schema::Domain;

/// Decimals that a column tells by itself have at most this many values.
const MOST_TOLD: u32 = 10_000;

/// With more, a round step is chosen that gives at most this many: 1,000 to 2,500.
const ROUND: u32 = 2_500;

/// More values than this cannot be searched.
const MOST_VALUES: u32 = 1 << 24;

/// The grid of a column: what is said, completed by what its numbers span.
///
/// # Errors
/// There is no such grid, or it has too many values.
pub(super) fn grid(
    name: &str,
    (min, max, step): (Option<Decimal>, Option<Decimal>, Option<Decimal>),
    span: Option<&Span>,
) -> Result<Told, Problem> {
    let lowest = min.or(span.map(|span| span.lowest));
    let highest = max.or(span.map(|span| span.highest));
    let (Some(lowest), Some(highest)) = (lowest, highest) else {
        return Err(no_value(name));
    };
    if lowest > highest {
        return Err(nothing_between(name, lowest, highest));
    }
    let written = [min, max].into_iter().flatten().map(decimals);
    let needs = written.chain(span.map(|span| span.decimals)).max();
    let (told, note) = match step {
        Some(step) => (step, None),
        None => told_step(name, (lowest, highest), needs.unwrap_or_default()),
    };
    // A grid without a said start starts at a round number, where the step is one.
    let start = match (min, &note) {
        (None, Some(_)) => round_down(lowest, told),
        _ => Some(lowest),
    };
    let domain = start.and_then(|start| sized(start, highest, told));
    domain.map(|domain| Told { domain, note }).ok_or_else(|| {
        Problem::new(
            format!(
                "`{name}` goes from {lowest} to {highest} in steps of {told}, which are too many"
            ),
            "say a larger `step` under the dataset's `attributes`",
        )
    })
}

/// The grid from one number up to or just over another, unless it has too many values.
fn sized(start: Decimal, highest: Decimal, step: Decimal) -> Option<Domain> {
    let steps = steps(start, highest, step).filter(|steps| *steps < MOST_VALUES)?;
    let step = step.normalize();
    Some(Domain::Decimals {
        min: with_decimals(start.normalize(), step.scale()),
        step,
        size: steps + 1,
    })
}

/// The multiple of a step that is just below a number.
fn round_down(number: Decimal, step: Decimal) -> Option<Decimal> {
    number.checked_div(step)?.floor().checked_mul(step)
}

/// The number written with at least so many decimals, so that all values are written alike.
fn with_decimals(mut number: Decimal, decimals: u32) -> Decimal {
    number.rescale(number.scale().max(decimals));
    number
}

/// The steps from one number up to or just over another.
fn steps(from: Decimal, to: Decimal, step: Decimal) -> Option<u32> {
    let steps = to.checked_sub(from)?.checked_div(step)?;
    steps.ceil().to_u32()
}

/// The step that the written decimals tell, or a round one where that gives too many values.
fn told_step(
    name: &str,
    (lowest, highest): (Decimal, Decimal),
    decimals: u32,
) -> (Decimal, Option<String>) {
    let written = Decimal::new(1, decimals);
    if steps(lowest, highest, written).is_some_and(|steps| steps < MOST_TOLD) {
        return (written, None);
    }
    let fits = |step: &Decimal| {
        // Up to two more where the grid starts and ends at round numbers.
        steps(lowest, highest, *step).is_some_and(|steps| steps < ROUND - 2)
    };
    let step = round_steps().find(fits).unwrap_or(written);
    let note = format!(
        "`{name}` is searched in steps of {step}, as its numbers have {decimals} decimals from \
         {lowest} to {highest}; `step` under the dataset's `attributes` says another"
    );
    (step, Some(note))
}

/// 0.000001, 0.000002, 0.000005, 0.00001 ...
fn round_steps() -> impl Iterator<Item = Decimal> {
    let below = (1..=6)
        .rev()
        .flat_map(|scale| [1, 2, 5].map(|m| Decimal::new(m, scale)));
    let above =
        (0..=17).flat_map(|exponent| [1, 2, 5].map(|m| Decimal::from(m * 10_i64.pow(exponent))));
    below.chain(above)
}
