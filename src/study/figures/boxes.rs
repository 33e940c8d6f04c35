//! Box plots, panel below panel, with the same groups in each.

use plotters::coord::Shift;
use plotters::drawing::DrawingArea;
use plotters::prelude::{Circle, DrawingBackend, PathElement, Rectangle};
use plotters::style::{Color as _, RGBColor};

use super::frame::{Axis, Frame, Panel, Scale, draw_below_each_other};
use super::palette::{GREY, INK, colour};
use super::{Drawing, Drawn};
use crate::study::stats::Spread;

const WIDTH: u32 = 1000;
const HEIGHT: u32 = 270;

/// The half of a box's width, where groups are one apart.
const HALF: f64 = 0.3;

/// Box plots.
pub(in crate::study) struct Boxes {
    /// The groups, from left to right.
    pub groups: Vec<BoxGroup>,
    /// What the groups are.
    pub label: String,
    /// The panels, from above.
    pub panels: Vec<BoxPanel>,
}

/// A group.
pub(in crate::study) struct BoxGroup {
    /// Its name.
    pub name: String,
    /// The place of its method, for the colour.
    pub place: usize,
}

/// A panel.
pub(in crate::study) struct BoxPanel {
    /// What it shows.
    pub title: String,
    /// What its numbers are.
    pub label: String,
    /// How they become places.
    pub scale: Scale,
    /// One for each group; nothing where there are no values.
    pub spreads: Vec<Option<Spread>>,
}

impl Drawing for Boxes {
    fn size(&self) -> (u32, u32) {
        (WIDTH, HEIGHT * self.panels.len().max(1) as u32 + 30)
    }

    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> Drawn<B> {
        draw_below_each_other(area, &self.panels, axis, |panel, y, left, area| {
            self.draw_panel(panel, y, left, area)
        })
    }
}

impl Boxes {
    fn draw_panel<B: DrawingBackend>(
        &self,
        panel: &BoxPanel,
        y: Axis,
        left: u32,
        area: &DrawingArea<B, Shift>,
    ) -> Drawn<B> {
        let frame = Frame {
            title: panel.title.clone(),
            x: Axis::names(
                self.groups.iter().map(|group| group.name.as_str()),
                &self.label,
            ),
            y,
            upright: false,
            left,
        };
        let mut chart = frame.draw(area)?;
        let place_of = |value: f64| frame.y.place(value);
        for (place, (spread, group)) in panel.spreads.iter().zip(&self.groups).enumerate() {
            if let Some(spread) = spread {
                draw_box(
                    &mut chart,
                    place as f64,
                    spread,
                    &place_of,
                    colour(group.place),
                )?;
            }
        }
        Ok(())
    }
}

fn axis(panel: &BoxPanel) -> Axis {
    let spreads = panel.spreads.iter().flatten();
    let values = spreads.flat_map(|spread| spread.outliers.iter().chain(&spread.whiskers).copied());
    Axis::of(values, panel.scale, &panel.label)
}

fn draw_box<B: DrawingBackend>(
    chart: &mut Panel<'_, B>,
    x: f64,
    spread: &Spread,
    place: &impl Fn(f64) -> f64,
    colour: RGBColor,
) -> Drawn<B> {
    let [first, median, third] = spread.quartiles.map(place);
    let [low, high] = spread.whiskers.map(place);
    let corners = [(x - HALF, first), (x + HALF, third)];
    let across = |y: f64, half: f64| vec![(x - half, y), (x + half, y)];
    let whiskers = [
        vec![(x, low), (x, first)],
        vec![(x, third), (x, high)],
        across(low, HALF / 2.0),
        across(high, HALF / 2.0),
    ];
    chart.draw_series([
        Rectangle::new(corners, colour.mix(0.35).filled()),
        Rectangle::new(corners, colour.stroke_width(1)),
    ])?;
    chart.draw_series(whiskers.map(|points| PathElement::new(points, colour)))?;
    chart.draw_series([PathElement::new(across(median, HALF), INK.stroke_width(2))])?;
    let mean = Circle::new((x, place(spread.mean)), 3, INK.filled());
    chart.draw_series([mean])?;
    let outliers = spread.outliers.iter().map(|&value| (x, place(value)));
    chart.draw_series(outliers.map(|point| Circle::new(point, 2, GREY)))?;
    Ok(())
}
