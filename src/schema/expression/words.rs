//! Bare words: which characters they have, where a minus divides them, and how to write them.

use std::ops::Range;

use super::names::Names;

/// Words with a meaning of their own. An attribute with such a name is written in backticks.
pub(super) const KEYWORDS: [&str; 10] = [
    "and", "else", "false", "if", "implies", "in", "not", "or", "then", "true",
];

/// The functions, in the order of the help.
pub(super) const FUNCTIONS: [&str; 7] = ["min", "max", "abs", "floor", "round", "log", "sqrt"];

/// Numbers are no longer than this in practice; it bounds the search for where a word is divided.
const LONGEST_NUMBER: usize = 40;

/// How a bare word is read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Reading {
    /// One name, known or not.
    One,
    /// Names and numbers with a minus between each two.
    Differences(Vec<Range<usize>>),
    /// There are two ways to put the minus.
    Ambiguous(Vec<Range<usize>>, Vec<Range<usize>>),
}

/// Whether a bare word may hold this character. A hyphen must have another one behind it.
pub(super) fn in_word(character: char) -> bool {
    match character {
        '_' | '.' | '-' => true,
        // Typographic marks and mathematical signs are slips for the plain ones.
        '\u{2000}'..='\u{206f}' | '\u{2190}'..='\u{22ff}' => false,
        '×' | '÷' | '¬' | '«' | '»' => false,
        _ if character.is_ascii() => character.is_ascii_alphanumeric(),
        // Letters of some scripts are followed by marks that are no letters themselves.
        _ => !character.is_whitespace() && !character.is_control(),
    }
}

/// The length of the bare word at the start of `text`; 0 where there is none.
pub(super) fn word_length(text: &str) -> usize {
    let mut characters = text.char_indices().peekable();
    let mut length = 0;
    while let Some((start, character)) = characters.next() {
        let next = characters.peek().map(|(_, next)| *next);
        let hangs = character == '-' && (start == 0 || !next.is_some_and(continues));
        let lone_dot = start == 0 && character == '.' && !next.is_some_and(|c| c.is_ascii_digit());
        if !in_word(character) || hangs || lone_dot {
            break;
        }
        length = start + character.len_utf8();
    }
    length
}

/// Whether a word goes on with this character after a hyphen.
fn continues(character: char) -> bool {
    in_word(character) && character != '-'
}

/// The length of the number at the start of `text`; 0 where there is none.
pub(super) fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let whole = digits(bytes, 0);
    let fraction = match bytes.get(whole) {
        Some(b'.') => digits(bytes, whole + 1),
        _ => whole,
    };
    if fraction == whole + 1 && whole == 0 {
        return 0;
    }
    if fraction == 0 || !matches!(bytes.get(fraction), Some(b'e' | b'E')) {
        return fraction;
    }
    let sign = usize::from(matches!(bytes.get(fraction + 1), Some(b'+' | b'-')));
    match digits(bytes, fraction + 1 + sign) {
        end if end > fraction + 1 + sign => end,
        _ => fraction,
    }
}

/// Where the digits that begin at `start` end. `_` between two digits is allowed, as in TOML.
fn digits(bytes: &[u8], start: usize) -> usize {
    let digit = |place: usize| bytes.get(place).is_some_and(u8::is_ascii_digit);
    let mut end = start;
    while digit(end) || (end > start && bytes.get(end) == Some(&b'_') && digit(end + 1)) {
        end += 1;
    }
    end
}

/// How `word` is read. A word that is a name as a whole is that name; otherwise its hyphens are a
/// minus where names, numbers and (where `called`, at its end) a function stand around them.
pub(super) fn read(word: &str, called: bool, names: &Names<'_>) -> Reading {
    if names.position(word).is_some() || !word.contains('-') {
        return Reading::One;
    }
    let parts = Parts::new(word, called, names);
    let longest_first = parts.divide(|ends| ends.last());
    let shortest_first = parts.divide(|ends| ends.first());
    match (longest_first, shortest_first) {
        (Some(one), Some(other)) if one == other => Reading::Differences(one),
        (Some(one), Some(other)) => Reading::Ambiguous(one, other),
        _ => Reading::One,
    }
}

/// A word with every place where a part of it may end.
struct Parts<'w> {
    word: &'w str,
    /// For each byte at which a part may begin: where it may end so that the rest can be read.
    ends: Vec<Vec<usize>>,
}

impl<'w> Parts<'w> {
    /// Finds out where each part of a word may end.
    fn new(word: &'w str, called: bool, names: &Names<'_>) -> Self {
        let hyphens: Vec<usize> = word.match_indices('-').map(|(place, _)| place).collect();
        let longest = names.longest().max(LONGEST_NUMBER);
        let mut ends = vec![Vec::new(); word.len() + 1];
        // From the back, so that it is known of each end whether the rest can be read.
        let starts = hyphens.iter().rev().map(|hyphen| hyphen + 1).chain([0]);
        for (after, start) in starts.enumerate() {
            let later = &hyphens[hyphens.len() - after..];
            let candidates = later.iter().copied().chain([word.len()]);
            let fitting: Vec<usize> = candidates
                .take_while(|end| end - start <= longest)
                .filter(|&end| end == word.len() || !ends[end + 1].is_empty())
                .filter(|&end| known(&word[start..end], called && end == word.len(), names))
                .collect();
            ends[start] = fitting;
        }
        Parts { word, ends }
    }

    /// One way to read the word, with one of the possible ends chosen for each part.
    fn divide(&self, choose: impl Fn(&[usize]) -> Option<&usize>) -> Option<Vec<Range<usize>>> {
        let mut parts = Vec::new();
        let mut start = 0;
        loop {
            let end = *choose(&self.ends[start])?;
            parts.push(start..end);
            if end == self.word.len() {
                return Some(parts);
            }
            start = end + 1;
        }
    }
}

/// Whether this can stand beside a minus.
fn known(part: &str, called: bool, names: &Names<'_>) -> bool {
    names.position(part).is_some()
        || (!part.is_empty() && number_length(part) == part.len())
        || (called && FUNCTIONS.contains(&part))
}

/// A name as an expression writes it: bare, or in backticks where bare would be read otherwise.
pub(crate) fn written_name(name: &str) -> String {
    let bare = !name.is_empty()
        && word_length(name) == name.len()
        && number_length(name) < name.len()
        && !KEYWORDS.contains(&name);
    if bare {
        name.to_string()
    } else {
        quoted(name, '`')
    }
}

/// A text as an expression writes it: in quotes.
pub(crate) fn written_text(text: &str) -> String {
    if text.contains('"') && !text.contains('\'') {
        quoted(text, '\'')
    } else {
        quoted(text, '"')
    }
}

/// `text` between two `quote`s.
fn quoted(text: &str, quote: char) -> String {
    let mut written = String::from(quote);
    for character in text.chars() {
        if character == quote || character == '\\' {
            written.push('\\');
        }
        written.push(character);
    }
    written.push(quote);
    written
}
