//! A draft as the text of a `fairness.toml`.

use std::fmt::Write as _;

use crate::schema::Domain;

use super::draft::{Draft, Note, Proposed};
use super::layout::Scaling;
use super::table::Field;

/// Lines are not longer than this, as far as that can be.
const WIDTH: usize = 100;

/// Protected numbers with more values than this are tested in groups.
const MOST_VALUES: usize = 20;

/// The text of the spec.
pub(super) fn spec(draft: &Draft<'_>) -> String {
    let mut text = Text::default();
    head(&mut text, draft);
    defaults(&mut text);
    model(&mut text, draft);
    dataset(&mut text, draft);
    attributes(&mut text, draft);
    benchmarks(&mut text, draft);
    text.0
}

#[derive(Default)]
struct Text(String);

impl Text {
    fn line(&mut self, line: impl AsRef<str>) {
        self.0.push_str(line.as_ref());
        self.0.push('\n');
    }

    fn comment(&mut self, text: &str) {
        let options = textwrap::Options::new(WIDTH)
            .initial_indent("# ")
            .subsequent_indent("# ")
            .word_splitter(textwrap::WordSplitter::NoHyphenation)
            .break_words(false);
        self.line(textwrap::fill(text, options));
    }

    fn notes(&mut self, notes: &[Note]) {
        for note in notes {
            self.comment(&note.comment());
        }
    }

    fn table(&mut self, name: &str) {
        let _ = write!(self.0, "\n[{name}]\n");
    }

    /// A key with a list, over several lines if it is long.
    fn list(&mut self, before: &str, items: &[String], after: &str) {
        self.line(listed(before, items, after));
    }
}

/// `before[a, b]after`, over several lines if it is long.
fn listed(before: &str, items: &[String], after: &str) -> String {
    let line = format!("{before}[{}]{after}", items.join(", "));
    if line.chars().count() <= WIDTH {
        return line;
    }
    let mut lines = format!("{before}[");
    let mut used = WIDTH;
    for item in items {
        let item = format!("{item},");
        let length = item.chars().count() + 1;
        if used + length > WIDTH {
            lines.push_str("\n   ");
            used = 3;
        }
        let _ = write!(lines, " {item}");
        used += length;
    }
    format!("{lines}\n]{after}")
}

/// A text as TOML.
pub(super) fn quoted(text: &str) -> String {
    let plain = !text.contains(['\n', '\r', '\t']);
    if plain && text.contains(['"', '\\']) && !text.contains('\'') {
        return format!("'{text}'");
    }
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => {
                quoted.push('\\');
                quoted.push(letter);
            }
            control if control.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", u32::from(control));
            }
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

/// A key as TOML.
fn key(name: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    match !name.is_empty() && name.chars().all(bare) {
        true => name.to_owned(),
        false => quoted(name),
    }
}

fn all_quoted(texts: &[String]) -> Vec<String> {
    texts.iter().map(|text| quoted(text)).collect()
}

fn head(text: &mut Text, draft: &Draft<'_>) {
    text.comment(
        "Written by `fairgate init`. What is marked \"guessed\" needs a look from you; everything \
         else was read from the model or the data. Lines that are commented out are there to be used.",
    );
    text.comment("Run it with `fairgate check`. Paths are relative to this file.");
    for problem in &draft.notes.to_mend {
        text.line("#");
        text.comment(&format!("TO MEND: {problem}"));
    }
}

fn defaults(text: &mut Text) {
    text.table("defaults");
    text.comment(
        "A benchmark fails if more than this share (0.05 is 5 %) of people would be decided \
         otherwise if only the protected attribute changed. Each of three shares can have a limit: \
         `dataset`, of the people in the CSV; `domain`, of all people that the attributes allow, \
         by a random sample; `search`, of the people whom the search tested. The search looks where \
         it is worst, so its share is high even where few people are affected.",
    );
    text.line("max-discrimination-rate = { dataset = 0.05 }");
    text.line("# max-discrimination-rate = { dataset = 0.05, domain = 0.05 }");
    text.line("# budget = { global-seeds = 100, local-steps = 100 }   # a shorter search; both are 1000 by default");
    text.line("# snapshot = \"off\"   # by default what is found is recorded in tests/snapshots and compared");
}

fn model(text: &mut Text, draft: &Draft<'_>) {
    let places = draft.places;
    text.table(&format!("model.{}", places.model));
    text.line(format!("path = {}", quoted(&places.model_path)));
    text.comment(&format!("read from the model: {}", draft.signature));
    answers(text, draft);
    text.notes(&draft.notes.columns);
    if let Some(columns) = &draft.fit.columns {
        let names = all_quoted(&draft.table.names(columns));
        text.list("columns = ", &names, "");
    }
    inputs(text, draft);
    encodings(text, draft);
}

