//! Why ONNX Runtime, or a model in it, could not be used: one sentence and one fix for each case.

use std::path::PathBuf;

use super::discovery::Place;

/// Why ONNX Runtime, or a model in it, could not be used.
#[derive(Debug, Clone, thiserror::Error, miette::Diagnostic)]
#[non_exhaustive]
pub enum RuntimeError {
    /// There is no library in any of the places where it may be.
    #[error("the ONNX Runtime library was not found; looked in:\n  {}", tried.join("\n  "))]
    #[diagnostic(
        code(fairgate::runtime::not_found),
        help(
            "install it with `pip install onnxruntime`, or set ORT_DYLIB_PATH to the library file, \
             or run without it: runtime = \"embedded\""
        )
    )]
    NotFound {
        /// Every place, with what was found there.
        tried: Vec<String>,
    },
    /// The Python package is there, but an old one that has the runtime inside its Python module.
    #[error(
        "found the Python package onnxruntime at {}, but its wheel ships no {library}",
        package.display()
    )]
    #[diagnostic(
        code(fairgate::runtime::wheel_without_library),
        help("upgrade it: pip install -U onnxruntime (or onnxruntime-gpu)")
    )]
    WheelWithoutLibrary {
        /// The package's folder.
        package: PathBuf,
        /// The library's plain file name on this system.
        library: String,
    },
    /// A file that should be the library is not.
    #[error("cannot use {} ({place}) as the ONNX Runtime library: {why}", path.display())]
    #[diagnostic(code(fairgate::runtime::not_a_library))]
    NotALibrary {
        /// The file.
        path: PathBuf,
        /// Where it was found.
        place: Place,
        /// What is wrong with it.
        why: String,
        /// How to mend it, which depends on the place.
        #[help]
        help: &'static str,
    },
    /// The library is older than the C interface that fairgate speaks.
    #[error(
        "ONNX Runtime {version} at {} ({place}) is too old: fairgate needs 1.17 or newer",
        path.display()
    )]
    #[diagnostic(
        code(fairgate::runtime::too_old),
        help(
            "upgrade it (`pip install -U onnxruntime`), or set ORT_DYLIB_PATH to a newer library, \
             or run without it: runtime = \"embedded\""
        )
    )]
    TooOld {
        /// The file.
        path: PathBuf,
        /// Where it was found.
        place: Place,
        /// The library's own version.
        version: String,
    },
    /// The library is right, but does not start.
    #[error("ONNX Runtime at {} does not start: {why}", path.display())]
    #[diagnostic(
        code(fairgate::runtime::start),
        help("set ORT_DYLIB_PATH to another ONNX Runtime library, or runtime = \"embedded\"")
    )]
    Start {
        /// The file.
        path: PathBuf,
        /// What it said.
        why: String,
    },
    /// CUDA was asked for and is not there.
    #[error("CUDA is not available: {why} (the library is {})", path.display())]
    #[diagnostic(
        code(fairgate::runtime::no_cuda),
        help(
            "install onnxruntime-gpu (`pip install onnxruntime-gpu`) and an NVIDIA driver, with CUDA \
             and cuDNN on the library path, or set device = \"cpu\" or \"auto\""
        )
    )]
    NoCuda {
        /// The library file.
        path: PathBuf,
        /// What is missing.
        why: String,
    },
    /// The model file can be read, but ONNX Runtime cannot make a model of it.
    #[error("ONNX Runtime {version} cannot load the model {}: {why}", path.display())]
    #[diagnostic(code(fairgate::runtime::load), help("{}", load_help(why)))]
    Load {
        /// The model file.
        path: PathBuf,
        /// The library's version.
        version: String,
        /// What it said.
        why: String,
    },
    /// The output named in the spec is not there.
    #[error("the model has no output `{wanted}`; it has {outputs}")]
    #[diagnostic(
        code(fairgate::runtime::no_such_output),
        help("correct `output` under the model, or leave it out")
    )]
    NoSuchOutput {
        /// The name in the spec.
        wanted: String,
        /// The model's outputs.
        outputs: String,
    },
    /// It is not clear which output is the score.
    #[error("cannot tell the model's score: {why} ({outputs})")]
    #[diagnostic(
        code(fairgate::runtime::ambiguous_output),
        help("name it with `output = \"...\"` under the model")
    )]
    AmbiguousOutput {
        /// What is unclear.
        why: &'static str,
        /// The model's outputs.
        outputs: String,
    },
    /// The answer has not one score for each row.
    #[error("the model answered {rows} rows with an output of shape [{shape}]")]
    #[diagnostic(
        code(fairgate::runtime::answer),
        help("fairgate reads outputs with one row for each row shown: [N] or [N, columns]")
    )]
    Answer {
        /// Rows shown.
        rows: usize,
        /// Shape of the answer.
        shape: String,
    },
    /// The model failed while it ran.
    #[error("the model failed in ONNX Runtime: {why}")]
    #[diagnostic(code(fairgate::runtime::run), help("{}", run_help(why)))]
    Run {
        /// What ONNX Runtime said.
        why: String,
    },
}

impl RuntimeError {
    /// Whether there is no usable library at all, so that another runtime may take the model.
    ///
    /// A library that somebody named in `ORT_DYLIB_PATH` and that does not work is not absence: it is
    /// a mistake to be told.
    pub fn is_absence(&self) -> bool {
        match self {
            RuntimeError::NotFound { .. } | RuntimeError::WheelWithoutLibrary { .. } => true,
            RuntimeError::NotALibrary { place, .. } | RuntimeError::TooOld { place, .. } => {
                *place != Place::Named
            }
            _ => false,
        }
    }

