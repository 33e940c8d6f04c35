//! From the text of a `fairness.toml` to a [`Spec`], or to everything that is wrong with it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use miette::SourceSpan;
use toml::Spanned;
use toml::de::DeTable;

use super::benchmark::{BenchmarkSpec, Draft, Known};
use super::dataset::DatasetSpec;
use super::keys;
use super::load::{Base, Spec};
use super::located::Located;
use super::model::ModelSpec;
use super::names;
use super::problem::SpecProblem;
use super::problems::Problems;
use super::suggest;
use super::table::Table;

/// The folder of snapshots, beside the spec, where `[defaults]` names no other.
const DEFAULT_SNAPSHOTS: &str = "tests/snapshots";

/// The spec in `text`, or all problems in the order of the file.
pub(super) fn spec(text: &str, path: &Path) -> Result<Spec, Vec<SpecProblem>> {
    let (document, errors) = DeTable::parse_recoverable(text);
    if !errors.is_empty() {
        return Err(syntax(text, &errors));
    }
    let problems = Problems::default();
    let spec = read(text, path, &document, &problems);
    match problems.into_file_order() {
        none if none.is_empty() => Ok(spec),
        problems => Err(problems),
    }
}

fn read(text: &str, path: &Path, document: &Spanned<DeTable<'_>>, problems: &Problems) -> Spec {
    let top =
        Table::new(String::new(), (0, 0).into(), document.get_ref(), problems).allow(&[keys::TOP]);
    let base = Base::of(path);
    let models = named(&top, "model", keys::MODEL);
    let models = by_name(models, |name, table| ModelSpec::read(name, table, &base));
    let datasets = named(&top, "dataset", keys::DATASET);
    let datasets = by_name(datasets, |name, table| {
        DatasetSpec::read(name, table, &base)
    });
    let known = Known {
        models: &models,
        datasets: &datasets,
    };
    let defaults = top
        .table("defaults")
        .map(|table| table.allow(&[keys::BENCHMARK, keys::DEFAULTS_ONLY]));
    let benchmarks = benchmarks(&top, defaults.as_ref(), &known);
    Spec {
        path: path.to_owned(),
        folder: base.folder(),
        snapshots: snapshots(defaults.as_ref(), &base),
        text: text.into(),
        benchmarks,
        models,
        datasets,
    }
}

/// The tables `[kind.NAME]`, in the order of the file.
fn named<'r>(
    top: &Table<'r>,
    kind: &'static str,
    allowed: &[&str],
) -> Vec<(Located<String>, Table<'r>)> {
    let Some(entry) = top.entry(kind) else {
        return Vec::new();
    };
    if !entry.is_table() {
        let help = format!("write one table [{kind}.NAME] for each {kind}");
        return entry.wrong_type("a table", Some(help)).unwrap_or_default();
    }
    let mut tables = Vec::new();
    let mut has_nameless = false;
    for (name, entry) in entry.table().into_iter().flat_map(|t| t.in_file_order()) {
        if entry.is_table() {
            names::check(kind, &name, top.problems());
            tables.extend(entry.table().map(|table| (name, table.allow(&[allowed]))));
        } else if !std::mem::replace(&mut has_nameless, true) {
            top.problems().push(SpecProblem::NoName {
                kind,
                key: name.value,
                at: name.span,
            });
        }
    }
    tables
}

