//! Who can exist, who is protected, and what the search may move.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::benchmark::{Benchmark, BenchmarkError};
use crate::dataset::Dataset;
use crate::gate::GateError;
use crate::groups;
use crate::model::OpenModel;
use crate::plan::BenchmarkPlan;
use crate::schema::expression::{Constraint, Constraints, Expression};
use crate::schema::mined::{Mineable, Support, mine};
use crate::schema::{Attribute, Code, Domain, Protection, Schema, Space};
use crate::search::random::{Purpose, stream};

use super::drawn;
use super::error::{FitError, expression_problem, fit, unsearchable};

/// Attributes with more values than this are not mined for pairs that never occur.
const MOST_MINED: u64 = 64;

/// What the spec says about every person that can exist.
///
/// # Errors
/// Constraints that cannot be read.
pub(super) fn said_constraints(
    plan: &BenchmarkPlan,
    schema: &Schema,
) -> Result<Vec<Constraint>, GateError> {
    let mut problems = Vec::new();
    let mut list = Vec::new();
    let of_dataset = plan.dataset.constraints.iter();
    for text in of_dataset.chain(&plan.benchmark.constraints) {
        match Expression::constraint(&text.value, &schema.names()) {
            Ok(expression) => list.push(compiled(expression, schema)),
            Err(errors) => problems.extend(
                errors
                    .into_iter()
                    .map(|error| expression_problem(plan, text, error)),
            ),
        }
    }
    match problems.is_empty() {
        true => Ok(list),
        false => Err(fit(plan, problems)),
    }
}

pub(super) fn compiled(expression: Expression, schema: &Schema) -> Constraint {
    let attributes = schema.attributes().iter();
    let sizes: Vec<u64> = attributes.map(|a| a.domain.size()).collect();
    Constraint::compile(expression, &sizes, &Arc::new(schema.values()))
}

/// What holds for every person that can exist: what the spec says, and what is mined from the dataset
/// if the spec asks for it. Also the mined ones in words.
///
/// # Errors
/// Constraints that cannot be read.
pub(super) fn constraints(
    plan: &BenchmarkPlan,
    dataset: &Dataset,
) -> Result<(Constraints, Vec<String>), GateError> {
    let schema = &dataset.schema;
    let mut list = said_constraints(plan, schema)?;
    let mined: Vec<String> = match plan.dataset.mine_constraints {
        true => mined_constraints(plan, dataset),
        false => Vec::new(),
    };
    for text in &mined {
        if let Ok(expression) = Expression::constraint(text, &schema.names()) {
            list.push(compiled(expression, schema));
        }
    }
    Ok((Constraints::new(list), mined))
}

/// Pairs of values that never occur together in the dataset. Those with a protected attribute are
/// left out: they would forbid the very counterparts that are to be tested.
pub(crate) fn mined_constraints(plan: &BenchmarkPlan, dataset: &Dataset) -> Vec<String> {
    let schema = &dataset.schema;
    let protected = plan.protected();
    let mineable = |(position, attribute): (usize, &Attribute)| {
        let domain = &attribute.domain;
        if protected.contains(&attribute.name.as_str()) || domain.size() > MOST_MINED {
            return None;
        }
        let texts = (0..domain.size() as Code).map(|code| domain.text(code).into_owned());
        match domain {
            Domain::Categories(names) => {
                let names = names.iter().map(String::as_str);
                Some(Mineable::texts(position, &attribute.name, names))
            }
            Domain::Dates { .. } => None,
            _ => Some(Mineable::plain(position, &attribute.name, texts)),
        }
    };
    let attributes: Vec<Mineable> = schema
        .attributes()
        .iter()
        .enumerate()
        .filter_map(mineable)
        .collect();
    let mined = mine(
        &dataset.people,
        schema.width(),
        &attributes,
        Support::default(),
    );
    mined.into_iter().map(|mined| mined.text).collect()
}

/// Everything that holds for the people of a plan, in words: what the spec says, and what was mined.
///
/// # Errors
/// Constraints that cannot be read.
pub(crate) fn constraints_in_words(
    plan: &BenchmarkPlan,
    dataset: &Dataset,
) -> Result<Vec<String>, GateError> {
    let (constraints, _) = constraints(plan, dataset)?;
    Ok(constraints.iter().map(|c| c.text().to_owned()).collect())
}

