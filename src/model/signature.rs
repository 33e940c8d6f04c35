//! What a model takes and gives, in fairgate's own words, and which of it fairgate can use.
//!
//! Pure data: no runtime is named here, so the choices are tested without one.

use std::fmt;

use super::RuntimeError;

/// The type of one number (or word) in a tensor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Element {
    /// A 32-bit float.
    Float,
    /// A 64-bit float.
    Double,
    /// A 64-bit integer.
    Int64,
    /// A 32-bit integer.
    Int32,
    /// A truth value.
    Bool,
    /// Words: ONNX calls it string.
    Text,
    /// Anything that fairgate neither gives nor reads, by its ONNX name.
    Other(String),
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Element::Float => "float",
            Element::Double => "double",
            Element::Int64 => "int64",
            Element::Int32 => "int32",
            Element::Bool => "bool",
            Element::Text => "string",
            Element::Other(name) => name,
        })
    }
}

/// One dimension of a declared shape.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Dimension {
    /// Always this size.
    Fixed(usize),
    /// Any size; the name that the model gives it, often empty.
    Free(String),
}

impl fmt::Display for Dimension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Dimension::Fixed(size) => write!(f, "{size}"),
            Dimension::Free(name) if name.is_empty() => f.write_str("?"),
            Dimension::Free(name) => f.write_str(name),
        }
    }
}

/// What flows through an input or an output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// An empty shape is one that the model does not declare.
    Tensor {
        /// The type of its values.
        element: Element,
        /// Its declared shape.
        shape: Vec<Dimension>,
    },
    /// A sequence of maps from class to probability: what scikit-learn's ZipMap gives.
    Maps,
    /// Anything else, in words.
    Other(&'static str),
}

/// A named input or output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Port {
    /// Its name.
    pub name: String,
    /// What flows through it.
    pub kind: Kind,
}

impl fmt::Display for Port {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.name)?;
        match &self.kind {
            Kind::Tensor { element, shape } if shape.is_empty() => {
                write!(f, "{element}, no declared shape")
            }
            Kind::Tensor { element, shape } => {
                write!(f, "{element} [{}]", joined(shape))
            }
            Kind::Maps => f.write_str("a sequence of maps"),
            Kind::Other(what) => f.write_str(what),
        }
    }
}

/// Several things as one text, for a sentence.
pub(super) fn joined<T: fmt::Display>(things: &[T]) -> String {
    let words: Vec<String> = things.iter().map(T::to_string).collect();
    words.join(", ")
}

/// The place of the output to read: the one named, or the one that tells most.
pub(super) fn chosen_output(ports: &[Port], wanted: Option<&str>) -> Result<usize, RuntimeError> {
    if let Some(wanted) = wanted {
        let found = ports.iter().position(|port| port.name == wanted);
        return found.ok_or_else(|| RuntimeError::NoSuchOutput {
            wanted: wanted.to_owned(),
            outputs: joined(ports),
        });
    }
    let places = |wanted: fn(&Port) -> bool| {
        let found = ports
            .iter()
            .enumerate()
            .filter(move |(_, port)| wanted(port));
        found.map(|(place, _)| place).collect::<Vec<usize>>()
    };
    let (scores, labels) = (places(is_score), places(is_label));
    match (scores.as_slice(), labels.as_slice()) {
        ([score], _) => Ok(*score),
        ([], [label]) => Ok(*label),
        ([], _) => Err(ambiguous(
            ports,
            "none of its outputs looks like a decision",
        )),
        _ => Err(ambiguous(
            ports,
            "several of its outputs could be the score",
        )),
    }
}

/// The output that holds the decisions themselves, beside the scores at `score`.
pub(super) fn label_beside(ports: &[Port], score: usize) -> Option<usize> {
    let mut labels = ports.iter().enumerate();
    labels
        .find(|(place, port)| *place != score && is_label(port))
        .map(|(place, _)| place)
}

/// Probabilities or other scores: real numbers in a table, or scikit-learn's maps.
fn is_score(port: &Port) -> bool {
    match &port.kind {
        Kind::Tensor { element, shape } => {
            matches!(element, Element::Float | Element::Double) && is_table(shape)
        }
        Kind::Maps => true,
        Kind::Other(_) => false,
    }
}

