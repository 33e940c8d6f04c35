//! Paths as they stand in a spec: relative to its folder, with `/`.

use std::path::{Component, Path, PathBuf};

/// The path of `file` as seen from `folder`.
pub(super) fn relative(file: &Path, folder: &Path) -> String {
    let (file, folder) = (absolute(file), absolute_folder(folder));
    let (from, to): (Vec<_>, Vec<_>) = (folder.components().collect(), file.components().collect());
    let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    // On another drive there is no way from here to there.
    if shared == 0 {
        return slashes(&file);
    }
    let up = std::iter::repeat_n(Component::ParentDir, from.len() - shared);
    let path: PathBuf = up.chain(to[shared..].iter().copied()).collect();
    slashes(&path)
}

/// The file with its folder made plain; the file itself may be a link, which is kept.
fn absolute(file: &Path) -> PathBuf {
    let folder = match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    absolute_folder(folder).join(file.file_name().unwrap_or_default())
}

fn absolute_folder(folder: &Path) -> PathBuf {
    let folder = match folder.as_os_str().is_empty() {
        true => Path::new("."),
        false => folder,
    };
    let plain = folder.canonicalize();
    plain.unwrap_or_else(|_| std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned()))
}

fn slashes(path: &Path) -> String {
    let text = path.to_string_lossy();
    match std::path::MAIN_SEPARATOR {
        '\\' => text.replace('\\', "/"),
        _ => text.into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_relative_to_the_folder() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
        let file = folder.join("fixtures/census.csv");
        assert_eq!(relative(&file, folder), "fixtures/census.csv");
        assert_eq!(
            relative(&file, &folder.join("src/init")),
            "../../fixtures/census.csv"
        );
        assert_eq!(relative(&folder.join("Cargo.toml"), folder), "Cargo.toml");
    }
}
