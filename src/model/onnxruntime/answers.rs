//! What ONNX Runtime answers, as plain data.

use ort::value::{
    DynMap, DynSequenceValueType, DynValue, PrimitiveTensorElementType, TensorElementType,
    ValueType,
};

use super::super::runtime_error::RuntimeError;
use super::super::signature;
use super::super::tensor::Answer;
use super::run_error;

/// What an output says about each of `rows` rows.
pub(super) fn read(output: &DynValue, rows: usize) -> Result<Answer, RuntimeError> {
    let wrong = |shape: String| RuntimeError::Answer { rows, shape };
    let (ty, shape) = match output.dtype() {
        ValueType::Tensor { ty, shape, .. } => (*ty, shape),
        ValueType::Sequence(_) => return maps(output, rows),
        _ => return Err(wrong("no tensor".to_owned())),
    };
    let columns = signature::columns(shape, rows).ok_or_else(|| wrong(signature::joined(shape)))?;
    if ty == TensorElementType::String {
        let (_, words) = output.try_extract_strings().map_err(run_error)?;
        return match columns {
            1 => Ok(Answer::Words(words)),
            _ => Err(wrong(signature::joined(shape))),
        };
    }
    let whole = match ty {
        TensorElementType::Int64 => extracted(output, |label: i64| label),
        TensorElementType::Int32 => extracted(output, |label: i32| i64::from(label)),
        TensorElementType::Bool => extracted(output, |label: bool| i64::from(label)),
        TensorElementType::Float64 => return numbers(output, columns, |number: f64| number as f32),
        _ => return numbers(output, columns, |number: f32| number),
    };
    let whole = whole.map_err(run_error)?;
    Ok(match columns {
        1 => Answer::Whole(whole),
        _ => Answer::Numbers {
            columns,
            values: whole.into_iter().map(|number| number as f32).collect(),
        },
    })
}

fn numbers<T: PrimitiveTensorElementType + Copy>(
    output: &DynValue,
    columns: usize,
    number: impl Fn(T) -> f32,
) -> Result<Answer, RuntimeError> {
    let values = extracted(output, number).map_err(run_error)?;
    Ok(Answer::Numbers { columns, values })
}

fn extracted<T: PrimitiveTensorElementType + Copy, V>(
    output: &DynValue,
    make: impl Fn(T) -> V,
) -> ort::Result<Vec<V>> {
    let (_, values) = output.try_extract_tensor::<T>()?;
    Ok(values.iter().copied().map(make).collect())
}

/// scikit-learn's ZipMap: a map from class to probability for each row. Classes are in sorted order,
/// as scikit-learn has them.
fn maps(output: &DynValue, rows: usize) -> Result<Answer, RuntimeError> {
    let wrong = |shape: &str| RuntimeError::Answer {
        rows,
        shape: shape.to_owned(),
    };
    let sequence = output.view().downcast::<DynSequenceValueType>();
    let sequence = sequence.map_err(run_error)?;
    let maps: Vec<DynMap> = sequence.try_extract_sequence().map_err(run_error)?;
    if maps.len() != rows {
        return Err(wrong("another number of maps"));
    }
    let mut classes: Vec<String> = Vec::new();
    let mut values = Vec::with_capacity(rows * 2);
    for map in &maps {
        let by_class = by_class(map)?;
        if classes.is_empty() {
            classes = by_class.iter().map(|(class, _)| class.clone()).collect();
        }
        if by_class.len() != classes.len() {
            return Err(wrong("maps of different classes"));
        }
        values.extend(by_class.into_iter().map(|(_, value)| value));
    }
    Ok(Answer::Named { classes, values })
}

/// The classes of a map, in sorted order, with their probabilities.
fn by_class(map: &DynMap) -> Result<Vec<(String, f32)>, RuntimeError> {
    if let Ok(numbers) = map.try_extract_map::<i64, f32>() {
        let mut numbers: Vec<(i64, f32)> = numbers.into_iter().collect();
        numbers.sort_by_key(|(class, _)| *class);
        let named = numbers.into_iter();
        return Ok(named.map(|(class, p)| (class.to_string(), p)).collect());
    }
    let words = map.try_extract_map::<String, f32>().map_err(run_error)?;
    let mut words: Vec<(String, f32)> = words.into_iter().collect();
    words.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(words)
}
