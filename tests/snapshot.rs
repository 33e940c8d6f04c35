//! Snapshots: when they are written, what they are held against, and that nothing but the model,
//! the data and the spec decides what is in them.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test"
)]

mod common;

use std::fs;

use common::{Ran, Repo, SNAPSHOT};

const PENDING: &str = "tests/snapshots/fairness__tiny-sex.snap.new";

/// A repository whose snapshot is recorded.
fn recorded() -> Repo {
    let repo = Repo::new("planted");
    assert_eq!(repo.run(&["check", "--accept"]).code, 0);
    assert!(repo.path(SNAPSHOT).exists());
    repo
}

#[test]
fn the_first_run_is_offered_for_review() {
    let repo = Repo::new("planted");
    let ran = repo.run(&["check"]);
    ran.says(
        0,
        &[
            "snapshot new",
            "`cargo insta review`",
            "fairgate check --accept",
            SNAPSHOT,
        ],
    );
    assert!(repo.path(PENDING).exists() && !repo.path(SNAPSHOT).exists());
    let text = repo.read(PENDING);
    assert!(
        text.starts_with("---\nsource: fairness.toml\nexpression: \"tiny-sex\"\n---\n"),
        "{text}"
    );
    assert!(
        text.contains("flips = 'sex: Female -> Male flips \"no\" to \"yes\"'"),
        "{text}"
    );
    assert!(!text.contains("42"), "a seed is no part of it: {text}");
    assert!(!text.contains(&*repo.path("").to_string_lossy()), "{text}");

    // Accepting is renaming; then it matches, and nothing else lies about.
    fs::rename(repo.path(PENDING), repo.path(SNAPSHOT)).unwrap();
    let before = repo.files();
    repo.run(&["check"])
        .says(0, &["snapshot matched (3 of 3 recorded pairs still there)"]);
    assert!(repo.files() == before);
}

#[test]
fn nothing_is_written_in_ci() {
    for (variable, value) in [("CI", "true"), ("CI", "1"), ("TF_BUILD", "True")] {
        let repo = Repo::new("planted");
        let before = repo.files();
        repo.run_with(&[(variable, value)], &["check"])
            .says(0, &["snapshot new"]);
        assert!(repo.files() == before, "{variable}={value}");
    }
    // A changed snapshot fails there, and stays as it is.
    let repo = recorded();
    repo.model("ignores-sex");
    let before = repo.files();
    repo.run_with(&[("CI", "true")], &["check"])
        .says(1, &["snapshot changed"]);
    assert!(repo.files() == before);
    // So does a pending one that no longer says anything.
    repo.model("planted");
    repo.write(PENDING, "---\n---\nold\n");
    let before = repo.files();
    repo.run_with(&[("CI", "true")], &["check"])
        .says(0, &["snapshot matched"]);
    assert!(repo.files() == before);
}

#[test]
fn insta_update_means_what_insta_means_by_it() {
    // The value; whether a new, and a changed, snapshot is recorded; whether it is pending.
    let cases = [
        ("always", [(true, false), (true, false)]),
        ("force", [(true, false), (true, false)]),
        ("unseen", [(true, false), (false, true)]),
        ("new", [(false, true), (false, true)]),
        ("auto", [(false, true), (false, true)]),
        ("no", [(false, false), (false, false)]),
    ];
    for (value, [new, changed]) in cases {
        let update = [("INSTA_UPDATE", value)];
        let repo = Repo::new("planted");
        repo.run_with(&update, &["check"])
            .says(0, &["snapshot new"]);
        let state = (repo.path(SNAPSHOT).exists(), repo.path(PENDING).exists());
        assert_eq!(state, new, "{value}, new");

        let repo = recorded();
        let old = repo.read(SNAPSHOT);
        repo.model("ignores-sex");
        let ran = repo.run_with(&update, &["check"]);
        ran.says(i32::from(!changed.0), &["snapshot changed"]);
        let state = (repo.read(SNAPSHOT) != old, repo.path(PENDING).exists());
        assert_eq!(state, changed, "{value}, changed");
    }
}

#[test]
fn accepting_clears_the_pending_file() {
    let repo = Repo::new("planted");
    repo.run(&["check"]);
    assert!(repo.path(PENDING).exists());
    repo.run(&["check", "--accept"]).says(0, &["recorded in "]);
    assert!(!repo.path(PENDING).exists());
    repo.run(&["check"]).says(0, &["snapshot matched"]);
}

#[test]
fn another_model_changes_the_snapshot_although_the_limits_hold() {
    let repo = recorded();
    repo.model("ignores-sex");
    let ran = repo.run(&["check"]);
    let phrases = [
        "FAIL tiny-sex  the limits hold (no counterexample found in",
        "but the snapshot is not accepted",
        "5 counterexamples are recorded, this run found 0",
        "of 3 recorded pairs still there: 0, fixed: 3",
        "to accept: `cargo insta review`",
    ];
    ran.says(1, &phrases);
    let line = repo.json(&[]);
    assert_eq!(line["verdict"], "pass", "{line}");
    assert_eq!(line["passes"], false, "{line}");
    assert_eq!(line["snapshot"], "changed", "{line}");
    assert_eq!(
        line["replay"],
        serde_json::json!({ "still_there": 0, "fixed": 3 })
    );

    repo.run(&["check", "--accept"]).says(0, &[]);
    repo.run(&["check"]).says(0, &["snapshot matched"]);
}

