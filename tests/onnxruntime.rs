//! The ONNX Runtime backend against the real library.
//!
//! Without the library on this machine the trials that need it show as ignored, with the reason. The
//! library is looked for once in a process, so trials about a wrong library run this program again as
//! a child that opens one model and says what happened.

#![allow(
    clippy::print_stderr,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test"
)]

mod common;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output};

use common::{Ran, Repo, SNAPSHOT, absent, with_library};
use fairgate::model::discovery::runtime_library;
use fairgate::model::{
    Connection, Device, DeviceChoice, Model, ModelError, OpenModel, Opening, Passing,
    RuntimeChoice, RuntimeError, unsettled,
};
use fairgate::{Attribute, Domain, Schema};
use libtest_mimic::{Arguments, Completion, Failed, Trial};
use ndarray::{Array2, ShapeBuilder as _, s};
use rayon::prelude::*;

/// Set for a child: the model that it is to open.
const CHILD_MODEL: &str = "FAIRGATE_TEST_CHILD_MODEL";

type Outcome = Result<(), Failed>;

fn main() -> ExitCode {
    if let Some(model) = std::env::var_os(CHILD_MODEL) {
        return child(Path::new(&model));
    }
    let trials = vec![
        library_trial("planted_scores_follow_the_rule", planted),
        library_trial("scores_do_not_depend_on_the_batch", batches),
        library_trial("column_major_and_empty_batches_work", layouts),
        library_trial("of_two_probabilities_the_second_counts", tree),
        library_trial("labels_are_scores_of_0_and_1", labels),
        library_trial("whole_numbers_are_given_whole", whole_numbers),
        library_trial("doubles_go_in_and_out", doubles),
        library_trial("probabilities_win_over_labels", probabilities),
        library_trial("a_zipmap_gives_probabilities_by_class", zipmap),
        library_trial("nan_is_passed_on", nan),
        library_trial("unbounded_scores_need_a_threshold", unbounded),
        library_trial("a_fixed_batch_runs_in_chunks", fixed_batch),
        library_trial("threads_share_the_sessions", threads),
        library_trial("bound_calls_answer_as_plain_ones", bound_calls),
        library_trial("every_model_can_be_asked_for_bound_calls", bound_models),
        library_trial("workers_have_bound_memory_of_their_own", bound_workers),
        library_trial("a_wrong_width_names_the_input", width),
        library_trial("words_are_decisions", words),
        library_trial("two_inputs_are_named", two_inputs),
        library_trial("an_unknown_output_lists_the_outputs", unknown_output),
        library_trial("a_file_that_is_no_model_is_told", no_model),
        library_trial("the_runtime_says_its_version", version),
        library_trial("auto_says_why_it_is_on_the_cpu", auto),
        library_trial("loading_and_failing_write_nothing", silence),
        library_trial("both_runtimes_record_the_same", same_snapshots),
        library_trial("every_method_finds_the_same_in_both", same_by_method),
        library_trial("both_runtimes_count_everyone_alike", same_counts),
        library_trial("a_tree_is_checked_from_end_to_end", checked_tree),
        Trial::ignorable_test("cuda_or_a_sentence", cuda),
        Trial::test("a_named_library_that_is_missing", missing_library),
        Trial::test("a_named_library_that_is_text", text_library),
        Trial::test("a_named_pipe_does_not_hang", pipe_library),
        Trial::ignorable_test("an_old_library", old_library),
        Trial::ignorable_test("a_library_of_something_else", other_library),
        Trial::test("no_library_lists_the_places", nowhere),
    ];
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// A trial that is ignored, visibly, where there is no ONNX Runtime.
fn library_trial(name: &str, run: fn() -> Outcome) -> Trial {
    Trial::ignorable_test(name, move || with_library(run))
}

fn fixture(name: &str) -> PathBuf {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/models");
    models.join(format!("{name}.onnx"))
}

/// The attributes of the fixtures.
fn schema() -> Schema {
    let range = |max| Domain::Integers { min: 0, max };
    let attributes = [("a", 4), ("b", 4), ("sex", 1)];
    Schema::new(
        attributes
            .map(|(name, max)| Attribute::new(name, range(max)))
            .to_vec(),
    )
}

fn open_as(
    path: &Path,
    device: DeviceChoice,
    workers: usize,
    say: impl FnOnce(&mut Connection<'_>),
) -> Result<OpenModel, ModelError> {
    let schema = schema();
    let mut connection = Connection::plain(&schema, everyone().into_raw_vec_and_offset().0);
    say(&mut connection);
    fairgate::model::open(&Opening {
        device,
        ..opening(path, workers, &connection)
    })
}

fn open(name: &str) -> Result<OpenModel, ModelError> {
    open_as(&fixture(name), DeviceChoice::Cpu, 2, |_| {})
}

fn scores(name: &str) -> Result<Vec<f32>, ModelError> {
    open(name)?.model.scores(everyone().view())
}

fn refusal(name: &str) -> Result<ModelError, Failed> {
    match open(name) {
        Ok(_) => Err(format!("{name} was opened").into()),
        Err(error) => Ok(error),
    }
}

fn expect(holds: bool, what: impl std::fmt::Display) -> Outcome {
    if holds { Ok(()) } else { Err(what.into()) }
}

/// All 50 people of the fixtures: a and b from 0 to 4, sex 0 or 1.
fn everyone() -> Array2<f32> {
    Array2::from_shape_fn((50, 3), |(row, column)| {
        [row / 10, row / 2 % 5, row % 2][column] as f32
    })
}

/// The decision planted in the fixtures.
fn decisions() -> Vec<bool> {
    let everyone = everyone();
    let people = everyone.rows().into_iter();
    people
        .map(|person| person[0] + person[1] + 0.8 * person[2] > 4.4)
        .collect()
}

fn above_half(scores: &[f32]) -> Vec<bool> {
    scores.iter().map(|&score| score > 0.5).collect()
}

fn planted() -> Outcome {
    let scores = scores("planted")?;
    expect(
        above_half(&scores) == decisions(),
        format!("decisions differ: {scores:?}"),
    )
}

fn batches() -> Outcome {
    let model = open("planted")?.model;
    let everyone = everyone();
    let together = model.scores(everyone.view())?;
    for (row, &score) in together.iter().enumerate() {
        let alone = model.scores(everyone.slice(s![row..=row, ..]))?;
        expect(
            alone.len() == 1 && (alone[0] - score).abs() < 1e-6,
            format!("row {row}: {alone:?} alone, {score} in a batch"),
        )?;
    }
    Ok(())
}

fn layouts() -> Outcome {
    let model = open("planted")?.model;
    let everyone = everyone();
    let mut columns = Array2::zeros((50, 3).f());
    columns.assign(&everyone);
    expect(!columns.is_standard_layout(), "the copy is row-major")?;
    expect(
        model.scores(columns.view())? == model.scores(everyone.view())?,
        "the layout matters",
    )?;
    let none = model.scores(everyone.slice(s![0..0, ..]))?;
    expect(none.is_empty(), "scores for no rows")
}

fn tree() -> Outcome {
    let scores = scores("tree")?;
    expect(
        above_half(&scores) == decisions(),
        format!("decisions differ: {scores:?}"),
    )
}

fn labels() -> Outcome {
    let scores = scores("labels-only")?;
    let only_labels = scores.iter().all(|score| [0.0, 1.0].contains(score));
    expect(
        only_labels && above_half(&scores) == decisions(),
        format!("{scores:?}"),
    )
}

fn whole_numbers() -> Outcome {
    let scores = scores("whole-numbers")?;
    expect(above_half(&scores) == decisions(), format!("{scores:?}"))
}

fn doubles() -> Outcome {
    let doubles = scores("doubles")?;
    expect(doubles == scores("planted")?, format!("{doubles:?}"))
}

fn probabilities() -> Outcome {
    let path = fixture("label-and-probabilities");
    for output in [None, Some("label"), Some("probabilities")] {
        let opened = open_as(&path, DeviceChoice::Cpu, 1, |connection| {
            connection.meaning.output = output.map(ToOwned::to_owned);
        })?;
        let scores = opened.model.scores(everyone().view())?;
        expect(above_half(&scores) == decisions(), format!("{scores:?}"))?;
        let only_labels = scores.iter().all(|score| [0.0, 1.0].contains(score));
        expect(
            only_labels == (output == Some("label")),
            format!("{output:?}: {scores:?}"),
        )?;
    }
    Ok(())
}

fn zipmap() -> Outcome {
    let opened = open("zipmap")?;
    let scores = opened.model.scores(everyone().view())?;
    expect(
        above_half(&scores) == decisions(),
        format!("decisions differ: {scores:?}"),
    )?;
    let names = opened.decisions.unwrap_or_default();
    expect(names == ["0", "1"], format!("{names:?}"))
}

fn nan() -> Outcome {
    let scores = scores("nan")?;
    expect(
        scores.len() == 50 && scores.iter().all(|score| score.is_nan()),
        format!("{scores:?}"),
    )
}

fn unbounded() -> Outcome {
    let sentence = refusal("unbounded")?.to_string();
    expect(sentence.contains("scores outside 0 to 1"), sentence)?;
    let opened = open_as(&fixture("unbounded"), DeviceChoice::Cpu, 1, |connection| {
        connection.meaning.threshold = Some(0.0);
    })?;
    let scores = opened.model.scores(everyone().view())?;
    let outside =
        scores.iter().any(|&score| score < 0.0) && scores.iter().any(|&score| score > 1.0);
    expect(outside, format!("{scores:?}"))
}

fn fixed_batch() -> Outcome {
    let opened = open("fixed-batch")?;
    let scores = opened.model.scores(everyone().view())?;
    expect(above_half(&scores) == decisions(), format!("{scores:?}"))?;
    let note = opened.notes.join("; ");
    expect(
        note.contains("exactly 1 row at a time"),
        format!("note: {note}"),
    )
}

fn threads() -> Outcome {
    let model = open("planted")?.model;
    let everyone = everyone();
    let expected = model.scores(everyone.view())?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(5).build()?;
    let same = pool.install(|| {
        (0..200)
            .into_par_iter()
            .map(|_| model.scores(everyone.view()))
            .all(|scores| scores.is_ok_and(|scores| scores == expected))
    });
    expect(same, "scores differ between threads")
}

/// The bank's network, its people, and its scores before anything settles them.
fn bank(passing: Passing, workers: usize) -> Result<Box<dyn Model + Send>, ModelError> {
    let range = Domain::Integers { min: 0, max: 99 };
    let attribute = |place| Attribute::new(format!("a{place}"), range.clone());
    let schema = Schema::new((0..BANK_WIDTH).map(attribute).collect());
    let connection = Connection::plain(&schema, bank_people(50, 0).into_raw_vec_and_offset().0);
    let path = common::project().join("fixtures/bank.onnx");
    unsettled(&opening(&path, workers, &connection), passing)
}

const BANK_WIDTH: usize = 16;

/// Others for each `kind`.
fn bank_people(rows: usize, kind: usize) -> Array2<f32> {
    Array2::from_shape_fn((rows, BANK_WIDTH), |(row, column)| {
        ((row * 31 + column * 17 + kind * 7 + row * column) % 100) as f32
    })
}

/// One of the small fixtures, in the same way.
fn small(name: &str, passing: Passing) -> Result<Box<dyn Model + Send>, ModelError> {
    let schema = schema();
    let mut connection = Connection::plain(&schema, everyone().into_raw_vec_and_offset().0);
    if name == "two-inputs" {
        connection.layout.inputs = vec![("b".into(), vec!["b".into(), "sex".into()])];
    }
    unsettled(&opening(&fixture(name), 1, &connection), passing)
}

fn opening<'a>(path: &'a Path, workers: usize, connection: &'a Connection<'a>) -> Opening<'a> {
    Opening {
        path,
        runtime: RuntimeChoice::Onnxruntime,
        device: DeviceChoice::Cpu,
        workers,
        connection,
    }
}

