//! The report as Markdown, in named parts, so that a document can take over those it wants.

use super::{Report, Section};
use crate::study::claims::{Claim, JUDGED_ON};

/// The report.
pub(super) fn render(report: &Report<'_>, sections: &[Section]) -> String {
    let mut text = String::from("# Study\n\n");
    text.push_str(&part("notes", &notes(report)));
    text.push_str(&part("claims", &claims(report.claims)));
    for section in sections {
        text.push_str(&format!("## {}\n\n", section.title));
        for table in &section.tables {
            text.push_str(&part(table.name, &table.markdown()));
        }
        for figure in &section.figures {
            let link = format!("![{}](figures/{}.svg)\n", figure.caption, figure.name);
            text.push_str(&part(figure.name, &link));
        }
    }
    text
}

/// A part between two marks.
fn part(name: &str, text: &str) -> String {
    format!(
        "<!-- study: {name}: begin -->\n\n{}\n\n<!-- study: {name}: end -->\n\n",
        text.trim_end()
    )
}

fn notes(report: &Report<'_>) -> String {
    report.remarks().map(|note| format!("- {note}\n")).collect()
}

fn claims(claims: &[Claim]) -> String {
    let mut text = String::from("| the paper | here | measured |\n|---|---|---|\n");
    for claim in claims {
        text.push_str(&format!(
            "| {} | **{}** | {} |\n",
            claim.text, claim.judgement, claim.measured
        ));
    }
    text.push_str(&format!("\n{JUDGED_ON}\n"));
    text
}
