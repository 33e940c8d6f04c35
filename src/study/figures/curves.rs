//! Finds over queries: a small panel for each benchmark.

use plotters::coord::Shift;
use plotters::drawing::DrawingArea;
use plotters::prelude::{DrawingBackend, PathElement, Polygon};
use plotters::style::Color as _;

use super::frame::{Axis, Frame, Panel, Scale};
use super::palette::{colour, legend, legend_height};
use super::{Drawing, Drawn};

const ACROSS: usize = 4;
const WIDTH: u32 = 1000;
const HEIGHT: u32 = 210;

/// Labels below a panel at the most.
const MOST_LABELS: usize = 5;

/// How dark the range of the rounds is.
const SHADE: f64 = 0.18;

/// Panels of curves.
pub(in crate::study) struct Curves {
    /// One for each benchmark.
    pub panels: Vec<CurvePanel>,
}

/// A panel.
pub(in crate::study) struct CurvePanel {
    /// The benchmark.
    pub title: String,
    /// The curves.
    pub curves: Vec<Growth>,
}

/// A curve with its range.
pub(in crate::study) struct Growth {
    /// The method's title.
    pub name: &'static str,
    /// The place of its method, for the colour.
    pub place: usize,
    /// Queries, and the least, the mean and the largest number of finds after them.
    pub points: Vec<(f64, [f64; 3])>,
}

impl Curves {
    fn names(&self) -> Vec<(usize, &'static str)> {
        let curves = self.panels.iter().flat_map(|panel| &panel.curves);
        let mut names: Vec<_> = curves.map(|curve| (curve.place, curve.name)).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    fn rows(&self) -> usize {
        self.panels.len().div_ceil(ACROSS).max(1)
    }

    fn legend_height(&self) -> u32 {
        let names: Vec<&str> = self.names().iter().map(|&(_, name)| name).collect();
        legend_height(WIDTH, &names)
    }
}

impl Drawing for Curves {
    fn size(&self) -> (u32, u32) {
        (WIDTH, HEIGHT * self.rows() as u32 + self.legend_height())
    }

    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> Drawn<B> {
        let (above, below) = area.split_vertically(self.legend_height());
        legend(&above, &self.names(), false)?;
        let areas = below.split_evenly((self.rows(), ACROSS));
        for (panel, area) in self.panels.iter().zip(&areas) {
            draw_panel(panel, area)?;
        }
        Ok(())
    }
}

fn draw_panel<B: DrawingBackend>(panel: &CurvePanel, area: &DrawingArea<B, Shift>) -> Drawn<B> {
    let points = || panel.curves.iter().flat_map(|curve| &curve.points);
    let queries = points().map(|&(queries, _)| queries);
    // A mean below one find has no decade of its own: it lies at the bottom.
    let found = points().flat_map(|&(_, found)| found.map(|found| found.max(1.0)));
    let frame = Frame {
        title: panel.title.clone(),
        x: fewer(short(Axis::of(queries, Scale::Logarithmic, "queries"))),
        y: short(Axis::of(found, Scale::Logarithmic, "")),
        upright: false,
        left: 0,
    };
    let mut chart = frame.draw(area)?;
    for curve in &panel.curves {
        draw_curve(&mut chart, curve, &frame)?;
    }
    Ok(())
}

/// There is room for short labels only.
fn short(mut axis: Axis) -> Axis {
    for (_, label) in &mut axis.ticks {
        *label = label
            .replace(",000,000,000", "G")
            .replace(",000,000", "M")
            .replace(",000", "k");
    }
    axis
}

/// Side by side there is room for every other label of many.
fn fewer(mut axis: Axis) -> Axis {
    if axis.ticks.len() > MOST_LABELS {
        let mut place = 0;
        axis.ticks.retain(|_| {
            place += 1;
            place % 2 == 1
        });
    }
    axis
}

fn draw_curve<B: DrawingBackend>(
    chart: &mut Panel<'_, B>,
    curve: &Growth,
    frame: &Frame,
) -> Drawn<B> {
    let points: Vec<(f64, [f64; 3])> = curve
        .points
        .iter()
        .map(|&(queries, found)| {
            (
                frame.x.place(queries),
                found.map(|found| frame.y.place(found)),
            )
        })
        .collect();
    let low = points.iter().map(|&(x, [least, _, _])| (x, least));
    let high = points.iter().rev().map(|&(x, [_, _, most])| (x, most));
    let colour = colour(curve.place);
    let shade = Polygon::new(
        low.chain(high).collect::<Vec<_>>(),
        colour.mix(SHADE).filled(),
    );
    chart.draw_series([shade])?;
    let line: Vec<(f64, f64)> = points.iter().map(|&(x, [_, mean, _])| (x, mean)).collect();
    chart.draw_series([PathElement::new(line, colour.stroke_width(2))])?;
    Ok(())
}
