//! `fairgate init`: the spec that it writes runs at once, or it says why not.
//!
//! Every model of the zoo is tried. Without ONNX Runtime on this machine those trials show as
//! ignored, with the reason; the others run in the embedded engine.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test"
)]

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use common::{Ran, Repo, SPEC, flat, project, with_library};
use fairgate::model::RuntimeChoice;
use fairgate::model::discovery::runtime_library;
use fairgate::{Dataset, Filter, Options, Spec};
use libtest_mimic::{Arguments, Failed, Trial};

type Outcome = Result<(), Failed>;
type Named = (&'static str, fn() -> Outcome);

/// A model of the zoo, what else is said, and what comes of it.
struct Expected {
    model: &'static str,
    arguments: &'static [&'static str],
    /// 0: it runs. 3: the columns do not fit. 4: it runs, but the decisions are not to be trusted.
    code: i32,
    /// People of whom at least so many are decided as the exporting library decides them.
    agreement: f64,
    /// What is said on standard output or standard error.
    says: &'static str,
}

const fn seen(model: &'static str, says: &'static str) -> Expected {
    Expected {
        model,
        arguments: &[],
        code: 0,
        agreement: 1.0,
        says,
    }
}

const CODES: &str = "go in as codes 0, 1 ... in sorted order";
const SCALED: &str = "numbers are scaled before the model";
const HOURS: &[&str] = &["--label", "hours-per-week"];

const ZOO: [Expected; 22] = [
    seen("lightgbm", CODES),
    seen("sklearn-double", CODES),
    seen("sklearn-forest", CODES),
    seen("sklearn-hist-gradient-boosting", CODES),
    seen("sklearn-labels-only", CODES),
    seen("sklearn-logistic", CODES),
    seen("sklearn-mlp", CODES),
    seen("sklearn-pipeline", "which no input takes"),
    seen("sklearn-pipeline-forest", "which no input takes"),
    seen("sklearn-regression", "the label is `hours-per-week`"),
    seen("xgboost", CODES),
    // The scales are those of the 1,000 people, not of all whom it was trained with.
    Expected {
        agreement: 0.98,
        ..seen("pytorch-logit", SCALED)
    },
    Expected {
        agreement: 0.98,
        ..seen("pytorch-batch-one", SCALED)
    },
    Expected {
        agreement: 0.98,
        ..seen("pytorch-bool", "what goes into `is_male` and `has_gain`")
    },
    // What it predicts is in no column; the hours are what it was made of.
    Expected {
        arguments: HOURS,
        ..seen(
            "sklearn-three-classes",
            "does not read `education` and `income`",
        )
    },
    Expected {
        arguments: HOURS,
        agreement: 0.95,
        ..seen("pytorch-three-logits", SCALED)
    },
    Expected {
        code: 3,
        ..seen(
            "sklearn-three-classes",
            "wants 11 columns, but the CSV has 13 besides `income`",
        )
    },
    Expected {
        code: 4,
        agreement: 0.0,
        ..seen(
            "pytorch-three-logits",
            "3 decisions, but the label `income` has 2 values",
        )
    },
    // Values in the order of their frequency.
    Expected {
        code: 4,
        agreement: 0.0,
        ..seen("keras", "gets something else than it was trained with")
    },
    Expected {
        code: 4,
        agreement: 0.0,
        ..seen(
            "keras-named-inputs",
            "gets something else than it was trained with",
        )
    },
    // Columns that are computed, but as many as there would be without.
    Expected {
        code: 4,
        agreement: 0.0,
        ..seen(
            "pytorch-derived",
            "gets something else than it was trained with",
        )
    },
    Expected {
        code: 3,
        ..seen(
            "pytorch-bins",
            "wants 9 columns, but the CSV has 13 besides `income`",
        )
    },
];

