//! The sentences about what was read and what was guessed.

use crate::decision::Rule;
use crate::spec::suggest::list;
use crate::verdict::percent;

use super::answers::{self, Agreement, Tried};
use super::choose::{self, Candidate};
use super::draft::{Draft, Note, Proposed};
use super::layout::{Found, Scaling};
use super::table::Field;

/// Which columns the model takes.
pub(super) fn columns(draft: &mut Draft<'_>, found: &Found) {
    let fit = &draft.fit;
    let note = if found.misfit.is_some() {
        Note::guessed("the columns of the CSV, in its order; they are not what the model takes")
    } else if fit.columns.is_some() {
        Note::guessed(
            "the model takes these columns in this order; their number fits, the order cannot be \
             seen from outside",
        )
    } else if fit.inputs.is_empty() {
        Note::read(
            "the inputs are called like columns of the CSV, so each column goes into its own",
        )
    } else {
        Note::guessed(
            "the columns under `inputs` are what the other inputs leave, in the order of the CSV; \
             their number fits, the order cannot be seen from outside",
        )
    };
    draft.notes.columns.push(note);
    if !fit.derived.is_empty() {
        let inputs = list(fit.derived.iter().map(|(name, _)| name.as_str()), "and");
        let note = format!("what goes into {inputs}, from the name alone");
        draft.notes.derived.push(Note::guessed(note));
    }
    encodings(draft);
}

fn encodings(draft: &mut Draft<'_>) {
    let fit = &draft.fit;
    if !fit.one_hot.is_empty() {
        draft.notes.one_hot.push(Note::guessed(
            "the model has a column for each value of these, since then the number of columns fits; within each, \
             values are in sorted order, as scikit-learn and pandas put them. If the model was \
             trained with another order, say it: order = [..]. A wrong order can go unnoticed, so \
             look it up",
        ));
    }
    if !fit.coded.is_empty() {
        let names = draft.table.names(&fit.coded);
        draft.notes.codes.push(Note::guessed(format!(
            "words go in as codes 0, 1 ... in sorted order, as scikit-learn and pandas number them \
             ({}). If the model was trained with another order, say it: order = [..]. A wrong order \
             can go unnoticed, so look it up",
            list(names.iter().map(String::as_str), "and")
        )));
    }
}

/// Which column is the label, and which are neither label nor given to the model.
pub(super) fn label(draft: &mut Draft<'_>, found: &Found, said: bool) {
    let (table, fit) = (draft.table, &draft.fit);
    let name = |position: usize| format!("`{}`", table.fields[position].name);
    draft.notes.label.push(match fit.label {
        Some(label) if said => Note::read(format!("{} was said to be the label", name(label))),
        Some(label) if found.named && fit.inputs.is_empty() => Note::guessed(format!(
            "the label is {}, which no input takes",
            name(label)
        )),
        Some(label) => Note::guessed(format!(
            "the label is {}, by its name or its place",
            name(label)
        )),
        None => Note::guessed("no column is the label: the model takes them all"),
    });
    if !fit.ignore.is_empty() {
        let names = table.names(&fit.ignore);
        let names = list(names.iter().map(String::as_str), "and");
        draft
            .notes
            .ignore
            .push(match found.named && fit.inputs.is_empty() {
                true => Note::read(format!("no input of the model takes {names}")),
                false => Note::guessed(format!(
                    "the model does not read {names}: without that the number of columns fits"
                )),
            });
    }
}

/// What the CSV needs to be read.
pub(super) fn reading(draft: &mut Draft<'_>) {
    let reading = &draft.reading;
    let notes = &mut draft.notes;
    if reading.latin1 {
        notes.reading.push(Note::guessed(
            "the CSV is not UTF-8 text, so it is read as Latin-1 (Windows-1252); look whether \
             letters with accents are right",
        ));
    }
    if reading.keep_spaces {
        notes.reading.push(Note::read(
            "the model knows words only with the spaces around them that the CSV has",
        ));
    }
    if !reading.left_out.is_empty() {
        let names = list(reading.left_out.iter().map(String::as_str), "and");
        let note = format!("without a name or without any value in the CSV: {names}");
        notes.ignore.push(Note::read(note));
    }
}

/// What is done about missing values.
pub(super) fn missing(draft: &mut Draft<'_>) {
    let note = match draft.reading.missing {
        None => return,
        Some("skip") => "the CSV has missing values; people who have any are left out",
        Some(_) => {
            "the CSV has missing values in most rows; the median or the most frequent value stands \
             for them"
        }
    };
    draft.notes.missing.push(Note::guessed(format!(
        "{note}. Do what was done when the model was trained"
    )));
}

