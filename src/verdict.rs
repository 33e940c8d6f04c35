//! The verdict: a pure function of counts, rates and limits.

mod groups;

use crate::model::meter::Cut;
use crate::rates::{DomainRate, GroupMetrics, Rates, Unfinished};
use crate::schema::Space;
use crate::search::Estimate;
use crate::spec::{Limits, SearchSettings};
use crate::words::grouped;
pub(crate) use groups::in_words;

/// What a benchmark's limits say about what was measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Every limit holds.
    Pass,
    /// A limit is exceeded.
    Fail,
    /// The budget was too small to tell.
    Inconclusive,
}

impl std::fmt::Display for Verdict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Verdict::Pass => "pass",
            Verdict::Fail => "fail",
            Verdict::Inconclusive => "inconclusive",
        })
    }
}

/// What the verdict is taken over.
pub(crate) struct Evidence<'a> {
    /// The rates.
    pub rates: &'a Rates,
    /// Distinct counterexamples.
    pub counterexamples: u64,
    /// Rows shown to the model.
    pub queries: u64,
    /// What ended the work early, if anything did.
    pub cut: Option<Cut>,
    /// How far looking at everyone in the domain came, if it was ended early.
    pub unfinished: Option<Unfinished>,
    /// What the groups of the dataset's people get, if that is known.
    pub groups: Option<&'a GroupMetrics>,
    /// The space, for the words of the groups.
    pub space: &'a Space,
}

/// The verdict and the sentence that says why.
pub(crate) fn decide(evidence: &Evidence<'_>, limits: &Limits) -> (Verdict, String) {
    let exceeded = exceeded(evidence, limits);
    if !exceeded.is_empty() {
        return (Verdict::Fail, exceeded.join("; "));
    }
    let unclear = unclear(evidence, limits);
    if !unclear.is_empty() {
        return (Verdict::Inconclusive, unclear.join("; "));
    }
    (Verdict::Pass, passed(evidence))
}

fn passed(evidence: &Evidence<'_>) -> String {
    let domain = &evidence.rates.domain;
    match evidence.counterexamples {
        0 if domain.proves_none() => format!(
            "no counterexample found in {} queries: {}",
            grouped(evidence.queries),
            none_exists(domain)
        ),
        0 if domain.exact && domain.share.discriminated > 0 => format!(
            "the search found no counterexample in {} queries, but {} of the domain's {} people have one; within the limits",
            grouped(evidence.queries),
            grouped(domain.share.discriminated),
            grouped(domain.share.of)
        ),
        0 => format!(
            "no counterexample found in {} queries",
            grouped(evidence.queries)
        ),
        found => format!(
            "{} found in {} queries, within the limits",
            counterexamples(found),
            grouped(evidence.queries)
        ),
    }
}

/// What may be said if everyone was looked at and nobody was found.
fn none_exists(domain: &DomainRate) -> String {
    let proof = format!(
        "no counterexample exists in the declared domain (all {} people were looked at)",
        grouped(domain.share.of)
    );
    match domain.undecided {
        0 => proof,
        undecided => format!(
            "{proof}, but for {} whose scores lie within numerical noise of where decisions change",
            grouped(undecided)
        ),
    }
}

fn exceeded(evidence: &Evidence<'_>, limits: &Limits) -> Vec<String> {
    let rates = evidence.rates;
    let mut reasons = Vec::new();
    let mut shares = |name: &str, value: Option<f64>, limit: Option<f64>| {
        if let (Some(value), Some(limit)) = (value, limit)
            && value > limit
        {
            reasons.push(format!(
                "the {name} rate is {}, above the limit of {}",
                percent(value),
                percent(limit)
            ));
        }
    };
    shares("search", rates.search.value(), limits.search);
    shares("dataset", rates.dataset.value(), limits.dataset);
    if let Some(limit) = limits.domain
        && rates.domain.lower > limit
    {
        reasons.push(format!(
            "the domain rate is {} ({}), above the limit of {}",
            rates
                .domain
                .share
                .value()
                .map_or_else(|| "unknown".into(), percent),
            interval(&rates.domain),
            percent(limit)
        ));
    }
    if let Some(most) = limits.max_counterexamples
        && evidence.counterexamples > most
    {
        reasons.push(format!(
            "{} found, at most {} allowed",
            counterexamples(evidence.counterexamples),
            grouped(most)
        ));
    }
    if let Some(metrics) = evidence.groups {
        reasons.extend(groups::exceeded(metrics, &limits.groups, evidence.space));
    }
    reasons
}

