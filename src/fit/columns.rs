//! The columns that a plan's model is given.

use std::sync::Arc;

use miette::SourceSpan;

use crate::encoding::{self, BadEncoding, Cell, Column, Derived};
use crate::gate::GateError;
use crate::plan::BenchmarkPlan;
use crate::schema::Schema;
use crate::schema::expression::Expression;
use crate::spec::EncodingSpec;

use super::error::{FitError, expression_problem, fit};

/// The columns of the attributes, and behind them those that are derived.
pub(super) fn columns(plan: &BenchmarkPlan, schema: &Schema) -> Result<Vec<Column>, GateError> {
    let mut problems = Vec::new();
    let mut columns =
        encoding::columns(schema, |name| encoding_of(plan, name)).unwrap_or_else(|bad| {
            let problem = |(name, BadEncoding { message, help }): (String, BadEncoding)| {
                let at = place_of(plan, &name);
                FitError::new(plan, at, "does not fit", message, Some(help))
            };
            problems.extend(bad.into_iter().map(problem));
            Vec::new()
        });
    let (names, values) = (schema.names(), Arc::new(schema.values()));
    for (name, derived) in &plan.dataset.derived {
        match Expression::number(&derived.expression.value, &names) {
            Ok(expression) => {
                let derived = Derived::new(expression, Arc::clone(&values), schema, derived.scale);
                columns.push(Column::new(
                    name.value.clone(),
                    None,
                    Cell::Derived(derived),
                ));
            }
            Err(errors) => problems.extend(
                errors
                    .into_iter()
                    .map(|error| expression_problem(plan, &derived.expression, error)),
            ),
        }
    }
    match problems.is_empty() {
        true => Ok(columns),
        false => Err(fit(plan, problems)),
    }
}

/// What the model says about an attribute, or else the dataset.
pub(super) fn encoding_of(plan: &BenchmarkPlan, name: &str) -> EncodingSpec {
    let of_model = plan
        .model
        .attributes
        .iter()
        .find(|(at, _)| at.value == name);
    match of_model {
        Some((_, encoding)) => encoding.value.clone(),
        None => plan
            .dataset
            .attribute(name)
            .map(|attribute| attribute.value.encoding.clone())
            .unwrap_or_default(),
    }
}

/// Where the spec speaks of an attribute; the dataset's name if it does not.
pub(super) fn place_of(plan: &BenchmarkPlan, name: &str) -> SourceSpan {
    let of_model = plan
        .model
        .attributes
        .iter()
        .find(|(at, _)| at.value == name);
    let of_dataset = || plan.dataset.attribute(name).map(|attribute| attribute.span);
    of_model
        .map(|(_, encoding)| encoding.span)
        .or_else(of_dataset)
        .unwrap_or(plan.dataset.name.span)
}
