//! The command line: what bad input gets to read, what a check says, and the exit codes.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test"
)]

mod common;

use std::fs;
use std::time::Duration;

use common::{Repo, SPEC, flat};

/// Bad input is a sentence with what, where and how to mend it; quickly, with nothing on standard
/// output and nothing written.
#[track_caller]
fn refused_with(
    repo: &Repo,
    variables: &[(&str, &str)],
    arguments: &[&str],
    code: i32,
    phrases: &[&str],
) {
    let before = repo.files();
    let ran = repo.run_with(variables, arguments);
    assert_eq!(ran.code, code, "{ran:#?}");
    assert_eq!(ran.stdout, "", "{ran:#?}");
    let said = flat(&ran.stderr);
    for phrase in phrases {
        assert!(said.contains(phrase), "no {phrase:?} in {said}");
    }
    // A caret under a slip of the pen says enough.
    let mending = said.contains("help") || said.contains("╰── here");
    assert!(mending, "how to mend it? {said}");
    assert!(!said.contains("panicked"), "{said}");
    assert!(repo.files() == before, "something was written");
    // A second, with room for a machine that has other things to do.
    assert!(ran.took < Duration::from_secs(5), "{:?}", ran.took);
}

#[track_caller]
fn refused(repo: &Repo, code: i32, phrases: &[&str]) {
    refused_with(repo, &[], &["check"], code, phrases);
}

#[test]
fn a_spec_that_cannot_be_read() {
    let repo = Repo::new("planted");
    let at = |spec, phrases: &[&str]| {
        refused_with(&repo, &[], &["check", "--spec", spec], 2, phrases);
    };
    at("none.toml", &["there is no spec at none.toml"]);
    at(
        ".",
        &[". is a folder, not a spec", "--spec ./fairness.toml"],
    );
    repo.write("latin.toml", b"# caf\xe9\n");
    at(
        "latin.toml",
        &["latin.toml is not UTF-8 text: line 1", "save it as UTF-8"],
    );
}

#[test]
fn a_spec_with_mistakes() {
    let cases: [(&str, &str, &[&str]); 9] = [
        ("seed = 42", "seed = = 42", &["fairness.toml:2:"]),
        (
            "seed = 42",
            "sed = 42",
            &[
                "unknown key `sed`",
                "did you mean `seed`?",
                "fairness.toml:2:",
            ],
        ),
        (
            "label = \"label\"",
            "label = \"lable\"",
            &["the label `lable` is not a column of tiny.csv", "`label`?"],
        ),
        (
            "sex = { values",
            "sexx = { values",
            &["the attribute `sexx` is not a column of tiny.csv", "`sex`?"],
        ),
        (
            "protected = [\"sex\"]",
            "protected = [\"gender\"]",
            &[
                "the protected attribute `gender` is not a column of tiny.csv",
                "the columns are",
            ],
        ),
        (
            "a = { min = 0, max = 4 }",
            "a = { min = 4, max = 0 }",
            &["`a` has min = 4 above max = 0", "min = 0, max = 4"],
        ),
        (
            "protected = [\"sex\"]",
            "protected = [\"label\"]",
            &["protects `label`, which is the label"],
        ),
        (
            "model = \"tiny\"",
            "model = \"tyni\"",
            &["there is no [model.tyni]", "`tiny`"],
        ),
        (
            "max-discrimination-rate = 1.0",
            "budget = { time-limit = \"3 weeks\" }",
            &["a time above zero", "\"30s\""],
        ),
    ];
    for (from, to, phrases) in cases {
        refused(&Repo::new("planted").spec(from, to), 2, phrases);
    }
}

#[test]
fn a_spec_without_a_benchmark_is_nothing_to_run() {
    for command in ["check", "list"] {
        refused_with(
            &Repo::with_spec("# Later.\n"),
            &[],
            &[command],
            4,
            &["there is nothing to test", "[benchmark.census-sex]"],
        );
    }
}

