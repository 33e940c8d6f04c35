//! The frame of a panel: title, axes, grid and labels.

use plotters::chart::{ChartBuilder, ChartContext};
use plotters::coord::Shift;
use plotters::coord::types::RangedCoordf64;
use plotters::drawing::{DrawingArea, DrawingAreaErrorKind};
use plotters::prelude::{Cartesian2d, DrawingBackend, PathElement, Text};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color as _, FontTransform, IntoFont as _, TextStyle};

use super::Drawn;
use super::palette::{FAINT, GREY, INK};
use crate::words::grouped;

/// The family that every viewer has; the PNG has its own.
pub(super) const FONT: &str = "sans-serif";
/// The size of labels, in units.
pub(super) const SMALL: u32 = 12;
const LARGE: u32 = 14;

/// How far below the least decade of a logarithmic axis nothing has its place.
const BELOW: f64 = 0.3;

/// Fewer decades than this have marks within them.
const FEW_DECADES: f64 = 2.5;

/// A mark this near to a value is as good as at it.
const NEAR: f64 = 1e-9;

/// How values become places on an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::study) enum Scale {
    /// In proportion.
    Linear,
    /// Ten times as much is one step further. Nothing has a place of its own, below everything else.
    Logarithmic,
}

/// One axis: from where to where, and what stands beside it.
pub(super) struct Axis {
    /// The first and the last place.
    pub range: [f64; 2],
    /// Places with their labels.
    pub ticks: Vec<(f64, String)>,
    /// What it measures.
    pub label: String,
    scale: Scale,
}

impl Axis {
    /// An axis that has room for these values.
    pub(super) fn of(values: impl Iterator<Item = f64> + Clone, scale: Scale, label: &str) -> Self {
        let values = values.filter(|value| value.is_finite());
        let (least, most) = values.clone().fold(
            (f64::INFINITY, f64::NEG_INFINITY),
            |(least, most), value| (least.min(value), most.max(value)),
        );
        let (least, most) = if least <= most {
            (least, most)
        } else {
            (0.0, 1.0)
        };
        let (range, ticks) = match scale {
            Scale::Linear => linear(least, most),
            Scale::Logarithmic => logarithmic(values, most),
        };
        Axis {
            range,
            ticks,
            label: label.to_owned(),
            scale,
        }
    }

    /// The place of a value.
    pub(super) fn place(&self, value: f64) -> f64 {
        match self.scale {
            Scale::Linear => value,
            // What is not above nothing lies at the bottom.
            Scale::Logarithmic => value.log10().max(self.range[0]),
        }
    }

    /// An axis with a place for each of some names.
    pub(super) fn names<'n>(names: impl Iterator<Item = &'n str>, label: &str) -> Self {
        let ticks: Vec<(f64, String)> = names
            .enumerate()
            .map(|(place, name)| (place as f64, name.to_owned()))
            .collect();
        Axis {
            range: [-0.6, ticks.len() as f64 - 0.4],
            ticks,
            label: label.to_owned(),
            scale: Scale::Linear,
        }
    }

    /// The room that the axis needs to the left of a panel.
    pub(super) fn left(&self) -> u32 {
        self.longest() + 12 + if self.label.is_empty() { 0 } else { 20 }
    }

    fn longest(&self) -> u32 {
        let longest = self
            .ticks
            .iter()
            .map(|(_, label)| label.chars().count())
            .max();
        (longest.unwrap_or_default() as u32 * SMALL * 58).div_ceil(100)
    }
}

/// Draws panels below each other, all as far from the left as the one whose axis needs the most room.
pub(super) fn draw_below_each_other<B: DrawingBackend, P>(
    area: &DrawingArea<B, Shift>,
    panels: &[P],
    axis: impl Fn(&P) -> Axis,
    draw: impl Fn(&P, Axis, u32, &DrawingArea<B, Shift>) -> Drawn<B>,
) -> Drawn<B> {
    let areas = area.split_evenly((panels.len().max(1), 1));
    let axes: Vec<Axis> = panels.iter().map(axis).collect();
    let left = axes.iter().map(Axis::left).max().unwrap_or_default();
    for ((panel, y), area) in panels.iter().zip(axes).zip(&areas) {
        draw(panel, y, left, area)?;
    }
    Ok(())
}

/// From zero, or from a little below the least, in steps of 1, 2 or 5.
fn linear(least: f64, most: f64) -> ([f64; 2], Vec<(f64, String)>) {
    let least = if least > 0.0 && least < 0.6 * most {
        0.0
    } else {
        least
    };
    let span = if most > least {
        most - least
    } else {
        most.abs().max(1.0)
    };
    let rough = span / 5.0;
    let unit = 10_f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0]
        .map(|times| times * unit)
        .into_iter()
        .find(|&step| step >= rough)
        .unwrap_or(rough);
    let (first, last) = ((least / step).floor(), ((least + span) / step).ceil());
    let ticks = (0..=(last - first) as i64).map(|tick| {
        let value = (first + tick as f64) * step;
        (value, number(value, step))
    });
    ([first * step, last * step], ticks.collect())
}

