//! Datasets as people have them: every dialect, every gap, every mistake, in real files.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking, in its helpers too"
)]

use std::fs;
use std::path::Path;

use fairgate::{Dataset, DatasetError, Filter, Header, Spec, plan};
use tempfile::TempDir;

/// A dataset called `d` in a folder of its own.
struct Case {
    folder: TempDir,
    spec: String,
}

impl Case {
    fn new(csv: impl AsRef<[u8]>) -> Self {
        let folder = TempDir::new().unwrap();
        fs::write(folder.path().join("d.csv"), csv).unwrap();
        Case {
            folder,
            spec: "path = \"d.csv\"\n".to_owned(),
        }
    }

    fn without_file() -> Self {
        Case {
            folder: TempDir::new().unwrap(),
            spec: String::new(),
        }
    }

    /// More lines under `[dataset.d]`.
    fn say(mut self, lines: &str) -> Self {
        self.spec.push_str(lines);
        self.spec.push('\n');
        self
    }

    fn spec(&self, more: &str) -> Spec {
        let text = format!(
            "[model.m]\npath = \"m.onnx\"\n{more}\n[dataset.d]\n{}\n",
            self.spec
        );
        let text = match more.contains("[benchmark") {
            true => text,
            false => format!(
                "{text}\n[benchmark.b]\nmodel = \"m\"\ndataset = \"d\"\nprotected = [\"x\"]\n"
            ),
        };
        let path = self.folder.path().join("fairness.toml");
        Spec::parse(&text, &path).unwrap_or_else(|error| panic!("{text}\n{error:?}"))
    }

    fn load(&self) -> Result<Dataset, DatasetError> {
        Dataset::load(&self.spec("").datasets["d"])
    }

    fn good(&self) -> Dataset {
        self.load().unwrap_or_else(|error| panic!("{error}"))
    }

    /// The people in words: `age=3 sex=Male`.
    fn people(&self) -> Vec<String> {
        people(&self.good())
    }

    /// What is wrong, and how to mend it.
    fn wrong(&self) -> String {
        let error = self.load().expect_err("a dataset that cannot be used");
        let help = miette::Diagnostic::help(&error).map(|help| help.to_string());
        format!("{error}\nhelp: {}", help.unwrap_or_default())
    }

    fn refuses(&self, phrases: &[&str]) {
        let wrong = self.wrong();
        for phrase in phrases {
            assert!(wrong.contains(phrase), "no {phrase:?} in\n{wrong}");
        }
    }

    fn domain(&self, attribute: &str) -> String {
        let dataset = self.good();
        let position = dataset.schema.position(attribute).expect(attribute);
        dataset.schema.attributes()[position].domain.describe()
    }

    /// What the plan says about a spec with these tables.
    fn plan(&self, tables: &str) -> String {
        match plan(&self.spec(tables), &Filter::default()) {
            Ok(_) => String::new(),
            Err(error) => {
                let report = error.spec.map(|spec| {
                    let mut text = String::new();
                    let handler = miette::NarratableReportHandler::new();
                    handler.render_report(&mut text, spec.as_ref()).unwrap();
                    text
                });
                report.unwrap_or_default() + &format!("{:?}", error.datasets)
            }
        }
    }
}

fn people(dataset: &Dataset) -> Vec<String> {
    let width = dataset.schema.width();
    let words = |person: &[u32]| {
        let words = dataset.schema.words(person);
        let words: Vec<String> = words.iter().map(|(a, v)| format!("{a}={v}")).collect();
        words.join(" ")
    };
    dataset.people.chunks_exact(width).map(words).collect()
}

const TWO: [&str; 2] = ["age=30 sex=Male", "age=40 sex=Female"];

#[test]
fn every_delimiter_is_told_from_the_header() {
    for delimiter in [",", ";", "\t", "|"] {
        let csv = format!("age{delimiter}sex\n30{delimiter}Male\n40{delimiter}Female\n");
        assert_eq!(Case::new(csv).people(), TWO, "{delimiter:?}");
    }
    // A delimiter in quotes is none, and a comma wins where there are as many of another.
    let csv = "\"age; or so, in years\",sex\n30,Male\n40,Female\n";
    assert_eq!(Case::new(csv).domain("age; or so, in years"), "30 to 40");
    assert_eq!(Case::new("a;b,c\n1;1,2\n").domain("c"), "2 to 2");
}

