//! The figures of a study, each as SVG and as PNG. The only folder that names `plotters`, `tiny_skia`
//! and `ttf_parser`.

mod boxes;
mod curves;
mod frame;
mod lines;
mod palette;
mod pixels;
mod scatter;
mod violins;

use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, DrawingAreaErrorKind, IntoDrawingArea as _};
use plotters::prelude::{DrawingBackend, SVGBackend};
use plotters::style::WHITE;

pub(super) use boxes::{BoxGroup, BoxPanel, Boxes};
pub(super) use curves::{CurvePanel, Curves, Growth};
pub(super) use frame::Scale;
pub(super) use lines::{Line, LinePanel, Lines};
pub(super) use scatter::{Cloud, Scatter, ScatterPanel};
pub(super) use violins::{Violin, ViolinPanel, Violins};

use pixels::Pixels;

/// Pixels of a PNG for each unit of the figure.
const DENSITY: u32 = 2;

/// What a drawing gives.
type Drawn<B> = Result<(), DrawingAreaErrorKind<<B as DrawingBackend>::ErrorType>>;

/// Something that can be drawn.
pub(super) trait Drawing {
    /// Width and height in units.
    fn size(&self) -> (u32, u32);

    /// Draws it on an area of this size.
    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> Drawn<B>;
}

/// A figure could not be drawn.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[error("a figure could not be drawn: {0}")]
pub(crate) struct FigureError(String);

/// A figure in both forms.
pub(crate) struct Figure {
    /// The name of its files.
    pub name: &'static str,
    /// What it shows, in a sentence or two.
    pub caption: String,
    /// The figure.
    pub svg: String,
    /// The same in pixels.
    pub png: Vec<u8>,
}

impl Figure {
    /// Draws a figure twice.
    pub(super) fn new(
        name: &'static str,
        caption: String,
        drawing: &impl Drawing,
    ) -> Result<Self, FigureError> {
        let (width, height) = drawing.size();
        let mut svg = String::new();
        {
            let area = SVGBackend::with_string(&mut svg, (width, height)).into_drawing_area();
            paint(drawing, &area)?;
        }
        let mut picture = pixels::picture((width, height), DENSITY)
            .ok_or_else(|| FigureError(format!("{width} x {height} is no size")))?;
        paint(
            drawing,
            &Pixels::new(&mut picture, DENSITY).into_drawing_area(),
        )?;
        let png = pixels::png(&picture).map_err(FigureError)?;
        Ok(Figure {
            name,
            caption,
            svg,
            png,
        })
    }
}

fn paint<B: DrawingBackend>(
    drawing: &impl Drawing,
    area: &DrawingArea<B, Shift>,
) -> Result<(), FigureError> {
    let painted = area
        .fill(&WHITE)
        .and_then(|()| drawing.draw(area))
        .and_then(|()| area.present());
    painted.map_err(|error| FigureError(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::stats::Spread;

    fn drawn(name: &str) -> Figure {
        let boxes = Boxes {
            groups: vec![BoxGroup {
                name: name.to_owned(),
                place: 0,
            }],
            label: "h".to_owned(),
            panels: vec![BoxPanel {
                title: "Counterexamples".to_owned(),
                label: "count".to_owned(),
                scale: Scale::Logarithmic,
                spreads: vec![Spread::of(&[1.0, 10.0, 0.0, 500.0])],
            }],
        };
        Figure::new("a", String::new(), &boxes).unwrap()
    }

    /// How many pixels are not white.
    fn ink(png: &[u8]) -> usize {
        let picture = tiny_skia::Pixmap::decode_png(png).unwrap();
        let pixels = picture.pixels().iter();
        pixels
            .filter(|pixel| (pixel.red(), pixel.alpha()) != (255, 255))
            .count()
    }

    #[test]
    fn a_name_is_text_whatever_is_in_it() {
        let figure = drawn("<b>&amp; \"Größe\" λ");
        let svg = roxmltree::Document::parse(&figure.svg).unwrap();
        let texts: Vec<&str> = svg
            .descendants()
            .filter(|node| node.has_tag_name("text"))
            .filter_map(|node| node.text())
            .map(str::trim)
            .collect();
        assert!(texts.contains(&"<b>&amp; \"Größe\" λ"), "{texts:?}");
    }

    #[test]
    fn pixels_have_letters_without_a_font_on_the_machine() {
        let (without, with) = (drawn("").png, drawn("perturbation").png);
        assert!(
            ink(&with) > ink(&without) + 500,
            "{} and {}",
            ink(&with),
            ink(&without)
        );
        let picture = tiny_skia::Pixmap::decode_png(&with).unwrap();
        assert_eq!((picture.width(), picture.height()), (2000, 600));
    }

    #[test]
    fn figures_of_nothing_are_drawn() {
        for drawn in [
            Figure::new(
                "a",
                String::new(),
                &Lines {
                    names: Vec::new(),
                    panels: Vec::new(),
                },
            ),
            Figure::new("a", String::new(), &Curves { panels: Vec::new() }),
            Figure::new(
                "a",
                String::new(),
                &Violins {
                    names: Vec::new(),
                    panels: Vec::new(),
                },
            ),
            Figure::new("a", String::new(), &Scatter { panels: Vec::new() }),
        ] {
            assert!(drawn.unwrap().svg.contains("</svg>"));
        }
    }
}