#[test]
fn every_problem_is_told_at_once() {
    let repo = Repo::new("planted")
        .spec("label = \"label\"", "label = \"lable\"")
        .spec("[\"sex\"]", "[\"gender\"]")
        .spec("sex = {", "sx = {");
    refused(&repo, 2, &["3 problems", "`lable`", "`gender`", "`sx`"]);

    // A model, a dataset and a benchmark of their own, each wrong.
    let more = "[model.other]\npath = \"other.onnx\"\n[dataset.other]\npath = \"other.csv\"\n\
        [benchmark.other]\nmodel = \"other\"\ndataset = \"other\"\nprotected = [\"c\"]\n";
    let repo = Repo::new("nan").benchmark(more);
    repo.write("other.csv", "c,d\n0,\n1,2\n");
    refused(
        &repo,
        3,
        &[
            "is NaN, not a number",
            "cannot read the model file other.onnx",
            "`d` is missing in line 2",
        ],
    );
}

#[test]
fn a_model_file_that_is_none() {
    let repo = Repo::new("planted");
    let whole = fs::read(repo.path("model.onnx")).unwrap();
    fs::remove_file(repo.path("model.onnx")).unwrap();
    let unreadable = "cannot read the model file model.onnx";
    refused(&repo, 3, &[unreadable, "correct `path`"]);
    fs::create_dir(repo.path("model.onnx")).unwrap();
    refused(&repo, 3, &[unreadable, "it is not a file"]);
    fs::remove_dir(repo.path("model.onnx")).unwrap();

    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n";
    for bytes in [b"", pointer.as_bytes(), b"\x00\xff\x08\x01", &whole[..120]] {
        repo.write("model.onnx", bytes);
        let no_model = "model.onnx cannot be read as an ONNX model";
        refused(&repo, 3, &[no_model, "not a Git LFS pointer, not cut off"]);
    }
}

#[test]
fn a_model_that_does_not_fit() {
    let cases: [(&str, &[&str]); 6] = [
        (
            "wide",
            &[
                "model.onnx: the model wants 5 columns a row (input: float [N, 5])",
                "the dataset has 3: `a`, `b` and `sex`",
                "fairness.toml:4",
            ],
        ),
        (
            "two-inputs",
            &[
                "model.onnx: the model's input b: float [N, 2] takes 2 columns, but gets 1: `b`",
                "inputs = { .. }",
            ],
        ),
        ("string-output", &["model.onnx", "STRING"]),
        (
            "nan",
            &["model.onnx", "the row [1, 4, 0] is NaN, not a number"],
        ),
        (
            "unbounded",
            &[
                "model.onnx",
                "scores outside 0 to 1",
                "`scores = \"logit\"`",
            ],
        ),
        (
            "tree",
            &[
                "the embedded engine cannot run the model model.onnx",
                "TreeEnsembleClassifier",
                "pip install onnxruntime",
            ],
        ),
    ];
    for (model, phrases) in cases {
        refused(&Repo::new(model), 3, phrases);
    }
}

#[test]
fn logits_work_with_a_threshold() {
    let repo = Repo::new("unbounded").spec("runtime =", "threshold = 0.0\nruntime =");
    let line = repo.json(&[]);
    assert_eq!(line["verdict"], "pass", "{line}");
    assert_eq!(line["rates"]["domain"]["value"], 0.2, "{line}");
}