fn answers(text: &mut Text, draft: &Draft<'_>) {
    let answers = &draft.answers;
    text.notes(&draft.notes.answers);
    if let Some(output) = &answers.output {
        text.line(format!("output = {}", quoted(output)));
    }
    if answers.logit {
        text.line("scores = \"logit\"");
    }
    if let Some(tolerance) = answers.tolerance {
        text.line(format!("tolerance = {tolerance:?}"));
        text.line(
            "# bands = [20.0, 40.0]   # in place of `tolerance`: each number starts a new band",
        );
        return;
    }
    match &answers.decisions {
        Some(names) => {
            text.list("decisions = ", &all_quoted(names), "");
            if let [_, second] = names.as_slice() {
                let second = quoted(second);
                text.line(format!(
                    "# favourable = {second}   # the decision that people hope for"
                ));
                text.line("# threshold = 0.5   # a score above it is the second decision");
            }
        }
        None => text.line(
            "# decisions = [\"refused\", \"granted\"]   # what reports call class 0 and class 1",
        ),
    }
}

fn inputs(text: &mut Text, draft: &Draft<'_>) {
    if draft.fit.inputs.is_empty() {
        return;
    }
    text.table(&format!("model.{}.inputs", draft.places.model));
    for (input, columns) in &draft.fit.inputs {
        let names = all_quoted(&draft.table.names(columns));
        match names.is_empty() {
            true => text.line(format!(
                "# {} = [..]   # the columns of this input",
                key(input)
            )),
            false => text.list(&format!("{} = ", key(input)), &names, ""),
        }
    }
}

fn encodings(text: &mut Text, draft: &Draft<'_>) {
    let fit = &draft.fit;
    if fit.one_hot.is_empty() && fit.scalable.is_empty() && fit.coded.is_empty() {
        return;
    }
    text.table(&format!("model.{}.attributes", draft.places.model));
    text.notes(&draft.notes.one_hot);
    let name = |position: usize| key(&draft.table.fields[position].name);
    for &(position, drop_first) in &fit.one_hot {
        let drop_first = if drop_first {
            ", drop-first = true"
        } else {
            ""
        };
        text.line(format!(
            "{} = {{ one-hot = true{drop_first} }}",
            name(position)
        ));
    }
    codes(text, draft);
    scales(text, draft);
}

/// Words as codes need no line; those that people may want are commented out.
fn codes(text: &mut Text, draft: &Draft<'_>) {
    text.notes(&draft.notes.codes);
    let shortest = |position: &&usize| draft.table.fields[**position].values.len();
    let Some(&position) = draft.fit.coded.iter().min_by_key(shortest) else {
        return;
    };
    let field = &draft.table.fields[position];
    let turned: Vec<String> = field.texts().into_iter().rev().collect();
    let (name, order) = (key(&field.name), all_quoted(&turned).join(", "));
    text.line(format!("# {name} = {{ order = [{order}] }}"));
    text.line(format!("# {name} = {{ one-hot = true }}"));
}

fn scales(text: &mut Text, draft: &Draft<'_>) {
    let fit = &draft.fit;
    text.notes(&draft.notes.scaling);
    let (hash, scaling) = match fit.scaling {
        Scaling::None => ("# ", Scaling::Standard),
        scaling => ("", scaling),
    };
    for &position in &fit.scalable {
        if let Some(scale) = draft.scale(position, scaling) {
            let name = key(&draft.table.fields[position].name);
            text.line(format!("{hash}{name} = {{ scale = {scale} }}"));
        }
    }
}

fn dataset(text: &mut Text, draft: &Draft<'_>) {
    let (fit, table) = (&draft.fit, draft.table);
    text.table(&format!("dataset.{}", draft.places.dataset));
    text.line(format!("path = {}", quoted(&draft.places.dataset_path)));
    text.notes(&draft.notes.reading);
    draft
        .reading
        .lines()
        .into_iter()
        .for_each(|line| text.line(line));
    text.notes(&draft.notes.label);
    match fit.label {
        Some(label) => text.line(format!("label = {}", quoted(&table.fields[label].name))),
        None => text.line("# label = \"..\"   # the column with the true outcome, if there is one"),
    }
    text.notes(&draft.notes.ignore);
    let ignore = [draft.reading.left_out.clone(), table.names(&fit.ignore)].concat();
    if !ignore.is_empty() {
        text.list("ignore = ", &all_quoted(&ignore), "");
    }
    text.notes(&draft.notes.missing);
    match draft.reading.missing {
        Some(missing) => text.line(format!("missing = {}", quoted(missing))),
        None => text.line("# missing = \"skip\"   # reject | skip | most-frequent | median"),
    }
    constraints(text, draft);
    if !fit.derived.is_empty() {
        text.table(&format!("dataset.{}.derived", draft.places.dataset));
        text.notes(&draft.notes.derived);
        for (name, expression) in &fit.derived {
            text.line(format!("{} = {}", key(name), quoted(expression)));
        }
    }
}

