//! `fairgate check --exhaustive`: what it refuses, and that a run that was ended goes on.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test"
)]

mod common;

use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, Instant};

use common::{OF_THE_RUN, Ran, Repo, flat};
use serde_json::Value;

/// `planted` in a domain of 2 x 1,001 x 1,001 people. Its decision depends on sex exactly where a + b
/// is 4: five profiles.
fn large() -> Repo {
    Repo::new("planted")
        .spec("a = { min = 0, max = 4 }", "a = { min = 0, max = 1000 }")
        .spec("b = { min = 0, max = 4 }", "b = { min = 0, max = 1000 }")
        .benchmark("snapshot = \"off\"")
        .benchmark("budget = { global-seeds = 5, local-steps = 5 }")
}

const EXHAUSTIVE: [&str; 4] = ["check", "--exhaustive", "--format", "json"];

fn state(repo: &Repo) -> PathBuf {
    repo.path("target/fairgate/tiny-sex.everyone")
}

/// What a run found, without how long it took.
fn found(ran: &Ran) -> Value {
    let mut json: Value = serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"));
    for field in OF_THE_RUN {
        json[field] = Value::Null;
    }
    json
}

/// Starts a slow run and kills it as soon as it has written down how far it is.
fn kill_one(repo: &Repo) {
    let mut slow = repo.command(&[&EXHAUSTIVE[..], &["--jobs", "1", "--batch-rows", "4"]].concat());
    let mut child = slow
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let started = Instant::now();
    while !state(repo).exists() {
        let running = child.try_wait().unwrap().is_none();
        assert!(running, "it was done before it could be killed");
        assert!(
            started.elapsed() < Duration::from_secs(60),
            "nothing is written down"
        );
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().unwrap();
    let killed = child.wait_with_output().unwrap();
    assert!(killed.stdout.is_empty() && !killed.status.success());
    assert!(state(repo).exists());
}

#[test]
fn a_run_that_was_killed_goes_on_and_finds_the_same() {
    let repo = large();
    let whole = repo.run(&EXHAUSTIVE);
    assert_eq!(
        (whole.code, whole.stderr.contains("going on")),
        (0, false),
        "{whole:?}"
    );
    let json = found(&whole);
    let domain = &json["rates"]["domain"];
    assert_eq!(domain["exact"], true);
    assert_eq!(domain["people"], 2 * 1001 * 1001);
    assert_eq!(domain["value"], 10.0 / (2.0 * 1001.0 * 1001.0));
    assert_eq!(domain["undecided"], 0);
    // Nothing is left behind, the folder neither.
    assert!(!repo.path("target").join("fairgate").exists());

    kill_one(&repo);
    assert_eq!(repo.read("target/fairgate/.gitignore"), "*\n");
    let resumed = repo.run(&EXHAUSTIVE);
    let said = "tiny-sex: going on where the last run was ended, after ";
    assert!(resumed.stderr.contains(said), "{resumed:?}");
    assert_eq!(found(&resumed), json);
    assert!(!state(&repo).exists());
}

#[test]
fn a_state_of_something_else_or_a_damaged_one_is_not_used() {
    let repo = large();
    kill_one(&repo);
    let kept = repo.read("target/fairgate/tiny-sex.everyone");
    // Other decisions: of 1,002,001 profiles those where a + b is 4 still, but from another side.
    repo.edit(
        "fairness.toml",
        "runtime = \"embedded\"",
        "runtime = \"embedded\"\nthreshold = 0.4",
    );
    let another = repo.run(&EXHAUSTIVE);
    let said = "had another model, domain or setting: beginning anew";
    assert!(another.stderr.contains(said), "{another:?}");
    repo.edit("fairness.toml", "\nthreshold = 0.4", "");
    let whole = repo.run(&EXHAUSTIVE);
    assert_eq!((whole.code, whole.stderr.contains("anew")), (0, false));
    for damaged in [
        kept[..kept.len() / 2].to_owned(),
        kept.replacen(":0,", ":1,", 1),
        String::new(),
    ] {
        assert_ne!(damaged, kept);
        repo.write("target/fairgate/tiny-sex.everyone", damaged);
        let ran = repo.run(&EXHAUSTIVE);
        let said = "the file that says how far the last run came is damaged: beginning anew";
        assert!(ran.stderr.contains(said), "{ran:?}");
        assert_eq!(found(&ran), found(&whole));
    }
}

#[test]
fn a_time_limit_is_kept_and_the_next_run_goes_on() {
    let repo = large().spec(
        "local-steps = 5 }",
        "local-steps = 5, domain-sample = 500, time-limit = \"400ms\" }",
    );
    let slow = ["--jobs", "1", "--batch-rows", "4"];
    let ran = repo.run(&[&["check", "--exhaustive"], &slow[..]].concat());
    ran.says(
        4,
        &["looking at everyone in the domain stopped at time-limit = \"400ms\" after "],
    );
    ran.says(
        4,
        &["of 2,004,002 people; the same command goes on from there"],
    );
    // What the sample says is still there.
    ran.says(4, &["of 500 possible people; 95 % confidence"]);
    let next = repo.run(&[&["check", "--exhaustive"], &slow[..]].concat());
    assert!(
        next.stderr
            .contains("going on where the last run was ended"),
        "{next:?}"
    );
}

#[test]
fn workers_batches_and_being_asked_change_nothing() {
    let repo = large();
    let rates = |arguments: &[&str]| {
        let json = repo.json(arguments);
        (json["rates"]["domain"].clone(), json["pairs"].clone())
    };
    let first = rates(&["--exhaustive"]);
    assert_eq!(
        rates(&["--exhaustive", "--jobs", "1", "--batch-rows", "100000"]),
        first
    );
    assert_eq!(
        rates(&["--exhaustive", "--jobs", "3", "--batch-rows", "77"]),
        first
    );
    // The domain is too large to be walked over unasked, unless the spec says otherwise.
    assert_eq!(rates(&[]).0["exact"], false);
    repo.edit(
        "fairness.toml",
        "local-steps = 5",
        "local-steps = 5, exhaustive = 2004002",
    );
    assert_eq!(rates(&[]), first);
}

#[test]
fn what_cannot_be_walked_over_is_refused_in_a_sentence() {
    let refused = |repo: &Repo, phrases: &[&str]| {
        let ran = repo.run(&["check", "--exhaustive"]);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{ran:?}");
        let said = flat(&ran.stderr);
        for phrase in phrases {
            assert!(said.contains(phrase), "no {phrase:?} in {said}");
        }
    };
    let huge = large().spec(
        "a = { min = 0, max = 1000 }",
        "a = { min = 0, max = 10000000 }",
    );
    refused(
        &huge,
        &[
            "[benchmark.tiny-sex]: the declared domain has 20,020,002,002 people; at most \
             10,000,000,000 can be looked at one by one",
            "the domain rate is then estimated from a sample",
        ],
    );
    assert_eq!(huge.run(&["check"]).code, 0);
    refused(
        &large().spec(
            "local-steps = 5 }",
            "local-steps = 5, max-queries = 500000 }",
        ),
        &[
            "`max-queries = 500000` allows fewer rows than the 2,004,002",
            "take it out of `budget`",
        ],
    );
    refused(
        &large().spec("[\"sex\"]", "[\"a\", \"sex\"]"),
        &[
            "compared with 1,000 of 2,002 combinations of protected values",
            "raise `max-combinations`",
        ],
    );
}

#[test]
fn nobody_in_the_whole_domain_is_a_proof() {
    // Where a is at least 5, everybody is decided alike.
    let repo = large().spec("a = { min = 0, max = 1000 }", "a = { min = 5, max = 1004 }");
    let people: Vec<String> = (5..30).map(|a| format!("{a},1,Male,1")).collect();
    repo.write(
        "tiny.csv",
        format!("a,b,sex,label\n{}\n", people.join("\n")),
    );
    let ran = repo.run(&["check", "--exhaustive"]);
    ran.says(
        0,
        &[
            "PASS tiny-sex  no counterexample found in ",
            "no counterexample exists in the declared domain (all 2,002,000 people were \
             looked at)",
            "0 of 2,002,000 possible people; exact",
        ],
    );
    let sampled = repo.run(&["check"]);
    sampled.says(0, &["PASS tiny-sex  no counterexample found in "]);
}
