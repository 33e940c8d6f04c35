//! What can be wrong with a `fairness.toml`: one variant a complaint, all its words in one place.

use miette::{Diagnostic, SourceSpan};
use thiserror::Error;

/// One thing to mend in `fairness.toml`: what is wrong, where, and how to mend it.
///
/// In every variant `at` is the place in the file that the caret points at, and `what` names a key
/// together with its table, such as "`seed` in [benchmark.census-sex]".
#[derive(Debug, Clone, Error, Diagnostic)]
#[non_exhaustive]
#[allow(missing_docs)] // Every field is a part of the sentence right above its variant.
pub enum SpecProblem {
    /// The file is not TOML; `message` is in the words of the TOML parser.
    #[error("{message}")]
    #[diagnostic(code(fairgate::spec::syntax))]
    Syntax {
        message: String,
        #[help]
        help: Option<String>,
        #[label("here")]
        at: Option<SourceSpan>,
    },

    /// There is no benchmark.
    #[error("there is nothing to test: the file has no benchmark")]
    #[diagnostic(
        code(fairgate::spec::empty),
        help(
            "add one:\n[benchmark.census-sex]\nmodel = \"census\"\ndataset = \"census\"\n\
             protected = [\"sex\"]"
        )
    )]
    Empty {
        #[label("no benchmark in here")]
        at: Option<SourceSpan>,
    },

    /// A table has a key that fairgate does not know.
    #[error("unknown key `{key}` {place}")]
    #[diagnostic(code(fairgate::spec::unknown_key))]
    UnknownKey {
        key: String,
        place: String,
        #[help]
        help: String,
        #[label("not a key of this table")]
        at: SourceSpan,
    },

    /// A key that must be there is not.
    #[error("{table} does not say its `{key}`")]
    #[diagnostic(code(fairgate::spec::missing_key))]
    MissingKey {
        table: String,
        key: &'static str,
        #[help]
        help: String,
        #[label("`{key}` is missing")]
        at: SourceSpan,
    },

    /// A value is of the wrong kind: text where a number belongs.
    #[error("{what} must be {wanted}, but is {found}")]
    #[diagnostic(code(fairgate::spec::wrong_type))]
    WrongType {
        what: String,
        wanted: String,
        found: String,
        #[help]
        help: Option<String>,
        #[label("{found}")]
        at: SourceSpan,
    },

    /// A value is of the right kind but cannot be meant.
    #[error("{what} must be {wanted}, but is {found}")]
    #[diagnostic(code(fairgate::spec::out_of_range))]
    OutOfRange {
        what: String,
        wanted: String,
        found: String,
        #[help]
        help: Option<String>,
        #[label("must be {wanted}")]
        at: SourceSpan,
    },

    /// A value is not one of the words that may stand there.
    #[error("{what} must be {known}, but is `{found}`")]
    #[diagnostic(code(fairgate::spec::unknown_word))]
    UnknownWord {
        what: String,
        known: String,
        found: String,
        #[help]
        help: Option<String>,
        #[label("must be {known}")]
        at: SourceSpan,
    },

    /// A method is known, but this build of fairgate has it not.
    #[error(
        "the method `{method}` needs the model's gradients, which this build of fairgate leaves out"
    )]
    #[diagnostic(
        code(fairgate::spec::not_built),
        help(
            "build fairgate with `--features white-box`, or choose a method that needs scores only, \
             such as `maft`"
        )
    )]
    NotBuilt {
        method: String,
        #[label("not in this build")]
        at: SourceSpan,
    },

    /// `[model]`, `[dataset]` or `[benchmark]` holds keys where it should hold named tables.
    #[error("the {kind} has no name: `{key}` stands right in [{kind}]")]
    #[diagnostic(
        code(fairgate::spec::no_name),
        help("give the {kind} a name of letters, digits and `-`: [{kind}.NAME]")
    )]
    NoName {
        kind: &'static str,
        key: String,
        #[label("belongs in a table [{kind}.NAME]")]
        at: SourceSpan,
    },

    /// A name has characters that names cannot have.
    #[error("`{name}` cannot be the name of a {kind}: only letters, digits and `-` can be in it")]
    #[diagnostic(code(fairgate::spec::bad_name))]
    BadName {
        kind: &'static str,
        name: String,
        #[help]
        help: String,
        #[label("not a plain name")]
        at: SourceSpan,
    },

    /// Two benchmarks would share one snapshot file on some disks.
    #[error("the benchmarks `{first}` and `{second}` differ only in upper and lower case")]
    #[diagnostic(
        code(fairgate::spec::names_differ_in_case),
        help("rename one: their snapshots would be the same file on Windows and macOS")
    )]
    NamesDifferInCase {
        first: String,
        second: String,
        #[label("the first")]
        first_at: SourceSpan,
        #[label("the second")]
        at: SourceSpan,
    },

    /// A benchmark names a model or a dataset that is not in the file.
    #[error("{what} is `{name}`, but there is no [{kind}.{name}]")]
    #[diagnostic(code(fairgate::spec::unknown_reference))]
    UnknownReference {
        what: String,
        kind: &'static str,
        name: String,
        #[help]
        help: String,
        #[label("no such {kind}")]
        at: SourceSpan,
    },

    /// A list that must have entries has none.
    #[error("{what} is an empty list")]
    #[diagnostic(code(fairgate::spec::empty_list))]
    EmptyList {
        what: String,
        #[help]
        help: String,
        #[label("nothing in here")]
        at: SourceSpan,
    },

    /// The same entry stands twice in one list.
    #[error("{what} names `{entry}` twice")]
    #[diagnostic(code(fairgate::spec::said_twice), help("remove one of them"))]
    SaidTwice {
        what: String,
        entry: String,
        #[label("here")]
        first_at: SourceSpan,
        #[label("and here again")]
        at: SourceSpan,
    },

    /// The label is what the model decides, not something it decides by.
    #[error("[benchmark.{benchmark}] protects `{attribute}`, which is the label of its dataset")]
    #[diagnostic(
        code(fairgate::spec::protected_label),
        help("protect an attribute that the model reads; the label is not one of them")
    )]
    ProtectedLabel {
        benchmark: String,
        attribute: String,
        #[label("protected here")]
        at: SourceSpan,
        #[label("the label here")]
        label_at: SourceSpan,
    },

    /// An attribute is said to be both numbers and categories.
    #[error("the attribute `{attribute}` has both a range and a list of values")]
    #[diagnostic(
        code(fairgate::spec::range_and_values),
        help("keep `min` and `max` for integer codes, or `values` for categories")
    )]
    RangeAndValues {
        attribute: String,
        #[label("one of the two is too many")]
        at: SourceSpan,
    },

    /// An attribute's table is empty.
    #[error("the table of the attribute `{attribute}` says nothing")]
    #[diagnostic(
        code(fairgate::spec::attribute_says_nothing),
        help("write {{ min = 1, max = 4 }} or {{ values = [\"a\", \"b\"] }}, or remove the line")
    )]
    AttributeSaysNothing {
        attribute: String,
        #[label("nothing in here")]
        at: SourceSpan,
    },

    /// A range that holds no number.
    #[error("the attribute `{attribute}` has min = {min} above max = {max}")]
    #[diagnostic(
        code(fairgate::spec::min_above_max),
        help("swap the two: {{ min = {max}, max = {min} }}")
    )]
    MinAboveMax {
        attribute: String,
        min: i64,
        max: i64,
        #[label("no number is in this range")]
        at: SourceSpan,
    },

    /// Two things are said that cannot both be meant.
    #[error("{message}")]
    #[diagnostic(code(fairgate::spec::contradiction))]
    Contradiction {
        message: String,
        label: String,
        #[help]
        help: Option<String>,
        #[label("{label}")]
        at: SourceSpan,
    },

    /// Something only the plan could see, such as an attribute that is not in the CSV header.
    #[error("{message}")]
    #[diagnostic(code(fairgate::plan))]
    Plan {
        message: String,
        label: String,
        #[help]
        help: Option<String>,
        #[label("{label}")]
        at: SourceSpan,
    },
}
