//! The graph of an ONNX file as plain data. The only file that names `rten_onnx`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use rten_onnx::onnx::{
    AttributeProto, AttributeType, DataLocation, DataType, GraphProto, ModelProto, NodeProto,
    TensorProto,
};

use super::{ModelError, OTHERWISE, cannot};

/// Numbers and their shape.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Numbers {
    pub(super) shape: Vec<usize>,
    pub(super) values: Vec<f64>,
}

/// What a node says about its operator.
#[derive(Debug, Clone)]
pub(super) enum Setting {
    Number(f64),
    Whole(i64),
    Word(String),
    Numbers(Vec<f64>),
    Wholes(Vec<i64>),
    Tensor(Numbers),
    /// A graph, or what this reader does not know.
    Other,
}

/// One operator of a graph.
#[derive(Debug, Clone)]
pub(super) struct Node {
    pub(super) operator: String,
    /// Names; empty where an optional input is left out.
    pub(super) inputs: Vec<String>,
    pub(super) outputs: Vec<String>,
    pub(super) settings: BTreeMap<String, Setting>,
}

/// A graph: its operators in an order in which they can be run, and its weights by name.
#[derive(Debug)]
pub(super) struct Graph {
    pub(super) nodes: Vec<Node>,
    pub(super) weights: BTreeMap<String, Numbers>,
}

impl Graph {
    /// The part of a file's graph that an output depends on.
    ///
    /// # Errors
    /// The file cannot be read, or is not ONNX.
    pub(super) fn read(path: &Path, output: &str) -> Result<Self, ModelError> {
        let bytes = std::fs::read(path).map_err(|error| ModelError::unreadable(path, &error))?;
        // A damaged file must be a sentence, whatever the reader makes of its bytes.
        let parsed = std::panic::catch_unwind(|| ModelProto::parse_buf(&bytes));
        let graph = parsed
            .ok()
            .and_then(Result::ok)
            .and_then(|model| model.graph);
        let graph = graph.ok_or_else(|| ModelError::Answer {
            message: format!("{} is not an ONNX model", path.display()),
            help: Some("export the model again".to_owned()),
        })?;
        let folder = path.parent().unwrap_or(Path::new("."));
        let (nodes, wanted) = needed(&graph, output);
        let used = graph.initializer.iter().filter(|weight| {
            let name = weight.name.as_deref().unwrap_or_default();
            wanted.contains(name)
        });
        Ok(Graph {
            weights: used
                .map(|weight| {
                    let name = weight.name.clone().unwrap_or_default();
                    Ok((name, numbers(weight, folder)?))
                })
                .collect::<Result<_, ModelError>>()?,
            nodes: nodes
                .into_iter()
                .map(|made| node(made, folder))
                .collect::<Result<_, ModelError>>()?,
        })
    }
}

/// The nodes that an output depends on, in order, and the names that are read for it.
fn needed<'g>(graph: &'g GraphProto, output: &'g str) -> (Vec<&'g NodeProto>, BTreeSet<&'g str>) {
    let mut wanted = BTreeSet::from([output]);
    let mut nodes = Vec::new();
    // ONNX lists a node after all that it reads.
    for node in graph.node.iter().rev() {
        if node.output.iter().any(|made| wanted.contains(&**made)) {
            wanted.extend(node.input.iter().map(String::as_str));
            nodes.push(node);
        }
    }
    nodes.reverse();
    (nodes, wanted)
}

fn node(node: &NodeProto, folder: &Path) -> Result<Node, ModelError> {
    let setting = |said: &AttributeProto| {
        let name = said.name.clone().unwrap_or_default();
        Ok((name, setting(said, folder)?))
    };
    Ok(Node {
        operator: node.op_type.clone().unwrap_or_default(),
        inputs: node.input.clone(),
        outputs: node.output.clone(),
        settings: node
            .attribute
            .iter()
            .map(setting)
            .collect::<Result<_, ModelError>>()?,
    })
}

fn setting(said: &AttributeProto, folder: &Path) -> Result<Setting, ModelError> {
    // Zeros and empty lists may be left out of the file: the type tells that they are meant.
    Ok(match (said.r#type, &said.t) {
        (_, Some(tensor)) => Setting::Tensor(numbers(tensor, folder)?),
        (Some(AttributeType::FLOAT), _) => Setting::Number(f64::from(said.f.unwrap_or_default())),
        (Some(AttributeType::INT), _) => Setting::Whole(said.i.unwrap_or_default()),
        (Some(AttributeType::STRING), _) => Setting::Word(said.s.clone().unwrap_or_default()),
        (Some(AttributeType::FLOATS), _) => Setting::Numbers(
            said.floats
                .iter()
                .map(|&number| f64::from(number))
                .collect(),
        ),
        (Some(AttributeType::INTS), _) => Setting::Wholes(said.ints.clone()),
        _ => Setting::Other,
    })
}

