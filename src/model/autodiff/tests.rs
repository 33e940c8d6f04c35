//! Small networks, written as ONNX files: the embedded engine must give the same scores, and finite
//! differences the same gradients.

use std::path::PathBuf;

use ndarray::ArrayView2;
use rten_onnx::onnx::{
    AttributeProto, AttributeType, DataType, Dimension, GraphProto, ModelProto, NodeProto,
    OperatorSetIdProto, TensorProto, TensorShapeProto, TypeProto, TypeProtoTensor, ValueInfoProto,
};
use tempfile::TempDir;

use crate::encoding::{Cell, Column};
use crate::model::{
    Connection, DeviceChoice, Differential, Meaning, ModelError, Objective, OpenModel, Opening,
    RuntimeChoice, open,
};
use crate::schema::{Attribute, Domain, Schema};
use crate::spec::Scores;

const WIDTH: usize = 3;

/// A node of one output, named after the node before it.
struct Operator {
    name: &'static str,
    inputs: &'static [&'static str],
    settings: Vec<AttributeProto>,
}

fn operator(name: &'static str, inputs: &'static [&'static str]) -> Operator {
    Operator {
        name,
        inputs,
        settings: Vec::new(),
    }
}

impl Operator {
    fn whole(mut self, name: &str, value: i64) -> Self {
        self.settings.push(AttributeProto {
            name: Some(name.to_owned()),
            i: Some(value),
            r#type: Some(AttributeType::INT),
            ..AttributeProto::default()
        });
        self
    }

    fn number(mut self, name: &str, value: f32) -> Self {
        self.settings.push(AttributeProto {
            name: Some(name.to_owned()),
            f: Some(value),
            r#type: Some(AttributeType::FLOAT),
            ..AttributeProto::default()
        });
        self
    }

    fn wholes(mut self, name: &str, values: &[i64]) -> Self {
        self.settings.push(AttributeProto {
            name: Some(name.to_owned()),
            ints: values.to_vec(),
            r#type: Some(AttributeType::INTS),
            ..AttributeProto::default()
        });
        self
    }
}

fn weight(name: &str, dims: &[i64], values: &[f32]) -> TensorProto {
    TensorProto {
        name: Some(name.to_owned()),
        dims: dims.to_vec(),
        data_type: Some(DataType::FLOAT),
        float_data: values.to_vec(),
        ..TensorProto::default()
    }
}

fn whole_weight(name: &str, values: &[i64]) -> TensorProto {
    TensorProto {
        name: Some(name.to_owned()),
        dims: vec![values.len() as i64],
        data_type: Some(DataType::INT64),
        int64_data: values.to_vec(),
        ..TensorProto::default()
    }
}

/// The weights that networks of these tests can read.
fn weights() -> Vec<TensorProto> {
    let row: Vec<f32> = (0..12)
        .map(|at| 0.37 - 0.11 * (at * 5 % 12) as f32)
        .collect();
    vec![
        weight("w", &[3, 4], &row),
        weight("b", &[4], &[0.3, -0.2, 0.15, 0.05]),
        weight("v", &[1, 4], &[0.6, -0.7, 0.5, 0.4]),
        weight("last", &[4, 1], &[0.5, -0.6, 0.45, 0.3]),
        weight("three", &[4, 3], &row),
        weight("half", &[], &[0.5]),
        weight("one", &[], &[1.0]),
        weight("two", &[], &[2.0]),
        weight("spread", &[4], &[1.5, 0.7, 2.0, 1.1]),
        whole_weight("keep-all", &[0, -1]),
        whole_weight("square", &[0, 2, 2]),
        whole_weight("1", &[1]),
        whole_weight("2", &[2]),
        whole_weight("6", &[6]),
        whole_weight("picks", &[2, 0, 3, -1]),
    ]
}

fn port(name: &str, columns: Option<i64>) -> ValueInfoProto {
    let rows = Dimension {
        dim_param: Some("rows".to_owned()),
        ..Dimension::default()
    };
    let columns = columns.map(|columns| Dimension {
        dim_value: Some(columns),
        ..Dimension::default()
    });
    ValueInfoProto {
        name: Some(name.to_owned()),
        r#type: Some(TypeProto {
            tensor_type: Some(TypeProtoTensor {
                elem_type: Some(DataType::FLOAT),
                shape: Some(TensorShapeProto {
                    dim: [rows].into_iter().chain(columns).collect(),
                }),
            }),
            ..TypeProto::default()
        }),
    }
}

