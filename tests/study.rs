//! `fairgate study`: every run is kept, a study that was stopped goes on, and the report follows.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test"
)]

mod common;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use common::{Repo, flat};

/// Columns that are the same however often a run is made.
const SAME: [&str; 19] = [
    "question",
    "benchmark",
    "method",
    "perturbation_size",
    "round",
    "seed",
    "global_seeds",
    "local_steps",
    "max_queries",
    "fingerprint",
    "counterexamples",
    "tested",
    "iterations",
    "queries",
    "seeds",
    "global_found",
    "capped",
    "runtime",
    "curve",
];

/// The runs of a study, by everything that does not depend on the machine.
fn runs(repo: &Repo, folder: &str) -> Vec<BTreeMap<String, String>> {
    let mut reader = csv::Reader::from_path(repo.path(&format!("{folder}/runs.csv"))).unwrap();
    let mut runs: Vec<BTreeMap<String, String>> =
        reader.deserialize().collect::<Result<_, _>>().unwrap();
    for run in &mut runs {
        run.retain(|column, _| SAME.contains(&column.as_str()));
    }
    runs.sort();
    runs
}

fn figure(run: &BTreeMap<String, String>, column: &str) -> u64 {
    run[column].parse().unwrap()
}

const SMALL: [&str; 8] = [
    "study", "--quick", "--rounds", "2", "--seeds", "8", "--steps", "8",
];

fn small<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&SMALL, more].concat()
}

#[test]
fn a_study_has_its_runs_tables_figures_and_report() {
    let repo = Repo::of_fixtures();
    let methods = ["--methods", "maft-paper,maft,random", "census"];
    let ran = repo.run(&small(&methods));
    let said = flat(&ran.stdout);
    assert_eq!(ran.code, 0, "{ran:#?}");
    for phrase in [
        "the counts with h in (1e-5, 10] do not differ significantly",
        "not comparable: MAFT finds 14.69 times as many counterexamples as AEQUITAS AEQUITAS took no part",
        "RQ1: 7 perturbation sizes, 2 rounds of 8 seeds x 8 steps",
        "wrote study/report.html",
    ] {
        assert!(said.contains(phrase), "no {phrase:?} in {said}");
    }
    // Six benchmarks, two rounds: seven sizes, and three methods.
    assert_eq!(runs(&repo, "study").len(), 6 * 2 * (7 + 3));
    for name in ["rq1", "rq1-relative", "rq2", "rq2-growth"] {
        let svg = repo.read(&format!("study/figures/{name}.svg"));
        assert!(svg.starts_with("<svg ") && svg.contains("<text "), "{name}");
        let png = fs::read(repo.path(&format!("study/figures/{name}.png"))).unwrap();
        assert!(
            png.starts_with(b"\x89PNG\r\n\x1a\n") && png.len() > 5_000,
            "{name}"
        );
    }
    let table = repo.read("study/tables/rq2-counts.csv");
    assert!(
        table.starts_with("benchmark,MAFT,MAFT walk,random\n"),
        "{table}"
    );
    assert_eq!(table.lines().count(), 1 + 6, "{table}");
    let page = repo.read("study/report.html");
    for part in [
        "<!DOCTYPE html>",
        "id=\"rq1\"",
        "id=\"rq2\"",
        "census-fairer-race",
    ] {
        assert!(page.contains(part), "{part}");
    }
    // Nothing is loaded from anywhere.
    for outside in ["<script", "src=", "@import", "url("] {
        assert!(!page.contains(outside), "{outside}");
    }
    assert!(
        repo.read("study/report.md")
            .contains("<!-- study: claims: begin -->")
    );
}

/// The study measures what the gate measures.
#[test]
fn a_run_finds_what_a_check_finds() {
    let repo = Repo::of_fixtures();
    let arguments = [
        "--questions",
        "2",
        "--methods",
        "maft",
        "--exact",
        "heart-sex",
    ];
    let study = ["study", "--rounds", "1", "--seeds", "50", "--steps", "50"];
    assert_eq!(repo.run(&[study.as_slice(), &arguments].concat()).code, 0);
    let [run] = runs(&repo, "study").try_into().unwrap();
    let checked = repo.json(&["--exact", "heart-sex"]);
    for (ours, theirs) in [("counterexamples", "counterexamples"), ("tested", "tested")] {
        assert_eq!(
            figure(&run, ours),
            checked[theirs].as_u64().unwrap(),
            "{ours}"
        );
    }
    assert_eq!(
        figure(&run, "global_found"),
        checked["global"]["found"].as_u64().unwrap()
    );
    assert!(figure(&run, "queries") < checked["queries"].as_u64().unwrap());
    let last = run["curve"].split(' ').next_back().unwrap();
    assert_eq!(
        last,
        format!("{}:{}", run["queries"], run["counterexamples"])
    );
}

