//! What the search costs: with more jobs, more seeds, more steps and more attributes.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use fairgate::model::{OpenModel, from_fn};
use fairgate::spec::Variant;
use fairgate::{Attribute, Benchmark, BenchmarkResult, Domain, Run, Schema};

use super::oracle::{Generator, Oracle, Published, drawn_people, of_name, quickest, until_verdict};
use super::table::{Table, decimal, whole};

/// Runs of which the quickest counts.
const TIMES: usize = 3;

/// One benchmark with one and two workers; four benchmarks one after another and two at a time.
pub(crate) fn jobs(oracle: &Oracle) -> Vec<Table> {
    let mut table = Table::new(
        format!(
            "Two jobs against one, 1000 seeds x 1000 steps, seconds (of one benchmark: until the verdict), quickest of {TIMES}"
        ),
        &[
            "what",
            "variant",
            "one job",
            "two jobs",
            "ratio",
            "ratio of bare arithmetic meanwhile",
            "from core to core and back meanwhile, ns",
        ],
    );
    let mut add = |what: &str, variant: &str, pair: Pair| {
        let ([one, two], machine) = (pair.times, pair.arithmetic);
        table.row(vec![
            what.into(),
            variant.into(),
            decimal(one, 2),
            decimal(two, 2),
            decimal(one / two, 2),
            decimal(machine[0] / machine[1], 2),
            decimal(pair.handover, 0),
        ]);
    };
    for (variant, name) in [(Variant::Paper, "paper"), (Variant::Walk, "walk")] {
        for benchmark in ["C-a", "G-a"] {
            let entry = of_name(benchmark);
            let pair = Pair::of(|workers| with_workers(oracle, entry, variant, workers));
            add(benchmark, name, pair);
        }
        let pair = Pair::of(|threads| four(oracle, variant, threads));
        add("C-a, C-g, G-a and D-a", name, pair);
    }
    vec![table]
}

/// The shortest times with one and with two jobs.
struct Pair {
    times: [f64; 2],
    /// The same of bare arithmetic, measured in between: what the machine allows just then. With
    /// others at work on it, two threads are not twice as fast as one.
    arithmetic: [f64; 2],
    /// How long a number takes to another core and back, in nanoseconds.
    handover: f64,
}

impl Pair {
    fn of(time: impl Fn(usize) -> f64) -> Self {
        let mut pair = Pair {
            times: [f64::INFINITY; 2],
            arithmetic: [f64::INFINITY; 2],
            handover: f64::INFINITY,
        };
        for _ in 0..TIMES {
            for (index, jobs) in [1, 2].into_iter().enumerate() {
                pair.times[index] = pair.times[index].min(time(jobs));
                pair.arithmetic[index] = pair.arithmetic[index].min(arithmetic(jobs));
            }
            pair.handover = pair.handover.min(handover());
        }
        pair
    }
}

/// The wall time of arithmetic that touches no memory.
fn arithmetic(threads: usize) -> f64 {
    let started = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let mut generator = Generator::new();
                for _ in 0..100_000_000 / threads {
                    std::hint::black_box(generator.next());
                }
            });
        }
    });
    started.elapsed().as_secs_f64()
}

/// The nanoseconds that a number takes to another core and back: one tells it, the other says it after. As long as
/// both happen to be on the same core none of it counts.
fn handover() -> f64 {
    const TURNS: u64 = 100_000;
    const EACH: u64 = 100;
    let (told, said) = (Apart::default(), Apart::default());
    let mut quickest = f64::INFINITY;
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for turn in 1..=TURNS {
                told.wait_for(turn);
                said.0.store(turn, Ordering::Release);
            }
        });
        let mut started = Instant::now();
        for turn in 1..=TURNS {
            told.0.store(turn, Ordering::Release);
            said.wait_for(turn);
            if turn.is_multiple_of(EACH) {
                let nanos = started.elapsed().as_nanos() as f64 / EACH as f64;
                quickest = quickest.min(nanos);
                started = Instant::now();
            }
        }
    });
    quickest
}

/// A number in cache lines of its own.
#[derive(Default)]
#[repr(align(128))]
struct Apart(AtomicU64);

impl Apart {
    fn wait_for(&self, number: u64) {
        let mut in_vain = 0;
        while self.0.load(Ordering::Acquire) != number {
            in_vain += 1;
            if in_vain % 10_000 == 0 {
                std::thread::yield_now();
            }
        }
    }
}

fn with_workers(oracle: &Oracle, entry: &Published, variant: Variant, workers: usize) -> f64 {
    let benchmark = oracle.full(entry, variant);
    let open = oracle.open(entry, workers);
    let pool = (workers > 1).then(|| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(workers);
        pool.build().unwrap()
    });
    let run = Run {
        workers: pool.as_ref(),
        ..Run::default()
    };
    until_verdict(&benchmark.run(open.model.as_ref(), &run).unwrap()).0
}

/// The wall time of four benchmarks, as many at a time as there are threads. They begin in this order, as
/// those of a spec do.
fn four(oracle: &Oracle, variant: Variant, threads: usize) -> f64 {
    let prepared = ["C-a", "C-g", "G-a", "D-a"].map(|name| {
        let entry = of_name(name);
        (oracle.full(entry, variant), oracle.open(entry, 1))
    });
    let waiting = Mutex::new(VecDeque::from(prepared));
    let started = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| work_off(&waiting));
        }
    });
    started.elapsed().as_secs_f64()
}

