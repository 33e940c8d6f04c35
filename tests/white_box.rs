//! The white-box methods on a model of one's own that tells its gradients: no ONNX file, and so in
//! every build.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking, in its helpers too"
)]

#[cfg(not(feature = "white-box"))]
mod common;

use std::sync::atomic::{AtomicU64, Ordering};

use fairgate::model::{Differential, Gradients, Objective, from_fn};
use fairgate::spec::Method;
use fairgate::{
    Attribute, Benchmark, BenchmarkResult, Code, Domain, Model, ModelError, Run, Schema, Verdict,
};
use ndarray::{Array2, ArrayView1, ArrayView2};

const METHODS: [Method; 2] = [Method::Adf, Method::Eidig];
const NAMES: [&str; 4] = ["income", "years", "region", "sex"];

/// Discriminates against sex = 1 only where income + years is exactly 6; knows its own slopes.
#[derive(Default)]
struct Planted {
    scored: AtomicU64,
    differentiated: AtomicU64,
}

fn probability(row: ArrayView1<'_, f32>) -> f64 {
    let sum = f64::from(row[0] + row[1]) - 0.6 * f64::from(row[3]) - 5.5;
    1.0 / (1.0 + (-2.0 * sum).exp())
}

impl Model for Planted {
    fn scores(&self, rows: ArrayView2<'_, f32>) -> Result<Vec<f32>, ModelError> {
        self.scored
            .fetch_add(rows.nrows() as u64, Ordering::Relaxed);
        Ok(rows
            .rows()
            .into_iter()
            .map(|row| probability(row) as f32)
            .collect())
    }

    fn gradients(&self) -> Option<&dyn Gradients> {
        Some(self)
    }
}

impl Gradients for Planted {
    fn differentiate(
        &self,
        rows: ArrayView2<'_, f32>,
        objective: Objective,
    ) -> Result<Differential, ModelError> {
        self.differentiated
            .fetch_add(rows.nrows() as u64, Ordering::Relaxed);
        let mut gradients = Array2::zeros(rows.dim());
        let mut values = Vec::new();
        for (row, mut gradient) in rows.rows().into_iter().zip(gradients.rows_mut()) {
            let score = probability(row);
            let slope = 2.0 * score * (1.0 - score);
            let own = if score > 0.5 { score } else { 1.0 - score };
            let (value, slope) = match objective {
                Objective::Score => (score, slope),
                _ if score > 0.5 => (-own.ln(), -slope / own),
                _ => (-own.ln(), slope / own),
            };
            values.push(value);
            gradient.assign(&ndarray::array![slope, slope, 0.0, -0.6 * slope]);
        }
        Ok(Differential { values, gradients })
    }
}

fn benchmark(method: Method, people: &[[Code; 4]], steps: usize) -> Benchmark {
    let sizes = [7, 7, 4, 2];
    let attributes = NAMES.iter().zip(sizes).map(|(name, size)| {
        Attribute::new(
            *name,
            Domain::Integers {
                min: 0,
                max: size - 1,
            },
        )
    });
    let schema = Schema::new(attributes.collect());
    let mut benchmark = Benchmark::new("planted", schema, &["sex"], people.concat()).unwrap();
    benchmark.search.method = method;
    benchmark.budget.local_steps = steps;
    benchmark
}

/// Far from the bias, on both sides.
const FAR: [[Code; 4]; 2] = [[0, 0, 1, 0], [6, 6, 0, 1]];

fn found(result: &BenchmarkResult) -> Vec<Vec<Code>> {
    result
        .findings
        .counterexamples()
        .map(|pair| pair.person)
        .collect()
}

#[test]
fn a_planted_bias_is_found_from_far_away() {
    for method in METHODS {
        let result = benchmark(method, &FAR, 50).run(&Planted::default(), &Run::default());
        let result = result.unwrap();
        assert_eq!(result.global.found, 2, "{method}");
        let people = found(&result);
        assert!(people.len() > 5, "{method}: {people:?}");
        assert!(
            people.iter().all(|person| person[0] + person[1] == 6),
            "{method}"
        );
        assert_eq!(result.verdict, Verdict::Fail);
        assert_eq!((result.method, result.variant), (method, None));
    }
}

#[test]
fn a_gradient_counts_as_two_queries() {
    for method in METHODS {
        let model = Planted::default();
        let result = benchmark(method, &FAR, 20)
            .run(&model, &Run::default())
            .unwrap();
        let [scored, differentiated] = [&model.scored, &model.differentiated].map(|count| {
            let count: &AtomicU64 = count;
            count.load(Ordering::Relaxed)
        });
        assert!(differentiated > 0, "{method}");
        assert_eq!(
            result.counts.queries + result.counts.afterwards,
            scored + 2 * differentiated,
            "{method}"
        );
    }
}