fn bits(scores: &[f32]) -> Vec<u32> {
    scores.iter().map(|score| score.to_bits()).collect()
}

fn bound_calls() -> Outcome {
    let (plain, bound) = (bank(Passing::Plain, 1)?, bank(Passing::Bound, 1)?);
    // Memory that was bound before would show: larger, smaller, the same with others in it, once more.
    let sizes = [1, 2, 7, 4096, 4096, 4096, 7, 7, 4096, 2, 1, 1];
    for (call, size) in sizes.into_iter().enumerate() {
        let people = bank_people(size, call);
        let (plain, bound) = (plain.scores(people.view())?, bound.scores(people.view())?);
        expect(
            plain.len() == size && bits(&plain) == bits(&bound),
            format!("call {call} with {size} rows differs"),
        )?;
    }
    // A call that fails leaves nothing behind: twice as wide, these are the rows of other people.
    let (wide, people) = (Array2::zeros((3, 2 * BANK_WIDTH)), bank_people(3, 0));
    expect(
        bound.scores(wide.view()).is_err(),
        "rows of any width are taken",
    )?;
    let (plain, bound) = (plain.scores(people.view())?, bound.scores(people.view())?);
    expect(bits(&plain) == bits(&bound), "differs after a failure")
}

fn bound_models() -> Outcome {
    // Several inputs, one row at a time, a label beside the scores; and what cannot be bound: doubles,
    // whole numbers, words and maps.
    for name in [
        "planted",
        "two-inputs",
        "fixed-batch",
        "tree",
        "label-and-probabilities",
        "other-label",
        "nan",
        "labels-only",
        "doubles",
        "whole-numbers",
        "string-output",
        "zipmap",
    ] {
        let (plain, bound) = (small(name, Passing::Plain)?, small(name, Passing::Bound)?);
        for rows in [0..50, 10..20, 20..30, 0..50, 49..50] {
            let people = everyone().slice_move(s![rows, ..]);
            let (plain, bound) = (plain.scores(people.view())?, bound.scores(people.view())?);
            expect(
                plain.len() == people.nrows() && bits(&plain) == bits(&bound),
                format!("{name}: {plain:?} and {bound:?}"),
            )?;
        }
    }
    Ok(())
}

