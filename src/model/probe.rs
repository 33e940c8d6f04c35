//! Opens a shared library and asks it whether it is an ONNX Runtime that fairgate can run.
//!
//! All the `unsafe` code of the crate is here: the two functions of ONNX Runtime's C interface that
//! have never changed.

use std::ffi::{CStr, c_char, c_void};
use std::path::Path;

use libloading::Library;

use super::RuntimeError;
use super::discovery::{Place, RuntimeLibrary};
use super::runtime_error::plain_io;

/// The oldest ONNX Runtime that fairgate can run: 1.17, the version of the C interface that it speaks.
const OLDEST: (u32, u32) = (1, 17);

/// Opens the library in the file `path` and questions it.
pub(super) fn open_file(path: &Path, place: &Place) -> Result<RuntimeLibrary, RuntimeError> {
    let refuse = |why: String| unusable(path, place, why);
    match std::fs::metadata(path) {
        Err(error) => return Err(refuse(plain_io(&error))),
        // Opening a pipe would wait for ever.
        Ok(what) if !what.is_file() => return Err(refuse(String::from("it is not a file"))),
        Ok(_) => {}
    }
    let library = open_library(path).map_err(|error| {
        let why = std::error::Error::source(&error)
            .map_or_else(|| error.to_string(), |source| source.to_string());
        let prefix = format!("{}: ", path.display());
        refuse(why.strip_prefix(&prefix).unwrap_or(&why).to_owned())
    })?;
    question(library, path, place)
}

/// Asks an open library for its version and for the C interface that fairgate speaks.
pub(super) fn question(
    library: &'static Library,
    path: &Path,
    place: &Place,
) -> Result<RuntimeLibrary, RuntimeError> {
    let base = api_base(library).ok_or_else(|| {
        let why = "it is a shared library, but not ONNX Runtime's (OrtGetApiBase is missing)";
        unusable(path, place, why.to_owned())
    })?;
    let version = version_string(base)
        .ok_or_else(|| unusable(path, place, String::from("it does not say its version")))?;
    // An old library prints a complaint when it is asked for a newer interface: look first.
    if major_minor(&version) < OLDEST || !serves(base, OLDEST.1) {
        return Err(RuntimeError::TooOld {
            path: path.to_path_buf(),
            place: place.clone(),
            version,
        });
    }
    Ok(RuntimeLibrary::new(path, place, version))
}

fn unusable(path: &Path, place: &Place, why: String) -> RuntimeError {
    RuntimeError::NotALibrary {
        path: path.to_path_buf(),
        place: place.clone(),
        why,
        help: match place {
            Place::Named => {
                "ORT_DYLIB_PATH must name the library itself, such as libonnxruntime.so.1.31.1; \
                 unset it to have the library looked for"
            }
            _ => {
                "remove or replace that file (`pip install -U onnxruntime` brings a good one), or \
                 set ORT_DYLIB_PATH to the library to use"
            }
        },
    }
}

/// Major and minor number of a version such as `1.31.1` or `1.17.0-dev`; what is no number is 0.
pub(super) fn major_minor(version: &str) -> (u32, u32) {
    let mut numbers = version.split('.').map(|part| part.parse().unwrap_or(0));
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0))
}

/// The start of ONNX Runtime's C interface (`OrtApiBase` in `onnxruntime_c_api.h`), fixed since 1.0.
#[repr(C)]
struct ApiBase {
    get_api: Option<unsafe extern "system" fn(version: u32) -> *const c_void>,
    get_version_string: Option<unsafe extern "system" fn() -> *const c_char>,
}

/// Opens a shared library for good: unloading a runtime that has started threads is not safe.
#[allow(unsafe_code)]
pub(super) fn open_library(path: &Path) -> Result<&'static Library, libloading::Error> {
    // SAFETY: opening runs the library's initialisers. The file is one that the user named or
    // installed under ONNX Runtime's own name, whose initialisers only set up its globals.
    let library = unsafe { Library::new(path) }?;
    Ok(Box::leak(Box::new(library)))
}

#[allow(unsafe_code)]
fn api_base(library: &'static Library) -> Option<&'static ApiBase> {
    type Getter = unsafe extern "system" fn() -> *const ApiBase;
    // SAFETY: `OrtGetApiBase` has had this signature in every version of ONNX Runtime, and the
    // structure it gives is a constant of the library, which is never unloaded.
    unsafe {
        let getter = library.get::<Getter>(b"OrtGetApiBase\0").ok()?;
        getter().as_ref()
    }
}

#[allow(unsafe_code)]
fn version_string(base: &ApiBase) -> Option<String> {
    let ask = base.get_version_string?;
    // SAFETY: the function takes nothing and gives a constant, null-terminated string, or null.
    let version = unsafe {
        let text = ask();
        (!text.is_null()).then(|| CStr::from_ptr(text))
    };
    Some(version?.to_string_lossy().into_owned())
}

#[allow(unsafe_code)]
fn serves(base: &ApiBase, api_version: u32) -> bool {
    base.get_api.is_some_and(|ask| {
        // SAFETY: the function takes any number and gives null for a version that it lacks; the
        // pointer is only compared.
        let api = unsafe { ask(api_version) };
        !api.is_null()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_file_and_a_folder_are_no_library() {
        let dir = tempfile::tempdir().unwrap();
        let text = dir.path().join("text.so");
        std::fs::write(&text, "not a library").unwrap();
        for path in [text, dir.path().to_path_buf()] {
            let error = open_file(&path, &Place::Named).unwrap_err();
            assert!(
                matches!(error, RuntimeError::NotALibrary { .. }),
                "{error:?}"
            );
            let named = path.display().to_string();
            assert_eq!(error.to_string().matches(&named).count(), 1, "{error}");
        }
    }

    #[test]
    fn versions_are_compared_as_numbers() {
        assert!(major_minor("1.9.0") < OLDEST);
        assert!(major_minor("1.16.3") < OLDEST);
        assert!(major_minor("1.17.0-dev") >= OLDEST);
        assert!(major_minor("2.0") >= OLDEST);
        assert!(major_minor("nonsense") < OLDEST);
    }
}