#[test]
fn a_delimiter_can_be_said() {
    let case = Case::new("age:sex,or so\n30:Male\n40:Female\n").say("delimiter = \":\"");
    assert_eq!(case.domain("sex,or so"), "\"Female\", \"Male\"");
    let case = Case::new("age sex\n30 Male\n40 Female\n").say("delimiter = \" \"");
    assert_eq!(case.people(), TWO);
}

#[test]
fn marks_line_ends_blank_lines_and_quotes_do_not_matter() {
    for csv in [
        "\u{feff}age,sex\n30,Male\n40,Female",
        "age,sex\r\n30,Male\r\n40,Female\r\n",
        "\n\nage,sex\n\n30,Male\n\n  \n40,Female\n\n",
        "\r\nage,sex\r\n\r\n30,Male\r\n\r\n40,Female\r\n",
        " age , sex \n 30, Male\n40 ,Female \n",
        "\"age\",\"sex\"\n\"30\",\"Male\"\n\"40\",\"Female\"\r\n",
    ] {
        assert_eq!(Case::new(csv).people(), TWO, "{csv:?}");
    }
}

#[test]
fn lines_are_counted_with_blank_lines_quotes_and_windows_ends() {
    for csv in [
        "age,sex\n30,Male\n\n\n40\n",
        "age,sex\r\n30,Male\r\n\r\n\r\n40\r\n",
        "age,sex\n30,\"Ma\n\nle\"\n40",
        "age,sex\r\n30,\"Ma\r\n\r\nle\"\r\n40",
    ] {
        Case::new(csv).refuses(&["line 5 has 1 fields, the header has 2"]);
    }
    Case::new("age,sex\n\n1,\"a\nb\",3\n4\n").refuses(&["line 3 has 3", "line 5 has 1"]);
}

#[test]
fn utf_16_with_a_mark_is_read() {
    let text = "age,sex\n30,Männlich\n40,Female\n";
    let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
    let wanted = ["age=30 sex=Männlich", "age=40 sex=Female"];
    assert_eq!(
        Case::new([b"\xff\xfe", &little[..]].concat()).people(),
        wanted
    );
    assert_eq!(Case::new([b"\xfe\xff", &big[..]].concat()).people(), wanted);
    let case = Case::new(&little);
    case.refuses(&[
        "UTF-16 without a byte order mark",
        "encoding = \"utf-16le\"",
    ]);
    assert_eq!(case.say("encoding = \"utf-16le\"").people(), wanted);
    Case::new(&big).refuses(&["encoding = \"utf-16be\""]);
}

#[test]
fn latin_1_is_read_where_it_is_said() {
    let csv = b"age,sex\n30,M\xe4nnlich\n40,Female\n50,M\xe4nnlich\n";
    let case = Case::new(csv);
    case.refuses(&[
        "not UTF-8 text: 2 lines: 2, 4",
        "encoding = \"latin1\" under [dataset.d]",
    ]);
    let case = case.say("encoding = \"latin1\"");
    assert_eq!(case.people()[0], "age=30 sex=Männlich");
    Case::new(b"\xe4ge,sex\n1,2\n").refuses(&["line 1 is not UTF-8 text"]);
    // What nobody reads need not be text.
    let case = Case::new(csv).say("ignore = [\"sex\"]");
    assert_eq!(case.good().len(), 3);
}

#[test]
fn files_that_are_no_csv_say_what_they_are() {
    let cases: [(&[u8], &str); 12] = [
        (b"PAR1\0\0", "it is a Parquet file"),
        (b"\x1f\x8b\x08\0", "compressed with gzip"),
        (b"PK\x03\x04\0\0xl/workbook.xml", "it is an Excel workbook"),
        (b"PK\x03\x04\0\0data.csv", "it is a zip archive"),
        (b"\xd0\xcf\x11\xe0\0", "an old Excel workbook"),
        (b"a,b\n\0\x01\x02\x03\0\0", "it is a binary file"),
        (b"", "the file is empty"),
        (b"\n \r\n\n", "the file is empty"),
        (b"\xef\xbb\xbf", "the file is empty"),
        (b"age,sex\n", "a header but nobody in it"),
        (b"age,sex\r1,2\r", "carriage return alone"),
        (
            b"30,1\n40,2\n",
            "line 1 has numbers where the names should be",
        ),
    ];
    for (bytes, phrase) in cases {
        Case::new(bytes).refuses(&[phrase]);
    }
    let case = Case::new("");
    fs::remove_file(case.folder.path().join("d.csv")).unwrap();
    case.refuses(&[
        "cannot read the dataset",
        "there is no such file",
        "[dataset.d]",
    ]);
    fs::create_dir(case.folder.path().join("d.csv")).unwrap();
    case.refuses(&["it is a folder"]);
}

