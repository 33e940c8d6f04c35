//! The methods that take part in a study, by the names that people know them by.

use clap::ValueEnum as _;

use crate::spec::{Method, SearchSettings, Variant};

/// A method with its steps: one line of the study's figures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Contender {
    /// What it is called on the command line and in the CSV.
    pub name: &'static str,
    /// What it is called in figures and tables.
    pub title: &'static str,
    method: &'static str,
    variant: Option<Variant>,
    needs_gradients: bool,
}

/// The paper's MAFT, which its claims are about.
pub(crate) const PAPER: &str = "maft-paper";

/// Everyone, in the order of tables and figures: MAFT, then the methods it is held against.
pub(crate) const ALL: [Contender; 9] = [
    black_box(PAPER, "MAFT", "maft", Some(Variant::Paper)),
    black_box("maft", "MAFT walk", "maft", Some(Variant::Walk)),
    black_box(
        "maft-plain",
        "MAFT plain",
        "maft-plain",
        Some(Variant::Paper),
    ),
    white_box("eidig", "EIDIG"),
    white_box("adf", "ADF"),
    black_box("aequitas", "AEQUITAS", "aequitas", None),
    black_box("sg", "SG", "sg", None),
    black_box("themis", "THEMIS", "themis", None),
    black_box("random", "random", "random", None),
];

const fn black_box(
    name: &'static str,
    title: &'static str,
    method: &'static str,
    variant: Option<Variant>,
) -> Contender {
    Contender {
        name,
        title,
        method,
        variant,
        needs_gradients: false,
    }
}

const fn white_box(name: &'static str, title: &'static str) -> Contender {
    Contender {
        name,
        title,
        method: name,
        variant: None,
        needs_gradients: true,
    }
}

/// What the contender of a name is called in figures.
pub(crate) fn title(name: &str) -> &'static str {
    Contender::of_name(name).map_or("", |contender| contender.title)
}

impl Contender {
    /// The contender of a name.
    pub(crate) fn of_name(name: &str) -> Option<Self> {
        ALL.into_iter().find(|contender| contender.name == name)
    }

    /// Whether this build of fairgate has the method.
    pub(crate) fn is_available(self) -> bool {
        self.method().is_some() && (!self.needs_gradients || cfg!(feature = "white-box"))
    }

    /// Whether the method takes part if nobody is named. `maft-plain` finds what MAFT finds.
    pub(crate) fn is_usual(self) -> bool {
        self.name != "maft-plain"
    }

    /// Whether the method needs the model's real gradients.
    pub(crate) fn needs_gradients(self) -> bool {
        self.needs_gradients
    }

    fn method(self) -> Option<Method> {
        Method::from_str(self.method, false).ok()
    }

    /// The settings of a benchmark with this method in them.
    pub(crate) fn settings(self, mut settings: SearchSettings, size: f64) -> SearchSettings {
        if let Some(method) = self.method() {
            settings.method = method;
        }
        if let Some(variant) = self.variant {
            settings.variant = variant;
        }
        settings.perturbation_size = size;
        settings
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_contender_once() {
        for (place, contender) in ALL.into_iter().enumerate() {
            let names = ALL.iter().map(|other| other.name);
            assert_eq!(
                names.clone().position(|name| name == contender.name),
                Some(place)
            );
            assert_eq!(Contender::of_name(contender.name), Some(contender));
        }
        assert_eq!(Contender::of_name("MAFT"), None);
    }

    #[test]
    fn settings_keep_what_the_spec_says_of_everything_else() {
        let spec = SearchSettings {
            decay: 0.25,
            ..SearchSettings::default()
        };
        let paper = Contender::of_name(PAPER).unwrap().settings(spec, 0.5);
        assert_eq!((paper.variant, paper.decay), (Variant::Paper, 0.25));
        assert_eq!(paper.perturbation_size, 0.5);
    }
}