#[test]
fn a_dataset_that_cannot_be_used() {
    let cases: [(&[u8], &[&str]); 9] = [
        (b"", &["tiny.csv cannot be used", "the file is empty"]),
        (b"a,b,sex,label\n", &["a header but nobody in it"]),
        (
            b"a,b,sex,label\n1,2,Male,yes\n1,2,Male\n",
            &["line 3 has 3 fields, the header has 4"],
        ),
        (
            b"a,b,sex,label\n1,2,Male,yes\n1,7,Male,no\n",
            &["line 3: `b` is \"7\", which is outside its domain (0 to 4)"],
        ),
        (
            b"a,b,sex,label\n1,2,Robot,yes\n",
            &["line 2: `sex` is \"Robot\"", "[dataset.tiny.attributes]"],
        ),
        (
            b"a,b,sex,label\n1,NaN,Male,yes\n",
            &["`b` is missing in line 2", "missing = \"skip\""],
        ),
        (
            b"a,b,sex,label\n1,,Male,yes\n",
            &["`b` is missing in line 2"],
        ),
        (
            b"a,b,sex,label\n1,2,M\xe4nnlich,yes\n",
            &["line 2 is not UTF-8 text"],
        ),
        (
            b"a,sex,sex,label\n1,2,Male,yes\n",
            &["line 1: there are two columns called `sex`"],
        ),
    ];
    for (csv, phrases) in cases {
        let repo = Repo::new("planted");
        repo.write("tiny.csv", csv);
        refused(&repo, 3, phrases);
    }
}

#[test]
fn a_column_without_a_declared_domain_is_checked_too() {
    let repo = Repo::new("planted").spec("b = { min = 0, max = 4 }\n", "");
    for (cell, phrase) in [
        ("NaN", "`b` is missing in line 3"),
        ("inf", "line 3: `b` is \"inf\", not a number"),
        ("", "`b` is missing in line 3"),
    ] {
        let csv = format!("a,b,sex,label\n1,2,Male,yes\n1,{cell},Male,yes\n");
        repo.write("tiny.csv", csv);
        refused(&repo, 3, &[phrase]);
    }
}

#[test]
fn a_dataset_that_is_not_there() {
    let repo = Repo::new("planted");
    fs::remove_file(repo.path("tiny.csv")).unwrap();
    let phrases = ["cannot read the dataset tiny.csv", "[dataset.tiny]"];
    refused(&repo, 3, &phrases);
    fs::create_dir(repo.path("tiny.csv")).unwrap();
    refused(
        &repo,
        3,
        &["cannot read the dataset tiny.csv: it is a folder"],
    );
}

#[test]
fn nobody_has_a_counterpart_with_one_value() {
    let repo = Repo::new("planted").spec("[\"Female\", \"Male\"]", "[\"Female\"]");
    let people = repo.read("tiny.csv");
    let women: Vec<&str> = people
        .lines()
        .filter(|person| !person.contains("Male"))
        .collect();
    repo.write("tiny.csv", women.join("\n"));
    refused(
        &repo,
        3,
        &["[benchmark.tiny-sex]", "`sex` has only one value"],
    );
}

#[test]
fn onnx_runtime_that_is_not_there() {
    let repo = Repo::new("planted");
    if repo.run(&["check", "--runtime", "onnxruntime"]).code != 3 {
        return; // The system itself has the library.
    }
    let missing = [
        "the ONNX Runtime library was not found; looked in:",
        "python3 on the PATH: not there",
        "pip install onnxruntime",
        "runtime = \"embedded\"",
    ];
    refused_with(
        &repo,
        &[],
        &["check", "--runtime", "onnxruntime"],
        3,
        &missing,
    );
    let cuda = ["check", "--runtime", "auto", "--device", "cuda"];
    refused_with(&repo, &[], &cuda, 3, &missing);

    let auto = repo.run(&["check", "--runtime", "auto", "--format", "json"]);
    auto.says(0, &["\"runtime\":\"embedded\"", "\"device\":\"cpu\""]);
}

#[test]
fn a_named_library_that_is_not_there() {
    let repo = Repo::new("planted");
    let nowhere = [("ORT_DYLIB_PATH", "/no/such/library.so")];
    for runtime in ["auto", "onnxruntime"] {
        let arguments = ["check", "--runtime", runtime];
        let phrases = ["/no/such/library.so", "named by ORT_DYLIB_PATH", "unset it"];
        refused_with(&repo, &nowhere, &arguments, 3, &phrases);
    }
    // Who asks for the embedded engine is not bothered with it.
    assert_eq!(repo.run_with(&nowhere, &["check"]).code, 0);
}