#[test]
fn headers_that_are_none_are_refused() {
    Case::new("39,x,39\n40,y,40\n").refuses(&["two columns called `39`", "add a line of names"]);
    Case::new("A11 6 A34 A43\nA12 48 A32 A43\n")
        .refuses(&["spaces between its fields", "delimiter = \" \""]);
    let case = Case::new(",age,sex\n0,30,Male\n1,40,Female\n");
    case.refuses(&["line 1: column 1 has no name", "ignore = [\"Unnamed: 0\"]"]);
    assert_eq!(case.say("ignore = [\"Unnamed: 0\"]").people(), TWO);
}

#[test]
fn commas_in_numbers_are_refused() {
    let case = Case::new("weight;sex\n3.5;Male\n3,5;Male\n3,5;Male\n");
    case.refuses(&[
        "line 3: `weight` is \"3,5\", a number with a comma (and in one more line)",
        "with a point",
    ]);
    Case::new("weight;sex\n3,5;a\n4,5;b\n").refuses(&["line 2: `weight`", "line 3: `weight`"]);
    Case::new("pay,sex\n\"1,234\",a\n900,b\n").refuses(&["line 2: `pay` is \"1,234\""]);
    let case = Case::new("weight;sex\n3,5;a\n").say("attributes.weight = { min = 0.0, max = 9.0 }");
    case.refuses(&["a number with a comma"]);
    // Among words it is a word.
    let case = Case::new("codes;sex\n1,2;a\nx;b\n");
    assert_eq!(case.domain("codes"), "\"1,2\", \"x\"");
}

#[test]
fn every_complaint_comes_at_once_and_the_rest_is_counted() {
    let mut csv = "age,sex\n".to_owned();
    (0..3).for_each(|_| csv.push_str("1\n"));
    (0..20).for_each(|line| csv.push_str(&format!("{line}x,Robot\n")));
    let case = Case::new(csv)
        .say("[dataset.d.attributes]\nage = { min = 0, max = 9 }\nsex = { values = [\"a\"] }");
    case.refuses(&[
        "line 2 has 1 fields",
        "line 5: `age` is \"0x\", not a whole number",
        "and 14 more",
    ]);
    let case = Case::new("age,sex\n1,Robot\n2,a\n3,Robot\n99,Robot\n")
        .say("[dataset.d.attributes]\nage = { min = 0, max = 9 }\nsex = { values = [\"a\"] }");
    case.refuses(&[
        "line 5: `age` is \"99\", which is outside its domain (0 to 9)",
        "line 2: `sex` is \"Robot\", which is outside its domain (\"a\") (and in 2 more lines)",
        "widen the domains under [dataset.d.attributes]",
    ]);
    Case::new("age,sex\n1,\"a\n2,b\n3,c\n").refuses(&["line 2: a quote is not closed"]);
}

const GAPS: &str = "age,work\n30,Private\n?,State\n50,\n60,State\nNA,Private\n70,State\n";

#[test]
fn missing_values_are_rejected_with_their_lines() {
    Case::new(GAPS).refuses(&[
        "`age` is missing in 2 lines: 3, 6",
        "`work` is missing in line 4",
        "missing = \"skip\"",
    ]);
    let many: String = (0..2000).map(|_| "1,None\n").collect();
    Case::new(format!("age,work\n2,x\n{many}"))
        .refuses(&["`work` is missing in 2,000 lines: 3, 4, 5, 6, 7 ..."]);
}

#[test]
fn people_with_missing_values_can_be_left_out() {
    let dataset = Case::new(GAPS).say("missing = \"skip\"").good();
    assert_eq!(
        people(&dataset),
        [
            "age=30 work=Private",
            "age=60 work=State",
            "age=70 work=State"
        ]
    );
    assert_eq!(dataset.rows, 6);
    assert_eq!(
        dataset.notes,
        ["3 of 6 people left out, as a value is missing"]
    );
    Case::new("a,b\n?,1\n1,?\n")
        .say("missing = \"skip\"")
        .refuses(&["everybody is left out"]);
}

