//! The plan: which benchmarks run, checked against the datasets' headers.
//!
//! Nothing is opened here but the first line of each CSV, so listing is instant.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use miette::{Diagnostic, NamedSource};

use crate::dataset::{DatasetError, Header, group_columns};
use crate::spec::suggest::{closest, list};
use crate::spec::{BenchmarkSpec, DatasetSpec, Located, ModelSpec, Spec, SpecError, SpecProblem};

/// Which benchmarks to run.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Only names that contain this; all names if there is nothing here.
    pub name: Option<String>,
    /// The name must be exactly this.
    pub exact: bool,
}

impl Filter {
    /// Whether a benchmark of this name is to run.
    pub fn keeps(&self, name: &str) -> bool {
        match &self.name {
            None => true,
            Some(wanted) if self.exact => name == wanted,
            Some(part) => name.contains(part.as_str()),
        }
    }
}

/// One benchmark with the model and the dataset it names.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct BenchmarkPlan {
    /// The benchmark.
    pub benchmark: BenchmarkSpec,
    /// Its model.
    pub model: ModelSpec,
    /// Its dataset.
    pub dataset: DatasetSpec,
    /// The spec's text, for errors that point into it.
    pub source: NamedSource<Arc<str>>,
}

impl BenchmarkPlan {
    /// The benchmark's name.
    pub fn name(&self) -> &str {
        &self.benchmark.name.value
    }

    /// The line of the spec in which the benchmark begins, from 1.
    pub fn line(&self) -> usize {
        let start = self.benchmark.name.span.offset();
        let before = self.source.inner().bytes().take(start);
        1 + before.filter(|byte| *byte == b'\n').count()
    }

    /// The names of the protected attributes.
    pub fn protected(&self) -> Vec<&str> {
        self.benchmark
            .protected
            .iter()
            .map(|name| name.value.as_str())
            .collect()
    }
}

/// Everything that keeps a plan from being made.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[error("the plan cannot be made")]
pub struct PlanError {
    /// What is wrong in the spec, seen beside the headers.
    pub spec: Option<Box<SpecError>>,
    /// Datasets that cannot be read.
    pub datasets: Vec<DatasetError>,
}

/// Plans the benchmarks that the filter keeps, in the order of their names.
///
/// # Errors
/// Every name in the spec that the datasets do not have, and every dataset without a header.
pub fn plan(spec: &Spec, filter: &Filter) -> Result<Vec<BenchmarkPlan>, PlanError> {
    let plans: Vec<BenchmarkPlan> = spec
        .benchmarks
        .iter()
        .filter(|benchmark| filter.keeps(&benchmark.name.value))
        .filter_map(|benchmark| {
            Some(BenchmarkPlan {
                benchmark: benchmark.clone(),
                model: spec.models.get(&benchmark.model)?.clone(),
                dataset: spec.datasets.get(&benchmark.dataset)?.clone(),
                source: spec.source(),
            })
        })
        .collect();
    let mut problems = Vec::new();
    let (headers, datasets) = headers(&plans, &mut problems);
    for plan in &plans {
        if let Some(header) = headers.get(plan.dataset.name.value.as_str()) {
            let names = Names::new(&plan.dataset, header);
            benchmark_problems(spec, plan, &names, &mut problems);
        }
    }
    let problems = each_once(problems);
    if problems.is_empty() && datasets.is_empty() {
        return Ok(plans);
    }
    let spec = (!problems.is_empty()).then(|| Box::new(SpecError::new(spec, problems)));
    Err(PlanError { spec, datasets })
}

/// The header of each dataset, with the problems that it shows, and the datasets without one.
fn headers<'p>(
    plans: &'p [BenchmarkPlan],
    problems: &mut Vec<SpecProblem>,
) -> (BTreeMap<&'p str, Header>, Vec<DatasetError>) {
    let mut headers = BTreeMap::new();
    let mut datasets = Vec::new();
    for BenchmarkPlan { dataset, .. } in plans {
        let name = dataset.name.value.as_str();
        if headers.contains_key(name) {
            continue;
        }
        let header = match Header::read(dataset) {
            Ok(header) => {
                let names = Names::new(dataset, &header);
                names.column_problems(problems);
                names.declared_problems(problems);
                header
            }
            Err(error) => {
                datasets.push(error);
                let columns = Vec::new();
                Header { columns }
            }
        };
        headers.insert(name, header);
    }
    (headers, datasets)
}

/// The names of a dataset beside its header, and the problems that they have.
struct Names<'a> {
    dataset: &'a DatasetSpec,
    header: &'a Header,
    attributes: Vec<&'a str>,
}

impl<'a> Names<'a> {
    fn new(dataset: &'a DatasetSpec, header: &'a Header) -> Self {
        Names {
            dataset,
            header,
            attributes: header.attributes(dataset).collect(),
        }
    }

    /// What only the CSV can have: the label and columns to ignore.
    fn column_problems(&self, problems: &mut Vec<SpecProblem>) {
        if self.dataset.path.is_none() {
            return;
        }
        let label = self.dataset.label.iter().map(|label| ("label", label));
        let ignored = self
            .dataset
            .ignore
            .iter()
            .map(|name| ("ignored column", name));
        for (kind, name) in label.chain(ignored) {
            if !self.header.columns.contains(&name.value) {
                problems.push(self.missing(kind, name));
            }
        }
    }

