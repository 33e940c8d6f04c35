//! Random search: people drawn from wherever the search may go. The floor that every other method
//! has to beat.

use crate::model::meter::Halt;
use crate::search::drawing::Drawing;
use crate::search::random::{Purpose, stream};
use crate::search::{Lockstep, Phase, Task, Walked};

/// Draws as many people as a search with seeds and chains would test at the most, or as the rest of
/// the budget allows.
pub(super) fn run(
    search: &mut Lockstep<'_, '_>,
    task: &Task<'_>,
    walked: &mut Walked,
) -> Result<(), Halt> {
    let drawing = Drawing::new(task);
    let mut stream = stream(task.seed, task.benchmark, Purpose::Drawn, 0);
    let total = task.budget.people();
    while walked.seeds < total {
        search.tell(Phase::Global, walked.seeds, total);
        let portion = search.portion().min(total - walked.seeds);
        let people = drawing.draw(portion, &mut stream);
        if people.is_empty() {
            break;
        }
        search.test(people.iter().map(|drawn| drawn.person.as_slice()))?;
        walked.global_found = search.tested.found().len();
        walked.seeds += people.len();
        if search.tested.tested() as f64 >= task.space.schema().people() {
            break;
        }
    }
    Ok(())
}