#[test]
fn something_can_stand_for_missing_values() {
    let dataset = Case::new(GAPS).say("missing = \"median\"").good();
    assert_eq!(
        people(&dataset)[1..5],
        [
            "age=50 work=State",
            "age=50 work=State",
            "age=60 work=State",
            "age=50 work=Private"
        ]
    );
    assert_eq!(
        dataset.notes,
        [
            "2 missing values of `age` taken as \"50\" (the median)",
            "1 missing value of `work` taken as \"State\" (the most frequent)",
        ]
    );
    let case = Case::new(GAPS)
        .say("missing = \"most-frequent\"\nattributes.work = { missing = \"Private\" }");
    assert_eq!(
        case.people()[1..3],
        ["age=30 work=State", "age=50 work=Private"]
    );
    let case = Case::new(GAPS).say("missing = \"skip\"\nattributes.work = { missing = \"None\" }");
    case.refuses(&["`work` has missing = \"None\", which is outside its domain"]);
    Case::new("a,b\n?,1\n?,2\n")
        .say("missing = \"median\"")
        .refuses(&["`a` has no value in any line", "`ignore`"]);
}

#[test]
fn markers_are_what_the_spec_says_and_never_values() {
    let csv = "age,work\n30,None\n999,x\n50,?\n";
    let case = Case::new(csv).say("missing = \"skip\"\nmissing-markers = [999]");
    assert_eq!(case.people(), ["age=30 work=None", "age=50 work=?"]);
    let case =
        Case::new(csv).say("missing = \"skip\"\nattributes.work = { values = [\"None\", \"x\"] }");
    assert_eq!(case.people(), ["age=30 work=None", "age=999 work=x"]);
    // A number that is none is a mistake even where it does not mark a missing value.
    let case = Case::new("a,b\n1.5,x\ninf,x\nNaN,y\n").say("missing-markers = []");
    case.refuses(&[
        "line 3: `a` is \"inf\", not a number",
        "line 4: `a` is \"NaN\", not a number",
    ]);
}

#[test]
fn a_column_tells_its_domain() {
    let case = Case::new(
        "n,d,t,day,word,mixed\n3,0.5,True,2024-02-29,b,1\n-1,2,false,2024-01-31,B,x\n2.0,1.25,TRUE,2024-02-01,a,2\n",
    );
    for (name, domain) in [
        ("n", "-1 to 3"),
        ("d", "0.50 to 2.00 in steps of 0.01"),
        ("t", "false, true"),
        ("day", "2024-01-31 to 2024-02-29"),
        ("word", "\"B\", \"a\", \"b\""),
        ("mixed", "\"1\", \"2\", \"x\""),
    ] {
        assert_eq!(case.domain(name), domain, "{name}");
    }
    assert_eq!(
        case.people()[2],
        "n=2 d=1.25 t=true day=2024-02-01 word=a mixed=2"
    );
    assert!(case.good().notes.is_empty());
}

#[test]
fn declared_domains_are_kept() {
    let case = Case::new("n,d,t,day,own,v\n3,40.2,yes,2024-02-29,10,1\n4,61.4,0,2024-01-31,9,0\n")
        .say(
            "[dataset.d.attributes]\nn = { min = 0 }\nd = { min = 40.0, step = 0.5 }\n\
         t = { type = \"boolean\" }\nday = { type = \"date\", min = 2024-01-01 }\n\
         own = { type = \"category\" }\nv = { values = [\"Female\", \"Male\"] }",
        );
    for (name, domain) in [
        ("n", "0 to 4"),
        ("d", "40.0 to 61.5 in steps of 0.5"),
        ("t", "false, true"),
        ("day", "2024-01-01 to 2024-02-29"),
        ("own", "\"9\", \"10\""),
        ("v", "\"Female\", \"Male\""),
    ] {
        assert_eq!(case.domain(name), domain, "{name}");
    }
    let dataset = case.good();
    assert_eq!(
        people(&dataset),
        [
            "n=3 d=40.0 t=true day=2024-02-29 own=10 v=Male",
            "n=4 d=61.5 t=false day=2024-01-31 own=9 v=Female",
        ]
    );
    assert_eq!(
        dataset.notes,
        ["2 values of `d` rounded to its step of 0.5"]
    );
}