fn logarithmic(
    values: impl Iterator<Item = f64> + Clone,
    most: f64,
) -> ([f64; 2], Vec<(f64, String)>) {
    let has_nothing = values.clone().any(|value| value <= 0.0);
    let positive = values.filter(|&value| value > 0.0);
    let least = positive.fold(f64::INFINITY, f64::min);
    let least = if least.is_finite() { least } else { 1.0 };
    let most = most.max(least);
    // Where there are few decades, their parts are marked as well.
    let parts: &[f64] = match (most / least).log10() < FEW_DECADES {
        true => &[1.0, 2.0, 5.0],
        false => &[1.0],
    };
    let decades = least.log10().floor() as i32..=most.log10().ceil() as i32;
    let marks: Vec<(f64, String)> = decades
        .flat_map(|decade| parts.iter().map(move |part| (decade, *part)))
        .map(|(decade, part)| (f64::from(decade) + part.log10(), mark(decade, part)))
        .collect();
    let above = marks
        .iter()
        .filter(|(place, _)| *place > least.log10() + NEAR);
    let start = marks.len() - above.count();
    let below = marks
        .iter()
        .filter(|(place, _)| *place < most.log10() - NEAR);
    let end = (below.count() + 1).max(start + 1).min(marks.len());
    let mut ticks = marks[start.saturating_sub(1)..end].to_vec();
    let (mut bottom, last) = match (ticks.first(), ticks.last()) {
        (Some(first), Some(last)) => (first.0, last.0),
        _ => (0.0, 1.0),
    };
    if has_nothing {
        bottom -= BELOW * (last - bottom).min(1.0);
        ticks.insert(0, (bottom, "0".to_owned()));
    }
    ([bottom, last], ticks)
}

/// So many times a power of ten.
fn mark(exponent: i32, times: f64) -> String {
    match exponent {
        0..=9 => grouped(times as u64 * 10_u64.pow(exponent.unsigned_abs())),
        -4..0 => {
            let decimals = exponent.unsigned_abs() as usize;
            format!("{:.decimals$}", times * 10_f64.powi(exponent))
        }
        _ => format!("{times}e{exponent}"),
    }
}

/// A number with as many decimals as the step has.
fn number(value: f64, step: f64) -> String {
    let decimals = (-step.log10().floor()).max(0.0) as usize;
    if decimals == 0 && value >= 0.0 {
        grouped(value.round() as u64)
    } else {
        format!("{value:.decimals$}")
    }
}

/// A panel with its axes drawn, ready for what it shows.
pub(super) type Panel<'a, B> = ChartContext<'a, B, Cartesian2d<RangedCoordf64, RangedCoordf64>>;

/// What stands around a panel.
pub(super) struct Frame {
    /// Above it; may be empty.
    pub title: String,
    /// Below it.
    pub x: Axis,
    /// To its left.
    pub y: Axis,
    /// The labels below stand upright because they are long.
    pub upright: bool,
    /// Room to the left at the least: panels above each other have the same.
    pub left: u32,
}

