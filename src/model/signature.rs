//! What a model takes and gives, in fairgate's own words, and which of it fairgate can use.
//!
//! Pure data: no runtime is named here, so the choices are tested without one.

use std::fmt;

use super::RuntimeError;

/// The type of one number (or word) in a tensor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Element {
    Float,
    Double,
    Int64,
    Int32,
    Bool,
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
            Element::Other(name) => name,
        })
    }
}

/// One dimension of a declared shape.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Dimension {
    Fixed(usize),
    /// Any size; the name that the model gives it, often empty.
    Free(String),
}

impl Dimension {
    fn fixed(&self) -> Option<usize> {
        match self {
            Dimension::Fixed(size) => Some(*size),
            Dimension::Free(_) => None,
        }
    }
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
pub(super) enum Kind {
    /// An empty shape is one that the model does not declare.
    Tensor {
        element: Element,
        shape: Vec<Dimension>,
    },
    /// A sequence of maps from class to probability: what scikit-learn's ZipMap gives.
    Maps,
    Other(&'static str),
}

/// A named input or output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Port {
    pub(super) name: String,
    pub(super) kind: Kind,
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

/// The one input that takes the rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Input {
    pub(super) element: Element,
    /// Values in a row, where the model fixes it.
    pub(super) width: Option<usize>,
    /// Rows in a batch, where the model fixes it.
    pub(super) batch: Option<usize>,
}

/// The model's only input, if it can take a table of numbers.
pub(super) fn sole_input(ports: &[Port]) -> Result<Input, RuntimeError> {
    let refuse = || RuntimeError::Input {
        wants: joined(ports),
    };
    let [port] = ports else { return Err(refuse()) };
    let Kind::Tensor { element, shape } = &port.kind else {
        return Err(refuse());
    };
    if matches!(element, Element::Bool | Element::Other(_)) {
        return Err(refuse());
    }
    let (batch, width) = match shape.as_slice() {
        [] => (None, None),
        [batch, width] => (batch.fixed(), width.fixed()),
        _ => return Err(refuse()),
    };
    if batch == Some(0) || width == Some(0) {
        return Err(refuse());
    }
    Ok(Input {
        element: element.clone(),
        width,
        batch,
    })
}

/// The output that holds the score: the one named, or the only one that can.
pub(super) fn chosen_output(ports: &[Port], wanted: Option<&str>) -> Result<String, RuntimeError> {
    let port = match (wanted, ports) {
        (Some(wanted), _) => ports
            .iter()
            .find(|port| port.name == wanted)
            .ok_or_else(|| RuntimeError::NoSuchOutput {
                wanted: wanted.to_owned(),
                outputs: joined(ports),
            })?,
        (None, [port]) => port,
        (None, ports) => likeliest(ports)?,
    };
    match objection(port) {
        None => Ok(port.name.clone()),
        Some(help) => Err(RuntimeError::Output {
            what: port.to_string(),
            help,
        }),
    }
}

/// Of several outputs the one that looks like a score; labels are integers or words.
fn likeliest(ports: &[Port]) -> Result<&Port, RuntimeError> {
    let is_score = |port: &&Port| {
        matches!(
            port.kind,
            Kind::Tensor {
                element: Element::Float | Element::Double,
                ..
            }
        ) && objection(port).is_none()
    };
    let scores: Vec<&Port> = ports.iter().filter(is_score).collect();
    match scores.as_slice() {
        [score] => Ok(score),
        [] => match ports.iter().find(|port| port.kind == Kind::Maps) {
            // Reported by itself: naming it in the spec would not help.
            Some(maps) => Ok(maps),
            None => Err(ambiguous(ports, "none of its outputs looks like a score")),
        },
        _ => Err(ambiguous(
            ports,
            "several of its outputs could be the score",
        )),
    }
}

fn ambiguous(ports: &[Port], why: &'static str) -> RuntimeError {
    RuntimeError::AmbiguousOutput {
        why,
        outputs: joined(ports),
    }
}

/// Why an output can be no score, as the way to mend it.
fn objection(port: &Port) -> Option<String> {
    let (element, shape) = match &port.kind {
        Kind::Tensor { element, shape } => (element, shape.as_slice()),
        Kind::Maps => {
            let help = "export the model again with options={\"zipmap\": False}, so that its \
                        probabilities are a float tensor";
            return Some(help.to_owned());
        }
        Kind::Other(_) => return Some(String::from("export the model with a float output [N, 1]")),
    };
    if let Element::Other(name) = element {
        return Some(format!(
            "{name} is no number that fairgate reads: export the probability as float, or name \
             another output with `output = \"...\"` under the model"
        ));
    }
    match shape {
        [] | [_] | [_, Dimension::Free(_) | Dimension::Fixed(1 | 2)] => None,
        [_, Dimension::Fixed(classes)] => Some(format!(
            "fairgate reads one score a row, or the probabilities of two classes; this output has \
             {classes} values a row: add a node that picks the favourable class"
        )),
        _ => Some(String::from(
            "fairgate reads outputs of shape [N], [N, 1] or [N, 2] (then class 1 counts)",
        )),
    }
}

/// How many values a row has in an output of `shape` that answers `rows` rows, if it does.
pub(super) fn columns(shape: &[i64], rows: usize) -> Option<usize> {
    let counts = |size: i64| usize::try_from(size).is_ok_and(|size| size == rows);
    match shape {
        [size] | [size, 1] if counts(*size) => Some(1),
        [size, 2] if counts(*size) => Some(2),
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
    fn one_table_of_numbers_is_an_input() {
        let input = sole_input(&[tensor("x", Element::Int64, &[0, 3])]).unwrap();
        assert_eq!((input.width, input.batch), (Some(3), None));
        let input = sole_input(&[tensor("x", Element::Float, &[1, 3])]).unwrap();
        assert_eq!((input.width, input.batch), (Some(3), Some(1)));
    }

    #[test]
    fn other_inputs_are_refused_by_name() {
        let two = [
            tensor("a", Element::Float, &[0, 1]),
            tensor("b", Element::Float, &[0, 2]),
        ];
        let image = [tensor("image", Element::Float, &[0, 3, 8, 8])];
        let words = [tensor("words", Element::Other("string".into()), &[0, 3])];
        for (ports, name) in [
            (&two[..], "b: float [N, 2]"),
            (&image, "image"),
            (&words, "string"),
        ] {
            let sentence = sole_input(ports).unwrap_err().to_string();
            assert!(sentence.contains(name), "{sentence}");
        }
    }

    #[test]
    fn the_probabilities_win_over_the_label() {
        let ports = [
            tensor("label", Element::Int64, &[0]),
            tensor("probabilities", Element::Float, &[0, 2]),
        ];
        assert_eq!(chosen_output(&ports, None).unwrap(), "probabilities");
        assert_eq!(chosen_output(&ports, Some("label")).unwrap(), "label");
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
        assert_eq!(chosen_output(&ports, Some("q")).unwrap(), "q");
    }

    #[test]
    fn a_zipmap_says_how_to_export_without() {
        let ports = [
            tensor("output_label", Element::Int64, &[0]),
            maps("output_probability"),
        ];
        let error = chosen_output(&ports, None).unwrap_err();
        let help = miette::Diagnostic::help(&error).unwrap().to_string();
        assert!(help.contains("options={\"zipmap\": False}"), "{help}");
    }

    #[test]
    fn many_classes_and_images_are_no_score() {
        for port in [
            tensor("p", Element::Float, &[0, 3]),
            tensor("p", Element::Float, &[0, 1, 1]),
            tensor("p", Element::Other("string".into()), &[0]),
        ] {
            let error = chosen_output(std::slice::from_ref(&port), None).unwrap_err();
            assert!(error.to_string().contains(&port.to_string()), "{error}");
        }
    }

    #[test]
    fn answers_must_have_one_row_for_each_row() {
        assert_eq!(columns(&[5], 5), Some(1));
        assert_eq!(columns(&[5, 1], 5), Some(1));
        assert_eq!(columns(&[5, 2], 5), Some(2));
        assert_eq!(columns(&[2], 5), None);
        assert_eq!(columns(&[5, 3], 5), None);
        assert_eq!(columns(&[], 1), None);
    }
}