/// A network of `operators` one after another; the input `@` of one is the output of the one before.
fn file(operators: Vec<Operator>, columns: i64) -> (TempDir, PathBuf) {
    let count = operators.len();
    let made = |at: usize| {
        if at == count {
            "output".to_owned()
        } else {
            format!("made{at}")
        }
    };
    let node = |(at, operator): (usize, Operator)| {
        let input = |&name: &&str| match (name, at) {
            ("@", 0) => "input".to_owned(),
            ("@", at) => made(at),
            (name, _) => name.to_owned(),
        };
        NodeProto {
            op_type: Some(operator.name.to_owned()),
            input: operator.inputs.iter().map(input).collect(),
            output: vec![made(at + 1)],
            attribute: operator.settings,
            ..NodeProto::default()
        }
    };
    let nodes: Vec<NodeProto> = operators.into_iter().enumerate().map(node).collect();
    let read = |name: &str| {
        nodes
            .iter()
            .any(|node| node.input.iter().any(|input| input == name))
    };
    let model = ModelProto {
        ir_version: Some(8),
        opset_import: vec![OperatorSetIdProto {
            domain: None,
            version: Some(17),
        }],
        graph: Some(GraphProto {
            initializer: weights()
                .into_iter()
                .filter(|weight| weight.name.as_deref().is_some_and(read))
                .collect(),
            input: vec![port("input", Some(WIDTH as i64))],
            output: vec![port("output", Some(columns))],
            node: nodes,
            ..GraphProto::default()
        }),
        ..ModelProto::default()
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.onnx");
    std::fs::write(&path, model.write_buf().unwrap()).unwrap();
    (folder, path)
}

fn schema() -> Schema {
    let range = Domain::Integers { min: 0, max: 9 };
    let attributes = ["a", "b", "c"].map(|name| Attribute::new(name, range.clone()));
    Schema::new(attributes.to_vec())
}

/// Rows on a grid of 1/4, both sides of 0: they and small steps from them are exact.
fn rows() -> Vec<f32> {
    let number = |at: usize| ((at * 37 + at / 3 * 11) % 41) as f32 / 4.0 - 4.25;
    (0..40 * WIDTH).map(number).collect()
}

fn connect(schema: &Schema, meaning: Meaning) -> Connection<'_> {
    let mut connection = Connection::plain(schema, rows());
    connection.meaning = meaning;
    connection.gradients = true;
    connection
}

fn open_with(path: &std::path::Path, connection: &Connection<'_>) -> Result<OpenModel, ModelError> {
    open(&Opening {
        path,
        runtime: RuntimeChoice::Embedded,
        device: DeviceChoice::Cpu,
        workers: 1,
        connection,
    })
}

fn differentiate(model: &OpenModel, rows: &[f32], objective: Objective) -> Differential {
    let rows = ArrayView2::from_shape((rows.len() / WIDTH, WIDTH), rows).unwrap();
    let gradients = model.model.gradients().unwrap();
    gradients.differentiate(rows, objective).unwrap()
}

