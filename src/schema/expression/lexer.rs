//! From text to tokens: words, numbers, texts and symbols, each with its place.

use std::ops::Range;

use super::error::ExpressionError;
use super::names::Names;
use super::words::{self, KEYWORDS, Reading};

/// The symbols, longer ones before the ones they begin with.
const SYMBOLS: [&str; 15] = [
    "==", "!=", "<=", ">=", "<", ">", "+", "-", "*", "/", "(", ")", "[", "]", ",",
];

/// Signs that people bring from elsewhere, longer ones first, and what to write for them.
const FOREIGN: [(&str, &str); 25] = [
    ("===", "write `==`"),
    ("=<", "write `<=`"),
    ("=>", "write `implies`, or `>=` for \"at least\""),
    ("->", "write `implies`"),
    ("<>", "write `!=`"),
    ("&&", "write `and`"),
    ("||", "write `or`"),
    ("**", "write a power as a product: `a * a`"),
    ("=", "write `==`"),
    ("!", "write `not`, or `!=` for \"is not equal to\""),
    ("&", "write `and`"),
    ("|", "write `or`"),
    ("¬", "write `not`"),
    ("≤", "write `<=`"),
    ("≥", "write `>=`"),
    ("≠", "write `!=`"),
    ("×", "write `*`"),
    ("÷", "write `/`"),
    ("−", "write the minus of the keyboard: `-`"),
    ("–", "write the minus of the keyboard: `-`"),
    ("“", "write straight quotes: `\"`"),
    ("”", "write straight quotes: `\"`"),
    ("‘", "write straight quotes: `'`"),
    ("’", "write straight quotes: `'`"),
    ("^", "write a power as a product: `a * a`"),
];

/// What stands at a place of the text.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum TokenKind {
    /// The name of an attribute or a function, known or not.
    Name(String),
    /// A number.
    Number(f64),
    /// A text in quotes, without them.
    Text(String),
    /// A keyword or a symbol.
    Fixed(&'static str),
    /// Something that cannot be read. Nothing comes after it.
    Trouble(ExpressionError),
    /// The end of the text.
    End,
}

/// A token with its place.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Token {
    /// What it is.
    pub(super) kind: TokenKind,
    /// Its bytes in the text.
    pub(super) range: Range<usize>,
}

/// The tokens of a text. The last one is an end or a trouble.
///
/// A trouble is a token, so that of all things wrong the first one in the text is reported.
pub(super) fn tokens(text: &str, names: &Names<'_>) -> Vec<Token> {
    let mut lexer = Lexer {
        text,
        names,
        place: 0,
        tokens: Vec::new(),
    };
    if let Err(trouble) = lexer.run() {
        let range = trouble.range.clone();
        lexer.push(TokenKind::Trouble(trouble), range);
    }
    lexer.tokens
}

/// A text on its way to tokens.
struct Lexer<'t> {
    text: &'t str,
    names: &'t Names<'t>,
    place: usize,
    tokens: Vec<Token>,
}

impl<'t> Lexer<'t> {
    /// Reads tokens up to the end or to the first trouble.
    fn run(&mut self) -> Result<(), ExpressionError> {
        loop {
            self.skip_space();
            let Some(next) = self.rest().chars().next() else {
                self.push(TokenKind::End, self.place..self.place);
                return Ok(());
            };
            match next {
                '"' | '\'' | '`' => self.quoted(next)?,
                _ => match words::word_length(self.rest()) {
                    0 => self.symbol()?,
                    length => self.word(length)?,
                },
            }
        }
    }