fn bound_workers() -> Outcome {
    let (plain, bound) = (bank(Passing::Plain, 1)?, bank(Passing::Bound, 2)?);
    let batches: Vec<Array2<f32>> = (0..20)
        .map(|kind| bank_people([3, 64, 64, 1000][kind % 4], kind))
        .collect();
    let scores = batches.iter().map(|people| plain.scores(people.view()));
    let expected = scores.collect::<Result<Vec<_>, _>>()?;
    // More threads than sessions: some wait, and some take the session of another.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build()?;
    let same = pool.install(|| {
        (0..400)
            .into_par_iter()
            .map(|call| call % batches.len())
            .all(|kind| {
                let scores = bound.scores(batches[kind].view());
                scores.is_ok_and(|scores| bits(&scores) == bits(&expected[kind]))
            })
    });
    expect(same, "scores differ between threads")
}

fn width() -> Outcome {
    let sentence = refusal("wide")?.to_string();
    expect(
        sentence
            == "the model wants 5 columns a row (input: float [N, 5]), but the dataset has 3: `a`, \
                `b` and `sex`",
        sentence,
    )
}

fn words() -> Outcome {
    let opened = open("string-output")?;
    let names = opened.decisions.unwrap_or_default();
    let scores = opened.model.scores(everyone().view())?;
    let only_labels = scores.iter().all(|score| [0.0, 1.0].contains(score));
    expect(
        names.len() == 2 && only_labels,
        format!("{names:?} {scores:?}"),
    )
}

