//! Constraints mined from data: pairs of values that never occur together.
//!
//! Nobody is at once "Husband" and "Never-married". A model's answer about such a person says little,
//! and people who are not told so would have to write every pair down. What is mined is a proposal:
//! a pair may be missing for want of data, so each comes with how often it would be expected.
//!
//! A pair with a protected attribute needs a careful look. The census has no black person from
//! Canada, but there are such people, and a model must not treat them otherwise.

use super::Code;
use super::expression::{written_name, written_text};

/// Attributes with more values than this are left out: with few people each, pairs are missing by
/// chance.
const MOST_VALUES: usize = 64;

/// How often a pair must be expected for its never occurring to count, if the two attributes were
/// independent: `count(a = v) * count(b = w) / people`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Support(f64);

impl Default for Support {
    /// Expected five times: by chance alone such a pair is missing about once in 150 times.
    fn default() -> Self {
        Support(5.0)
    }
}

/// An attribute whose values are looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mineable {
    position: usize,
    name: String,
    values: Vec<String>,
}

impl Mineable {
    /// An attribute that holds texts: the name of each code.
    pub(crate) fn texts<'v>(
        position: usize,
        name: &str,
        values: impl IntoIterator<Item = &'v str>,
    ) -> Self {
        Self::new(position, name, values.into_iter().map(written_text))
    }

    /// An attribute that holds numbers or truth values: each code as an expression writes it, such
    /// as `9`, `0.5` or `true`.
    pub(crate) fn plain<V: Into<String>>(
        position: usize,
        name: &str,
        values: impl IntoIterator<Item = V>,
    ) -> Self {
        Self::new(position, name, values.into_iter().map(Into::into))
    }

    /// An attribute with its values as an expression writes them.
    fn new(position: usize, name: &str, values: impl Iterator<Item = String>) -> Self {
        Mineable {
            position,
            name: written_name(name),
            values: values.collect(),
        }
    }

    /// That the attribute has this code, as an expression.
    fn equals(&self, code: usize) -> String {
        format!("{} == {}", self.name, self.values[code])
    }
}

/// A pair of values that never occurs.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Mined {
    /// The pair as a constraint: `not (relationship == "Husband" and sex == "Female")`.
    pub(crate) text: String,
    /// How many people with both values there would be if the two attributes were independent.
    pub(crate) expected: f64,
    /// The two attributes, each with its code.
    pub(crate) pair: [(usize, Code); 2],
}

/// The pairs of values that never occur together, the most surprising first.
///
/// `people` are rows of `width` codes each.
pub(crate) fn mine(
    people: &[Code],
    width: usize,
    attributes: &[Mineable],
    support: Support,
) -> Vec<Mined> {
    let attributes: Vec<&Mineable> = attributes
        .iter()
        .filter(|attribute| attribute.values.len() <= MOST_VALUES && attribute.position < width)
        .collect();
    let met = Met::count(people, width, &attributes);
    let mut mined = Vec::new();
    for (index, one) in attributes.iter().enumerate() {
        for (later, other) in attributes.iter().enumerate().skip(index + 1) {
            for code in 0..one.values.len() {
                let others = (0..other.values.len()).map(|code| (later, code));
                mined.extend(others.filter_map(|(later, partner)| {
                    let expected = met.expected([(index, code), (later, partner)], support)?;
                    Some(pair([(one, code), (other, partner)], expected))
                }));
            }
        }
    }
    mined.sort_by(|a, b| {
        let surprise = b.expected.total_cmp(&a.expected);
        surprise.then_with(|| a.pair.cmp(&b.pair))
    });
    mined
}

/// A pair in words.
fn pair(of: [(&Mineable, usize); 2], expected: f64) -> Mined {
    let [(one, code), (other, partner)] = of;
    Mined {
        text: format!("not ({} and {})", one.equals(code), other.equals(partner)),
        expected,
        pair: [
            (one.position, code as Code),
            (other.position, partner as Code),
        ],
    }
}

/// How often each value occurs, and which two values occur together.
///
/// All values of all attributes are numbered through. Each has a row of bits, one for each value.
struct Met {
    /// The number of the first value of each attribute.
    first: Vec<usize>,
    counts: Vec<u32>,
    bits: Vec<u64>,
    /// Words in a row of bits.
    words: usize,
    people: f64,
}