/// How many slopes were compared with central differences, in double precision. Where a step crosses
/// a kink there is no slope to compare with.
fn compare(model: &OpenModel, objective: Objective, what: &str) -> usize {
    const STEP: f32 = 1.0 / 8192.0;
    let rows = rows();
    let here = differentiate(model, &rows, objective);
    let mut compared = 0;
    for attribute in 0..WIDTH {
        let moved = |by: f32| {
            let mut rows = rows.clone();
            rows.iter_mut()
                .skip(attribute)
                .step_by(WIDTH)
                .for_each(|number| *number += by);
            differentiate(model, &rows, objective).values
        };
        let (above, below) = (moved(STEP), moved(-STEP));
        for (row, value) in here.values.iter().enumerate() {
            let step = f64::from(STEP);
            let (up, down) = ((above[row] - value) / step, (value - below[row]) / step);
            if (up - down).abs() > 1e-2 * (up.abs() + down.abs()).max(1e-6) {
                continue;
            }
            let (slope, real) = ((up + down) / 2.0, here.gradients[[row, attribute]]);
            let allowed = 1e-6 * real.abs().max(1e-3);
            assert!(
                (slope - real).abs() < allowed,
                "{what}, row {row}: {slope} and {real}"
            );
            compared += 1;
        }
    }
    compared
}

fn number() -> Meaning {
    Meaning {
        number: Some(crate::spec::NumberSpec::Tolerance(1.0)),
        ..Meaning::default()
    }
}

/// A layer, the operators, and a sum at the end.
fn between(operators: Vec<Operator>) -> Vec<Operator> {
    let mut all = vec![operator("Gemm", &["@", "w", "b"])];
    all.extend(operators);
    all.push(operator("MatMul", &["@", "last"]));
    all
}

#[test]
fn gradients_go_through_every_operator_of_a_network() {
    let one = |name: &'static str| vec![operator(name, &["@"])];
    let positive = |name: &'static str| vec![operator("Softplus", &["@"]), operator(name, &["@"])];
    let two = |name, other: &'static [&'static str]| vec![operator(name, other)];
    let cases = vec![
        one("Relu"),
        one("Sigmoid"),
        one("Tanh"),
        one("Softplus"),
        one("Exp"),
        one("Neg"),
        one("Abs"),
        one("Erf"),
        one("Identity"),
        positive("Log"),
        positive("Sqrt"),
        positive("Reciprocal"),
        two("Add", &["@", "v"]),
        two("Sub", &["v", "@"]),
        two("Mul", &["@", "v"]),
        two("Div", &["@", "spread"]),
        two("Min", &["@", "v"]),
        two("Max", &["@", "half"]),
        two("PRelu", &["@", "v"]),
        two("Pow", &["@", "two"]),
        two("Clip", &["@", "half", "one"]),
        two("Clip", &["@", "", "half"]),
        vec![operator("LeakyRelu", &["@"]).number("alpha", 0.3)],
        vec![operator("Elu", &["@"]).number("alpha", 0.7)],
        vec![operator("HardSigmoid", &["@"]).number("alpha", 0.4)],
        vec![operator("Softmax", &["@"])],
        vec![operator("LogSoftmax", &["@"]).whole("axis", 1)],
        vec![operator(
            "BatchNormalization",
            &["@", "spread", "b", "b", "spread"],
        )],
        vec![operator("Flatten", &["@"])],
        vec![
            operator("Reshape", &["@", "square"]),
            operator("Reshape", &["@", "keep-all"]),
        ],
        vec![
            operator("Unsqueeze", &["@", "1"]),
            operator("Squeeze", &["@", "1"]),
        ],
        vec![
            operator("Transpose", &["@"]).wholes("perm", &[1, 0]),
            operator("Transpose", &["@"]),
        ],
        vec![operator("Gather", &["@", "picks"]).whole("axis", 1)],
        vec![
            operator("Concat", &["@", "@"]).whole("axis", 1),
            operator("Slice", &["@", "2", "6", "1"]),
        ],
        vec![
            operator("ReduceMean", &["@"]).wholes("axes", &[1]),
            operator("Mul", &["@", "v"]),
        ],
        vec![
            operator("ReduceSum", &["@", "1"]),
            operator("Mul", &["@", "v"]),
        ],
    ];
    for case in cases {
        let names: Vec<&str> = case.iter().map(|operator| operator.name).collect();
        let what = names.join(", ");
        let (_folder, path) = file(between(case), 1);
        let schema = schema();
        let opened = open_with(&path, &connect(&schema, number()));
        let model = opened.unwrap_or_else(|error| panic!("{what}: {error}"));
        let compared = compare(&model, Objective::Score, &what);
        assert!(
            compared > 80,
            "{what}: only {compared} of 120 slopes compared"
        );
    }
}

