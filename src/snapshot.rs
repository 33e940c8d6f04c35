//! Snapshots: the most telling counterexamples, kept as insta files. The only file that names insta.
//!
//! insta's own assertion macros print to standard output, panic, and record the path of the file
//! they stand in. A gate may do none of that, so the files are compared and written here, in insta's
//! format and by insta's rules (`INSTA_UPDATE`, `INSTA_FORCE_PASS`, `CI`), and read by insta itself.

mod changes;

use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::benchmark::{Pair, REPLAYED};
use crate::findings::Counterexample;
use crate::model::meter::Cut;
use crate::result::BenchmarkResult;
use crate::schema::{Code, Domain, Schema, Space};
use crate::spec::SnapshotMode;
use crate::whole_file;

pub use changes::{Changes, GonePair};

/// At most this many counterexamples are recorded.
pub(crate) const RECORDED: usize = REPLAYED;

/// How a snapshot stands to what was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SnapshotState {
    /// What was found is what is recorded.
    Matched,
    /// Nothing is recorded yet.
    New,
    /// Something else is recorded.
    Changed,
    /// The benchmark keeps no snapshot.
    Off,
}

impl std::fmt::Display for SnapshotState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            SnapshotState::Matched => "matched",
            SnapshotState::New => "new",
            SnapshotState::Changed => "changed",
            SnapshotState::Off => "off",
        })
    }
}

/// The outcome of comparing a snapshot.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SnapshotCheck {
    /// How it stands.
    pub state: SnapshotState,
    /// Whether this is enough to fail the benchmark.
    pub fails: bool,
    /// What to know and what to do, in a sentence or two; empty if there is nothing.
    pub message: String,
    /// What changed since it was recorded; nothing where nothing is recorded or compared.
    pub changes: Option<Changes>,
}

impl SnapshotCheck {
    /// Nothing can be said: the file cannot be read or written.
    pub(crate) fn unusable() -> Self {
        SnapshotCheck::off("not compared: the snapshot cannot be read or written")
    }

    /// Nothing is compared, and why.
    fn off(message: &str) -> Self {
        SnapshotCheck {
            state: SnapshotState::Off,
            fails: false,
            message: message.to_owned(),
            changes: None,
        }
    }
}

/// Why a snapshot could not be read or written.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[non_exhaustive]
pub enum SnapshotError {
    /// A file could not be read or written.
    #[error("cannot {verb} the snapshot {}: {why}", path.display())]
    #[diagnostic(
        code(fairgate::snapshot::io),
        help(
            "check the folder's permissions, choose another one with `snapshots = \"...\"` under [defaults], or set `snapshot = \"off\"`"
        )
    )]
    File {
        /// What was tried: `read` or `write`.
        verb: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system says.
        why: String,
    },
    /// `INSTA_UPDATE` has a value that insta does not know.
    #[error("INSTA_UPDATE is {0:?}, which means nothing")]
    #[diagnostic(
        code(fairgate::snapshot::update),
        help("use auto, always, new, unseen, no or force")
    )]
    UnknownUpdate(String),
}

/// When snapshot files are written: insta's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Update {
    /// Pending files for review; nothing in CI.
    Auto,
    /// Straight into the snapshots.
    Always,
    /// Pending files, in CI too.
    New,
    /// New ones straight, changed ones as pending files.
    Unseen,
    /// Never.
    No,
}

/// What the environment says about writing.
#[derive(Debug, Clone, Copy)]
pub struct Rules {
    /// When to write.
    pub update: Update,
    /// Whether this is a CI machine.
    pub ci: bool,
    /// Whether a changed snapshot is let through for now, as `cargo insta test` asks for.
    pub force_pass: bool,
}