fn two_inputs() -> Outcome {
    let sentence = refusal("two-inputs")?.to_string();
    expect(
        sentence.contains("b: float [N, 2] takes 2 columns"),
        sentence,
    )?;
    let opened = open_as(&fixture("two-inputs"), DeviceChoice::Cpu, 1, |connection| {
        connection.layout.inputs = vec![("b".into(), vec!["b".into(), "sex".into()])];
    })?;
    let scores = opened.model.scores(everyone().view())?;
    expect(scores.len() == 50, format!("{scores:?}"))
}

fn unknown_output() -> Outcome {
    let opened = open_as(&fixture("planted"), DeviceChoice::Cpu, 1, |connection| {
        connection.meaning.output = Some("score".into());
    });
    let Err(error) = opened else {
        return Err("an unknown output was taken".into());
    };
    let sentence = error.to_string();
    expect(
        sentence == "the model has no output `score`; it has probability: float [N, 1]",
        sentence,
    )
}

fn no_model() -> Outcome {
    let dir = tempfile::tempdir()?;
    let path = dir.path().join("text.onnx");
    std::fs::write(&path, "version https://git-lfs.github.com/spec/v1\n")?;
    let Err(error) = open_as(&path, DeviceChoice::Cpu, 1, |_| {}) else {
        return Err("a text file was opened".into());
    };
    expect(
        matches!(error, ModelError::Runtime(RuntimeError::Load { .. })),
        error,
    )
}

