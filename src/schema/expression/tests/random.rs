//! Random expressions against a naive evaluator, and random texts that must not panic.

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};

use super::*;

/// An expression as the naive evaluator sees it.
enum Naive {
    Number(f64),
    Truth(bool),
    Attribute(usize),
    Is(usize, Code),
    Listed(usize, Vec<Code>, bool),
    Unary(&'static str, Box<Naive>),
    Binary(&'static str, Box<Naive>, Box<Naive>),
    Chain(Vec<Naive>, Vec<&'static str>),
    If(Box<Naive>, Box<Naive>, Option<Box<Naive>>),
    Call(&'static str, Vec<Naive>),
}

struct Generator {
    stream: Xoshiro256PlusPlus,
}

impl Generator {
    fn new(seed: u64) -> Self {
        Generator {
            stream: Xoshiro256PlusPlus::seed_from_u64(seed),
        }
    }

    fn below(&mut self, bound: usize) -> usize {
        self.stream.random_range(0..bound)
    }

    fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }

    fn number(&mut self, depth: usize) -> Naive {
        let below = depth.saturating_sub(1);
        match self.below(if depth == 0 { 2 } else { 8 }) {
            0 => Naive::Number(self.below(40) as f64 / 4.0),
            1 => Naive::Attribute(self.one_of(&[0, 1, 2, 3, 4, 9, 10, 11])),
            2 => Naive::Unary("-", Box::new(self.number(below))),
            3 => Naive::If(
                Box::new(self.truth(below)),
                Box::new(self.number(below)),
                Some(Box::new(self.number(below))),
            ),
            4 => {
                let function = self.one_of(&["min", "max", "abs", "floor", "round", "sqrt"]);
                let many = ["min", "max"].contains(&function);
                let count = if many { 1 + self.below(4) } else { 1 };
                Naive::Call(function, (0..count).map(|_| self.number(below)).collect())
            }
            _ => {
                let operator = self.one_of(&["+", "-", "*", "/"]);
                let (left, right) = (self.number(below), self.number(below));
                Naive::Binary(operator, Box::new(left), Box::new(right))
            }
        }
    }

    fn truth(&mut self, depth: usize) -> Naive {
        let below = depth.saturating_sub(1);
        match self.below(if depth == 0 { 4 } else { 11 }) {
            0 => Naive::Truth(self.below(2) == 0),
            1 => Naive::Attribute(8),
            2 => Naive::Is(6, self.below(4) as Code),
            3 => {
                let codes = (0..=self.below(3)).map(|_| self.below(4) as Code).collect();
                Naive::Listed(6, codes, self.below(2) == 0)
            }
            4 => Naive::Unary("not", Box::new(self.truth(below))),
            5 => {
                let otherwise = (self.below(2) == 0).then(|| Box::new(self.truth(below)));
                let (condition, then) = (self.truth(below), self.truth(below));
                Naive::If(Box::new(condition), Box::new(then), otherwise)
            }
            6 | 7 => {
                let count = 1 + self.below(3);
                let comparisons = (0..count)
                    .map(|_| self.one_of(&["==", "!=", "<", "<=", ">", ">="]))
                    .collect();
                Naive::Chain(
                    (0..=count).map(|_| self.number(below)).collect(),
                    comparisons,
                )
            }
            _ => {
                let operator = self.one_of(&["and", "or", "implies"]);
                let (left, right) = (self.truth(below), self.truth(below));
                Naive::Binary(operator, Box::new(left), Box::new(right))
            }
        }
    }

    fn person(&mut self) -> Vec<Code> {
        SIZES
            .iter()
            .map(|&size| self.below(size as usize) as Code)
            .collect()
    }

    /// The expression in words, with parentheses where `rank` needs them and some where not.
    fn write(&mut self, naive: &Naive, rank: usize) -> String {
        let own = naive.rank();
        let text = match naive {
            Naive::Number(number) => number.to_string(),
            Naive::Truth(truth) => truth.to_string(),
            Naive::Attribute(place) => written_name(names().name(*place)),
            Naive::Is(place, code) => {
                let value = written_text(&names().values(*place)[*code as usize]);
                format!("{} == {value}", written_name(names().name(*place)))
            }
            Naive::Listed(place, codes, negated) => {
                let value = |code: &Code| written_text(&names().values(*place)[*code as usize]);
                let list: Vec<String> = codes.iter().map(value).collect();
                let word = if *negated { "not in" } else { "in" };
                format!("{} {word} [{}]", names().name(*place), list.join(", "))
            }
            Naive::Unary(operator, part) => format!("{operator} {}", self.write(part, own)),
            Naive::Binary("implies", left, right) => {
                let (left, right) = (self.write(left, own + 1), self.write(right, 0));
                format!("{left} implies {right}")
            }
            Naive::Binary(operator, left, right) => {
                let (left, right) = (self.write(left, own), self.write(right, own + 1));
                format!("{left} {operator} {right}")
            }
            Naive::Chain(parts, comparisons) => {
                let mut text = self.write(&parts[0], own + 1);
                for (comparison, part) in comparisons.iter().zip(&parts[1..]) {
                    text += &format!("{comparison}{}", self.write(part, own + 1));
                }
                text
            }
            Naive::If(condition, then, otherwise) => {
                // An inner `if` without `else` would take ours.
                let then_rank = usize::from(otherwise.is_some());
                let mut text = format!(
                    "if {} then {}",
                    self.write(condition, 0),
                    self.write(then, then_rank * 9)
                );
                if let Some(otherwise) = otherwise {
                    text += &format!(" else {}", self.write(otherwise, 0));
                }
                text
            }
            Naive::Call(function, parts) => {
                let parts: Vec<String> = parts.iter().map(|part| self.write(part, 0)).collect();
                format!("{function}({})", parts.join(","))
            }
        };
        if own < rank || self.below(8) == 0 {
            format!("({text})")
        } else {
            text
        }
    }
}

impl Naive {
    /// How tightly it binds.
    fn rank(&self) -> usize {
        match self {
            Naive::If(..) => 0,
            Naive::Binary("implies", ..) => 1,
            Naive::Binary("or", ..) => 2,
            Naive::Binary("and", ..) => 3,
            Naive::Unary("not", _) => 4,
            Naive::Chain(..) | Naive::Is(..) | Naive::Listed(..) => 5,
            Naive::Binary("+" | "-", ..) => 6,
            Naive::Binary(..) => 7,
            Naive::Unary(..) => 8,
            _ => 9,
        }
    }

    fn number(&self, person: &[Code]) -> f64 {
        match self {
            Naive::Number(number) => *number,
            Naive::Attribute(place) => {
                let code = f64::from(person[*place]);
                match place {
                    0 => 17.0 + code,
                    2 => [0.0, 125.25, 250.5][code as usize],
                    3 => [0.0, 3.0][code as usize],
                    4 => code / 10.0,
                    9 => code - 3.0,
                    _ => code,
                }
            }
            Naive::Unary(_, part) => -part.number(person),
            Naive::Binary(operator, left, right) => {
                let (left, right) = (left.number(person), right.number(person));
                match *operator {
                    "+" => left + right,
                    "-" => left - right,
                    "*" => left * right,
                    _ => left / right,
                }
            }
            Naive::If(condition, then, otherwise) => match (condition.truth(person), otherwise) {
                (false, Some(otherwise)) => otherwise.number(person),
                _ => then.number(person),
            },
            Naive::Call(function, parts) => {
                let parts: Vec<f64> = parts.iter().map(|part| part.number(person)).collect();
                let exists = !parts.iter().any(|part| part.is_nan());
                match *function {
                    "min" if exists => parts.into_iter().fold(f64::INFINITY, f64::min),
                    "max" if exists => parts.into_iter().fold(f64::NEG_INFINITY, f64::max),
                    "abs" => parts[0].abs(),
                    "floor" => parts[0].floor(),
                    "round" => parts[0].round(),
                    "sqrt" => parts[0].sqrt(),
                    _ => f64::NAN,
                }
            }
            _ => f64::from(u8::from(self.truth(person))),
        }
    }

    fn truth(&self, person: &[Code]) -> bool {
        match self {
            Naive::Truth(truth) => *truth,
            Naive::Attribute(place) => person[*place] == 1,
            Naive::Is(place, code) => person[*place] == *code,
            Naive::Listed(place, codes, negated) => codes.contains(&person[*place]) != *negated,
            Naive::Unary(_, part) => !part.truth(person),
            Naive::Binary("and", left, right) => left.truth(person) && right.truth(person),
            Naive::Binary("or", left, right) => left.truth(person) || right.truth(person),
            Naive::Binary(_, left, right) => !left.truth(person) || right.truth(person),
            Naive::If(condition, then, otherwise) => match (condition.truth(person), otherwise) {
                (true, _) => then.truth(person),
                (false, Some(otherwise)) => otherwise.truth(person),
                (false, None) => true,
            },
            Naive::Chain(parts, comparisons) => {
                let parts: Vec<f64> = parts.iter().map(|part| part.number(person)).collect();
                parts
                    .windows(2)
                    .zip(comparisons)
                    .all(|(pair, comparison)| match *comparison {
                        "==" => pair[0] == pair[1],
                        "!=" => pair[0] != pair[1],
                        "<" => pair[0] < pair[1],
                        "<=" => pair[0] <= pair[1],
                        ">" => pair[0] > pair[1],
                        _ => pair[0] >= pair[1],
                    })
            }
            _ => panic!("not a truth value"),
        }
    }
}

#[test]
fn random_expressions_come_to_what_a_naive_evaluator_says() {
    let mut generator = Generator::new(1);
    let (names, values) = (names(), Arc::new(values()));
    for turn in 0..3000 {
        let depth = turn % 6;
        let (truth, number) = (generator.truth(depth), generator.number(depth));
        let (truth_text, number_text) = (generator.write(&truth, 0), generator.write(&number, 0));
        let derived = Expression::number(&number_text, &names).expect(&number_text);
        let condition = Expression::number(&truth_text, &names).expect(&truth_text);
        let compiled = Expression::constraint(&truth_text, &names)
            .ok()
            .map(|expression| Constraint::compile(expression, &SIZES, &values));
        for _ in 0..8 {
            let person = generator.person();
            let (ours, theirs) = (derived.value(&values, &person), number.number(&person));
            let same = ours == theirs || ours.is_nan() && theirs.is_nan();
            assert!(same, "{number_text} for {person:?}: {ours}, not {theirs}");
            let theirs = truth.truth(&person);
            assert_eq!(
                condition.holds(&values, &person),
                theirs,
                "{truth_text}: {person:?}"
            );
            if let Some(compiled) = &compiled {
                assert_eq!(compiled.holds(&person), theirs, "{truth_text}: {person:?}");
            }
        }
    }
}

/// Reads a text as both, and checks that errors point into it.
fn read(text: &str) {
    let names = names();
    for read in [
        Expression::constraint(text, &names),
        Expression::number(text, &names),
    ] {
        match read {
            Ok(expression) => drop(expression.value(&values(), &HUSBAND)),
            Err(errors) => {
                assert!(!errors.is_empty());
                for error in errors {
                    assert!(
                        text.get(error.range.clone()).is_some(),
                        "{text:?}: {error:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn random_texts_never_panic() {
    const PIECES: &[&str] = &[
        "age",
        "-",
        " ",
        " ",
        "sex",
        "==",
        "\"Male\"",
        "'",
        "\"",
        "`",
        "\\",
        "(",
        ")",
        "[",
        "]",
        ",",
        "and",
        " or ",
        " not ",
        " in ",
        "if ",
        " then ",
        " else ",
        " implies ",
        "true",
        "1",
        "2.5",
        "1e",
        ".",
        "_",
        "<",
        "<=",
        "=",
        "!",
        "+",
        "*",
        "/",
        "min",
        "sqrt",
        "é",
        "ü",
        "“",
        "−",
        "\u{0}",
        "🦀",
        "capital-gain",
        "\u{301}",
        "&",
        "|",
        "married",
        "#",
        "\n",
        "\t",
    ];
    let mut generator = Generator::new(2);
    for _ in 0..20_000 {
        let count = generator.below(24);
        let text: String = (0..count).map(|_| generator.one_of(PIECES)).collect();
        read(&text);
    }
}

#[test]
fn correct_expressions_with_something_cut_out_never_panic() {
    let mut generator = Generator::new(3);
    for turn in 0..4000 {
        let naive = generator.truth(turn % 5);
        let mut characters: Vec<char> = generator.write(&naive, 0).chars().collect();
        let start = generator.below(characters.len());
        let end = (start + generator.below(6)).min(characters.len());
        characters.drain(start..end);
        read(&characters.into_iter().collect::<String>());
    }
}

#[test]
fn deep_and_long_expressions_are_sentences_or_answers() {
    let many = 10_000;
    let nested = |open: &str, inner: &str, close: &str| {
        format!("{}{inner}{}", open.repeat(many), close.repeat(many))
    };
    for text in [
        nested("(", "age > 3", ")"),
        nested("(", "", ""),
        nested("abs(", "age", ")"),
        nested("if married then ", "married", ""),
        nested("if ", "", ""),
        nested("married implies ", "married", ""),
        nested("not (", "married", ")"),
    ] {
        let errors = Expression::constraint(&text, &names()).unwrap_err();
        assert_eq!(errors.len(), 1);
        assert_eq!(errors[0].message, "this is nested more than 64 levels deep");
    }
    for text in [
        nested("not ", "married", ""),
        nested("- ", "age", " > 0"),
        nested("married and ", "married", ""),
        nested("age < ", "age", ""),
        format!("age{} > 3", "+age".repeat(many)),
        format!("max(age{}) > 3", ",age".repeat(many)),
        format!("sex in ['Male'{}]", ",'Male'".repeat(many)),
    ] {
        read(&text);
    }
    let deepest = 63;
    assert!(holds(&format!(
        "{}married{}",
        "(".repeat(deepest),
        ")".repeat(deepest)
    )));
    assert!(holds(&format!("{}married", "not ".repeat(many))));
    assert_eq!(value(&format!("age{}", "+age".repeat(many))), 300_030.0);
}