#[test]
fn a_stopped_study_goes_on_where_it_was() {
    let repo = Repo::new("planted");
    let arguments = small(&["--methods", "maft-paper,random"]);
    assert_eq!(repo.run(&arguments).code, 0);
    let (whole, table) = (
        runs(&repo, "study"),
        repo.read("study/tables/rq2-counts.csv"),
    );
    let text = repo.read("study/runs.csv");
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    assert_eq!(lines.len(), 1 + 2 * (7 + 2));

    // As if it had been killed while the sixth run was written.
    let kept = lines[..6].concat();
    repo.write(
        "study/runs.csv",
        format!("{kept}{}", &lines[6][..lines[6].len() / 2]),
    );
    let ran = repo.run(&arguments);
    assert_eq!(ran.code, 0, "{ran:#?}");
    assert_eq!(ran.stderr, "");
    let text = repo.read("study/runs.csv");
    assert!(
        text.starts_with(&kept),
        "runs that had ended were made anew: {text}"
    );
    assert_eq!(runs(&repo, "study"), whole);
    assert_eq!(repo.read("study/tables/rq2-counts.csv"), table);

    // Nothing is left to do: the file stays as it is, times and all.
    assert_eq!(repo.run(&arguments).code, 0);
    assert_eq!(repo.read("study/runs.csv"), text);
}

#[test]
fn counts_do_not_depend_on_the_number_of_jobs() {
    let repo = Repo::new("planted");
    for (jobs, folder) in [("1", "one"), ("3", "three")] {
        let ran = repo.run(&small(&["--jobs", jobs, "--output", folder]));
        assert_eq!(ran.code, 0, "{ran:#?}");
    }
    assert_eq!(runs(&repo, "one"), runs(&repo, "three"));
    assert_eq!(
        repo.read("one/tables/rq1-anova.csv"),
        repo.read("three/tables/rq1-anova.csv")
    );
}

#[test]
fn another_model_is_noticed() {
    let repo = Repo::new("planted");
    let arguments = small(&["--questions", "2", "--methods", "maft"]);
    assert_eq!(repo.run(&arguments).code, 0);
    let before = repo.read("study/runs.csv");
    assert!(
        runs(&repo, "study")
            .iter()
            .all(|run| figure(run, "counterexamples") > 0)
    );

    repo.model("ignores-sex");
    let ran = repo.run(&arguments);
    assert_eq!(ran.code, 0, "{ran:#?}");
    let said = flat(&ran.stderr);
    assert!(
        said.contains("2 runs were made with another model"),
        "{said}"
    );
    assert!(repo.read("study/runs.csv").starts_with(&before));
    assert_eq!(runs(&repo, "study").len(), 4);
    let table = repo.read("study/tables/rq2-counts.csv");
    assert!(table.contains("tiny-sex,0 (0 to 0)"), "{table}");

    // Words around the spec's settings change nothing.
    repo.edit("fairness.toml", "[defaults]", "# a remark\n[defaults]");
    let ran = repo.run(&arguments);
    assert_eq!(runs(&repo, "study").len(), 4, "{ran:#?}");
}