#[test]
fn the_embedded_engine_has_no_cuda() {
    let phrases = [
        "the embedded engine runs on the CPU only",
        "device = \"auto\"",
    ];
    let repo = Repo::new("planted");
    refused_with(&repo, &[], &["check", "--device", "cuda"], 3, &phrases);
    refused(
        &repo.spec("runtime =", "device = \"cuda\"\nruntime ="),
        3,
        &phrases,
    );
}

#[test]
fn wrong_arguments() {
    let repo = Repo::new("planted");
    for (arguments, phrase) in [
        (&["check", "--frobnicate"][..], "'--frobnicate'"),
        (&["--frobnicate"], "'--frobnicate'"),
        (&["check", "--exact"], "<NAME-FILTER>"),
        (&["check", "--format", "xml"], "pretty, json"),
        (&["check", "--jobs", "0"], "'--jobs <N>'"),
        (&["check", "--batch-rows", "0"], "'--batch-rows <N>'"),
        (&["check", "--runtime", "torch"], "onnxruntime"),
    ] {
        refused_with(&repo, &[], arguments, 2, &[phrase]);
    }
    let nonsense = [("INSTA_UPDATE", "nonsense")];
    let phrases = ["INSTA_UPDATE is \"nonsense\"", "always"];
    refused_with(&repo, &nonsense, &["check"], 2, &phrases);
}

#[test]
fn a_filter_that_matches_nothing_is_nothing_to_run() {
    let repo = Repo::new("planted");
    let cases = [
        &["check", "nobody"][..],
        &["nobody"],
        &["list", "nobody"],
        &["check", "--exact", "tiny"],
    ];
    for arguments in cases {
        let ran = repo.run(arguments);
        assert_eq!((ran.code, ran.stdout.as_str()), (4, ""), "{ran:?}");
        assert!(
            ran.stderr.contains("no benchmark has such a name"),
            "{ran:?}"
        );
    }
}

#[test]
fn a_snapshot_folder_that_cannot_be_written() {
    let repo = Repo::new("planted").spec("seed = 42", "seed = 42\nsnapshots = \"tiny.csv\"");
    let ran = repo.run(&["check"]);
    assert_eq!(ran.code, 3, "{ran:?}");
    let said = flat(&ran.stderr);
    for phrase in [
        "cannot write the snapshot tiny.csv/fairness__tiny-sex.snap.new",
        "`snapshots = \"...\"`",
        "snapshot = \"off\"",
    ] {
        assert!(said.contains(phrase), "{said}");
    }
}

#[cfg(unix)]
#[test]
fn a_read_only_snapshot_folder() {
    use std::os::unix::fs::PermissionsExt as _;
    let repo = Repo::new("planted");
    let folder = repo.path("tests/snapshots");
    fs::create_dir_all(&folder).unwrap();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o555)).unwrap();
    if fs::write(folder.join("probe"), "").is_ok() {
        return; // Nothing is read-only for root.
    }
    let ran = repo.run(&["check"]);
    assert_eq!(ran.code, 3, "{ran:?}");
    assert!(
        flat(&ran.stderr).contains("check the folder's permissions"),
        "{ran:?}"
    );
    // Where nothing has to be written, it does not matter.
    assert_eq!(repo.run_with(&[("CI", "true")], &["check"]).code, 0);
}

#[test]
fn a_check_says_the_verdict_the_rates_and_the_pairs() {
    let repo = Repo::new("planted").spec("rate = 1.0", "rate = 0.01");
    for arguments in [&["check"][..], &[], &["--exact", "tiny-sex"], &["tiny"]] {
        let ran = repo.run(arguments);
        ran.says(
            1,
            &[
                "FAIL tiny-sex",
                "the search rate is",
                "above the limit of 1.0 %",
                "dataset     5.0 %  1 of the dataset's 20 people",
                "domain     20.0 %  10 of 50 possible people; exact",
                "sex: Female -> Male flips \"no\" to \"yes\" (score 0.168 -> 0.832)",
                "a 2, b 2",
                "embedded on cpu",
                "1 failed",
            ],
        );
        assert_eq!(ran.stderr, "", "progress is for terminals");
        assert!(!ran.stdout.contains('\u{1b}'), "colours are for terminals");
    }
}