impl Rules {
    /// Reads `INSTA_UPDATE`, `INSTA_FORCE_PASS` and `CI`.
    ///
    /// # Errors
    /// `INSTA_UPDATE` has an unknown value.
    pub fn from_environment() -> Result<Self, SnapshotError> {
        let read = |name: &str| std::env::var(name).unwrap_or_default();
        let update = match read("INSTA_UPDATE").as_str() {
            "" | "auto" => Update::Auto,
            "always" | "1" | "force" => Update::Always,
            "new" => Update::New,
            "unseen" => Update::Unseen,
            "no" => Update::No,
            other => return Err(SnapshotError::UnknownUpdate(other.to_owned())),
        };
        let ci = match std::env::var("CI").as_deref() {
            Ok("false" | "0" | "") => false,
            Ok(_) => true,
            Err(_) => std::env::var_os("TF_BUILD").is_some(),
        };
        Ok(Rules {
            update,
            ci,
            force_pass: read("INSTA_FORCE_PASS") == "1",
        })
    }

    fn writing(self, state: SnapshotState) -> Writing {
        match (self.update, state) {
            (_, SnapshotState::Matched | SnapshotState::Off) | (Update::No, _) => Writing::Nothing,
            (Update::Auto, _) if self.ci => Writing::Nothing,
            (Update::Always, _) | (Update::Unseen, SnapshotState::New) => Writing::Accepted,
            (Update::Auto | Update::New | Update::Unseen, _) => Writing::Pending,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Writing {
    Nothing,
    Pending,
    Accepted,
}

/// The snapshot of one benchmark.
#[derive(Debug, Clone)]
pub(crate) struct Snapshot {
    file: PathBuf,
    name: String,
    mode: SnapshotMode,
}

/// What is recorded, as it stands in the file.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Recorded {
    counterexamples: u64,
    #[serde(default, rename = "pair", skip_serializing_if = "Vec::is_empty")]
    pairs: Vec<RecordedPair>,
}

#[derive(Debug, Serialize, Deserialize)]
struct RecordedPair {
    flips: String,
    scores: [f64; 2],
    person: toml::Table,
    counterpart: toml::Table,
}

impl Snapshot {
    /// The snapshot of the benchmark `name` in `folder`.
    pub(crate) fn new(folder: &Path, name: &str, mode: SnapshotMode) -> Self {
        Snapshot {
            file: folder.join(format!("fairness__{name}.snap")),
            name: name.to_owned(),
            mode,
        }
    }

    /// The recorded pairs that still make sense in this space, and how many do not.
    pub(crate) fn recorded_pairs(&self, space: &Space) -> (Vec<Pair>, usize) {
        let Ok(Some(text)) = self.read() else {
            return (Vec::new(), 0);
        };
        let Ok(recorded) = toml::from_str::<Recorded>(&text) else {
            return (Vec::new(), 0);
        };
        let all = recorded.pairs.len();
        let pairs: Vec<Pair> = recorded
            .pairs
            .iter()
            .filter_map(|pair| decode(pair, space.schema()))
            .collect();
        let lost = all - pairs.len();
        (pairs, lost)
    }

    /// Compares what was found with what is recorded, and writes what the rules allow.
    ///
    /// # Errors
    /// A file cannot be read or written.
    pub(crate) fn check(
        &self,
        result: &BenchmarkResult,
        rules: Rules,
    ) -> Result<SnapshotCheck, SnapshotError> {
        if self.mode == SnapshotMode::Off {
            return Ok(SnapshotCheck::off(""));
        }
        self.note_reference();
        if let Some(cut_short) = cut_short(result) {
            // How far such a run gets depends on the machine, so it can be held against nothing.
            let message = format!("not compared: {cut_short}");
            return Ok(SnapshotCheck::off(&message));
        }
        let text = contents(result);
        let old = self.read()?;
        let state = match &old {
            None => SnapshotState::New,
            Some(old) if old.trim_end() == text.trim_end() => SnapshotState::Matched,
            Some(_) => SnapshotState::Changed,
        };
        let writing = rules.writing(state);
        self.write(writing, state, &text, rules)?;
        let required = self.mode == SnapshotMode::Required;
        let unaccepted = writing != Writing::Accepted
            && (state == SnapshotState::Changed || (state == SnapshotState::New && required));
        Ok(SnapshotCheck {
            state,
            fails: unaccepted && !rules.force_pass,
            message: self.message(state, writing, old.as_deref(), result),
            changes: old
                .and_then(|old| toml::from_str(&old).ok())
                .map(|recorded| Changes::between(&recorded, result)),
        })
    }

    fn read(&self) -> Result<Option<String>, SnapshotError> {
        if !self.file.exists() {
            return Ok(None);
        }
        let snapshot = insta::Snapshot::from_file(&self.file)
            .map_err(|error| self.failed("read", &self.file, &error.to_string()))?;
        Ok(Some(
            snapshot
                .as_text()
                .map(ToString::to_string)
                .unwrap_or_default(),
        ))
    }

    fn write(
        &self,
        writing: Writing,
        state: SnapshotState,
        text: &str,
        rules: Rules,
    ) -> Result<(), SnapshotError> {
        let pending = self.pending();
        match writing {
            Writing::Nothing => {
                // A pending file that no longer says anything would only confuse a review.
                if state == SnapshotState::Matched && !rules.ci && pending.exists() {
                    let _ = std::fs::remove_file(&pending);
                }
                Ok(())
            }
            Writing::Pending => self.put(&pending, text),
            Writing::Accepted => {
                self.put(&self.file, text)?;
                if pending.exists() {
                    let _ = std::fs::remove_file(&pending);
                }
                Ok(())
            }
        }
    }

    fn pending(&self) -> PathBuf {
        self.file.with_extension("snap.new")
    }

    fn put(&self, file: &Path, text: &str) -> Result<(), SnapshotError> {
        let header = format!(
            "---\nsource: fairness.toml\nexpression: \"{}\"\n---\n",
            self.name
        );
        let text = format!("{header}{}\n", text.trim_end());
        whole_file::write(file, text.as_bytes())
            .map_err(|error| self.failed("write", file, &error.to_string()))
    }

    fn failed(&self, verb: &'static str, path: &Path, why: &str) -> SnapshotError {
        SnapshotError::File {
            verb,
            path: path.to_owned(),
            why: why.to_owned(),
        }
    }

    /// `cargo insta test --unreferenced` asks every test to name the snapshots it looked at.
    fn note_reference(&self) {
        if let Some(path) = std::env::var_os("INSTA_SNAPSHOT_REFERENCES_FILE") {
            let list = std::fs::OpenOptions::new()
                .append(true)
                .create(true)
                .open(path);
            if let Ok(mut list) = list {
                let _ = writeln!(list, "{}", self.file.display());
            }
        }
    }

    fn message(
        &self,
        state: SnapshotState,
        writing: Writing,
        old: Option<&str>,
        result: &BenchmarkResult,
    ) -> String {
        let what = match (state, writing) {
            (SnapshotState::Matched | SnapshotState::Off, _) => return String::new(),
            (_, Writing::Accepted) => {
                return format!("recorded in {}", self.file.display());
            }
            (SnapshotState::New, _) => "nothing is recorded yet".to_owned(),
            (SnapshotState::Changed, _) => changed(old.unwrap_or_default(), result),
        };
        let how = match writing {
            Writing::Pending => "`cargo insta review`, or `fairgate check --accept`",
            _ => "`fairgate check --accept`, or `INSTA_UPDATE=always cargo test`",
        };
        format!("{what}; to accept: {how} ({})", self.file.display())
    }
}

/// What depends on the machine because time or somebody ended it.
fn cut_short(result: &BenchmarkResult) -> Option<&'static str> {
    let by_the_clock = |cut| matches!(cut, Some(Cut::TimeLimit(_) | Cut::Interrupted));
    match by_the_clock(result.cut) {
        true => Some("the search was cut short"),
        false => by_the_clock(result.pairs_cut)
            .then_some("time-limit ended before the pairs were made plain"),
    }
}

fn changed(old: &str, result: &BenchmarkResult) -> String {
    use crate::words::grouped;
    match toml::from_str::<Recorded>(old) {
        Ok(recorded) => format!(
            "{} counterexamples are recorded, this run found {}; of {} recorded pairs still there: {}, fixed: {}",
            grouped(recorded.counterexamples),
            grouped(result.counterexamples),
            recorded.pairs.len(),
            result.replay.still_there,
            result.replay.fixed
        ),
        Err(_) => "the snapshot cannot be read as counterexamples (a merge conflict?)".into(),
    }
}

/// What is recorded: the total and the most telling pairs in attribute words.
pub fn contents(result: &BenchmarkResult) -> String {
    let space = result.findings.space();
    let pairs = result
        .pairs
        .iter()
        .take(RECORDED)
        .map(|pair| RecordedPair {
            flips: flips(pair, space, &result.decisions),
            scores: pair
                .scores
                .map(|score| (f64::from(score) * 1000.0).round() / 1000.0),
            person: words(space.schema(), &pair.person, None),
            counterpart: words(space.schema(), &pair.counterpart, Some(space.protected())),
        })
        .collect();
    let recorded = Recorded {
        counterexamples: result.counterexamples,
        pairs,
    };
    // Tables of strings, numbers and lists always have a TOML form.
    toml::to_string(&recorded).unwrap_or_default()
}

/// A pair in one line: `sex: Female -> Male flips "<=50K" to ">50K"`; where two numbers are compared,
/// `sex: Female -> Male changes 31.500 to 38.250`.
pub fn flips(pair: &Counterexample, space: &Space, decisions: &[String]) -> String {
    let attributes = space.schema().attributes();
    let changes: Vec<String> = space
        .protected()
        .iter()
        .filter(|&&position| pair.person[position] != pair.counterpart[position])
        .map(|&position| {
            let attribute = &attributes[position];
            let text = |code: Code| attribute.domain.text(code);
            let (from, to) = (
                text(pair.person[position]),
                text(pair.counterpart[position]),
            );
            format!("{}: {from} -> {to}", attribute.name)
        })
        .collect();
    let [from, to] = [0, 1].map(|side| decision(pair, side, decisions));
    let changes = changes.join(", ");
    match decisions.is_empty() {
        true => format!("{changes} changes {from} to {to}"),
        false => format!("{changes} flips {from:?} to {to:?}"),
    }
}

/// The decision for the person (side 0) or the counterpart (side 1), by name; the number itself where
/// two numbers are compared.
pub(crate) fn decision(pair: &Counterexample, side: usize, decisions: &[String]) -> String {
    match decisions.get(pair.decisions[side]) {
        Some(name) => name.clone(),
        None => format!("{:.3}", pair.scores[side]),
    }
}

fn words(schema: &Schema, person: &[Code], only: Option<&[usize]>) -> toml::Table {
    let kept = |position: &usize| only.is_none_or(|only| only.contains(position));
    (0..schema.width())
        .filter(kept)
        .map(|position| {
            let attribute = &schema.attributes()[position];
            let value = toml_value(&attribute.domain, person[position]);
            (attribute.name.clone(), value)
        })
        .collect()
}

fn toml_value(domain: &Domain, code: Code) -> toml::Value {
    let in_words = || toml::Value::String(domain.text(code).into_owned());
    match domain {
        Domain::Integers { min, .. } => toml::Value::Integer(min + i64::from(code)),
        Domain::Decimals { .. } => domain
            .number(code)
            .map_or_else(in_words, toml::Value::Float),
        Domain::Truth => toml::Value::Boolean(code == 1),
        Domain::Categories(_) | Domain::Dates { .. } => in_words(),
    }
}

/// The codes of a recorded pair, if every attribute and value still exists.
fn decode(pair: &RecordedPair, schema: &Schema) -> Option<Pair> {
    let code = |table: &toml::Table, name: &str, domain: &Domain| match table.get(name)? {
        toml::Value::String(text) => domain.code(text),
        toml::Value::Integer(number) => domain.code(&number.to_string()),
        toml::Value::Float(number) => domain.code(&number.to_string()),
        toml::Value::Boolean(yes) => domain.code(&yes.to_string()),
        _ => None,
    };
    let mut person = Vec::with_capacity(schema.width());
    let mut counterpart = Vec::with_capacity(schema.width());
    for attribute in schema.attributes() {
        let own = code(&pair.person, &attribute.name, &attribute.domain)?;
        person.push(own);
        counterpart.push(if pair.counterpart.contains_key(&attribute.name) {
            code(&pair.counterpart, &attribute.name, &attribute.domain)?
        } else {
            own
        });
    }
    Some(Pair {
        person,
        counterpart,
    })
}
