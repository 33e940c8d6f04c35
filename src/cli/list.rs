//! `fairgate list`: what would run.

use serde::Serialize;

use super::{Format, ListArguments, exit_code, tell};
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
    let widest = plans
        .iter()
        .map(|plan| plan.name().chars().count())
        .max()
        .unwrap_or_default();
    for plan in &plans {
        tell::result(&match arguments.format {
            Format::Pretty => pretty(plan, widest),
            Format::Json => json(plan),
        });
    }
    exit_code::PASS
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
