//! What does not fit, with its place in the spec.

use std::ops::Range;
use std::sync::Arc;

use miette::{NamedSource, SourceSpan};

use crate::benchmark::BenchmarkError;
use crate::gate::GateError;
use crate::model::{Key, ModelError};
use crate::plan::BenchmarkPlan;
use crate::schema::expression::ExpressionError;
use crate::spec::Located;

/// Something in the spec that does not fit the model or the data, with its place.
#[derive(Debug, Clone, thiserror::Error, miette::Diagnostic)]
#[error("{message}")]
#[diagnostic(code(fairgate::fit))]
pub struct FitError {
    /// What does not fit.
    pub message: String,
    /// How to mend it.
    #[help]
    pub help: Option<String>,
    /// The spec.
    #[source_code]
    pub spec: NamedSource<Arc<str>>,
    /// Where in the spec.
    #[label("{label}")]
    pub at: SourceSpan,
    /// What stands there.
    pub label: String,
    /// Whether the model is to blame, and not the spec.
    pub is_about_the_model: bool,
    /// Everything else that does not fit.
    #[related]
    pub others: Vec<FitError>,
}

impl FitError {
    pub(crate) fn new(
        plan: &BenchmarkPlan,
        at: SourceSpan,
        label: &str,
        message: String,
        help: Option<String>,
    ) -> Self {
        FitError {
            message,
            help,
            spec: plan.source.clone(),
            at,
            label: label.to_owned(),
            is_about_the_model: false,
            others: Vec::new(),
        }
    }

    /// Several as one: the first, and with it all others.
    pub(crate) fn all(problems: Vec<FitError>) -> Option<Self> {
        let mut problems = problems.into_iter();
        let mut first = problems.next()?;
        first.others = problems.collect();
        Some(first)
    }
}

pub(super) fn fit(plan: &BenchmarkPlan, problems: Vec<FitError>) -> GateError {
    let all = FitError::all(problems);
    let fallback = || {
        let message = "the model and the dataset do not fit together".to_owned();
        FitError::new(plan, plan.model.name.span, "this model", message, None)
    };
    GateError::Fit(Box::new(all.unwrap_or_else(fallback)))
}

/// A model that does not fit, with its place in the spec; anything else as it is.
pub(crate) fn model_error(plan: &BenchmarkPlan, error: ModelError) -> GateError {
    match error {
        ModelError::Misfit { message, help, key } => {
            let columns = plan.model.columns.as_ref().map(|columns| columns.span);
            let inputs = plan.model.inputs.first().map(|(_, columns)| columns.span);
            let said = match key {
                Some(Key::Columns { .. }) => columns,
                Some(Key::Inputs) => inputs,
                None => None,
            };
            let at = said.unwrap_or(plan.model.name.span);
            let message = format!("{}: {message}", plan.model.path.value.display());
            let label = if said.is_some() { "here" } else { "this model" };
            let mut problem = FitError::new(plan, at, label, message, Some(help));
            problem.is_about_the_model = matches!(key, None | Some(Key::Columns { known: true }));
            GateError::Fit(Box::new(problem))
        }
        error => GateError::Model {
            path: plan.model.path.value.clone(),
            error,
        },
    }
}

pub(super) fn unsearchable(plan: &BenchmarkPlan, why: BenchmarkError) -> GateError {
    let dataset = &plan.dataset.name.value;
    GateError::Space {
        name: plan.name().to_owned(),
        why,
        help: format!(
            "say which values there are under [dataset.{dataset}.attributes]: `{{ min = .., max = .. }}` or `{{ values = [..] }}`"
        ),
    }
}

/// An error in an expression, at its place in the spec.
pub(super) fn expression_problem(
    plan: &BenchmarkPlan,
    text: &Located<String>,
    error: ExpressionError,
) -> FitError {
    let ExpressionError {
        message,
        label,
        help,
        range,
    } = error;
    FitError::new(plan, place_within(plan, text, range), &label, message, help)
}

/// A part of a text in the spec; all of it where it is not written there letter by letter.
pub(super) fn place_within(
    plan: &BenchmarkPlan,
    text: &Located<String>,
    part: Range<usize>,
) -> SourceSpan {
    let spec = plan.source.inner();
    let (start, end) = (text.span.offset(), text.span.offset() + text.span.len());
    let written = spec
        .get(start..end)
        .and_then(|written| written.find(&text.value));
    match written {
        Some(quotes) => (start + quotes + part.start, part.len()).into(),
        None => text.span,
    }
}
