//! Why a dataset cannot be used: every complaint at once, and how to mend each.

use std::path::PathBuf;

use crate::spec::DatasetSpec;
use crate::words::grouped;

/// At most this many complaints are written out; the rest are counted.
const SHOWN: usize = 10;

/// Why a dataset cannot be used.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[non_exhaustive]
pub enum DatasetError {
    /// The file cannot be read.
    #[error("cannot read the dataset {}: {why}", path.display())]
    #[diagnostic(
        code(fairgate::dataset::unreadable),
        help("correct `path` under [dataset.{name}]; it is relative to the spec")
    )]
    Unreadable {
        /// The dataset's name in the spec.
        name: String,
        /// The file.
        path: PathBuf,
        /// What the system says.
        why: String,
    },
    /// The file is there but is not a table of people, or no file and too little is declared.
    #[error("the dataset {dataset} cannot be used:\n{}", listed(problems, *more))]
    #[diagnostic(code(fairgate::dataset::bad_rows))]
    BadRows {
        /// The file, or the table of the spec where there is no file.
        dataset: String,
        /// A sentence each.
        problems: Vec<String>,
        /// How many more there are.
        more: u64,
        /// How to mend it.
        #[help]
        help: String,
    },
}

fn listed(problems: &[String], more: u64) -> String {
    let mut lines: Vec<String> = problems
        .iter()
        .map(|problem| format!("  - {problem}"))
        .collect();
    if more > 0 {
        lines.push(format!("  - and {} more", grouped(more)));
    }
    lines.join("\n")
}

/// One complaint, and how to mend it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Problem {
    pub(super) sentence: String,
    pub(super) help: String,
}

impl Problem {
    /// A complaint.
    pub(super) fn new(sentence: impl Into<String>, help: impl Into<String>) -> Self {
        Problem {
            sentence: sentence.into(),
            help: help.into(),
        }
    }
}

/// Complaints as they come up: the first few in words, the rest as a number, so that a file of
/// many bad rows needs no more memory than one of few.
#[derive(Debug, Default)]
pub(super) struct Complaints {
    problems: Vec<String>,
    more: u64,
    helps: Vec<String>,
}

impl Complaints {
    /// One complaint, and how to mend it.
    pub(super) fn add(&mut self, problem: impl Into<String>, help: impl Into<String>) {
        if self.problems.len() == SHOWN {
            self.more += 1;
            return;
        }
        self.problems.push(problem.into());
        let help = help.into();
        if !help.is_empty() && !self.helps.contains(&help) {
            self.helps.push(help);
        }
    }

    /// All of these.
    pub(super) fn extend(&mut self, problems: impl IntoIterator<Item = Problem>) {
        for Problem { sentence, help } in problems {
            self.add(sentence, help);
        }
    }

    /// Whether there is none.
    pub(super) fn is_empty(&self) -> bool {
        self.problems.is_empty()
    }

    /// All of them as one error.
    pub(super) fn into_error(self, dataset: &DatasetSpec) -> DatasetError {
        DatasetError::BadRows {
            dataset: dataset.source(),
            problems: self.problems,
            more: self.more,
            help: self.helps.join("\n"),
        }
    }
}

/// The error of one complaint.
pub(super) fn bad(dataset: &DatasetSpec, problem: impl Into<String>, help: &str) -> DatasetError {
    let mut complaints = Complaints::default();
    complaints.add(problem, help);
    complaints.into_error(dataset)
}

/// How many lines there are, and the first of them.
#[derive(Debug, Default)]
pub(super) struct Lines {
    first: Vec<u64>,
    pub(super) count: u64,
}

impl Lines {
    const SHOWN: usize = 5;

    /// One more line.
    pub(super) fn add(&mut self, line: u64) {
        self.count += 1;
        if self.first.len() < Self::SHOWN {
            self.first.push(line);
        }
    }

    /// `line 5`, `2 lines: 5, 9` or `2,799 lines: 5, 9, 12, 15, 17 ...`.
    pub(super) fn words(&self) -> String {
        let first: Vec<String> = self.first.iter().map(u64::to_string).collect();
        let first = first.join(", ");
        match self.count {
            1 => format!("line {first}"),
            count if count as usize > Self::SHOWN => {
                format!("{} lines: {first} ...", grouped(count))
            }
            count => format!("{count} lines: {first}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_shown_and_counted() {
        let mut lines = Lines::default();
        lines.add(5);
        assert_eq!(lines.words(), "line 5");
        lines.add(9);
        assert_eq!(lines.words(), "2 lines: 5, 9");
        (0..2797).for_each(|_| lines.add(12));
        assert_eq!(lines.words(), "2,799 lines: 5, 9, 12, 12, 12 ...");
    }

    #[test]
    fn only_the_first_complaints_are_kept() {
        let mut complaints = Complaints::default();
        (0..1000).for_each(|line| complaints.add(format!("line {line}"), "mend it"));
        assert_eq!(complaints.problems.len(), SHOWN);
        assert_eq!(complaints.more, 990);
        assert_eq!(complaints.helps, ["mend it"]);
    }
}
