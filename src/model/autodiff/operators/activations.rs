//! Operators on each number by itself, and on two numbers.

use candle_core::{Result, Tensor};

use super::{Apply, Said, hands_on, place};

pub(super) fn operator(said: &Said<'_>) -> Option<Apply> {
    if hands_on(said.node) {
        return Some(Box::new(|inputs| Ok(inputs[0].clone())));
    }
    plain(&said.node.operator)
        .map(|apply| -> Apply { Box::new(move |inputs| apply(&inputs[0])) })
        .or_else(|| of_two(&said.node.operator))
        .or_else(|| with_settings(said))
}

/// Operators that have nothing to set.
fn plain(operator: &str) -> Option<fn(&Tensor) -> Result<Tensor>> {
    Some(match operator {
        "Relu" => relu,
        "Sigmoid" => sigmoid,
        "Tanh" => Tensor::tanh,
        "Softplus" => softplus,
        "Softsign" => |x| x / (x.abs()? + 1.0)?,
        "Exp" => Tensor::exp,
        "Log" => Tensor::log,
        "Sqrt" => Tensor::sqrt,
        "Neg" => Tensor::neg,
        "Abs" => Tensor::abs,
        "Reciprocal" => Tensor::recip,
        "Erf" => Tensor::erf,
        _ => return None,
    })
}

/// Operators on numbers side by side.
fn of_two(operator: &str) -> Option<Apply> {
    let apply: fn(&Tensor, &Tensor) -> Result<Tensor> = match operator {
        "Add" => Tensor::broadcast_add,
        "Sub" => Tensor::broadcast_sub,
        "Mul" => Tensor::broadcast_mul,
        "Div" => Tensor::broadcast_div,
        "Min" => Tensor::broadcast_minimum,
        "Max" => Tensor::broadcast_maximum,
        "PRelu" => |x, slope| {
            let falling = x.broadcast_mul(slope)?;
            x.gt(0.0)?.where_cond(x, &falling)
        },
        _ => return None,
    };
    // `Min` and `Max` take any number of inputs.
    Some(Box::new(move |inputs| {
        let first = inputs[0].clone();
        inputs[1..]
            .iter()
            .try_fold(first, |all, next| apply(&all, next))
    }))
}

fn with_settings(said: &Said<'_>) -> Option<Apply> {
    Some(match said.node.operator.as_str() {
        "LeakyRelu" => {
            let alpha = said.number("alpha", 0.01);
            Box::new(move |inputs| leaky_relu(&inputs[0], alpha))
        }
        "Elu" => {
            let alpha = said.number("alpha", 1.0);
            Box::new(move |inputs| inputs[0].elu(alpha))
        }
        "Selu" => {
            let alpha = said.number("alpha", 1.673_263_192_176_818_8);
            let gamma = said.number("gamma", 1.050_701_022_148_132_3);
            Box::new(move |inputs| inputs[0].elu(alpha)? * gamma)
        }
        "HardSigmoid" => {
            let (alpha, beta) = (said.number("alpha", 0.2), said.number("beta", 0.5));
            Box::new(move |inputs| clip(&inputs[0].affine(alpha, beta)?, Some(0.0), Some(1.0)))
        }
        "Clip" => {
            let (least, most) = (said.number_of("min", 1)?, said.number_of("max", 2)?);
            Box::new(move |inputs| clip(&inputs[0], least, most))
        }
        "Pow" => {
            let exponent = *said.constant(1)?.values.first()?;
            Box::new(move |inputs| inputs[0].powf(exponent))
        }
        "Softmax" => {
            let axis = said.whole("axis", -1);
            Box::new(move |inputs| softmax(&inputs[0], axis))
        }
        "LogSoftmax" => {
            let axis = said.whole("axis", -1);
            Box::new(move |inputs| log_softmax(&inputs[0], axis))
        }
        _ => return None,
    })
}

/// Flat at 0 itself, as everywhere else: the library's own is steep there.
fn relu(x: &Tensor) -> Result<Tensor> {
    leaky_relu(x, 0.0)
}

fn leaky_relu(x: &Tensor, alpha: f64) -> Result<Tensor> {
    x.gt(0.0)?.where_cond(x, &(x * alpha)?)
}

/// Exact however far from 0, with its slope: nothing here grows beyond 1.
pub(in crate::model::autodiff) fn sigmoid(x: &Tensor) -> Result<Tensor> {
    let small = x.abs()?.neg()?.exp()?;
    let whole = (&small + 1.0)?;
    x.ge(0.0)?.where_cond(&whole.recip()?, &(small / &whole)?)
}

fn softplus(x: &Tensor) -> Result<Tensor> {
    let small = x.abs()?.neg()?.exp()?;
    x.relu()? + (small + 1.0)?.log()?
}

fn clip(x: &Tensor, least: Option<f64>, most: Option<f64>) -> Result<Tensor> {
    let x = match least {
        Some(least) => x.maximum(least)?,
        None => x.clone(),
    };
    match most {
        Some(most) => x.minimum(most),
        None => Ok(x),
    }
}

/// Taking the largest away changes nothing but keeps the powers small.
fn lowered(x: &Tensor, axis: usize) -> Result<Tensor> {
    x.broadcast_sub(&x.max_keepdim(axis)?.detach())
}

pub(in crate::model::autodiff) fn softmax(x: &Tensor, axis: i64) -> Result<Tensor> {
    let axis = place(axis, x.rank())?;
    let powers = lowered(x, axis)?.exp()?;
    powers.broadcast_div(&powers.sum_keepdim(axis)?)
}

fn log_softmax(x: &Tensor, axis: i64) -> Result<Tensor> {
    let axis = place(axis, x.rank())?;
    let lowered = lowered(x, axis)?;
    let sum = lowered.exp()?.sum_keepdim(axis)?;
    lowered.broadcast_sub(&sum.log()?)
}
