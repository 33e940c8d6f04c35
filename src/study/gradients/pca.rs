//! Principal components: the plane in which points vary the most.

use linfa_linalg::eigh::{EigSort as _, EighInto as _};
use ndarray_for_linfa::{Array1, Array2, Axis};

/// Points of several dimensions seen on their two principal components.
pub(super) struct Plane {
    /// The points, in order.
    pub points: Vec<[f64; 2]>,
    /// The share of the variance along each component.
    pub shares: [f64; 2],
}

/// The plane of points that lie one after another; none where there are fewer than two dimensions, or where
/// nothing varies.
pub(super) fn plane(points: &[f64], dimensions: usize) -> Option<Plane> {
    let count = points.len() / dimensions.max(1);
    if dimensions < 2 || count < 2 {
        return None;
    }
    let matrix = Array2::from_shape_vec((count, dimensions), points.to_vec()).ok()?;
    let centred = &matrix - &matrix.mean_axis(Axis(0))?;
    let covariance = centred.t().dot(&centred) / (count - 1) as f64;
    let total: f64 = covariance.diag().sum();
    if !total.is_finite() || total <= 0.0 {
        return None;
    }
    let (values, vectors) = covariance.eigh_into().ok()?.sort_eig_desc();
    let axes = [0, 1].map(|place| upright(vectors.column(place).to_owned()));
    let along = axes.map(|axis| centred.dot(&axis));
    Some(Plane {
        points: along[0]
            .iter()
            .zip(&along[1])
            .map(|(&x, &y)| [x, y])
            .collect(),
        shares: [values[0] / total, values[1] / total],
    })
}

/// An axis has two directions: the one in which its largest part is positive.
fn upright(axis: Array1<f64>) -> Array1<f64> {
    let largest = axis
        .iter()
        .copied()
        .reduce(|one, other| match other.abs() > one.abs() {
            true => other,
            false => one,
        });
    match largest {
        Some(largest) if largest < 0.0 => -axis,
        _ => axis,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_component_is_where_points_vary_the_most() {
        // numpy.linalg.eigh of the covariance of these points, NumPy 2.4.6: eigenvalues
        // 9.49069, 0.01631 and 0.
        let points = [
            [0.0, 0.0, 1.0],
            [1.0, 2.1, 1.0],
            [2.0, 3.9, 1.0],
            [3.0, 6.2, 1.0],
            [3.5, 6.4, 1.0],
        ];
        let plane = plane(points.as_flattened(), 3).unwrap();
        assert!(
            (plane.shares[0] - 0.998_285).abs() < 1e-5,
            "{:?}",
            plane.shares
        );
        assert!((plane.shares.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        let order: Vec<f64> = plane.points.iter().map(|point| point[0]).collect();
        assert!(order.is_sorted(), "{order:?}");
        let mean: f64 = order.iter().sum::<f64>() / 5.0;
        assert!(mean.abs() < 1e-12);
    }

    #[test]
    fn points_that_do_not_vary_have_no_plane() {
        assert!(plane(&[1.0, 2.0, 1.0, 2.0], 2).is_none());
        assert!(plane(&[1.0, 2.0, 3.0], 1).is_none());
        assert!(plane(&[], 3).is_none());
    }
}