fn by_name<T>(
    tables: Vec<(Located<String>, Table<'_>)>,
    read: impl Fn(Located<String>, &Table<'_>) -> T,
) -> BTreeMap<String, T> {
    tables
        .into_iter()
        .map(|(name, table)| (name.value.clone(), read(name, &table)))
        .collect()
}

fn benchmarks(
    top: &Table<'_>,
    defaults: Option<&Table<'_>>,
    known: &Known<'_>,
) -> Vec<BenchmarkSpec> {
    let defaults = defaults.map_or_else(Draft::default, |table| {
        Draft::default().overridden_by(table, known)
    });
    let tables = named(top, "benchmark", keys::BENCHMARK);
    if tables.is_empty() {
        complain_of_emptiness(top);
    }
    names::check_case(tables.iter().map(|(name, _)| name), top.problems());
    let benchmarks = by_name(tables, |name, table| {
        let draft = defaults.clone().overridden_by(table, known);
        draft.finish(name, table, known)
    });
    benchmarks.into_values().collect()
}

/// Complains that there is no benchmark, unless the file tries to have one and was told so.
fn complain_of_emptiness(top: &Table<'_>) {
    let is_attempt = |key: &str| {
        !keys::TOP.contains(&key)
            && suggest::closest(key, keys::TOP.iter().copied()) == Some("benchmark")
    };
    let at = match top.entry("benchmark") {
        None if top
            .in_file_order()
            .iter()
            .any(|(key, _)| is_attempt(&key.value)) =>
        {
            return;
        }
        None => None,
        Some(entry) if !entry.is_table() => return,
        Some(entry) => match entry.table() {
            Some(table) if table.is_empty() => Some(table.at()),
            _ => return,
        },
    };
    top.problems().push(SpecProblem::Empty { at });
}

fn snapshots(defaults: Option<&Table<'_>>, base: &Base) -> PathBuf {
    let folder = defaults.and_then(|table| table.text("snapshots"));
    base.join(folder.as_ref().map_or(DEFAULT_SNAPSHOTS, |f| &f.value))
}

/// What the TOML parser dislikes: the first thing only, since what follows is often its echo; but
/// every key that stands twice, since these are independent of each other.
fn syntax(text: &str, errors: &[toml::de::Error]) -> Vec<SpecProblem> {
    let broken = errors.iter().find(|error| error.message() != DUPLICATE_KEY);
    match broken {
        Some(error) => vec![syntax_problem(text, error)],
        None => errors.iter().map(|e| syntax_problem(text, e)).collect(),
    }
}

/// What toml says of a key that stands twice.
const DUPLICATE_KEY: &str = "duplicate key";

fn syntax_problem(text: &str, error: &toml::de::Error) -> SpecProblem {
    let span = error.span().map(|span| {
        let end = span.end.min(text.len());
        span.start.min(end)..end
    });
    let said = span.clone().and_then(|span| text.get(span));
    let (message, help) = match (error.message(), said) {
        (DUPLICATE_KEY, Some(key)) => (
            format!("`{key}` stands twice in the same place"),
            Some("keep one of them, or put both together".to_owned()),
        ),
        (message, _) => (format!("this is not TOML: {message}"), None),
    };
    let at = span.map(SourceSpan::from);
    SpecProblem::Syntax { message, help, at }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::attribute::DomainSpec;
    use super::super::benchmark::{OnInconclusive, SnapshotMode};
    use super::super::limits::Limits;
    use super::super::search::{Gradient, Variant};
    use super::*;
    use crate::model::{DeviceChoice, RuntimeChoice};

    const BASE: &str = "
        [model.m]
        path = 'm.onnx'
        [dataset.d]
        path = 'd.csv'
    ";

    fn parse(text: &str) -> Spec {
        spec(&format!("{BASE}{text}"), Path::new("at/fairness.toml")).expect("a good spec")
    }

    fn benchmark(defaults: &str, own: &str) -> BenchmarkSpec {
        let who = "model = 'm'\ndataset = 'd'\nprotected = ['sex']";
        let text = format!("[defaults]\n{who}\n{defaults}\n[benchmark.b]\n{own}\n");
        parse(&text).benchmarks.remove(0)
    }

    #[test]
    fn a_small_spec_has_the_built_in_defaults() {
        let benchmark = benchmark("", "");
        assert_eq!(benchmark.seed, 42);
        assert_eq!(benchmark.limits, Limits::default());
        assert!(benchmark.limits.is_default);
        assert_eq!(benchmark.on_inconclusive, OnInconclusive::Fail);
        assert_eq!(benchmark.snapshot, SnapshotMode::On);
        assert_eq!(benchmark.confidence, 0.95);
    }

    #[test]
    fn paths_are_relative_to_the_file() {
        let spec = parse("[benchmark.b]\nmodel = 'm'\ndataset = 'd'\nprotected = ['sex']");
        assert_eq!(spec.folder, Path::new("at"));
        assert_eq!(spec.models["m"].path.value, Path::new("at/m.onnx"));
        assert_eq!(
            spec.datasets["d"].path.as_ref().unwrap().value,
            Path::new("at/d.csv")
        );
        assert_eq!(spec.snapshots, Path::new("at/tests/snapshots"));
    }

    #[test]
    fn a_benchmark_wins_over_the_defaults_key_by_key() {
        let benchmark = benchmark(
            "seed = 1\nbudget = { global-seeds = 5, max-queries = 9 }\n\
             search = { decay = 0, variant = 'paper' }\nsnapshot = 'off'",
            "seed = 18446744073709551615\nprotected = ['race', 'sex']\n\
             budget = { local-steps = 0, max-queries = 7, time-limit = '1m 30s' }\n\
             search = { decay = 1, gradient = 'plain', local-step = 3 }",
        );
        assert_eq!(benchmark.seed, u64::MAX);
        assert_eq!(benchmark.protected.len(), 2);
        assert_eq!(benchmark.budget.global_seeds, 5);
        assert_eq!(benchmark.budget.local_steps, 0);
        assert_eq!(benchmark.budget.max_queries, Some(7));
        assert_eq!(benchmark.budget.time_limit, Some(Duration::from_secs(90)));
        assert_eq!(benchmark.search.variant, Variant::Paper);
        assert_eq!(benchmark.search.gradient, Gradient::Plain);
        assert_eq!(benchmark.search.decay, 1.0);
        assert_eq!(benchmark.search.local_step, 3.0);
        assert_eq!(benchmark.snapshot, SnapshotMode::Off);
    }

    #[test]
    fn a_plain_limit_and_a_table_of_limits_are_merged() {
        let limits = benchmark(
            "max-discrimination-rate = 0",
            "max-discrimination-rate = { dataset = 1 }",
        )
        .limits;
        assert_eq!((limits.search, limits.dataset), (Some(0.0), Some(1.0)));
        assert_eq!(limits.domain, None);
        assert!(!limits.is_default);
    }

    #[test]
    fn any_limit_takes_the_place_of_the_built_in_one() {
        let limits = benchmark("", "max-counterexamples = 0").limits;
        assert_eq!((limits.search, limits.max_counterexamples), (None, Some(0)));
        assert!(
            benchmark("max-discrimination-rate = {}", "")
                .limits
                .is_default
        );
    }

    #[test]
    fn attributes_keep_the_order_of_the_file_and_plain_values_become_text() {
        let spec = parse(
            "[dataset.d.attributes]\n\
             sex = { values = ['F', '', 0x10, true] }\n\
             age = { min = -3 }\n\
             [benchmark.b]\nmodel = 'm'\ndataset = 'd'\nprotected = ['sex']",
        );
        let attributes = &spec.datasets["d"].attributes;
        let values = ["F", "", "16", "true"].map(str::to_owned).to_vec();
        assert_eq!(attributes[0].0.value, "sex");
        let domain = |at: usize| attributes[at].1.value.domain.clone().unwrap();
        assert_eq!(domain(0), DomainSpec::Values(values));
        let (min, max) = (Some(-3), None);
        assert_eq!(domain(1), DomainSpec::Range { min, max });
    }

    #[test]
    fn benchmarks_are_sorted_by_name() {
        let who = "model = 'm'\ndataset = 'd'\nprotected = ['sex']";
        let spec = parse(&format!(
            "[defaults]\n{who}\n[benchmark.b]\n[benchmark.a-2]\n[benchmark.a]"
        ));
        let names: Vec<&str> = spec
            .benchmarks
            .iter()
            .map(|b| b.name.value.as_str())
            .collect();
        assert_eq!(names, ["a", "a-2", "b"]);
    }

    #[test]
    fn a_model_says_how_it_is_run() {
        let text = "[model.m]\npath = '/m'\nruntime = 'embedded'\ndevice = 'cpu'\nthreshold = 0\n\
                    decisions = ['no', 'yes']\noutput = 'p'\n[dataset.d]\npath = 'd'\n\
                    [benchmark.b]\nmodel = 'm'\ndataset = 'd'\nprotected = ['sex']";
        let spec = spec(text, Path::new("fairness.toml")).expect("a good spec");
        let model = &spec.models["m"];
        assert_eq!(spec.folder, Path::new("."));
        assert_eq!(model.path.value, Path::new("/m"));
        assert_eq!(model.runtime, RuntimeChoice::Embedded);
        assert_eq!(model.device, DeviceChoice::Cpu);
        assert_eq!(model.threshold, Some(0.0));
        assert_eq!(model.decisions.as_ref().unwrap().value, ["no", "yes"]);
        assert_eq!(&text[model.path.span.offset()..][..4], "'/m'");
    }
}