fn constraints(text: &mut Text, draft: &Draft<'_>) {
    if draft.constraints.is_empty() {
        text.line("# constraints = [\"age >= years-in-job + 15\"]   # what holds for every person who can exist");
        return;
    }
    text.comment(
        "Pairs of values that nobody in the data has, though by chance many would. Keep those that \
         cannot be in the world; the search then leaves such people out.",
    );
    text.line("# constraints = [");
    for constraint in &draft.constraints {
        text.line(format!("#     {},", quoted(constraint)));
    }
    text.line("# ]");
}

fn attributes(text: &mut Text, draft: &Draft<'_>) {
    text.table(&format!("dataset.{}.attributes", draft.places.dataset));
    text.comment(
        "read from the data: what it spans. The search stays within; widen it where people outside \
         of the data are to be tested as well.",
    );
    for &position in &draft.fit.read {
        let field = &draft.table.fields[position];
        text.line(domain(field));
    }
}

/// An attribute with its domain.
fn domain(field: &Field) -> String {
    let name = key(&field.name);
    let last = field.domain.size().saturating_sub(1) as u32;
    let (first, last) = (|| field.text(0), || field.text(last));
    match &field.domain {
        Domain::Integers { min, max } => format!("{name} = {{ min = {min}, max = {max} }}"),
        Domain::Categories(names) => {
            listed(&format!("{name} = {{ values = "), &all_quoted(names), " }")
        }
        Domain::Decimals { step, .. } => format!(
            "{name} = {{ min = {}, max = {}, step = {step} }}",
            first(),
            last()
        ),
        Domain::Dates { first, last } => {
            format!("{name} = {{ type = \"date\", min = {first}, max = {last} }}")
        }
        Domain::Truth => format!("{name} = {{ type = \"boolean\" }}"),
    }
}

fn benchmarks(text: &mut Text, draft: &Draft<'_>) {
    text.line("");
    text.notes(&draft.notes.benchmarks);
    let mut first = true;
    for proposed in &draft.benchmarks {
        let lines = benchmark(draft, proposed);
        if !first {
            text.line("");
        }
        first = false;
        let hash = if proposed.commented { "# " } else { "" };
        for line in lines {
            text.line(format!("{hash}{line}"));
        }
    }
}

fn benchmark(draft: &Draft<'_>, proposed: &Proposed) -> Vec<String> {
    let field = &draft.table.fields[proposed.attribute];
    let mut lines = vec![
        format!("[benchmark.{}]", proposed.name),
        format!("model = {}", quoted(&draft.places.model)),
        format!("dataset = {}", quoted(&draft.places.dataset)),
        format!("protected = [{}]", quoted(&field.name)),
    ];
    if !field.is_words() && field.values.len() > MOST_VALUES {
        lines.push(format!(
            "groups = {{ {} = {{ quantiles = 5 }} }}   # five groups of the same size; or bounds: [26, 46, 66]",
            key(&field.name)
        ));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_keys_are_toml() {
        assert_eq!(quoted("a"), "\"a\"");
        assert_eq!(quoted("a \"b\""), "'a \"b\"'");
        assert_eq!(quoted("it's \"b\""), "\"it's \\\"b\\\"\"");
        assert_eq!(quoted("a\nb"), "\"a\\u000Ab\"");
        assert_eq!(key("capital-gain"), "capital-gain");
        assert_eq!(key("capital gain"), "\"capital gain\"");
    }

    #[test]
    fn long_lists_are_broken() {
        let items: Vec<String> = (0..60).map(|n| n.to_string()).collect();
        let text = listed("a = ", &items, "");
        assert!(text.lines().count() > 2 && text.lines().all(|line| line.len() <= WIDTH));
        assert!(text.starts_with("a = [\n    0, 1,") && text.ends_with("59,\n]"));
    }
}