#[test]
fn declared_domains_are_held_against_the_column() {
    let case = Case::new("n,d,t,day\n3,40.2,maybe,2024-02-30\n-4,nan,1,soon\n").say(
        "missing-markers = []\n[dataset.d.attributes]\nn = { min = 0 }\nd = { min = 50.0, step = 0.5, max = 60.0 }\n\
         t = { type = \"boolean\" }\nday = { type = \"date\" }",
    );
    case.refuses(&[
        "line 3: `n` is \"-4\", which is outside its domain (0 to 3)",
        "line 3: `d` is \"nan\", not a number",
        "line 2: `t` is \"maybe\", which is outside its domain (false, true)",
        "line 2: `day` is \"2024-02-30\", not a date",
        "line 3: `day` is \"soon\", not a date",
    ]);
}

#[test]
fn fine_decimals_get_a_round_step() {
    let case = Case::new("w,s\n0.123456,a\n17.654321,b\n9.5,a\n");
    assert_eq!(case.domain("w"), "0.12 to 17.66 in steps of 0.01");
    let notes = case.good().notes;
    assert!(
        notes[0].starts_with("`w` is searched in steps of 0.01"),
        "{notes:?}"
    );
    assert_eq!(notes[1], "2 values of `w` rounded to its step of 0.01");
    assert_eq!(case.people()[0], "w=0.12 s=a");
}

#[test]
fn the_label_ignored_and_derived_columns_are_no_attributes() {
    let case = Case::new("id,age,net,income\nx,30,5,>50K\ny,40,6,<=50K\nz,50,7,\n").say(
        "label = \"income\"\nignore = [\"id\"]\nderived = { net = \"age - 25\", sum = \"age + 1\" }",
    );
    let dataset = case.good();
    assert_eq!(people(&dataset), ["age=30", "age=40", "age=50"]);
    assert_eq!(dataset.labels.unwrap(), ["<=50K", ">50K"]);
    let spec = case.spec("");
    let header = Header::read(&spec.datasets["d"]).unwrap();
    assert_eq!(
        header.attributes(&spec.datasets["d"]).collect::<Vec<_>>(),
        ["age"]
    );
    let case = Case::new("a,y\n1,10\n1,9\n").say("label = \"y\"");
    assert_eq!(case.good().labels.unwrap(), ["9", "10"]);
}

#[test]
fn one_hot_columns_are_one_attribute() {
    let csv = "race_White,age,race_Black,sex\n1,30,0,Male\n0,40,1,Female\n";
    let case =
        Case::new(csv).say("attributes.race = { one-hot = [\"race_White\", \"race_Black\"] }");
    assert_eq!(
        case.people(),
        ["race=White age=30 sex=Male", "race=Black age=40 sex=Female"]
    );
    let named = Case::new(csv).say(
        "attributes.race = { one-hot = [\"race_White\", \"race_Black\"], values = [\"w\", \"b\"] }",
    );
    assert_eq!(named.people()[1], "race=b age=40 sex=Female");
    let made =
        Case::new(csv).say("attributes.race = { one-hot = true, values = [\"White\", \"Black\"] }");
    assert_eq!(made.people()[1], "race=Black age=40 sex=Female");
}

#[test]
fn the_first_value_of_a_group_may_have_no_column() {
    let csv = "age,race_White,race_Black\n30,0,0\n40,1,0\n50,0,1\n";
    let spec = "one-hot = [\"race_White\", \"race_Black\"], drop-first = true";
    let case = Case::new(csv).say(&format!("attributes.race = {{ {spec} }}"));
    assert_eq!(
        case.people(),
        [
            "age=30 race=other",
            "age=40 race=White",
            "age=50 race=Black"
        ]
    );
    let case = Case::new(csv).say(&format!(
        "attributes.race = {{ {spec}, values = [\"Asian\", \"White\", \"Black\"] }}"
    ));
    assert_eq!(case.people()[0], "age=30 race=Asian");
    let case = Case::new(csv).say(&format!(
        "attributes.race = {{ {spec}, values = [\"a\", \"b\"] }}"
    ));
    case.refuses(&["`race` has 2 values, but its columns are for 3"]);
}

