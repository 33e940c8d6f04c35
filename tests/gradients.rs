//! Real gradients: those of the fixtures' networks equal central differences in double precision;
//! models of real exporters are searched by their gradients, or it is told why they cannot be.
//!
//! Models that only ONNX Runtime runs show as ignored where it is not on this machine.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test"
)]

mod common;
#[path = "common/differences.rs"]
mod differences;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use common::{Repo, flat};
use fairgate::model::discovery::runtime_library;
use fairgate::model::{Connection, DeviceChoice, Objective, Opening, RuntimeChoice, open};
use fairgate::spec::Method;
use fairgate::{BenchmarkResult, Dataset, Filter, Options, Spec};
use libtest_mimic::{Arguments, Completion, Failed, Trial};

/// People of a dataset whose gradients are looked at.
const PEOPLE: usize = 200;

/// What becomes of a model of the zoo.
enum Fate {
    /// Searched as it is.
    Searched,
    /// Searched once those of its attributes are frozen that reach it in jumps.
    SearchedWithout,
    /// Refused, with this in the sentence.
    Refused(&'static str),
}

const TREES: Fate = Fate::Refused("which are steps without a gradient");

const ZOO: [(&str, Fate); 20] = [
    ("keras", Fate::SearchedWithout),
    (
        "keras-named-inputs",
        Fate::Refused("cannot differentiate the model's operators `Cast`, `Gather`, `Less`"),
    ),
    ("lightgbm", TREES),
    ("pytorch-batch-one", Fate::SearchedWithout),
    (
        "pytorch-bins",
        Fate::Refused("cannot differentiate the model's operator `Gather`"),
    ),
    ("pytorch-bool", Fate::SearchedWithout),
    ("pytorch-derived", Fate::SearchedWithout),
    ("pytorch-logit", Fate::SearchedWithout),
    ("pytorch-three-logits", Fate::SearchedWithout),
    ("sklearn-double", Fate::Searched),
    ("sklearn-forest", TREES),
    ("sklearn-hist-gradient-boosting", TREES),
    ("sklearn-labels-only", Fate::Refused("answers with labels")),
    ("sklearn-logistic", Fate::Searched),
    ("sklearn-mlp", Fate::Searched),
    (
        "sklearn-pipeline",
        Fate::Refused("cannot differentiate the model's operator `OneHotEncoder`"),
    ),
    ("sklearn-pipeline-forest", TREES),
    ("sklearn-regression", TREES),
    ("sklearn-three-classes", TREES),
    ("xgboost", TREES),
];

fn main() -> ExitCode {
    let mut trials = Vec::new();
    for name in ["census-sex", "bank-age", "credit-sex", "heart-sex"] {
        trials.push(Trial::test(
            format!("{name}_equals_differences"),
            move || equals_differences(name),
        ));
    }
    for (name, fate) in ZOO {
        trials.push(Trial::ignorable_test(
            format!("{name}_of_the_zoo"),
            move || with_library(|| in_zoo(name, &fate)),
        ));
    }
    trials.push(Trial::test("the_whole_zoo_is_here", || {
        let names: Vec<&str> = ZOO.iter().map(|(name, _)| *name).collect();
        let spec = Spec::load(zoo().join("fairness.toml")).unwrap();
        let plans = fairgate::plan(&spec, &Filter::default()).unwrap();
        assert_eq!(
            names,
            plans.iter().map(|plan| plan.name()).collect::<Vec<_>>()
        );
        Ok(())
    }));
    trials.push(Trial::test("a_command_finds_by_gradients", || {
        a_command_finds_by_gradients();
        Ok(())
    }));
    trials.push(Trial::test("a_command_says_what_has_no_gradient", || {
        a_command_says_what_has_no_gradient();
        Ok(())
    }));
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

fn project() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn zoo() -> PathBuf {
    project().join("fixtures/zoo")
}

fn with_library(run: impl FnOnce() -> Result<(), Failed>) -> Result<Completion, Failed> {
    match runtime_library() {
        Ok(_) => run().map(|()| Completion::Completed),
        Err(error) if error.is_absence() => {
            let sentence = error.to_string();
            let (reason, _) = sentence.split_once(';').unwrap_or((&sentence, ""));
            Ok(Completion::ignored_with(reason))
        }
        Err(error) => Err(error.into()),
    }
}

fn equals_differences(name: &str) -> Result<(), Failed> {
    let spec = Spec::load(project().join("fairness.toml"))?;
    let plans = fairgate::plan(&spec, &Filter::default())?;
    let plan = plans.iter().find(|plan| plan.name() == name).unwrap();
    let dataset = Dataset::load(&plan.dataset)?;
    let rows = rows(&dataset);
    let mut connection = Connection::plain(&dataset.schema, rows.clone());
    connection.gradients = true;
    let model = open(&Opening {
        path: &plan.model.path.value,
        runtime: RuntimeChoice::Embedded,
        device: DeviceChoice::Cpu,
        workers: 1,
        connection: &connection,
    })?
    .model;
    let gradients = model.gradients().unwrap();
    assert!(gradients.jumps().is_empty() && gradients.has_loss());
    for objective in [Objective::Score, Objective::Loss] {
        let all = differences::compare(gradients, &rows, dataset.schema.width(), objective)?;
        assert!(all.compared * 10 > all.slopes * 9, "{objective:?}: {all:?}");
        assert!(all.steep * 4 > all.slopes, "{objective:?}: {all:?}");
    }
    Ok(())
}

/// People spread over the dataset, as search rows.
fn rows(dataset: &Dataset) -> Vec<f32> {
    let width = dataset.schema.width();
    let stride = (dataset.len() / PEOPLE).max(1);
    let mut rows = Vec::new();
    for person in dataset.people.chunks_exact(width).step_by(stride) {
        let mut row = vec![0.0; width];
        dataset.schema.encode(person, &mut row);
        rows.extend(row);
    }
    rows
}

/// The zoo's benchmark with more defaults than it has.
fn checked(name: &str, defaults: &str) -> Result<BenchmarkResult, Failed> {
    let path = zoo().join("fairness.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    let spec = Spec::parse(
        &text.replacen("[defaults]", &format!("[defaults]\n{defaults}"), 1),
        &path,
    )?;
    let filter = Filter {
        name: Some(name.to_owned()),
        exact: true,
    };
    let plan = &fairgate::plan(&spec, &filter)?[0];
    let dataset = Dataset::load(&plan.dataset)?;
    let mut options = Options::new(std::env::temp_dir())?;
    options.runtime = Some(RuntimeChoice::Onnxruntime);
    let checked = fairgate::check(plan, &dataset, &options, &|_| {}, &|| false);
    Ok(checked.map_err(|error| error.to_string())?.result)
}

fn in_zoo(name: &str, fate: &Fate) -> Result<(), Failed> {
    let eidig = "search = { method = 'eidig' }";
    let frozen = "frozen = ['workclass', 'marital-status', 'occupation', 'relationship', 'race', \
                  'capital-gain', 'capital-loss', 'age', 'native-country']";
    let result = match fate {
        Fate::Searched => checked(name, eidig)?,
        Fate::SearchedWithout => {
            refused(
                checked(name, eidig),
                "and have no gradient, which the method `eidig` needs",
            )?;
            checked(name, &format!("{eidig}\n{frozen}"))?
        }
        Fate::Refused(said) => return refused(checked(name, eidig), said),
    };
    if result.method != Method::Eidig || result.tested < 100 {
        return Err(format!("{} tested {} people", result.method, result.tested).into());
    }
    Ok(())
}

fn refused(outcome: Result<BenchmarkResult, Failed>, said: &str) -> Result<(), Failed> {
    match outcome {
        Ok(result) => Err(format!("{} was searched", result.name).into()),
        Err(error)
            if error
                .message()
                .is_some_and(|sentence| sentence.contains(said)) =>
        {
            Ok(())
        }
        Err(error) => Err(error),
    }
}

fn tiny(model: &str, search: &str) -> Repo {
    Repo::new(model).spec("search = { variant = \"paper\" }", search)
}

fn a_command_finds_by_gradients() {
    for method in ["adf", "eidig"] {
        let repo = tiny("planted", &format!("search = {{ method = \"{method}\" }}"));
        let line = repo.json(&[]);
        assert_eq!(line["method"], method);
        assert!(line["variant"].is_null(), "{line}");
        assert!(line["counterexamples"].as_u64().unwrap() > 0, "{line}");
        let again = repo.json(&["--jobs", "2", "--batch-rows", "3"]);
        assert_eq!(line["pairs"], again["pairs"]);
        assert_eq!(line["queries"], again["queries"]);
    }
}

fn a_command_says_what_has_no_gradient() {
    let says = |repo: &Repo, code: i32, phrases: &[&str]| {
        let ran = repo.run(&["check"]);
        assert_eq!(ran.code, code, "{ran:#?}");
        let said = flat(&ran.stderr);
        for phrase in phrases {
            assert!(said.contains(phrase), "no {phrase:?} in {said}");
        }
    };
    let eidig = "search = { method = \"eidig\" }";
    let one_hot = tiny("planted", eidig).spec(
        "b = { min = 0, max = 4 }",
        "b = { min = 0, max = 4, codes = [0, 1, 2, 3, 4] }",
    );
    says(
        &one_hot,
        2,
        &[
            "`b` reaches the model in jumps",
            "has no gradient, which the method `eidig` needs",
            "frozen = [\"b\"]",
        ],
    );
    let number = tiny("planted", "search = { method = \"adf\" }").spec(
        "runtime = \"embedded\"",
        "runtime = \"embedded\"\ntolerance = 0.1",
    );
    says(
        &number,
        2,
        &["the method `adf` follows the loss", "search with `eidig`"],
    );
    says(&tiny("cube", eidig), 3, &["model.onnx"]);
    says(
        &tiny("labels-only", eidig),
        3,
        &["the model answers with labels, which have no gradient"],
    );
    let unread = tiny(
        "planted",
        "search = { method = \"adf\", decay = 0.5, max-iter = 3 }",
    );
    says(
        &unread,
        2,
        &[
            "means nothing to the method `adf`",
            "`maft`, `maft-plain` or `eidig`",
        ],
    );
}
