//! A label that a model gives beside the scores of its classes.

use std::collections::BTreeMap;

use crate::words::grouped;

use super::canonical::UNDECIDED;
use super::tensor::Answer;

/// How the label goes with the scores.
#[derive(Debug, PartialEq)]
pub(super) struct Beside {
    /// The name of each class.
    pub(super) names: Vec<String>,
    /// People whose label is not the class with the largest score.
    pub(super) others: usize,
    people: usize,
}

impl Beside {
    /// Compares the two. Nothing unless every class has its own name.
    pub(super) fn new(scores: &Answer, labels: &Answer) -> Option<Self> {
        let labels: Vec<String> = match labels {
            Answer::Words(words) => words.clone(),
            Answer::Whole(numbers) => numbers.iter().map(ToString::to_string).collect(),
            _ => return None,
        };
        let (columns, values) = match scores {
            Answer::Numbers { columns, values } => (*columns, values),
            Answer::Named { classes, values } => (classes.len(), values),
            _ => return None,
        };
        let rows = values.chunks_exact(columns).zip(&labels);
        let clear: Vec<(usize, &String)> = rows
            .filter_map(|(row, label)| Some((clearly_largest(row)?, label)))
            .collect();
        let names = match scores {
            Answer::Named { classes, .. } => classes.clone(),
            _ => commonest(columns, &clear)?,
        };
        // Another output is about something else.
        if !labels.iter().all(|label| names.contains(label)) {
            return None;
        }
        let others = clear.iter().filter(|(best, label)| names[*best] != **label);
        Some(Beside {
            others: others.count(),
            people: labels.len(),
            names,
        })
    }

    /// Why the label decides.
    pub(super) fn note(&self, label: &str, scores: &str) -> String {
        format!(
            "for {} of {} people the model's own `{label}` is not the class with the largest number \
             in `{scores}`, so `{label}` decides; output = \"{scores}\" under the model lets the \
             numbers decide",
            grouped(self.others as u64),
            grouped(self.people as u64)
        )
    }
}

/// The place of the largest number, if no other is as large but for noise.
fn clearly_largest(row: &[f32]) -> Option<usize> {
    let best = (0..row.len()).max_by(|&a, &b| row[a].total_cmp(&row[b]))?;
    let mut others = row.iter().enumerate().filter(|(place, _)| *place != best);
    let leads = others.all(|(_, other)| f64::from(row[best] - other) > UNDECIDED);
    leads.then_some(best)
}

/// For each class the label that people have most often whose largest score it is; nothing if two
/// classes have the same.
fn commonest(columns: usize, clear: &[(usize, &String)]) -> Option<Vec<String>> {
    let mut counts: Vec<BTreeMap<&String, usize>> = vec![BTreeMap::new(); columns];
    for (best, label) in clear {
        *counts[*best].entry(label).or_default() += 1;
    }
    let most = |counts: &BTreeMap<&String, usize>| {
        let most = counts.iter().max_by_key(|(_, count)| **count);
        most.map(|(label, _)| (*label).clone())
    };
    let names: Option<Vec<String>> = counts.iter().map(most).collect();
    let names = names?;
    let distinct: std::collections::BTreeSet<&String> = names.iter().collect();
    (distinct.len() == names.len()).then_some(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &[&str]) -> Answer {
        Answer::Words(words.iter().map(|&word| word.to_owned()).collect())
    }

    fn named(values: &[f32]) -> Answer {
        Answer::Named {
            classes: vec!["no".into(), "yes".into()],
            values: values.to_vec(),
        }
    }

    #[test]
    fn a_label_that_is_not_the_largest_score_is_noticed() {
        let labels = words(&["no", "yes", "yes"]);
        let agree = named(&[0.9, 0.1, 0.2, 0.8, 0.4, 0.6]);
        assert_eq!(Beside::new(&agree, &labels).map(|b| b.others), Some(0));
        let one = named(&[0.9, 0.1, 0.2, 0.8, 0.6, 0.4]);
        let beside = Beside::new(&one, &labels).unwrap();
        assert_eq!(beside.others, 1);
        assert!(
            beside
                .note("label", "scores")
                .starts_with("for 1 of 3 people")
        );
        let level = named(&[0.9, 0.1, 0.2, 0.8, 0.5, 0.5]);
        assert_eq!(Beside::new(&level, &labels).map(|b| b.others), Some(0));
    }

    #[test]
    fn labels_name_the_classes_of_a_table() {
        let scores = Answer::Numbers {
            columns: 2,
            values: vec![0.9, 0.1, 0.2, 0.8, 0.3, 0.7],
        };
        let names = |labels: &Answer| Beside::new(&scores, labels).map(|beside| beside.names);
        assert_eq!(
            names(&Answer::Whole(vec![7, 3, 3])),
            Some(vec!["7".to_owned(), "3".to_owned()])
        );
        assert_eq!(names(&words(&["a", "a", "a"])), None, "one name for two");
        let about_something_else = words(&["no", "blue", "yes"]);
        assert_eq!(
            Beside::new(
                &named(&[0.9, 0.1, 0.2, 0.8, 0.3, 0.7]),
                &about_something_else
            ),
            None
        );
    }
}
