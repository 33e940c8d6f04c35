//! Rows that differ in one attribute from a row that is there already.

use crate::schema::Space;

/// Cells that are copied in one go: a row of a few cells takes longer to copy one by one, or by a call.
const BLOCK: usize = 16;

/// Makes a row that can be copied quickly: whole blocks, of which the last may have more cells than
/// there are attributes.
pub(super) fn pad(row: &mut Vec<f32>) {
    row.resize(row.len().next_multiple_of(BLOCK), 0.0);
}

/// Copies a padded row over the beginning of other cells.
#[inline]
pub(super) fn copy(row: &[f32], to: &mut [f32]) {
    match (row.as_chunks::<BLOCK>().0, to.as_chunks_mut().0) {
        ([block], [to, ..]) => *to = *block,
        ([first, second], [to, next, ..]) => (*to, *next) = (*first, *second),
        _ => copy_long(row, to),
    }
}

/// A function of its own: the compiler would make one call of this and of the copies of a block or two, which
/// then take twice as long.
#[inline(never)]
fn copy_long(row: &[f32], to: &mut [f32]) {
    to[..row.len()].copy_from_slice(row);
}

/// Copies a padded row so many times, each right behind the `width` cells of the one before, and changes each
/// copy. There must be room for a whole row at the place of the last one.
#[inline]
fn copy_changed(
    row: &[f32],
    width: usize,
    times: usize,
    mut to: &mut [f32],
    mut change: impl FnMut(usize, &mut [f32]),
) {
    match row.as_chunks::<BLOCK>().0 {
        // One block, as most rows are: read but once.
        [block] => {
            for place in 0..times {
                let copy = &mut to[..BLOCK];
                copy.copy_from_slice(block);
                change(place, copy);
                to = to.get_mut(width..).unwrap_or_default();
            }
        }
        _ => {
            for place in 0..times {
                copy(row, to);
                change(place, to);
                to = to.get_mut(width..).unwrap_or_default();
            }
        }
    }
}

/// Appends a padded row so many times, each copy changed. Room is made for all of them first: that each
/// begins where the last one ends need not be waited for.
#[inline]
pub(super) fn push_copies(
    space: &Space,
    row: &[f32],
    times: usize,
    rows: &mut Vec<f32>,
    change: impl FnMut(usize, &mut [f32]),
) {
    let (start, width) = (rows.len(), space.schema().width());
    let end = start + times * width;
    rows.resize(end + row.len(), 0.0);
    copy_changed(row, width, times, &mut rows[start..], change);
    rows.truncate(end);
}

/// Rows to be asked about, one after another.
///
/// Cells are kept when rows are taken away, so that new ones are written over them and nothing has to
/// be cleared. In cache lines of their own: another worker may have those that lie beside them.
#[derive(Default)]
#[repr(align(128))]
pub(super) struct Rows {
    cells: Vec<f32>,
    used: usize,
}

impl Rows {
    /// Makes room for so many rows more.
    pub(super) fn make_room(&mut self, space: &Space, rows: usize) {
        // A copy of whole blocks may write beyond the end of its row.
        let most = self.used + rows * space.schema().width() + BLOCK;
        if self.cells.len() < most {
            self.cells.resize(most, 0.0);
        }
    }

    /// Adds a copy of a [padded](pad) row with one attribute changed; and with the protected values of a
    /// combination, if it has others. There must be room.
    #[inline]
    pub(super) fn push(
        &mut self,
        space: &Space,
        row: &[f32],
        (attribute, value): (usize, f32),
        combination: Option<usize>,
    ) {
        let cells = &mut self.cells[self.used..];
        copy(row, cells);
        cells[attribute] = value;
        if let Some(combination) = combination {
            space.protect(cells, combination);
        }
        self.used += space.schema().width();
    }

    /// Adds two copies of a padded row with one attribute changed, the second with the protected values of
    /// another combination. There must be room.
    #[inline]
    pub(super) fn push_pair(
        &mut self,
        space: &Space,
        row: &[f32],
        (attribute, value): (usize, f32),
        other: usize,
    ) {
        let (width, cells) = (space.schema().width(), &mut self.cells[self.used..]);
        copy_changed(row, width, 2, cells, |place, copy| {
            copy[attribute] = value;
            if place == 1 {
                space.protect(copy, other);
            }
        });
        self.used += 2 * width;
    }

    /// Adds copies of a padded row with one attribute changed, one for each combination.
    #[inline]
    pub(super) fn push_combinations(
        &mut self,
        space: &Space,
        row: &[f32],
        (attribute, value): (usize, f32),
    ) {
        let combinations = space.combinations().len();
        self.push_copies(space, row, combinations, |combination, copy| {
            copy[attribute] = value;
            space.protect(copy, combination);
        });
    }

    /// Adds a padded row so many times, each copy changed.
    #[inline]
    pub(super) fn push_copies(
        &mut self,
        space: &Space,
        row: &[f32],
        times: usize,
        change: impl FnMut(usize, &mut [f32]),
    ) {
        self.make_room(space, times);
        let width = space.schema().width();
        copy_changed(row, width, times, &mut self.cells[self.used..], change);
        self.used += times * width;
    }

    /// All rows.
    pub(super) fn all(&self) -> &[f32] {
        &self.cells[..self.used]
    }

    /// Takes all rows away.
    pub(super) fn clear(&mut self) {
        self.used = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{Attribute, Code, Domain, Schema};

    /// The last attribute is the protected one.
    fn space(width: usize) -> Space {
        let range = Domain::Integers { min: 10, max: 13 };
        let attribute = |place| Attribute::new(format!("a{place}"), range.clone());
        let schema = Schema::new((0..width).map(attribute).collect());
        Space::new(schema, &[width - 1]).unwrap()
    }

    #[test]
    fn rows_are_copies_but_for_what_is_changed() {
        // Less than a block, a whole one, and several.
        for width in [3, 16, 17, 40] {
            let space = space(width);
            let own = vec![11.0; width];
            let mut padded = own.clone();
            pad(&mut padded);
            let mut rows = Rows::default();
            for _ in 0..2 {
                rows.make_room(&space, 2);
                rows.push(&space, &padded, (0, 12.0), None);
                rows.push(&space, &padded, (1, 13.0), Some(2));
                let (mut first, mut second) = (own.clone(), own.clone());
                first[0] = 12.0;
                (second[1], second[width - 1]) = (13.0, 12.0);
                assert_eq!(rows.all(), [first, second].concat(), "{width}");
                rows.clear();
                assert!(rows.all().is_empty());
            }
        }
    }

    #[test]
    fn copies_of_a_changed_row_are_the_rows_of_the_changed_profile() {
        for width in [3, 15, 16, 17, 40] {
            let range = Domain::Integers { min: 5, max: 9 };
            let attribute = |place| Attribute::new(format!("a{place}"), range.clone());
            let schema = Schema::new((0..width).map(attribute).collect());
            let space = Space::new(schema, &[1]).unwrap();
            let mut person: Vec<Code> = (0..width as Code).map(|place| place % 5).collect();
            let mut packed = vec![0; space.packing().words()];
            space.packing().pack(&person, &mut packed);
            let mut row = Vec::new();
            space.push_packed(&packed, 0, &mut row);
            pad(&mut row);
            let mut rows = Rows::default();
            rows.push_combinations(&space, &row, (width - 1, 9.0));
            person[width - 1] = 4;
            space.packing().pack(&person, &mut packed);
            let mut expected = Vec::new();
            space.push_combinations(&packed, 0..5, &mut expected);
            assert_eq!(rows.all(), expected);
        }
    }
}