#[test]
fn an_edited_pair_is_a_change() {
    let repo = recorded();
    repo.edit(SNAPSHOT, "scores = [0.168, 0.832]", "scores = [0.168, 0.9]");
    let ran = repo.run(&["check"]);
    ran.says(
        1,
        &[
            "the limits hold",
            "of 3 recorded pairs still there: 3, fixed: 0",
        ],
    );

    // This pair was never one.
    let repo = recorded();
    repo.edit(SNAPSHOT, "a = 3\nb = 1", "a = 0\nb = 0");
    repo.run(&["check"]).says(1, &["still there: 2, fixed: 1"]);
}

#[test]
fn a_pair_that_makes_no_sense_any_more_is_told() {
    let repo = recorded();
    repo.edit(SNAPSHOT, "a = 3\nb = 1", "income = 3\nb = 1");
    let phrases = [
        "snapshot changed",
        "attributes or values that no longer exist",
    ];
    repo.run(&["check"]).says(1, &phrases);
}

#[test]
fn a_merge_conflict_is_a_change_that_can_be_accepted() {
    let conflict = |text: &str| {
        let (head, body) = text.split_once("counterexamples = 5\n").unwrap();
        let both =
            "<<<<<<< HEAD\ncounterexamples = 5\n=======\ncounterexamples = 6\n>>>>>>> other\n";
        format!("{head}{both}{body}")
    };
    let repo = recorded();
    let text = repo.read(SNAPSHOT);
    repo.write(SNAPSHOT, conflict(&text));
    let ran = repo.run(&["check"]);
    ran.says(1, &["snapshot changed", "(a merge conflict?)", "to accept"]);
    repo.run(&["check", "--accept"]).says(0, &[]);
    assert_eq!(repo.read(SNAPSHOT), text);
}

#[test]
fn a_snapshot_can_be_off_or_required() {
    let repo = Repo::new("planted").benchmark("snapshot = \"off\"");
    let before = repo.files();
    let line = repo.json(&["--accept"]);
    assert_eq!(line["snapshot"], "off", "{line}");
    assert!(repo.files() == before);

    let repo = Repo::new("planted").benchmark("snapshot = \"required\"");
    repo.run(&["check"])
        .says(1, &["the snapshot is not accepted", "snapshot new"]);
    repo.run_with(&[("CI", "true")], &["check"])
        .says(1, &["snapshot new"]);
    repo.run(&["check", "--accept"]).says(0, &[]);
    repo.run(&["check"]).says(0, &["snapshot matched"]);
}

#[test]
fn accepting_a_snapshot_never_lifts_a_limit() {
    let repo = Repo::new("planted").spec("rate = 1.0", "rate = { dataset = 0.01 }");
    let over = "the dataset rate is 5.0 %, above the limit of 1.0 %";
    repo.run(&["check", "--accept"])
        .says(1, &[over, "recorded in "]);
    repo.run(&["check"]).says(1, &[over, "snapshot matched"]);
    let always = [("INSTA_UPDATE", "always"), ("INSTA_FORCE_PASS", "1")];
    repo.run_with(&always, &["check"]).says(1, &[over]);
}

#[test]
fn snapshots_can_live_elsewhere() {
    let repo = Repo::new("planted").spec("seed", "snapshots = \"kept/here\"\nseed");
    repo.run(&["check", "--accept"]).says(0, &[]);
    assert!(repo.path("kept/here/fairness__tiny-sex.snap").exists());
    assert!(!repo.path("tests").exists());
    repo.run(&["check"]).says(0, &["snapshot matched"]);
}

#[test]
fn what_is_recorded_does_not_change_what_is_found() {
    for most in [60, 150, 300, 320] {
        let repo = Repo::new("planted").benchmark(&format!("budget = {{ max-queries = {most} }}"));
        let first = repo.json(&["--accept"]);
        let second = repo.json(&[]);
        assert_eq!(second["snapshot"], "matched", "{most}: {second}");
        for field in ["verdict", "counterexamples", "tested", "rates"] {
            assert_eq!(first[field], second[field], "{field} with {most} queries");
        }
        assert!(second["queries"].as_u64().unwrap() <= most, "{second}");
    }
}

#[test]
fn neither_workers_nor_batches_change_a_byte() {
    let cases = [
        (Repo::new("planted"), "tiny-sex"),
        (Repo::of_fixtures(), "heart-sex"),
    ];
    for (repo, name) in cases {
        let file = format!("tests/snapshots/fairness__{name}.snap");
        let mut texts = Vec::new();
        for (jobs, rows) in [("1", "4096"), ("2", "4096"), ("1", "64"), ("2", "64")] {
            let ran: Ran = repo.run(&[
                "check",
                "--exact",
                name,
                "--runtime",
                "embedded",
                "--accept",
                "--jobs",
                jobs,
                "--batch-rows",
                rows,
            ]);
            assert!(ran.stdout.contains("recorded in"), "{ran:?}");
            texts.push(fs::read(repo.path(&file)).unwrap());
            fs::remove_file(repo.path(&file)).unwrap();
        }
        let text = String::from_utf8_lossy(&texts[0]);
        assert!(text.contains("[[pair]]"), "{name} finds something: {text}");
        assert!(texts.iter().all(|text| *text == texts[0]), "{name}");
    }
}
