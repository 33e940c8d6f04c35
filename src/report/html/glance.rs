//! All verdicts at a glance, and the way to each benchmark.

use maud::{Markup, html};

use super::told::Rate;
use super::{Shown, kind, why};
use crate::verdict::percent;
use crate::words::grouped;

/// The address of a benchmark within the page.
pub(super) fn anchor(name: &str) -> String {
    format!("benchmark-{name}")
}

/// The list of benchmarks that stands beside the page.
pub(super) fn navigation(benchmarks: &[Shown<'_>]) -> Markup {
    html! {
        nav.side aria-label="Benchmarks" {
            ol {
                li { a href="#glance" { "Verdicts" } }
                @for (entry, _) in benchmarks {
                    li {
                        a href={ "#" (anchor(&entry.name)) } {
                            span.dot.(kind(entry.ending)) aria-hidden="true" {}
                            span { (entry.name) }
                            span.hidden { " (" (entry.ending.word()) ")" }
                        }
                    }
                }
                li { a href="#inputs" { "Spec, models and data" } }
            }
        }
    }
}

/// Each benchmark with its verdict and its three rates.
pub(super) fn verdicts(benchmarks: &[Shown<'_>]) -> Markup {
    html! {
        section.glance aria-labelledby="glance" {
            h2 #glance { "Verdicts" }
            ol {
                @for (entry, part) in benchmarks {
                    li {
                        div.what {
                            p {
                                span.badge.(kind(entry.ending)) { (entry.ending.word()) }
                                " "
                                a.name href={ "#" (anchor(&entry.name)) } { (entry.name) }
                            }
                            p.soft { (why(entry)) }
                        }
                        @if let Some(Ok(told)) = part.map(|part| &part.told) {
                            dl {
                                (figure("search", &told.rates.search))
                                (figure("dataset", &told.rates.dataset))
                                (figure("domain", &told.rates.domain))
                                div.count {
                                    dt { "counterexamples" }
                                    dd { (grouped(told.counterexamples)) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn figure(name: &str, rate: &Rate) -> Markup {
    html! {
        div {
            dt { (name) }
            dd {
                (rate.value.map_or_else(|| "unknown".to_owned(), percent))
                @if let Some(limit) = rate.limit { small { "limit " (percent(limit)) } }
            }
        }
    }
}
