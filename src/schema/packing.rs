//! Packing a person into a few machine words, for hashing and storing.

use super::{Code, Schema};

/// Where each attribute's bits lie. No attribute straddles two words.
#[derive(Debug, Clone)]
pub struct Packing {
    fields: Vec<Field>,
    /// For each attribute where its field is; nothing sensible for attributes that are left out.
    place: Vec<usize>,
    /// The same fields in the order of a row; without any bits for attributes that are left out.
    cells: Vec<Field>,
    words: usize,
}

/// Where the bits of an attribute lie.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Field {
    pub(crate) attribute: usize,
    word: usize,
    shift: u32,
    mask: u64,
}

impl Packing {
    /// A packing of the attributes at `positions`; the others are left out.
    pub fn new(schema: &Schema, positions: &[usize]) -> Self {
        let mut fields = Vec::with_capacity(positions.len());
        let (mut word, mut used) = (0, 0);
        for &attribute in positions {
            let largest = schema.attributes()[attribute].domain.size() - 1;
            let bits = u64::BITS - largest.leading_zeros();
            if used + bits > u64::BITS {
                word += 1;
                used = 0;
            }
            let mask = if bits == 0 {
                0
            } else {
                u64::MAX >> (u64::BITS - bits)
            };
            fields.push(Field {
                attribute,
                word,
                shift: used.min(u64::BITS - 1),
                mask,
            });
            used += bits;
        }
        let mut place = vec![usize::MAX; schema.width()];
        for (index, field) in fields.iter().enumerate() {
            place[field.attribute] = index;
        }
        let nothing = |attribute| Field {
            attribute,
            word: 0,
            shift: 0,
            mask: 0,
        };
        let mut cells: Vec<Field> = (0..schema.width()).map(nothing).collect();
        for field in &fields {
            cells[field.attribute] = *field;
        }
        Packing {
            fields,
            place,
            cells,
            words: word + 1,
        }
    }

    /// How many words a packed person takes.
    pub fn words(&self) -> usize {
        self.words
    }

    /// Packs a person into `packed`, which has [`Packing::words`] words.
    pub fn pack(&self, person: &[Code], packed: &mut [u64]) {
        packed.fill(0);
        for field in &self.fields {
            packed[field.word] |= u64::from(person[field.attribute]) << field.shift;
        }
    }

    /// Unpacks a person; attributes that were left out keep what they had.
    pub fn unpack(&self, packed: &[u64], person: &mut [Code]) {
        for field in &self.fields {
            person[field.attribute] = field.code(packed);
        }
    }

    /// The code of the attribute at `position`, which must not be left out.
    pub fn code(&self, packed: &[u64], position: usize) -> Code {
        self.fields[self.place[position]].code(packed)
    }

    /// Gives the attribute at `position` another code.
    pub fn set(&self, packed: &mut [u64], position: usize, code: Code) {
        let (word, value) = self.field(position).change(packed, code);
        packed[word] = value;
    }

    /// Where the bits of the attribute at `position` lie.
    pub(crate) fn field(&self, position: usize) -> Field {
        self.fields[self.place[position]]
    }

    /// Appends what the model eats for a person; for attributes that were left out, for their first code.
    pub(super) fn push_row(&self, packed: &[u64], base: &[f32], rows: &mut Vec<f32>) {
        let cells = self.cells.iter().zip(base);
        // Most people have one word, which need not be looked for then.
        match packed {
            [word] => rows.extend(cells.map(|(cell, base)| base + cell.code_in(*word) as f32)),
            _ => rows.extend(cells.map(|(cell, base)| base + cell.code(packed) as f32)),
        }
    }
}

impl Field {
    /// The attribute's code.
    #[inline]
    pub(crate) fn code(&self, packed: &[u64]) -> Code {
        self.code_in(packed[self.word])
    }

    #[inline]
    fn code_in(&self, word: u64) -> Code {
        (word >> self.shift & self.mask) as Code
    }

    /// Which word gives the attribute another code, and what it is then.
    #[inline]
    pub(crate) fn change(&self, packed: &[u64], code: Code) -> (usize, u64) {
        let kept = packed[self.word] & !(self.mask << self.shift);
        (self.word, kept | u64::from(code) << self.shift)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Attribute, Domain};
    use super::*;

    fn schema(sizes: &[i64]) -> Schema {
        let attribute = |(i, &size): (usize, &i64)| {
            Attribute::new(
                format!("a{i}"),
                Domain::Integers {
                    min: 0,
                    max: size - 1,
                },
            )
        };
        Schema::new(sizes.iter().enumerate().map(attribute).collect())
    }

    #[test]
    fn every_person_comes_back_from_packing() {
        let sizes = [4, 1, 2, 1 << 31, 7, 1 << 20, 3, 1 << 31, 1, 2];
        let schema = schema(&sizes);
        let packing = Packing::new(&schema, &(0..sizes.len()).collect::<Vec<_>>());
        assert_eq!(packing.words(), 2);
        let mut packed = vec![0; packing.words()];
        for turn in 0..1000_u64 {
            let person: Vec<Code> = sizes
                .iter()
                .map(|&size| ((turn * 2_654_435_761) % size as u64) as Code)
                .collect();
            packing.pack(&person, &mut packed);
            let mut back = vec![0; sizes.len()];
            packing.unpack(&packed, &mut back);
            assert_eq!(person, back);
            let place = turn as usize % sizes.len();
            let other = (person[place] + 1) % sizes[place] as Code;
            packing.set(&mut packed, place, other);
            assert_eq!(packing.code(&packed, place), other);
            packing.unpack(&packed, &mut back);
            back[place] = person[place];
            assert_eq!(person, back);
        }
    }

    #[test]
    fn attributes_left_out_do_not_matter() {
        let schema = schema(&[5, 2, 5]);
        let packing = Packing::new(&schema, &[0, 2]);
        let (mut one, mut other) = ([0; 1], [0; 1]);
        packing.pack(&[3, 0, 4], &mut one);
        packing.pack(&[3, 1, 4], &mut other);
        assert_eq!(one, other);
    }
}
