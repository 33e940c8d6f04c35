//! What has to be known beside the figures: how large the study was, and what was left out.

use std::path::Path;

use super::contender::ALL;
use super::plan::Question;
use super::results::Results;
use crate::words::grouped;

/// How a study gets real gradients.
const BUILD: &str = "build fairgate with `--features white-box`";

/// The remarks of a report.
pub(crate) fn notes(results: &Results<'_>, questions: &[Question], jobs: usize) -> Vec<String> {
    let form = results.form;
    let mut notes = Vec::new();
    for question in questions {
        notes.extend(match question {
            Question::One => Some(format!(
                "RQ1: {} perturbation sizes, {} rounds of {} seeds x {} steps; the paper has 12 sizes, 10 \
                 rounds, 100 x 100.",
                form.sizes.len(),
                form.one.rounds,
                form.one.seeds,
                form.one.steps
            )),
            Question::Two => Some(format!(
                "RQ2: {} rounds of {} seeds x {} steps; the paper has 3 rounds, 1000 x 1000.",
                form.two.rounds, form.two.seeds, form.two.steps
            )),
            Question::Three => None,
        });
    }
    notes.extend(without_gradients(questions));
    notes.extend(absent(results));
    if results
        .contenders
        .iter()
        .any(|contender| contender.name == "sg")
    {
        notes.push(format!(
            "A run of SG, which explains every person by queries of its own, ends after {} queries.",
            grouped(form.cap)
        ));
    }
    notes.push(format!(
        "{jobs} {} at a time, each on one worker. Times are of this machine, and of whatever else it did.",
        if jobs == 1 { "run" } else { "runs" }
    ));
    notes
}

/// RQ3 without real gradients, and how to have them.
fn without_gradients(questions: &[Question]) -> Option<String> {
    let asked = questions.contains(&Question::Three);
    (asked && !cfg!(feature = "white-box"))
        .then(|| format!("RQ3 was left out: it needs real gradients. To have it, {BUILD}."))
}

/// Methods that this build does not have.
fn absent(results: &Results<'_>) -> Option<String> {
    let absent = ALL
        .iter()
        .filter(|contender| contender.is_usual() && !contender.is_available());
    let absent: Vec<&str> = absent.map(|contender| contender.title).collect();
    let took_part = results.contenders.len();
    (!absent.is_empty() && took_part > 0).then(|| {
        format!(
            "{} took no part: they need real gradients. To have them, {BUILD}.",
            absent.join(" and ")
        )
    })
}

/// Methods were asked for that this build does not have.
pub(crate) fn unavailable(methods: &[&str]) -> String {
    format!(
        "{} need{} real gradients, which this build of fairgate does not have: {BUILD}",
        methods.join(" and "),
        if methods.len() == 1 { "s" } else { "" }
    )
}

/// The folder has runs that cannot be used.
pub(crate) fn outdated(runs: usize, folder: &Path) -> String {
    let (were, they) = match runs {
        1 => ("run was", "it is"),
        _ => ("runs were", "they are"),
    };
    format!(
        "{} {were} made with another model, dataset, setting or size: {they} kept in {} and not used",
        grouped(runs as u64),
        folder.join("runs.csv").display()
    )
}

/// The study was stopped.
pub(crate) fn stopped(done: usize, of: usize) -> String {
    format!(
        "stopped after {} of {} runs; the same command goes on from there",
        grouped(done as u64),
        grouped(of as u64)
    )
}
