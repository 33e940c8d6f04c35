//! Operators with weights: the layers of a network, and scikit-learn's linear models.

use candle_core::{Device, Result, Tensor};

use super::activations::{sigmoid, softmax};
use super::{Apply, Said};

pub(super) fn operator(said: &Said<'_>) -> Option<Apply> {
    Some(match said.node.operator.as_str() {
        "MatMul" => Box::new(|inputs| inputs[0].broadcast_matmul(&inputs[1])),
        "Gemm" => gemm(said),
        "BatchNormalization" => batch_normalization(said)?,
        "Scaler" => scaler(said)?,
        "Normalizer" => normalizer(said)?,
        "LinearClassifier" | "LinearRegressor" => linear_model(said)?,
        _ => return None,
    })
}

fn gemm(said: &Said<'_>) -> Apply {
    let (alpha, beta) = (said.number("alpha", 1.0), said.number("beta", 1.0));
    let turned = ["transA", "transB"].map(|key| said.whole(key, 0) == 1);
    Box::new(move |inputs| {
        let factor = |at: usize| match turned[at] {
            true => inputs[at].t(),
            false => Ok(inputs[at].clone()),
        };
        let mut product = factor(0)?.matmul(&factor(1)?)?;
        if alpha != 1.0 {
            product = (product * alpha)?;
        }
        match inputs.get(2) {
            Some(added) if beta == 1.0 => product.broadcast_add(added),
            Some(added) => product.broadcast_add(&(added * beta)?),
            None => Ok(product),
        }
    })
}

/// As it is when a model is used: by the mean and the variance of the training.
fn batch_normalization(said: &Said<'_>) -> Option<Apply> {
    let epsilon = said.number("epsilon", 1e-5);
    if said.whole("training_mode", 0) == 1 {
        return None;
    }
    Some(Box::new(move |inputs| {
        let x = &inputs[0];
        // The second dimension is the one that has a mean each.
        let mut shape = vec![1; x.rank()];
        if let (Some(size), Some(&own)) = (shape.get_mut(1), x.dims().get(1)) {
            *size = own;
        }
        let weight = |at: usize| inputs[at].reshape(shape.as_slice());
        let (scale, shift, mean) = (weight(1)?, weight(2)?, weight(3)?);
        let deviation = (weight(4)? + epsilon)?.sqrt()?;
        let centred = x.broadcast_sub(&mean)?;
        centred
            .broadcast_mul(&(scale / deviation)?)?
            .broadcast_add(&shift)
    }))
}

fn scaler(said: &Said<'_>) -> Option<Apply> {
    let vector = |key| row(&said.numbers(key));
    let (offset, scale) = (vector("offset").ok()?, vector("scale").ok()?);
    Some(Box::new(move |inputs| {
        inputs[0].broadcast_sub(&offset)?.broadcast_mul(&scale)
    }))
}

fn row(numbers: &[f64]) -> Result<Tensor> {
    Tensor::from_slice(numbers, (1, numbers.len()), &Device::Cpu)
}

/// Each row over its length.
fn normalizer(said: &Said<'_>) -> Option<Apply> {
    let length: fn(&Tensor) -> Result<Tensor> = match said.word("norm") {
        "L1" => |x| x.abs()?.sum_keepdim(1),
        "L2" => |x| x.sqr()?.sum_keepdim(1)?.sqrt(),
        _ => return None,
    };
    Some(Box::new(move |inputs| {
        inputs[0].broadcast_div(&length(&inputs[0])?)
    }))
}

/// A sum of attributes for each class or number, and what is made of the sums.
fn linear_model(said: &Said<'_>) -> Option<Apply> {
    let (weights, intercepts) = (said.numbers("coefficients"), said.numbers("intercepts"));
    let link: fn(&Tensor) -> Result<Tensor> = match said.word("post_transform") {
        "" | "NONE" => |sums| Ok(sums.clone()),
        "LOGISTIC" => sigmoid,
        "SOFTMAX" => |sums| softmax(sums, 1),
        _ => return None,
    };
    let classes = said.node.operator == "LinearClassifier";
    let sums = match (classes, intercepts.len(), said.whole("targets", 1)) {
        (false, _, targets) => usize::try_from(targets).ok()?,
        // One sum for two classes: whose numbers these are is for the runtime to say.
        (true, 0 | 1, _) => return None,
        (true, sums, _) => sums,
    };
    let shape = (sums, weights.len() / sums.max(1));
    let weights = Tensor::from_vec(weights, shape, &Device::Cpu)
        .ok()?
        .t()
        .ok()?;
    let intercepts = match intercepts.is_empty() {
        true => row(&vec![0.0; sums]).ok()?,
        false => row(&intercepts).ok()?,
    };
    Some(Box::new(move |inputs| {
        link(&inputs[0].matmul(&weights)?.broadcast_add(&intercepts)?)
    }))
}
