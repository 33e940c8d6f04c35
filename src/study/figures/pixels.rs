//! A backend of `plotters` that draws smooth pixels, with letters of its own: it needs no font on the
//! machine.

use plotters_backend::text_anchor::{HPos, VPos};
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind,
    FontTransform,
};
use tiny_skia::{
    FillRule, LineCap, LineJoin, Paint, Path, PathBuilder, Pixmap, Rect, Stroke, Transform,
};
use ttf_parser::{Face, OutlineBuilder};

/// Latin, Greek and Cyrillic letters of DejaVu Sans.
static FONT: &[u8] = include_bytes!("font/DejaVuSans.ttf");

/// How high a small letter is, in ems.
const HALF_LETTER: f32 = 0.547 / 2.0;

/// How far below its upper edge a line of text stands, in ems; as the SVG has it.
const ASCENT: f32 = 0.76;

/// A picture to draw on.
pub(super) struct Pixels<'p> {
    map: &'p mut Pixmap,
    scale: f32,
}

/// Drawing pixels cannot fail; the trait wants an error all the same.
#[derive(Debug, thiserror::Error)]
#[error("the pixels cannot be drawn")]
pub(super) struct PixelsError;

type Done = Result<(), DrawingErrorKind<PixelsError>>;

/// An empty picture of so many units, each of so many pixels; none if it would be empty or too large.
pub(super) fn picture((width, height): (u32, u32), density: u32) -> Option<Pixmap> {
    Pixmap::new(width.checked_mul(density)?, height.checked_mul(density)?)
}

/// A picture as a PNG file.
pub(super) fn png(picture: &Pixmap) -> Result<Vec<u8>, String> {
    picture.encode_png().map_err(|error| error.to_string())
}

impl<'p> Pixels<'p> {
    /// Draws on a picture whose units have so many pixels.
    pub(super) fn new(map: &'p mut Pixmap, density: u32) -> Self {
        let scale = density as f32;
        Pixels { map, scale }
    }

    fn at_scale(&self) -> Transform {
        Transform::from_scale(self.scale, self.scale)
    }

    fn fill(&mut self, path: &Path, colour: BackendColor, transform: Transform) {
        self.map
            .fill_path(path, &paint(colour), FillRule::Winding, transform, None);
    }

    fn stroke<S: BackendStyle>(&mut self, path: &Path, style: &S) {
        let stroke = Stroke {
            width: style.stroke_width() as f32,
            line_cap: LineCap::Round,
            line_join: LineJoin::Round,
            ..Stroke::default()
        };
        let transform = self.at_scale();
        self.map
            .stroke_path(path, &paint(style.color()), &stroke, transform, None);
    }
}

fn paint(colour: BackendColor) -> Paint<'static> {
    let (red, green, blue) = colour.rgb;
    let mut paint = Paint::default();
    let alpha = (colour.alpha.clamp(0.0, 1.0) * 255.0).round() as u8;
    paint.set_color_rgba8(red, green, blue, alpha);
    paint.anti_alias = true;
    paint
}

/// Strokes lie on the middle of a pixel, as in the SVG.
fn point((x, y): BackendCoord) -> (f32, f32) {
    (x as f32, y as f32)
}

fn path(points: impl IntoIterator<Item = BackendCoord>, closed: bool) -> Option<Path> {
    let mut builder = PathBuilder::new();
    for (place, at) in points.into_iter().enumerate() {
        let (x, y) = point(at);
        if place == 0 {
            builder.move_to(x, y);
        } else {
            builder.line_to(x, y);
        }
    }
    if closed {
        builder.close();
    }
    builder.finish()
}

