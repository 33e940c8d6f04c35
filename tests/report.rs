//! `fairgate report` without a browser: when the page is written, what it says, and that everything
//! else is as `fairgate check` does it.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test"
)]

mod common;

use std::fs;

use common::{OF_THE_RUN, Repo, SNAPSHOT};

const PAGE: &str = "fairness-report.html";

/// The page without what depends on the clock.
fn timeless(page: &str) -> String {
    let mut text = String::new();
    let mut rest = page;
    while let Some(start) = rest.find("<dt>time</dt><dd>") {
        let end = start + rest[start..].find("</dd>").unwrap();
        text.push_str(&rest[..start]);
        rest = &rest[end..];
    }
    text.push_str(rest);
    let made = text.find(" UTC").unwrap();
    text.replace_range(made - 16..made, "");
    text
}

#[test]
fn a_page_is_written_and_all_else_is_as_check_does_it() {
    let repo = Repo::new("planted");
    let checked = repo.run_with(&[("CI", "1")], &["check", "--format", "json"]);
    assert!(!repo.path(PAGE).exists());
    let reported = repo.run_with(&[("CI", "1")], &["report", "--format", "json"]);
    assert_eq!(checked.code, reported.code);
    let line = |text: &str| -> serde_json::Value {
        let mut line: serde_json::Value = serde_json::from_str(text).unwrap();
        for field in OF_THE_RUN {
            line[field] = 0.into();
        }
        line
    };
    assert_eq!(line(&checked.stdout), line(&reported.stdout));
    assert!(
        reported
            .stderr
            .contains("the report is in fairness-report.html"),
        "{reported:?}"
    );
    let page = repo.read(PAGE);
    assert!(
        page.starts_with("<!DOCTYPE html><html lang=\"en\">"),
        "{page}"
    );
    let phrases = ["tiny-sex", "1 passed", "Female", "Found over queries"];
    for phrase in phrases {
        assert!(page.contains(phrase), "no {phrase:?}");
    }
    let left: Vec<_> = fs::read_dir(repo.path("")).unwrap().collect();
    assert_eq!(
        left.len(),
        4,
        "the spec, the model, the data and the page: {left:?}"
    );
}

#[test]
fn every_figure_is_in_the_json() {
    let repo = Repo::new("planted");
    repo.run(&["report"])
        .says(0, &["PASS tiny-sex", "1 passed"]);
    let (page, line) = (repo.read(PAGE), repo.json(&[]));
    assert!(line["calls"].as_u64() > Some(0) && line["batch_rows"] == 4096);
    assert!(page.contains(" calls of 4,096 rows at the most"));
    let percent = |value: &serde_json::Value| format!("{:.1} %", 100.0 * value.as_f64().unwrap());
    for rate in ["search", "dataset", "domain"] {
        let words = format!("<th scope=\"row\">{rate}</th>");
        let row = &page[page.find(&words).expect("a row")..];
        let value = percent(&line["rates"][rate]["value"]);
        assert!(
            row[..200].contains(&value),
            "{rate} is {value}: {}",
            &row[..200]
        );
    }
    for pair in line["pairs"].as_array().unwrap() {
        for score in pair["scores"].as_array().unwrap() {
            let score = format!("<td>{:.3}</td>", score.as_f64().unwrap());
            assert!(page.contains(&score), "{score}");
        }
    }
    let progress = line["progress"].as_array().unwrap();
    assert!(progress.len() > 1, "{line}");
    assert_eq!(progress.last().unwrap()[1], line["counterexamples"]);
    assert!(progress.last().unwrap()[0].as_u64() <= line["queries"].as_u64());
}

#[test]
fn the_same_run_gives_the_same_page() {
    let repo = Repo::new("planted").benchmark("[benchmark.tiny-b]\nmodel = \"tiny\"\ndataset = \"tiny\"\nprotected = [\"b\"]\nmax-discrimination-rate = 1.0");
    let page = |arguments: &[&str]| {
        repo.run(&[&["report"], arguments].concat());
        timeless(&repo.read(PAGE))
    };
    let first = page(&["--jobs", "1"]);
    assert!(first == page(&["--jobs", "3", "--batch-rows", "7"]));
    let one = page(&["--exact", "tiny-b"]);
    assert!(one != first && !one.contains("benchmark-tiny-sex"));
}

