//! The plan: which benchmarks run, checked against the datasets' headers.
//!
//! Nothing is opened here but the first line of each CSV, so listing is instant.

use std::collections::BTreeMap;

use miette::SourceSpan;

use crate::dataset::{DatasetError, Header};
use crate::spec::suggest::{closest, list};
use crate::spec::{BenchmarkSpec, DatasetSpec, ModelSpec, Spec, SpecError, SpecProblem};

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
}

impl BenchmarkPlan {
    /// The benchmark's name.
    pub fn name(&self) -> &str {
        &self.benchmark.name.value
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
            })
        })
        .collect();
    let mut headers: BTreeMap<&str, Header> = BTreeMap::new();
    let mut datasets = Vec::new();
    let mut problems = Vec::new();
    for plan in &plans {
        let name = plan.dataset.name.value.as_str();
        if headers.contains_key(name) {
            continue;
        }
        match Header::read(&plan.dataset) {
            Ok(header) => {
                dataset_problems(&plan.dataset, &header, &mut problems);
                headers.insert(name, header);
            }
            Err(error) => {
                datasets.push(error);
                headers.insert(
                    name,
                    Header {
                        columns: Vec::new(),
                    },
                );
            }
        }
    }
    for plan in &plans {
        if let Some(header) = headers.get(plan.dataset.name.value.as_str()) {
            protected_problems(plan, header, &mut problems);
        }
    }
    if problems.is_empty() && datasets.is_empty() {
        return Ok(plans);
    }
    let spec = (!problems.is_empty()).then(|| Box::new(SpecError::new(spec, problems)));
    Err(PlanError { spec, datasets })
}

fn dataset_problems(dataset: &DatasetSpec, header: &Header, problems: &mut Vec<SpecProblem>) {
    if let Some(label) = &dataset.label
        && !header.columns.contains(&label.value)
    {
        problems.push(missing(dataset, header, "label", &label.value, label.span));
    }
    for (attribute, _) in &dataset.attributes {
        if !header
            .attributes(dataset)
            .any(|name| name == attribute.value)
        {
            problems.push(missing(
                dataset,
                header,
                "attribute",
                &attribute.value,
                attribute.span,
            ));
        }
    }
}

fn protected_problems(plan: &BenchmarkPlan, header: &Header, problems: &mut Vec<SpecProblem>) {
    // No columns: the dataset could not be read, which is told on its own.
    if header.columns.is_empty() {
        return;
    }
    for protected in &plan.benchmark.protected {
        if !header
            .attributes(&plan.dataset)
            .any(|name| name == protected.value)
        {
            let (name, at) = (&protected.value, protected.span);
            problems.push(missing(
                &plan.dataset,
                header,
                "protected attribute",
                name,
                at,
            ));
        }
    }
}

fn missing(
    dataset: &DatasetSpec,
    header: &Header,
    kind: &str,
    name: &str,
    at: SourceSpan,
) -> SpecProblem {
    let columns = || header.columns.iter().map(String::as_str);
    let help = match closest(name, columns()) {
        Some(similar) => format!("did you mean `{similar}`?"),
        None => format!("the columns are {}", list(columns(), "and")),
    };
    SpecProblem::Plan {
        message: format!(
            "the {kind} `{name}` is not a column of {}",
            dataset.path.value.display()
        ),
        label: "no such column".into(),
        help: Some(help),
        at,
    }
}
