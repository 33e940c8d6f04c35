//! One table of `fairness.toml`, read key by key.

use clap::ValueEnum;
use miette::SourceSpan;
use toml::de::DeTable;

use super::entry::{Bounds, Entry};
use super::keys;
use super::located::Located;
use super::problem::SpecProblem;
use super::problems::Problems;

/// A table of the file: its values by key, as what they have to be.
///
/// Every method gives nothing if the key is not there, or if its value is wrong; in that case the
/// problem has been pushed.
#[derive(Debug, Clone)]
pub(super) struct Table<'r> {
    path: String,
    at: SourceSpan,
    entries: &'r DeTable<'r>,
    problems: &'r Problems,
}

impl<'r> Table<'r> {
    pub(super) fn new(
        path: String,
        at: SourceSpan,
        entries: &'r DeTable<'r>,
        problems: &'r Problems,
    ) -> Self {
        Table {
            path,
            at,
            entries,
            problems,
        }
    }

    /// Complains about each key that is not in one of `allowed`.
    pub(super) fn allow(self, allowed: &[&[&str]]) -> Self {
        let allowed = allowed.concat();
        for (key, _) in self.entries.iter() {
            let name = key.get_ref().as_ref();
            if !allowed.contains(&name) {
                self.problems.push(SpecProblem::UnknownKey {
                    key: name.to_owned(),
                    place: self.place(),
                    help: keys::help_for_unknown(name, &allowed),
                    at: key.span().into(),
                });
            }
        }
        self
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.entries.contains_key(key)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub(super) fn problems(&self) -> &'r Problems {
        self.problems
    }

    /// The name of the table where the file says it.
    pub(super) fn at(&self) -> SourceSpan {
        self.at
    }

    /// All keys and values, in the order of the file.
    pub(super) fn in_file_order(&self) -> Vec<(Located<String>, Entry<'r>)> {
        let mut entries: Vec<_> = self
            .entries
            .iter()
            .map(|(key, _)| Located::new(key.get_ref().to_string(), key.span()))
            .filter_map(|key| self.entry(&key.value).map(|entry| (key, entry)))
            .collect();
        entries.sort_by_key(|(key, _)| key.span.offset());
        entries
    }

    pub(super) fn entry(&self, key: &str) -> Option<Entry<'r>> {
        let (name, value) = self.entries.get_key_value(key)?;
        let what = format!("`{key}` {}", self.place());
        let path = join(&self.path, key);
        let at = name.span().into();
        Some(Entry::new(what, path, at, value, self.problems))
    }

    /// The entry of a key that has to be there; `help` says what to write if it is not.
    pub(super) fn required(&self, key: &'static str, help: &str) -> Option<Entry<'r>> {
        if !self.has(key) {
            self.missing(key, help.to_owned());
        }
        self.entry(key)
    }

    pub(super) fn missing(&self, key: &'static str, help: String) {
        self.problems.push(SpecProblem::MissingKey {
            table: format!("[{}]", self.path),
            key,
            help,
            at: self.at,
        });
    }

    pub(super) fn text(&self, key: &str) -> Option<Located<String>> {
        self.entry(key)?.text()
    }

    pub(super) fn whole<N: TryFrom<i128>>(&self, key: &str, least: i128) -> Option<N> {
        self.entry(key)?.whole(least)
    }

    pub(super) fn number(&self, key: &str, bounds: &Bounds) -> Option<f64> {
        self.entry(key)?.number(bounds)
    }

    pub(super) fn truth(&self, key: &str) -> Option<bool> {
        self.entry(key)?.truth()
    }

    /// Texts that are all different; nothing if the key is not there.
    pub(super) fn texts(&self, key: &str, names: &str) -> Option<Vec<Located<String>>> {
        let entry = self.entry(key)?;
        let texts: Vec<_> = entry.list(names)?.iter().filter_map(Entry::text).collect();
        entry.problems().check_distinct(entry.what(), &texts);
        Some(texts)
    }

    pub(super) fn word<W: ValueEnum>(&self, key: &str) -> Option<W> {
        self.entry(key)?.word()
    }

    pub(super) fn table(&self, key: &str) -> Option<Table<'r>> {
        self.entry(key)?.table()
    }

    fn place(&self) -> String {
        if self.path.is_empty() {
            "at the top of the file".to_owned()
        } else {
            format!("in [{}]", self.path)
        }
    }
}

/// The path of `key` in the table at `path`, as TOML writes it.
fn join(path: &str, key: &str) -> String {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let key = if !key.is_empty() && key.chars().all(is_bare) {
        key.to_owned()
    } else {
        format!("{key:?}")
    };
    if path.is_empty() {
        key
    } else {
        format!("{path}.{key}")
    }
}

#[cfg(test)]
mod tests {
    use super::join;

    #[test]
    fn paths_are_written_as_in_toml() {
        assert_eq!(join("", "model"), "model");
        assert_eq!(join("model", "a_b-2"), "model.a_b-2");
        assert_eq!(join("model", "a b"), "model.\"a b\"");
        assert_eq!(join("model", ""), "model.\"\"");
    }
}