/// The same spec with a second benchmark on a model that ignores sex.
fn two_benchmarks() -> Repo {
    let more = "[model.even]\npath = \"even.onnx\"\nruntime = \"embedded\"\n\
        [benchmark.even-sex]\nmodel = \"even\"\ndataset = \"tiny\"\nprotected = [\"sex\"]\n";
    let repo = Repo::new("planted").benchmark(more);
    fs::copy(common::fixture("ignores-sex.onnx"), repo.path("even.onnx")).unwrap();
    repo
}

#[test]
fn filters_choose_benchmarks() {
    let repo = two_benchmarks();
    let names = |arguments: &[&str]| {
        let ran = repo.run(&[&["check", "--format", "json"], arguments].concat());
        assert_eq!(ran.code, 0, "{ran:?}");
        let name =
            |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap()["name"].clone();
        let mut names: Vec<_> = ran.stdout.lines().map(name).collect();
        names.sort_by_key(ToString::to_string);
        names
    };
    assert_eq!(names(&[]), ["even-sex", "tiny-sex"]);
    assert_eq!(names(&["sex"]), ["even-sex", "tiny-sex"]);
    assert_eq!(names(&["even"]), ["even-sex"]);
    assert_eq!(names(&["--exact", "tiny-sex"]), ["tiny-sex"]);
    repo.run(&["check"])
        .says(0, &["PASS tiny-sex", "PASS even-sex", "2 passed"]);
    // The worst of the benchmarks decides.
    let repo = repo.spec("rate = 1.0", "rate = 0.01");
    repo.run(&["check"])
        .says(1, &["FAIL tiny-sex", "PASS even-sex", "1 passed, 1 failed"]);
}

#[test]
fn a_list_opens_no_model() {
    let repo = two_benchmarks();
    fs::remove_file(repo.path("model.onnx")).unwrap();
    repo.write("even.onnx", "no model");
    let before = repo.files();
    let ran = repo.run(&["list"]);
    ran.says(
        0,
        &["tiny-sex  model tiny, dataset tiny, protected sex, 1000 x 1000"],
    );
    assert_eq!(ran.stdout.lines().count(), 2);
    assert!(ran.took < Duration::from_secs(5), "{:?}", ran.took);
    let ran = repo.run(&["list", "--format", "json", "even"]);
    let line: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(line["name"], "even-sex");
    assert_eq!(line["protected"], serde_json::json!(["sex"]));
    assert!(repo.files() == before);
}

#[test]
fn json_has_every_field_with_its_type() {
    let line = Repo::new("planted").json(&[]);
    let text = [
        "name", "verdict", "reason", "method", "runtime", "device", "snapshot",
    ];
    let whole = [
        "seed",
        "counterexamples",
        "people",
        "tested",
        "iterations",
        "queries",
    ];
    let has = |pointer: &str, right: fn(&serde_json::Value) -> bool| {
        let value = line.pointer(pointer);
        assert!(value.is_some_and(right), "{pointer}: {value:?} in {line}");
    };
    for field in text {
        has(&format!("/{field}"), serde_json::Value::is_string);
    }
    for field in whole {
        has(&format!("/{field}"), serde_json::Value::is_u64);
    }
    for field in [
        "/global/seeds",
        "/global/found",
        "/rates/dataset/of",
        "/rates/domain/sampled",
    ] {
        has(field, serde_json::Value::is_u64);
    }
    for field in [
        "/seconds",
        "/model_seconds",
        "/rates/search/value",
        "/rates/dataset/value",
    ] {
        has(field, serde_json::Value::is_f64);
    }
    for field in ["value", "lower", "upper", "confidence"] {
        has(&format!("/rates/domain/{field}"), serde_json::Value::is_f64);
    }
    assert_eq!(line["name"], "tiny-sex");
    assert_eq!(line["method"], "maft");
    assert_eq!(line["seed"], 42);
    assert_eq!(line["runtime"], "embedded");
    assert_eq!(line["device"], "cpu");
    assert_eq!(line["snapshot"], "new");
}

