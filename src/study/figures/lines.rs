//! Lines over benchmarks, one for each method, with the range of the rounds shaded.

use plotters::coord::Shift;
use plotters::drawing::DrawingArea;
use plotters::prelude::{DrawingBackend, PathElement, Polygon};
use plotters::style::Color as _;

use super::frame::{Axis, Frame, Panel, Scale, draw_below_each_other};
use super::palette::{colour, legend, legend_height, mark};
use super::{Drawing, Drawn};

const WIDTH: u32 = 1000;
const HEIGHT: u32 = 330;

/// How dark the range of the rounds is.
const SHADE: f64 = 0.18;

/// Lines over benchmarks.
pub(in crate::study) struct Lines {
    /// The benchmarks, from left to right.
    pub names: Vec<String>,
    /// The panels, from above.
    pub panels: Vec<LinePanel>,
}

/// A panel.
pub(in crate::study) struct LinePanel {
    /// What it shows.
    pub title: String,
    /// What its numbers are.
    pub label: String,
    /// The lines.
    pub lines: Vec<Line>,
}

/// A line.
pub(in crate::study) struct Line {
    /// Its name.
    pub name: &'static str,
    /// The place of its method, for the colour.
    pub place: usize,
    /// The least, the mean and the largest at each benchmark; nothing where there is none.
    pub points: Vec<Option<[f64; 3]>>,
}

impl Drawing for Lines {
    fn size(&self) -> (u32, u32) {
        let names = self.names_of_lines();
        let names: Vec<&str> = names.iter().map(|&(_, name)| name).collect();
        let panels = self.panels.len().max(1) as u32;
        (WIDTH, HEIGHT * panels + legend_height(WIDTH, &names))
    }

    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> Drawn<B> {
        let names = self.names_of_lines();
        let words: Vec<&str> = names.iter().map(|&(_, name)| name).collect();
        let (above, below) = area.split_vertically(legend_height(WIDTH, &words));
        legend(&above, &names, true)?;
        draw_below_each_other(&below, &self.panels, axis, |panel, y, left, area| {
            self.draw_panel(panel, y, left, area)
        })
    }
}

impl Lines {
    fn names_of_lines(&self) -> Vec<(usize, &'static str)> {
        let lines = self.panels.first().map(|panel| panel.lines.as_slice());
        let lines = lines.unwrap_or_default().iter();
        lines.map(|line| (line.place, line.name)).collect()
    }

    fn draw_panel<B: DrawingBackend>(
        &self,
        panel: &LinePanel,
        y: Axis,
        left: u32,
        area: &DrawingArea<B, Shift>,
    ) -> Drawn<B> {
        let frame = Frame {
            title: panel.title.clone(),
            x: Axis::names(self.names.iter().map(String::as_str), ""),
            y,
            left,
            upright: self.names.iter().any(|name| name.chars().count() > 6),
        };
        let mut chart = frame.draw(area)?;
        for line in &panel.lines {
            draw_shade(&mut chart, line, &frame.y)?;
        }
        for line in &panel.lines {
            draw_line(&mut chart, line, &frame.y, area)?;
        }
        Ok(())
    }
}

fn axis(panel: &LinePanel) -> Axis {
    let points = panel
        .lines
        .iter()
        .flat_map(|line| line.points.iter().flatten());
    Axis::of(points.flatten().copied(), Scale::Logarithmic, &panel.label)
}

/// The stretches of a line without a gap, as places and points.
fn stretches(line: &Line, axis: &Axis) -> impl Iterator<Item = Vec<(f64, [f64; 3])>> {
    let placed = line.points.iter().enumerate();
    let placed: Vec<(f64, Option<[f64; 3]>)> = placed
        .map(|(place, point)| {
            let point = point.map(|point| point.map(|value| axis.place(value)));
            (place as f64, point)
        })
        .collect();
    let runs: Vec<Vec<(f64, [f64; 3])>> = placed
        .split(|(_, point)| point.is_none())
        .filter(|run| !run.is_empty())
        .map(|run| {
            run.iter()
                .filter_map(|&(x, point)| Some((x, point?)))
                .collect()
        })
        .collect();
    runs.into_iter()
}

fn draw_shade<B: DrawingBackend>(chart: &mut Panel<'_, B>, line: &Line, axis: &Axis) -> Drawn<B> {
    for run in stretches(line, axis) {
        let low = run.iter().map(|&(x, [least, _, _])| (x, least));
        let high = run.iter().rev().map(|&(x, [_, _, most])| (x, most));
        let shade = colour(line.place).mix(SHADE).filled();
        chart.draw_series([Polygon::new(low.chain(high).collect::<Vec<_>>(), shade)])?;
    }
    Ok(())
}

fn draw_line<B: DrawingBackend>(
    chart: &mut Panel<'_, B>,
    line: &Line,
    axis: &Axis,
    area: &DrawingArea<B, Shift>,
) -> Drawn<B> {
    let (base_x, base_y) = area.get_base_pixel();
    for run in stretches(line, axis) {
        let points: Vec<(f64, f64)> = run.iter().map(|&(x, [_, mean, _])| (x, mean)).collect();
        let marks: Vec<(i32, i32)> = points
            .iter()
            .map(|point| chart.backend_coord(point))
            .collect();
        chart.draw_series([PathElement::new(points, colour(line.place).stroke_width(2))])?;
        for (x, y) in marks {
            mark(area, (x - base_x, y - base_y), line.place)?;
        }
    }
    Ok(())
}