    /// Whether the library or its device is wrong, whatever the model.
    pub fn is_about_the_library(&self) -> bool {
        matches!(
            self,
            RuntimeError::NotFound { .. }
                | RuntimeError::WheelWithoutLibrary { .. }
                | RuntimeError::NotALibrary { .. }
                | RuntimeError::TooOld { .. }
                | RuntimeError::Start { .. }
                | RuntimeError::NoCuda { .. }
        )
    }
}

/// What to do about a model that fails, by what ONNX Runtime said.
fn run_help(why: &str) -> &'static str {
    if why.contains("Unknown Category") {
        "a person has a word that the model does not know: take it out of `values` under the \
         dataset's attributes, or leave such people out; look at upper and lower case, too"
    } else {
        "try the model by itself in Python with onnxruntime.InferenceSession on the same row"
    }
}

/// How to mend a model whose weights are not found.
pub(super) const WEIGHTS_ELSEWHERE: &str = "the model's weights are in a file of their own (often MODEL.onnx.data): put it beside the \
     model, under the name that it had when the model was exported; or export the model into one \
     file (PyTorch: external_data=False)";

/// How to mend a model that cannot be loaded, by what ONNX Runtime said.
fn load_help(why: &str) -> &'static str {
    if why.to_lowercase().contains("external data") {
        WEIGHTS_ELSEWHERE
    } else if why.contains("tensor(double)") {
        "the exporter mixed double and float numbers. With scikit-learn, give it floats: turn the \
         decimal columns into float32 before the export, as in `inputs.astype({name: \"float32\" \
         for name in inputs.select_dtypes(\"float64\")})`, or export with options zipmap=False"
    } else {
        "check that the file is an ONNX model (not a Git LFS pointer, not cut off); a model from a \
         newer exporter may need a newer ONNX Runtime: pip install -U onnxruntime"
    }
}

/// What the system said, without the error number that it is known by.
pub(super) fn plain_io(error: &std::io::Error) -> String {
    let text = error.to_string();
    match text.split_once(" (os error") {
        Some((sentence, _)) => sentence.to_owned(),
        None => text,
    }
}

/// What ONNX Runtime said, on one line, without error numbers and places in its source code.
pub(super) fn plain(message: &str) -> String {
    let words: Vec<&str> = message.split_whitespace().collect();
    let text = words.join(" ");
    let text = after_code(&text);
    // `Load model from PATH failed:`: the path is in the sentence around this one.
    let text = match text.strip_prefix("Load model from ") {
        Some(rest) => rest.split_once(" failed:").map_or(text, |(_, said)| said),
        None => text,
    };
    // The code may come again behind the place.
    after_code(&without_source_place(text)).to_owned()
}

/// Drops `[ONNXRuntimeError] : 1 : FAIL : `.
fn after_code(text: &str) -> &str {
    let Some(coded) = text.strip_prefix("[ONNXRuntimeError] : ") else {
        return text;
    };
    coded.splitn(3, " : ").nth(2).unwrap_or(text)
}

/// Drops `/onnxruntime_src/core/graph/model.cc:182 onnxruntime::Model::Model(int) `.
fn without_source_place(text: &str) -> String {
    let found = [".cc:", ".h:"]
        .iter()
        .filter_map(|end| text.find(end))
        .min();
    let Some(place) = found else {
        return text.to_owned();
    };
    let start = text[..place].rfind(' ').map_or(0, |space| space + 1);
    let is_path = text[start..place].contains(['/', '\\']);
    match text[place..].split_once(") ") {
        Some((_, said)) if is_path => format!("{}{said}", &text[..start]),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_named_library_that_fails_is_no_absence() {
        let at = |place| RuntimeError::TooOld {
            path: "x".into(),
            place,
            version: "1.16.0".into(),
        };
        assert!(!at(Place::Named).is_absence());
        assert!(at(Place::LibraryPath).is_absence());
        assert!(RuntimeError::NotFound { tried: vec![] }.is_absence());
    }

    #[test]
    fn the_help_goes_with_what_was_said() {
        let external = "External data path validation failed for initializer: w";
        assert!(load_help(external).contains("MODEL.onnx.data"));
        let mixed = "bound to different types (tensor(float) and tensor(double) in node (Concat)";
        assert!(load_help(mixed).contains("float32"));
        assert!(load_help("Protobuf parsing failed.").contains("Git LFS"));
        assert!(run_help("Unknown Category and zeros = 0.").contains("`values`"));
    }

    #[test]
    fn messages_lose_their_place_in_the_source() {
        let said = "/onnxruntime_src/onnxruntime/core/graph/model.cc:182 \
                    onnxruntime::Model::Model(onnx::ModelProto&&, const PathString&) \
                    Unsupported model IR version: 99,\n max supported IR version: 9\n";
        assert_eq!(
            plain(said),
            "Unsupported model IR version: 99, max supported IR version: 9"
        );
        let said = "[ONNXRuntimeError] : 1 : FAIL : Load model from a b.onnx failed:No graph.";
        assert_eq!(plain(said), "No graph.");
        let said = "/src/provider_bridge_ort.cc:1 Status Load(int) [ONNXRuntimeError] : 1 : FAIL : \
                    libcublasLt.so.13 is missing";
        assert_eq!(plain(said), "libcublasLt.so.13 is missing");
        let said = "While running Reshape node. Status Message: /src/reshape_helper.h:91 \
                    onnxruntime::ReshapeHelper(bool) The shapes differ.";
        assert_eq!(
            plain(said),
            "While running Reshape node. Status Message: The shapes differ."
        );
    }
}
