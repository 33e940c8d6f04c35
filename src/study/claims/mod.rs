//! The paper's claims, held against what was measured.

mod gradients;
mod methods;
mod ratio;
mod sizes;

use std::fmt;

use super::gradients::Measured;
use super::results::{About, Results};
pub(in crate::study) use sizes::over_stable_range;

/// Fewer benchmarks than this are no sample.
const FEWEST: usize = 3;

/// What became of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Judgement {
    /// It holds here.
    Confirmed,
    /// It does not.
    NotConfirmed,
    /// What was measured cannot tell.
    NotComparable,
}

impl Judgement {
    fn when(holds: bool) -> Self {
        match holds {
            true => Judgement::Confirmed,
            false => Judgement::NotConfirmed,
        }
    }
}

impl fmt::Display for Judgement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Judgement::Confirmed => "confirmed",
            Judgement::NotConfirmed => "not confirmed",
            Judgement::NotComparable => "not comparable",
        })
    }
}

/// A claim with what was measured.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Claim {
    /// What the paper says.
    pub text: &'static str,
    /// What became of it.
    pub judgement: Judgement,
    /// The figure here, and why it is judged so.
    pub measured: String,
}

/// On what claims are judged, in a sentence.
pub(crate) const JUDGED_ON: &str = "Claims are judged on the benchmarks with one protected attribute, as all of the \
    paper's have, if there are any; the claim about several on the others. A claim of an amount is confirmed if the \
    measured totals are as large; or if the mean over benchmarks is more at all, and the claimed figure is not above \
    its 95 % confidence interval.";

/// All claims, in the order of the research questions.
pub(crate) fn judge(results: &Results<'_>, measured: Option<&Measured>) -> Vec<Claim> {
    let benchmarks = like_the_papers(results.benchmarks);
    let alike = results.of(&benchmarks);
    let mut claims = sizes::judge(&alike);
    claims.extend(methods::judge(&alike));
    claims.extend(methods::judge_several(results));
    claims.extend(gradients::judge(measured, &benchmarks));
    claims
}

/// Those with one protected attribute; all if there are none.
fn like_the_papers(benchmarks: &[About]) -> Vec<About> {
    let single = benchmarks.iter().filter(|about| about.protected.len() == 1);
    let single: Vec<About> = single.cloned().collect();
    match single.is_empty() {
        true => benchmarks.to_vec(),
        false => single,
    }
}

/// A p-value for people.
pub(in crate::study) fn p_value(p: f64) -> String {
    match p {
        p if p < 0.0001 => "p < 0.0001".into(),
        p => format!("p = {}", significant(p, 2)),
    }
}

/// A number with so many significant digits, without an exponent.
pub(in crate::study) fn significant(value: f64, digits: i32) -> String {
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    let decimals = (digits - 1 - value.abs().log10().floor() as i32).max(0) as usize;
    format!("{value:.decimals$}")
}

#[cfg(test)]
mod tests;
