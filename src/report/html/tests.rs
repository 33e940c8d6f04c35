//! The page with everything that a run can measure, from JSON as it is printed.

use serde_json::{Value, json};

use super::told::Told;
use super::{changes, curve, directions, groups, insight, pairs, policy, rates};
use crate::spec::Limits;

fn line() -> Value {
    json!({
        "name": "loans", "verdict": "fail", "reason": "too many", "passes": false,
        "method": "maft", "variant": "walk", "seed": 1, "runtime": "embedded", "device": "cpu",
        "counterexamples": 20, "people": 12, "tested": 40, "iterations": 9, "queries": 900,
        "settled": 0, "seconds": 1.5, "model_seconds": 0.5,
        "rates": {
            "search": { "value": 0.5, "limit": null },
            "dataset": { "value": 0.25, "of": 100, "limit": 0.2 },
            "domain": {
                "value": 0.1, "lower": 0.05, "upper": 0.15, "confidence": 0.95, "sampled": 200,
                "exact": false, "limit": 0.3, "people": 1_200_000,
            },
        },
        "global": { "seeds": 3, "found": 2 },
        "snapshot": "off", "snapshot_message": "", "replay": { "still_there": 0, "fixed": 0 },
        "changes": null, "progress": [[100, 0], [500, 8], [900, 20]],
        "decisions": ["no", "yes"],
        "pairs": [{
            "flips": "sex: Female -> Male flips \"no\" to \"yes\"", "scores": [0.2, 0.9],
            "decisions": ["no", "yes"],
            "person": { "sex": "Female", "age": 40 }, "counterpart": { "sex": "Male", "age": 40 },
            "nearest": { "changed": 1, "distance": 0.5, "person": { "sex": "Male", "age": 41 } },
            "gap": 0.7, "boundary": [0.3, 0.4], "distinct_decisions": 3, "shrunk": false,
        }],
    })
}

fn told(more: &Value) -> Told {
    let mut line = line();
    for (key, value) in more.as_object().unwrap() {
        line[key] = value.clone();
    }
    serde_json::from_value(line).unwrap()
}

#[track_caller]
fn says(html: &maud::Markup, phrases: &[&str]) {
    for phrase in phrases {
        assert!(html.0.contains(phrase), "no {phrase:?} in {}", html.0);
    }
}

#[test]
fn what_was_not_measured_is_left_out() {
    let told = told(&json!({ "progress": [], "pairs": [] }));
    let sections = [
        curve::section("loans", &told),
        pairs::section(&told),
        insight::severity(&told),
        insight::rules(&told),
        insight::hinges(&told),
        insight::subgroups(&told),
        directions::section(&told),
        groups::section(&told),
    ];
    for section in sections {
        assert_eq!(section.0, "");
    }
    says(
        &changes::section(&told),
        &["This benchmark keeps no snapshot."],
    );
}

#[test]
fn rates_are_drawn_and_written() {
    let html = rates::section("loans", &told(&json!({})), &Limits::default());
    says(
        &html,
        &[
            "The dataset rate is 25.0 %, with a limit of 20.0 %.",
            "The domain rate is 10.0 %, between 5.0 % and 15.0 %, with a limit of 30.0 %.",
            // 25 % stands in the middle of a scale of square roots.
            "cx=\"50.00%\"",
            "200 possible people, of 1,200,000",
            "5.0 % to 15.0 % (95 % confidence)",
        ],
    );
}

#[test]
fn the_curve_begins_with_the_search() {
    let html = curve::section("loans", &told(&json!({})));
    says(
        &html,
        &[
            "points=\"0.0,1000.0 500.0,600.0 1000.0,0.0\"",
            "20 counterexamples in the search's 800 queries. 100 queries before",
        ],
    );
}

#[test]
fn a_pair_stands_side_by_side_with_what_was_changed_marked() {
    let html = pairs::section(&told(&json!({})));
    says(
        &html,
        &[
            "<tr class=\"flipped\"><th scope=\"row\">sex <span class=\"mark\">\u{2260} changed</span></th><td>Female</td><td>Male</td>",
            "<td class=\"apart\">41<span class=\"hidden\"> (differs)</span></td>",
            "The scores are 0.700 apart.",
            "The person is 0.300 from the boundary between decisions, the counterpart 0.400.",
            "gets 3 different decisions",
            "The budget ended before a plainer pair",
        ],
    );
}

