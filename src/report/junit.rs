//! All benchmarks as one JUnit document, the form in which CI systems read test results. The only file
//! that names `quick_junit`.

use std::time::Duration;

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::entry::{Ending, Entry};

/// The document: a suite `fairness` with a test case for each benchmark. `seconds` is the time of
/// the whole run.
pub(crate) fn junit(entries: &[Entry], seconds: f64) -> String {
    let mut suite = TestSuite::new("fairness");
    suite.set_time(duration(seconds));
    suite.add_test_cases(entries.iter().map(case));
    let mut report = Report::new("fairgate");
    report.set_time(duration(seconds));
    report.add_test_suite(suite);
    // Writing to a string cannot fail, and everything that XML cannot say was taken out before.
    let document = report.to_string().unwrap_or_default();
    // Strict readers know this attribute on a suite, but not on the list of suites, which is first.
    document.replacen(&format!(" skipped=\"{}\"", report.skipped), "", 1)
}

fn case(entry: &Entry) -> TestCase {
    let mut case = TestCase::new(printable(&entry.name), status(entry));
    case.set_classname("fairgate");
    case.set_time(duration(entry.seconds));
    if !entry.output.is_empty() {
        case.set_system_out(printable(&entry.output));
    }
    case
}

fn status(entry: &Entry) -> TestCaseStatus {
    let (mut status, kind) = match entry.ending {
        Ending::Passed | Ending::Tolerated => return TestCaseStatus::success(),
        Ending::Failed => (failure(), "limit-exceeded"),
        Ending::SnapshotChanged => (failure(), "snapshot-changed"),
        Ending::Inconclusive => (failure(), "inconclusive"),
        Ending::Unusable => (
            TestCaseStatus::non_success(NonSuccessKind::Error),
            "unusable",
        ),
        Ending::NotRun => (TestCaseStatus::skipped(), "interrupted"),
    };
    status
        .set_type(kind)
        .set_message(one_line(&printable(&entry.sentence)))
        .set_description(printable(&entry.details));
    status
}

fn failure() -> TestCaseStatus {
    TestCaseStatus::non_success(NonSuccessKind::Failure)
}

/// An attribute has one line: readers turn line ends into spaces anyway.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The characters that XML can say: of the control characters only line ends and tabs. The crate
/// takes out most of the others, but not these last ones.
fn printable(text: &str) -> String {
    let kept = |c: &char| !matches!(c, '\u{7f}' | '\u{fffe}' | '\u{ffff}');
    text.chars().filter(kept).collect()
}

fn duration(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::entry::tests::entry;
    use super::*;

    #[test]
    fn every_ending_has_its_element_and_odd_text_stays_xml() {
        let odd = "\u{1b}[31mred\u{0} <a> & \"b\" 'c' ]]> \u{ffff}größe \u{1f600}";
        let entries = [
            entry("good", Ending::Passed),
            entry("unsure-but-fine", Ending::Tolerated),
            entry(odd, Ending::Failed),
            entry("changed", Ending::SnapshotChanged),
            entry("unsure", Ending::Inconclusive),
            Entry::unusable("broken", 3, "the model\nis gone\u{1}".into()),
            Entry::not_run("later", 4),
        ];
        let text = junit(&entries, 2.25);
        let document = roxmltree::Document::parse(&text).unwrap();
        let root = document.root_element();
        let attribute = |node: roxmltree::Node<'_, '_>, name: &str| {
            node.attribute(name).unwrap_or_default().to_owned()
        };
        let counts = ["tests", "failures", "errors"].map(|name| attribute(root, name));
        assert_eq!(counts, ["7", "3", "1"]);
        assert_eq!(root.attribute("skipped"), None, "strict readers refuse it");
        let suite = root.first_element_child().unwrap();
        assert_eq!(attribute(suite, "skipped"), "1");
        assert_eq!(attribute(suite, "time"), "2.250");
        let cases: Vec<_> = suite.children().filter(|n| n.is_element()).collect();
        let outcome = |case: &roxmltree::Node<'_, '_>| {
            let child = case.children().find(|child| {
                child.has_tag_name("failure")
                    || child.has_tag_name("error")
                    || child.has_tag_name("skipped")
            });
            child.map_or_else(String::new, |child| {
                format!("{} {}", child.tag_name().name(), attribute(child, "type"))
            })
        };
        let outcomes: Vec<String> = cases.iter().map(outcome).collect();
        let expected = [
            "",
            "",
            "failure limit-exceeded",
            "failure snapshot-changed",
            "failure inconclusive",
            "error unusable",
            "skipped interrupted",
        ];
        assert_eq!(outcomes, expected);
        assert_eq!(
            cases[2].attribute("name"),
            Some("red <a> & \"b\" 'c' ]]> größe \u{1f600}")
        );
        let failure = cases[2].first_element_child().unwrap();
        let message = failure.attribute("message");
        assert_eq!(message, Some("fail: 100 %, a < b & \"c\""));
        let told = failure.text().unwrap_or_default();
        assert!(told.contains("line 2, more red ]]>"), "{told:?}");
        let broken = cases[5].first_element_child().unwrap();
        assert_eq!(broken.attribute("message"), Some("the model is gone"));
    }
}