fn probability() -> Vec<Operator> {
    let mut all = between(vec![operator("Relu", &["@"])]);
    all.push(operator("Sigmoid", &["@"]));
    all
}

#[test]
fn scores_and_losses_of_every_kind_of_answer() {
    let logit = || Meaning {
        scores: Scores::Logit,
        ..Meaning::default()
    };
    let three = |last: &'static str| {
        let mut all = vec![operator("Gemm", &["@", "w", "b"]), operator("Relu", &["@"])];
        all.push(operator("MatMul", &["@", "three"]));
        all.push(operator(last, &["@"]));
        all
    };
    let cases = [
        ("probability", probability(), 1, Meaning::default()),
        (
            "threshold",
            probability(),
            1,
            Meaning {
                threshold: Some(0.3),
                ..Meaning::default()
            },
        ),
        ("logit", between(vec![operator("Tanh", &["@"])]), 1, logit()),
        ("classes", three("Softmax"), 3, Meaning::default()),
        ("logits of classes", three("Identity"), 3, logit()),
    ];
    for (what, operators, columns, meaning) in cases {
        let (_folder, path) = file(operators, columns);
        let schema = schema();
        let model = open_with(&path, &connect(&schema, meaning)).unwrap();
        assert!(model.model.gradients().unwrap().has_loss(), "{what}");
        for objective in [Objective::Score, Objective::Loss] {
            let compared = compare(&model, objective, what);
            assert!(
                compared > 100,
                "{what}: only {compared} of 120 slopes compared"
            );
        }
    }
}

#[test]
fn the_loss_is_that_of_the_model_s_own_decision() {
    let (_folder, path) = file(probability(), 1);
    let schema = schema();
    let model = open_with(&path, &connect(&schema, Meaning::default())).unwrap();
    let scores = differentiate(&model, &rows(), Objective::Score);
    let losses = differentiate(&model, &rows(), Objective::Loss);
    let mut sides = [0, 0];
    for (row, (&score, loss)) in scores.values.iter().zip(&losses.values).enumerate() {
        let above = score > 0.5;
        sides[usize::from(above)] += 1;
        let own = if above { score } else { 1.0 - score };
        assert!((loss + own.ln()).abs() < 1e-12);
        // Away from the boundary the decision is surer and its loss is less.
        let slopes = scores
            .gradients
            .row(row)
            .into_iter()
            .zip(losses.gradients.row(row));
        for (score, loss) in slopes {
            let expected = if above { -score / own } else { score / own };
            assert!((loss - expected).abs() < 1e-12, "{loss} and {expected}");
        }
    }
    assert!(sides[0] > 4 && sides[1] > 4, "{sides:?}");
}

#[test]
fn a_number_has_no_loss() {
    let (_folder, path) = file(between(vec![operator("Tanh", &["@"])]), 1);
    let schema = schema();
    let model = open_with(&path, &connect(&schema, number())).unwrap();
    assert!(!model.model.gradients().unwrap().has_loss());
}

#[test]
fn a_row_has_one_gradient_whatever_else_is_in_the_batch() {
    let (_folder, path) = file(probability(), 1);
    let schema = schema();
    let model = open_with(&path, &connect(&schema, Meaning::default())).unwrap();
    let whole = differentiate(&model, &rows(), Objective::Score);
    for (row, cells) in rows().chunks_exact(WIDTH).enumerate() {
        let alone = differentiate(&model, cells, Objective::Score);
        for (one, other) in alone.gradients.row(0).iter().zip(whole.gradients.row(row)) {
            // Up to what `first_order` rounds away.
            assert!(
                (one - other).abs() <= 1e-13 * other.abs(),
                "{one} and {other}"
            );
        }
    }
}