fn version() -> Outcome {
    let runtime = open("planted")?.runtime;
    let version = runtime_library()?.version();
    expect(runtime == format!("onnxruntime {version}"), runtime)
}

fn auto() -> Outcome {
    let opened = open_as(&fixture("planted"), DeviceChoice::Auto, 1, |_| {})?;
    let note = opened.notes.join("; ");
    let told = note.contains("CUDA") && note.ends_with("running on the CPU");
    expect(
        (opened.device == Device::Cuda) != told,
        format!("{} with the note: {note}", opened.device),
    )?;
    expect(
        open("planted")?.notes.is_empty(),
        "the CPU was asked for, and there is a note",
    )
}

fn silence() -> Outcome {
    for (model, succeeds) in [("planted", true), ("two-inputs", false)] {
        let output = run_child(&fixture(model), |command| {
            command.env("ORT_LOG", "verbose");
        })?;
        let stderr = String::from_utf8_lossy(&output.stderr);
        expect(output.status.success() == succeeds, &stderr)?;
        // The child itself writes one error; the library must add nothing.
        let lines = stderr.lines().filter(|line| !line.starts_with("error: "));
        let extra: Vec<&str> = lines.collect();
        expect(extra.is_empty(), extra.join("\n"))?;
    }
    Ok(())
}

/// `fairgate check` with the library that was found.
fn check(repo: &Repo, arguments: &[&str]) -> Result<Ran, Failed> {
    let mut command = repo.command(&[&["check", "--accept"], arguments].concat());
    Ok(Ran::of(
        command.env("ORT_DYLIB_PATH", runtime_library()?.path()),
    ))
}

fn same_snapshots() -> Outcome {
    for (repo, name) in [
        (Repo::new("planted"), "tiny-sex"),
        (Repo::of_fixtures(), "heart-sex"),
        (Repo::of_fixtures(), "credit-age"),
    ] {
        let file = format!("tests/snapshots/fairness__{name}.snap");
        let record = |runtime: &str| -> Result<String, Failed> {
            let ran = check(&repo, &["--exact", name, "--runtime", runtime])?;
            let ran_there = ran.stdout.contains(&format!("     {runtime}"));
            expect(
                ran_there && ran.stdout.contains("recorded in"),
                format!("{ran:#?}"),
            )?;
            let text = repo.read(&file);
            std::fs::remove_file(repo.path(&file))?;
            Ok(text)
        };
        let (embedded, onnxruntime) = (record("embedded")?, record("onnxruntime")?);
        expect(embedded.contains("[[pair]]"), format!("{name}: {embedded}"))?;
        expect(
            embedded == onnxruntime,
            format!("{name}: {embedded}\n{onnxruntime}"),
        )?;
    }
    Ok(())
}

/// Every method that needs nothing but scores, on a network of the fixtures.
fn same_by_method() -> Outcome {
    for method in ["maft-plain", "themis", "aequitas", "sg", "random"] {
        let budget = "budget = { global-seeds = 50, local-steps = 50 }";
        // In [defaults] a key may stand that another method reads.
        let search = format!(
            "search = {{ method = {method:?}, explanation-rows = 500 }}\nsnapshot = \"off\""
        );
        let repo = Repo::of_fixtures().spec(budget, &format!("{budget}\n{search}"));
        let run = |runtime: &str| -> Result<serde_json::Value, Failed> {
            let arguments = [
                "--exact",
                "census-sex",
                "--runtime",
                runtime,
                "--format",
                "json",
            ];
            let mut line: serde_json::Value =
                serde_json::from_str(&check(&repo, &arguments)?.stdout)?;
            for other in [
                "runtime",
                "seconds",
                "model_seconds",
                "afterwards_seconds",
                "calls",
                "settled",
                "notes",
            ] {
                line[other] = serde_json::Value::Null;
            }
            Ok(line)
        };
        let (embedded, onnxruntime) = (run("embedded")?, run("onnxruntime")?);
        expect(embedded["method"] == method, format!("{embedded}"))?;
        expect(embedded["counterexamples"] != 0, format!("{embedded}"))?;
        expect(
            embedded == onnxruntime,
            format!("{method}:\n{embedded}\n{onnxruntime}"),
        )?;
    }
    Ok(())
}

