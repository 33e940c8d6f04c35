//! What other programs read: JUnit documents, annotations, step summaries, completions, manual pages
//! and the JSON Schema of the spec; and what Ctrl-C leaves of a run.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test"
)]

mod common;

use std::fs;
use std::path::Path;

use common::{Ran, Repo, project};

/// A benchmark that fails and, on a model that ignores sex, one that passes.
fn two_benchmarks() -> Repo {
    let more = "[model.even]\npath = \"even.onnx\"\nruntime = \"embedded\"\n\
        [benchmark.even-sex]\nmodel = \"even\"\ndataset = \"tiny\"\nprotected = [\"sex\"]\n";
    let repo = Repo::new("planted")
        .spec("rate = 1.0", "rate = 0.01")
        .benchmark(more);
    fs::copy(common::fixture("ignores-sex.onnx"), repo.path("even.onnx")).unwrap();
    repo
}

/// The elements of a JUnit document with the attributes and the elements that strict readers (the
/// schemas of Jenkins and of Surefire) know in each; required attributes have a `!`.
const JUNIT: &[(&str, &[&str], &[&str])] = &[
    (
        "testsuites",
        &["name", "time", "tests", "failures", "errors"],
        &["testsuite"],
    ),
    (
        "testsuite",
        &[
            "name!",
            "tests!",
            "failures!",
            "errors!",
            "skipped",
            "time",
            "timestamp",
        ],
        &["properties", "testcase", "system-out", "system-err"],
    ),
    (
        "testcase",
        &["name!", "classname", "time"],
        &["skipped", "error", "failure", "system-out", "system-err"],
    ),
    ("failure", &["message", "type"], &[]),
    ("error", &["message", "type"], &[]),
    ("skipped", &["message", "type"], &[]),
    ("system-out", &[], &[]),
];

/// Checks every element against [`JUNIT`], and the counts against what there is.
fn check_junit(text: &str) {
    let document = roxmltree::Document::parse(text).unwrap_or_else(|e| panic!("{e}: {text}"));
    assert_eq!(document.root_element().tag_name().name(), "testsuites");
    for node in document.descendants().filter(|node| node.is_element()) {
        let name = node.tag_name().name();
        let (_, attributes, children) = JUNIT
            .iter()
            .find(|(element, _, _)| *element == name)
            .unwrap_or_else(|| panic!("<{name}> is unknown"));
        for attribute in node.attributes() {
            let known = |known: &&str| known.trim_end_matches('!') == attribute.name();
            assert!(attributes.iter().any(known), "{name} {}", attribute.name());
        }
        for required in attributes.iter().filter_map(|name| name.strip_suffix('!')) {
            assert!(node.has_attribute(required), "<{name}> has no {required}");
        }
        for child in node.children().filter(|child| child.is_element()) {
            assert!(children.contains(&child.tag_name().name()), "{name}");
        }
        if let Some(time) = node.attribute("time") {
            assert!(time.parse::<f64>().unwrap() >= 0.0, "{time}");
        }
    }
    let suite = document.root_element().first_element_child().unwrap();
    for (attribute, element) in [
        ("tests", "testcase"),
        ("failures", "failure"),
        ("errors", "error"),
        ("skipped", "skipped"),
    ] {
        let there = suite.descendants().filter(|n| n.has_tag_name(element));
        assert_eq!(
            suite.attribute(attribute),
            Some(there.count().to_string().as_str())
        );
    }
}

fn attribute(text: &str, case: &str, name: &str) -> Option<String> {
    let document = roxmltree::Document::parse(text).unwrap();
    let case = document
        .descendants()
        .find(|node| node.attribute("name") == Some(case))?;
    let outcome = case
        .children()
        .find(|child| ["failure", "error", "skipped"].contains(&child.tag_name().name()))?;
    match name {
        "element" => Some(outcome.tag_name().name().to_owned()),
        "text" => outcome.text().map(str::to_owned),
        name => outcome.attribute(name).map(str::to_owned),
    }
}

