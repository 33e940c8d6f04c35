//! Words with spaces around them.

use std::collections::BTreeSet;

use super::records::Records;
use super::{header, layout};
use crate::spec::DatasetSpec;

/// Lines that are looked at: a file that has such words has them everywhere.
const LINES: usize = 1000;

/// Words of attributes that have spaces around them in the file, with the spaces, at most so many.
pub(crate) fn spaced_words(dataset: &DatasetSpec, most: usize) -> Vec<String> {
    let Some(path) = &dataset.path else {
        return Vec::new();
    };
    let Ok(mut records) = Records::open(dataset, &path.value) else {
        return Vec::new();
    };
    let Ok(names) = header::columns(dataset, &mut records) else {
        return Vec::new();
    };
    let columns: Vec<usize> = layout::places(&names, dataset)
        .into_iter()
        .filter_map(|place| place.source.column())
        .collect();
    let mut words = BTreeSet::new();
    for _ in 0..LINES {
        if words.len() >= most || !records.advance().unwrap_or(false) {
            break;
        }
        let spaced = columns
            .iter()
            .map(|&column| records.words(column))
            .filter(|word| word.len() > word.trim_ascii().len());
        words.extend(spaced.map(|word| String::from_utf8_lossy(word).into_owned()));
    }
    words.into_iter().take(most).collect()
}
