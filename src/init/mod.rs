//! A first `fairness.toml` from a model and a CSV.
//!
//! ```text
//! model -> inputs, outputs --\
//!                             layout -> ways that fit -> choose (tried with people) -> draft -> text
//! CSV -> columns, people ----/
//! ```
//!
//! What is read says so in the file; what is guessed is marked, there and on the terminal.

mod answers;
mod benchmarks;
mod choose;
mod draft;
mod error;
mod inputs;
mod layout;
mod matrix;
mod names;
mod notes;
mod paths;
mod table;
mod write;

use std::path::{Path, PathBuf};

use crate::dataset::{DatasetError, Survey};
use crate::fit::known_with_spaces;
use crate::gate::{self, Datasets, GateError, Options};
use crate::model::{self, DeviceChoice, RuntimeChoice, Signature};
use crate::plan::{Filter, PlanError, plan};
use crate::spec::suggest::list;
use crate::spec::{DatasetSpec, Spec, SpecError};

use answers::Answers;
use choose::{Candidate, Trials};
use draft::{Draft, Notes, Places};
pub(crate) use error::InitError;
use layout::Found;
use table::Table;

/// What a spec is to be made from.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    /// The model.
    pub(crate) model: PathBuf,
    /// The CSV.
    pub(crate) csv: PathBuf,
    /// Where the spec will be: its paths are relative to there.
    pub(crate) output: PathBuf,
    /// The label, if it is said.
    pub(crate) label: Option<String>,
    /// The protected attributes, if they are said.
    pub(crate) protected: Vec<String>,
}

/// A spec that is proposed.
#[derive(Debug)]
pub(crate) struct Proposal {
    /// The text of the file.
    pub(crate) text: String,
    /// What was found, a line.
    pub(crate) summary: String,
    /// What was guessed, a sentence each.
    pub(crate) guesses: Vec<String>,
    /// Why the file does not run before somebody mends it.
    pub(crate) misfit: Option<String>,
    /// Why what the file says about the model is probably wrong, though it runs.
    pub(crate) doubt: Option<String>,
}

/// Proposes a spec.
///
/// # Errors
/// The model or the CSV cannot be used, or they have nothing in common.
pub(crate) fn propose(request: &Request) -> Result<Proposal, InitError> {
    check_file("model", &request.model)?;
    check_file("CSV", &request.csv)?;
    let places = places(request);
    let (table, reading) = read_table(request, &places)?;
    let label = asked_label(request, &table)?;
    let protected = asked_protected(request, &table)?;
    let signature = inspect(&request.model)?;
    if let Some(why) = layout::no_table(&signature.inputs) {
        let path = request.model.clone();
        return Err(InitError::NoTable { path, why });
    }
    let found = layout::find(&table, &signature.inputs, label);
    if found.named && !found.shares_names {
        return Err(nothing_shared(request, &signature, &table));
    }
    let mut draft = Draft {
        table: &table,
        places: &places,
        signature: described(&signature),
        fit: found.fits.first().cloned().unwrap_or_default(),
        answers: Answers::default(),
        reading: reading.clone(),
        benchmarks: Vec::new(),
        constraints: Vec::new(),
        notes: Notes::default(),
    };
    let doubt = settle(&mut draft, &found, &signature, request)?;
    draft.benchmarks = benchmarks::propose(&mut draft, &protected)?;
    draft.constraints = benchmarks::constraints(&draft, request);
    draft
        .notes
        .to_mend
        .extend(found.misfit.clone().map(mend_columns));
    draft.notes.to_mend.extend(doubt.clone());
    Ok(Proposal {
        text: write::spec(&draft),
        summary: summary(&draft),
        guesses: draft.notes.guesses(),
        misfit: found.misfit,
        doubt,
    })
}

/// Everything that keeps a spec from running, as far as can be told without running it.
pub(crate) enum Rehearsal {
    /// Nothing does.
    Runs,
    /// The spec itself is wrong.
    Spec(Box<SpecError>),
    /// Names in it are wrong.
    Plan(PlanError),
    /// The model, the dataset and the spec do not go together.
    Gate(Vec<GateError>),
}

