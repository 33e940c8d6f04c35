//! Which bytes exactly: the SHA-256 of files. The only file that names `sha2`.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use sha2::{Digest as _, Sha256};

/// What identifies the contents of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fingerprint {
    /// How many bytes there are.
    pub(crate) bytes: u64,
    /// Their SHA-256.
    pub(crate) sha256: [u8; 32],
}

impl Fingerprint {
    /// Of bytes in memory.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        Fingerprint {
            bytes: bytes.len() as u64,
            sha256: Sha256::digest(bytes).into(),
        }
    }

    /// Of a file, read piece by piece.
    ///
    /// # Errors
    /// It cannot be read.
    pub(crate) fn of_file(path: &Path) -> io::Result<Self> {
        let mut file = File::open(path)?;
        let (mut digest, mut bytes) = (Sha256::new(), 0);
        let mut piece = vec![0; 1 << 16];
        loop {
            match file.read(&mut piece)? {
                0 => break,
                count => {
                    digest.update(&piece[..count]);
                    bytes += count as u64;
                }
            }
        }
        Ok(Fingerprint {
            bytes,
            sha256: digest.finalize().into(),
        })
    }

    /// The SHA-256 as `sha256sum` prints it.
    pub(crate) fn hexadecimal(&self) -> String {
        self.sha256
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_sha256sum_prints_it() {
        let known = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(Fingerprint::of(b"abc").hexadecimal(), known);
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("abc");
        std::fs::write(&file, "abc").unwrap();
        let read = Fingerprint::of_file(&file).unwrap();
        assert_eq!((read.hexadecimal().as_str(), read.bytes), (known, 3));
        let long = vec![7; 200_000];
        std::fs::write(&file, &long).unwrap();
        assert_eq!(Fingerprint::of_file(&file).unwrap(), Fingerprint::of(&long));
    }
}