fn unclear(evidence: &Evidence<'_>, limits: &Limits) -> Vec<String> {
    let rates = evidence.rates;
    let mut reasons = Vec::new();
    if evidence.cut == Some(Cut::Interrupted) {
        // What a larger budget would tell is no answer to somebody who ended the run.
        let walk = evidence.unfinished.map(unfinished);
        return std::iter::once("the run was interrupted".to_owned())
            .chain(walk)
            .collect();
    }
    match evidence.cut {
        Some(Cut::MaxQueries(most)) => reasons.push(format!(
            "the search stopped at max-queries = {most} before its seeds and steps were done; raise it, or lower global-seeds or local-steps"
        )),
        Some(Cut::TimeLimit(limit)) => reasons.push(format!(
            "the search stopped at time-limit = \"{limit:?}\" before its seeds and steps were done; raise it, or lower global-seeds or local-steps"
        )),
        None if rates.search.of == 0 => {
            reasons.push("the search tested nobody: the dataset gives no seeds".into());
        }
        None | Some(Cut::Interrupted) => {}
    }
    reasons.extend(evidence.unfinished.map(unfinished));
    if limits.dataset.is_some() && rates.dataset.of == 0 && evidence.cut.is_none() {
        reasons.push(
            "there is nobody in the dataset to hold the dataset limit against; limit the domain or \
             the search instead"
                .into(),
        );
    }
    if evidence.cut.is_none() {
        reasons.extend(groups::unclear(evidence.groups, &limits.groups));
    }
    if let Some(limit) = limits.domain
        && rates.domain.upper > limit
    {
        reasons.push(format!(
            "the domain rate may be above the limit of {}: {} of {} people, {}; {}",
            percent(limit),
            grouped(rates.domain.share.discriminated),
            grouped(rates.domain.share.of),
            interval(&rates.domain),
            wanted_sample(&rates.domain, limit)
        ));
    }
    reasons
}

/// How far looking at everyone came, and how to go on.
fn unfinished(walk: Unfinished) -> String {
    let share = walk.looked_at as f64 / (walk.of.max(1)) as f64;
    let limit = match walk.cut {
        Cut::TimeLimit(limit) => format!(" at time-limit = \"{limit:?}\""),
        _ => String::new(),
    };
    let next = match (walk.kept, walk.cut) {
        (true, _) => "the same command goes on from there",
        (false, Cut::TimeLimit(_)) => "raise it",
        (false, _) => "it begins anew next time",
    };
    format!(
        "looking at everyone in the domain stopped{limit} after {} of {} people; {next}",
        percent(share),
        grouped(walk.of)
    )
}

/// Which sample would tell, if the rate is what it seems to be.
fn wanted_sample(rate: &DomainRate, limit: f64) -> String {
    let value = rate.share.value().unwrap_or(0.0);
    let tail = (1.0 - rate.confidence) / 2.0;
    if limit <= 0.0 && rate.share.discriminated == 0 {
        return "no sample can show that a rate is zero: set a limit above 0, or look at everyone \
                with --exhaustive"
            .into();
    }
    let wanted = if rate.share.discriminated == 0 {
        tail.ln() / (1.0 - limit).ln()
    } else {
        // The normal approximation is near enough to choose a sample by. 2.25 squared leaves room.
        let distance = (value - limit).abs().max(1e-6);
        2.25_f64.powi(2) * value * (1.0 - value) / distance.powi(2)
    };
    let rounded = round_up(wanted.max(rate.share.of as f64 * 2.0));
    format!("budget = {{ domain-sample = {rounded} }} would tell")
}

/// Up to one leading digit: a number to type, not a measurement.
fn round_up(value: f64) -> u64 {
    let unit = 10_f64.powi(value.max(1.0).log10().floor() as i32);
    ((value / unit).ceil() * unit).min(1e15) as u64
}

/// A rate for people: `3.2 %`.
pub(crate) fn percent(rate: f64) -> String {
    let percent = rate * 100.0;
    if percent != 0.0 && percent.abs() < 0.1 {
        format!("{percent:.3} %")
    } else {
        format!("{percent:.1} %")
    }
}

/// The interval for people: `95 % confidence: 1.2 % to 1.6 %`.
pub(crate) fn interval(rate: &DomainRate) -> String {
    if rate.exact {
        return "exact: everyone in the domain was looked at".into();
    }
    let confidence = (rate.confidence * 1000.0).round() / 10.0;
    format!(
        "{confidence} % confidence: {} to {}",
        percent(rate.lower),
        percent(rate.upper)
    )
}

/// What a method that estimates a rate says of everyone whom it may test.
pub(crate) fn words_of_estimate(
    estimate: &Estimate,
    confidence: f64,
    settings: &SearchSettings,
) -> String {
    let confidence = (confidence * 1000.0).round() / 10.0;
    let mut words = format!(
        "{} drew {} people: with {confidence} % confidence {} to {} of all whom it may test have a \
         counterpart who is decided otherwise",
        settings.method,
        grouped(estimate.share.of),
        percent(estimate.lower),
        percent(estimate.upper),
    );
    if !estimate.is_enough {
        words += &format!(
            "; that is wider than `error-bound` = {} allows, and the budget ended first",
            settings.error_bound
        );
    }
    words
}

/// `1 counterexample`, `2 counterexamples`.
pub(crate) fn counterexamples(count: u64) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{} counterexample{plural}", grouped(count))
}
