//! The operators that gradients go through: those of dense networks and of linear models.

mod activations;
mod linear;
mod shapes;

use std::collections::BTreeMap;

use candle_core::{Result, Tensor};

use super::file::{Node, Numbers, Setting};
pub(super) use activations::{sigmoid, softmax};

/// What an operator makes of its inputs.
pub(super) type Apply = Box<dyn Fn(&[Tensor]) -> Result<Tensor> + Send + Sync>;

/// A node with what else its operator needs to know, before any row is shown.
pub(super) struct Said<'a> {
    pub(super) node: &'a Node,
    /// Everything in the graph that does not depend on the inputs.
    pub(super) weights: &'a BTreeMap<String, Numbers>,
}

impl Said<'_> {
    fn number(&self, key: &str, default: f64) -> f64 {
        match self.node.settings.get(key) {
            Some(Setting::Number(number)) => *number,
            _ => default,
        }
    }

    fn whole(&self, key: &str, default: i64) -> i64 {
        match self.node.settings.get(key) {
            Some(Setting::Whole(whole)) => *whole,
            _ => default,
        }
    }

    fn numbers(&self, key: &str) -> Vec<f64> {
        match self.node.settings.get(key) {
            Some(Setting::Numbers(numbers)) => numbers.clone(),
            _ => Vec::new(),
        }
    }

    fn word(&self, key: &str) -> &str {
        match self.node.settings.get(key) {
            Some(Setting::Word(word)) => word,
            _ => "",
        }
    }

    /// Whether there is an input at this place.
    fn has(&self, input: usize) -> bool {
        self.node
            .inputs
            .get(input)
            .is_some_and(|name| !name.is_empty())
    }

    /// The numbers of an input that does not depend on the model's own.
    fn constant(&self, input: usize) -> Option<&Numbers> {
        self.weights.get(self.node.inputs.get(input)?)
    }

    /// The same as whole numbers.
    fn wholes(&self, input: usize) -> Option<Vec<i64>> {
        let numbers = self.constant(input)?;
        Some(numbers.values.iter().map(|&number| number as i64).collect())
    }

    /// Whole numbers that older files have as a setting and newer ones as an input. Nothing if there
    /// are none; no operator at all if they are known only when the model runs.
    fn wholes_of(&self, key: &str, input: usize) -> Option<Option<Vec<i64>>> {
        match self.node.settings.get(key) {
            Some(Setting::Wholes(wholes)) => Some(Some(wholes.clone())),
            _ if self.has(input) => self.wholes(input).map(Some),
            _ => Some(None),
        }
    }

    /// A single number that older files have as a setting and newer ones as an input.
    fn number_of(&self, key: &str, input: usize) -> Option<Option<f64>> {
        match self.node.settings.get(key) {
            Some(Setting::Number(number)) => Some(Some(*number)),
            _ if self.has(input) => Some(self.constant(input)?.values.first().copied()),
            _ => Some(None),
        }
    }
}

/// The operator of a node, and which of the node's outputs it makes; nothing if no gradient can go
/// through it.
pub(super) fn operator(said: &Said<'_>) -> Option<(Apply, usize)> {
    let apply = activations::operator(said)
        .or_else(|| shapes::operator(said))
        .or_else(|| linear::operator(said))?;
    // A classifier gives labels first, and then what is read.
    let output = usize::from(said.node.operator == "LinearClassifier");
    Some((apply, output))
}

/// Whether a node hands its input on as it is.
pub(super) fn hands_on(node: &Node) -> bool {
    /// The number types of ONNX that are not whole numbers: float, half, double, bfloat.
    const FRACTIONS: [i64; 4] = [1, 10, 11, 16];
    match node.operator.as_str() {
        "Identity" | "Dropout" | "ZipMap" => true,
        "Cast" => {
            matches!(node.settings.get("to"), Some(Setting::Whole(to)) if FRACTIONS.contains(to))
        }
        _ => false,
    }
}

/// The numbers that a `Constant` node holds.
pub(super) fn constant(node: &Node) -> Option<Numbers> {
    let (shape, values) = match node.settings.values().next()? {
        Setting::Tensor(numbers) => return Some(numbers.clone()),
        Setting::Number(number) => (Vec::new(), vec![*number]),
        Setting::Whole(whole) => (Vec::new(), vec![*whole as f64]),
        Setting::Numbers(numbers) => (vec![numbers.len()], numbers.clone()),
        Setting::Wholes(wholes) => {
            let numbers = wholes.iter().map(|&whole| whole as f64).collect();
            (vec![wholes.len()], numbers)
        }
        Setting::Word(_) | Setting::Other => return None,
    };
    Some(Numbers { shape, values })
}

/// A place counted from the end if it is negative, as ONNX counts.
fn place(axis: i64, rank: usize) -> Result<usize> {
    let place = if axis < 0 { axis + rank as i64 } else { axis };
    if (0..rank as i64).contains(&place) {
        Ok(place as usize)
    } else {
        candle_core::bail!("there is no dimension {axis} among {rank}")
    }
}