fn main() -> ExitCode {
    let mut trials: Vec<Trial> = ZOO.iter().map(zoo_trial).collect();
    let plain: [Named; 20] = [
        ("every_model_of_the_zoo_is_tried", all_tried),
        ("the_networks_of_the_fixtures_run", networks),
        ("other_orders_of_values_are_told", other_orders),
        ("a_spec_is_not_overwritten", not_overwritten),
        ("the_spec_can_be_printed", printed),
        ("paths_are_relative_to_the_spec", relative_paths),
        ("what_is_said_is_not_guessed", said),
        ("names_that_are_not_there_are_told", no_such_names),
        ("files_that_cannot_be_used_are_told", unusable_files),
        ("nothing_in_common_is_told", nothing_shared),
        ("a_matrix_takes_what_other_inputs_leave", two_inputs),
        ("nothing_protected_is_told", nothing_protected),
        ("columns_that_no_model_reads_are_left_out", left_out),
        ("the_missing_spec_tells_of_init", missing_spec),
        ("a_file_as_it_comes_is_read", as_it_comes),
        ("names_that_differ_by_a_dash_are_told_apart", alike_names),
        ("words_are_left_out_if_only_numbers_fit", numbers_alone),
        ("what_is_no_table_is_refused", no_table),
        ("several_decisions_at_once_are_refused", two_decisions),
        ("weights_may_be_in_another_file", weights_elsewhere),
    ];
    trials.extend(plain.map(|(name, run)| Trial::test(name, run)));
    let with_library: [Named; 3] = [
        ("exactly_the_threshold_is_a_decision", exactly_half),
        ("a_label_decides_where_scores_say_otherwise", label_decides),
        ("words_keep_spaces_that_the_model_knows", spaces),
    ];
    trials.extend(with_library.map(|(name, run)| library_trial(name, run)));
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// A trial that shows as ignored without ONNX Runtime.
fn library_trial(name: impl Into<String>, run: impl FnOnce() -> Outcome + Send + 'static) -> Trial {
    Trial::ignorable_test(name, move || with_library(run))
}

fn zoo_trial(expected: &'static Expected) -> Trial {
    let said = if expected.arguments.is_empty() {
        ""
    } else {
        "_with_a_label"
    };
    let name = format!("zoo_{}{said}", expected.model);
    library_trial(name, move || zoo(expected))
}

fn expect(holds: bool, what: impl std::fmt::Display) -> Outcome {
    if holds { Ok(()) } else { Err(what.into()) }
}

/// An empty folder with copies of these files.
fn folder(files: &[PathBuf]) -> Repo {
    let repo = Repo::with_spec("");
    fs::remove_file(repo.path("fairness.toml")).unwrap();
    for file in files {
        fs::copy(
            file,
            repo.path(&file.file_name().unwrap().to_string_lossy()),
        )
        .unwrap();
    }
    repo
}

/// `fairgate` where ONNX Runtime is.
fn run_with_library(repo: &Repo, arguments: &[&str]) -> Result<Ran, Failed> {
    let library = runtime_library()?.path().display().to_string();
    Ok(repo.run_with(&[("ORT_DYLIB_PATH", &library)], arguments))
}

fn expect_code(ran: &Ran, code: i32) -> Outcome {
    expect(
        ran.code == code,
        format!("exit {}, not {code}: {ran:#?}", ran.code),
    )
}

fn expect_said(ran: &Ran, phrases: &[&str]) -> Outcome {
    let said = flat(&format!("{} {}", ran.stdout, ran.stderr));
    for phrase in phrases {
        expect(said.contains(phrase), format!("no {phrase:?} in {said}"))?;
    }
    expect(!said.contains("panicked"), &said)
}

/// A search that is short enough for a test.
fn shorten(repo: &Repo) {
    let budget = "# budget = { global-seeds = 100, local-steps = 100 }";
    repo.edit(
        "fairness.toml",
        budget,
        "budget = { global-seeds = 20, local-steps = 20, domain-sample = 100 }\n#",
    );
}

fn zoo(expected: &Expected) -> Outcome {
    let of_zoo = project().join("fixtures/zoo");
    let model = format!("{}.onnx", expected.model);
    let repo = folder(&[of_zoo.join(&model), of_zoo.join("people.csv")]);
    let arguments = [&["init", &model, "people.csv"], expected.arguments].concat();
    let ran = run_with_library(&repo, &arguments)?;
    expect_code(&ran, expected.code)?;
    expect_said(&ran, &[expected.says, "wrote fairness.toml", "next: "])?;
    shorten(&repo);
    let checked = run_with_library(&repo, &["check"])?;
    if expected.code == 3 {
        return expect_code(&checked, 3);
    }
    expect(
        checked.code == 0 || checked.code == 1,
        format!("{checked:#?}"),
    )?;
    let agreement = agreement(&repo, expected.model)?;
    expect(
        agreement >= expected.agreement,
        format!("{agreement} are decided as by the library"),
    )
}

/// Everybody in the zoo's spec is in the list above.
fn all_tried() -> Outcome {
    let spec = Spec::load(project().join("fixtures/zoo/fairness.toml"))?;
    let lost = spec
        .models
        .keys()
        .find(|name| ZOO.iter().all(|expected| expected.model != *name));
    expect(lost.is_none(), format!("{lost:?} is not tried"))
}

/// The share of people who are decided as the exporting library decides them.
fn agreement(repo: &Repo, model: &str) -> Result<f64, Failed> {
    let spec = Spec::load(repo.path("fairness.toml"))?;
    let plans = fairgate::plan(&spec, &Filter::default())?;
    let plan = plans.first().ok_or("nothing to run")?;
    let mut options = Options::new(std::env::temp_dir())?;
    options.runtime = Some(RuntimeChoice::Onnxruntime);
    let dataset = Dataset::load(&plan.dataset)?;
    let ours = fairgate::decide(plan, &dataset, &options)?;
    let theirs = predictions(model);
    assert_eq!(ours.len(), theirs.len());
    let same = ours
        .iter()
        .zip(&theirs)
        .filter(|(a, b)| alike(a, b))
        .count();
    Ok(same as f64 / ours.len() as f64)
}

/// Decisions by name, by their number, or as predicted numbers.
fn alike(ours: &str, theirs: &str) -> bool {
    const BANDS: [(&str, &str); 3] = [("0", "part-time"), ("1", "full-time"), ("2", "overtime")];
    match (ours.parse::<f64>(), theirs.parse::<f64>()) {
        (Ok(ours), Ok(theirs)) => (ours - theirs).abs() < 1e-3,
        _ => ours == theirs || BANDS.contains(&(ours, theirs)),
    }
}

/// What the exporting library predicted for the 1,000 people.
fn predictions(model: &str) -> Vec<String> {
    let path = project().join("fixtures/zoo/predictions.csv");
    let mut reader = csv::Reader::from_path(path).unwrap();
    let header = reader.headers().unwrap().clone();
    let column = header.iter().position(|name| name == model).unwrap();
    let records = reader.records();
    records
        .map(|record| record.unwrap()[column].to_owned())
        .collect()
}

fn fixture(name: &str) -> PathBuf {
    project().join("fixtures").join(name)
}

/// In the embedded engine, from `init` to `check`.
fn networks() -> Outcome {
    let repo = folder(&[fixture("heart.onnx"), fixture("heart.csv")]);
    let ran = repo.run(&["init", "heart.onnx", "heart.csv"]);
    expect_code(&ran, 0)?;
    expect_said(
        &ran,
        &[
            "benchmarks `heart-age` and `heart-sex`",
            "the label is `diagnosis`",
            "next: fairgate check",
        ],
    )?;
    let text = repo.read("fairness.toml");
    for line in [
        "decisions = [\"none-or-mild\", \"severe\"]",
        "max-discrimination-rate = { dataset = 0.05 }",
        "path = \"heart.onnx\"",
        "[benchmark.heart-sex]",
        "# read from the data:",
    ] {
        expect(text.contains(line), format!("no {line:?} in {text}"))?;
    }
    shorten(&repo);
    let checked = repo.run(&["check"]);
    expect(checked.code <= 1, format!("{checked:#?}"))
}

/// The census network has its own order of values, which only its spec tells: the file runs, and
/// `init` says that it is not to be trusted.
fn other_orders() -> Outcome {
    let repo = folder(&[fixture("census.onnx"), fixture("census.csv")]);
    let ran = repo.run(&["init", "census.onnx", "census.csv"]);
    expect_code(&ran, 4)?;
    expect_said(
        &ran,
        &["gets something else than it was trained with", "TO MEND"],
    )?;
    shorten(&repo);
    let checked = repo.run(&["check"]);
    expect(checked.code <= 1, format!("{checked:#?}"))
}

/// A small model with its CSV: columns a, b, sex and label.
fn tiny() -> Repo {
    let repo = folder(&[common::fixture("planted.onnx"), common::fixture("tiny.csv")]);
    fs::rename(repo.path("planted.onnx"), repo.path("model.onnx")).unwrap();
    repo
}

fn not_overwritten() -> Outcome {
    let repo = tiny();
    repo.write("fairness.toml", "mine");
    let ran = repo.run(&["init", "model.onnx", "tiny.csv"]);
    expect_code(&ran, 2)?;
    expect_said(&ran, &["fairness.toml is already there", "--force"])?;
    expect(repo.read("fairness.toml") == "mine", "it was overwritten")?;
    let ran = repo.run(&["init", "model.onnx", "tiny.csv", "--force"]);
    expect_code(&ran, 0)?;
    expect(
        repo.read("fairness.toml").contains("[benchmark.model-sex]"),
        "not written",
    )
}

fn printed() -> Outcome {
    let repo = tiny();
    let before = repo.files();
    let ran = repo.run(&["init", "model.onnx", "tiny.csv", "--output", "-"]);
    expect_code(&ran, 0)?;
    expect(repo.files() == before, "something was written")?;
    let spec = Spec::parse(&ran.stdout, Path::new("fairness.toml"))?;
    expect(spec.benchmarks.len() == 1, format!("{ran:#?}"))?;
    expect_said(&ran, &["save it as fairness.toml"])
}

fn relative_paths() -> Outcome {
    let repo = tiny();
    fs::create_dir_all(repo.path("gate/specs")).unwrap();
    let output = "gate/specs/tiny.toml";
    let ran = repo.run(&["init", "model.onnx", "tiny.csv", "--output", output]);
    expect_code(&ran, 0)?;
    expect_said(&ran, &["fairgate check --spec gate/specs/tiny.toml"])?;
    let text = repo.read(output);
    expect(text.contains("path = \"../../model.onnx\""), &text)?;
    expect(text.contains("path = \"../../tiny.csv\""), &text)?;
    let listed = repo.run(&["list", "--spec", output]);
    expect_code(&listed, 0)
}

fn said() -> Outcome {
    let repo = tiny();
    let ran = repo.run(&[
        "init",
        "model.onnx",
        "tiny.csv",
        "--label",
        "label",
        "--protected",
        "a,sex",
    ]);
    expect_code(&ran, 0)?;
    let text = repo.read("fairness.toml");
    expect(text.contains("# `label` was said to be the label"), &text)?;
    expect(
        text.contains("# said to be protected: `a` and `sex`"),
        &text,
    )?;
    expect(text.contains("[benchmark.model-a]"), &text)
}

fn no_such_names() -> Outcome {
    let repo = tiny();
    let before = repo.files();
    let ran = repo.run(&["init", "model.onnx", "tiny.csv", "--label", "lable"]);
    expect_code(&ran, 2)?;
    expect_said(&ran, &["--label names `lable`", "did you mean `label`?"])?;
    let ran = repo.run(&["init", "model.onnx", "tiny.csv", "--protected", "label"]);
    expect_code(&ran, 2)?;
    expect_said(
        &ran,
        &[
            "`label`, which the model is not given",
            "`a`, `b` and `sex`",
        ],
    )?;
    expect(repo.files() == before, "something was written")
}

fn unusable_files() -> Outcome {
    let repo = tiny();
    repo.write("empty.csv", "");
    repo.write("header.csv", "a,b,sex,label\n");
    repo.write("text.onnx", "no model");
    let tries: [(&str, &str, &[&str]); 5] = [
        (
            "none.onnx",
            "tiny.csv",
            &[
                "cannot read the model none.onnx",
                "fairgate init model.onnx people.csv",
            ],
        ),
        ("model.onnx", "none.csv", &["cannot read the CSV none.csv"]),
        ("model.onnx", "empty.csv", &["empty.csv", "empty"]),
        ("model.onnx", "header.csv", &["header.csv", "nobody"]),
        ("text.onnx", "tiny.csv", &["text.onnx"]),
    ];
    let before = repo.files();
    for (model, csv, phrases) in tries {
        let ran = repo.run(&["init", model, csv]);
        expect_code(&ran, 3)?;
        expect_said(&ran, phrases)?;
    }
    expect(repo.files() == before, "something was written")
}

fn nothing_shared() -> Outcome {
    let repo = folder(&[common::fixture("two-inputs.onnx")]);
    repo.write("other.csv", "height,hair\n180,red\n160,black\n");
    let before = repo.files();
    let ran = repo.run(&["init", "two-inputs.onnx", "other.csv"]);
    expect_code(&ran, 3)?;
    let said = "the model's inputs are `a` and `b`; other.csv has the columns `height` and `hair`";
    expect_said(&ran, &["nothing in common", said])?;
    expect(repo.files() == before, "something was written")
}

fn two_inputs() -> Outcome {
    let tiny = common::fixture("tiny.csv");
    let repo = folder(&[common::fixture("two-inputs.onnx"), tiny]);
    let ran = repo.run(&["init", "two-inputs.onnx", "tiny.csv"]);
    expect_code(&ran, 0)?;
    let text = repo.read("fairness.toml");
    expect(text.contains("b = [\"b\", \"sex\"]"), &text)?;
    shorten(&repo);
    let checked = repo.run(&["check"]);
    expect(checked.code <= 1, format!("{checked:#?}"))
}

fn nothing_protected() -> Outcome {
    let repo = tiny();
    let csv = repo.read("tiny.csv").replacen("sex", "c", 1);
    repo.write("tiny.csv", csv);
    let ran = repo.run(&["init", "model.onnx", "tiny.csv"]);
    expect_code(&ran, 0)?;
    expect_said(
        &ran,
        &[
            "no column has the name of a protected attribute",
            "PUT THE RIGHT ONE",
        ],
    )?;
    expect(
        repo.read("fairness.toml").contains("protected = [\"c\"]"),
        "not the fewest values",
    )
}

/// An id in front and a weight behind: only without them there are three columns.
fn left_out() -> Outcome {
    let repo = tiny();
    let mut lines = Vec::new();
    for (number, line) in repo.read("tiny.csv").lines().enumerate() {
        lines.push(match number {
            0 => format!("id,{line},fnlwgt"),
            _ => format!("{number},{line},{}", 7 * number),
        });
    }
    repo.write("tiny.csv", lines.join("\n"));
    let ran = repo.run(&["init", "model.onnx", "tiny.csv"]);
    expect_code(&ran, 0)?;
    let text = repo.read("fairness.toml");
    expect(text.contains("ignore = [\"id\", \"fnlwgt\"]"), &text)?;
    expect(text.contains("label = \"label\""), &text)?;
    shorten(&repo);
    let checked = repo.run(&["check"]);
    expect(checked.code <= 1, format!("{checked:#?}"))
}

fn missing_spec() -> Outcome {
    let repo = tiny();
    let ran = repo.run(&["check"]);
    expect_code(&ran, 2)?;
    expect_said(&ran, &["there is no spec", "fairgate init MODEL CSV"])
}

/// A folder with a model of the fixtures and the 20 people of `tiny.csv`, changed.
fn tiny_with(model: &str, change: impl Fn(&str) -> String) -> Repo {
    let repo = folder(&[fixture(&format!("models/{model}.onnx"))]);
    let people = fs::read_to_string(fixture("models/tiny.csv")).unwrap();
    let people: Vec<String> = people.lines().map(change).collect();
    fs::write(repo.path("tiny.csv"), people.join("\n")).unwrap();
    repo
}

/// Pandas writes an index without a name, exports have columns that nobody filled, and Windows has
/// its own letters.
fn as_it_comes() -> Outcome {
    let repo = tiny_with("planted", |line| match line.strip_prefix("a,") {
        Some(names) => format!(",a,{names},remarks"),
        None => format!("7,{line},NaN"),
    });
    let people = repo.read("tiny.csv").replace("Female", "Königin");
    let latin1: Vec<u8> = people.chars().map(|letter| letter as u8).collect();
    fs::write(repo.path("tiny.csv"), latin1).unwrap();
    let ran = repo.run(&["init", "planted.onnx", "tiny.csv"]);
    expect_code(&ran, 0)?;
    expect_said(&ran, &["it is read as Latin-1"])?;
    let text = repo.read("fairness.toml");
    for line in [
        "encoding = \"latin1\"",
        "ignore = [\"Unnamed: 0\", \"remarks\"]",
        "sex = { values = [\"Königin\", \"Male\"] }",
    ] {
        expect(text.contains(line), format!("no {line:?} in {text}"))?;
    }
    let checked = repo.run(&["check"]);
    expect_said(&checked, &["1 of the dataset's 20 people"])
}

/// Exporters call the second of two such names `a_b1`.
fn alike_names() -> Outcome {
    let repo = folder(&[fixture("models/two-inputs.onnx")]);
    let people = fs::read_to_string(fixture("models/tiny.csv")).unwrap();
    let people = people.replacen("a,b,sex,label", "A,a,sex,label", 1);
    fs::write(repo.path("tiny.csv"), people).unwrap();
    let ran = repo.run(&["init", "two-inputs.onnx", "tiny.csv"]);
    expect_code(&ran, 0)?;
    let text = repo.read("fairness.toml");
    for line in ["a = [\"A\"]", "b = [\"a\", \"sex\"]"] {
        expect(text.contains(line), format!("no {line:?} in {text}"))?;
    }
    Ok(())
}

/// A model that was trained with the numbers of a table, whose label is not its last column.
fn numbers_alone() -> Outcome {
    let repo = tiny_with("planted", |line| {
        let [a, b, sex, label] = line.split(',').collect::<Vec<_>>()[..] else {
            panic!("{line}");
        };
        let sex = sex.replace("Female", "0").replace("Male", "1");
        format!("{a},job{},{b},{label},{sex}", if a == "a" { "" } else { a })
    });
    let ran = repo.run(&["init", "planted.onnx", "tiny.csv"]);
    expect_code(&ran, 0)?;
    expect_said(&ran, &["the model does not read `job`"])?;
    let text = repo.read("fairness.toml");
    for line in ["label = \"label\"", "columns = [\"a\", \"b\", \"sex\"]"] {
        expect(text.contains(line), format!("no {line:?} in {text}"))?;
    }
    Ok(())
}

fn no_table() -> Outcome {
    let repo = tiny_with("cube", str::to_owned);
    let ran = repo.run(&["init", "cube.onnx", "tiny.csv"]);
    expect_code(&ran, 3)?;
    expect_said(&ran, &["no table of people (input: float [N, 1, 3])"])?;
    expect(!repo.path("fairness.toml").exists(), "a spec was written")
}

fn two_decisions() -> Outcome {
    let repo = tiny_with("two-labels", str::to_owned);
    let ran = repo.run(&["init", "two-labels.onnx", "tiny.csv"]);
    expect_code(&ran, 3)?;
    expect_said(&ran, &["decides 2 things at once", "fairgate tests one"])
}

/// Women have 0.5, men more, so everybody is decided by sex.
fn exactly_half() -> Outcome {
    let repo = tiny_with("half", str::to_owned);
    let spec = SPEC.replace("model.onnx", "half.onnx");
    let spec = spec.replace("runtime = \"embedded\"", "");
    fs::write(repo.path("fairness.toml"), spec).unwrap();
    let checked = run_with_library(&repo, &["check"])?;
    expect_said(&checked, &["20 of the dataset's 20 people"])
}

fn weights_elsewhere() -> Outcome {
    let repo = tiny_with("elsewhere", str::to_owned);
    let ran = repo.run(&["init", "elsewhere.onnx", "tiny.csv"]);
    expect_code(&ran, 3)?;
    expect_said(&ran, &["put it beside the model"])?;
    // Not in the folder where `fairgate` is run.
    fs::create_dir(repo.path("models")).unwrap();
    for file in ["elsewhere.onnx", "elsewhere.onnx.data"] {
        let copy = repo.path("models").join(file);
        fs::copy(fixture("models").join(file), copy).unwrap();
    }
    let ran = repo.run(&["init", "models/elsewhere.onnx", "tiny.csv"]);
    expect_code(&ran, 0)
}

/// By its scores the model decides two people by sex, by its label nobody.
fn label_decides() -> Outcome {
    // Everybody twice, so that a man is among them whom the label and the scores decide otherwise.
    let repo = tiny_with("other-label", |line| match line.contains("Female") {
        true => format!("{line}\n{}", line.replace("Female", "Male")),
        false => line.to_owned(),
    });
    let ran = run_with_library(&repo, &["init", "other-label.onnx", "tiny.csv"])?;
    expect_code(&ran, 0)?;
    let checked = run_with_library(&repo, &["check"])?;
    expect_said(&checked, &["so `label` decides", "no counterexample found"])?;
    let path = "path = \"other-label.onnx\"";
    let with_output = format!("{path}\noutput = \"probabilities\"");
    repo.edit("fairness.toml", path, &with_output);
    let checked = run_with_library(&repo, &["check"])?;
    expect(!checked.stdout.contains("`label` decides"), &checked.stdout)?;
    expect_said(&checked, &["2 of the dataset's"])
}

/// A model that was trained with the spaces of the file knows no word without them.
fn spaces() -> Outcome {
    let repo = tiny_with("spaced-words", |line| line.replace(',', ", "));
    let ran = run_with_library(&repo, &["init", "spaced-words.onnx", "tiny.csv"])?;
    expect_code(&ran, 0)?;
    let text = repo.read("fairness.toml");
    for line in [
        "spaces = \"keep\"",
        "sex = { values = [\" Female\", \" Male\"] }",
        "a = { min = 0, max = 4 }",
    ] {
        expect(text.contains(line), format!("no {line:?} in {text}"))?;
    }
    let checked = run_with_library(&repo, &["check"])?;
    expect_said(&checked, &["1 of the dataset's 20 people"])?;
    repo.edit("fairness.toml", "spaces = \"keep\"", "");
    repo.edit(
        "fairness.toml",
        "\" Female\", \" Male\"",
        "\"Female\", \"Male\"",
    );
    let refused = run_with_library(&repo, &["check"])?;
    expect_code(&refused, 2)?;
    let knows = "the model knows \" Female\" but not \"Female\"";
    expect_said(&refused, &[knows, "add spaces = \"keep\""])
}