/// Decisions: whole numbers, words or truth values.
pub(super) fn is_label(port: &Port) -> bool {
    match &port.kind {
        Kind::Tensor { element, shape } => {
            let is_class = matches!(
                element,
                Element::Int64 | Element::Int32 | Element::Bool | Element::Text
            );
            is_class && is_table(shape)
        }
        _ => false,
    }
}

/// One row a person; an empty shape is one that is not declared.
fn is_table(shape: &[Dimension]) -> bool {
    shape.len() <= 2
}

fn ambiguous(ports: &[Port], why: &'static str) -> RuntimeError {
    RuntimeError::AmbiguousOutput {
        why,
        outputs: joined(ports),
    }
}

/// How many values a row has in an output of `shape` that answers `rows` rows, if it does.
pub(super) fn columns(shape: &[i64], rows: usize) -> Option<usize> {
    let counts = |size: i64| usize::try_from(size).is_ok_and(|size| size == rows);
    match shape {
        [size] if counts(*size) => Some(1),
        // Some exporters keep dimensions of one behind the columns.
        [size, columns, rest @ ..] if counts(*size) && rest.iter().all(|&one| one == 1) => {
            usize::try_from(*columns)
                .ok()
                .filter(|&columns| columns > 0)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tensor(name: &str, element: Element, shape: &[usize]) -> Port {
        let shape = shape
            .iter()
            .map(|&size| match size {
                0 => Dimension::Free("N".into()),
                size => Dimension::Fixed(size),
            })
            .collect();
        let name = name.to_owned();
        Port {
            name,
            kind: Kind::Tensor { element, shape },
        }
    }

    fn maps(name: &str) -> Port {
        Port {
            name: name.to_owned(),
            kind: Kind::Maps,
        }
    }

    #[test]
    fn a_port_reads_like_its_declaration() {
        let port = tensor("input", Element::Float, &[0, 12]);
        assert_eq!(port.to_string(), "input: float [N, 12]");
    }

    #[test]
    fn the_probabilities_win_over_the_label() {
        let ports = [
            tensor("label", Element::Int64, &[0]),
            tensor("probabilities", Element::Float, &[0, 2]),
        ];
        assert_eq!(chosen_output(&ports, None).unwrap(), 1);
        assert_eq!(label_beside(&ports, 1), Some(0));
        assert_eq!(chosen_output(&ports, Some("label")).unwrap(), 0);
        let error = chosen_output(&ports, Some("probability")).unwrap_err();
        assert!(
            error
                .to_string()
                .contains("label: int64 [N], probabilities: float [N, 2]")
        );
    }

    #[test]
    fn two_scores_ask_for_a_choice() {
        let ports = [
            tensor("p", Element::Float, &[0, 1]),
            tensor("q", Element::Double, &[0]),
        ];
        let error = chosen_output(&ports, None).unwrap_err();
        assert!(
            matches!(error, RuntimeError::AmbiguousOutput { .. }),
            "{error}"
        );
        assert_eq!(chosen_output(&ports, Some("q")).unwrap(), 1);
    }

    #[test]
    fn maps_and_labels_are_told_apart() {
        let ports = [
            tensor("output_label", Element::Text, &[0]),
            maps("output_probability"),
        ];
        assert_eq!(chosen_output(&ports, None).unwrap(), 1);
        assert_eq!(chosen_output(&ports[..1], None).unwrap(), 0);
    }

    #[test]
    fn images_are_no_score() {
        let image = tensor("p", Element::Float, &[0, 3, 8, 8]);
        let error = chosen_output(std::slice::from_ref(&image), None).unwrap_err();
        assert!(error.to_string().contains(&image.to_string()), "{error}");
    }

    #[test]
    fn answers_must_have_one_row_for_each_row() {
        assert_eq!(columns(&[5], 5), Some(1));
        assert_eq!(columns(&[5, 1], 5), Some(1));
        assert_eq!(columns(&[5, 2], 5), Some(2));
        assert_eq!(columns(&[2], 5), None);
        assert_eq!(columns(&[5, 3], 5), Some(3));
        assert_eq!(columns(&[5, 3, 1], 5), Some(3));
        assert_eq!(columns(&[5, 3, 2], 5), None);
        assert_eq!(columns(&[], 1), None);
    }
}