impl Frame {
    /// Draws the frame.
    pub(super) fn draw<'a, B: DrawingBackend>(
        &self,
        area: &'a DrawingArea<B, Shift>,
    ) -> Result<Panel<'a, B>, DrawingAreaErrorKind<B::ErrorType>> {
        let below = if self.upright {
            self.x.longest() + 12
        } else {
            22
        };
        let below = below + if self.x.label.is_empty() { 0 } else { 18 };
        let left = self.left.max(self.y.left());
        let mut builder = ChartBuilder::on(area);
        builder
            .margin_right(14)
            .margin_left(4)
            .margin_bottom(4)
            .margin_top(if self.title.is_empty() { 10 } else { 30 })
            .x_label_area_size(below)
            .y_label_area_size(left);
        let ([left, right], [bottom, top]) = (self.x.range, self.y.range);
        let mut panel = builder.build_cartesian_2d(left..right, bottom..top)?;
        self.draw_grid(&mut panel)?;
        self.draw_words(area, &panel)?;
        Ok(panel)
    }

    fn draw_grid<B: DrawingBackend>(&self, panel: &mut Panel<'_, B>) -> Drawn<B> {
        let ([left, right], [bottom, top]) = (self.x.range, self.y.range);
        let across = self
            .y
            .ticks
            .iter()
            .map(|&(y, _)| vec![(left, y), (right, y)]);
        panel.draw_series(across.map(|points| PathElement::new(points, FAINT)))?;
        let edges = [vec![(left, top), (left, bottom), (right, bottom)]];
        panel.draw_series(edges.map(|points| PathElement::new(points, GREY)))?;
        Ok(())
    }

    fn draw_words<B: DrawingBackend>(
        &self,
        area: &DrawingArea<B, Shift>,
        panel: &Panel<'_, B>,
    ) -> Drawn<B> {
        let (base_x, base_y) = area.get_base_pixel();
        let at = |x: f64, y: f64| {
            let (x, y) = panel.backend_coord(&(x, y));
            (x - base_x, y - base_y)
        };
        let ([left, right], [bottom, top]) = (self.x.range, self.y.range);
        for (place, label) in &self.x.ticks {
            let (x, y) = at(*place, bottom);
            let style = match self.upright {
                true => style(SMALL, HPos::Right, VPos::Center).transform(FontTransform::Rotate270),
                false => style(SMALL, HPos::Center, VPos::Top),
            };
            area.draw(&Text::new(label.as_str(), (x, y + 6), style))?;
        }
        for (place, label) in &self.y.ticks {
            let (x, y) = at(left, *place);
            let style = style(SMALL, HPos::Right, VPos::Center);
            area.draw(&Text::new(label.as_str(), (x - 6, y), style))?;
        }
        let middle = (at(left, bottom).0 + at(right, bottom).0) / 2;
        let centre = (at(left, bottom).1 + at(left, top).1) / 2;
        self.draw_labels(area, middle, centre)
    }

    /// The title, and what the axes measure, at the middle of the panel.
    fn draw_labels<B: DrawingBackend>(
        &self,
        area: &DrawingArea<B, Shift>,
        middle: i32,
        centre: i32,
    ) -> Drawn<B> {
        let (_, height) = area.dim_in_pixel();
        let below = style(SMALL, HPos::Center, VPos::Bottom);
        let below_at = (middle, height as i32 - 4);
        area.draw(&Text::new(self.x.label.as_str(), below_at, below))?;
        let beside = style(SMALL, HPos::Center, VPos::Top).transform(FontTransform::Rotate270);
        area.draw(&Text::new(self.y.label.as_str(), (6, centre), beside))?;
        let above = style(LARGE, HPos::Center, VPos::Top);
        area.draw(&Text::new(self.title.as_str(), (middle, 8), above))
    }
}

/// Text of a size, hung up at a point.
pub(super) fn style(size: u32, horizontal: HPos, vertical: VPos) -> TextStyle<'static> {
    (FONT, size)
        .into_font()
        .color(&INK.to_rgba())
        .pos(Pos::new(horizontal, vertical))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &Axis) -> Vec<&str> {
        axis.ticks.iter().map(|(_, label)| label.as_str()).collect()
    }

    #[test]
    fn an_axis_has_round_numbers_and_room_for_all() {
        let axis = Axis::of([120.0, 318_796.0].into_iter(), Scale::Linear, "");
        assert_eq!(
            labels(&axis),
            ["0", "100,000", "200,000", "300,000", "400,000"]
        );
        let axis = Axis::of([0.91, 0.99].into_iter(), Scale::Linear, "");
        assert_eq!(
            labels(&axis),
            ["0.90", "0.92", "0.94", "0.96", "0.98", "1.00"]
        );
        let axis = Axis::of([5.0].into_iter(), Scale::Linear, "");
        assert!(axis.range[0] <= 5.0 && axis.range[1] >= 5.0 && axis.range[0] < axis.range[1]);
        let axis = Axis::of([f64::NAN].into_iter(), Scale::Linear, "");
        assert!(axis.range[0] < axis.range[1]);
    }

    #[test]
    fn nothing_has_a_place_on_a_logarithmic_axis() {
        let axis = Axis::of([0.0, 3.0, 4_000.0].into_iter(), Scale::Logarithmic, "");
        assert_eq!(labels(&axis), ["0", "1", "10", "100", "1,000", "10,000"]);
        assert_eq!((axis.place(0.0), axis.place(1000.0)), (axis.range[0], 3.0));
    }

    #[test]
    fn few_decades_are_marked_within() {
        let axis = Axis::of([25.0, 400.0].into_iter(), Scale::Logarithmic, "");
        assert_eq!(labels(&axis), ["20", "50", "100", "200", "500"]);
        let axis = Axis::of([0.02, 4.0].into_iter(), Scale::Logarithmic, "");
        assert_eq!(
            labels(&axis),
            ["0.02", "0.05", "0.1", "0.2", "0.5", "1", "2", "5"]
        );
        assert!((axis.place(0.1) + 1.0).abs() < 1e-12);
        let axis = Axis::of([7.0].into_iter(), Scale::Logarithmic, "");
        assert_eq!(labels(&axis), ["5", "10"]);
        let axis = Axis::of([0.0].into_iter(), Scale::Logarithmic, "");
        assert_eq!(
            (labels(&axis)[0], axis.range[0] < axis.range[1]),
            ("0", true)
        );
    }
}
