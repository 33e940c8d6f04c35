//! Fitting a plan's model and dataset together: what the model is given, and what its answers mean.

mod columns;
mod error;
mod fingerprint;
mod gradients;
mod outcomes;
mod people;
mod spaces;

use std::sync::Arc;

use crate::benchmark::Benchmark;
use crate::dataset::Dataset;
use crate::gate::GateError;
use crate::model::{Connection, Layout, Meaning, OpenModel};
use crate::plan::BenchmarkPlan;
use crate::schema::expression::Constraints;
use crate::schema::{Attribute, Code, Schema, Space, Terms};
use crate::search::random::{Purpose, below, stream};
use crate::spec::suggest::{closest, list};
use crate::words::grouped;

use columns::columns;
pub use error::FitError;
pub(crate) use error::model_error;
use error::unsearchable;
pub(crate) use fingerprint::fingerprint;
use gradients::check_gradients;
use outcomes::{check_group_limits, outcomes};
use people::{
    Broken, broken_by, check_constraints, check_protected_are_read, constraints, frozen,
    mined_note, protections, said_constraints,
};
pub(crate) use people::{constraints_in_words, mined_constraints};
pub(crate) use spaces::{check_spaces, known_with_spaces};

/// People that the model is tried with before the search.
const TRIED: usize = 1024;

/// How the dataset's people become what the model eats.
///
/// # Errors
/// Encodings that attributes cannot have.
pub(crate) fn connection<'a>(
    plan: &BenchmarkPlan,
    dataset: &'a Dataset,
) -> Result<Connection<'a>, GateError> {
    let columns = columns(plan, &dataset.schema)?;
    let said = Constraints::new(said_constraints(plan, &dataset.schema)?);
    let mut connection = Connection::plain(&dataset.schema, trial(plan, dataset, &said));
    connection.columns = columns;
    let model = &plan.model;
    connection.layout = Layout::new(
        model.columns.as_ref().map(|columns| columns.value.clone()),
        model
            .inputs
            .iter()
            .map(|(input, columns)| (input.value.clone(), columns.value.clone()))
            .collect(),
    );
    connection.meaning = Meaning {
        output: model.output.as_ref().map(|output| output.value.clone()),
        scores: model.scores,
        threshold: model.threshold,
        decisions: model.decisions.as_ref().map(|names| names.value.clone()),
        favourable: model.favourable.as_ref().map(|name| name.value.clone()),
        number: model.number.clone(),
    };
    connection.gradients = plan.benchmark.search.method.is_white_box();
    Ok(connection)
}

/// Search rows of people to try the model with: the dataset's, evenly spaced, or people drawn from the
/// declared domain where there is no dataset. Those who cannot exist are left out, unless nobody can.
fn trial(plan: &BenchmarkPlan, dataset: &Dataset, constraints: &Constraints) -> Vec<f32> {
    let schema = &dataset.schema;
    let width = schema.width().max(1);
    let drawn = match dataset.is_empty() {
        true => drawn(plan, schema),
        false => Vec::new(),
    };
    let people = match dataset.is_empty() {
        true => &drawn,
        false => &dataset.people,
    };
    let mut tried: Vec<&[Code]> = people.chunks_exact(width).collect();
    if tried.iter().any(|person| constraints.hold(person)) {
        tried.retain(|person| constraints.hold(person));
    }
    let stride = tried.len().div_ceil(TRIED).max(1);
    let mut rows = Vec::new();
    let mut row = vec![0.0; width];
    for person in tried.into_iter().step_by(stride) {
        schema.encode(person, &mut row);
        rows.extend_from_slice(&row);
    }
    rows
}

/// People drawn from the declared domain, whether or not they can exist.
fn drawn(plan: &BenchmarkPlan, schema: &Schema) -> Vec<Code> {
    let mut stream = stream(plan.benchmark.seed, plan.name(), Purpose::Domain, 1);
    let mut code = |attribute: &Attribute| below(&mut stream, attribute.domain.size()) as Code;
    let mut people = Vec::new();
    for _ in 0..TRIED {
        people.extend(schema.attributes().iter().map(&mut code));
    }
    people
}