    /// What is said about attributes that are not there.
    fn declared_problems(&self, problems: &mut Vec<SpecProblem>) {
        for (name, spec) in &self.dataset.attributes {
            if self.attributes.contains(&name.value.as_str()) {
                continue;
            }
            let lost = group_columns(&name.value, &spec.value).and_then(|columns| {
                let there = |column: &&String| self.header.columns.contains(column);
                let any = columns.iter().any(|column| there(&column));
                let lost = columns.iter().find(|column| !there(column));
                lost.filter(|_| any).cloned()
            });
            problems.push(match lost {
                Some(column) => self.lost_column(name, &column),
                None => self.missing("attribute", name),
            });
        }
    }

    /// An attribute that a benchmark or a model names.
    fn check(&self, kind: &str, name: &Located<String>, problems: &mut Vec<SpecProblem>) {
        if !self.attributes.contains(&name.value.as_str()) {
            problems.push(self.missing(kind, name));
        }
    }

    fn lost_column(&self, name: &Located<String>, column: &str) -> SpecProblem {
        let columns = || self.header.columns.iter().map(String::as_str);
        SpecProblem::Plan {
            message: format!(
                "`{column}`, a column of the attribute `{}`, is not a column of {}",
                name.value,
                self.dataset.source()
            ),
            label: format!("`{column}` is missing"),
            help: closest(column, columns()).map(|similar| format!("did you mean `{similar}`?")),
            at: name.span,
        }
    }

    /// Why a column is no attribute.
    fn left_out(&self, name: &str) -> Option<&'static str> {
        let is = |other: &Located<String>| other.value == name;
        if self.dataset.label.as_ref().is_some_and(is) {
            Some("it is the label")
        } else if self.dataset.ignore.iter().any(is) {
            Some("it is under `ignore`")
        } else if self.dataset.derived.iter().any(|(other, _)| is(other)) {
            Some("it is computed under `derived`")
        } else {
            self.header
                .columns
                .iter()
                .any(|column| column == name)
                .then_some("it is a column of a one-hot group")
        }
    }

    fn missing(&self, kind: &str, name: &Located<String>) -> SpecProblem {
        let Located { value: name, span } = name;
        let source = self.dataset.source();
        let is_column = kind == "label" || kind == "ignored column";
        if let (Some(why), false) = (self.left_out(name), is_column) {
            return SpecProblem::Plan {
                message: format!("the {kind} `{name}` is not an attribute of {source}: {why}"),
                label: "not an attribute".into(),
                help: None,
                at: *span,
            };
        }
        let columns = || self.header.columns.iter().map(String::as_str);
        let attributes = self.attributes.iter().copied();
        let similar = closest(name, attributes).or_else(|| closest(name, columns()));
        let what = match self.dataset.path {
            Some(_) => "column",
            None => "declared attribute",
        };
        SpecProblem::Plan {
            message: format!("the {kind} `{name}` is not a {what} of {source}"),
            label: format!("no such {what}"),
            help: Some(match similar {
                Some(similar) => format!("did you mean `{similar}`?"),
                None => format!("the {what}s are {}", list(columns(), "and")),
            }),
            at: *span,
        }
    }
}

fn benchmark_problems(
    spec: &Spec,
    plan: &BenchmarkPlan,
    names: &Names<'_>,
    problems: &mut Vec<SpecProblem>,
) {
    // No columns: the dataset could not be read, which is told on its own.
    if names.header.columns.is_empty() {
        return;
    }
    for protected in &plan.benchmark.protected {
        names.check("protected attribute", protected, problems);
    }
    for frozen in &plan.benchmark.frozen {
        names.check("frozen attribute", frozen, problems);
    }
    for (grouped, _) in &plan.benchmark.groups {
        names.check("grouped attribute", grouped, problems);
    }
    for (encoded, _) in &plan.model.attributes {
        let derived = &plan.dataset.derived;
        if !derived.iter().any(|(name, _)| name.value == encoded.value) {
            names.check("attribute", encoded, problems);
        }
    }
    unprotected_groups(spec, plan, names.header, problems);
}

/// Groups are of protected attributes; where no benchmark protects them they would say nothing.
fn unprotected_groups(
    spec: &Spec,
    plan: &BenchmarkPlan,
    header: &Header,
    problems: &mut Vec<SpecProblem>,
) {
    for (name, _) in &plan.benchmark.groups {
        let used = |benchmark: &BenchmarkSpec| {
            let says = |(other, _): &(Located<String>, _)| other.span == name.span;
            let protects = |other: &Located<String>| other.value == name.value;
            benchmark.groups.iter().any(says) && benchmark.protected.iter().any(protects)
        };
        if !header.columns.contains(&name.value) || spec.benchmarks.iter().any(used) {
            continue;
        }
        problems.push(SpecProblem::Plan {
            message: format!("`{}` has groups, but is not protected", name.value),
            label: "groups of an attribute that is not protected".into(),
            help: Some(format!(
                "add `{}` to `protected`, or remove its groups",
                name.value
            )),
            at: name.span,
        });
    }
}

/// Benchmarks that share a model, a dataset or their defaults share problems too: each is told once.
fn each_once(problems: Vec<SpecProblem>) -> Vec<SpecProblem> {
    let mut seen = BTreeSet::new();
    let place = |problem: &SpecProblem| {
        let labels = problem.labels().into_iter().flatten();
        labels.map(|label| label.offset()).min()
    };
    problems
        .into_iter()
        .filter(|problem| seen.insert((problem.to_string(), place(problem))))
        .collect()
}
