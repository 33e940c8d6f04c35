//! People with all their counterparts: the search asks only for those it needs.

use crate::model::meter::{Halt, Meter};
use crate::schema::{Code, Space};
use crate::search::sides::{Side, Sides};

/// The scores of each of these people with every combination of protected values; not a number where
/// such a counterpart cannot exist.
///
/// # Errors
/// The time has passed, somebody ended the run, or the model failed.
pub(crate) fn all_scores(
    space: &Space,
    people: &[Vec<Code>],
    meter: &mut Meter<'_>,
) -> Result<Vec<Vec<f32>>, Halt> {
    let combinations = space.combinations().len();
    let mut scores = vec![vec![f32::NAN; combinations]; people.len()];
    let (mut rows, mut places) = (Vec::new(), Vec::new());
    for (index, person) in people.iter().enumerate() {
        let mut counterpart = person.clone();
        for combination in 0..combinations {
            space.set_combination(&mut counterpart, combination);
            if space.can_exist(&counterpart) {
                space.push_row(&counterpart, &mut rows);
                places.push((index, combination));
            }
        }
    }
    for ((index, combination), score) in places.into_iter().zip(meter.ask_rows(&rows)?) {
        scores[index][combination] = score;
    }
    Ok(scores)
}

/// How many decisions there are among these scores.
pub(crate) fn distinct_decisions(sides: &Sides, scores: &[f32]) -> usize {
    let mut seen: Vec<Side> = Vec::new();
    for &score in scores {
        let side = sides.side(score);
        if side != Side::UNDECIDED && !seen.contains(&side) {
            seen.push(side);
        }
    }
    seen.len()
}