#[test]
fn scaled_attributes_follow_the_chain_rule_and_jumps_are_known() {
    let (_folder, path) = file(probability(), 1);
    let schema = schema();
    let plain = open_with(&path, &connect(&schema, Meaning::default())).unwrap();
    let line = |attribute, offset, scale| {
        let cell = Cell::Line {
            attribute,
            offset,
            scale,
        };
        Column::new(format!("c{attribute}"), Some(attribute), cell)
    };
    let mut connection = connect(&schema, Meaning::default());
    connection.columns = vec![line(0, 0.0, 0.25), line(1, 1.0, -2.0), line(2, 0.0, 1.0)];
    let scaled = open_with(&path, &connection).unwrap();
    // What the model sees of a row, as the first model's own row.
    let seen: Vec<f32> = rows()
        .chunks_exact(WIDTH)
        .flat_map(|row| [0.25 * row[0], 1.0 - 2.0 * row[1], row[2]])
        .collect();
    let expected = differentiate(&plain, &seen, Objective::Score);
    let found = differentiate(&scaled, &rows(), Objective::Score);
    for (row, scales) in found.gradients.rows().into_iter().enumerate() {
        for (attribute, scale) in [0.25, -2.0, 1.0].into_iter().enumerate() {
            let wanted = scale * expected.gradients[[row, attribute]];
            assert!((scales[attribute] - wanted).abs() < 1e-12);
        }
    }
    assert!(scaled.model.gradients().unwrap().jumps().is_empty());

    let is = |attribute, code| {
        let cell = Cell::Is { attribute, code };
        Column::new(format!("is{code}"), Some(attribute), cell)
    };
    connection.columns = vec![is(1, 0), is(1, 1), line(2, 0.0, 1.0)];
    let one_hot = open_with(&path, &connection).unwrap();
    assert_eq!(one_hot.model.gradients().unwrap().jumps(), [1]);
}

fn refusal(path: &std::path::Path, meaning: Meaning) -> String {
    let schema = schema();
    match open_with(path, &connect(&schema, meaning)) {
        Err(error) => error.to_string(),
        Ok(_) => panic!("{} was taken", path.display()),
    }
}

#[test]
fn operators_without_a_gradient_are_all_named() {
    let (_folder, path) = file(
        between(vec![operator("Floor", &["@"]), operator("Sign", &["@"])]),
        1,
    );
    assert_eq!(
        refusal(&path, number()),
        "fairgate cannot differentiate the model's operators `Floor` and `Sign`"
    );
    let (_folder, path) = file(
        between(vec![
            operator("Cast", &["@"]).whole("to", 6),
            operator("Cast", &["@"]).whole("to", 1),
        ]),
        1,
    );
    assert_eq!(
        refusal(&path, number()),
        "fairgate cannot differentiate the model's operator `Cast`"
    );
}

#[test]
fn without_gradients_wanted_nothing_is_differentiated() {
    let (_folder, path) = file(between(vec![operator("Floor", &["@"])]), 1);
    let schema = schema();
    let mut connection = connect(&schema, number());
    connection.gradients = false;
    let model = open_with(&path, &connection).unwrap();
    assert!(model.model.gradients().is_none());
}

#[test]
fn models_of_the_fixtures() {
    let models = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/models");
    let taken = |name: &str| {
        let (path, schema) = (models.join(name), schema());
        let model = open_with(&path, &connect(&schema, Meaning::default()));
        let model = model.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(compare(&model, Objective::Loss, name) > 100, "{name}");
    };
    taken("planted.onnx");
    taken("fixed-batch.onnx");
    taken("elsewhere.onnx");
    let label = Meaning {
        output: Some("label".to_owned()),
        ..Meaning::default()
    };
    let said = refusal(&models.join("label-and-probabilities.onnx"), label);
    assert_eq!(
        said,
        "the model answers with labels, which have no gradient"
    );
}