#[test]
fn the_planted_rates_are_measured_exactly() {
    let repo = Repo::new("planted");
    let line = repo.json(&[]);
    let people: Vec<String> = repo
        .read("tiny.csv")
        .lines()
        .skip(1)
        .map(String::from)
        .collect();
    let sum = |person: &String| -> u32 {
        let mut cells = person.split(',').map(|cell| cell.parse().unwrap_or(0));
        cells.next().unwrap_or(0) + cells.next().unwrap_or(0)
    };
    let decided_by_sex = people.iter().filter(|person| sum(person) == 4).count();
    let rates = &line["rates"];
    let share = decided_by_sex as f64 / people.len() as f64;
    assert_eq!(rates["dataset"]["value"], share, "{line}");
    assert_eq!(rates["dataset"]["of"], people.len(), "{line}");
    for bound in ["value", "lower", "upper"] {
        assert_eq!(rates["domain"][bound], 0.2, "{line}");
    }
    assert_eq!(rates["domain"]["sampled"], 50, "{line}");
    let found = line["counterexamples"].as_f64().unwrap();
    assert_eq!(
        rates["search"]["value"],
        found / line["tested"].as_f64().unwrap()
    );
}

#[test]
fn no_counterexample_is_never_called_fair() {
    let repo = Repo::new("ignores-sex");
    let line = repo.json(&[]);
    assert_eq!(line["counterexamples"], 0, "{line}");
    let queries = line["queries"].as_u64().unwrap();
    let reason = format!("no counterexample found in {queries} queries");
    let proof = "no counterexample exists in the declared domain (all 50 people were looked at)";
    assert_eq!(line["reason"], format!("{reason}: {proof}"));
    let ran = repo.run(&["check"]);
    ran.says(0, &["PASS tiny-sex", &reason, proof]);
    // A sample proves nothing.
    let sampled = Repo::new("ignores-sex")
        .benchmark("budget = { domain-sample = 20, exhaustive = 0 }")
        .json(&[]);
    let queries = sampled["queries"].as_u64().unwrap();
    let reason = format!("no counterexample found in {queries} queries");
    assert_eq!(sampled["reason"], reason);
    let claims = ran.stdout.replace("fairness", "").replace("fairgate", "");
    assert!(!claims.to_lowercase().contains("fair"), "{claims}");
}

#[test]
fn a_budget_that_is_too_small_is_inconclusive() {
    let repo = Repo::new("planted").benchmark("budget = { max-queries = 100 }");
    let line = repo.json(&[]);
    assert_eq!(line["verdict"], "inconclusive", "{line}");
    assert!(line["queries"].as_u64().unwrap() <= 100, "{line}");
    let reason = [
        "inconclusive: the search stopped at max-queries = 100",
        "raise it",
    ];
    repo.run(&["check"]).says(4, &reason);
    let repo = repo.benchmark("on-inconclusive = \"pass\"");
    repo.run(&["check"]).says(0, &reason);

    // A budget that holds is kept to.
    let repo = Repo::new("planted").benchmark("budget = { max-queries = 400 }");
    let line = repo.json(&[]);
    assert_eq!(line["verdict"], "pass", "{line}");
    assert!(line["queries"].as_u64().unwrap() <= 400, "{line}");
}

