//! Annotations of GitHub Actions: what failed, shown at its line of the spec.

use std::fmt::Write as _;

use super::entry::{Ending, Entry, Tally};

/// GitHub shows no more than ten annotations of a step.
const SHOWN: usize = 10;

/// One workflow command for each benchmark that does not pass, and a summary line. `file` is the
/// spec's path in the repository.
pub(crate) fn github(entries: &[Entry], file: &str) -> String {
    let mut shown: Vec<(&str, &Entry)> = entries
        .iter()
        .filter_map(|entry| Some((level(entry.ending)?, entry)))
        .collect();
    // Errors first: a warning must not take the place of one.
    shown.sort_by_key(|(level, _)| *level);
    let left_out = shown.len().saturating_sub(SHOWN);
    let mut text = String::new();
    for (level, entry) in shown.into_iter().take(SHOWN) {
        let title = format!("{}: {}", entry.name, entry.ending.word());
        let place = format!(
            "file={},line={},title={}",
            property(file),
            entry.line,
            property(&title)
        );
        let _ = writeln!(text, "::{level} {place}::{}", message(&entry.details));
    }
    let _ = write!(text, "fairgate: {}", Tally::of(entries));
    let _ = match left_out {
        0 => writeln!(text),
        left_out => writeln!(text, "; {left_out} more are not annotated"),
    };
    text
}

/// The kind of the annotation. What passes needs none.
fn level(ending: Ending) -> Option<&'static str> {
    match ending {
        Ending::Passed => None,
        Ending::Tolerated | Ending::NotRun => Some("warning"),
        Ending::Failed | Ending::SnapshotChanged | Ending::Inconclusive | Ending::Unusable => {
            Some("error")
        }
    }
}

/// The message of a workflow command: one line, whatever is in it.
fn message(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// The value of a property, which ends at a comma or a colon.
fn property(text: &str) -> String {
    message(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::super::entry::tests::entry;
    use super::*;

    /// Reads a workflow command as GitHub's runner does.
    fn read(line: &str) -> (String, Vec<(String, String)>, String) {
        let unescape = |text: &str, all: bool| {
            let text = text.replace("%0D", "\r").replace("%0A", "\n");
            let text = match all {
                true => text.replace("%3A", ":").replace("%2C", ","),
                false => text,
            };
            text.replace("%25", "%")
        };
        let (head, data) = line.strip_prefix("::").unwrap().split_once("::").unwrap();
        let (command, properties) = head.split_once(' ').unwrap();
        let properties = properties.split(',').map(|pair| {
            let (name, value) = pair.split_once('=').unwrap();
            (name.to_owned(), unescape(value, true))
        });
        (
            command.to_owned(),
            properties.collect(),
            unescape(data, false),
        )
    }

    #[test]
    fn an_annotation_is_read_back_as_it_was_meant() {
        let failed = entry("a:b,c%d", Ending::Failed);
        let text = github(std::slice::from_ref(&failed), "ci, 100%/x:y/fairness.toml");
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 2, "{text}");
        let (command, properties, data) = read(lines[0]);
        assert_eq!(command, "error");
        let value = |name: &str| {
            let found = properties.iter().find(|(key, _)| key == name);
            found.map(|(_, value)| value.as_str())
        };
        assert_eq!(value("file"), Some("ci, 100%/x:y/fairness.toml"));
        assert_eq!(value("line"), Some("12"));
        assert_eq!(value("title"), Some("a:b,c%d: fail"));
        assert_eq!(data, failed.details);
        assert_eq!(lines[1], "fairgate: 1 failed");
    }

    #[test]
    fn ten_at_most_and_errors_before_warnings() {
        let mut entries: Vec<Entry> = (0..11).map(|at| Entry::not_run("later", at)).collect();
        entries.push(entry("worst", Ending::Inconclusive));
        entries.push(entry("good", Ending::Passed));
        let text = github(&entries, "fairness.toml");
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 11, "{text}");
        assert!(lines[0].starts_with("::error file=fairness.toml,line=12,title=worst%3A "));
        assert!(
            lines[1..10]
                .iter()
                .all(|line| line.starts_with("::warning"))
        );
        assert_eq!(
            lines[10],
            "fairgate: 1 passed, 1 inconclusive, 11 not run; 2 more are not annotated"
        );
    }

    #[test]
    fn what_passes_is_only_counted() {
        let text = github(&[entry("good", Ending::Passed)], "fairness.toml");
        assert_eq!(text, "fairgate: 1 passed\n");
    }
}
