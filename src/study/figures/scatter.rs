//! Clouds of points in two dimensions: a small panel for each model.

use plotters::coord::Shift;
use plotters::drawing::DrawingArea;
use plotters::prelude::{Circle, DrawingBackend};
use plotters::style::Color as _;

use super::frame::{Axis, Frame, Scale};
use super::palette::{colour, legend, legend_height};
use super::{Drawing, Drawn};

const ACROSS: usize = 3;
const WIDTH: u32 = 1000;
const HEIGHT: u32 = 290;

/// Panels of clouds.
pub(in crate::study) struct Scatter {
    /// One for each model.
    pub panels: Vec<ScatterPanel>,
}

/// A panel.
pub(in crate::study) struct ScatterPanel {
    /// What it shows.
    pub title: String,
    /// What the axes are.
    pub labels: [String; 2],
    /// The clouds, the lowest first.
    pub clouds: Vec<Cloud>,
}

/// A cloud.
pub(in crate::study) struct Cloud {
    /// The method's title.
    pub name: &'static str,
    /// The place of its method, for the colour.
    pub place: usize,
    /// The points.
    pub points: Vec<[f64; 2]>,
}

impl Scatter {
    fn names(&self) -> Vec<(usize, &'static str)> {
        let clouds = self.panels.first().map(|panel| panel.clouds.as_slice());
        let clouds = clouds.unwrap_or_default().iter();
        clouds.map(|cloud| (cloud.place, cloud.name)).collect()
    }

    fn rows(&self) -> usize {
        self.panels.len().div_ceil(ACROSS).max(1)
    }

    fn legend_height(&self) -> u32 {
        let names: Vec<&str> = self.names().iter().map(|&(_, name)| name).collect();
        legend_height(WIDTH, &names)
    }
}

impl Drawing for Scatter {
    fn size(&self) -> (u32, u32) {
        (WIDTH, HEIGHT * self.rows() as u32 + self.legend_height())
    }

    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> Drawn<B> {
        let (above, below) = area.split_vertically(self.legend_height());
        legend(&above, &self.names(), true)?;
        let areas = below.split_evenly((self.rows(), ACROSS));
        for (panel, area) in self.panels.iter().zip(&areas) {
            draw_panel(panel, area)?;
        }
        Ok(())
    }
}

fn draw_panel<B: DrawingBackend>(panel: &ScatterPanel, area: &DrawingArea<B, Shift>) -> Drawn<B> {
    let axis = |place: usize| {
        let points = panel.clouds.iter().flat_map(|cloud| &cloud.points);
        let values = points.map(|point| point[place]);
        Axis::of(values, Scale::Linear, &panel.labels[place])
    };
    let frame = Frame {
        title: panel.title.clone(),
        x: axis(0),
        y: axis(1),
        upright: false,
        left: 0,
    };
    let mut chart = frame.draw(area)?;
    for cloud in &panel.clouds {
        let style = colour(cloud.place).mix(0.45).filled();
        let points = cloud
            .points
            .iter()
            .map(|&[x, y]| Circle::new((x, y), 2, style));
        chart.draw_series(points)?;
    }
    Ok(())
}