/// Tries a spec as `fairgate check` does before it starts.
///
/// # Errors
/// The environment is wrong.
pub(crate) fn rehearse(text: &str, path: &Path) -> Result<Rehearsal, InitError> {
    let spec = match Spec::parse(text, path) {
        Ok(spec) => spec,
        Err(error) => return Ok(Rehearsal::Spec(Box::new(error))),
    };
    let plans = match plan(&spec, &Filter::default()) {
        Ok(plans) => plans,
        Err(error) => return Ok(Rehearsal::Plan(error)),
    };
    let options = Options::new(spec.snapshots.clone())?;
    let mut datasets = Datasets::default();
    let mut problems: Vec<GateError> = Vec::new();
    for plan in &plans {
        let rehearsed = datasets
            .get(&plan.dataset)
            .map_err(GateError::from)
            .and_then(|dataset| gate::rehearse(plan, &dataset, &options));
        if let Err(error) = rehearsed
            && problems.iter().all(|p| p.to_string() != error.to_string())
        {
            problems.push(error);
        }
    }
    Ok(match problems.is_empty() {
        true => Rehearsal::Runs,
        false => Rehearsal::Gate(problems),
    })
}

fn check_file(what: &'static str, path: &Path) -> Result<(), InitError> {
    let unreadable = |why: String| InitError::Unreadable {
        what,
        path: path.to_owned(),
        why,
    };
    let file = std::fs::File::open(path).and_then(|file| file.metadata());
    match file {
        Ok(file) if file.is_file() => Ok(()),
        Ok(_) => Err(unreadable("it is not a file".to_owned())),
        Err(error) => Err(unreadable(error.to_string())),
    }
}

fn places(request: &Request) -> Places {
    let folder = request.output.parent().unwrap_or(Path::new(""));
    let stem = |path: &Path| {
        path.file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned()
    };
    Places {
        model: names::plain(&stem(&request.model), "model"),
        model_path: paths::relative(&request.model, folder),
        dataset: names::plain(&stem(&request.csv), "people"),
        dataset_path: paths::relative(&request.csv, folder),
    }
}

/// How the CSV is read, where it needs more than its path.
#[derive(Debug, Clone, Default)]
struct Reading {
    /// What is done about missing values.
    missing: Option<&'static str>,
    /// The text is not UTF-8, so it is taken for what Windows writes.
    latin1: bool,
    /// The model knows words only with the spaces around them.
    keep_spaces: bool,
    /// Columns without a name or without any value.
    left_out: Vec<String>,
}

impl Reading {
    /// The lines of the dataset in a spec, besides its path.
    fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if self.latin1 {
            lines.push("encoding = \"latin1\"".to_owned());
        }
        if self.keep_spaces {
            lines.push("spaces = \"keep\"".to_owned());
        }
        lines
    }
}

/// The CSV, and how it was read.
fn read_table(request: &Request, places: &Places) -> Result<(Table, Reading), InitError> {
    let mut reading = look_at(request, places)?;
    let read = |reading: &Reading| -> Result<Result<Table, DatasetError>, InitError> {
        let dataset = bare_dataset(request, places, reading)?;
        Ok(Table::read(&dataset))
    };
    let refused = match read(&reading)? {
        Ok(table) => return Ok((table, reading)),
        Err(refused) => refused,
    };
    // People with gaps are left out, unless that would leave out most of them.
    reading.missing = Some("skip");
    let skipped = read(&reading)?;
    reading.missing = Some("median");
    let (Ok(skipped), Ok(filled)) = (skipped, read(&reading)?) else {
        return Err(refused.into());
    };
    if 2 * skipped.people < filled.people {
        return Ok((filled, reading));
    }
    reading.missing = Some("skip");
    Ok((skipped, reading))
}

/// What a first look at the CSV says about reading it.
fn look_at(request: &Request, places: &Places) -> Result<Reading, InitError> {
    let mut reading = Reading::default();
    let survey = Survey::of(&bare_dataset(request, places, &reading)?);
    reading.latin1 = survey.not_utf8;
    let Survey {
        nameless, empty, ..
    } = match survey.not_utf8 {
        // The names are right only now.
        true => Survey::of(&bare_dataset(request, places, &reading)?),
        false => survey,
    };
    reading.left_out = [nameless, empty].concat();
    let dataset = bare_dataset(request, places, &reading)?;
    reading.keep_spaces = known_with_spaces(&dataset, &request.model).is_some();
    Ok(reading)
}

