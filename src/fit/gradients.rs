//! Whether a white-box method can be used: every attribute that the search moves has a gradient.

use crate::gate::GateError;
use crate::model::OpenModel;
use crate::plan::BenchmarkPlan;
use crate::schema::Space;
use crate::spec::Method;
use crate::spec::suggest::list;

use super::error::{FitError, fit};

/// Checks that the method's gradients are there: of attributes that reach the model in jumps there
/// are none, nor is there a loss without probabilities.
pub(super) fn check_gradients(
    plan: &BenchmarkPlan,
    space: &Space,
    model: &OpenModel,
) -> Result<(), GateError> {
    let method = plan.benchmark.search.method;
    let Some(gradients) = model.model.gradients().filter(|_| method.is_white_box()) else {
        return Ok(());
    };
    let problem = |label: &str, message: String, help: String| {
        FitError::new(plan, plan.benchmark.name.span, label, message, Some(help))
    };
    let mut problems = Vec::new();
    let jumps = gradients.jumps().iter();
    let names: Vec<&str> = jumps
        .filter(|attribute| space.movable().contains(attribute))
        .map(|&attribute| space.schema().attributes()[attribute].name.as_str())
        .collect();
    if !names.is_empty() {
        let quoted: Vec<String> = names.iter().map(|name| format!("{name:?}")).collect();
        let (reach, have) = match names.len() {
            1 => ("reaches", "has"),
            _ => ("reach", "have"),
        };
        problems.push(problem(
            "these attributes jump",
            format!(
                "{} {reach} the model in jumps (one-hot, codes, bins, words, or computed) and {have} \
                 no gradient, which the method `{method}` needs",
                list(names.iter().copied(), "and")
            ),
            format!(
                "keep them as they are: frozen = [{}]; or search with a method that needs scores \
                 only, such as `maft`",
                quoted.join(", ")
            ),
        ));
    }
    if method == Method::Adf && !gradients.has_loss() {
        problems.push(problem(
            "no loss",
            "the method `adf` follows the loss of a decision, and the model gives no probabilities \
             that it could be taken from"
                .to_owned(),
            "search with `eidig`, which follows the score itself; if the scores are logits, say \
             scores = \"logit\" under the model"
                .to_owned(),
        ));
    }
    match problems.is_empty() {
        true => Ok(()),
        false => Err(fit(plan, problems)),
    }
}