/// Waits until so many runs have been written.
fn wait_for(path: &Path, lines: usize) {
    let started = Instant::now();
    while fs::read_to_string(path).unwrap_or_default().lines().count() < lines {
        assert!(
            started.elapsed() < Duration::from_secs(60),
            "nothing is written"
        );
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[cfg(unix)]
#[test]
fn whatever_ends_a_study_its_runs_are_kept() {
    let repo = Repo::of_fixtures();
    let arguments = [
        "study",
        "--questions",
        "2",
        "--methods",
        "maft",
        "--rounds",
        "400",
        "--seeds",
        "20",
        "--steps",
        "20",
        "--exact",
        "heart-age",
    ];
    for (signal, code) in [("KILL", None), ("INT", Some(4))] {
        let path = repo.path("study/runs.csv");
        let before = fs::read_to_string(&path).unwrap_or_default();
        let mut command = repo.command(&arguments);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().unwrap();
        wait_for(&path, before.lines().count() + 3);
        let asked = Instant::now();
        let kill = format!("kill -{signal} {}", child.id());
        assert!(
            Command::new("/bin/sh")
                .args(["-c", &kill])
                .status()
                .unwrap()
                .success()
        );
        let output = child.wait_with_output().unwrap();
        // A second, with room for a machine that has other things to do.
        assert!(
            asked.elapsed() < Duration::from_secs(5),
            "{:?}",
            asked.elapsed()
        );
        assert_eq!(output.status.code(), code);
        let text = fs::read_to_string(&path).unwrap();
        let whole = before.rfind('\n').map_or(0, |end| end + 1);
        assert!(text.starts_with(&before[..whole]), "runs were lost");
        if code.is_some() {
            let said = String::from_utf8(output.stderr).unwrap();
            assert!(
                said.contains("of 400 runs; the same command goes on from there"),
                "{said}"
            );
            assert!(text.ends_with('\n'), "half a run was written");
        }
        assert!(!repo.path("study/report.html").exists());
    }
    let seeds: Vec<u64> = runs(&repo, "study")
        .iter()
        .map(|run| figure(run, "seed"))
        .collect();
    let mut distinct = seeds.clone();
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!(distinct.len(), seeds.len(), "a run was made twice");
}

/// What is wrong is a sentence, and nothing is written.
#[track_caller]
fn refused(repo: &Repo, arguments: &[&str], code: i32, phrases: &[&str]) {
    let before = repo.files();
    let ran = repo.run(arguments);
    assert_eq!(ran.code, code, "{ran:#?}");
    assert_eq!(ran.stdout, "", "{ran:#?}");
    let said = flat(&ran.stderr);
    for phrase in phrases {
        assert!(said.contains(phrase), "no {phrase:?} in {said}");
    }
    assert!(repo.files() == before, "something was written");
}

#[test]
fn a_folder_or_a_file_that_cannot_be_used() {
    let repo = Repo::new("planted");
    repo.write("taken", "");
    let to = |folder| small(&["--output", folder]);
    refused(
        &repo,
        &to("taken"),
        3,
        &["taken cannot be written", "--output"],
    );
    repo.write("foreign/runs.csv", "name,age\nAda,36\n");
    refused(
        &repo,
        &to("foreign"),
        3,
        &[
            "runs.csv, line 2: not a run of a study",
            "take the file away",
        ],
    );
    repo.write("busy/runs.csv", "");
    let file = File::open(repo.path("busy/runs.csv")).unwrap();
    file.lock().unwrap();
    refused(
        &repo,
        &to("busy"),
        3,
        &["is being written by another study", "wait"],
    );
}

#[test]
fn arguments_that_are_wrong() {
    let repo = Repo::new("planted");
    refused(
        &repo,
        &["study", "--methods", "maftt"],
        2,
        &["maftt", "maft-paper"],
    );
    refused(&repo, &["study", "--questions", "4"], 2, &["4"]);
    refused(&repo, &["study", "--rounds", "0"], 2, &["0"]);
    refused(&repo, &["study", "nobody"], 4, &["nothing to run"]);
    if !cfg!(feature = "white-box") {
        refused(
            &repo,
            &["study", "--methods", "adf,maft"],
            2,
            &["adf needs real gradients", "--features white-box"],
        );
    }
}

/// The paper's benchmarks are those of the gate's datasets: their domains are written twice, and must be the same.
#[test]
fn the_papers_spec_has_the_domains_of_the_gate() {
    let read = |path: &str| -> toml::Table {
        let text = fs::read_to_string(common::project().join(path)).unwrap();
        text.parse().unwrap()
    };
    let (gate, paper) = (read("fairness.toml"), read("examples/study/fairness.toml"));
    for dataset in ["census", "bank", "credit", "heart"] {
        let attributes = |spec: &toml::Table| spec["dataset"][dataset]["attributes"].clone();
        assert_eq!(attributes(&gate), attributes(&paper), "{dataset}");
    }
    let benchmarks = paper["benchmark"].as_table().unwrap();
    let several = benchmarks.values().filter(|benchmark| {
        let protected = benchmark["protected"].as_array().unwrap();
        protected.len() > 1
    });
    assert_eq!((benchmarks.len(), several.count()), (13, 5));
}