/// A benchmark from a plan and its dataset, with what was learnt about the model.
///
/// # Errors
/// The attributes cannot be searched.
pub(crate) fn benchmark(
    plan: &BenchmarkPlan,
    dataset: &Dataset,
    model: &OpenModel,
) -> Result<Benchmark, GateError> {
    let schema = dataset.schema.clone();
    check_protected_are_read(plan, &schema, model)?;
    let (constraints, mined) = constraints(plan, dataset)?;
    let frozen = frozen(plan, &schema, model);
    let terms = Terms {
        max_combinations: plan.benchmark.max_combinations,
        seed: plan.benchmark.seed,
        frozen,
        unread: model.unread.clone(),
        constraints: Arc::new(constraints),
    };
    let protections = protections(plan, dataset)?;
    let space = Space::with_terms(schema, protections, &terms)
        .map_err(|why| unsearchable(plan, why.into()))?;
    let people = dataset.people.clone();
    let mut benchmark =
        Benchmark::in_space(plan.name(), space, people).map_err(|why| unsearchable(plan, why))?;
    let broken = broken_by(&benchmark.space, &benchmark.people);
    check_constraints(plan, &benchmark, &broken)?;
    check_gradients(plan, &benchmark.space, model)?;
    let broken = broken_note(&broken, dataset);
    benchmark.mined = mined_note(plan, &mined);
    benchmark.notes = notes(dataset, model, &benchmark, broken);
    benchmark.rule = model.rule.clone();
    benchmark.probabilities = model.probabilities;
    benchmark.decisions = decision_names(plan, dataset, model);
    benchmark.favourable = favourable(plan, &benchmark.decisions)?;
    let hoped_for = benchmark.hoped_for();
    benchmark.outcomes = outcomes(plan, dataset, hoped_for.as_ref())?;
    check_group_limits(plan, dataset, &benchmark, hoped_for.as_ref())?;
    benchmark.seed = plan.benchmark.seed;
    benchmark.limits = plan.benchmark.limits;
    benchmark.budget = plan.benchmark.budget;
    benchmark.search = plan.benchmark.search;
    benchmark.confidence = plan.benchmark.confidence;
    benchmark.realistic = plan.benchmark.realistic;
    Ok(benchmark)
}

/// The decision that people hope for, which must be one of the decisions.
fn favourable(plan: &BenchmarkPlan, decisions: &[String]) -> Result<Option<String>, GateError> {
    let Some(name) = &plan.model.favourable else {
        return Ok(None);
    };
    if decisions.contains(&name.value) {
        return Ok(Some(name.value.clone()));
    }
    let known = || decisions.iter().map(String::as_str);
    let help = match closest(&name.value, known()) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => format!("the model's decisions are {}", list(known(), "and")),
    };
    let message = format!("no decision is called `{}`", name.value);
    let problem = FitError::new(plan, name.span, "no such decision", message, Some(help));
    Err(GateError::Fit(Box::new(problem)))
}

/// Remarks for the report: what is not as one might think.
fn notes(
    dataset: &Dataset,
    model: &OpenModel,
    benchmark: &Benchmark,
    broken: Option<String>,
) -> Vec<String> {
    let mut notes = dataset.notes.clone();
    let space = &benchmark.space;
    notes.extend(broken);
    let unread: Vec<&str> = model
        .unread
        .iter()
        .map(|&position| dataset.schema.attributes()[position].name.as_str())
        .collect();
    if !unread.is_empty() {
        let names = list(unread, "and");
        notes.push(format!("the model does not read {names}: not searched"));
    }
    let (tested, all) = (space.combinations().len(), space.all_combinations());
    if all > tested as u64 {
        notes.push(format!(
            "the protected attributes have {all} combinations of values; each person is tested with \
             {tested} of them, drawn at random (`max-combinations`), so counterexamples among the \
             others are missed"
        ));
    }
    notes.extend(benchmark.mined.clone());
    notes
}

/// How many of the dataset's people cannot exist, if there are any.
fn broken_note(broken: &Broken<'_>, dataset: &Dataset) -> Option<String> {
    let (do_break, are) = match broken.people {
        1 => ("breaks", "is"),
        _ => ("break", "are"),
    };
    let text = broken.most_often?;
    Some(format!(
        "{} of the dataset's {} people {do_break} a constraint and {are} left out; most often {text}",
        grouped(broken.people as u64),
        grouped(dataset.len() as u64)
    ))
}

/// The names in the spec; else what the model calls its decisions; else the label's values in sorted
/// order, as encoders number them. A model that numbers its classes tells less than the label.
fn decision_names(plan: &BenchmarkPlan, dataset: &Dataset, model: &OpenModel) -> Vec<String> {
    let count = model.rule.decisions();
    let of_count = |names: Option<Vec<String>>| names.filter(|names| names.len() == count);
    let in_spec = plan
        .model
        .decisions
        .as_ref()
        .map(|names| names.value.clone());
    let in_words = |names: &Vec<String>| names.iter().any(|name| name.parse::<f64>().is_err());
    let of_model = of_count(model.decisions.clone());
    let of_label = of_count(dataset.labels.clone())
        .filter(|_| !matches!(model.rule, crate::decision::Rule::Bands(_)));
    of_count(in_spec)
        .or_else(|| of_model.clone().filter(in_words))
        .or(of_label)
        .or(of_model)
        .unwrap_or_else(|| model.rule.default_names())
}
