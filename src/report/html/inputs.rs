//! What the page is about: the spec, and the files of models and datasets with their fingerprints.

use maud::{Markup, html};

use super::{Page, scrolling};
use crate::fingerprint::Fingerprint;
use crate::words::grouped;

/// A file that a run depends on.
#[derive(Debug, Clone)]
pub(crate) struct Input {
    /// `model` or `dataset`.
    pub(crate) kind: &'static str,
    /// Its name in the spec.
    pub(crate) name: String,
    /// Where it is.
    pub(crate) path: String,
    /// Its contents, if they could be read.
    pub(crate) fingerprint: Option<Fingerprint>,
}

/// The section about the inputs.
pub(super) fn section(page: &Page<'_>) -> Markup {
    let spec = Input {
        kind: "spec",
        name: String::new(),
        path: page.spec.to_owned(),
        fingerprint: Some(Fingerprint::of(page.text.as_bytes())),
    };
    let table = html! {
        table {
            thead {
                tr {
                    th scope="col" { "what" }
                    th scope="col" { "file" }
                    th.number scope="col" { "bytes" }
                    th scope="col" { "SHA-256" }
                }
            }
            tbody { @for input in std::iter::once(&spec).chain(page.inputs) { (row(input)) } }
        }
    };
    let text = html! { pre { code { (page.text) } } };
    html! {
        section.inputs aria-labelledby="inputs" {
            h2 #inputs { "Spec, models and data" }
            (scrolling("Files with their fingerprints", &table))
            details { summary { "The spec as it was read" } (scrolling("The spec", &text)) }
        }
    }
}

fn row(input: &Input) -> Markup {
    html! {
        tr {
            th scope="row" { (input.kind) " " (input.name) }
            td { code { (input.path) } }
            @match &input.fingerprint {
                Some(fingerprint) => {
                    td.number { (grouped(fingerprint.bytes)) }
                    td { code.hash { (fingerprint.hexadecimal()) } }
                }
                None => { td.number { "unknown" } td { "could not be read" } }
            }
        }
    }
}
