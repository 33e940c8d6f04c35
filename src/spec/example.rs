//! The commented example, which is also the list of defaults.

/// A complete `fairness.toml` in which every key has its default, with comments.
///
/// Keys whose default is "none" are commented out. A test holds it against the built-in defaults,
/// so what it says is true.
pub const EXAMPLE: &str = include_str!("defaults.toml");

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::{Limits, ModelSpec, Spec, keys};
    use super::*;

    fn parse(text: &str) -> Spec {
        Spec::parse(text, Path::new("fairness.toml")).expect("a good spec")
    }

    fn model(spec: &Spec) -> &ModelSpec {
        &spec.models["census"]
    }

    #[test]
    fn the_example_says_the_built_in_defaults() {
        let example = parse(EXAMPLE);
        let small = parse(
            "[model.census]\npath = 'census.onnx'\n[dataset.census]\npath = 'census.csv'\n\
             [benchmark.census-sex]\nmodel = 'census'\ndataset = 'census'\nprotected = ['sex']",
        );
        assert_eq!(example.snapshots, small.snapshots);
        assert_eq!(model(&example).runtime, model(&small).runtime);
        assert_eq!(model(&example).device, model(&small).device);
        let (said, built_in) = (&example.benchmarks[0], &small.benchmarks[0]);
        let is_default = true;
        assert_eq!(
            Limits {
                is_default,
                ..said.limits
            },
            built_in.limits
        );
        assert_eq!(said.seed, built_in.seed);
        assert_eq!(said.budget, built_in.budget);
        assert_eq!(said.search, built_in.search);
        assert_eq!(said.on_inconclusive, built_in.on_inconclusive);
        assert_eq!(said.snapshot, built_in.snapshot);
        assert_eq!(said.confidence, built_in.confidence);
    }

    #[test]
    fn the_example_names_every_key() {
        let tables = [
            keys::MODEL,
            keys::DATASET,
            keys::ATTRIBUTE,
            keys::ENCODING,
            keys::SCALE,
            keys::DERIVED,
            keys::REALISTIC,
            keys::GROUPS,
            keys::BENCHMARK,
            keys::DEFAULTS_ONLY,
            keys::RATES,
            keys::GROUP_LIMITS,
            keys::BUDGET,
            keys::SEARCH,
        ];
        for key in tables.concat() {
            let said = EXAMPLE.contains(&format!("{key} = "));
            assert!(said || EXAMPLE.contains(&format!(".{key}]")), "{key}");
        }
    }

    #[test]
    fn what_is_commented_out_is_right_too() {
        let uncommented: String = EXAMPLE
            .lines()
            .map(|line| match line.strip_prefix("# ") {
                Some(rest) if rest.starts_with('[') || rest.contains(" = ") => rest,
                _ => line,
            })
            .map(|line| format!("{line}\n"))
            .collect();
        let spec = parse(&uncommented);
        assert_eq!(spec.datasets["census"].attributes.len(), 9);
        assert_eq!(spec.datasets["census"].derived.len(), 2);
        assert!(model(&spec).decisions.is_some());
        assert!(spec.benchmarks[0].budget.time_limit.is_some());
    }
}
