//! Files that are either as they were or whole, never half written.

use std::io;
use std::path::{Path, PathBuf};

/// Writes a file: the bytes go beside it first and are then moved over it. Missing folders are made.
///
/// # Errors
/// The file or its folder cannot be written; nothing is left beside it.
pub(crate) fn write(file: &Path, bytes: &[u8]) -> io::Result<()> {
    make_folder(file)?;
    let partial = partial(file);
    std::fs::write(&partial, bytes)
        .and_then(|()| std::fs::rename(&partial, file))
        .inspect_err(|_| {
            let _ = std::fs::remove_file(&partial);
        })
}

/// Whether a file could be written, for those who find out before hours of work. Missing folders are
/// made.
///
/// # Errors
/// It could not.
pub(crate) fn rehearse(file: &Path) -> io::Result<()> {
    if file.is_dir() {
        return Err(io::Error::from(io::ErrorKind::IsADirectory));
    }
    make_folder(file)?;
    let partial = partial(file);
    std::fs::write(&partial, []).and_then(|()| std::fs::remove_file(&partial))
}

fn make_folder(file: &Path) -> io::Result<()> {
    match file.parent() {
        Some(folder) => std::fs::create_dir_all(folder),
        None => Ok(()),
    }
}

fn partial(file: &Path) -> PathBuf {
    file.with_extension(format!("partial-{}", std::process::id()))
}
