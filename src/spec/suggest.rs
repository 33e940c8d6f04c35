//! "Did you mean", and lists of names for people to read.

/// Words that people bring from elsewhere, and ours for the same thing.
const SYNONYMS: &[(&str, &str)] = &[
    ("categories", "values"),
    ("gpu", "cuda"),
    ("max-iterations", "max-iter"),
    ("maximum", "max"),
    ("minimum", "min"),
    ("onnx", "onnxruntime"),
    ("ort", "onnxruntime"),
    ("rten", "embedded"),
    ("sensitive", "protected"),
    ("sensitive-attributes", "protected"),
    ("sensitive-features", "protected"),
    ("target", "label"),
    ("timeout", "time-limit"),
];

/// The entry of `known` that `word` is most likely a slip of or another word for, if any is.
///
/// Case and `_` for `-` do not count as slips; otherwise about one letter in three may be wrong.
pub(crate) fn closest<'k>(
    word: &str,
    known: impl IntoIterator<Item = &'k str, IntoIter: Clone>,
) -> Option<&'k str> {
    let known = known.into_iter();
    let word = plain(word);
    let synonym = SYNONYMS.iter().find(|(theirs, _)| *theirs == word);
    if let Some(ours) = synonym.and_then(|(_, ours)| known.clone().find(|name| name == ours)) {
        return Some(ours);
    }
    let most = (word.chars().count() / 3).max(1);
    known
        .map(|name| (strsim::damerau_levenshtein(&word, &plain(name)), name))
        .filter(|(slips, _)| *slips <= most)
        .min()
        .map(|(_, name)| name)
}

/// `words` in backticks with commas, the last one after `last`: "`a`, `b` or `c`".
pub(crate) fn list<'k>(words: impl IntoIterator<Item = &'k str>, last: &str) -> String {
    let words: Vec<String> = words.into_iter().map(|word| format!("`{word}`")).collect();
    match words.split_last() {
        None => String::new(),
        Some((only, [])) => only.clone(),
        Some((end, rest)) => format!("{} {last} {end}", rest.join(", ")),
    }
}

fn plain(word: &str) -> String {
    word.to_lowercase().replace('_', "-")
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: [&str; 3] = ["max-queries", "protected", "seed"];

    #[test]
    fn slips_of_the_pen_are_found() {
        assert_eq!(closest("protcted", KNOWN), Some("protected"));
        assert_eq!(closest("Max_Queries", KNOWN), Some("max-queries"));
        assert_eq!(closest("sede", KNOWN), Some("seed"));
    }

    #[test]
    fn words_from_elsewhere_are_understood() {
        assert_eq!(closest("sensitive_features", KNOWN), Some("protected"));
        assert_eq!(closest("gpu", ["cpu", "cuda"]), Some("cuda"));
        assert_eq!(closest("timeout", KNOWN), None);
    }

    #[test]
    fn other_words_are_left_alone() {
        assert_eq!(closest("colour", KNOWN), None);
        assert_eq!(closest("", KNOWN), None);
        assert_eq!(closest("x", []), None);
    }

    #[test]
    fn lists_read_as_english() {
        assert_eq!(list([], "or"), "");
        assert_eq!(list(["a"], "or"), "`a`");
        assert_eq!(list(KNOWN, "and"), "`max-queries`, `protected` and `seed`");
    }
}