#[test]
fn a_gate_that_fails_has_a_page_too() {
    let repo =
        Repo::new("planted").spec("max-discrimination-rate = 1.0", "max-counterexamples = 2");
    let ran = repo.run(&["report", "--output", "public/gate/index.html"]);
    ran.says(1, &["FAIL tiny-sex", "1 failed"]);
    let page = repo.read("public/gate/index.html");
    assert!(page.contains("1 failed") && page.contains("at most 2 allowed"));
    assert!(page.contains("At most 2 counterexamples are allowed."));
}

#[test]
fn what_changed_since_the_snapshot() {
    let repo = Repo::new("planted");
    repo.run(&["check", "--accept"]).says(0, &[]);
    repo.run(&["report"]).says(0, &["snapshot matched"]);
    let page = repo.read(PAGE);
    assert!(page.contains("5 recorded, 5 now") && page.contains("3 still there, 0 fixed"));
    assert!(page.contains("3 as recorded, 0 new, 0 no longer among them"));

    repo.model("ignores-sex");
    repo.run(&["report"]).says(1, &["snapshot changed"]);
    let page = repo.read(PAGE);
    for phrase in [
        "snapshot not accepted",
        "5 recorded, 0 now",
        "0 still there, 3 fixed",
        "0 as recorded, 0 new, 3 no longer among them",
    ] {
        assert!(page.contains(phrase), "no {phrase:?}");
    }
    let line = repo.json(&[]);
    assert_eq!(line["changes"]["recorded"], 5, "{line}");
    assert_eq!(line["changes"]["gone"].as_array().unwrap().len(), 3);
    assert_eq!(line["changes"]["gone"][0]["still_there"], false);

    // One recorded pair is no pair of this schema any more: it is gone, and nobody could be asked.
    repo.model("planted");
    repo.edit(SNAPSHOT, "a = 1\nb = 3", "income = 1\nb = 3");
    let line = repo.json(&[]);
    let changes = &line["changes"];
    assert_eq!(changes["new"].as_array().unwrap().len(), 1, "{line}");
    assert_eq!(changes["gone"].as_array().unwrap().len(), 1, "{line}");
    assert_eq!(changes["gone"][0]["still_there"], serde_json::Value::Null);
}

#[test]
fn the_files_are_identified() {
    let repo = Repo::new("planted");
    repo.run(&["report"]);
    let page = repo.read(PAGE);
    for file in ["fairness.toml", "model.onnx", "tiny.csv"] {
        let bytes = fs::metadata(repo.path(file)).unwrap().len();
        let row = &page[page.find(&format!("<td><code>{file}")).expect("a row")..];
        assert!(
            row[..200].contains(&format!(">{bytes}<")) || bytes > 999,
            "{file}"
        );
    }
    let before = page.matches("class=\"hash\"").count();
    assert_eq!(before, 3);
    repo.model("ignores-sex");
    repo.run(&["report"]);
    let hash = |page: &str| {
        let row = &page[page.find("<td><code>model.onnx").unwrap()..];
        let start = row.find("\"hash\">").unwrap() + 7;
        row[start..start + 64].to_owned()
    };
    assert_ne!(hash(&page), hash(&repo.read(PAGE)));
}

#[test]
fn where_nothing_can_be_written_is_said_before_anything_runs() {
    let repo = Repo::new("planted");
    repo.write("taken/x", "");
    repo.write("a-file", "");
    for output in ["taken", "a-file/page.html"] {
        let before = repo.files();
        let ran = repo.run(&["report", "--output", output]);
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(ran.stderr.contains("cannot write the report"), "{ran:?}");
        assert!(ran.stderr.contains("--output FILE"), "{ran:?}");
        assert!(ran.stdout.is_empty() && repo.files() == before, "{ran:?}");
    }
}

#[test]
fn a_bad_spec_has_no_page() {
    let repo = Repo::new("planted").spec("protected", "protectd");
    let ran = repo.run(&["report"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(!repo.path(PAGE).exists());
}

#[test]
fn a_model_that_ignores_sex_is_not_called_fair() {
    let repo = Repo::new("ignores-sex");
    repo.run(&["report"])
        .says(0, &["no counterexample found in"]);
    let page = repo.read(PAGE);
    assert!(page.contains("no counterexample found in"));
    let body = &page[page.find("<body>").unwrap()..];
    assert!(!body.to_lowercase().contains(" fair "), "never");
    assert!(
        !page.contains("class=\"host\""),
        "there is nothing to put into a table"
    );
}
