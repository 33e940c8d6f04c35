//! Who may be tested, through the command: constraints, realistic people, frozen attributes, groups,
//! derived columns, no dataset; and how each rule's findings are told.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test"
)]

mod common;

use common::{OF_THE_RUN, Repo, flat, project};
use serde_json::Value;

/// `planted` with the walk and no snapshot. Its decision depends on sex exactly where a + b is 4.
fn planted(line: &str) -> Repo {
    let walk = "search = { variant = \"walk\" }";
    let repo = Repo::new("planted").spec("search = { variant = \"paper\" }", walk);
    repo.benchmark("snapshot = \"off\"").benchmark(line)
}

/// The score of `planted` and of `unbounded`, before the sigmoid.
fn logit(person: &Person) -> f64 {
    4.0 * (person.a + person.b + 0.8 * f64::from(u8::from(person.male)) - 4.4)
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Person {
    a: f64,
    b: f64,
    male: bool,
}

impl Person {
    fn of_json(person: &Value) -> Self {
        Person {
            a: person["a"].as_f64().unwrap(),
            b: person["b"].as_f64().unwrap(),
            male: person["sex"] == "Male",
        }
    }

    fn counterpart(self) -> Self {
        Person {
            male: !self.male,
            ..self
        }
    }
}

fn dataset() -> Vec<Person> {
    let text = std::fs::read_to_string(common::fixture("tiny.csv")).unwrap();
    let person = |line: &str| {
        let fields: Vec<&str> = line.split(',').collect();
        Person {
            a: fields[0].parse().unwrap(),
            b: fields[1].parse().unwrap(),
            male: fields[2] == "Male",
        }
    };
    text.lines().skip(1).map(person).collect()
}

fn domain() -> Vec<Person> {
    let number = |n: u32| f64::from(n);
    let all = (0..50).map(|n| Person {
        a: number(n % 5),
        b: number(n / 5 % 5),
        male: n >= 25,
    });
    all.collect()
}

/// How many of those who can exist are unfairly decided, and how many there are.
fn truth(people: &[Person], exists: impl Fn(&Person) -> bool) -> [f64; 2] {
    let exist = people.iter().filter(|person| exists(person));
    let unfair = exist.clone().filter(|person| {
        let other = person.counterpart();
        exists(&other) && logit(person) * logit(&other) < 0.0
    });
    [unfair.count() as f64, exist.count() as f64]
}

fn pairs(json: &Value) -> Vec<[Person; 2]> {
    let pairs = json["pairs"].as_array().unwrap().iter();
    pairs
        .map(|pair| [&pair["person"], &pair["counterpart"]].map(Person::of_json))
        .collect()
}

#[test]
fn nobody_who_breaks_a_constraint_is_counted_or_shown() {
    let exists = |person: &Person| !(person.a < 2.0 && person.male) && person.b < 4.0;
    let repo = planted("constraints = ['if a < 2 then sex == \"Female\"']").spec(
        "label = \"label\"",
        "label = \"label\"\nconstraints = [\"b < 4\"]",
    );
    let json = repo.json(&[]);
    let [unfair, of] = truth(&dataset(), exists);
    assert_eq!(json["rates"]["dataset"]["of"], of as u64);
    assert_eq!(json["rates"]["dataset"]["value"], unfair / of);
    let [unfair, of] = truth(&domain(), exists);
    assert_eq!(json["rates"]["domain"]["sampled"], of as u64);
    assert_eq!(json["rates"]["domain"]["value"], unfair / of);
    assert!(unfair > 2.0);
    let pairs = pairs(&json);
    assert!(!pairs.is_empty());
    for [person, counterpart] in pairs {
        assert!(exists(&person) && exists(&counterpart), "{person:?}");
        assert_eq!(person.counterpart(), counterpart);
        assert!(logit(&person) * logit(&counterpart) < 0.0);
    }
    // Three of the twenty are men with a below 2, and one has b at 4.
    let note = json["notes"][0].as_str().unwrap();
    let left_out = "4 of the dataset's 20 people break a constraint and are left out; most often \
                    if a < 2 then sex == \"Female\"";
    assert_eq!(note, left_out);
    let one = planted("constraints = [\"b < 4\"]").json(&[]);
    let note = one["notes"][0].as_str().unwrap();
    assert!(note.starts_with("1 of the dataset's 20 people breaks a constraint and is left out"));
}

#[test]
fn with_constraints_nothing_depends_on_workers_and_batches() {
    let repo = planted("constraints = ['if a < 2 then sex == \"Female\"']");
    let run = |arguments: &[&str]| {
        let mut json = repo.json(arguments);
        for field in OF_THE_RUN {
            json[field] = Value::Null;
        }
        json
    };
    let first = run(&["--jobs", "1"]);
    for arguments in [&["--jobs", "2"][..], &["--jobs", "2", "--batch-rows", "1"]] {
        assert_eq!(first, run(arguments));
    }
}

/// What a constraint that is wrong gets to read, with its place.
#[track_caller]
fn refused(repo: &Repo, code: i32, phrases: &[&str]) {
    let ran = repo.run(&["check"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (code, ""), "{ran:#?}");
    let said = flat(&ran.stderr);
    for phrase in phrases {
        assert!(said.contains(phrase), "no {phrase:?} in {said}");
    }
}

#[test]
fn constraints_that_are_wrong_are_shown_where_they_stand() {
    let cases: [(&str, &[&str]); 5] = [
        (
            "a > 9",
            &[
                "none of the dataset's 20 people meets the constraints",
                "broken most often",
            ],
        ),
        (
            "sx == \"Male\"",
            &["no attribute `sx`", "did you mean `sex`?"],
        ),
        (
            "sex == \"Mle\"",
            &["no value \"Mle\"", "did you mean `Male`?"],
        ),
        ("a +", &["a value belongs here"]),
        ("a + 1", &["help:"]),
    ];
    for (constraint, phrases) in cases {
        // Another constraint comes first, which most people break: it is not the one to blame.
        let line = format!("constraints = [\"a > 1\", '{constraint}']");
        let repo = planted(&line);
        let place = format!("{line} ·");
        refused(&repo, 2, &[phrases, &["fairness.toml:24", &place]].concat());
    }
}

#[test]
fn names_that_are_no_columns_are_told() {
    for (line, phrases) in [
        (
            "frozen = [\"aa\"]",
            &[
                "the frozen attribute `aa` is not a column of tiny.csv",
                "`a`?",
            ][..],
        ),
        (
            "groups = { sexx = [[\"Female\"], [\"Male\"]] }",
            &[
                "the grouped attribute `sexx` is not a column",
                "did you mean `sex`?",
            ],
        ),
        (
            "groups = { a = [2] }",
            &[
                "`a` has groups, but is not protected",
                "add `a` to `protected`",
            ],
        ),
    ] {
        refused(&planted(line), 2, phrases);
    }
    // Said once for all benchmarks, it is enough if one of them protects the attribute.
    let other = "[benchmark.tiny-a]\nmodel = \"tiny\"\ndataset = \"tiny\"\nprotected = [\"a\"]\n";
    let repo = planted(other).spec("seed = 42", "seed = 42\ngroups = { a = [2] }");
    let ran = repo.run(&["check", "--exact", "tiny-sex"]);
    assert_eq!(ran.code, 0, "{ran:#?}");
}

#[test]
fn a_derived_column_follows_the_person_and_the_counterpart() {
    // The model does not see sex, a or b but what is computed from them.
    let derived = "label = \"label\"\nderived = { male = 'sex == \"Male\"', sum = \"a + b\", \
                   nothing = \"a - a\" }";
    let repo = planted("").spec("label = \"label\"", derived).spec(
        "runtime = \"embedded\"",
        "runtime = \"embedded\"\ncolumns = [\"sum\", \"nothing\", \"male\"]",
    );
    let [derived, plain] = [repo.json(&[]), planted("").json(&[])];
    for rate in ["dataset", "domain"] {
        assert_eq!(derived["rates"][rate], plain["rates"][rate]);
    }
    let [unfair, of] = truth(&domain(), |_| true);
    assert_eq!(derived["rates"]["domain"]["value"], unfair / of);
    let pairs = pairs(&derived);
    assert!(!pairs.is_empty());
    for [person, counterpart] in pairs {
        assert!(logit(&person) * logit(&counterpart) < 0.0, "{person:?}");
    }
}

#[test]
fn frozen_attributes_have_values_of_the_dataset() {
    let repo = planted("frozen = [\"a\"]");
    repo.write(
        "tiny.csv",
        "a,b,sex,label\n1,0,Female,no\n1,4,Male,yes\n3,4,Male,yes\n",
    );
    let json = repo.json(&[]);
    assert!(json["counterexamples"].as_u64().unwrap() >= 2, "{json}");
    for [person, _] in pairs(&json) {
        assert!([1.0, 3.0].contains(&person.a), "{person:?}");
    }
}

#[test]
fn groups_are_compared_by_their_representatives() {
    // a is protected, in groups that start at 2; or the outer values of its domain; or halves of the
    // people; or listed values, of which 1 is in none.
    let cases: [(&str, [f64; 2]); 4] = [
        ("[2]", [0.0, 2.0]),
        ("{ grid = 2 }", [0.0, 4.0]),
        ("{ quantiles = 2 }", [0.0, 2.0]),
        ("[[0], [2, 3, 4]]", [0.0, 2.0]),
    ];
    for (groups, representatives) in cases {
        let repo = planted(&format!("groups = {{ a = {groups} }}"))
            .spec("protected = [\"sex\"]", "protected = [\"a\"]");
        let json = repo.json(&[]);
        let group = |a: f64| match groups {
            "[[0], [2, 3, 4]]" if a == 1.0 => None,
            _ => Some(usize::from(a >= 2.0)),
        };
        let unfair = |person: &&Person| {
            let others = representatives.iter().enumerate();
            let others = others.filter(|(index, _)| group(person.a) != Some(*index));
            let decided = |a: f64| logit(&Person { a, ..**person }) > 0.0;
            let mut others = others.map(|(_, &a)| decided(a));
            others.any(|other| other != decided(person.a))
        };
        for (name, people) in [("dataset", dataset()), ("domain", domain())] {
            let rate = people.iter().filter(unfair).count() as f64 / people.len() as f64;
            assert_eq!(json["rates"][name]["value"], rate, "{groups} {name}");
        }
        let pairs = pairs(&json);
        assert!(!pairs.is_empty());
        for [person, counterpart] in pairs {
            let values = [person.a, counterpart.a];
            assert!(
                values.iter().all(|a| representatives.contains(a)),
                "{values:?}"
            );
            assert!(person.a != counterpart.a && person.b == counterpart.b);
        }
    }
}

#[test]
fn drawn_combinations_are_noted_and_always_the_same() {
    let repo = planted("max-combinations = 4").spec("[\"sex\"]", "[\"a\", \"sex\"]");
    let run = |jobs: &str| {
        let json = repo.json(&["--jobs", jobs]);
        ["rates", "pairs", "notes", "queries"].map(|field| json[field].clone())
    };
    let first = run("1");
    let note = first[2][0].as_str().unwrap();
    assert!(
        note.starts_with(
            "the protected attributes have 10 combinations of values; each person is tested with 4"
        ),
        "{note}"
    );
    assert_eq!(first, run("2"));
}

/// The zoo's census people, its network with three classes and that with a number.
fn zoo(line: &str) -> Repo {
    let spec = std::fs::read_to_string(project().join("fixtures/zoo/fairness.toml")).unwrap();
    let tables = spec.split("\n[").filter(|table| {
        ["model.pytorch-three-logits", "dataset."]
            .iter()
            .any(|kept| table.starts_with(kept))
    });
    let mut text: String = tables.map(|table| format!("[{table}\n")).collect();
    let zoo = project().join("fixtures/zoo").display().to_string();
    text = text.replace(
        "path = \"",
        &format!("path = \"{}/", zoo.replace('\\', "/")),
    );
    text += "[benchmark.hours]\nmodel = \"pytorch-three-logits\"\ndataset = \"people\"\n\
             protected = [\"sex\"]\nsnapshot = \"off\"\nmax-discrimination-rate = 0.0\n\
             budget = { global-seeds = 60, local-steps = 60, domain-sample = 1000 }\n";
    Repo::with_spec(text + line + "\n")
}

#[test]
fn realistic_people_are_near_a_real_one() {
    // Where the search went, before pairs were made plain.
    let changed = |json: &Value| {
        let pairs = json["pairs"].as_array().unwrap();
        assert_eq!(pairs.len(), 10, "{json}");
        let changed = pairs.iter().map(|pair| &pair["changed_before"]);
        changed
            .map(|changed| changed.as_u64().unwrap())
            .sum::<u64>()
    };
    let free = zoo("").json(&[]);
    let realistic = zoo("realistic = true").json(&[]);
    let nearer = zoo("realistic = { max-changed = 1, max-shift = 0.05 }").json(&[]);
    for (json, most) in [(&realistic, 3), (&nearer, 1)] {
        for pair in json["pairs"].as_array().unwrap() {
            assert!(pair["changed_before"].as_u64().unwrap() <= most, "{pair}");
            assert!(
                pair["nearest"]["changed"].as_u64() <= pair["changed_before"].as_u64(),
                "{pair}"
            );
        }
    }
    let [free, realistic, nearer] = [&free, &realistic, &nearer].map(changed);
    assert!(
        nearer < realistic && realistic < free,
        "{nearer} {realistic} {free}"
    );
}

#[test]
fn classes_are_told_by_name_and_lead() {
    let names = ["part-time", "full-time", "overtime"];
    let repo = zoo("constraints = ['not (relationship == \"Husband\" and sex == \"Female\")']");
    let json = repo.json(&[]);
    for pair in json["pairs"].as_array().unwrap() {
        let [own, other] = [0, 1].map(|side| pair["decisions"][side].as_str().unwrap());
        assert!(own != other && names.contains(&own) && names.contains(&other));
        let flips = pair["flips"].as_str().unwrap();
        assert!(
            flips.ends_with(&format!("flips {own:?} to {other:?}")),
            "{flips}"
        );
        for side in [0, 1] {
            let lead = pair["scores"][side].as_f64().unwrap();
            assert!(lead > 0.0 && lead <= 1.0, "{lead}");
        }
        for person in [&pair["person"], &pair["counterpart"]] {
            assert!(!(person["relationship"] == "Husband" && person["sex"] == "Female"));
        }
        let nearest = &pair["nearest"];
        assert!(nearest["person"]["age"].is_u64() && nearest["changed"].is_u64());
    }
    let ran = repo.run(&["check"]);
    ran.says(1, &["-time\" (ahead by 0."]);
}

#[test]
fn bands_and_tolerances_are_told_in_numbers() {
    let number = |setting: &str| {
        let repo = Repo::new("unbounded").benchmark("snapshot = \"off\"");
        let repo = repo.spec(
            "max-discrimination-rate = 1.0",
            "max-discrimination-rate = 0.0",
        );
        let rule = format!("runtime = \"embedded\"\n{setting}");
        repo.spec("runtime = \"embedded\"", &rule)
    };
    let bands = number("bands = [-4.0, 4.0]");
    bands.run(&["check"]).says(
        1,
        &["sex: Female -> Male flips \"below -4\" to \"-4 to 4\" (-5.600 -> -2.400)"],
    );
    let band = |person: &Person| {
        let score = logit(person);
        usize::from(score > -4.0) + usize::from(score > 4.0)
    };
    let unfair = |person: &&Person| band(person) != band(&person.counterpart());
    let share =
        |people: &[Person]| people.iter().filter(unfair).count() as f64 / people.len() as f64;
    let json = bands.json(&[]);
    assert_eq!(json["rates"]["dataset"]["value"], share(&dataset()));
    assert_eq!(json["rates"]["domain"]["value"], share(&domain()));
    assert_eq!(json["pairs"][0]["decisions"][1], "-4 to 4");

    // Sex is worth 3.2, everywhere.
    let tolerance = number("tolerance = 3.0");
    tolerance.run(&["check"]).says(
        1,
        &["sex: Female -> Male changes -17.600 to -14.400, by 3.200 (tolerance 3)"],
    );
    let json = tolerance.json(&[]);
    assert_eq!(json["pairs"][0]["decisions"][0], "-17.600");
    assert_eq!(json["rates"]["domain"]["value"], 1.0);
    let wider = number("tolerance = 3.5");
    wider.run(&["check"]).says(0, &["no counterexample found"]);
}

#[test]
fn a_person_of_the_dataset_is_at_no_distance() {
    let json = planted("").json(&[]);
    let pairs = json["pairs"].as_array().unwrap().iter();
    let real = dataset();
    for pair in pairs {
        let person = Person::of_json(&pair["person"]);
        let known = real
            .iter()
            .any(|real| (real.a, real.b) == (person.a, person.b));
        let nearest = &pair["nearest"];
        assert_eq!(nearest["changed"] == 0, known, "{pair}");
        let distance = nearest["distance"].as_f64().unwrap();
        assert_eq!(distance == 0.0, known, "{pair}");
        assert!(distance.is_sign_positive(), "0, not -0: {pair}");
    }
}

#[test]
fn without_a_dataset_people_are_drawn_from_the_domain() {
    let limit = "max-discrimination-rate = { search = 1.0, dataset = 0.5 }";
    let repo = planted("")
        .spec("path = \"tiny.csv\"\nlabel = \"label\"\n", "")
        .spec("max-discrimination-rate = 1.0", limit);
    let json = repo.json(&[]);
    assert_eq!(json["rates"]["dataset"]["value"], Value::Null);
    assert!(json["global"]["seeds"].as_u64().unwrap() > 0);
    assert_eq!(json["verdict"], "inconclusive");
    let reason = json["reason"].as_str().unwrap();
    let sentence = "there is nobody in the dataset to hold the dataset limit against; limit the \
                    domain or the search instead";
    assert_eq!(reason, sentence);
    let pairs = pairs(&json);
    assert!(!pairs.is_empty());
    assert_eq!(json["pairs"][0]["nearest"], Value::Null);

    // Nobody meets the constraint: it is to blame, though there is no dataset to count in.
    let line = "constraints = [\"a > 1\", \"a > 9\"]";
    let repo = planted(line).spec("path = \"tiny.csv\"\nlabel = \"label\"\n", "");
    let nobody = "nobody in the declared domain meets the constraints";
    refused(&repo, 2, &[nobody, "a > 9", "broken most often"]);
}

#[test]
fn the_decision_that_people_hope_for_must_be_one() {
    let hopes = |name: &str| {
        let line = format!("decisions = [\"no\", \"yes\"]\nfavourable = \"{name}\"\nruntime =");
        planted("").spec("runtime =", &line)
    };
    let json = hopes("yes").json(&[]);
    assert_eq!(json["favourable"], "yes");
    assert_eq!(json["decisions"], serde_json::json!(["no", "yes"]));
    refused(&hopes("yess"), 2, &["no decision is called `yess`"]);
}

#[test]
fn constraints_are_listed_and_told_before_they_are_used() {
    let repo = planted("constraints = [\"b < 4\"]");
    let ran = repo.run(&["list", "--constraints"]);
    assert_eq!(ran.code, 0, "{ran:#?}");
    assert!(
        ran.stdout.contains("constraints = [\n  \"b < 4\",\n]"),
        "{ran:#?}"
    );
    // Nobody with much of `a` has little of `b`, though many have either.
    let people: String = (0..60)
        .map(|n| format!("{},{},Male,yes\n", n % 2, n % 2))
        .collect();
    repo.write(
        "tiny.csv",
        format!("a,b,sex,label\n1,1,Female,yes\n{people}").as_bytes(),
    );
    let repo = repo.spec(
        "label = \"label\"",
        "label = \"label\"\nmine-constraints = true",
    );
    let ran = repo.run(&["check"]);
    let told = "constraints mined from tiny.csv: 2, such as not (a == 0 and b == 1)";
    assert!(flat(&ran.stderr).contains(told), "{ran:#?}");
    assert!(flat(&ran.stdout).contains(told), "{ran:#?}");
    let json = repo.json(&[]);
    assert_eq!(json["constraints"].as_array().unwrap().len(), 3);
}
