//! Operators that put numbers elsewhere, pick some of them, or add them up.

use candle_core::{Device, Result, Tensor};

use super::{Apply, Said, place};

pub(super) fn operator(said: &Said<'_>) -> Option<Apply> {
    Some(match said.node.operator.as_str() {
        "Flatten" => {
            let axis = said.whole("axis", 1);
            Box::new(move |inputs| flatten(&inputs[0], axis))
        }
        "Reshape" => {
            let shape = said.wholes(1)?;
            Box::new(move |inputs| reshape(&inputs[0], &shape))
        }
        "Squeeze" => {
            let axes = said.wholes_of("axes", 1)?;
            Box::new(move |inputs| squeeze(&inputs[0], axes.as_deref()))
        }
        "Unsqueeze" => {
            let axes = said.wholes_of("axes", 1)??;
            Box::new(move |inputs| unsqueeze(&inputs[0], &axes))
        }
        "Transpose" => {
            let order = said.wholes_of("perm", usize::MAX)?;
            Box::new(move |inputs| transpose(&inputs[0], order.as_deref()))
        }
        "Concat" => {
            let axis = said.whole("axis", 1);
            Box::new(move |inputs| {
                let axis = place(axis, inputs[0].rank())?;
                Tensor::cat(inputs, axis)
            })
        }
        "Gather" => {
            let (axis, picked) = (said.whole("axis", 0), said.constant(1)?);
            let (single, picked) = (picked.shape.is_empty(), said.wholes(1)?);
            Box::new(move |inputs| gather(&inputs[0], axis, &picked, single))
        }
        "Slice" => slice(said)?,
        "ReduceSum" | "ReduceMean" => reduce(said)?,
        _ => return None,
    })
}

fn flatten(x: &Tensor, axis: i64) -> Result<Tensor> {
    let axis = match usize::try_from(axis) {
        Ok(axis) if axis == x.rank() => axis,
        _ => place(axis, x.rank())?,
    };
    let rows: usize = x.dims()[..axis].iter().product();
    x.reshape((rows, ()))
}

/// 0 keeps a dimension, -1 is whatever is left.
fn reshape(x: &Tensor, shape: &[i64]) -> Result<Tensor> {
    let kept = |(at, &size): (usize, &i64)| match size {
        0 => x.dims().get(at).copied().unwrap_or(0),
        size => size.max(0) as usize,
    };
    let mut sizes: Vec<usize> = shape.iter().enumerate().map(kept).collect();
    if let Some(free) = shape.iter().position(|&size| size == -1) {
        sizes[free] = 1;
        let others: usize = sizes.iter().product();
        sizes[free] = x.elem_count() / others.max(1);
    }
    x.reshape(sizes)
}

fn squeeze(x: &Tensor, axes: Option<&[i64]>) -> Result<Tensor> {
    let rank = x.rank();
    let mut axes = match axes {
        Some(axes) => axes
            .iter()
            .map(|&axis| place(axis, rank))
            .collect::<Result<_>>()?,
        None => (0..rank)
            .filter(|&axis| x.dims()[axis] == 1)
            .collect::<Vec<_>>(),
    };
    axes.sort_unstable();
    axes.into_iter()
        .rev()
        .try_fold(x.clone(), |x, axis| x.squeeze(axis))
}

fn unsqueeze(x: &Tensor, axes: &[i64]) -> Result<Tensor> {
    let rank = x.rank() + axes.len();
    let mut axes: Vec<usize> = axes
        .iter()
        .map(|&axis| place(axis, rank))
        .collect::<Result<_>>()?;
    axes.sort_unstable();
    axes.into_iter()
        .try_fold(x.clone(), |x, axis| x.unsqueeze(axis))
}

fn transpose(x: &Tensor, order: Option<&[i64]>) -> Result<Tensor> {
    let rank = x.rank();
    let order: Vec<usize> = match order {
        Some(order) => order
            .iter()
            .map(|&axis| place(axis, rank))
            .collect::<Result<_>>()?,
        None => (0..rank).rev().collect(),
    };
    x.permute(order)?.contiguous()
}

fn gather(x: &Tensor, axis: i64, picked: &[i64], single: bool) -> Result<Tensor> {
    let axis = place(axis, x.rank())?;
    let size = x.dims()[axis];
    let picked = picked.iter().map(|&at| Ok(place(at, size)? as u32));
    let picked = picked.collect::<Result<Vec<u32>>>()?;
    let picked = Tensor::new(picked, &Device::Cpu)?;
    let gathered = x.contiguous()?.index_select(&picked, axis)?;
    match single {
        true => gathered.squeeze(axis),
        false => Ok(gathered),
    }
}

/// Parts of dimensions, one after the other; steps of more than one are not known.
fn slice(said: &Said<'_>) -> Option<Apply> {
    let (starts, ends) = (said.wholes_of("starts", 1)??, said.wholes_of("ends", 2)??);
    let axes = said.wholes_of("axes", 3)?;
    let axes = axes.unwrap_or_else(|| (0..starts.len() as i64).collect());
    let steps = match said.has(4) {
        true => said.wholes(4)?,
        false => Vec::new(),
    };
    if steps.iter().any(|&step| step != 1) {
        return None;
    }
    Some(Box::new(move |inputs| {
        let mut x = inputs[0].clone();
        for ((&axis, &start), &end) in axes.iter().zip(&starts).zip(&ends) {
            let axis = place(axis, x.rank())?;
            let size = x.dims()[axis] as i64;
            let within = |at: i64| (if at < 0 { at + size } else { at }).clamp(0, size) as usize;
            let (start, end) = (within(start), within(end));
            x = x.narrow(axis, start, end.saturating_sub(start))?;
        }
        x.contiguous()
    }))
}

fn reduce(said: &Said<'_>) -> Option<Apply> {
    let axes = said.wholes_of("axes", 1)?;
    let (keep, mean) = (
        said.whole("keepdims", 1) == 1,
        said.node.operator == "ReduceMean",
    );
    Some(Box::new(move |inputs| {
        let x = &inputs[0];
        let axes: Vec<usize> = match &axes {
            Some(axes) => axes
                .iter()
                .map(|&axis| place(axis, x.rank()))
                .collect::<Result<_>>()?,
            None => (0..x.rank()).collect(),
        };
        match (mean, keep) {
            (true, true) => x.mean_keepdim(axes),
            (true, false) => x.mean(axes),
            (false, true) => x.sum_keepdim(axes),
            (false, false) => x.sum(axes),
        }
    }))
}