#[test]
fn a_time_limit_is_kept_and_nothing_is_recorded() {
    let repo = Repo::of_fixtures().spec(
        "global-seeds = 50, local-steps = 50",
        "time-limit = \"1ms\"",
    );
    let before = repo.files();
    let ran = repo.run(&["check", "--exact", "heart-age", "--runtime", "embedded"]);
    ran.says(
        4,
        &[
            "inconclusive: the search stopped at time-limit = \"1ms\"",
            "raise it",
        ],
    );
    assert!(
        repo.files() == before,
        "how far it got depends on the machine"
    );
}

#[test]
fn a_domain_limit_below_what_the_sample_can_tell_names_the_sample_that_would() {
    let repo = Repo::new("ignores-sex")
        .spec("a = { min = 0, max = 4 }", "a = { min = 0, max = 400 }")
        .spec("b = { min = 0, max = 4 }", "b = { min = 0, max = 400 }")
        .spec("rate = 1.0", "rate = { domain = 0.01 }")
        .benchmark("budget = { local-steps = 10, domain-sample = 100, exhaustive = 0 }");
    let line = repo.json(&[]);
    assert_eq!(line["verdict"], "inconclusive", "{line}");
    let reason = line["reason"].as_str().unwrap();
    assert!(
        reason.contains("the domain rate may be above the limit of 1.0 %"),
        "{reason}"
    );
    let advice = reason.split("domain-sample = ").nth(1).unwrap_or_default();
    let sample: String = advice.chars().take_while(char::is_ascii_digit).collect();
    assert_eq!(repo.run(&["check"]).code, 4);

    let repo = repo.spec("domain-sample = 100", &format!("domain-sample = {sample}"));
    assert_eq!(repo.json(&[])["verdict"], "pass", "{reason}");
}

#[test]
fn several_protected_attributes_are_all_combinations() {
    let repo = Repo::new("planted").spec("[\"sex\"]", "[\"sex\", \"a\"]");
    let line = repo.json(&[]);
    // Whatever b is, some a decides yes and another no.
    assert_eq!(line["rates"]["domain"]["value"], 1.0, "{line}");
    let flips = line["pairs"][0]["flips"].as_str().unwrap();
    assert!(
        flips.contains("a: ") && flips.contains(" flips "),
        "{flips}"
    );
}

#[test]
fn odd_but_right_input_works() {
    type Change = (&'static str, fn(&Repo));
    let changes: [Change; 5] = [
        ("windows line ends", |repo| {
            repo.write("fairness.toml", SPEC.replace('\n', "\r\n"));
            let csv = repo.read("tiny.csv").replace('\n', "\r\n");
            repo.write("tiny.csv", csv);
        }),
        ("a byte order mark", |repo| {
            repo.write("fairness.toml", format!("\u{feff}{SPEC}"));
            let csv = format!("\u{feff}{}", repo.read("tiny.csv"));
            repo.write("tiny.csv", csv);
        }),
        ("spaces and letters of every kind in paths", |repo| {
            repo.edit("fairness.toml", "model.onnx", "ein Modell/größe ☃.onnx");
            let model = fs::read(repo.path("model.onnx")).unwrap();
            repo.write("ein Modell/größe ☃.onnx", model);
            repo.edit(
                "fairness.toml",
                "seed",
                "snapshots = \"mes résultats\"\nseed",
            );
        }),
        ("one person", |repo| {
            repo.write("tiny.csv", "a,b,sex,label\n2,2,Male,yes\n");
        }),
        ("no local steps and more seeds than people", |repo| {
            let text = format!("{SPEC}budget = {{ global-seeds = 99999, local-steps = 0 }}\n");
            repo.write("fairness.toml", text);
        }),
    ];
    for (what, change) in changes {
        let repo = Repo::new("planted");
        change(&repo);
        let line = repo.json(&[]);
        assert_eq!(line["verdict"], "pass", "{what}: {line}");
        assert_eq!(line["rates"]["domain"]["value"], 0.2, "{what}: {line}");
    }
}

#[test]
fn a_reader_who_goes_away_is_no_error() {
    let repo = Repo::new("planted");
    let mut command = repo.command(&["check"]);
    let mut child = command
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}
