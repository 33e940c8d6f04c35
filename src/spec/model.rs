//! `[model.NAME]`: a model under test.

use std::path::PathBuf;

use crate::model::{DeviceChoice, RuntimeChoice};

use super::entry::{Bounds, Entry};
use super::load::Base;
use super::located::Located;
use super::table::Table;

/// A model under test.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ModelSpec {
    /// The key by which benchmarks name the model.
    pub name: Located<String>,
    /// The ONNX file, already relative to the spec's folder. It need not exist yet.
    pub path: Located<PathBuf>,
    /// The runtime to use. Default: `auto`, ONNX Runtime if it is found, else the embedded one.
    pub runtime: RuntimeChoice,
    /// The device to use. Default: `auto`, CUDA if it is there, else the CPU.
    pub device: DeviceChoice,
    /// The model output that holds the score. Default: none, the model's own score output is
    /// found by its shape.
    pub output: Option<Located<String>>,
    /// The score above which the decision is class 1. Default: none, which later means 0.5.
    /// Any finite number is allowed; outside the range of the scores all people are decided alike
    /// and no counterexample can be found.
    pub threshold: Option<f64>,
    /// What class 0 and class 1 are called in reports, such as `["<=50K", ">50K"]`. Default:
    /// none, the classes go by their numbers.
    pub decisions: Option<[String; 2]>,
}

const FINITE: Bounds = Bounds {
    words: "a finite number",
    hold: f64::is_finite,
    help: |_| None,
};

impl ModelSpec {
    pub(super) fn read(name: Located<String>, table: &Table<'_>, base: &Base) -> Self {
        let path = table
            .required("path", "add the ONNX file: path = \"model.onnx\"")
            .and_then(|entry| entry.text());
        ModelSpec {
            path: base.resolve(path, &name),
            name,
            runtime: table.word("runtime").unwrap_or_default(),
            device: table.word("device").unwrap_or_default(),
            output: table.text("output"),
            threshold: table.number("threshold", &FINITE),
            decisions: table.entry("decisions").and_then(|entry| pair(&entry)),
        }
    }
}

fn pair(entry: &Entry<'_>) -> Option<[String; 2]> {
    let names = entry.list("two names")?;
    let [class_0, class_1] = names.as_slice() else {
        let found = format!("a list of {}", names.len());
        let help = "name class 0 and class 1: decisions = [\"refused\", \"granted\"]";
        return entry.out_of_range("a list of two names", &found, Some(help.to_owned()));
    };
    // Both are read before either is asked for, so that both are complained about.
    let (class_0, class_1) = (class_0.text(), class_1.text());
    let (class_0, class_1) = (class_0?, class_1?);
    let names = [class_0, class_1];
    entry.problems().check_distinct(entry.what(), &names);
    Some(names.map(|name| name.value))
}