/// The tree decides as `planted.onnx` does, so it has the same counterexamples among the 50 people.
/// The bank's network in a smaller domain of 3,317,760 people, without a dataset. The counts are exact, so
/// one person who is decided otherwise would be seen.
fn same_counts() -> Outcome {
    let network = common::project().join("fixtures/bank.onnx");
    let sizes = [4, 6, 1, 4, 1, 4, 2, 2, 3, 1, 12, 5, 1, 3, 1, 4];
    let attributes: String = (0..sizes.len())
        .map(|place| format!("a{place} = {{ min = 0, max = {} }}\n", sizes[place] - 1))
        .collect();
    let repo = Repo::with_spec(format!(
        "[model.bank]\npath = {network:?}\n[dataset.bank.attributes]\n{attributes}\
         [benchmark.bank-age]\nmodel = \"bank\"\ndataset = \"bank\"\nprotected = [\"a0\"]\n\
         snapshot = \"off\"\nmax-discrimination-rate = 1.0\n\
         budget = {{ global-seeds = 1, local-steps = 0 }}\n"
    ));
    let count = |runtime: &str, more: &[&str]| -> Result<serde_json::Value, Failed> {
        let arguments = ["--exhaustive", "--format", "json", "--runtime", runtime];
        let ran = check(&repo, &[&arguments[..], more].concat())?;
        let json: serde_json::Value = serde_json::from_str(&ran.stdout)?;
        Ok(json["rates"]["domain"].clone())
    };
    let embedded = count("embedded", &[])?;
    expect(embedded["exact"] == true, &embedded)?;
    expect(embedded["sampled"] == 3_317_760, &embedded)?;
    let value = embedded["value"].as_f64().unwrap_or_default();
    expect(value > 0.01 && value < 0.9, &embedded)?;
    for more in [&[][..], &["--jobs", "1", "--batch-rows", "1000"]] {
        let other = count("onnxruntime", more)?;
        expect(other == embedded, format!("{other} and {embedded}"))?;
    }
    Ok(())
}

fn checked_tree() -> Outcome {
    let repo = Repo::new("tree");
    let ran = check(&repo, &["--runtime", "onnxruntime", "--format", "json"])?;
    let line: serde_json::Value = serde_json::from_str(&ran.stdout)?;
    let runtime = line["runtime"].as_str().unwrap_or_default();
    expect(runtime.starts_with("onnxruntime 1."), format!("{ran:#?}"))?;
    expect(
        ran.code == 0 && line["rates"]["domain"]["value"] == 0.2,
        format!("{ran:#?}"),
    )?;
    expect(line["counterexamples"] != 0, format!("{ran:#?}"))?;
    let text = repo.read(SNAPSHOT);
    expect(text.contains("sex: Female -> Male flips"), text)
}

fn cuda() -> Result<Completion, Failed> {
    match runtime_library() {
        Err(error) if error.is_absence() => return Ok(absent(&error)),
        Err(error) => return Err(error.into()),
        Ok(_) => {}
    }
    match open_as(&fixture("planted"), DeviceChoice::Cuda, 1, |_| {}) {
        Ok(opened) => {
            let scores = opened.model.scores(everyone().view())?;
            expect(above_half(&scores) == decisions(), format!("{scores:?}"))?;
            Ok(Completion::Completed)
        }
        Err(error @ ModelError::Runtime(RuntimeError::NoCuda { .. })) => {
            let sentence = error.to_string();
            expect(sentence.starts_with("CUDA is not available: "), sentence)?;
            Ok(Completion::Completed)
        }
        Err(error) => Err(error.into()),
    }
}

