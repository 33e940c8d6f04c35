//! One benchmark by its name, for the commands that look at one closely.

use std::path::PathBuf;

use clap::Args;

use super::interrupt::Interrupt;
use super::progress::Bars;
use super::{Running, exit_code, tell};
use crate::benchmark::Benchmark;
use crate::dataset::Dataset;
use crate::gate::{self, Options, Ran};
use crate::model::OpenModel;
use crate::plan::{BenchmarkPlan, Filter, plan};
use crate::spec::{Spec, suggest};

/// Which benchmark, of which spec, run how.
#[derive(Debug, Clone, Args)]
pub(super) struct One {
    /// The benchmark's name (`fairgate list` shows all)
    #[arg(value_name = "NAME")]
    pub(super) name: String,
    /// The spec
    #[arg(long, value_name = "FILE", default_value = "fairness.toml")]
    pub(super) spec: PathBuf,
    #[command(flatten)]
    pub(super) running: Running,
}

/// A benchmark that can be run.
pub(super) struct Ready {
    pub(super) plan: BenchmarkPlan,
    pub(super) dataset: Dataset,
    pub(super) options: Options,
}

impl One {
    /// The benchmark with its dataset; the exit code if there is none, and then why has been said.
    pub(super) fn ready(&self) -> Result<Ready, u8> {
        let spec = Spec::load(&self.spec).map_err(tell::spec_problem)?;
        let filter = Filter {
            name: Some(self.name.clone()),
            exact: true,
        };
        let plans = plan(&spec, &filter).map_err(tell::plan_problems)?;
        let Some(plan) = plans.into_iter().next() else {
            return Err(self.unknown(&spec));
        };
        let dataset = Dataset::load(&plan.dataset).map_err(|error| {
            tell::problem(error);
            exit_code::UNUSABLE
        })?;
        let (options, _) = self.running.options(&spec, 1)?;
        Ok(Ready {
            plan,
            dataset,
            options,
        })
    }

    fn unknown(&self, spec: &Spec) -> u8 {
        let names = spec
            .benchmarks
            .iter()
            .map(|benchmark| benchmark.name.value.as_str());
        let meant = match suggest::closest(&self.name, names) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => "`fairgate list` shows all".to_owned(),
        };
        tell::remark(&format!(
            "there is no benchmark `{}` in {}: {meant}",
            self.name,
            self.spec.display()
        ));
        exit_code::USAGE
    }
}

impl Ready {
    /// The model and the benchmark, without a search.
    pub(super) fn open(&self) -> Result<(OpenModel, Benchmark), u8> {
        gate::open(&self.plan, &self.dataset, &self.options).map_err(tell::gate_problem)
    }

    /// Runs it, with a bar. Nothing is written.
    pub(super) fn run(&self) -> Result<Ran, u8> {
        let bars = Bars::new();
        let interrupt = Interrupt::listen(bars.clone());
        let bar = bars.start(self.plan.name());
        gate::run(
            &self.plan,
            &self.dataset,
            &self.options,
            &|progress| bar.show(progress),
            &|| interrupt.asked(),
        )
        .map_err(tell::gate_problem)
    }
}