impl Met {
    /// One pass over the people: the bits of a person go into the row of each of its values.
    fn count(people: &[Code], width: usize, attributes: &[&Mineable]) -> Self {
        let mut first = Vec::with_capacity(attributes.len());
        let mut values = 0;
        for attribute in attributes {
            first.push(values);
            values += attribute.values.len();
        }
        let words = values.div_ceil(64);
        let mut met = Met {
            first,
            counts: vec![0; values],
            bits: vec![0; values * words],
            words,
            people: 0.0,
        };
        let (mut own, mut numbers) = (vec![0_u64; words], Vec::new());
        for person in people.chunks_exact(width.max(1)) {
            met.number(person, attributes, &mut numbers);
            met.add(&numbers, &mut own);
        }
        met
    }

    /// The numbers of a person's values.
    fn number(&self, person: &[Code], attributes: &[&Mineable], numbers: &mut Vec<usize>) {
        numbers.clear();
        for (attribute, first) in attributes.iter().zip(&self.first) {
            let code = person[attribute.position] as usize;
            if code < attribute.values.len() {
                numbers.push(first + code);
            }
        }
    }

    /// Adds a person; `own` is room for its bits.
    fn add(&mut self, numbers: &[usize], own: &mut [u64]) {
        own.fill(0);
        for &number in numbers {
            own[number / 64] |= 1 << (number % 64);
        }
        for &number in numbers {
            self.counts[number] += 1;
            let row = &mut self.bits[number * self.words..][..self.words];
            for (bits, own) in row.iter_mut().zip(own.iter()) {
                *bits |= own;
            }
        }
        self.people += 1.0;
    }