/// The numbers of a weight, wherever they are stored.
fn numbers(tensor: &TensorProto, folder: &Path) -> Result<Numbers, ModelError> {
    let shape: Vec<usize> = tensor
        .dims
        .iter()
        .map(|&size| size.max(0) as usize)
        .collect();
    let name = tensor.name.as_deref().unwrap_or_default();
    let stored = match tensor.data_location {
        Some(DataLocation::EXTERNAL) => Some(elsewhere(tensor, name, folder)?),
        _ => tensor.raw_data.as_ref().map(|raw| raw.borrow().clone()),
    };
    let values: Option<Vec<f64>> = match (tensor.data_type, stored) {
        (Some(DataType::FLOAT), Some(bytes)) => {
            Some(each(&bytes, |four| f64::from(f32::from_le_bytes(four))))
        }
        (Some(DataType::DOUBLE), Some(bytes)) => Some(each(&bytes, f64::from_le_bytes)),
        (Some(DataType::INT64), Some(bytes)) => {
            Some(each(&bytes, |eight| i64::from_le_bytes(eight) as f64))
        }
        (Some(DataType::INT32), Some(bytes)) => {
            Some(each(&bytes, |four| f64::from(i32::from_le_bytes(four))))
        }
        (Some(DataType::FLOAT), None) => {
            Some(tensor.float_data.iter().map(|&n| f64::from(n)).collect())
        }
        (Some(DataType::DOUBLE), None) => Some(tensor.double_data.clone()),
        (Some(DataType::INT64), None) => {
            Some(tensor.int64_data.iter().map(|&n| n as f64).collect())
        }
        (Some(DataType::INT32), None) => {
            Some(tensor.int32_data.iter().map(|&n| f64::from(n)).collect())
        }
        _ => None,
    };
    match values {
        Some(values) if values.len() == shape.iter().product::<usize>() => {
            Ok(Numbers { shape, values })
        }
        Some(_) => Err(ModelError::Answer {
            message: format!("the model's weight `{name}` has not as many numbers as its shape"),
            help: Some("the file is damaged: export the model again".to_owned()),
        }),
        None => {
            let kind = tensor.data_type.as_ref().and_then(DataType::name);
            Err(cannot(format!(
                "the model's weight `{name}` is of the type {}, which fairgate does not \
                 differentiate: it knows floats, doubles and whole numbers",
                kind.unwrap_or("unknown").to_lowercase()
            )))
        }
    }
}

fn each<const SIZE: usize>(bytes: &[u8], number: impl Fn([u8; SIZE]) -> f64) -> Vec<f64> {
    let (whole, _) = bytes.as_chunks::<SIZE>();
    whole.iter().map(|&chunk| number(chunk)).collect()
}

/// The bytes of a weight that lies in a file of its own, beside the model's.
fn elsewhere(tensor: &TensorProto, name: &str, folder: &Path) -> Result<Vec<u8>, ModelError> {
    let said = |key: &str| {
        let entries = tensor.external_data.iter();
        entries
            .filter(|entry| entry.key.as_deref() == Some(key))
            .find_map(|entry| entry.value.clone())
    };
    let place = PathBuf::from(said("location").unwrap_or_default());
    // As ONNX has it: a path below the model's folder.
    let inside = place
        .components()
        .all(|part| matches!(part, Component::Normal(_)));
    let path = folder.join(&place);
    let refuse = |why: &str| ModelError::Answer {
        message: format!(
            "cannot read the model's weight `{name}` in {}: {why}",
            path.display()
        ),
        help: Some(format!(
            "keep the model and its weights in one folder, or {OTHERWISE}"
        )),
    };
    if !inside || place.as_os_str().is_empty() {
        return Err(refuse("it lies outside the model's folder"));
    }
    let bytes = std::fs::read(&path).map_err(|error| refuse(&error.to_string()))?;
    let number = |key: &str| said(key).and_then(|text| text.parse::<usize>().ok());
    let start = number("offset").unwrap_or(0);
    let end = match number("length") {
        Some(length) => start.saturating_add(length),
        None => bytes.len(),
    };
    match bytes.get(start..end) {
        Some(part) => Ok(part.to_vec()),
        None => Err(refuse("the file is too short")),
    }
}
