//! `fairgate export`, as a user runs it: every figure can be computed again from the rows.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking, in its helpers too"
)]

mod common;

use std::collections::BTreeSet;

use common::Repo;

struct Table {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    fn read(text: &str) -> Self {
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let header = reader
            .headers()
            .unwrap()
            .iter()
            .map(str::to_owned)
            .collect();
        let rows = reader
            .records()
            .map(|row| row.unwrap().iter().map(str::to_owned).collect())
            .collect();
        Table { header, rows }
    }

    fn column(&self, name: &str) -> Vec<&str> {
        let place = self.header.iter().position(|column| column == name);
        let place = place.unwrap_or_else(|| panic!("no {name} in {:?}", self.header));
        self.rows.iter().map(|row| row[place].as_str()).collect()
    }

    fn count(&self, name: &str, value: &str) -> usize {
        self.column(name)
            .iter()
            .filter(|cell| **cell == value)
            .count()
    }

    /// The attributes alone, as a dataset.
    fn people(&self) -> String {
        let own = self
            .header
            .iter()
            .filter(|name| name.starts_with("fairgate_"))
            .count();
        let lines = std::iter::once(&self.header).chain(&self.rows);
        lines.map(|row| row[own..].join(",") + "\n").collect()
    }
}

fn export(repo: &Repo, arguments: &[&str]) -> Table {
    let ran = repo.run(&[&["export"], arguments].concat());
    assert_eq!(ran.code, 0, "{ran:?}");
    Table::read(&ran.stdout)
}

#[test]
fn the_rows_are_what_the_report_counts() {
    let repo = Repo::of_fixtures();
    let line = repo.json(&["--exact", "census-sex"]);
    let count = |name: &str| line[name].as_u64().unwrap() as usize;
    let found = export(&repo, &["census-sex"]);
    assert_eq!(
        found.count("fairgate_role", "person"),
        count("counterexamples")
    );
    assert_eq!(
        found.count("fairgate_role", "counterpart"),
        count("counterexamples")
    );
    let distinct: BTreeSet<&Vec<String>> = found.rows.iter().collect();
    assert_eq!(distinct.len(), found.rows.len());
    let decisions = found.column("fairgate_decision");
    assert!(decisions.chunks(2).all(|pair| pair[0] != pair[1]));

    let tested = export(
        &repo,
        &["census-sex", "--people", "tested", "--counterparts", "none"],
    );
    assert_eq!(tested.rows.len(), count("tested"));
    assert_eq!(
        tested.count("fairgate_found", "true"),
        count("counterexamples")
    );

    let some = export(
        &repo,
        &["census-sex", "--most", "7", "--counterparts", "none"],
    );
    let first: Vec<_> = found.rows.iter().step_by(2).take(7).collect();
    assert_eq!(some.rows.iter().collect::<Vec<_>>(), first);
}

#[test]
fn everyone_exported_is_decided_differently_when_asked_again() {
    let repo = Repo::of_fixtures();
    let found = export(
        &repo,
        &["census-race", "--most", "200", "--counterparts", "all"],
    );
    let persons = found.count("fairgate_role", "person");
    assert_eq!(persons, 200);
    assert!(found.rows.len() > 2 * persons, "race has five values");
    repo.write("found.csv", found.people());
    let census = census_line(&repo.read("fairness.toml"));
    repo.edit("fairness.toml", &census, "path = \"found.csv\"");
    repo.edit("fairness.toml", "label = \"income\"", "");
    let line = repo.json(&["--exact", "census-race"]);
    assert_eq!(line["rates"]["dataset"]["value"], 1.0, "{line}");
    assert_eq!(line["rates"]["dataset"]["of"], found.rows.len());
}

/// The line of the spec that names the dataset of the census.
fn census_line(spec: &str) -> String {
    let line = spec.lines().find(|line| line.ends_with("/census.csv\""));
    line.unwrap().to_owned()
}

#[test]
fn the_model_eats_numbers() {
    let repo = Repo::of_fixtures();
    let words = export(&repo, &["census-sex", "--most", "20"]);
    let numbers = export(&repo, &["census-sex", "--most", "20", "--as", "model"]);
    assert_eq!(words.header, numbers.header);
    assert_eq!(
        words.column("education-num"),
        numbers.column("education-num")
    );
    for (word, number) in words.column("sex").into_iter().zip(numbers.column("sex")) {
        let code = ["Female", "Male"].iter().position(|sex| *sex == word);
        assert_eq!(number, code.unwrap().to_string());
    }
}

#[test]
fn a_file_is_written_whole_or_not_at_all() {
    let repo = Repo::new("planted");
    let ran = repo.run(&["export", "tiny-sex", "--output", "found.csv"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""), "{ran:?}");
    assert!(ran.stderr.contains("people found in"), "{ran:?}");
    let printed = repo.run(&["export", "tiny-sex"]);
    assert_eq!(repo.read("found.csv"), printed.stdout);
    let before = repo.files();
    let ran = repo.run(&["export", "tiny-sex", "--output", "no/found.csv"]);
    assert_eq!(ran.code, 3, "{ran:?}");
    assert!(
        ran.stderr.contains("no/found.csv cannot be written"),
        "{ran:?}"
    );
    assert_eq!(repo.files(), before);
}

#[test]
fn nobody_found_is_a_header_alone() {
    let repo = Repo::new("ignores-sex");
    let table = export(&repo, &["tiny-sex"]);
    assert_eq!(table.rows.len(), 0);
    let own =
        ["number", "role", "found", "score", "decision"].map(|name| format!("fairgate_{name}"));
    assert_eq!(table.header[..5], own);
    assert_eq!(table.header[5..], ["a", "b", "sex"]);
}
