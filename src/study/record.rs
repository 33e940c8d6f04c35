//! `runs.csv`: a row for every run, written as soon as the run ends, and read again when a study goes
//! on.

use std::collections::HashMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::curve::Curve;

/// What makes a run another than all others.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Key {
    /// The research question, from 1.
    pub question: u8,
    /// The benchmark.
    pub benchmark: String,
    /// The contender's name.
    pub method: String,
    /// How far gradients are probed.
    pub perturbation_size: f64,
    /// The round, from 1.
    pub round: usize,
    /// The random seed.
    pub seed: u64,
    /// Seeds of the global phase.
    pub global_seeds: usize,
    /// Local steps from each find.
    pub local_steps: usize,
    /// Queries at the most.
    pub max_queries: Option<u64>,
    /// By what model, people and settings are recognised.
    pub fingerprint: String,
}

/// What came of a run.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Outcome {
    /// Distinct counterexamples.
    pub counterexamples: u64,
    /// Distinct people tested.
    pub tested: u64,
    /// Steps of single seeds and chains.
    pub iterations: u64,
    /// Rows shown to the model.
    pub queries: u64,
    /// Seeds that the global phase started from.
    pub seeds: usize,
    /// Distinct people that the global phase found.
    pub global_found: usize,
    /// Whether the cap on queries ended the run.
    pub capped: bool,
    /// How long the search took.
    pub seconds: f64,
    /// How much of it the model took.
    pub model_seconds: f64,
    /// What ran the model.
    pub runtime: String,
    /// How the finds grew with the queries.
    pub curve: Curve,
}

/// A run that has ended.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Finished {
    /// Which one it is.
    pub key: Key,
    /// What came of it.
    pub outcome: Outcome,
}

/// A line of the file: `csv` cannot nest.
#[derive(Serialize, Deserialize)]
struct Row {
    question: u8,
    benchmark: String,
    method: String,
    perturbation_size: f64,
    round: usize,
    seed: u64,
    global_seeds: usize,
    local_steps: usize,
    max_queries: Option<u64>,
    fingerprint: String,
    counterexamples: u64,
    tested: u64,
    iterations: u64,
    queries: u64,
    seeds: usize,
    global_found: usize,
    capped: bool,
    seconds: f64,
    model_seconds: f64,
    runtime: String,
    curve: String,
}

impl From<&Finished> for Row {
    fn from(Finished { key, outcome }: &Finished) -> Self {
        Row {
            question: key.question,
            benchmark: key.benchmark.clone(),
            method: key.method.clone(),
            perturbation_size: key.perturbation_size,
            round: key.round,
            seed: key.seed,
            global_seeds: key.global_seeds,
            local_steps: key.local_steps,
            max_queries: key.max_queries,
            fingerprint: key.fingerprint.clone(),
            counterexamples: outcome.counterexamples,
            tested: outcome.tested,
            iterations: outcome.iterations,
            queries: outcome.queries,
            seeds: outcome.seeds,
            global_found: outcome.global_found,
            capped: outcome.capped,
            seconds: outcome.seconds,
            model_seconds: outcome.model_seconds,
            runtime: outcome.runtime.clone(),
            curve: outcome.curve.to_string(),
        }
    }
}

impl Row {
    fn finished(self) -> Option<Finished> {
        let key = Key {
            question: self.question,
            benchmark: self.benchmark,
            method: self.method,
            perturbation_size: self.perturbation_size,
            round: self.round,
            seed: self.seed,
            global_seeds: self.global_seeds,
            local_steps: self.local_steps,
            max_queries: self.max_queries,
            fingerprint: self.fingerprint,
        };
        let outcome = Outcome {
            counterexamples: self.counterexamples,
            tested: self.tested,
            iterations: self.iterations,
            queries: self.queries,
            seeds: self.seeds,
            global_found: self.global_found,
            capped: self.capped,
            seconds: self.seconds,
            model_seconds: self.model_seconds,
            runtime: self.runtime,
            curve: Curve::read(&self.curve)?,
        };
        Some(Finished { key, outcome })
    }
}

impl Key {
    /// The key as one text: equal for equal runs alone.
    fn text(&self) -> String {
        format!("{self:?}")
    }

    /// Whether two runs are of the same name, whatever their models, people and settings.
    fn is_namesake(&self, other: &Key) -> bool {
        (self.question, &self.benchmark, &self.method)
            == (other.question, &other.benchmark, &other.method)
    }
}

/// Why `runs.csv` cannot be used.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
pub(crate) enum RecordError {
    /// The file cannot be read or written.
    #[error("{} cannot be used: {why}", path.display())]
    #[diagnostic(help("choose another folder with `--output`"))]
    Unusable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        why: std::io::Error,
    },
    /// Somebody else writes it.
    #[error("{} is being written by another study", path.display())]
    #[diagnostic(help("wait until it ends, or choose another folder with `--output`"))]
    Taken {
        /// The file.
        path: PathBuf,
    },
    /// The file is not one of ours, or of another version.
    #[error("{}, line {line}: not a run of a study: {why}", path.display())]
    #[diagnostic(help(
        "take the file away, or choose another folder with `--output`; its runs cannot be used"
    ))]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// What is wrong.
        why: String,
    },
}