/// What the chosen way says about the model. Gives a doubt, if there is one.
pub(super) fn chosen(
    draft: &mut Draft<'_>,
    candidates: &[Candidate],
    best: usize,
) -> Option<String> {
    let candidate = &candidates[best];
    // Why it was refused is told by the rehearsal, with its place in the file.
    let Ok(tried) = &candidate.tried else {
        return None;
    };
    draft.answers = tried.answers.clone();
    meaning(draft, tried, candidate.agreement);
    scaling(draft, candidates, best);
    doubt(draft, tried, candidate.agreement)
}

/// What the answers mean.
fn meaning(draft: &mut Draft<'_>, tried: &Tried, agreement: Option<Agreement>) {
    let label = draft.fit.label.map(|label| &draft.table.fields[label]);
    let notes = &mut draft.notes.answers;
    if tried.answers.output.is_some() {
        notes.push(Note::guessed(
            "the output that holds the score, by its name",
        ));
    }
    if tried.answers.logit {
        notes.push(Note::guessed(
            "the model's scores lie outside 0 to 1, so they are logits; above 0 is the second \
             decision",
        ));
    }
    if tried.answers.tolerance.is_some() {
        let of = label.map_or("the predictions", |label| label.name.as_str());
        notes.push(Note::guessed(format!(
            "the model predicts a number; two predictions are different decisions if they are \
             further apart than a tenth of the standard deviation of {of}"
        )));
        return;
    }
    decisions(draft, tried, agreement);
}

/// What the decisions are called: by the model, or else as the label's values.
fn decisions(draft: &mut Draft<'_>, tried: &Tried, agreement: Option<Agreement>) {
    let label = draft.fit.label.map(|label| &draft.table.fields[label]);
    let count = tried.rule.decisions();
    let own = tried.names.clone().filter(|_| answers::has_words(tried));
    let of_label = label.filter(|label| label.values.len() == count);
    if let Some(names) = own {
        let note = Note::read("read from the model: what it calls its decisions");
        draft.notes.answers.push(note);
        draft.answers.decisions = Some(names);
    } else if let Some(label) = of_label {
        let mut names = label.texts();
        let swapped = agreement.is_some_and(|agreement| agreement.swapped);
        if swapped {
            names.reverse();
        }
        let why = match swapped {
            true => "not in sorted order, because so the decisions go with the label",
            false => "in sorted order, as encoders number them",
        };
        draft.notes.answers.push(Note::guessed(format!(
            "the decisions are the values of `{}`, {why}",
            label.name
        )));
        draft.answers.decisions = Some(names);
    }
}

/// How many people are decided as the label says, in words.
fn agrees(agreement: Agreement, label: &str) -> String {
    match agreement {
        _ if agreement.commonest == 0.0 => {
            format!("the correlation with `{label}` is {:.2}", agreement.share)
        }
        _ => format!(
            "{} of the people are decided as `{label}` says",
            percent(agreement.share)
        ),
    }
}

/// Whether numbers are scaled, and how that was told.
fn scaling(draft: &mut Draft<'_>, candidates: &[Candidate], best: usize) {
    if draft.fit.scalable.is_empty() {
        return;
    }
    let other = match best {
        0 => best_other(candidates),
        _ => Some(0),
    };
    let compared = compared(draft, candidates, best, other);
    if draft.fit.scaling != Scaling::None {
        draft.notes.scaling.push(Note::guessed(format!(
            "numbers are scaled before the model{compared}. These are the CSV's own numbers: put in \
             those of the training data"
        )));
    } else if is_clear(candidates, best, other) {
        draft.notes.columns.push(Note::guessed(format!(
            "numbers go in as they are{compared}"
        )));
        // No lines for scaling: nobody will need them.
        draft.fit.scalable.clear();
    } else {
        draft.notes.scaling.push(Note::guessed(format!(
            "numbers go in as they are{compared}. If they are scaled before the model, use the \
             lines below with the mean and the standard deviation of the training data; these are \
             the CSV's"
        )));
    }
}

/// Whether the label leaves no doubt.
fn is_clear(candidates: &[Candidate], best: usize, other: Option<usize>) -> bool {
    let agreement = |place: usize| candidates[place].agreement;
    match (agreement(best), other.and_then(agreement)) {
        (Some(best), Some(other)) => {
            !best.is_poor() && best.worth() > other.worth() + choose::CLEARLY
        }
        _ => false,
    }
}

