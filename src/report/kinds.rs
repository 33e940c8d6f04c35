//! Kinds of people in words: `occupation in {Sales, Craft-repair} and hours-per-week > 40`.

use crate::insight::{Allowed, Condition};
use crate::schema::{Attribute, Code, Schema};

/// All conditions of a kind of person in one line.
pub(super) fn kind(schema: &Schema, conditions: &[Condition]) -> String {
    let words = |condition: &Condition| {
        let attribute = &schema.attributes()[condition.attribute];
        match &condition.allowed {
            Allowed::From(first, last) => range(attribute, *first, *last),
            Allowed::OneOf(values) => one_of(attribute, values),
        }
    };
    let words: Vec<String> = conditions.iter().map(words).collect();
    words.join(" and ")
}

fn range(attribute: &Attribute, first: Code, last: Code) -> String {
    let (name, text) = (&attribute.name, |code| attribute.domain.text(code));
    let largest = (attribute.domain.size() - 1) as Code;
    match (first, last) {
        (first, last) if first == last => format!("{name} is {}", text(first)),
        (0, last) => format!("{name} <= {}", text(last)),
        (first, last) if last == largest => format!("{name} > {}", text(first - 1)),
        (first, last) => format!("{name} from {} to {}", text(first), text(last)),
    }
}

fn one_of(attribute: &Attribute, values: &[bool]) -> String {
    let name = &attribute.name;
    let (allowed, of) = fewer(values);
    let names: Vec<_> = of.iter().map(|&code| attribute.domain.text(code)).collect();
    match (names.as_slice(), allowed) {
        ([only], true) => format!("{name} is {only}"),
        ([only], false) => format!("{name} is not {only}"),
        (names, allowed) => {
            let verb = if allowed { "in" } else { "not in" };
            format!("{name} {verb} {{{}}}", names.join(", "))
        }
    }
}

/// The values that are allowed or, where these are fewer, those that are not; and which.
pub(super) fn fewer(values: &[bool]) -> (bool, Vec<Code>) {
    let codes = |wanted: bool| -> Vec<Code> {
        let these = (0..values.len()).filter(|&code| values[code] == wanted);
        these.map(|code| code as Code).collect()
    };
    let (yes, no) = (codes(true), codes(false));
    match !no.is_empty() && no.len() < yes.len() {
        true => (false, no),
        false => (true, yes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::Domain;

    fn condition(attribute: usize, allowed: Allowed) -> Condition {
        Condition { attribute, allowed }
    }

    #[test]
    fn conditions_read_as_people_would_say_them() {
        let names = [
            "Tech", "Sales", "Craft", "Farm", "Army", "Serv", "Exec", "Prof",
        ];
        let names = names.map(str::to_owned).to_vec();
        let schema = Schema::new(vec![
            Attribute::new("job", Domain::Categories(names)),
            Attribute::new("hours", Domain::Integers { min: 1, max: 99 }),
        ]);
        let one_of = |codes: &[usize]| {
            let allowed = (0..8).map(|code| codes.contains(&code)).collect();
            condition(0, Allowed::OneOf(allowed))
        };
        let hours = |first, last| condition(1, Allowed::From(first, last));
        for (conditions, words) in [
            (
                vec![one_of(&[1, 2]), hours(40, 98)],
                "job in {Sales, Craft} and hours > 40",
            ),
            (
                vec![one_of(&[3]), hours(0, 39)],
                "job is Farm and hours <= 40",
            ),
            (vec![one_of(&[0, 1, 2, 3, 4, 5, 6])], "job is not Prof"),
            (vec![one_of(&[0, 1, 2, 3, 4, 5])], "job not in {Exec, Prof}"),
            (vec![hours(9, 19)], "hours from 10 to 20"),
            (vec![hours(9, 9)], "hours is 10"),
        ] {
            assert_eq!(kind(&schema, &conditions), words);
        }
        assert_eq!(
            kind(&schema, &[one_of(&[0, 2, 4, 6])]),
            "job in {Tech, Craft, Army, Exec}"
        );
    }
}