fn missing_library() -> Outcome {
    let stderr = child_error(Path::new("/no/such/libonnxruntime.so"))?;
    expect(
        stderr.contains("/no/such/libonnxruntime.so") && stderr.contains("ORT_DYLIB_PATH"),
        stderr,
    )
}

fn text_library() -> Outcome {
    let dir = tempfile::tempdir()?;
    let path = dir.path().join("libonnxruntime.so");
    std::fs::write(&path, "this is text")?;
    let stderr = child_error(&path)?;
    expect(
        stderr.contains("cannot use") && stderr.contains("libonnxruntime.so"),
        stderr,
    )
}

fn pipe_library() -> Outcome {
    let dir = tempfile::tempdir()?;
    let path = dir.path().join("libonnxruntime.so");
    if !cfg!(unix) || !Command::new("mkfifo").arg(&path).status()?.success() {
        return Ok(());
    }
    let stderr = child_error(&path)?;
    expect(stderr.contains("it is not a file"), stderr)
}

fn old_library() -> Result<Completion, Failed> {
    let source = r#"
        #[repr(C)]
        pub struct Base {
            api: extern "system" fn(u32) -> *const u8,
            version: extern "system" fn() -> *const u8,
        }
        extern "system" fn api(_: u32) -> *const u8 { std::process::abort() }
        extern "system" fn version() -> *const u8 { c"1.16.3".as_ptr().cast() }
        static BASE: Base = Base { api, version };
        #[unsafe(no_mangle)]
        pub extern "system" fn OrtGetApiBase() -> *const Base { &BASE }
    "#;
    with_made_library(source, |stderr| {
        expect(
            stderr.contains("ONNX Runtime 1.16.3 at ") && stderr.contains("1.17 or newer"),
            stderr,
        )
    })
}

fn other_library() -> Result<Completion, Failed> {
    with_made_library("", |stderr| {
        expect(stderr.contains("OrtGetApiBase is missing"), stderr)
    })
}

/// Compiles a shared library and hands it to a child as ONNX Runtime.
fn with_made_library(
    source: &str,
    check: impl FnOnce(&str) -> Outcome,
) -> Result<Completion, Failed> {
    let dir = tempfile::tempdir()?;
    let (code, library) = (dir.path().join("made.rs"), dir.path().join("made.so"));
    std::fs::write(&code, source)?;
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let made = Command::new(rustc)
        .args(["--edition=2024", "--crate-type=cdylib", "-o"])
        .args([&library, &code])
        .output();
    if !made.is_ok_and(|output| output.status.success()) {
        return Ok(Completion::ignored_with(
            "rustc makes no shared library here",
        ));
    }
    check(&child_error(&library)?)?;
    Ok(Completion::Completed)
}

fn nowhere() -> Outcome {
    let output = run_child(&fixture("planted"), |command| {
        command.env("PATH", "").env_remove("ORT_DYLIB_PATH");
        for variable in ["VIRTUAL_ENV", "CONDA_PREFIX", "LD_LIBRARY_PATH"] {
            command.env_remove(variable);
        }
    })?;
    let stderr = String::from_utf8_lossy(&output.stderr);
    // Where the system itself has the library there is nothing to complain of.
    let told = stderr.contains("the ONNX Runtime library was not found; looked in:")
        && stderr.contains("next to the program")
        && stderr.contains("python3 on the PATH: not there");
    expect(output.status.success() || told, &stderr)
}

/// What a child says that is given this library.
fn child_error(library: &Path) -> Result<String, Failed> {
    let output = run_child(&fixture("planted"), |command| {
        command.env("ORT_DYLIB_PATH", library);
    })?;
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    let told = output.status.code() == Some(3) && stderr.starts_with("error: ");
    expect(told, format!("{}: {stderr}", output.status))?;
    Ok(stderr)
}

fn run_child(model: &Path, prepare: impl FnOnce(&mut Command)) -> std::io::Result<Output> {
    let mut command = Command::new(std::env::current_exe()?);
    command.env(CHILD_MODEL, model);
    prepare(&mut command);
    command.output()
}

fn child(model: &Path) -> ExitCode {
    let answered = open_as(model, DeviceChoice::Auto, 1, |_| {});
    match answered {
        Ok(_) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(3)
        }
    }
}
