//! What is said about expressions with something wrong in them, and where.

use super::*;

/// The errors of a constraint, each as the marked text, the message and the help.
fn errors(text: &str) -> Vec<(&str, String, String)> {
    reported(text, Expression::constraint(text, &names()))
}

fn reported(
    text: &str,
    read: Result<Expression, Vec<ExpressionError>>,
) -> Vec<(&str, String, String)> {
    let errors = read.expect_err(text);
    errors
        .into_iter()
        .map(|error| {
            assert!(!error.message.is_empty() && !error.label.is_empty());
            let marked = &text[error.range];
            (marked, error.message, error.help.unwrap_or_default())
        })
        .collect()
}

/// Checks the one error of each text: what is marked, and a part of message and help together.
fn check(cases: &[(&str, &str, &str)]) {
    for (text, marked, said) in cases {
        let errors = errors(text);
        assert_eq!(errors.len(), 1, "{text}: {errors:?}");
        let (place, message, help) = &errors[0];
        let all = format!("{message} | {help}");
        assert_eq!(place, marked, "{text}: {all}");
        assert!(all.contains(said), "{text}: {all}");
    }
}

#[test]
fn names_and_values_that_are_none() {
    check(&[
        (
            "agee > 18",
            "agee",
            "there is no attribute `agee` | did you mean `age`?",
        ),
        (
            "1 < education_years",
            "education_years",
            "did you mean `education-years`?",
        ),
        (
            "capital-gian-5 > 0",
            "capital-gian-5",
            "there is no attribute `capital-gian-5`",
        ),
        (
            "sex == Female",
            "Female",
            "a value of `sex` is written in quotes: \"Female\"",
        ),
        (
            "colour == 3",
            "colour",
            "the attributes are `age`, `education-years`",
        ),
        (
            r#"sex == "Femal""#,
            r#""Femal""#,
            "`sex` has no value \"Femal\" | did you mean `Female`? Its values are `Female` and `Male`",
        ),
        (
            r#""green" != sex"#,
            r#""green""#,
            "`sex` has no value \"green\" | its values are `Female` and `Male`",
        ),
        (
            r#"relationship in ["Wife", "Husbnad"]"#,
            r#""Husbnad""#,
            "did you mean `Husband`?",
        ),
        (
            "rond(age) > 3",
            "rond",
            "there is no function `rond` | did you mean `round`?",
        ),
        (
            "exponential(age) > 3",
            "exponential",
            "the functions are `min`, `max`",
        ),
        ("age(3) > 3", "age", "`age` is an attribute, not a function"),
    ]);
}

#[test]
fn types_that_do_not_fit() {
    check(&[
        (
            "sex == 1",
            "sex == 1",
            "`sex` is a text, but 1 is a number | compare it with one of its values: sex == \"Female\"",
        ),
        (
            r#"age >= "18""#,
            r#"age >= "18""#,
            "`age` is a number, but \"18\" is a text | a number has no quotes around it: 18",
        ),
        (
            r#""age" >= 18"#,
            r#""age" >= 18"#,
            "the attribute has no quotes around it: age",
        ),
        (
            r#"married == "true""#,
            r#"married == "true""#,
            "write it without quotes: true",
        ),
        (
            r#"sex < "Male""#,
            r#"sex < "Male""#,
            "`<` compares sizes, but texts have no order | compare texts with `==`, `!=` or `in [...]`",
        ),
        (
            "married > false",
            "married > false",
            "true and false have none",
        ),
        (
            r#""a" == "b""#,
            r#""a" == "b""#,
            "two texts are compared, but no attribute",
        ),
        (
            "sex == relationship",
            "sex == relationship",
            "`sex` and `relationship` have no value in common",
        ),
        (
            "age + 3",
            "age + 3",
            "a constraint takes what is true or false, but `age + 3` is a number",
        ),
        ("sex", "sex", "compare it with one of its values"),
        ("true", "true", "this constraint mentions no attribute"),
        (
            "1 + sex > 3",
            "sex",
            "`+` takes numbers, but `sex` is a text",
        ),
        (
            "1 + (age > 3) > 3",
            "age > 3",
            "write `if ... then 1 else 0` to count it",
        ),
        (
            "age > 3 and age",
            "age",
            "`and` takes what is true or false, but `age` is a number",
        ),
        ("not age", "age", "`not` takes what is true or false"),
        (
            "age in [1, '2']",
            "'2'",
            "the list has a text | a number has no quotes around it: 2",
        ),
        (
            "sex in ['Male', 2]",
            "2",
            "`sex` is a text, but the list has a number",
        ),
        ("married in [1]", "married", "which no list can hold"),
        ("if married then age", "age", "needs an `else`"),
        (
            "abs(age, 3) > 3",
            "abs(age, 3)",
            "`abs` takes one number, but has 2",
        ),
        (
            "min() > age",
            "min()",
            "`min` takes at least one number, but has 0",
        ),
    ]);
}