    /// What is not read yet.
    fn rest(&self) -> &'t str {
        &self.text[self.place..]
    }

    /// Moves past white space.
    fn skip_space(&mut self) {
        self.place = self.text.len() - self.rest().trim_start().len();
    }

    /// Adds a token and moves past it.
    fn push(&mut self, kind: TokenKind, range: Range<usize>) {
        self.place = range.end;
        self.tokens.push(Token { kind, range });
    }

    /// A text in quotes or a name in backticks.
    fn quoted(&mut self, quote: char) -> Result<(), ExpressionError> {
        let start = self.place;
        let mut content = String::new();
        let mut characters = self.rest().char_indices().skip(1);
        while let Some((at, character)) = characters.next() {
            let here = start + at;
            match character {
                '\\' => match characters.next() {
                    Some((_, meant @ ('"' | '\'' | '`' | '\\'))) => content.push(meant),
                    _ => return Err(bad_escape(here)),
                },
                _ if character == quote => {
                    let kind = match quote {
                        '`' => TokenKind::Name(content),
                        _ => TokenKind::Text(content),
                    };
                    self.push(kind, start..here + 1);
                    return Ok(());
                }
                _ => content.push(character),
            }
        }
        Err(never_closed(start, quote))
    }

    /// A keyword, a number, a name, or several of the latter two with a minus between them.
    fn word(&mut self, length: usize) -> Result<(), ExpressionError> {
        let start = self.place;
        let word = &self.text[start..start + length];
        let number = words::number_length(self.rest());
        if number >= length {
            return self.number(start..start + number);
        }
        if let Some(keyword) = KEYWORDS.iter().find(|keyword| **keyword == word) {
            self.push(TokenKind::Fixed(keyword), start..start + length);
            return Ok(());
        }
        let called = self.text[start + length..].trim_start().starts_with('(');
        match words::read(word, called, self.names) {
            Reading::One => {
                self.push(TokenKind::Name(word.to_string()), start..start + length);
                Ok(())
            }
            Reading::Differences(parts) => self.differences(start, &parts),
            Reading::Ambiguous(one, other) => Err(ambiguous(start, word, &one, &other)),
        }
    }

    /// The parts of a word with a minus between each two.
    fn differences(&mut self, start: usize, parts: &[Range<usize>]) -> Result<(), ExpressionError> {
        for part in parts {
            let range = start + part.start..start + part.end;
            if part.start > 0 {
                self.push(TokenKind::Fixed("-"), range.start - 1..range.start);
            }
            let text = &self.text[range.clone()];
            if words::number_length(text) == text.len() {
                self.number(range)?;
            } else {
                self.push(TokenKind::Name(text.to_string()), range);
            }
        }
        Ok(())
    }

    /// The number at a place.
    fn number(&mut self, range: Range<usize>) -> Result<(), ExpressionError> {
        let digits = self.text[range.clone()].replace('_', "");
        match digits.parse::<f64>() {
            Ok(value) if value.is_finite() => {
                self.push(TokenKind::Number(value), range);
                Ok(())
            }
            _ => Err(ExpressionError::new(
                range,
                "this number is too large",
                "too large",
            )),
        }
    }

    /// A symbol, or a sign that is none.
    fn symbol(&mut self) -> Result<(), ExpressionError> {
        let rest = self.rest();
        let start = self.place;
        let symbol = SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol));
        let foreign = FOREIGN.iter().find(|(sign, _)| rest.starts_with(sign));
        match (symbol, foreign) {
            // The longer one is meant: `!=` is not `!`, and `->` is not `-`.
            (Some(symbol), foreign)
                if foreign.is_none_or(|(sign, _)| sign.len() < symbol.len()) =>
            {
                self.push(TokenKind::Fixed(symbol), start..start + symbol.len());
                Ok(())
            }
            (_, Some((sign, help))) => Err(unknown_sign(start, sign).with_help(*help)),
            _ => {
                let length = rest.chars().next().map_or(0, char::len_utf8);
                Err(unknown_sign(start, &rest[..length])
                    .with_help("names with other signs are written in backticks, texts in quotes"))
            }
        }
    }
}

/// A sign that the grammar does not have.
fn unknown_sign(start: usize, sign: &str) -> ExpressionError {
    let message = format!("`{}` has no meaning here", sign.escape_debug());
    ExpressionError::new(start..start + sign.len(), message, "not understood")
}

/// A backslash before something else than it can stand before.
fn bad_escape(at: usize) -> ExpressionError {
    ExpressionError::new(
        at..at + 1,
        "a backslash stands only before a quote, a backtick or another backslash",
        "nothing to escape",
    )
    .with_help("write `\\\\` for a backslash")
}

/// A quote without its partner.
fn never_closed(start: usize, quote: char) -> ExpressionError {
    let what = match quote {
        '`' => "name",
        _ => "text",
    };
    ExpressionError::new(
        start..start + 1,
        format!("this {what} is never closed"),
        "opened here",
    )
    .with_help(format!("close it with another {quote}"))
}

/// A word that a minus can divide in two ways.
fn ambiguous(
    start: usize,
    word: &str,
    one: &[Range<usize>],
    other: &[Range<usize>],
) -> ExpressionError {
    let shown = |parts: &[Range<usize>]| {
        let parts: Vec<&str> = parts.iter().map(|part| &word[part.clone()]).collect();
        format!("`{}`", parts.join(" - "))
    };
    let message = format!(
        "`{word}` can be read as {} and as {}",
        shown(one),
        shown(other)
    );
    ExpressionError::new(start..start + word.len(), message, "more than one meaning")
        .with_help("write each minus with spaces around it")
}