#[test]
fn groups_with_none_two_or_odd_cells_are_refused() {
    let csv = "a_x,a_y,n\n1,1,1\n0,0,1\n2,0,1\n0,1,1\n,1,1\n";
    let case = Case::new(csv).say("attributes.a = { one-hot = [\"a_x\", \"a_y\"] }");
    case.refuses(&[
        "line 2: `a_x` and `a_y` are both 1, but `a` has one value",
        "line 3: no column of `a` is 1",
        "line 4: `a_x` is neither 0 nor 1",
        "`a` is missing in line 6",
    ]);
    let csv = "a_x,a_y,n\n1,0,1\n?,0,1\n0,1,1\n";
    let case =
        Case::new(csv).say("attributes.a = { one-hot = [\"a_x\", \"a_y\"], missing = \"skip\" }");
    assert_eq!(case.people(), ["a=x n=1", "a=y n=1"]);
}

#[test]
fn a_sample_is_drawn_evenly_and_is_the_same_each_time() {
    let csv: String = (0..50_000).map(|n| format!("{n},{}\n", n % 7)).collect();
    let case = Case::new(format!("n,day\n{csv}")).say("sample = 1000");
    let dataset = case.good();
    assert_eq!((dataset.len(), dataset.rows), (1000, 50_000));
    assert_eq!(dataset.notes, ["sampled 1,000 of 50,000 people"]);
    let numbers: Vec<u32> = dataset.people.chunks_exact(2).map(|p| p[0]).collect();
    assert!(numbers.is_sorted(), "in the order of the file");
    let late = numbers.iter().filter(|number| **number >= 25_000).count();
    assert!((420..580).contains(&late), "{late}");
    assert_eq!(case.good().people, dataset.people);
    // The domain is that of all rows.
    assert_eq!(case.domain("n"), "0 to 49999");
    assert!(dataset.people.chunks_exact(2).all(|p| p[0] % 7 == p[1]));
}

#[test]
fn very_many_numbers_are_no_trouble() {
    let rows = 200_000;
    let mut csv = String::from("n,w,m\n");
    for row in 0..rows {
        let gap = if row % 100 == 0 { "?" } else { "" };
        csv.push_str(&match gap {
            "?" => format!("{row},{}.{:06},?\n", row / 1000, row % 1000 * 1000 + 1),
            _ => format!("{row},{}.{:06},{row}\n", row / 1000, row % 1000 * 1000 + 1),
        });
    }
    let dataset = Case::new(&csv).say("missing = \"median\"").good();
    let describe = |index: usize| dataset.schema.attributes()[index].domain.describe();
    assert_eq!(describe(0), "0 to 199999");
    assert_eq!(describe(1), "0 to 200.0 in steps of 0.1");
    assert_eq!(describe(2), "1 to 199999");
    assert_eq!(dataset.len(), rows);
    assert_eq!(dataset.people[3 * 777], 777);
    let median = dataset.schema.words(&dataset.people[..3])[2].1.clone();
    assert_eq!(median, "99999", "{:?}", dataset.notes);
    let case = Case::new(csv + "x,1,1\n");
    case.refuses(&["line 200002: `n` is \"x\", but the lines before have more than 65,536"]);
}

#[test]
fn very_many_texts_are_refused() {
    let mut csv = String::from("id,age\n");
    (0..1_100_000).for_each(|row| csv.push_str(&format!("a{row},{}\n", row % 9)));
    let case = Case::new(&csv);
    case.refuses(&[
        "`id` has more than 1,048,576 different texts",
        "put it under `ignore`",
    ]);
    assert_eq!(case.say("ignore = [\"id\"]").domain("age"), "0 to 8");
}

#[test]
fn without_a_file_every_attribute_is_declared() {
    let case = Case::without_file().say(
        "[dataset.d.attributes]\nsex = { values = [\"Female\", \"Male\"] }\nage = { min = 1, max = 9 }\n\
         w = { min = 0.5, max = 1.2, step = 0.5 }\nsince = { type = \"date\", min = 2024-01-01, max = 2024-12-31 }\n\
         member = { type = \"boolean\" }",
    );
    let dataset = case.good();
    assert!(dataset.is_empty());
    assert_eq!(dataset.rows, 0);
    let names: Vec<&str> = dataset
        .schema
        .attributes()
        .iter()
        .map(|a| a.name.as_str())
        .collect();
    assert_eq!(names, ["sex", "age", "w", "since", "member"]);
    assert_eq!(case.domain("w"), "0.5 to 1.5 in steps of 0.5");
    assert_eq!(case.domain("since"), "2024-01-01 to 2024-12-31");
    let spec = case.spec("");
    let header = Header::read(&spec.datasets["d"]).unwrap();
    assert_eq!(header.attributes(&spec.datasets["d"]).count(), 5);
    let benchmark = "[benchmark.b]\nmodel = \"m\"\ndataset = \"d\"\n";
    assert_eq!(case.plan(&format!("{benchmark}protected = [\"sex\"]")), "");
    let wrong = case.plan(&format!("{benchmark}protected = [\"sexx\"]"));
    assert!(
        wrong.contains("`sexx` is not a declared attribute of [dataset.d]"),
        "{wrong}"
    );
}