#[test]
fn slips_of_the_grammar() {
    check(&[
        ("", "", "there is no expression"),
        ("  ", "", "there is no expression"),
        ("age >", "", "a value belongs here, but the text ends"),
        (
            "age > > 3",
            ">",
            "a value belongs here, but `>` stands there",
        ),
        ("(age > 3", "(", "this `(` is never closed"),
        ("age > 3)", ")", "nothing is open that this could close"),
        ("age in [1, 2", "[", "this `[` is never closed"),
        ("age in [", "[", "this `[` is never closed"),
        ("age in []", "[]", "this list is empty"),
        (
            "age in 3",
            "3",
            "`[` belongs here, but a number stands there",
        ),
        ("sex in [Male]", "Male", "write a text in quotes: \"Male\""),
        ("min(age, 3 > 2", "(", "this `(` is never closed"),
        ("age = 3", "=", "write `==`"),
        ("age > 3 && married", "&&", "write `and`"),
        ("!married", "!", "write `not`"),
        ("age ≥ 3", "≥", "write `>=`"),
        ("sex == “Male”", "“", "write straight quotes"),
        ("age − 3 > 2", "−", "write the minus of the keyboard"),
        ("married -> age > 3", "->", "write `implies`"),
        ("age > 3 AND married", "AND", "write `and`"),
        ("age is 3", "is", "write `==`"),
        (
            "hours per week > 3",
            "per",
            "names with spaces are written in backticks",
        ),
        (r#"sex == "Male"#, "\"", "this text is never closed"),
        ("`age > 3", "`", "this name is never closed"),
        (r#"sex == "Ma\le""#, "\\", "write `\\\\` for a backslash"),
        ("if age > 3 married", "married", "belongs here"),
        ("age > 3 then married", "then", "`if` must stand before it"),
        (
            "1 < age in [3]",
            "in",
            "put the comparison before it in parentheses",
        ),
        (
            "1 + if married then 1 else 2",
            "if",
            "put `if ... then ...` in parentheses",
        ),
        ("age > 1e999", "1e999", "too large"),
        ("age # 3", "#", "has no meaning here"),
    ]);
}

#[test]
fn the_first_slip_of_the_grammar_is_reported_even_before_a_bad_sign() {
    check(&[("age > > 3 # and so on", ">", "a value belongs here")]);
}

#[test]
fn all_names_and_types_are_reported_at_once_in_order() {
    let text =
        r#"agee > 18 and sex == "male" and sx == "Male" and age < "x" or relationship + 1 > 2"#;
    let marked: Vec<&str> = errors(text).iter().map(|(marked, ..)| *marked).collect();
    assert_eq!(
        marked,
        ["agee", "\"male\"", "sx", "age < \"x\"", "relationship"]
    );
}

#[test]
fn derived_numbers_may_be_conditions_but_no_texts() {
    assert_eq!(value("age > 18"), 1.0);
    assert_eq!(value("married"), 1.0);
    assert_eq!(value("3"), 3.0);
    let text = "sex";
    let errors = reported(text, Expression::number(text, &names()));
    assert_eq!(
        errors[0].1,
        "a derived column takes numbers, but `sex` is a text"
    );
}

#[test]
fn many_values_are_not_all_listed() {
    let many: Vec<String> = (0..40).map(|i| format!("value-number-{i}")).collect();
    let names = Names::new([("a", Kind::Text { values: many })]);
    let text = "a == 'x'";
    let help = &reported(text, Expression::constraint(text, &names))[0].2;
    assert!(help.ends_with("`value-number-11` and 28 more"), "{help}");
}