/// How two ways go with the label, in words.
fn compared(
    draft: &Draft<'_>,
    candidates: &[Candidate],
    best: usize,
    other: Option<usize>,
) -> String {
    let label = draft.fit.label.map(|label| &draft.table.fields[label].name);
    let told = |place: usize| Some(agrees(candidates[place].agreement?, label?));
    let other = other.and_then(|place| Some((&candidates[place].called, told(place)?)));
    match (told(best), other) {
        (Some(best_told), Some((other, other_told))) => {
            let best = &candidates[best].called;
            format!(" ({best}: {best_told}; {other}: {other_told})")
        }
        (Some(best), None) => format!(" ({best})"),
        (None, _) if candidates[best].tried.as_ref().is_ok_and(all_alike) => {
            ", though the model then decides everybody alike".to_owned()
        }
        _ => String::new(),
    }
}

fn best_other(candidates: &[Candidate]) -> Option<usize> {
    let worth = |place: &usize| {
        candidates[*place]
            .agreement
            .map(|agreement| agreement.worth())
    };
    let others = (1..candidates.len()).filter(|place| worth(place).is_some());
    others.max_by(|a, b| worth(a).unwrap_or(0.0).total_cmp(&worth(b).unwrap_or(0.0)))
}

/// Why the model probably gets something else to eat than it was trained with.
fn doubt(draft: &Draft<'_>, tried: &Tried, agreement: Option<Agreement>) -> Option<String> {
    let label = draft.fit.label.map(|label| &draft.table.fields[label])?;
    let name = &label.name;
    let Some(agreement) = agreement else {
        return Some(match tried.rule {
            Rule::Tolerance(_) => {
                format!("the model predicts a number, but the label `{name}` is none")
            }
            _ => format!(
                "{}: it is probably not what the model predicts, so the columns may be wrong as \
                 well. Say what it predicts with --label",
                unlike(tried, label)
            ),
        });
    };
    if !agreement.is_poor() {
        return None;
    }
    let alike = if all_alike(tried) {
        "decides everybody alike"
    } else {
        "hardly tells people apart"
    };
    let own_columns = draft.fit.columns.is_none() && draft.fit.inputs.is_empty();
    let why = if own_columns && draft.fit.coded.is_empty() {
        "Each column goes into an input of its name, so either the model is that weak, or the CSV \
         has other units or other words than the training data. Look at its accuracy before you \
         trust a check"
    } else {
        "So it probably gets something else than it was trained with: another order of columns or \
         of values, other scales, or columns that are computed. Mend the columns and the attributes \
         of the model before you trust a check"
    };
    Some(format!(
        "the model {alike} here: {}; the same decision for everybody would get {}. {why}",
        agrees(agreement, name),
        percent(agreement.commonest)
    ))
}

/// Why the decisions cannot be compared with a label.
fn unlike(tried: &Tried, label: &Field) -> String {
    const SHOWN: usize = 5;
    let (name, count) = (&label.name, label.values.len());
    let quoted = |names: Vec<String>| {
        let names = names.into_iter().take(SHOWN);
        names.map(|name| format!("{name:?}")).collect::<Vec<_>>()
    };
    match &tried.names {
        Some(decisions) if decisions.len() == count => format!(
            "the model decides {}, but the label `{name}` is {}",
            quoted(decisions.clone()).join(", "),
            quoted(label.texts()).join(", ")
        ),
        _ => format!(
            "the model has {} decisions, but the label `{name}` has {count} values",
            tried.rule.decisions()
        ),
    }
}

fn all_alike(tried: &Tried) -> bool {
    let mut decisions = tried.scores.iter().map(|&score| tried.rule.decision(score));
    let first = decisions.next().flatten();
    first.is_some() && decisions.all(|decision| decision == first)
}

/// What the benchmarks protect, and why.
pub(super) fn benchmarks(draft: &mut Draft<'_>, proposed: &[Proposed], named: bool, said: bool) {
    let name = |p: &Proposed| draft.table.fields[p.attribute].name.clone();
    let active: Vec<String> = proposed.iter().filter(|p| !p.commented).map(name).collect();
    let active = list(active.iter().map(String::as_str), "and");
    let note = match (said, named) {
        (true, _) => Note::read(format!("said to be protected: {active}")),
        (false, true) => Note::guessed(format!(
            "protected by name: {active}. Look whether other attributes must not decide either"
        )),
        (false, false) => Note::guessed(format!(
            "no column has the name of a protected attribute. {active} only stands here because it \
             has the fewest values: PUT THE RIGHT ONE IN ITS PLACE"
        )),
    };
    draft.notes.benchmarks.push(note);
    let unread = draft
        .fit
        .ignore
        .iter()
        .map(|&p| draft.table.fields[p].name.as_str());
    let unread: Vec<&str> = unread
        .filter(|name| super::names::protected(name).is_some())
        .collect();
    if !unread.is_empty() {
        let note = format!(
            "{}: the model is not given it, so there is nothing to test",
            list(unread, "and")
        );
        draft.notes.benchmarks.push(Note::read(note));
    }
}
