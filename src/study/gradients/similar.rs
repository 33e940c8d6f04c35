//! What is compared: gradients, and what the two phases make of them.

/// The cosine of the angle between two vectors. Two that are zero point the same way; one that is does
/// not point the way of one that is not.
pub(super) fn cosine(one: &[f64], other: &[f64]) -> f64 {
    let dot = |one: &[f64], other: &[f64]| one.iter().zip(other).map(|(a, b)| a * b).sum::<f64>();
    let lengths = (dot(one, one) * dot(other, other)).sqrt();
    if lengths > 0.0 {
        return (dot(one, other) / lengths).clamp(-1.0, 1.0);
    }
    f64::from(u8::from(dot(one, one) == dot(other, other)))
}

/// The direction of a global step: where both gradients of a pair have the same sign, against it.
pub(super) fn direction(own: &[f64], other: &[f64]) -> Vec<f64> {
    let agreed = |(own, other): (&f64, &f64)| match sign(*own) == sign(*other) {
        true => -sign(*own),
        false => 0.0,
    };
    own.iter().zip(other).map(agreed).collect()
}

/// How likely each attribute is chosen in a local step: the less it matters to a pair, the likelier.
pub(super) fn probabilities(own: &[f64], other: &[f64]) -> Vec<f64> {
    let weight = |(own, other): (&f64, &f64)| 1.0 / (own.abs() + other.abs() + SMALLEST);
    let weights: Vec<f64> = own.iter().zip(other).map(weight).collect();
    let sum: f64 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / sum).collect()
}

/// Keeps the reciprocal of a zero gradient finite: the local phase's own.
const SMALLEST: f64 = crate::search::SMALLEST_SALIENCE;

/// The share of numbers whose signs agree.
pub(super) fn signs_that_agree(one: &[f64], other: &[f64]) -> f64 {
    let agree = one
        .iter()
        .zip(other)
        .filter(|(one, other)| sign(**one) == sign(**other));
    agree.count() as f64 / one.len().max(1) as f64
}

fn sign(value: f64) -> f64 {
    f64::from(i8::from(value > 0.0) - i8::from(value < 0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cosines_are_of_angles() {
        assert!((cosine(&[1.0, 1.0], &[2.0, 2.0]) - 1.0).abs() < 1e-12);
        assert!((cosine(&[1.0, 0.0], &[1.0, 1.0]) - 0.5_f64.sqrt()).abs() < 1e-12);
        assert_eq!(cosine(&[1.0, 0.0], &[0.0, 3.0]), 0.0);
        assert_eq!(cosine(&[1.0], &[-1.0]), -1.0);
        assert_eq!(cosine(&[0.0], &[0.0]), 1.0);
        assert_eq!(cosine(&[0.0], &[1.0]), 0.0);
    }

    #[test]
    fn a_direction_is_where_a_pair_agrees() {
        assert_eq!(
            direction(&[1.0, -2.0, 3.0, 0.0], &[0.5, -0.1, -3.0, 0.0]),
            [-1.0, 1.0, 0.0, 0.0]
        );
    }

    #[test]
    fn what_matters_little_is_likely_to_be_chosen() {
        let likely = probabilities(&[1.0, 0.5], &[1.0, 0.0]);
        assert!(
            (likely[0] - 0.2).abs() < 1e-5 && (likely[1] - 0.8).abs() < 1e-5,
            "{likely:?}"
        );
        assert_eq!(
            signs_that_agree(&[1.0, -1.0, 0.0, 2.0], &[2.0, 1.0, 0.0, 0.0]),
            0.5
        );
    }
}