#[test]
fn without_a_file_what_is_not_declared_is_named() {
    let case = Case::without_file().say(
        "[dataset.d.attributes]\nage = { min = 1 }\nw = { min = 0.5, max = 1.2 }\n\
         own = { type = \"category\" }\nsince = { type = \"date\" }\nany = { missing = \"skip\" }",
    );
    case.refuses(&[
        "there is no file that tells the domain of `age`",
        "the domain of `w`",
        "the domain of `own`",
        "the domain of `since`",
        "the domain of `any`",
        "both `min` and `max`",
        "all of `min`, `max` and `step`",
        "its `values`",
        "under [dataset.d.attributes]",
    ]);
}

#[test]
fn names_that_do_not_exist_are_told_with_the_place() {
    let case = Case::new("age,sex,race_White,race_Black,income\n1,a,1,0,x\n").say(
        "label = \"incme\"\nignore = [\"idd\"]\nderived = { new = \"age + 1\" }\n\
         attributes.race = { one-hot = [\"race_White\", \"race_Blak\"] }\nattributes.agee = { min = 1 }",
    );
    let wrong = case.plan(
        "[model.m.attributes]\nhours = { bins = [1] }\nnew = { bins = [1] }\n[benchmark.b]\nmodel = \"m\"\ndataset = \"d\"\n\
         protected = [\"sexx\"]\nfrozen = [\"agge\"]\ngroups = { sexx = [[\"a\"]] }\n[benchmark.c]\n\
         model = \"m\"\ndataset = \"d\"\nprotected = [\"sex\"]",
    );
    for phrase in [
        "the label `incme` is not a column",
        "did you mean `income`?",
        "the ignored column `idd` is not a column",
        "`race_Blak`, a column of the attribute `race`, is not a column",
        "did you mean `race_Black`?",
        "the attribute `agee` is not a column",
        "did you mean `age`?",
        "the protected attribute `sexx` is not a column",
        "the frozen attribute `agge` is not a column",
        "the grouped attribute `sexx` is not a column",
        "the attribute `hours` is not a column",
        "the columns are `age`",
    ] {
        assert!(wrong.contains(phrase), "no {phrase:?} in\n{wrong}");
    }
    assert_eq!(
        wrong.matches("the attribute `hours` is").count(),
        1,
        "{wrong}"
    );
    assert!(!wrong.contains("`new`"), "{wrong}");
}

#[test]
fn a_column_that_is_no_attribute_says_why() {
    let case = Case::new("age,id,income,net\n1,2,3,4\n")
        .say("label = \"income\"\nignore = [\"id\"]\nderived = { net = \"age + 1\" }");
    let wrong = case.plan(
        "[benchmark.b]\nmodel = \"m\"\ndataset = \"d\"\nprotected = [\"age\"]\n\
         frozen = [\"id\", \"income\", \"net\"]",
    );
    for phrase in [
        "`id` is not an attribute",
        "it is under `ignore`",
        "it is the label",
        "under `derived`",
    ] {
        assert!(wrong.contains(phrase), "no {phrase:?} in\n{wrong}");
    }
}

#[test]
fn the_fixtures_are_read_as_before() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let spec = Spec::load(folder.join("fairness.toml")).unwrap();
    for (name, dataset) in &spec.datasets {
        let read = Dataset::load(dataset).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(read.rows as usize, read.len(), "{name}");
        assert!(read.notes.is_empty(), "{name}: {:?}", read.notes);
    }
}

