//! `fairgate explain`, as a user runs it.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking, in its helpers too"
)]

mod common;

use common::Repo;

/// A repository whose snapshot is recorded.
fn recorded() -> Repo {
    let repo = Repo::new("planted");
    let ran = repo.run(&["check", "--accept"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    repo
}

#[test]
fn a_pair_is_explained_and_nothing_is_written() {
    let repo = recorded();
    let before = repo.files();
    for arguments in [
        &["explain", "tiny-sex"][..],
        &["explain", "tiny-sex", "1"],
        &["explain", "tiny-sex", "#1"],
    ] {
        let ran = repo.run(arguments);
        assert_eq!(ran.code, 0, "{ran:?}");
        let pair = &repo.json(&[])["pairs"][0];
        let flips = pair["flips"].as_str().unwrap();
        let mut lines = ran.stdout.lines();
        let first = lines.next().unwrap();
        assert!(first.starts_with("tiny-sex, pair 1 of "), "{first}");
        assert!(lines.next().unwrap().starts_with(flips), "{ran:?}");
        for part in [
            "Attribute by attribute",
            "\n>  sex",
            "From the person to the counterpart",
            "Nearby: both with another value of one attribute",
        ] {
            assert!(ran.stdout.contains(part), "no {part:?} in {}", ran.stdout);
        }
    }
    assert_eq!(repo.files(), before);
}

#[test]
fn the_recorded_pairs_are_those_of_the_snapshot() {
    let repo = recorded();
    let of_run = repo.run(&["explain", "tiny-sex", "2"]);
    let of_snapshot = repo.run(&["explain", "tiny-sex", "2", "--recorded"]);
    assert_eq!((of_run.code, of_snapshot.code), (0, 0), "{of_snapshot:?}");
    assert_eq!(
        of_snapshot.stdout.replace("recorded pair", "pair"),
        of_run.stdout
    );
}

#[test]
fn a_recorded_pair_that_is_mended_is_said_to_be() {
    let repo = recorded();
    repo.model("ignores-sex");
    let ran = repo.run(&["explain", "tiny-sex", "--recorded"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stdout.contains("No longer a counterexample"), "{ran:?}");
}

#[test]
fn what_is_not_there_cannot_be_explained() {
    let repo = recorded();
    for (arguments, code, message) in [
        (&["explain", "tiny-sexx"][..], 2, "did you mean `tiny-sex`?"),
        (&["explain", "tiny-sex", "99"], 2, "there is no pair 99"),
        (&["explain", "tiny-sex", "0"], 2, "counted 1, 2, 3"),
        (&["explain"], 2, "NAME"),
        (&["explain", "tiny-sex", "--spec", "no.toml"], 2, "no.toml"),
    ] {
        let ran = repo.run(arguments);
        assert_eq!(ran.code, code, "{arguments:?}: {ran:?}");
        assert!(ran.stderr.contains(message), "{arguments:?}: {ran:?}");
        assert_eq!(ran.stdout, "", "{arguments:?}");
    }
    let fresh = Repo::new("planted");
    let ran = fresh.run(&["explain", "tiny-sex", "--recorded"]);
    assert_eq!(ran.code, 4, "{ran:?}");
    assert!(ran.stderr.contains("no pair is recorded"), "{ran:?}");
    repo.model("ignores-sex");
    let ran = repo.run(&["explain", "tiny-sex"]);
    assert_eq!(ran.code, 4, "{ran:?}");
    assert!(ran.stderr.contains("no counterexample found in"), "{ran:?}");
}
