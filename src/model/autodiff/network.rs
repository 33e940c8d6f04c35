//! A network that can be run and differentiated: its operators in order.

use std::collections::BTreeMap;
use std::path::Path;

use candle_core::{Device, Tensor, Var};

use super::file::{Graph, Node, Numbers};
use super::operators::{Apply, Said, constant, operator};
use super::{ModelError, OTHERWISE, failed};
use crate::spec::suggest::list;

/// One step: an operator, the values that it reads, and the one that it makes.
struct Step {
    apply: Apply,
    reads: Vec<usize>,
    makes: usize,
}

/// A network.
pub(super) struct Network {
    steps: Vec<Step>,
    /// Values before anything is run: the weights are there, all else is not.
    values: Vec<Option<Tensor>>,
    /// The values that are the inputs.
    inputs: Vec<usize>,
    output: usize,
}

impl Network {
    /// The part of an ONNX file that one of its outputs depends on.
    ///
    /// # Errors
    /// The file cannot be read, or has operators that no gradient goes through: all of them by name.
    pub(super) fn read(path: &Path, inputs: &[&str], output: &str) -> Result<Self, ModelError> {
        let mut graph = Graph::read(path, output)?;
        let nodes = fold(&mut graph);
        let mut names = Names::default();
        let inputs = inputs.iter().map(|name| names.place(name)).collect();
        let mut steps = Vec::new();
        let mut strange = Vec::new();
        for node in &nodes {
            let said = Said {
                node,
                weights: &graph.weights,
            };
            match (operator(&said), &node.outputs) {
                (Some((apply, made)), outputs) if made < outputs.len() => steps.push(Step {
                    apply,
                    reads: node
                        .inputs
                        .iter()
                        .filter(|name| !name.is_empty())
                        .map(|name| names.place(name))
                        .collect(),
                    makes: names.place(&outputs[made]),
                }),
                _ => strange.push(node.operator.as_str()),
            }
        }
        if !strange.is_empty() {
            return Err(refused(strange));
        }
        let output = names.place(output);
        let values = names.values(&graph.weights)?;
        Ok(Network {
            steps,
            values,
            inputs,
            output,
        })
    }

    /// The output for these inputs.
    ///
    /// # Errors
    /// Shapes do not fit together.
    pub(super) fn run(&self, inputs: &[Var]) -> candle_core::Result<Tensor> {
        let mut values = self.values.clone();
        for (&place, input) in self.inputs.iter().zip(inputs) {
            values[place] = Some(input.as_tensor().clone());
        }
        let missing = || candle_core::Error::Msg("the graph is not in order".into());
        for step in &self.steps {
            let read = step.reads.iter().map(|&place| values[place].clone());
            let read: Vec<Tensor> = read.collect::<Option<_>>().ok_or_else(missing)?;
            if read.is_empty() {
                return Err(missing());
            }
            values[step.makes] = Some((step.apply)(&read)?);
        }
        values[self.output].clone().ok_or_else(missing)
    }
}

/// Takes the nodes out that only hold or hand on weights: their numbers are known before any row.
fn fold(graph: &mut Graph) -> Vec<Node> {
    let mut left = Vec::new();
    for node in std::mem::take(&mut graph.nodes) {
        let known = match node.operator.as_str() {
            "Constant" => constant(&node),
            "Cast" | "Identity" => {
                let handed = node.inputs.first();
                handed.and_then(|name| graph.weights.get(name)).cloned()
            }
            _ => None,
        };
        match (known, node.outputs.first()) {
            (Some(numbers), Some(output)) => {
                graph.weights.insert(output.clone(), numbers);
            }
            _ => left.push(node),
        }
    }
    left
}

/// The names of values as places.
#[derive(Default)]
struct Names(BTreeMap<String, usize>);

impl Names {
    fn place(&mut self, name: &str) -> usize {
        let next = self.0.len();
        *self.0.entry(name.to_owned()).or_insert(next)
    }

    fn values(
        &self,
        weights: &BTreeMap<String, Numbers>,
    ) -> Result<Vec<Option<Tensor>>, ModelError> {
        let mut values = vec![None; self.0.len()];
        for (name, &place) in &self.0 {
            if let Some(Numbers {
                shape,
                values: numbers,
            }) = weights.get(name)
            {
                let tensor = Tensor::from_slice(numbers, shape.as_slice(), &Device::Cpu);
                values[place] = Some(tensor.map_err(failed)?);
            }
        }
        Ok(values)
    }
}

/// Operators that no gradient goes through, each once.
fn refused(mut strange: Vec<&str>) -> ModelError {
    strange.sort_unstable();
    strange.dedup();
    let trees = strange.iter().any(|name| name.starts_with("TreeEnsemble"));
    let names = list(strange.iter().copied(), "and");
    let message = match (trees, strange.len()) {
        (true, _) => {
            format!("the model decides by trees ({names}), which are steps without a gradient")
        }
        (false, 1) => format!("fairgate cannot differentiate the model's operator {names}"),
        (false, _) => format!("fairgate cannot differentiate the model's operators {names}"),
    };
    ModelError::Misfit {
        message,
        help: format!(
            "white-box methods need a network of matrix products, activations and plain \
             arithmetic; {OTHERWISE}"
        ),
        key: None,
    }
}
