//! Bad specs and what people get to read about them.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test"
)]

use std::fs;
use std::path::{Path, PathBuf};

use fairgate::spec::{EXAMPLE, Spec, SpecError};
use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme};

fn render(error: &dyn Diagnostic) -> String {
    let mut text = String::new();
    GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor())
        .with_width(100)
        .with_links(false)
        .render_report(&mut text, error)
        .expect("a report can be rendered");
    text.lines()
        .map(|line| format!("{}\n", line.trim_end()))
        .collect()
}

fn bad_specs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/bad-specs")
}

fn error_in(text: &str) -> SpecError {
    Spec::parse(text, Path::new("fairness.toml")).expect_err("a problem")
}

#[test]
fn every_bad_spec_says_what_is_wrong_where_and_how_to_mend_it() {
    let mut files: Vec<PathBuf> = fs::read_dir(bad_specs())
        .expect("fixtures/bad-specs")
        .map(|entry| entry.expect("a file").path())
        .collect();
    files.sort();
    assert!(files.len() >= 12, "some bad specs are gone");

    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("snapshots-of-errors");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        for file in files {
            let text = fs::read_to_string(&file).expect("a bad spec is text");
            let name = file.file_stem().expect("a name").to_string_lossy();
            insta::assert_snapshot!(name.as_ref(), render(&error_in(&text)));
        }
    });
}

#[test]
fn a_file_that_cannot_be_read_is_a_sentence() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("fairness.toml");
    let shown = |path: &Path| {
        let error = Spec::load(path).expect_err("no spec");
        assert!(!error.is_empty_plan());
        assert!(error.help().is_some());
        let here = folder.path().to_string_lossy().into_owned();
        error.to_string().replace(&here, "HERE")
    };
    assert_eq!(shown(&file), "there is no spec at HERE/fairness.toml");
    assert_eq!(shown(folder.path()), "HERE is a folder, not a spec");
    fs::write(&file, b"# one\n# t\xffo\n").expect("a file");
    assert_eq!(
        shown(&file),
        "HERE/fairness.toml is not UTF-8 text: line 2 cannot be read"
    );
}

#[test]
fn a_spec_without_benchmarks_is_empty_and_nothing_worse() {
    for text in [
        "",
        "\n# Later.\n",
        "[benchmark]",
        "[model.m]\npath = 'm'",
        "\u{feff}",
    ] {
        assert!(error_in(text).is_empty_plan(), "{text:?}");
    }
    for text in [
        "[benchmarks.b]",
        "[model.m]",
        "[benchmark]\nmodel = 'm'",
        "=",
    ] {
        assert!(!error_in(text).is_empty_plan(), "{text:?}");
    }
}

#[test]
fn a_byte_order_mark_and_windows_line_ends_are_fine() {
    let text = format!("\u{feff}{}", EXAMPLE.replace('\n', "\r\n"));
    let spec = Spec::parse(&text, Path::new("fairness.toml")).expect("a good spec");
    let at = spec.benchmarks[0].name.span;
    assert_eq!(&text[at.offset()..][..at.len()], "census-sex");
}

#[test]
fn a_later_stage_can_point_into_the_file() {
    let spec = Spec::parse(EXAMPLE, Path::new("fairness.toml")).expect("a good spec");
    let error = spec.problem_at(
        "the dataset has no attribute `sex`",
        "not in the header of census.csv",
        Some("the attributes are `age` and `race`".to_owned()),
        spec.benchmarks[0].protected[0].span,
    );
    let text = render(&error);
    assert!(text.contains("fairness.toml has 1 problem"), "{text}");
    assert!(
        text.contains("the dataset has no attribute `sex`"),
        "{text}"
    );
    assert!(text.contains("protected = [\"sex\"]"), "{text}");
    assert!(
        text.contains("╰── not in the header of census.csv"),
        "{text}"
    );
    assert!(
        text.contains("help: the attributes are `age` and `race`"),
        "{text}"
    );
}

const SMALL: &str = "[defaults]\nseed = 1\nbudget.time-limit = '3s'\nsearch = { decay = 0.5 }\n\
    [model.m]\npath = 'm'\ndecisions = ['no', 'ja']\n[dataset.d]\npath = \"d\\u00e9\"\n\
    label = 'y'\nattributes = { a = { min = 1, max = 0x2 }, 'ß' = { values = ['x', 2, true] } }\n\
    [benchmark.b]\nmodel = 'm'\ndataset = 'd'\nprotected = [\n 'a', # é\n 'ß' ]\n\
    max-discrimination-rate = { search = 0.1 }\n";

#[test]
fn no_bytes_make_it_panic() {
    assert!(Spec::parse(SMALL, Path::new("fairness.toml")).is_ok());
    let mut wrong = 0;
    let mut check = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes);
        if let Err(error) = Spec::parse(&text, Path::new("fairness.toml")) {
            assert!(!error.problems().is_empty(), "{text}");
            assert!(!render(&error).is_empty(), "{text}");
            wrong += 1;
        }
    };
    for at in 0..SMALL.len() {
        check(&SMALL.as_bytes()[..at]);
        check(&SMALL.as_bytes()[at..]);
        for byte in [
            0, b'"', b'[', b']', b'{', b'=', b'.', b'-', b'9', b'\n', b'\r', 0xff,
        ] {
            let mut bytes = SMALL.as_bytes().to_vec();
            bytes[at] = byte;
            check(&bytes);
            bytes.insert(at, b'\'');
            check(&bytes);
        }
    }
    assert!(wrong > SMALL.len(), "the changes change too little");
}
