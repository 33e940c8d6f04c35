//! A first look at a file that nobody has said anything about.

use super::header::unnamed;
use super::missing::MARKERS;
use super::records::Records;
use crate::spec::DatasetSpec;

/// What a file needs to be said about it before it can be read.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Survey {
    /// Its text is not UTF-8.
    pub(crate) not_utf8: bool,
    /// Columns without a name, such as the index that pandas writes, by the name that they get.
    pub(crate) nameless: Vec<String>,
    /// Columns with no value in any line.
    pub(crate) empty: Vec<String>,
}

impl Survey {
    /// Looks through the file; what cannot be read is told by whoever reads it in earnest.
    pub(crate) fn of(dataset: &DatasetSpec) -> Self {
        let mut survey = Survey::default();
        let Some(path) = &dataset.path else {
            return survey;
        };
        let Ok(mut records) = Records::open(dataset, &path.value) else {
            return survey;
        };
        if !records.advance().unwrap_or(false) {
            return survey;
        }
        let names: Vec<Vec<u8>> = (0..records.len())
            .map(|column| records.field(column).to_vec())
            .collect();
        survey.not_utf8 = names.iter().any(|name| std::str::from_utf8(name).is_err());
        let mut has_value = vec![false; names.len()];
        let mut people = 0;
        while records.advance().unwrap_or(false) {
            people += 1;
            for (column, has_value) in has_value.iter_mut().enumerate().take(records.len()) {
                let field = records.field(column);
                *has_value |= !is_nothing(field);
                survey.not_utf8 |= !field.is_ascii() && std::str::from_utf8(field).is_err();
            }
        }
        for (column, name) in names.iter().enumerate() {
            if name.is_empty() {
                survey.nameless.push(unnamed(column));
            } else if people > 0 && !has_value[column] {
                survey
                    .empty
                    .push(String::from_utf8_lossy(name).into_owned());
            }
        }
        survey
    }
}

fn is_nothing(field: &[u8]) -> bool {
    field.is_empty() || MARKERS.iter().any(|marker| marker.as_bytes() == field)
}