#[test]
fn junit_has_a_case_for_each_benchmark() {
    let ran = two_benchmarks().run(&["check", "--format", "junit"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (1, ""), "{ran:?}");
    check_junit(&ran.stdout);
    let document = roxmltree::Document::parse(&ran.stdout).unwrap();
    let suite = document.root_element().first_element_child().unwrap();
    assert_eq!(suite.attribute("name"), Some("fairness"));
    let cases: Vec<_> = suite.children().filter(|n| n.is_element()).collect();
    let names: Vec<_> = cases.iter().map(|case| case.attribute("name")).collect();
    assert_eq!(names, [Some("even-sex"), Some("tiny-sex")], "by name");
    for case in &cases {
        assert_eq!(case.attribute("classname"), Some("fairgate"));
        let output = case.children().find(|c| c.has_tag_name("system-out"));
        let output = output.and_then(|o| o.text()).unwrap_or_default();
        assert!(output.contains("of the dataset's 20 people"), "{output}");
    }
    let told = |name| attribute(&ran.stdout, "tiny-sex", name).unwrap();
    assert_eq!(told("element"), "failure");
    assert_eq!(told("type"), "limit-exceeded");
    assert!(told("message").starts_with("fail: the search rate is"));
    assert!(told("text").contains("sex: Female -> Male flips \"no\" to \"yes\""));
    assert_eq!(attribute(&ran.stdout, "even-sex", "element"), None);
}

#[test]
fn junit_tells_the_other_endings_apart() {
    let junit = |repo: &Repo, code| {
        let ran = repo.run(&["check", "--format", "junit"]);
        assert_eq!(ran.code, code, "{ran:?}");
        check_junit(&ran.stdout);
        ["element", "type"].map(|name| attribute(&ran.stdout, "tiny-sex", name))
    };
    let is = |element: &str, kind: &str| [Some(element.to_owned()), Some(kind.to_owned())];
    let small = Repo::new("planted").benchmark("budget = { max-queries = 100 }");
    assert_eq!(junit(&small, 4), is("failure", "inconclusive"));
    let tolerated = small.benchmark("on-inconclusive = \"pass\"");
    assert_eq!(junit(&tolerated, 0), [None, None]);

    let missing = Repo::new("planted").benchmark("snapshot = \"required\"");
    assert_eq!(junit(&missing, 1), is("failure", "snapshot-changed"));
    let nowhere = Repo::new("planted").spec("seed = 42", "seed = 42\nsnapshots = \"tiny.csv\"");
    assert_eq!(junit(&nowhere, 3), is("error", "unusable"));
}

#[test]
fn junit_keeps_odd_names_whole() {
    let repo = Repo::new("planted").spec("rate = 1.0", "rate = 0.01").spec(
        "runtime =",
        "decisions = [\"a < b & 'c' ]]>\", \"\\u001b[31m\\u0001\"]\nruntime =",
    );
    let ran = repo.run(&["check", "--format", "junit"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    check_junit(&ran.stdout);
    let text = attribute(&ran.stdout, "tiny-sex", "text").unwrap();
    assert!(text.contains("a < b & 'c' ]]>"), "{text}");
    assert!(
        !text.contains('\u{1}') && !ran.stdout.contains("&#x1;"),
        "{text}"
    );
}

#[test]
fn annotations_stand_at_the_line_of_the_benchmark() {
    let repo = two_benchmarks();
    let spec = repo.read("fairness.toml");
    let line = 1 + spec
        .lines()
        .position(|l| l == "[benchmark.tiny-sex]")
        .unwrap();
    let ran = repo.run(&["check", "--format", "github"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (1, ""), "{ran:?}");
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert_eq!(lines.len(), 2, "{ran:?}");
    let start =
        format!("::error file=fairness.toml,line={line},title=tiny-sex%3A fail::fail: the ");
    assert!(lines[0].starts_with(&start), "{}", lines[0]);
    assert!(lines[0].contains("1.0 %25%0A  search "), "{}", lines[0]);
    assert_eq!(lines[1], "fairgate: 1 passed, 1 failed");
}

#[test]
fn annotations_name_the_file_from_the_top_of_the_repository() {
    let repo = Repo::with_spec("");
    let below = Repo::new("planted").spec("rate = 1.0", "rate = 0.01");
    for name in ["fairness.toml", "tiny.csv", "model.onnx"] {
        repo.write(
            &format!("models/{name}"),
            fs::read(below.path(name)).unwrap(),
        );
    }
    let top = repo.path("").canonicalize().unwrap();
    let mut command = repo.command(&["check", "--format", "github"]);
    command.current_dir(top.join("models"));
    let ran = Ran::of(command.env("GITHUB_WORKSPACE", &top));
    assert!(
        ran.stdout
            .starts_with("::error file=models/fairness.toml,line="),
        "{ran:?}"
    );
}

#[test]
fn a_step_summary_is_added_to_the_file_whatever_the_format() {
    let repo = two_benchmarks();
    repo.write("summary.md", "before\n");
    let summary = repo.path("summary.md").display().to_string();
    for format in ["pretty", "json", "junit", "github"] {
        let plain = repo.run(&["check", "--format", format]);
        let ran = repo.run_with(
            &[("GITHUB_STEP_SUMMARY", &summary)],
            &["check", "--format", format],
        );
        assert_eq!((ran.code, ran.stderr.as_str()), (1, ""), "{ran:?}");
        assert_eq!(ran.stdout.lines().count(), plain.stdout.lines().count());
    }
    let text = repo.read("summary.md");
    assert!(
        text.starts_with("before\n## Fairness: 1 passed, 1 failed\n"),
        "{text}"
    );
    assert_eq!(text.matches("## Fairness: ").count(), 4, "{text}");
    for part in [
        "| benchmark | verdict | search | dataset | domain | counterexamples |\n",
        "| tiny-sex | ❌ fail | ",
        "| even-sex | ✅ pass | 0.0 % (limit 5.0 %) | 0.0 % | 0.0 % (exact) | 0 |\n",
        "| **sex** | **Female** | **Male** |\n| **decision** | **no** | **yes** |\n",
        "\n| a | ",
        "`fairgate check --spec fairness.toml --exact tiny-sex`",
    ] {
        assert!(text.contains(part), "no {part:?} in {text}");
    }
}

#[test]
fn a_summary_that_cannot_be_written_decides_nothing() {
    let repo = Repo::new("planted");
    let ran = repo.run_with(&[("GITHUB_STEP_SUMMARY", "/no/such/folder/x")], &["check"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let said = "the summary could not be written to /no/such/folder/x (GITHUB_STEP_SUMMARY)";
    assert!(ran.stderr.contains(said), "{ran:?}");
    assert_eq!(ran.stderr.lines().count(), 1, "{ran:?}");
    let ran = repo.run_with(&[("GITHUB_STEP_SUMMARY", "")], &["check"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{ran:?}");
}

#[cfg(unix)]
mod interrupted {
    use std::process::{Child, Command, Stdio};
    use std::time::{Duration, Instant};

    use super::*;

    /// Benchmarks that would run for hours, and hold little memory while they are watched.
    fn endless() -> Repo {
        let budget = "global-seeds = 20000, local-steps = 1000000";
        Repo::of_fixtures().spec("global-seeds = 50, local-steps = 50", budget)
    }

    fn start(repo: &Repo, arguments: &[&str]) -> Child {
        let mut command = repo.command(&[&["check", "--runtime", "embedded"], arguments].concat());
        let piped = command.stdout(Stdio::piped()).stderr(Stdio::piped());
        piped.spawn().unwrap()
    }

    fn send(signal: &str, child: &Child) {
        let kill = format!("kill -{signal} {}", child.id());
        assert!(
            Command::new("sh")
                .args(["-c", &kill])
                .status()
                .unwrap()
                .success()
        );
    }

    /// What it said, after it was asked to end and did so soon.
    fn ended(child: Child, signal: &str) -> Ran {
        send(signal, &child);
        let asked = Instant::now();
        let output = child.wait_with_output().unwrap();
        let took = asked.elapsed();
        // A second, with room for a machine that has other things to do.
        assert!(took < Duration::from_secs(4), "{took:?}");
        Ran {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
            took,
        }
    }

    #[test]
    fn a_run_ends_soon_with_what_was_found_and_records_nothing() {
        for signal in ["INT", "TERM"] {
            let repo = endless();
            let before = repo.files();
            let child = start(&repo, &["heart", "--accept", "--jobs", "1"]);
            std::thread::sleep(Duration::from_secs(3));
            let ran = ended(child, signal);
            ran.says(
                4,
                &[
                    "???? heart-age  inconclusive: the run was interrupted\n",
                    " counterexamples among ",
                    "snapshot off: not compared: the search was cut short",
                    "---- heart-sex  not run: the run was interrupted before it began\n",
                    "\n1 inconclusive, 1 not run\n",
                ],
            );
            assert!(!ran.stdout.contains("among 0 people"), "{ran:?}");
            assert!(ran.stderr.contains("interrupted: ending with"), "{ran:?}");
            assert!(repo.files() == before, "nothing may be recorded");
        }
    }

    #[test]
    fn a_limit_that_is_exceeded_already_fails() {
        let repo = endless();
        let spec = repo.read("fairness.toml");
        let at = spec.find("[benchmark.heart-age]").unwrap();
        let (head, tail) = spec.split_at(at);
        let limits = tail
            .lines()
            .find(|l| l.starts_with("max-discrimination"))
            .unwrap();
        let zero = "max-discrimination-rate = { dataset = 0.0 }";
        repo.write(
            "fairness.toml",
            head.to_owned() + &tail.replacen(limits, zero, 1),
        );
        let child = start(&repo, &["--exact", "heart-age"]);
        std::thread::sleep(Duration::from_secs(3));
        let ran = ended(child, "INT");
        ran.says(
            1,
            &[
                "FAIL heart-age  fail: the dataset rate is",
                "note: the run was interrupted",
                "1 failed",
            ],
        );
    }

    #[test]
    fn an_interrupted_run_does_not_pass_even_where_inconclusive_does() {
        let repo = endless().spec("seed = 42", "seed = 42\non-inconclusive = \"pass\"");
        let child = start(&repo, &["--exact", "heart-age", "--format", "json"]);
        std::thread::sleep(Duration::from_secs(2));
        let ran = ended(child, "INT");
        assert_eq!(ran.code, 4, "{ran:?}");
        let line: serde_json::Value = serde_json::from_str(ran.stdout.trim()).unwrap();
        assert_eq!(line["verdict"], "inconclusive", "{line}");
        assert_eq!(line["passes"], false, "{line}");
    }

    #[test]
    fn before_anything_ran_everything_is_listed_as_not_run() {
        let repo = endless();
        let all = repo.read("fairness.toml").matches("[benchmark.").count();
        for (format, line) in [
            (
                "pretty",
                "not run: the run was interrupted before it began\n",
            ),
            ("json", "\"verdict\":\"not-run\""),
            ("junit", "<skipped message=\"not run: "),
        ] {
            // How long reading and opening takes depends on the machine.
            let listed = [10, 20, 40, 80, 160, 320].into_iter().any(|wait| {
                let child = start(&repo, &["--format", format]);
                std::thread::sleep(Duration::from_millis(wait));
                let ran = ended(child, "INT");
                ran.code == 4 && ran.stdout.matches(line).count() == all
            });
            assert!(listed, "{format}");
        }
    }

    #[test]
    fn a_second_one_ends_at_once() {
        let repo = endless();
        // Both come before the run can end by itself, unless the machine is very busy.
        let ended_at_once = (0..5).any(|_| {
            let child = start(&repo, &["--exact", "heart-age"]);
            std::thread::sleep(Duration::from_secs(2));
            for signal in ["STOP", "INT", "TERM", "CONT"] {
                send(signal, &child);
            }
            child.wait_with_output().unwrap().status.code() == Some(130)
        });
        assert!(ended_at_once);
    }
}

#[test]
fn completions_for_every_shell() {
    let repo = Repo::with_spec("");
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let ran = repo.run(&["completions", shell]);
        ran.says(0, &["fairgate", "completions", "batch-rows"]);
        assert_eq!(ran.stderr, "");
        // The other shells complete no values.
        if ["bash", "fish", "zsh"].contains(&shell) {
            ran.says(0, &["junit", "onnxruntime"]);
        }
    }
    assert_eq!(repo.run(&["completions", "cmd"]).code, 2);
}

#[test]
fn manual_pages() {
    let repo = Repo::with_spec("");
    let page = repo.run(&["man"]);
    page.says(0, &[".TH fairgate 1", ".SH EXAMPLES", "Exit codes:"]);
    let place = |what: &str| page.stdout.find(what).unwrap_or_else(|| panic!("{what}"));
    assert!(place(".SH EXAMPLES") < place(".SH OPTIONS"));
    let page = repo.run(&["man", "check"]);
    page.says(0, &["fairgate\\-check", "\\-\\-format", "junit"]);
    assert_eq!(repo.run(&["man", "nothing"]).code, 2);
}

fn schema() -> jsonschema::Validator {
    let printed = Repo::with_spec("").run(&["schema"]);
    let committed = fs::read_to_string(project().join("fairness.schema.json")).unwrap();
    assert!(
        printed.stdout == committed.replace("\r\n", "\n"),
        "it is old"
    );
    let schema = serde_json::from_str(&printed.stdout).unwrap();
    jsonschema::draft7::meta::validate(&schema).unwrap();
    jsonschema::draft7::new(&schema).unwrap()
}

/// A spec as editors see it: dates are text.
fn as_json(value: toml::Value) -> serde_json::Value {
    match value {
        toml::Value::Datetime(date) => date.to_string().into(),
        toml::Value::Array(items) => items.into_iter().map(as_json).collect(),
        toml::Value::Table(table) => table
            .into_iter()
            .map(|(key, value)| (key, as_json(value)))
            .collect(),
        plain => serde_json::to_value(plain).unwrap(),
    }
}

fn mistakes(schema: &jsonschema::Validator, spec: &str) -> Vec<String> {
    let spec: toml::Table = spec.parse().unwrap();
    let spec = as_json(toml::Value::Table(spec));
    let told =
        |error: jsonschema::ValidationError<'_>| format!("{}: {error}", error.instance_path());
    schema.iter_errors(&spec).map(told).collect()
}

#[test]
fn good_specs_are_good_by_the_schema_too() {
    let schema = schema();
    let good = |path: &Path| {
        let spec = fs::read_to_string(path).unwrap();
        let found = mistakes(&schema, &spec);
        assert!(found.is_empty(), "{}: {found:#?}", path.display());
    };
    for file in [
        "src/spec/defaults.toml",
        "fairness.toml",
        "fixtures/zoo/fairness.toml",
        "examples/failing-gate/fairness.toml",
    ] {
        good(&project().join(file));
    }
    // What is commented out in the example is right as well.
    let example = fs::read_to_string(project().join("src/spec/defaults.toml")).unwrap();
    let uncommented: Vec<&str> = example
        .lines()
        .map(|line| match line.strip_prefix("# ") {
            Some(rest) if rest.starts_with('[') || rest.contains(" = ") => rest,
            _ => line,
        })
        .collect();
    let found = mistakes(&schema, &uncommented.join("\n"));
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn bad_specs_are_bad_by_the_schema_too() {
    let schema = schema();
    for (file, at_least) in [
        ("unknown-keys", 5),
        ("wrong-types", 8),
        ("out-of-range", 8),
        ("names", 1),
    ] {
        let path = project().join(format!("fixtures/bad-specs/{file}.toml"));
        // A number that no program can hold is not even TOML to most.
        let spec = fs::read_to_string(path).unwrap();
        let spec = spec.replace("99999999999999999999", "-1");
        let found = mistakes(&schema, &spec);
        assert!(found.len() >= at_least, "{file}: {found:#?}");
    }
    for (spec, place) in [
        ("sed = 1", ""),
        ("[defaults]\nsed = 1", "/defaults"),
        ("[model.m]\npath = 'x'\ncolour = 1", "/model/m"),
        ("[model.m]\nruntime = 'auto'", "/model/m"),
        (
            "[model.m]\npath = 'x'\nruntime = 'torch'",
            "/model/m/runtime",
        ),
        (
            "[dataset.d.attributes]\na = { mn = 1 }",
            "/dataset/d/attributes/a",
        ),
        ("[benchmark.b.budget]\nseeds = 1", "/benchmark/b/budget"),
        ("[benchmark.b]\nsnapshots = 'x'", "/benchmark/b"),
    ] {
        let found = mistakes(&schema, spec);
        let told = found
            .iter()
            .any(|error| error.starts_with(&format!("{place}: ")));
        assert!(told, "{spec}: {found:#?}");
    }
}
