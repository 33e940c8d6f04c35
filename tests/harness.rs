//! A model repository of its own, tested with real `cargo test` and `cargo nextest run`.
//!
//! The repository lies in a fixed place under the target folder and shares this project's target
//! folder and profiles, so that everything but its own two lines is built already. One test does it
//! all, one step after another, because the steps change the same files.

#![allow(
    clippy::print_stderr,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test"
)]

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use common::{Ran, clean, fixture, flat, project};

/// The profile of the dependencies is this project's own, so that they are built already. fairgate
/// itself is built once more, as a dependency, and without optimisation that is soonest done: the
/// harness then has to remark on it.
const MANIFEST: &str = r#"[package]
name = "model-repository"
version = "0.0.0"
edition = "2024"

[dev-dependencies]
fairgate = { path = "PROJECT" }

[[test]]
name = "fairness"
harness = false

[profile.dev]
debug = "line-tables-only"

[profile.dev.package."*"]
opt-level = 3

[profile.dev.package.fairgate]
opt-level = 0
debug = false

[workspace]
"#;

const TEST: &str = "fn main() -> std::process::ExitCode {\n    fairgate::harness!()\n}\n";

const SPEC: &str = r#"[model.planted]
path = "planted.onnx"
runtime = "embedded"

[model.even]
path = "even.onnx"
runtime = "embedded"

[dataset.tiny]
path = "tiny.csv"
label = "label"

[dataset.tiny.attributes]
a = { min = 0, max = 4 }
b = { min = 0, max = 4 }
sex = { values = ["Female", "Male"] }

[defaults]
dataset = "tiny"
protected = ["sex"]

[benchmark.even-sex]
model = "even"

[benchmark.planted-sex]
model = "planted"
"#;

struct Repository {
    folder: PathBuf,
}

impl Repository {
    fn new() -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("model-repository");
        // What a run before this one left behind must not be what is tested.
        let _ = fs::remove_dir_all(&folder);
        let repository = Repository { folder };
        let project_path = project().display().to_string().replace('\\', "/");
        repository.write("Cargo.toml", &MANIFEST.replace("PROJECT", &project_path));
        repository.write("src/lib.rs", "");
        repository.write("tests/fairness.rs", TEST);
        repository.write("fairness.toml", SPEC);
        repository.copy(&project().join("Cargo.lock"), "Cargo.lock");
        repository.copy(&fixture("planted.onnx"), "planted.onnx");
        repository.copy(&fixture("ignores-sex.onnx"), "even.onnx");
        repository.copy(&fixture("tiny.csv"), "tiny.csv");
        repository
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn copy(&self, from: &Path, name: &str) {
        fs::copy(from, self.folder.join(name)).unwrap();
    }

    /// `cargo SUBCOMMAND ... ARGUMENTS`, with the profile and the target folder of this very test.
    fn cargo(&self, subcommand: &[&str], arguments: &[&str]) -> Ran {
        let mut command = Command::new(env!("CARGO"));
        clean(&mut command);
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
        command
            .current_dir(&self.folder)
            .env("CARGO_TARGET_DIR", target)
            .env("CARGO_TERM_COLOR", "never")
            .env_remove("RUST_BACKTRACE")
            .args(subcommand)
            .arg("--offline");
        if !cfg!(debug_assertions) {
            command.arg("--release");
        }
        Ran::of(command.args(arguments))
    }

    fn test(&self, arguments: &[&str]) -> Ran {
        self.cargo(
            &["test", "--test", "fairness"],
            &[&["--"], arguments].concat(),
        )
    }
}

#[test]
fn a_model_repository() {
    let repository = Repository::new();
    a_plain_cargo_test_shows_everything(&repository);
    arguments_mean_what_they_mean_to_any_test(&repository);
    nextest_comes_to_the_same_results(&repository);
    a_listing_opens_no_model(&repository);
    a_broken_spec_is_told_with_its_place(&repository);
}