/// The runs that have ended, and the file that keeps them.
pub(crate) struct Record {
    path: PathBuf,
    file: File,
    /// The runs in the order of the file.
    runs: Vec<Finished>,
    places: HashMap<String, usize>,
}

impl Record {
    /// Opens the file, or begins it. Nobody else can write it then. A last line without an end was
    /// being written when the study was stopped, and is taken away.
    ///
    /// # Errors
    /// See [`RecordError`].
    pub(crate) fn open(path: &Path) -> Result<Self, RecordError> {
        let unusable = |why| RecordError::Unusable {
            path: path.to_owned(),
            why,
        };
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create(true).truncate(false);
        let mut file = options.open(path).map_err(unusable)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let path = path.to_owned();
                return Err(RecordError::Taken { path });
            }
            Err(TryLockError::Error(why)) => return Err(unusable(why)),
        }
        let mut text = Vec::new();
        file.read_to_end(&mut text).map_err(unusable)?;
        let whole = text
            .iter()
            .rposition(|&byte| byte == b'\n')
            .map_or(0, |end| end + 1);
        text.truncate(whole);
        file.set_len(whole as u64).map_err(unusable)?;
        file.seek(SeekFrom::End(0)).map_err(unusable)?;
        let mut record = Record {
            path: path.to_owned(),
            file,
            runs: Vec::new(),
            places: HashMap::new(),
        };
        record.read(&text)?;
        Ok(record)
    }

    fn read(&mut self, text: &[u8]) -> Result<(), RecordError> {
        let mut reader = csv::Reader::from_reader(text);
        for (place, row) in reader.deserialize::<Row>().enumerate() {
            let unreadable = |why: String| RecordError::Unreadable {
                path: self.path.clone(),
                line: place as u64 + 2,
                why,
            };
            let row = row.map_err(|why| unreadable(why.to_string()))?;
            let finished = row
                .finished()
                .ok_or_else(|| unreadable("the curve is none".into()))?;
            self.keep(finished);
        }
        Ok(())
    }

    /// The run of a key, if it has ended. Of several the last counts.
    pub(crate) fn get(&self, key: &Key) -> Option<&Finished> {
        self.places.get(&key.text()).map(|&place| &self.runs[place])
    }

    /// How many runs of the file have the name of a planned one, but are of another model, other people,
    /// other settings or another size.
    pub(crate) fn others(&self, planned: &[&Key]) -> usize {
        let is_planned = |run: &&Finished| !planned.contains(&&run.key);
        let others = self.runs.iter().filter(is_planned);
        others
            .filter(|run| planned.iter().any(|key| key.is_namesake(&run.key)))
            .count()
    }

    /// Keeps a run, in the file before anything else.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(crate) fn add(&mut self, finished: Finished) -> Result<(), RecordError> {
        let unusable = |why: std::io::Error| RecordError::Unusable {
            path: self.path.clone(),
            why,
        };
        let is_new = self.file.stream_position().map_err(unusable)? == 0;
        let mut writer = csv::WriterBuilder::new()
            .has_headers(is_new)
            .from_writer(Vec::new());
        writer
            .serialize(Row::from(&finished))
            .map_err(|why| unusable(std::io::Error::other(why)))?;
        let line = writer
            .into_inner()
            .map_err(|why| unusable(std::io::Error::other(why.to_string())))?;
        // In one go: a line is there or it is not.
        self.file.write_all(&line).map_err(unusable)?;
        self.keep(finished);
        Ok(())
    }

    fn keep(&mut self, finished: Finished) {
        self.places.insert(finished.key.text(), self.runs.len());
        self.runs.push(finished);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finished(round: usize, fingerprint: &str) -> Finished {
        let mut curve = Curve::default();
        curve.end(100, 7);
        Finished {
            key: Key {
                question: 2,
                benchmark: "a, \"b\"".into(),
                method: "maft".into(),
                perturbation_size: 1e-10,
                round,
                seed: u64::MAX,
                global_seeds: 30,
                local_steps: 0,
                max_queries: None,
                fingerprint: fingerprint.into(),
            },
            outcome: Outcome {
                counterexamples: 7,
                tested: 20,
                iterations: 30,
                queries: 100,
                seeds: 3,
                global_found: 2,
                capped: false,
                seconds: 0.1 + 0.2,
                model_seconds: 1e-9,
                runtime: "embedded".into(),
                curve,
            },
        }
    }

    #[test]
    fn what_is_written_is_read_again_to_the_last_bit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("runs.csv");
        let mut record = Record::open(&path).unwrap();
        let runs = [finished(1, "x"), finished(2, "x"), finished(1, "y")];
        for run in &runs {
            record.add(run.clone()).unwrap();
        }
        drop(record);
        let record = Record::open(&path).unwrap();
        for run in &runs {
            assert_eq!(record.get(&run.key), Some(run));
        }
        assert_eq!(record.get(&finished(3, "x").key), None);
        let planned = [&runs[0].key, &runs[1].key];
        assert_eq!(record.others(&planned), 1, "the one of another fingerprint");
    }

    #[test]
    fn a_file_has_one_writer() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("runs.csv");
        let first = Record::open(&path).unwrap();
        assert!(matches!(
            Record::open(&path),
            Err(RecordError::Taken { .. })
        ));
        drop(first);
        assert!(Record::open(&path).is_ok());
    }
}
