//! The natural logarithm, the same to the last bit on every machine.
//!
//! `f64::ln` asks the system's mathematical library, and two systems may differ in the last bit.
//! What a model eats, and who meets a constraint, must not depend on that. Sums, products and square
//! roots are exact to the last bit everywhere.

use std::f64::consts::{LN_2, SQRT_2};

/// Enough terms of the series for the last bit.
const TERMS: u32 = 12;

/// The natural logarithm: of 0 it is minus infinity, of less it does not exist.
pub(super) fn natural_logarithm(number: f64) -> f64 {
    if number.is_nan() || number < 0.0 {
        return f64::NAN;
    }
    if number == 0.0 {
        return f64::NEG_INFINITY;
    }
    if number.is_infinite() {
        return number;
    }
    let (fraction, exponent) = divide(number);
    // 2 artanh(s) = log((1 + s) / (1 - s)), whose series is short since |s| < 0.172.
    let s = (fraction - 1.0) / (fraction + 1.0);
    let square = s * s;
    let series = (1..TERMS).rev().fold(0.0, |sum, term| {
        square * (1.0 / f64::from(2 * term + 1) + sum)
    });
    f64::from(exponent) * LN_2 + 2.0 * (s + s * series)
}

/// A number as `fraction * 2^exponent` with the fraction around 1.
fn divide(number: f64) -> (f64, i32) {
    const BIAS: i32 = 1023;
    const FRACTION: u64 = (1 << 52) - 1;
    if number < f64::MIN_POSITIVE {
        let scale = f64::from(1_u32 << 27);
        let (fraction, exponent) = divide(number * scale * scale);
        return (fraction, exponent - 54);
    }
    let bits = number.to_bits();
    let exponent = ((bits >> 52) & 0x7ff) as i32 - BIAS;
    let fraction = f64::from_bits(bits & FRACTION | 1.0_f64.to_bits());
    if fraction > SQRT_2 {
        (fraction / 2.0, exponent + 1)
    } else {
        (fraction, exponent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_agrees_with_the_system_but_for_the_last_bits() {
        let mut number = 1e-320;
        while number < 1e300 {
            let (ours, theirs) = (natural_logarithm(number), number.ln());
            let difference = (ours - theirs).abs();
            assert!(
                difference <= 4.0 * f64::EPSILON * theirs.abs(),
                "log({number})"
            );
            number *= 1.0173;
        }
    }

    #[test]
    fn the_edges() {
        assert_eq!(natural_logarithm(1.0), 0.0);
        assert_eq!(natural_logarithm(0.0), f64::NEG_INFINITY);
        assert_eq!(natural_logarithm(f64::INFINITY), f64::INFINITY);
        assert!(natural_logarithm(-1.0).is_nan());
        assert!(natural_logarithm(f64::NAN).is_nan());
    }

    #[test]
    fn the_bits_are_pinned() {
        // Where these change, so do the columns and snapshots that rest on them.
        let bits = [0.5, 3.0, 10.0, 12345.678].map(|number| natural_logarithm(number).to_bits());
        assert_eq!(bits, BITS);
    }

    const BITS: [u64; 4] = [
        13_827_790_571_168_217_583,
        4_607_626_529_066_517_258,
        4_612_367_379_483_415_829,
        4_621_493_204_086_758_961,
    ];
}
