//! A table, as Markdown and as CSV; `html.rs` has its third form.

/// A table. The first column names what the row is about.
pub(super) struct Table {
    /// The name of its file.
    pub name: &'static str,
    /// What it shows.
    pub caption: String,
    /// The names of the columns.
    pub head: Vec<String>,
    /// The rows, as wide as the head.
    pub rows: Vec<Vec<String>>,
    /// What has to be known to read it.
    pub notes: Vec<String>,
}

impl Table {
    /// An empty table.
    pub(super) fn new<S: ToString>(name: &'static str, caption: &str, head: &[S]) -> Self {
        Table {
            name,
            caption: caption.to_owned(),
            head: head.iter().map(ToString::to_string).collect(),
            rows: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Adds a row.
    pub(super) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// Adds a note.
    pub(super) fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    /// The table as Markdown, with its caption above and its notes below.
    pub(super) fn markdown(&self) -> String {
        let line = |cells: &[String]| {
            let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
            format!("| {} |\n", cells.join(" | "))
        };
        let mut text = format!("**{}**\n\n{}", self.caption, line(&self.head));
        let rules = vec!["---".to_owned(); self.head.len()];
        text.push_str(&format!("|{}|\n", rules.join("|")));
        self.rows.iter().for_each(|row| text.push_str(&line(row)));
        for note in &self.notes {
            text.push_str(&format!("\n{note}\n"));
        }
        text
    }

    /// The table as CSV.
    pub(super) fn csv(&self) -> String {
        let mut writer = csv::Writer::from_writer(Vec::new());
        let mut lines = std::iter::once(&self.head).chain(&self.rows);
        // Rows are as wide as the head, and memory does not refuse them.
        let written = lines.try_for_each(|line| writer.write_record(line));
        let bytes = written.ok().and_then(|()| writer.into_inner().ok());
        String::from_utf8(bytes.unwrap_or_default()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_markdown_and_csv() {
        let mut table = Table::new("t", "A table", &["benchmark", "count"]);
        table.row(["a|b, c".into(), "1,000".into()]);
        table.note("Read it.");
        assert_eq!(
            table.markdown(),
            "**A table**\n\n| benchmark | count |\n|---|---|\n| a\\|b, c | 1,000 |\n\nRead it.\n"
        );
        assert_eq!(table.csv(), "benchmark,count\n\"a|b, c\",\"1,000\"\n");
    }
}