/// Constraints that nobody meets leave nobody to test.
pub(super) fn check_constraints(
    plan: &BenchmarkPlan,
    benchmark: &Benchmark,
    broken: &Broken<'_>,
) -> Result<(), GateError> {
    let space = &benchmark.space;
    if !space.is_constrained() {
        return Ok(());
    }
    let people = benchmark.people.len() / space.schema().width();
    let nobody = if people > 0 {
        broken.people == people
    } else {
        let mut stream = stream(plan.benchmark.seed, plan.name(), Purpose::Domain, 2);
        space.draw(&mut stream).is_none()
    };
    if !nobody {
        return Ok(());
    }
    let most_often = match people {
        0 => broken_by(space, &drawn(plan, space.schema())).most_often,
        _ => broken.most_often,
    };
    let mut said = plan
        .dataset
        .constraints
        .iter()
        .chain(&plan.benchmark.constraints);
    let guilty = said.find(|text| Some(text.value.as_str()) == most_often);
    let at = guilty.map_or(plan.benchmark.name.span, |text| text.span);
    let message = match people {
        0 => "nobody in the declared domain meets the constraints".to_owned(),
        people => format!("none of the dataset's {people} people meets the constraints"),
    };
    let help = "correct the constraint, or the domains of the attributes in it".to_owned();
    let problem = FitError::new(plan, at, "broken most often", message, Some(help));
    Err(fit(plan, vec![problem]))
}

/// People who cannot exist.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Broken<'s> {
    /// How many they are.
    pub(super) people: usize,
    /// The constraint that most of them break.
    pub(super) most_often: Option<&'s str>,
}

/// How many of the people cannot exist, and why.
pub(super) fn broken_by<'s>(space: &'s Space, people: &[Code]) -> Broken<'s> {
    if !space.is_constrained() {
        return Broken::default();
    }
    let mut impossible = 0;
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for person in people.chunks_exact(space.schema().width()) {
        if space.can_exist(person) {
            continue;
        }
        impossible += 1;
        for broken in space.broken_constraints(person) {
            *counts.entry(broken).or_default() += 1;
        }
    }
    let most = counts.into_iter().max_by_key(|&(_, count)| count);
    Broken {
        people: impossible,
        most_often: most.map(|(text, _)| text),
    }
}

/// The constraints that were mined: how many, and the most surprising ones.
pub(super) fn mined_note(plan: &BenchmarkPlan, mined: &[String]) -> Option<String> {
    const SHOWN: usize = 3;
    if mined.is_empty() {
        return None;
    }
    let shown: Vec<&str> = mined.iter().take(SHOWN).map(String::as_str).collect();
    let more = if mined.len() > SHOWN { " ..." } else { "" };
    Some(format!(
        "constraints mined from {}: {}, such as {}{more}; all of them: fairgate list --constraints",
        plan.dataset.source(),
        mined.len(),
        shown.join(", ")
    ))
}

/// Attributes that the search does not move: those the spec freezes, and those the model never reads.
pub(super) fn frozen(plan: &BenchmarkPlan, schema: &Schema, model: &OpenModel) -> Vec<usize> {
    let said = plan.benchmark.frozen.iter();
    let said = said.filter_map(|name| schema.position(&name.value));
    said.chain(model.unread.iter().copied()).collect()
}

/// The values of each protected attribute that are told apart.
pub(super) fn protections(
    plan: &BenchmarkPlan,
    dataset: &Dataset,
) -> Result<Vec<Protection>, GateError> {
    let schema = &dataset.schema;
    let mut problems = Vec::new();
    let mut protections = Vec::new();
    for name in &plan.benchmark.protected {
        let Some(position) = schema.position(&name.value) else {
            let unknown = BenchmarkError::UnknownProtected(name.value.clone());
            return Err(unsearchable(plan, unknown));
        };
        let said = plan
            .benchmark
            .groups
            .iter()
            .find(|(at, _)| at.value == name.value);
        let made = match said {
            None => Ok(Protection::each(
                position,
                schema.attributes()[position].domain.size(),
            )),
            Some((_, groups)) => groups::protection(&groups.value, position, dataset)
                .map_err(|(message, help)| (groups.span, message, help)),
        };
        match made {
            Ok(protection) => protections.push(protection),
            Err((at, message, help)) => {
                problems.push(FitError::new(plan, at, "these groups", message, Some(help)));
            }
        }
    }
    match problems.is_empty() {
        true => Ok(protections),
        false => Err(fit(plan, problems)),
    }
}

/// A model that never sees a protected attribute cannot decide by it: such a benchmark would always
/// pass, most likely by mistake.
pub(super) fn check_protected_are_read(
    plan: &BenchmarkPlan,
    schema: &Schema,
    model: &OpenModel,
) -> Result<(), GateError> {
    let unread = |name: &str| {
        schema
            .position(name)
            .is_some_and(|at| model.unread.contains(&at))
    };
    let problems: Vec<FitError> = plan
        .benchmark
        .protected
        .iter()
        .filter(|name| unread(&name.value))
        .map(|name| {
            let message = format!(
                "the model does not read the protected attribute `{}`, so it cannot decide by it",
                name.value
            );
            let help = "protect an attribute that the model reads, or check `columns` and `inputs` \
                        under the model";
            FitError::new(
                plan,
                name.span,
                "never read",
                message,
                Some(help.to_owned()),
            )
        })
        .collect();
    match problems.is_empty() {
        true => Ok(()),
        false => Err(fit(plan, problems)),
    }
}