fn a_plain_cargo_test_shows_everything(repository: &Repository) {
    let ran = repository.cargo(&["test"], &[]);
    ran.says(
        101,
        &[
            "running 2 tests",
            "test [fairness] even-sex    ... ok",
            "test [fairness] planted-sex ... FAILED",
            "fail: the search rate is",
            "above the limit of 5.0 %",
            "dataset     5.0 %  1 of the dataset's 20 people",
            "domain     20.0 %  10 of 50 possible people; exact",
            "sex: Female -> Male flips \"no\" to \"yes\" (score 0.168 -> 0.832)",
            "a 2, b 2",
            "a person of the dataset",
            "snapshot new: nothing is recorded yet",
            "ran in embedded on cpu",
            "see more: fairgate check --exact planted-sex --format json",
            "1 passed; 1 failed",
        ],
    );
    let remark = ran.stderr.contains("fairgate: built without optimisation");
    assert_eq!(remark, cfg!(debug_assertions), "{ran:#?}");
    let snapshots = repository.folder.join("tests/snapshots");
    assert!(snapshots.join("fairness__planted-sex.snap.new").exists());
    assert!(snapshots.join("fairness__even-sex.snap.new").exists());
}

fn arguments_mean_what_they_mean_to_any_test(repository: &Repository) {
    repository
        .test(&["even"])
        .says(0, &["1 passed; 0 failed", "1 filtered out"]);
    repository
        .test(&["--exact", "even-sex"])
        .says(0, &["1 passed; 0 failed"]);
    repository
        .test(&["--exact", "even"])
        .says(0, &["0 passed; 0 failed"]);
    repository
        .test(&["--ignored"])
        .says(0, &["0 passed; 0 failed"]);
    repository
        .test(&["--format", "terse"])
        .says(101, &["1 passed; 1 failed"]);
}

fn nextest_comes_to_the_same_results(repository: &Repository) {
    let version = Command::new(env!("CARGO"))
        .args(["nextest", "--version"])
        .output();
    if !version.is_ok_and(|output| output.status.success()) {
        eprintln!("cargo-nextest is not installed: not tried");
        return;
    }
    let run = |filter: &str| {
        let nextest = ["nextest", "run", "--no-fail-fast"];
        repository.cargo(&nextest, &["--no-tests=fail", filter])
    };
    let good = run("even-sex");
    assert_eq!(good.code, 0, "{good:#?}");
    let both = run("sex");
    assert_eq!(both.code, 100, "{both:#?}");
    for phrase in [
        "1 passed, 1 failed",
        "the search rate is",
        "sex: Female -> Male flips \"no\" to \"yes\"",
    ] {
        assert!(both.stderr.contains(phrase), "no {phrase:?} in {both:#?}");
    }
}

fn a_listing_opens_no_model(repository: &Repository) {
    fs::remove_file(repository.folder.join("planted.onnx")).unwrap();
    let list = "[fairness] even-sex: test\n[fairness] planted-sex: test\n";
    let ran = repository.test(&["--list", "--format", "terse"]);
    ran.says(0, &[list]);
    assert!(
        !ran.stderr.contains("fairgate:"),
        "a listing is clean: {ran:#?}"
    );
    // The others still run; the one without its model says so.
    let ran = repository.test(&[]);
    ran.says(
        101,
        &[
            "1 passed; 1 failed",
            "cannot read the model file",
            "planted.onnx",
        ],
    );
}

fn a_broken_spec_is_told_with_its_place(repository: &Repository) {
    repository.write("fairness.toml", &SPEC.replace("protected =", "protcted ="));
    let ran = repository.test(&[]);
    assert_eq!(ran.code, 101, "{ran:#?}");
    let said = flat(&ran.stderr);
    for phrase in [
        "unknown key `protcted`",
        "fairness.toml:20:",
        "did you mean `protected`?",
    ] {
        assert!(said.contains(phrase), "no {phrase:?} in {said}");
    }
    assert!(ran.stderr.contains("╰── not a key of this table"), "{said}");
}
