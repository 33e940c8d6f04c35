//! `search`: how counterexamples are looked for.

use std::fmt;

use clap::ValueEnum;
use clap::builder::PossibleValue;

use super::entry::Bounds;
use super::limits::RATE;
use super::problem::SpecProblem;
use super::suggest;
use super::table::Table;

/// How counterexamples are looked for. The defaults are the paper's.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct SearchSettings {
    /// The method. Default: `maft`.
    pub method: Method,
    /// How the method takes its steps. Default: `walk`.
    pub variant: Variant,
    /// How the model's gradient is estimated. Default: `vectored`.
    pub gradient: Gradient,
    /// How far from a person the gradient is probed, in domain units. Default: 1.0; above 0. Very
    /// small probes drown in rounding, very large ones tell of a place far away.
    pub perturbation_size: f64,
    /// How much of the earlier gradients is kept in each global step. Default: 0.5; from 0 (only
    /// the newest counts) to 1 (all count alike).
    pub decay: f64,
    /// Steps of the global phase from each seed. Default: 10; at least 1. Most finds come early.
    pub max_iter: usize,
    /// Clusters of the dataset that seeds are drawn from in turn. Default: 4; at least 1, which
    /// draws from all people alike.
    pub clusters: usize,
    /// Local steps between two estimates of the gradient, with the paper's steps: our own learn
    /// from every test instead. Default: 5; at least 1. Larger is cheaper and less exact.
    pub update_interval: usize,
    /// How far a global step goes, in domain units: a whole number, at least 1. Default: 1.
    pub global_step: f64,
    /// How far a local step goes, in domain units: a whole number, at least 1. Default: 1.
    pub local_step: f64,
    /// THEMIS ends when the rate is known up to this much more or less. Default: 0.01; above 0 and
    /// below 1. Half of it takes four times as many people.
    pub error_bound: f64,
    /// SG explains a person by the decisions about this many people. Default: 5000; at least 10.
    /// Fewer are cheaper and explain less.
    pub explanation_rows: usize,
}

/// A search method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
#[non_exhaustive]
pub enum Method {
    /// MAFT (ICSE'24): black box, zero-order gradients, a global phase and then a local one.
    #[default]
    Maft,
    /// MAFT with the gradients of its Algorithm 1: attributes are probed one after another, in a
    /// call each. It finds the same.
    MaftPlain,
    /// THEMIS (ESEC/FSE'17): people drawn at random until the share of counterexamples is known
    /// well enough.
    Themis,
    /// AEQUITAS (ASE'18), fully directed: people drawn at random, and walks from those found.
    Aequitas,
    /// SG (ESEC/FSE'19): decision trees explain people, and toggled turns lead to the next ones.
    Sg,
    /// ADF (ICSE'20): white box, real gradients of the loss. In builds with the feature `white-box`.
    Adf,
    /// EIDIG (ISSTA'21): white box, real gradients of the score. In builds with the feature
    /// `white-box`.
    Eidig,
    /// People drawn at random from the domain: the floor for every other method.
    Random,
}

impl Method {
    /// Whether the method reads this key of `search`; all of them read `method`.
    fn reads(self, key: &str) -> bool {
        match self {
            Method::Maft => MAFT.contains(&key) || key == "gradient",
            Method::MaftPlain => MAFT.contains(&key),
            Method::Themis => key == "error-bound",
            Method::Aequitas => key == "local-step",
            Method::Sg => ["clusters", "explanation-rows"].contains(&key),
            Method::Adf => ADF.contains(&key),
            Method::Eidig => ADF.contains(&key) || EIDIG.contains(&key),
            Method::Random => false,
        }
    }

    /// Whether the method draws people of its own instead of starting from the dataset's.
    pub(crate) fn draws_people(self) -> bool {
        matches!(self, Method::Themis | Method::Aequitas | Method::Random)
    }

    /// Whether the method needs the model's real gradients.
    pub fn is_white_box(self) -> bool {
        matches!(self, Method::Adf | Method::Eidig)
    }

    /// Whether this build of fairgate has the method.
    pub fn is_built(self) -> bool {
        !self.is_white_box() || cfg!(feature = "white-box")
    }

    /// Whether the method takes its steps as [`Variant`] says.
    pub fn has_variants(self) -> bool {
        matches!(self, Method::Maft | Method::MaftPlain)
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        word(self, f)
    }
}

/// The keys that every kind of MAFT reads.
const MAFT: &[&str] = &[
    "variant",
    "perturbation-size",
    "decay",
    "max-iter",
    "clusters",
    "update-interval",
    "global-step",
    "local-step",
];

/// The keys that both white-box methods read.
const ADF: &[&str] = &["max-iter", "clusters", "global-step", "local-step"];

/// The keys that EIDIG reads besides.
const EIDIG: &[&str] = &["decay", "update-interval"];

