//! How far a walk over everyone is, in a file: a run that was ended goes on where it stopped.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::tally::Tally;

/// Changes with what the file holds.
const FORMAT: u32 = 1;

/// How far a walk is.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct State {
    /// Profiles that were looked at, from the first on.
    pub(super) done: u64,
    /// What was counted.
    pub(super) tally: Tally,
    /// Rows shown to the model for it.
    pub(super) queries: u64,
    /// Rows shown besides.
    pub(super) settled: u64,
}

#[derive(Serialize, Deserialize)]
struct Kept {
    format: u32,
    fingerprint: String,
    state: State,
}

/// How a walk begins, and what became of its file.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Start {
    /// From the first person on.
    Fresh,
    /// A run that was ended had looked at this share of the domain: this one goes on.
    Resumed(f64),
    /// There is a file of another model, domain or spec: it is not used.
    Another,
    /// There is a file that cannot be read: it is not used.
    Damaged,
    /// The file cannot be written: a run that is ended begins anew.
    NotKept,
}

impl std::fmt::Display for Start {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Start::Fresh => f.write_str("beginning with the first person of the domain"),
            Start::Resumed(share) => write!(
                f,
                "going on where the last run was ended, after {:.1} % of the domain",
                share * 100.0
            ),
            Start::Another => f.write_str(
                "the last run that was ended had another model, domain or setting: beginning anew",
            ),
            Start::Damaged => f.write_str(
                "the file that says how far the last run came is damaged: beginning anew",
            ),
            Start::NotKept => f.write_str(
                "it cannot be written down how far this run is: if it is ended, the next begins anew",
            ),
        }
    }
}

/// The file in which it is kept how far a walk is.
#[derive(Debug, Clone)]
pub struct StateFile {
    path: PathBuf,
    fingerprint: String,
}

impl StateFile {
    /// The file of a benchmark in a folder. `fingerprint` tells everything apart that changes what is
    /// counted.
    pub fn new(folder: &Path, benchmark: &str, fingerprint: String) -> Self {
        StateFile {
            path: folder.join(format!("{benchmark}.everyone")),
            fingerprint,
        }
    }

    /// How far the last run came, if it fits and if there are so many profiles.
    pub(super) fn load(&self, profiles: u64) -> (State, Start) {
        let nothing = |start| (State::default(), start);
        let Ok(text) = fs::read(&self.path) else {
            return nothing(Start::Fresh);
        };
        match parse(&text) {
            None => nothing(Start::Damaged),
            Some(kept) if kept.fingerprint != self.fingerprint => nothing(Start::Another),
            Some(kept) if kept.state.done > profiles => nothing(Start::Damaged),
            Some(kept) => {
                let share = kept.state.done as f64 / profiles as f64;
                (kept.state, Start::Resumed(share))
            }
        }
    }

    /// Writes down how far the walk is: beside the file first, so that there is always a whole one.
    ///
    /// # Errors
    /// It cannot be written.
    pub(super) fn save(&self, state: &State) -> io::Result<()> {
        let kept = Kept {
            format: FORMAT,
            fingerprint: self.fingerprint.clone(),
            state: state.clone(),
        };
        let text = serde_json::to_string(&kept)?;
        // Another benchmark that is done may have just taken the empty folder away: then once more.
        self.write(&text).or_else(|_| self.write(&text))
    }

    fn write(&self, text: &str) -> io::Result<()> {
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder)?;
            // The file is nobody's but this machine's.
            let ignored = folder.join(IGNORE);
            if !ignored.exists() {
                fs::write(ignored, "*\n")?;
            }
        }
        let beside = self.path.with_extension(BESIDE);
        fs::write(
            &beside,
            format!("{:032x}\n{text}\n", hash([text.as_bytes()])),
        )?;
        fs::rename(&beside, &self.path)
    }

    /// Takes the file away, and its folder if nothing else is in it.
    pub(super) fn remove(&self) {
        // What is left behind does no harm: it does not fit or is done.
        let _ = fs::remove_file(&self.path);
        let _ = fs::remove_file(self.path.with_extension(BESIDE));
        let Some(folder) = self.path.parent() else {
            return;
        };
        let only_ignored = fs::read_dir(folder).is_ok_and(|entries| {
            let mut names = entries.flatten().map(|entry| entry.file_name());
            names.all(|name| name == IGNORE)
        });
        if only_ignored {
            let _ = fs::remove_file(folder.join(IGNORE));
            let _ = fs::remove_dir(folder);
        }
    }
}

/// How a file ends that is being written.
const BESIDE: &str = "everyone-new";

/// The file that keeps the folder out of a repository.
const IGNORE: &str = ".gitignore";

/// What a file holds; nothing if it is not what was written.
fn parse(text: &[u8]) -> Option<Kept> {
    let text = std::str::from_utf8(text).ok()?;
    let (sum, text) = text.split_once('\n')?;
    let text = text.strip_suffix('\n')?;
    if sum != format!("{:032x}", hash([text.as_bytes()])) {
        return None;
    }
    let kept: Kept = serde_json::from_str(text).ok()?;
    (kept.format == FORMAT).then_some(kept)
}

/// A number for some texts that no two different ones share by chance (FNV-1a with 128 bits; each
/// text is followed by its length, so that moving a letter to the next one is noticed).
pub(crate) fn hash<'t>(texts: impl IntoIterator<Item = &'t [u8]>) -> u128 {
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
    let add = |hash: u128, byte: &u8| (hash ^ u128::from(*byte)).wrapping_mul(PRIME);
    texts
        .into_iter()
        .fold(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d, |hash, text| {
            let hash = text.iter().fold(hash, add);
            (text.len() as u64).to_le_bytes().iter().fold(hash, add)
        })
}
