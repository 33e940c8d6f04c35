//! `fairgate list`: what would run.

use serde::Serialize;

use super::{ListArguments, ListFormat, exit_code, tell};
use crate::fit;
use crate::gate::{Datasets, GateError};
use crate::plan::BenchmarkPlan;
use crate::spec::Limits;
use crate::verdict::percent;

#[derive(Serialize)]
struct Line<'a> {
    name: &'a str,
    model: &'a str,
    dataset: &'a str,
    protected: Vec<&'a str>,
    global_seeds: usize,
    local_steps: usize,
}

pub(super) fn run(arguments: &ListArguments) -> u8 {
    let plans = match arguments.selection.plans() {
        Ok((_, plans)) => plans,
        Err(code) => return code,
    };
    if arguments.constraints {
        return constraints(&plans);
    }
    let widest = plans
        .iter()
        .map(|plan| plan.name().chars().count())
        .max()
        .unwrap_or_default();
    for plan in &plans {
        tell::result(&match arguments.format {
            ListFormat::Pretty => pretty(plan, widest),
            ListFormat::Json => json(plan),
        });
    }
    exit_code::PASS
}

/// The constraints of each benchmark, mined ones among them, as they can be put into a spec.
fn constraints(plans: &[BenchmarkPlan]) -> u8 {
    let mut datasets = Datasets::default();
    let mut code = exit_code::PASS;
    for plan in plans {
        let listed = datasets
            .get(&plan.dataset)
            .map_err(GateError::from)
            .and_then(|dataset| fit::constraints_in_words(plan, &dataset));
        match listed {
            Ok(texts) => tell::result(&constraint_lines(plan, &texts)),
            Err(error) => code = tell::gate_problem(error),
        }
    }
    code
}

fn constraint_lines(plan: &BenchmarkPlan, texts: &[String]) -> String {
    let mut lines = format!("# {}: {}\n", plan.name(), texts.len());
    if texts.is_empty() {
        return lines;
    }
    lines.push_str("constraints = [\n");
    for text in texts {
        let quoted = toml::Value::String(text.clone());
        lines.push_str(&format!("  {quoted},\n"));
    }
    lines.push_str("]\n");
    lines
}

fn pretty(plan: &BenchmarkPlan, widest: usize) -> String {
    let benchmark = &plan.benchmark;
    format!(
        "{:widest$}  model {}, dataset {}, protected {}, {} x {}, {}\n",
        plan.name(),
        benchmark.model,
        benchmark.dataset,
        plan.protected().join(" & "),
        benchmark.budget.global_seeds,
        benchmark.budget.local_steps,
        limits(&benchmark.limits)
    )
}

fn limits(limits: &Limits) -> String {
    let rate = |name: &str, limit: Option<f64>| {
        limit.map(|limit| format!("{name} at most {}", percent(limit)))
    };
    let count = limits
        .max_counterexamples
        .map(|most| format!("at most {most} counterexamples"));
    [
        rate("search", limits.search),
        rate("dataset", limits.dataset),
        rate("domain", limits.domain),
        count,
    ]
    .into_iter()
    .flatten()
    .collect::<Vec<_>>()
    .join(", ")
}

fn json(plan: &BenchmarkPlan) -> String {
    let benchmark = &plan.benchmark;
    let line = Line {
        name: plan.name(),
        model: &benchmark.model,
        dataset: &benchmark.dataset,
        protected: plan.protected(),
        global_seeds: benchmark.budget.global_seeds,
        local_steps: benchmark.budget.local_steps,
    };
    format!("{}\n", serde_json::to_string(&line).unwrap_or_default())
}
