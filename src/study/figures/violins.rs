//! Violins: how values between two ends are spread, one for each benchmark.

use plotters::coord::Shift;
use plotters::drawing::DrawingArea;
use plotters::prelude::{Circle, DrawingBackend, PathElement, Polygon};
use plotters::style::Color as _;

use super::frame::{Axis, Frame, Panel, Scale, draw_below_each_other};
use super::palette::{INK, colour};
use super::{Drawing, Drawn};
use crate::study::stats::Spread;

const WIDTH: u32 = 1000;
const HEIGHT: u32 = 260;

/// The half of the widest place, where violins are one apart.
const HALF: f64 = 0.42;

/// Heights at which the density is taken.
const HEIGHTS: usize = 120;

/// Panels of violins.
pub(in crate::study) struct Violins {
    /// The benchmarks, from left to right.
    pub names: Vec<String>,
    /// The panels, from above.
    pub panels: Vec<ViolinPanel>,
}

/// A panel.
pub(in crate::study) struct ViolinPanel {
    /// What it shows.
    pub title: String,
    /// What its numbers are.
    pub label: String,
    /// One for each benchmark.
    pub violins: Vec<Violin>,
}

/// A violin.
pub(in crate::study) struct Violin {
    /// The values.
    pub values: Vec<f64>,
}

impl Drawing for Violins {
    fn size(&self) -> (u32, u32) {
        (WIDTH, HEIGHT * self.panels.len().max(1) as u32)
    }

    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> Drawn<B> {
        draw_below_each_other(area, &self.panels, axis, |panel, y, left, area| {
            let frame = Frame {
                title: panel.title.clone(),
                x: Axis::names(self.names.iter().map(String::as_str), ""),
                y,
                upright: self.names.iter().any(|name| name.chars().count() > 6),
                left,
            };
            let mut chart = frame.draw(area)?;
            for (place, violin) in panel.violins.iter().enumerate() {
                draw_violin(&mut chart, place as f64, &violin.values)?;
            }
            Ok(())
        })
    }
}

fn axis(panel: &ViolinPanel) -> Axis {
    let values = panel
        .violins
        .iter()
        .flat_map(|violin| violin.values.iter().copied());
    Axis::of(values, Scale::Linear, &panel.label)
}

fn draw_violin<B: DrawingBackend>(chart: &mut Panel<'_, B>, x: f64, values: &[f64]) -> Drawn<B> {
    let Some(spread) = Spread::of(values) else {
        return Ok(());
    };
    let outline = density(values);
    let widest = outline
        .iter()
        .map(|&(_, width)| width)
        .fold(f64::MIN_POSITIVE, f64::max);
    let side = |sign: f64| {
        let half = HALF * sign / widest;
        outline.iter().map(move |&(y, width)| (x + half * width, y))
    };
    let right: Vec<(f64, f64)> = side(1.0).collect();
    let mut points: Vec<(f64, f64)> = side(-1.0).collect();
    points.extend(right.into_iter().rev());
    chart.draw_series([Polygon::new(points, colour(0).mix(0.4).filled())])?;
    let [first, median, third] = spread.quartiles;
    chart.draw_series([PathElement::new(
        vec![(x, first), (x, third)],
        INK.stroke_width(3),
    )])?;
    let across = vec![(x - HALF / 4.0, median), (x + HALF / 4.0, median)];
    chart.draw_series([PathElement::new(across, INK.stroke_width(2))])?;
    chart.draw_series([Circle::new((x, spread.mean), 3, INK.filled())])?;
    Ok(())
}

/// How dense the values are at some heights from the least to the largest: a sum of normal
/// distributions, as wide as Silverman's rule says.
fn density(values: &[f64]) -> Vec<(f64, f64)> {
    let (least, most) = values.iter().fold(
        (f64::INFINITY, f64::NEG_INFINITY),
        |(least, most), &value| (least.min(value), most.max(value)),
    );
    let count = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / count;
    let deviation = (values
        .iter()
        .map(|value| (value - mean).powi(2))
        .sum::<f64>()
        / count)
        .sqrt();
    let width = (1.06 * deviation * count.powf(-0.2))
        .max((most - least) / 200.0)
        .max(1e-3);
    let height = |place: usize| least + (most - least) * place as f64 / (HEIGHTS - 1) as f64;
    (0..HEIGHTS)
        .map(|place| {
            let y = height(place);
            let near = values
                .iter()
                .map(|value| (-0.5 * ((value - y) / width).powi(2)).exp());
            (y, near.sum::<f64>() / count)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_violin_is_widest_where_most_values_are() {
        let mut values = vec![0.99; 90];
        values.extend([0.2, 0.4, 0.6, 0.7, 0.5, 0.3, 0.8, 0.1, 0.0, 0.25]);
        let outline = density(&values);
        let widest = outline
            .iter()
            .max_by(|one, other| one.1.total_cmp(&other.1));
        assert!(widest.unwrap().0 > 0.95);
        assert_eq!(outline.len(), HEIGHTS);
        assert!(
            density(&[0.5])
                .iter()
                .all(|&(y, width)| y == 0.5 && width > 0.0)
        );
    }
}
