//! Opening a file: is it text at all, and in which encoding?

use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::Path;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};
use encoding_rs_io::DecodeReaderBytesBuilder;

use super::error::{DatasetError, bad};
use crate::spec::DatasetSpec;

/// Text in UTF-8, whatever the file is written in.
pub(super) type Text = Box<dyn Read>;

/// What the start of a file must be at least, to tell what it is.
const START: usize = 8 << 10;

/// Pieces in which a file is read.
pub(super) const PIECE: usize = 1 << 17;

/// Files that people take for text, by their first bytes.
const BINARY: [(&[u8], &str, &str); 10] = [
    (b"PAR1", "a Parquet file", AS_CSV),
    (
        b"\x1f\x8b",
        "compressed with gzip",
        "unpack it first: gunzip",
    ),
    (
        b"\x28\xb5\x2f\xfd",
        "compressed with zstd",
        "unpack it first: unzstd",
    ),
    (b"BZh", "compressed with bzip2", "unpack it first: bunzip2"),
    (b"\xfd7zXZ", "compressed with xz", "unpack it first: unxz"),
    (
        b"\xd0\xcf\x11\xe0",
        "an old Excel workbook (xls)",
        "save the sheet as CSV in UTF-8",
    ),
    (b"ARROW1", "an Arrow (Feather) file", AS_CSV),
    (b"\x89HDF", "an HDF5 file", AS_CSV),
    (
        b"SQLite format 3",
        "an SQLite database",
        "export the table as CSV",
    ),
    (b"%PDF", "a PDF", "save the table in it as CSV"),
];

const AS_CSV: &str = "write it as CSV first: pandas' to_csv(\"people.csv\", index=False)";

/// Opens a file and decodes it.
///
/// # Errors
/// It cannot be read, or it is no text.
pub(super) fn open(dataset: &DatasetSpec, path: &Path) -> Result<Text, DatasetError> {
    let unreadable = |why: String| DatasetError::Unreadable {
        name: dataset.name.value.clone(),
        path: path.to_owned(),
        why,
    };
    let mut file = File::open(path).map_err(|error| unreadable(missing(&error)))?;
    let metadata = file.metadata();
    let metadata = metadata.map_err(|error| unreadable(error.to_string()))?;
    if metadata.is_dir() {
        return Err(unreadable("it is a folder".into()));
    }
    let start = start(&mut file).map_err(|error| unreadable(error.to_string()))?;
    let said = dataset.encoding.as_ref();
    let said = said.and_then(|name| Encoding::for_label(name.value.as_bytes()));
    check_text(dataset, &start, said)?;
    Ok(decoded(start, file, said))
}

fn missing(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file".to_owned(),
        _ => error.to_string(),
    }
}

fn start(file: &mut File) -> io::Result<Vec<u8>> {
    let mut start = Vec::with_capacity(START);
    file.take(START as u64).read_to_end(&mut start)?;
    Ok(start)
}

fn check_text(
    dataset: &DatasetSpec,
    start: &[u8],
    said: Option<&'static Encoding>,
) -> Result<(), DatasetError> {
    if start.starts_with(b"PK\x03\x04") {
        return Err(zipped(dataset, start));
    }
    for (magic, what, help) in BINARY {
        if start.starts_with(magic) {
            return Err(bad(dataset, format!("it is {what}, not a CSV file"), help));
        }
    }
    let wide = |encoding| encoding == UTF_16LE || encoding == UTF_16BE;
    let mark = Encoding::for_bom(start).map(|(encoding, _)| encoding);
    if mark.or(said).is_some_and(wide) || !start.contains(&0) {
        return Ok(());
    }
    Err(no_text(dataset, start))
}

fn zipped(dataset: &DatasetSpec, start: &[u8]) -> DatasetError {
    let part = |name: &[u8]| start.windows(name.len()).any(|bytes| bytes == name);
    if part(b"xl/") || part(b"[Content_Types].xml") {
        let help = "save the sheet as CSV in UTF-8";
        return bad(dataset, "it is an Excel workbook, not a CSV file", help);
    }
    let help = "unpack it first, and let `path` be the CSV file in it";
    bad(dataset, "it is a zip archive, not a CSV file", help)
}

/// Text in UTF-16 has a zero in every second byte, on the same side.
fn no_text(dataset: &DatasetSpec, start: &[u8]) -> DatasetError {
    let zeros = |side: usize| start.iter().skip(side).step_by(2).filter(|b| **b == 0);
    let half = start.len() / 2;
    let name = match (zeros(0).count(), zeros(1).count()) {
        (0, odd) if odd * 10 > half * 8 => "utf-16le",
        (even, 0) if even * 10 > half * 8 => "utf-16be",
        _ => {
            let help = "`path` must be a CSV file: text, with one line for each person";
            return bad(dataset, "it is a binary file, not a CSV file", help);
        }
    };
    let help = format!(
        "write encoding = \"{name}\" under [dataset.{}]",
        dataset.name.value
    );
    bad(dataset, "it is in UTF-16 without a byte order mark", &help)
}

fn decoded(start: Vec<u8>, rest: File, said: Option<&'static Encoding>) -> Text {
    let mark = Encoding::for_bom(&start);
    if mark.map(|(encoding, _)| encoding).or(said).unwrap_or(UTF_8) == UTF_8 {
        let mut start = Cursor::new(start);
        start.set_position(mark.map_or(0, |(_, length)| length as u64));
        // Bytes that are no UTF-8 are found later, together with their lines.
        return Box::new(start.chain(rest));
    }
    let decoder = DecodeReaderBytesBuilder::new()
        .encoding(said)
        .bom_override(true)
        .strip_bom(true)
        .build(Cursor::new(start).chain(rest));
    Box::new(decoder)
}
