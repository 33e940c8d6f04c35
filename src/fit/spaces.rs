//! Spaces around words: a model that was trained with them knows no word without.

use std::path::Path;

use crate::dataset::spaced_words;
use crate::gate::GateError;
use crate::plan::BenchmarkPlan;
use crate::spec::DatasetSpec;

use super::error::FitError;

/// Words that are looked for in a model, at the most.
const LOOKED_FOR: usize = 20;

/// A word that stands in the CSV with spaces around it and that the model knows only so.
pub(crate) fn known_with_spaces(dataset: &DatasetSpec, model: &Path) -> Option<String> {
    if dataset.keep_spaces {
        return None;
    }
    let words = spaced_words(dataset, LOOKED_FOR);
    if words.is_empty() {
        return None;
    }
    let model = std::fs::read(model).ok()?;
    let only_so = |word: &String| holds(&model, word) && !holds(&model, word.trim_ascii());
    words.into_iter().find(only_so)
}

/// Whether a model file holds a word: ONNX writes its length before it.
fn holds(model: &[u8], word: &str) -> bool {
    let Some(length) = u8::try_from(word.len()).ok().filter(|&length| length < 128) else {
        return false;
    };
    let written = [&[length], word.as_bytes()].concat();
    model.windows(written.len()).any(|part| part == written)
}

/// Refuses to give the model words that it does not know, as it would decide everybody by the rest.
///
/// # Errors
/// The model knows words only with the spaces that are taken off.
pub(crate) fn check_spaces(plan: &BenchmarkPlan) -> Result<(), GateError> {
    let dataset = &plan.dataset;
    let Some(word) = known_with_spaces(dataset, &plan.model.path.value) else {
        return Ok(());
    };
    let message = format!(
        "the model knows {word:?} but not {:?}: it was trained with the spaces that stand in {}, \
         and here they are taken off",
        word.trim_ascii(),
        dataset.source()
    );
    let help = format!(
        "add spaces = \"keep\" under [dataset.{}], and write `values` and constraints with the \
         spaces",
        dataset.name.value
    );
    let at = dataset.name.span;
    let problem = FitError::new(plan, at, "this dataset", message, Some(help));
    Err(GateError::Fit(Box::new(problem)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_in_a_model_has_its_length_before_it() {
        let model = b"\x0a\x05 Male\x0a\x07 Female";
        assert!(holds(model, " Male") && holds(model, " Female"));
        assert!(!holds(model, "Male") && !holds(model, "Female"));
        assert!(!holds(model, &"x".repeat(200)));
    }
}