impl DrawingBackend for Pixels<'_> {
    type ErrorType = PixelsError;

    fn get_size(&self) -> (u32, u32) {
        let units = |pixels: u32| (pixels as f32 / self.scale) as u32;
        (units(self.map.width()), units(self.map.height()))
    }

    fn ensure_prepared(&mut self) -> Done {
        Ok(())
    }

    fn present(&mut self) -> Done {
        Ok(())
    }

    fn draw_pixel(&mut self, (x, y): BackendCoord, colour: BackendColor) -> Done {
        if let Some(square) = Rect::from_xywh(x as f32, y as f32, 1.0, 1.0) {
            let transform = self.at_scale();
            self.fill(&PathBuilder::from_rect(square), colour, transform);
        }
        Ok(())
    }

    fn draw_line<S: BackendStyle>(
        &mut self,
        from: BackendCoord,
        to: BackendCoord,
        style: &S,
    ) -> Done {
        self.draw_path([from, to], style)
    }

    fn draw_rect<S: BackendStyle>(
        &mut self,
        (left, top): BackendCoord,
        (right, bottom): BackendCoord,
        style: &S,
        fill: bool,
    ) -> Done {
        let corners = [(left, top), (right, top), (right, bottom), (left, bottom)];
        if fill {
            return self.fill_polygon(corners, style);
        }
        if let Some(path) = path(corners, true) {
            self.stroke(&path, style);
        }
        Ok(())
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        points: I,
        style: &S,
    ) -> Done {
        if let Some(path) = path(points, false) {
            self.stroke(&path, style);
        }
        Ok(())
    }

    fn draw_circle<S: BackendStyle>(
        &mut self,
        centre: BackendCoord,
        radius: u32,
        style: &S,
        fill: bool,
    ) -> Done {
        let (x, y) = point(centre);
        let Some(circle) = PathBuilder::from_circle(x, y, radius as f32) else {
            return Ok(());
        };
        if fill {
            let transform = self.at_scale();
            self.fill(&circle, style.color(), transform);
        } else {
            self.stroke(&circle, style);
        }
        Ok(())
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        points: I,
        style: &S,
    ) -> Done {
        if let Some(path) = path(points, true) {
            let transform = self.at_scale();
            self.fill(&path, style.color(), transform);
        }
        Ok(())
    }

    fn draw_text<S: BackendTextStyle>(&mut self, text: &str, style: &S, at: BackendCoord) -> Done {
        let Some((letters, width)) = letters(text, style.size() as f32) else {
            return Ok(());
        };
        let em = style.size() as f32;
        let left = match style.anchor().h_pos {
            HPos::Left => 0.0,
            HPos::Center => -width / 2.0,
            HPos::Right => -width,
        };
        let down = match style.anchor().v_pos {
            VPos::Top => ASCENT * em,
            VPos::Center => HALF_LETTER * em,
            VPos::Bottom => -HALF_LETTER * em,
        };
        let turn = match style.transform() {
            FontTransform::None => 0.0,
            FontTransform::Rotate90 => 90.0,
            FontTransform::Rotate180 => 180.0,
            FontTransform::Rotate270 => 270.0,
        };
        let (x, y) = point(at);
        let transform = Transform::from_translate(left, down)
            .post_rotate(turn)
            .post_translate(x, y)
            .post_scale(self.scale, self.scale);
        self.fill(&letters, style.color(), transform);
        Ok(())
    }
}

/// The outlines of a line of text that starts at the origin, and how wide it is. Letters that the font
/// does not have show as its box.
fn letters(text: &str, size: f32) -> Option<(Path, f32)> {
    let face = Face::parse(FONT, 0).ok()?;
    let unit = size / f32::from(face.units_per_em());
    let mut outline = Outline {
        builder: PathBuilder::new(),
        unit,
        right: 0.0,
    };
    for letter in text.chars() {
        let glyph = face.glyph_index(letter).unwrap_or_default();
        face.outline_glyph(glyph, &mut outline);
        outline.right += f32::from(face.glyph_hor_advance(glyph).unwrap_or_default()) * unit;
    }
    let width = outline.right;
    Some((outline.builder.finish()?, width))
}

struct Outline {
    builder: PathBuilder,
    unit: f32,
    right: f32,
}

impl Outline {
    /// Fonts count upwards, pictures downwards.
    fn at(&self, x: f32, y: f32) -> (f32, f32) {
        (self.right + x * self.unit, -y * self.unit)
    }
}

impl OutlineBuilder for Outline {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.builder.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.builder.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let ((x1, y1), (x, y)) = (self.at(x1, y1), self.at(x, y));
        self.builder.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let ((x1, y1), (x2, y2), (x, y)) = (self.at(x1, y1), self.at(x2, y2), self.at(x, y));
        self.builder.cubic_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.builder.close();
    }
}
