//! What a study runs: how large it is, and the list of its runs.

use super::contender::{Contender, PAPER};
use super::record::Key;

/// One of the paper's research questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Question {
    /// How the perturbation size matters.
    One = 1,
    /// How the methods compare.
    Two = 2,
    /// How near estimated gradients are to real ones.
    Three = 3,
}

/// How large one experiment is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Extent {
    /// Runs with different random seeds.
    pub rounds: usize,
    /// Seeds of the global phase.
    pub seeds: usize,
    /// Local steps from each find.
    pub steps: usize,
}

/// How large a study is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Form {
    /// The experiment with perturbation sizes.
    pub one: Extent,
    /// The sizes that are tried.
    pub sizes: Vec<f64>,
    /// The comparison of the methods.
    pub two: Extent,
    /// People whose gradients are compared.
    pub people: usize,
    /// Queries that a run of a method that explains every person may take.
    pub cap: u64,
}

/// The size that the paper recommends. Methods other than MAFT do not read it.
pub(crate) const RECOMMENDED: f64 = 1.0;

/// The paper's twelve sizes.
const SIZES: [f64; 12] = [
    1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0,
];

/// Sizes above this one are in the paper's stable range.
pub(crate) const STABLE_ABOVE: f64 = 1e-5;

/// Whom the paper shows beside the sizes.
const BESIDE_SIZES: [&str; 4] = ["aequitas", "sg", "adf", "eidig"];

/// Methods that explain every person by queries of its own, and so need a cap.
const CAPPED: [&str; 1] = ["sg"];

impl Form {
    /// The paper's: ten rounds of 100 x 100 for each of twelve sizes; three rounds of 1000 x 1000.
    pub(crate) fn full() -> Self {
        Form {
            one: Extent {
                rounds: 10,
                seeds: 100,
                steps: 100,
            },
            sizes: SIZES.to_vec(),
            two: Extent {
                rounds: 3,
                seeds: 1000,
                steps: 1000,
            },
            people: 1000,
            cap: 50_000_000,
        }
    }

    /// A short one, for a first look.
    pub(crate) fn quick() -> Self {
        Form {
            one: Extent {
                rounds: 3,
                seeds: 30,
                steps: 30,
            },
            sizes: vec![1e-10, 1e-8, 1e-6, 1e-4, 1e-2, 1.0, 10.0],
            two: Extent {
                rounds: 3,
                seeds: 100,
                steps: 100,
            },
            people: 200,
            cap: 500_000,
        }
    }
}

/// One run.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Planned {
    /// The place of its benchmark.
    pub benchmark: usize,
    /// Who searches.
    pub contender: Contender,
    /// Everything that makes this run another than all others.
    pub key: Key,
}

/// What the plan has to know of a benchmark.
pub(crate) struct Subject<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its random seed: that of the first round. The next round has the next one.
    pub seed: u64,
    /// The size of the perturbation in its spec.
    pub size: f64,
    /// By what its model, its people and its settings are recognised.
    pub fingerprint: &'a str,
}

/// All searches of a study, question after question, benchmark after benchmark. The third question
/// has none.
pub(crate) fn runs(
    subjects: &[Subject<'_>],
    questions: &[Question],
    contenders: &[Contender],
    form: &Form,
) -> Vec<Planned> {
    let mut runs = Vec::new();
    for &question in questions {
        for (benchmark, subject) in subjects.iter().enumerate() {
            let entries = match question {
                Question::One => sized(contenders, &form.sizes),
                Question::Two => contenders.iter().map(|&c| (c, subject.size)).collect(),
                Question::Three => Vec::new(),
            };
            let extent = match question {
                Question::One => form.one,
                Question::Two | Question::Three => form.two,
            };
            for (contender, size) in entries {
                runs.extend((1..=extent.rounds).map(|round| Planned {
                    benchmark,
                    contender,
                    key: key(subject, question, contender, size, round, extent, form.cap),
                }));
            }
        }
    }
    runs
}

/// The paper's MAFT with every size, and the others beside it.
fn sized(contenders: &[Contender], sizes: &[f64]) -> Vec<(Contender, f64)> {
    let mut entries = Vec::new();
    for name in BESIDE_SIZES {
        let beside = contenders.iter().filter(|contender| contender.name == name);
        entries.extend(beside.map(|&contender| (contender, RECOMMENDED)));
    }
    let paper = contenders
        .iter()
        .filter(|contender| contender.name == PAPER);
    entries.extend(paper.flat_map(|&contender| sizes.iter().map(move |&size| (contender, size))));
    entries
}

fn key(
    subject: &Subject<'_>,
    question: Question,
    contender: Contender,
    size: f64,
    round: usize,
    extent: Extent,
    cap: u64,
) -> Key {
    Key {
        question: question as u8,
        benchmark: subject.name.to_owned(),
        method: contender.name.to_owned(),
        perturbation_size: size,
        round,
        seed: subject.seed.wrapping_add(round as u64 - 1),
        global_seeds: extent.seeds,
        local_steps: extent.steps,
        max_queries: CAPPED.contains(&contender.name).then_some(cap),
        fingerprint: subject.fingerprint.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn subjects() -> [Subject<'static>; 2] {
        ["a", "b"].map(|name| Subject {
            name,
            seed: 42,
            size: 0.5,
            fingerprint: "f",
        })
    }

    fn contenders(names: &[&str]) -> Vec<Contender> {
        names
            .iter()
            .filter_map(|name| Contender::of_name(name))
            .collect()
    }

    #[test]
    fn the_full_plan_has_the_papers_size() {
        let form = Form::full();
        let contenders = contenders(&[PAPER, "maft", "aequitas", "sg"]);
        let questions = [Question::One, Question::Two, Question::Three];
        let runs = runs(&subjects(), &questions, &contenders, &form);
        // Twelve sizes and two methods beside them, ten rounds; four methods, three rounds.
        assert_eq!(runs.len(), 2 * (10 * (12 + 2) + 3 * 4));
        let distinct: BTreeSet<String> = runs.iter().map(|run| format!("{:?}", run.key)).collect();
        assert_eq!(distinct.len(), runs.len());
        assert_eq!(
            form.sizes
                .iter()
                .filter(|&&size| size > STABLE_ABOVE)
                .count(),
            6
        );
        assert!(form.sizes.contains(&RECOMMENDED));
    }

    #[test]
    fn rounds_have_their_own_seeds_and_methods_the_same() {
        let contenders = contenders(&["maft", "sg"]);
        let runs = runs(&subjects(), &[Question::Two], &contenders, &Form::quick());
        let of = |method: &str| -> Vec<u64> {
            let runs = runs.iter().filter(|run| run.key.method == method);
            runs.filter(|run| run.key.benchmark == "a")
                .map(|run| run.key.seed)
                .collect()
        };
        assert_eq!(of("maft"), [42, 43, 44]);
        assert_eq!(of("sg"), of("maft"));
        for run in &runs {
            assert_eq!(run.key.max_queries.is_some(), run.key.method == "sg");
            assert_eq!(run.key.perturbation_size, 0.5, "what the spec says");
        }
    }

    #[test]
    fn a_short_plan_can_still_be_analysed() {
        let sizes = Form::quick().sizes;
        assert!(sizes.iter().filter(|&&size| size > STABLE_ABOVE).count() >= 2);
        assert!(sizes.contains(&RECOMMENDED) && sizes.contains(&10.0));
    }
}