#[test]
fn the_budget_holds_for_gradients_too() {
    for method in METHODS {
        for most in [1, 60, 200, 300] {
            let mut benchmark = benchmark(method, &FAR, 1000);
            benchmark.budget.max_queries = Some(most);
            benchmark.limits.search = Some(1.0);
            let result = benchmark.run(&Planted::default(), &Run::default()).unwrap();
            assert!(
                result.counts.queries <= most,
                "{method}: {:?}",
                result.counts
            );
            assert_eq!(
                result.verdict,
                Verdict::Inconclusive,
                "{method}: {}",
                result.reason
            );
        }
    }
}

#[test]
fn results_do_not_depend_on_batches_or_workers() {
    let people: Vec<[Code; 4]> = (0..150).map(|n| [n % 7, n / 7 % 7, n % 4, n % 2]).collect();
    for method in METHODS {
        let run = |batch_rows: usize, workers: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(workers);
            let pool = pool.build().unwrap();
            let run = Run {
                batch_rows,
                workers: Some(&pool),
                ..Run::default()
            };
            let result = benchmark(method, &people, 20)
                .run(&Planted::default(), &run)
                .unwrap();
            (
                found(&result),
                result.counts.queries,
                fairgate::contents(&result),
            )
        };
        let first = run(4096, 1);
        assert!(first.0.len() > 20, "{method}");
        for (batch_rows, workers) in [(1, 1), (7, 2), (64, 3)] {
            assert_eq!(first, run(batch_rows, workers), "{method}");
        }
    }
}

#[test]
fn adf_has_no_momentum_and_takes_a_gradient_at_every_step() {
    let gradients = |method, change: fn(&mut Benchmark)| {
        let model = Planted::default();
        let mut benchmark = benchmark(method, &FAR, 50);
        change(&mut benchmark);
        benchmark.run(&model, &Run::default()).unwrap();
        model.differentiated.load(Ordering::Relaxed)
    };
    let rarely = |benchmark: &mut Benchmark| benchmark.search.update_interval = 50;
    let often = |benchmark: &mut Benchmark| benchmark.search.update_interval = 1;
    assert_eq!(
        gradients(Method::Adf, rarely),
        gradients(Method::Adf, often)
    );
    assert!(gradients(Method::Eidig, rarely) < gradients(Method::Eidig, often));
}

#[test]
fn a_model_without_gradients_is_told_so() {
    let model = from_fn(|row| probability(row) as f32);
    for method in METHODS {
        let error = benchmark(method, &FAR, 5)
            .run(&model, &Run::default())
            .unwrap_err();
        assert!(
            error.to_string().contains("needs the model's gradients"),
            "{error}"
        );
    }
}

/// Gives gradients that are of no use.
struct Broken(fn(ArrayView2<'_, f32>) -> Array2<f64>);

impl Model for Broken {
    fn scores(&self, rows: ArrayView2<'_, f32>) -> Result<Vec<f32>, ModelError> {
        Planted::default().scores(rows)
    }

    fn gradients(&self) -> Option<&dyn Gradients> {
        Some(self)
    }
}

impl Gradients for Broken {
    fn differentiate(
        &self,
        rows: ArrayView2<'_, f32>,
        _: Objective,
    ) -> Result<Differential, ModelError> {
        let (values, gradients) = (vec![0.0; rows.nrows()], (self.0)(rows));
        Ok(Differential { values, gradients })
    }
}

#[test]
fn gradients_that_are_no_numbers_or_too_few_are_refused() {
    let nan = Broken(|rows| Array2::from_elem(rows.dim(), f64::NAN));
    let few = Broken(|rows| Array2::zeros((rows.nrows(), 1)));
    for (model, said) in [
        (
            nan,
            "the model's gradient for the row [0, 0, 1, 0] is not a number",
        ),
        (
            few,
            "the model gave 4 x 1 slopes for 4 rows of 4 attributes",
        ),
    ] {
        let benchmark = benchmark(Method::Eidig, &FAR, 5);
        let error = benchmark
            .run(&model, &Run::default())
            .unwrap_err()
            .to_string();
        assert!(error.contains(said), "{error}");
    }
}

#[cfg(not(feature = "white-box"))]
#[test]
fn a_build_without_gradients_says_how_to_get_them() {
    for method in ["adf", "eidig"] {
        let search = format!("search = {{ method = \"{method}\", max-iter = 0 }}");
        let repo = common::Repo::new("planted").spec("search = { variant = \"paper\" }", &search);
        let ran = repo.run(&["check"]);
        assert_eq!(ran.code, 2, "{ran:#?}");
        let said = common::flat(&ran.stderr);
        for phrase in [
            &*format!("the method `{method}` needs the model's gradients"),
            "build fairgate with `--features white-box`",
            "`max-iter`",
        ] {
            assert!(said.contains(phrase), "no {phrase:?} in {said}");
        }
    }
}
