//! Where the readers put what they dislike.

use std::cell::RefCell;
use std::collections::BTreeMap;

use miette::Diagnostic;

use super::located::Located;
use super::problem::SpecProblem;

/// Every problem found so far.
///
/// Shared by all readers of one file, so that reading can go on after a problem. A reader that
/// pushes a problem may return any placeholder: no value leaves the module once a problem is here.
#[derive(Debug, Default)]
pub(super) struct Problems(RefCell<Vec<SpecProblem>>);

impl Problems {
    pub(super) fn push(&self, problem: SpecProblem) {
        self.0.borrow_mut().push(problem);
    }

    /// Pushes a problem for each entry of the list `what` that stands there twice.
    pub(super) fn check_distinct(&self, what: &str, entries: &[Located<String>]) {
        let mut seen = BTreeMap::new();
        for entry in entries {
            if let Some(first_at) = seen.get(entry.value.as_str()) {
                self.push(SpecProblem::SaidTwice {
                    what: what.to_owned(),
                    entry: entry.value.clone(),
                    first_at: *first_at,
                    at: entry.span,
                });
            } else {
                seen.insert(entry.value.as_str(), entry.span);
            }
        }
    }

    /// All problems from the top of the file to its end; those without a place come last.
    pub(super) fn into_file_order(self) -> Vec<SpecProblem> {
        let mut problems = self.0.into_inner();
        problems.sort_by_key(place);
        problems
    }
}

fn place(problem: &SpecProblem) -> usize {
    let labels = problem.labels().into_iter().flatten();
    labels.map(|l| l.offset()).max().unwrap_or(usize::MAX)
}