    /// How often a pair would be expected, if it never occurs and has the support.
    fn expected(&self, pair: [(usize, usize); 2], support: Support) -> Option<f64> {
        let [one, other] = pair.map(|(attribute, code)| self.first[attribute] + code);
        let [one_count, other_count] = [one, other].map(|value| f64::from(self.counts[value]));
        let expected = one_count * other_count / self.people;
        let met = self.bits[one * self.words + other / 64] >> (other % 64) & 1 == 1;
        (!met && expected >= support.0).then_some(expected)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::expression::{Column, Constraint, Expression, Kind, Names, Values};
    use super::*;

    /// A CSV file as codes, with the values of each column in the order in which they occur.
    struct Table {
        header: Vec<String>,
        values: Vec<Vec<String>>,
        people: Vec<Code>,
    }

    fn census() -> Table {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/census.csv");
        let mut reader = csv::Reader::from_path(path).unwrap();
        let header: Vec<String> = reader.headers().unwrap().iter().map(Into::into).collect();
        let mut values: Vec<Vec<String>> = vec![Vec::new(); header.len()];
        // Numbers in their order, as a domain has them.
        let numbers = header.iter().position(|name| name == "education-num");
        values[numbers.unwrap()] = (1..=16).map(|number| number.to_string()).collect();
        let mut people = Vec::new();
        for row in reader.records() {
            for (cell, values) in row.unwrap().iter().zip(&mut values) {
                let code = values.iter().position(|value| value == cell);
                people.push(code.unwrap_or(values.len()) as Code);
                if code.is_none() {
                    values.push(cell.to_string());
                }
            }
        }
        Table {
            header,
            values,
            people,
        }
    }

    impl Table {
        fn width(&self) -> usize {
            self.header.len()
        }

        fn mineable(&self) -> Vec<Mineable> {
            let columns = self.header.iter().zip(&self.values).enumerate();
            columns
                .map(|(position, (name, values))| {
                    let values = values.iter().map(String::as_str);
                    if name == "education-num" {
                        Mineable::plain(position, name, values)
                    } else {
                        Mineable::texts(position, name, values)
                    }
                })
                .collect()
        }

        /// A mined constraint, read back.
        fn read(&self, text: &str) -> Constraint {
            let columns = self.header.iter().zip(&self.values);
            let kind = |name: &str, values: &[String]| match name {
                "education-num" => Kind::Number,
                _ => Kind::Text {
                    values: values.to_vec(),
                },
            };
            let names = Names::new(columns.clone().map(|(n, v)| (n.as_str(), kind(n, v))));
            let values = columns.map(|(name, values)| match name.as_str() {
                "education-num" => Column::Even {
                    first: values[0].parse().unwrap(),
                    step: 1.0,
                    per: 1.0,
                },
                _ => Column::Codes,
            });
            let values = Arc::new(Values::new(values.collect()));
            let sizes: Vec<u64> = self.values.iter().map(|v| v.len() as u64).collect();
            let expression = Expression::constraint(text, &names).unwrap();
            Constraint::compile(expression, &sizes, &values)
        }
    }

    #[test]
    fn the_census_knows_no_unmarried_husbands() {
        let table = census();
        let start = std::time::Instant::now();
        let mined = mine(
            &table.people,
            table.width(),
            &table.mineable(),
            Support::default(),
        );
        println!("{} pairs in {:?}", mined.len(), start.elapsed());
        for pair in &mined {
            println!("{:8.1}  {}", pair.expected, pair.text);
        }
        // Counted apart from this code, in a few lines of Python.
        assert_eq!(mined.len(), 47);
        assert_eq!(
            mined[0].text,
            "not (marital-status == \"Never-married\" and relationship == \"Husband\")"
        );
        assert!((mined[0].expected - 6_505.932_844_682_855).abs() < 1e-6);
        assert!(mined.is_sorted_by(|a, b| a.expected >= b.expected));
        assert!(mined.iter().all(|pair| pair.expected >= 5.0));
        // One woman is recorded as a husband, so this is no rule of the data.
        let husbands = r#"relationship == "Husband" and sex == "Female""#;
        assert!(!mined.iter().any(|pair| pair.text.contains(husbands)));
        let numbers = "not (education-num == 15 and occupation == \"Handlers-cleaners\")";
        assert!(mined.iter().any(|pair| pair.text == numbers));
    }

    #[test]
    fn what_is_mined_is_read_back_and_holds_for_everybody() {
        let table = census();
        let width = table.width();
        for pair in mine(&table.people, width, &table.mineable(), Support::default()) {
            let constraint = table.read(&pair.text);
            assert!(
                table
                    .people
                    .chunks_exact(width)
                    .all(|p| constraint.holds(p))
            );
            let mut person = table.people[..width].to_vec();
            for (attribute, code) in pair.pair {
                person[attribute] = code;
            }
            assert!(!constraint.holds(&person), "{}", pair.text);
        }
    }

    #[test]
    fn mining_agrees_with_counting_pairs() {
        let table = census();
        let (width, people) = (table.width(), &table.people[..13 * 2000]);
        let support = Support::default();
        let mined = mine(people, width, &table.mineable(), support);
        let mut expected = Vec::new();
        let count = |wanted: &[(usize, Code)]| {
            let has = |person: &&[Code]| wanted.iter().all(|&(a, code)| person[a] == code);
            people.chunks_exact(width).filter(has).count()
        };
        for a in [1, 5, 6] {
            for b in a + 1..8 {
                for v in 0..table.values[a].len() as Code {
                    for w in 0..table.values[b].len() as Code {
                        let both = count(&[(a, v)]) * count(&[(b, w)]);
                        let often = both as f64 / 2000.0 >= 5.0;
                        if often && count(&[(a, v), (b, w)]) == 0 {
                            expected.push([(a, v), (b, w)]);
                        }
                    }
                }
            }
        }
        let mut found: Vec<_> = mined.iter().map(|mined| mined.pair).collect();
        found.retain(|[(a, _), (b, _)]| [1, 5, 6].contains(a) && *b < 8);
        found.sort_unstable();
        expected.sort_unstable();
        assert_eq!(found, expected);
        assert!(!found.is_empty());
    }

    #[test]
    fn nobody_and_attributes_with_many_values_give_nothing() {
        let two = |position| Mineable::plain(position, "a b", ["false", "true"]);
        for support in [Support::default(), Support(0.01)] {
            assert!(mine(&[], 2, &[two(0), two(1)], support).is_empty());
            assert!(mine(&[0, 1], 2, &[], support).is_empty());
        }
        let many = Mineable::plain(1, "b", (0..65).map(|code| code.to_string()));
        let people: Vec<Code> = (0..65).flat_map(|code| [code % 2, code]).collect();
        assert!(mine(&people, 2, &[two(0), many], Support(0.01)).is_empty());
    }

    #[test]
    fn odd_names_stand_in_backticks() {
        let one = Mineable::plain(0, "a b", ["false", "true"]);
        let other = Mineable::texts(1, "in", ["x", "\"y\""]);
        let people = [0, 0, 0, 1, 1, 0];
        let mined = mine(&people, 2, &[one, other], Support(0.3));
        assert_eq!(mined.len(), 1);
        assert_eq!(mined[0].text, "not (`a b` == true and `in` == '\"y\"')");
    }
}