#[test]
fn what_the_findings_have_in_common() {
    let told = told(&json!({
        "severity": {
            "gap": { "mean": 0.4, "median": 0.41, "p90": 0.6, "largest": 0.75 },
            "boundary": { "mean": 0.1, "median": 0.2, "p90": 0.3, "largest": null },
            "distinct_decisions": [[2, 15], [3, 5]],
        },
        "rules": [{ "text": "age is at most 40", "conditions": [], "found": 15, "tested": 20, "coverage": 0.75, "precision": 0.5, "discriminated": 10 }],
        "rules_measured_on": { "source": "domain", "tested": 4000, "discriminated": 400, "share": 0.1, "found": 15, "coverage": 0.75 },
        "looked_at": 10,
        "hinges": [{ "attribute": "age", "share": 0.625, "vanished": 5, "of": 8 }],
        "subgroups": [{ "attribute": "job", "value": "nurse", "tested": 8, "found": 2, "share": 0.25 }],
    }));
    let severity = insight::severity(&told);
    says(
        &severity,
        &[
            "0.410",
            "0.750",
            "unknown",
            "Measured on 10 of the 20 counterexamples",
            "2 for 15, 3 for 5 of the counterexamples",
        ],
    );
    let rules = insight::rules(&told);
    says(
        &rules,
        &[
            "age is at most 40",
            "75.0 %",
            "width=\"75.0%\"",
            "(10 of 20)",
            "measured on 4,000 people drawn from the domain, of whom 10.0 % have one",
        ],
    );
    says(&insight::hinges(&told), &["age", "62.5 %"]);
    says(&insight::subgroups(&told), &["nurse", "25.0 %"]);
}

fn direction(from: &str, to: &str, count: u64) -> Value {
    json!({
        "from": { "sex": from }, "to": { "sex": to }, "from_decision": "no", "to_decision": "yes",
        "count": count, "share": 0.5,
    })
}

#[test]
fn directions_are_a_matrix_as_long_as_it_can_be_read() {
    let few = json!({
        "directions": [direction("Female", "Male", 1600), direction("Male", "Female", 100)],
        "favoured": [{ "group": { "sex": "Male" }, "favourable": 9, "of": 12, "share": 0.75 }],
    });
    says(
        &directions::section(&told(&few)),
        &[
            "From \u{201c}no\u{201d} to \u{201c}yes\u{201d}",
            "<td class=\"number heat-8\">1,600</td>",
            "<td class=\"number heat-1\">100</td>",
            "75.0 %",
        ],
    );
    let many: Vec<Value> = (0..60)
        .map(|place| direction(&format!("group {place}"), "other", place + 1))
        .collect();
    let html = directions::section(&told(&json!({ "directions": many })));
    says(&html, &["The most frequent of 60 directions", "group 59"]);
    assert!(!html.0.contains("group 9<"), "only the most frequent");
}

#[test]
fn group_metrics_are_named_and_explained() {
    let told = told(&json!({ "groups": {
        "of": 3000, "favourable": "yes",
        "metrics": {
            "demographic_parity_difference": 0.125, "demographic_parity_ratio": 0.75,
            "four_fifths": false, "equal_opportunity_difference": null,
        },
        "limits": { "demographic_parity_difference": 0.1, "four_fifths": true, "demographic_parity_ratio": null },
        "by_group": [
            { "group": { "sex": "Female", "race": "Black" }, "people": 2000, "selected": 500, "rate": 0.25, "true_positive_rate": null },
        ],
    } }));
    says(
        &groups::section(&told),
        &[
            "demographic parity difference",
            "0.125, limit 0.100",
            "does not hold, must hold",
            "Averages over 3,000 of the dataset's people",
            "Female &amp; Black",
            "25.0 %",
        ],
    );
}

#[test]
fn the_policy_allows_the_style_and_the_script_of_the_page_alone() {
    let policy = policy();
    assert!(policy.starts_with("default-src 'none'; "), "{policy}");
    assert_eq!(policy.matches("'sha256-").count(), 2, "{policy}");
    assert!(!policy.contains("unsafe"), "{policy}");
    for text in [super::STYLE, super::SCRIPT] {
        assert!(!text.contains("</"), "it would end its block");
    }
}