fn work_off(waiting: &Mutex<VecDeque<(Benchmark, OpenModel)>>) {
    loop {
        let next = waiting.lock().unwrap().pop_front();
        let Some((benchmark, open)) = next else {
            return;
        };
        benchmark.run(open.model.as_ref(), &Run::default()).unwrap();
    }
}

/// Twice the seeds, twice the steps.
pub(crate) fn scaling(oracle: &Oracle) -> Vec<Table> {
    let mut table = Table::new(
        format!("C-a when seeds and steps double, one job, quickest of {TIMES}"),
        &[
            "variant",
            "seeds x steps",
            "seconds",
            "seconds of 1000 x 1000 / these",
            "queries",
            "queries of 1000 x 1000 / these",
            "distinct counterexamples",
        ],
    );
    for (variant, name) in [(Variant::Paper, "paper"), (Variant::Walk, "walk")] {
        let budgets = [(1000, 1000), (500, 1000), (1000, 500)];
        let results = budgets.map(|budget| (budget, with_budget(oracle, variant, budget)));
        let full = &results[0].1;
        for ((seeds, steps), result) in &results {
            let queries = [full, result].map(|result| result.counts.queries as f64);
            table.row(vec![
                name.into(),
                format!("{seeds} x {steps}").as_str().into(),
                decimal(until_verdict(result).0, 3),
                decimal(until_verdict(full).0 / until_verdict(result).0, 2),
                whole(result.counts.queries),
                decimal(queries[0] / queries[1], 2),
                whole(result.counterexamples),
            ]);
        }
    }
    vec![table]
}

fn with_budget(oracle: &Oracle, variant: Variant, budget: (usize, usize)) -> BenchmarkResult {
    let entry = of_name("C-a");
    let mut benchmark = oracle.full(entry, variant);
    (benchmark.budget.global_seeds, benchmark.budget.local_steps) = budget;
    quickest(TIMES, || oracle.run(entry, &benchmark))
}

/// More and more attributes, everything else alike.
pub(crate) fn width() -> Vec<Table> {
    let mut table = Table::new(
        "Attributes, walk, 500 seeds x 200 steps, two protected values, a model of one layer",
        &[
            "attributes",
            "gradient queries, about",
            "for each movable attribute",
            "other queries",
            "for each tested person",
            "tested",
            "distinct counterexamples",
            "seconds",
            "local steps outside the model, ns a tested person",
            "ns for each movable attribute",
        ],
    );
    for width in [12, 24, 48, 96, 137] {
        let (start, whole_run) = (synthetic(width, 0), synthetic(width, 200));
        // Without local steps only the global phase's tests and all the gradients are left; each
        // test takes two queries, one for each protected value.
        let gradients = start.counts.queries.saturating_sub(2 * start.tested);
        let others = whole_run.counts.queries - gradients;
        let outside = |run: &BenchmarkResult| {
            let (wall, runtime) = until_verdict(run);
            wall - runtime
        };
        let local = (whole_run.tested - start.tested) as f64;
        let local_ns = (outside(&whole_run) - outside(&start)) * 1e9 / local;
        table.row(vec![
            whole(width),
            whole(gradients),
            decimal(gradients as f64 / (width - 1) as f64, 0),
            whole(others),
            decimal(others as f64 / whole_run.tested as f64, 2),
            whole(whole_run.tested),
            whole(whole_run.counterexamples),
            decimal(until_verdict(&whole_run).0, 3),
            decimal(local_ns, 0),
            decimal(local_ns / (width - 1) as f64, 1),
        ]);
    }
    vec![table]
}

fn synthetic(width: usize, steps: usize) -> BenchmarkResult {
    let mut generator = Generator::new();
    // The sum over all attributes spreads alike for every width, and so does what the protected
    // attribute, the first one, adds to it.
    let scale = 1.0 / ((width - 1) as f32).sqrt();
    let mut weights: Vec<f32> = (0..width).map(|_| scale * generator.weight()).collect();
    weights[0] = 1.0;
    let model = from_fn(|row| {
        let centred = row
            .iter()
            .zip(&weights)
            .skip(1)
            .map(|(value, weight)| (value - 4.5) * weight);
        let sum = centred.sum::<f32>() + weights[0] * (row[0] - 0.5);
        1.0 / (1.0 + (-sum).exp())
    });
    let attributes = (0..width).map(|index| {
        let max = if index == 0 { 1 } else { 9 };
        Attribute::new(format!("a{index}"), Domain::Integers { min: 0, max })
    });
    let schema = Schema::new(attributes.collect());
    let people = drawn_people(&schema, 500);
    let mut benchmark = Benchmark::new("width", schema, &["a0"], people).unwrap();
    benchmark.budget.global_seeds = 500;
    benchmark.budget.local_steps = steps;
    benchmark.budget.domain_sample = 1;
    quickest(TIMES, || benchmark.run(&model, &Run::default()).unwrap())
}
