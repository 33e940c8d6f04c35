//! Colours that people with any kind of sight tell apart (Okabe and Ito), and marks for those who print
//! in grey.

use plotters::coord::Shift;
use plotters::drawing::DrawingArea;
use plotters::prelude::{Circle, DrawingBackend, PathElement, Polygon, Text};
use plotters::style::text_anchor::{HPos, VPos};
use plotters::style::{Color as _, RGBColor};

use super::Drawn;
use super::frame::{SMALL, style};

/// Text and axes.
pub(super) const INK: RGBColor = RGBColor(0x22, 0x22, 0x22);
/// What may be overlooked.
pub(super) const FAINT: RGBColor = RGBColor(0xdd, 0xdd, 0xdd);
/// Words beside the point.
pub(super) const GREY: RGBColor = RGBColor(0x66, 0x66, 0x66);

const COLOURS: [RGBColor; 9] = [
    RGBColor(0x00, 0x72, 0xb2),
    RGBColor(0xd5, 0x5e, 0x00),
    RGBColor(0x56, 0xb4, 0xe9),
    RGBColor(0x00, 0x9e, 0x73),
    RGBColor(0xcc, 0x79, 0xa7),
    RGBColor(0xb8, 0x86, 0x00),
    RGBColor(0x00, 0x00, 0x00),
    RGBColor(0x7f, 0x3c, 0x8d),
    RGBColor(0x80, 0x80, 0x80),
];

/// The colour of the method at a place of [`crate::study::contender::ALL`].
pub(super) fn colour(place: usize) -> RGBColor {
    COLOURS[place % COLOURS.len()]
}

/// The shapes of marks, as points around the middle; a circle where there are none.
const SHAPES: [&[(i32, i32)]; 5] = [
    &[],
    &[(-4, -4), (4, -4), (4, 4), (-4, 4)],
    &[(0, -5), (5, 4), (-5, 4)],
    &[(0, -6), (5, 0), (0, 6), (-5, 0)],
    &[(0, 5), (5, -4), (-5, -4)],
];

/// Draws the mark of the method at a place.
pub(super) fn mark<B: DrawingBackend>(
    area: &DrawingArea<B, Shift>,
    (x, y): (i32, i32),
    place: usize,
) -> Drawn<B> {
    let (colour, shape) = (colour(place), SHAPES[place % SHAPES.len()]);
    if shape.is_empty() {
        return area.draw(&Circle::new((x, y), 4, colour.filled()));
    }
    let points: Vec<(i32, i32)> = shape
        .iter()
        .map(|(right, down)| (x + right, y + down))
        .collect();
    area.draw(&Polygon::new(points, colour.filled()))
}

/// A legend in one line or more: mark and name of each.
pub(super) fn legend<B: DrawingBackend>(
    area: &DrawingArea<B, Shift>,
    names: &[(usize, &str)],
    marked: bool,
) -> Drawn<B> {
    let (width, _) = area.dim_in_pixel();
    let (mut x, mut y) = (20, 14);
    for &(place, name) in names {
        let needed = 44 + name.chars().count() as i32 * 8;
        if x + needed > width as i32 && x > 20 {
            (x, y) = (20, y + 20);
        }
        let line = PathElement::new(vec![(x, y), (x + 24, y)], colour(place).stroke_width(2));
        area.draw(&line)?;
        if marked {
            mark(area, (x + 12, y), place)?;
        }
        let words = style(SMALL, HPos::Left, VPos::Center);
        area.draw(&Text::new(name, (x + 30, y), words))?;
        x += needed;
    }
    Ok(())
}

/// How high a legend of these names is.
pub(super) fn legend_height(width: u32, names: &[&str]) -> u32 {
    let (mut x, mut lines) = (20, 1);
    for name in names {
        let needed = 44 + name.chars().count() as u32 * 8;
        if x + needed > width && x > 20 {
            (x, lines) = (20, lines + 1);
        }
        x += needed;
    }
    8 + 20 * lines
}