#[test]
fn numbers_at_the_end_of_the_world_are_refused_or_read() {
    let numbers = [
        "79228162514264337593543950335",
        "-79228162514264337593543950335",
        "7922816251426433759354395033.5",
        "0.0000000000000000000000000001",
        "1e28",
        "1e-28",
        "9223372036854775807",
        "-9223372036854775808",
        "9007199254740993.0",
        "9999-12-31",
        "-9999-01-01",
        "0",
        "0.5",
    ];
    for first in numbers {
        for second in numbers {
            let csv = format!("x,y\n{first},1\n{second},2\n");
            for attribute in [
                "",
                "attributes.x = { type = \"integer\" }",
                "attributes.x = { type = \"decimal\" }",
                "attributes.x = { min = 0.1, step = 0.3 }",
                "attributes.x = { type = \"date\" }",
            ] {
                // Either is fine; what must not happen is a panic.
                let _ = Case::new(&csv).say(attribute).load();
            }
        }
    }
}

#[test]
fn no_bytes_make_it_panic() {
    let csv = b"a_x,a_y,n,w,day\n1,0,3,\"0.5\",2024-01-01\r\n0,1,?,2.5,2024-02-29\n";
    let case = Case::new("").say(
        "missing = \"median\"\nattributes.a = { one-hot = [\"a_x\", \"a_y\"] }\nattributes.w = { step = 0.5 }",
    );
    let spec = case.spec("");
    let path = case.folder.path().join("d.csv");
    let mut read = 0;
    let mut check = |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        match Dataset::load(&spec.datasets["d"]) {
            Ok(dataset) => {
                read += 1;
                assert_eq!(dataset.people.len(), dataset.len() * dataset.schema.width());
                people(&dataset);
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    };
    for at in 0..csv.len() {
        check(&csv[..at]);
        check(&csv[at..]);
        for byte in *b"\0\",;\t\n\r.-9e\xff\xef " {
            let mut bytes = csv.to_vec();
            bytes[at] = byte;
            check(&bytes);
            bytes.insert(at, b'1');
            check(&bytes);
        }
    }
    assert!(read > csv.len(), "the changes change too much");
}

/// `cargo test --release --test dataset -- --ignored --nocapture`: rows a second and memory.
#[test]
#[ignore = "a measurement, not a test"]
#[allow(clippy::print_stdout, reason = "it prints what it measures")]
fn measure_a_large_file() {
    use std::fmt::Write as _;
    use std::io::Write as _;
    for millions in [1, 4, 8] {
        let case = Case::new("").say("label = \"income\"");
        let path = case.folder.path().join("d.csv");
        let mut file = std::io::BufWriter::new(fs::File::create(path).unwrap());
        file.write_all(LARGE_HEADER.as_bytes()).unwrap();
        let mut line = String::new();
        let mut state = 1_u64;
        for _ in 0..millions * 1_000_000 {
            line.clear();
            for (column, size) in LARGE.iter().enumerate() {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                let value = (state >> 33) % size;
                match column % 3 {
                    0 => write!(line, "{value},").unwrap(),
                    1 => write!(line, "{value}th-category,").unwrap(),
                    _ => write!(line, "{}.{},", value / 10, value % 10).unwrap(),
                }
            }
            line.push_str(if state >> 63 == 0 {
                ">50K\n"
            } else {
                "<=50K\n"
            });
            file.write_all(line.as_bytes()).unwrap();
        }
        drop(file);
        let start = (std::time::Instant::now(), on_cpu());
        let dataset = case.good();
        let (seconds, cpu) = (start.0.elapsed().as_secs_f64(), on_cpu() - start.1);
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let peak = status.lines().find(|line| line.starts_with("VmHWM"));
        println!(
            "{millions} million rows of 13 attributes in {seconds:.2} s, {cpu:.2} s of them on a CPU: \
             {:.2} million rows a second of CPU, {}; {:?}",
            f64::from(millions) / cpu,
            peak.unwrap_or_default(),
            dataset.notes
        );
    }
}

/// The seconds that this thread has run, which do not depend on what else runs.
fn on_cpu() -> f64 {
    let times = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = times
        .split(' ')
        .next()
        .and_then(|time| time.parse::<f64>().ok());
    nanoseconds.unwrap_or_default() / 1e9
}

/// How many values each attribute of the large file has.
const LARGE: [u64; 13] = [74, 8, 300, 16, 16, 7, 14, 5, 90, 20_000, 2, 990, 42];

const LARGE_HEADER: &str = "a,b,c,d,e,f,g,h,i,j,k,l,m,income\n";
