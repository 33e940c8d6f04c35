//! A model of your own: any type with one small trait, tested without an ONNX file.
//!
//! `cargo run --release --example own_model`
//!
//! The model here is a hand-written credit score with a mistake in it: women who have been at their
//! job for less than three years lose points. The mistake touches few people, so a look at averages
//! hardly shows it. The search finds them.

#![allow(clippy::print_stdout, reason = "an example")]

use fairgate::decision::Rule;
use fairgate::ndarray::{ArrayView1, ArrayView2};
use fairgate::{Attribute, Benchmark, Code, Domain, Model, ModelError, Run, Schema};

/// The scorecard: points from what a person earns, owes and has shown so far.
struct Scorecard {
    /// Points that are taken from women who are new in their job.
    new_in_the_job: f32,
}

impl Scorecard {
    /// The attributes come in the order of the schema, as the numbers that [`Domain`] gives them.
    fn points(&self, person: ArrayView1<'_, f32>) -> f32 {
        let [income, debts, years, defaults, sex] = [0, 1, 2, 3, 4].map(|index| person[index]);
        let points = 500.5 + 2.0 * income - 3.0 * debts + 4.0 * years - 60.0 * defaults;
        let female = sex == 0.0;
        if female && years < 3.0 {
            points - self.new_in_the_job
        } else {
            points
        }
    }
}

impl Model for Scorecard {
    fn scores(&self, rows: ArrayView2<'_, f32>) -> Result<Vec<f32>, ModelError> {
        Ok(rows
            .rows()
            .into_iter()
            .map(|row| self.points(row))
            .collect())
    }
}

fn schema() -> Schema {
    let range = |max| Domain::Integers { min: 0, max };
    let words =
        |words: &[&str]| Domain::Categories(words.iter().map(ToString::to_string).collect());
    Schema::new(vec![
        Attribute::new("income", range(150)),
        Attribute::new("debts", range(80)),
        Attribute::new("years-in-job", range(40)),
        Attribute::new("defaults", range(3)),
        Attribute::new("sex", words(&["Female", "Male"])),
    ])
}

/// People to start from: codes, one row after another. Code 0 is the first value of the domain.
fn people() -> Vec<Code> {
    (0..200)
        .flat_map(|i| [i * 7 % 151, i * 5 % 81, i * 3 % 41, i % 4, i % 2])
        .collect()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut benchmark = Benchmark::new("scorecard-sex", schema(), &["sex"], people())?;
    benchmark.decisions = vec!["refused".into(), "granted".into()];
    benchmark.rule = Rule::Threshold(600.0); // The scores are points. For probabilities it is 0.5.
    benchmark.probabilities = false;
    benchmark.budget.global_seeds = 200;
    benchmark.budget.local_steps = 200;

    let model = Scorecard {
        new_in_the_job: 25.0,
    };
    let result = benchmark.run(&model, &Run::default())?;

    println!("{}: {}: {}", result.name, result.verdict, result.reason);
    let space = result.findings.space();
    for pair in result.findings.most_telling(3) {
        let [own, other] = pair.scores;
        println!("\n{}", fairgate::flips(&pair, space, &result.decisions));
        println!("  {own} and {other} points");
        for (attribute, value) in space.schema().words(&pair.person) {
            println!("  {attribute} {value}");
        }
    }
    Ok(())
}