/// How the search takes its steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
#[non_exhaustive]
pub enum Variant {
    /// fairgate's own steps: nobody is stepped over, nobody is tested twice.
    #[default]
    Walk,
    /// Exactly the paper's steps.
    Paper,
}

/// How the zero-order gradient is estimated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
#[non_exhaustive]
pub enum Gradient {
    /// All attributes are probed in one batch.
    #[default]
    Vectored,
    /// The attributes are probed one after another.
    Plain,
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        word(self, f)
    }
}

/// Writes a setting as the spec does.
fn word(value: &impl ValueEnum, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let word = value.to_possible_value();
    f.write_str(word.as_ref().map_or("", PossibleValue::get_name))
}

impl Default for SearchSettings {
    fn default() -> Self {
        SearchSettings {
            method: Method::default(),
            variant: Variant::default(),
            gradient: Gradient::default(),
            perturbation_size: 1.0,
            decay: 0.5,
            max_iter: 10,
            clusters: 4,
            update_interval: 5,
            global_step: 1.0,
            local_step: 1.0,
            error_bound: 0.01,
            explanation_rows: 5000,
        }
    }
}

const ABOVE_ZERO: Bounds = Bounds {
    words: "a number above 0",
    hold: |size| size > 0.0,
    help: |_| None,
};

const SHARE: Bounds = Bounds {
    help: |_| None,
    ..RATE
};

const ERROR: Bounds = Bounds {
    words: "a number above 0 and below 1",
    hold: |error| error > 0.0 && error < 1.0,
    help: |_| Some("write 0.01 for one per cent more or less".to_owned()),
};

/// A tree of fewer people explains nothing.
const LEAST_EXPLANATION: i128 = 10;

const STEP: Bounds = Bounds {
    words: "a whole number, at least 1",
    hold: |step| step >= 1.0 && step.fract() == 0.0,
    help: |_| Some("steps are counted in units of an attribute's domain".to_owned()),
};

/// The method that a table names, which this build must have.
fn method(table: &Table<'_>) -> Option<Method> {
    let entry = table.entry("method")?;
    let method: Method = entry.word()?;
    if !method.is_built() {
        table.problems().push(SpecProblem::NotBuilt {
            method: method.to_string(),
            at: entry.at(),
        });
    }
    Some(method)
}

impl SearchSettings {
    /// These settings, with what `table` says in their stead.
    pub(super) fn overridden_by(self, table: &Table<'_>) -> Self {
        let number = |key, bounds, default: f64| table.number(key, bounds).unwrap_or(default);
        let count = |key, default: usize| table.whole(key, 1).unwrap_or(default);
        SearchSettings {
            method: method(table).unwrap_or(self.method),
            variant: table.word("variant").unwrap_or(self.variant),
            gradient: table.word("gradient").unwrap_or(self.gradient),
            perturbation_size: number("perturbation-size", &ABOVE_ZERO, self.perturbation_size),
            decay: number("decay", &SHARE, self.decay),
            max_iter: count("max-iter", self.max_iter),
            clusters: count("clusters", self.clusters),
            update_interval: count("update-interval", self.update_interval),
            global_step: number("global-step", &STEP, self.global_step),
            local_step: number("local-step", &STEP, self.local_step),
            error_bound: number("error-bound", &ERROR, self.error_bound),
            explanation_rows: table
                .whole("explanation-rows", LEAST_EXPLANATION)
                .unwrap_or(self.explanation_rows),
        }
    }

    /// How much of the earlier gradients counts: ADF has no momentum.
    pub(crate) fn momentum(&self) -> f64 {
        match self.method {
            Method::Adf => 0.0,
            _ => self.decay,
        }
    }

    /// Local steps between two gradients: ADF takes one at every step.
    pub(crate) fn steps_between_gradients(&self) -> usize {
        match self.method {
            Method::Adf => 1,
            _ => self.update_interval,
        }
    }

    /// Complains about each key of a benchmark's own `table` that its method does not read. What
    /// `[defaults]` says is for whichever method reads it.
    pub(super) fn check_read(&self, table: &Table<'_>) {
        let method = self.method;
        let said = table.entry("method");
        if said.is_some_and(|said| said.as_text() != Some(&method.to_string())) {
            // No method at all, which has been said.
            return;
        }
        for (key, entry) in table.in_file_order() {
            let all = Method::value_variants().iter();
            let readers: Vec<_> = all.filter(|method| method.reads(&key.value)).collect();
            // A key that no method reads is `method`, or unknown, which has been said.
            if readers.is_empty() || readers.contains(&&method) {
                continue;
            }
            let words: Vec<String> = readers.iter().map(ToString::to_string).collect();
            let words = suggest::list(words.iter().map(String::as_str), "or");
            table.problems().push(SpecProblem::Contradiction {
                message: format!("{} means nothing to the method `{method}`", entry.what()),
                label: format!("not read by `{method}`"),
                help: Some(format!(
                    "remove it, or choose a method that reads it: {words}"
                )),
                at: key.span,
            });
        }
    }
}
