//! A spec that is being made, and the notes that go with it.

use super::Reading;
use super::answers::Answers;
use super::layout::{Fit, Scaling};
use super::table::Table;

/// The names and paths of a spec.
#[derive(Debug, Clone)]
pub(super) struct Places {
    /// The model's name in the spec.
    pub(super) model: String,
    /// The model's path in the spec.
    pub(super) model_path: String,
    /// The dataset's name in the spec.
    pub(super) dataset: String,
    /// The dataset's path in the spec.
    pub(super) dataset_path: String,
}

/// Something that is known or guessed, as a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Note {
    /// Read from the model or the data.
    Read(String),
    /// Guessed: somebody has to look at it.
    Guessed(String),
}

impl Note {
    pub(super) fn read(text: impl Into<String>) -> Self {
        Note::Read(text.into())
    }

    pub(super) fn guessed(text: impl Into<String>) -> Self {
        Note::Guessed(text.into())
    }

    /// The sentence as a comment.
    pub(super) fn comment(&self) -> String {
        match self {
            Note::Read(text) => text.clone(),
            Note::Guessed(text) => format!("guessed: {text}"),
        }
    }

    /// The sentence, if it is a guess.
    pub(super) fn guess(&self) -> Option<&str> {
        match self {
            Note::Read(_) => None,
            Note::Guessed(text) => Some(text),
        }
    }
}

/// The notes of a spec, by the place where they stand.
#[derive(Debug, Clone, Default)]
pub(super) struct Notes {
    /// At the top: what must be mended.
    pub(super) to_mend: Vec<String>,
    /// Over the model's answers.
    pub(super) answers: Vec<Note>,
    /// Over the model's columns or inputs.
    pub(super) columns: Vec<Note>,
    /// Over words that have a column for each value.
    pub(super) one_hot: Vec<Note>,
    /// Over words that are given as codes.
    pub(super) codes: Vec<Note>,
    /// Over scaled numbers.
    pub(super) scaling: Vec<Note>,
    /// Over the label.
    pub(super) label: Vec<Note>,
    /// Over the columns that are left out.
    pub(super) ignore: Vec<Note>,
    /// Over computed inputs.
    pub(super) derived: Vec<Note>,
    /// Over how the CSV is read.
    pub(super) reading: Vec<Note>,
    /// Over missing values.
    pub(super) missing: Vec<Note>,
    /// Over the benchmarks.
    pub(super) benchmarks: Vec<Note>,
}

impl Notes {
    /// Everything that is guessed, in the order of the file.
    pub(super) fn guesses(&self) -> Vec<String> {
        let places = [
            &self.answers,
            &self.columns,
            &self.one_hot,
            &self.codes,
            &self.scaling,
            &self.reading,
            &self.label,
            &self.ignore,
            &self.missing,
            &self.derived,
            &self.benchmarks,
        ];
        let notes = places.into_iter().flatten();
        notes.filter_map(Note::guess).map(str::to_owned).collect()
    }
}

/// A benchmark that is proposed.
#[derive(Debug, Clone)]
pub(super) struct Proposed {
    /// Its name.
    pub(super) name: String,
    /// The protected attribute.
    pub(super) attribute: usize,
    /// Only proposed in a comment.
    pub(super) commented: bool,
}

/// A spec that is being made.
#[derive(Clone)]
pub(super) struct Draft<'t> {
    pub(super) table: &'t Table,
    pub(super) places: &'t Places,
    /// What the model takes and gives, in words.
    pub(super) signature: String,
    pub(super) fit: Fit,
    pub(super) answers: Answers,
    pub(super) reading: Reading,
    pub(super) benchmarks: Vec<Proposed>,
    pub(super) constraints: Vec<String>,
    pub(super) notes: Notes,
}

impl Draft<'_> {
    /// How a number is scaled, as a value in the spec; nothing if it cannot be.
    pub(super) fn scale(&self, position: usize, scaling: Scaling) -> Option<String> {
        let field = &self.table.fields[position];
        match scaling {
            Scaling::None => None,
            Scaling::Standard => {
                let (mean, std) = field.mean_and_std();
                let (mean, std) = (short(mean), short(std));
                (std != "0").then(|| format!("{{ mean = {mean}, std = {std} }}"))
            }
            Scaling::Range => {
                let (min, max) = field.range();
                (min < max).then(|| format!("{{ min = {}, max = {} }}", short(min), short(max)))
            }
        }
    }
}

/// A number with six digits that count.
pub(super) fn short(number: f64) -> String {
    if number == 0.0 || !number.is_finite() {
        return "0".to_owned();
    }
    let places = (5 - number.abs().log10().floor() as i32).clamp(0, 12);
    let text = format!("{number:.*}", places as usize);
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!(short(38.643_712), "38.6437");
        assert_eq!(short(7452.0), "7452");
        assert_eq!(short(-0.012_345_678), "-0.0123457");
        assert_eq!(short(123_456_789.5), "123456790");
        assert_eq!(short(0.0), "0");
    }
}
