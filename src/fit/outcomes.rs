//! Which of the dataset's people have the label that people hope for, and whether the spec's limits on
//! groups can be held against anything.

use crate::benchmark::Benchmark;
use crate::dataset::{Dataset, NO_LABEL};
use crate::gate::GateError;
use crate::plan::BenchmarkPlan;
use crate::spec::suggest::{closest, list};

use super::error::{FitError, fit};

/// Decisions by name of which one may be the favourable one, for messages.
fn names(names: &[String]) -> String {
    list(names.iter().map(String::as_str), "and")
}

/// For each person whether the label is the favourable one: the one that the spec names, or the one
/// that is called as the favourable decision is. Nothing where no label is known to be it: that is
/// never guessed.
///
/// # Errors
/// The spec names a label that does not occur.
pub(super) fn outcomes(
    plan: &BenchmarkPlan,
    dataset: &Dataset,
    favourable: Option<&String>,
) -> Result<Vec<Option<bool>>, GateError> {
    let labels = dataset.labels.as_deref().unwrap_or_default();
    let named = plan.dataset.favourable_label.as_ref();
    let place = match named {
        Some(named) => match labels.iter().position(|label| *label == named.value) {
            Some(place) => Some(place),
            None => {
                let known = || labels.iter().map(String::as_str);
                let help = match closest(&named.value, known()) {
                    Some(meant) => format!("did you mean `{meant}`?"),
                    None if labels.is_empty() => "the label has too many values".to_owned(),
                    None => format!("the label has {}", names(labels)),
                };
                let message = format!("nobody has the label `{}`", named.value);
                let problem = FitError::new(plan, named.span, "no such label", message, Some(help));
                return Err(fit(plan, vec![problem]));
            }
        },
        None => favourable.and_then(|name| labels.iter().position(|label| label == name)),
    };
    let Some(place) = place else {
        return Ok(Vec::new());
    };
    let outcome = |&label: &u32| (label != NO_LABEL).then_some(label as usize == place);
    Ok(dataset.label_of.iter().map(outcome).collect())
}

/// Limits on groups need people, a decision that people hope for, and for equal opportunity a label.
///
/// # Errors
/// All that is missing.
pub(super) fn check_group_limits(
    plan: &BenchmarkPlan,
    dataset: &Dataset,
    benchmark: &Benchmark,
    favourable: Option<&String>,
) -> Result<(), GateError> {
    let limits = &plan.benchmark.limits.groups;
    if limits.is_empty() {
        return Ok(());
    }
    let mut problems = Vec::new();
    let mut complain = |message: String, help: String| {
        let at = plan.benchmark.group_limits_at;
        let at = at.unwrap_or(plan.benchmark.name.span);
        problems.push(FitError::new(plan, at, "these limits", message, Some(help)));
    };
    if dataset.is_empty() {
        complain(
            "`group-limits` are held against the dataset's people, and there are none".to_owned(),
            "give the dataset a `path`, or leave the limits out".to_owned(),
        );
    }
    if benchmark.decisions.is_empty() {
        complain(
            "the model predicts a number, so no decision is the favourable one".to_owned(),
            "say with `bands` under the model which numbers are which decision, or leave out \
             `group-limits`"
                .to_owned(),
        );
    } else if favourable.is_none() {
        complain(
            "`group-limits` need to know which decision people hope for".to_owned(),
            format!(
                "add `favourable = \"..\"` under the model: one of {}",
                names(&benchmark.decisions)
            ),
        );
    }
    let unlabelled = favourable.filter(|_| benchmark.outcomes.is_empty() && !dataset.is_empty());
    if let (Some(_), Some(favourable)) = (limits.equal_opportunity_difference, unlabelled) {
        complain(
            "`equal-opportunity-difference` needs to know which label is the favourable one"
                .to_owned(),
            match dataset.labels.as_deref() {
                Some(labels @ [_, ..]) => format!(
                    "no label is called `{favourable}`, as the decision is: add \
                     `favourable-label = \"..\"` under the dataset, one of {}",
                    names(labels)
                ),
                _ => "name the column that holds it: `label = \"..\"` under the dataset".to_owned(),
            },
        );
    }
    match problems.is_empty() {
        true => Ok(()),
        false => Err(fit(plan, problems)),
    }
}