/// The dataset of a spec that says nothing about it but how it is read.
fn bare_dataset(
    request: &Request,
    places: &Places,
    reading: &Reading,
) -> Result<DatasetSpec, InitError> {
    let mut lines = reading.lines();
    lines.extend(reading.missing.map(|how| format!("missing = \"{how}\"")));
    let left_out: Vec<String> = reading
        .left_out
        .iter()
        .map(|name| write::quoted(name))
        .collect();
    lines.push(format!("ignore = [{}]", left_out.join(", ")));
    let (name, path) = (&places.dataset, write::quoted(&places.dataset_path));
    let text = format!(
        "[model.m]\npath = \"m\"\n[dataset.{name}]\npath = {path}\n{}\n\
         [benchmark.b]\nmodel = \"m\"\ndataset = \"{name}\"\nprotected = [\"-\"]\n",
        lines.join("\n")
    );
    let mut spec = Spec::parse(&text, &request.output)?;
    let dataset = spec.datasets.remove(name);
    dataset.ok_or_else(|| InitError::Unreadable {
        what: "CSV",
        path: request.csv.clone(),
        why: "it has no name".to_owned(),
    })
}

fn position(
    option: &'static str,
    name: &str,
    request: &Request,
    table: &Table,
) -> Result<usize, InitError> {
    let columns: Vec<usize> = table.positions().collect();
    table.position(name).ok_or_else(|| {
        InitError::no_such_column(option, name, &request.csv, &table.names(&columns))
    })
}

fn asked_label(request: &Request, table: &Table) -> Result<Option<usize>, InitError> {
    let label = request.label.as_ref();
    label
        .map(|name| position("--label", name, request, table))
        .transpose()
}

fn asked_protected(request: &Request, table: &Table) -> Result<Vec<usize>, InitError> {
    let names = request.protected.iter();
    names
        .map(|name| position("--protected", name, request, table))
        .collect()
}

fn inspect(path: &Path) -> Result<Signature, InitError> {
    let inspected = model::inspect(path, RuntimeChoice::Auto, DeviceChoice::Auto);
    inspected.map_err(|error| InitError::Model {
        path: path.to_owned(),
        error,
    })
}

fn described(signature: &Signature) -> String {
    const SHOWN: usize = 6;
    let ports = |ports: &[model::signature::Port]| {
        let mut shown: Vec<String> = ports.iter().take(SHOWN).map(ToString::to_string).collect();
        if ports.len() > SHOWN {
            shown.push(format!("and {} more", ports.len() - SHOWN));
        }
        shown.join(", ")
    };
    format!(
        "input {}; output {}",
        ports(&signature.inputs),
        ports(&signature.outputs)
    )
}

fn nothing_shared(request: &Request, signature: &Signature, table: &Table) -> InitError {
    let columns = table.names(&table.positions().collect::<Vec<_>>());
    InitError::NothingShared {
        inputs: list(
            signature.inputs.iter().map(|port| port.name.as_str()),
            "and",
        ),
        path: request.csv.clone(),
        columns: list(columns.iter().map(String::as_str), "and"),
    }
}

/// Chooses how people are given to the model and what its answers mean, and notes why. Gives a
/// doubt, if there is one.
fn settle(
    draft: &mut Draft<'_>,
    found: &Found,
    signature: &Signature,
    request: &Request,
) -> Result<Option<String>, InitError> {
    let mut candidates: Vec<Candidate> = Vec::new();
    if found.misfit.is_none() {
        let options = Options::new(PathBuf::new())?;
        let trials = Trials {
            draft: draft.clone(),
            outputs: signature
                .outputs
                .iter()
                .map(|port| port.name.clone())
                .collect(),
            path: &request.output,
            options: &options,
            label_is_said: request.label.is_some(),
        };
        candidates = choose::candidates(&trials, &found.fits);
    }
    let best = choose::best(&candidates);
    if let Some(best) = best {
        draft.fit = candidates[best].fit.clone();
    }
    notes::columns(draft, found);
    notes::label(draft, found, request.label.is_some());
    notes::reading(draft);
    notes::missing(draft);
    Ok(best.and_then(|best| notes::chosen(draft, &candidates, best)))
}

fn mend_columns(misfit: String) -> String {
    format!(
        "{misfit}. Scaled, binned or computed columns cannot be seen from outside: say under the \
         model which columns it takes, in its order, and under its attributes how they are made."
    )
}

fn summary(draft: &Draft<'_>) -> String {
    let benchmarks = draft.benchmarks.iter().filter(|b| !b.commented);
    let benchmarks: Vec<&str> = benchmarks.map(|b| b.name.as_str()).collect();
    format!(
        "model `{}`, dataset `{}` with {} people and {} attributes, {} {}",
        draft.places.model,
        draft.places.dataset,
        crate::words::grouped(draft.table.people as u64),
        draft.fit.read.len(),
        if benchmarks.len() == 1 {
            "benchmark"
        } else {
            "benchmarks"
        },
        list(benchmarks, "and")
    )
}
