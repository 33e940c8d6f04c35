//! The help texts: examples first, since they answer most questions.

/// The order of a help text: what it is, how it is called, examples, then everything there is.
pub(super) const TEMPLATE: &str =
    "{about-with-newline}\n{usage-heading} {usage}\n\n{before-help}{all-args}{after-help}";

/// Exit codes of `fairgate` and `fairgate check`.
pub(super) const EXIT_CODES: &str = "\
Exit codes:
  0  every benchmark passes
  1  a benchmark failed: a limit is exceeded, or a snapshot changed
  2  the spec or the arguments are wrong
  3  a model, a dataset or a runtime could not be used
  4  inconclusive, interrupted, or nothing to run

Ctrl-C ends the run and keeps what was found; a second one ends the program at once.";

/// Of the program.
pub(super) const MAIN: &str = "\
Examples:
  fairgate init model.onnx people.csv  write a first fairness.toml
  fairgate                             check every benchmark of fairness.toml
  fairgate check census                check the benchmarks whose names contain `census`
  fairgate report                      check, and write a page about it
  fairgate list                        the benchmarks, without running them
  fairgate help check                  more about a command";

/// Of `fairgate check`.
pub(super) const CHECK: &str = "\
Examples:
  fairgate check                              check every benchmark of fairness.toml
  fairgate check census                       those whose names contain `census`
  fairgate check --exact census-sex           one of them
  fairgate check --spec models/fairness.toml  another spec
  fairgate check --exhaustive bank            look at everyone in the domain: exact, goes on if ended
  fairgate check --accept                     record what is found as the new snapshots
  fairgate check --format json                one JSON object a line, for other tools
  fairgate check --format junit > junit.xml   a JUnit document, for CI systems
  fairgate check --format github              annotations, in GitHub Actions";

/// Of `fairgate report`.
pub(super) const REPORT: &str = "\
Examples:
  fairgate report                              check every benchmark, write fairness-report.html
  fairgate report --output public/index.html   write it elsewhere
  fairgate report --exact census-sex           about one benchmark
  fairgate report --format github              annotations and the page, in GitHub Actions

It takes every option of `fairgate check`, prints the same and ends with the same exit code. The page is
written when the run ends, also if benchmarks fail; not if the spec or a model cannot be used.";

/// Of `fairgate list`.
pub(super) const LIST: &str = "\
Examples:
  fairgate list                      every benchmark with its model, dataset and limits
  fairgate list census               those whose names contain `census`
  fairgate list --format json        one JSON object a line
  fairgate list --constraints        what holds for the people of each benchmark";

/// Of `fairgate init`.
pub(super) const INIT: &str = "\
Examples:
  fairgate init model.onnx people.csv             write fairness.toml
  fairgate init model.onnx people.csv --output -  print it
  fairgate init model.onnx people.csv --label income --protected sex,race

What cannot be read from the model or the data is guessed, and marked so in the file.";

/// Exit codes of `fairgate init`.
pub(super) const INIT_EXIT_CODES: &str = "\
Exit codes:
  0  written, and it runs
  2  the arguments are wrong, or the file is there already
  3  the model or the CSV cannot be used, or the file has to be mended before it runs
  4  written, and it runs, but the model's decisions do not go with the label: mend it first";

/// Of `fairgate study`.
pub(super) const STUDY: &str = "\
Examples:
  fairgate study --quick                   a first look, in about two minutes
  fairgate study                           the paper's size, on every benchmark of fairness.toml
  fairgate study census --questions 2      the methods, on benchmarks whose names contain `census`
  fairgate study --methods maft,random     only these
  fairgate study --output results/study    in another folder; the same command goes on after Ctrl-C

Every run is kept in runs.csv as soon as it ends. report.html, report.md, tables/ and figures/ follow from it.";

/// Exit codes of `fairgate study`.
pub(super) const STUDY_EXIT_CODES: &str = "\
Exit codes:
  0  the study is complete, whatever became of the claims
  2  the spec or the arguments are wrong
  3  a model, a dataset, a runtime or the folder could not be used
  4  interrupted, or nothing to run

Ctrl-C ends the study and keeps every run that had ended.";

/// Of `fairgate completions`.
pub(super) const COMPLETIONS: &str = "\
Examples:
  fairgate completions bash > ~/.local/share/bash-completion/completions/fairgate
  fairgate completions zsh > ~/.zfunc/_fairgate
  fairgate completions fish > ~/.config/fish/completions/fairgate.fish";

/// Of `fairgate man`.
pub(super) const MAN: &str = "\
Examples:
  fairgate man | man -l -                                       read it
  fairgate man check | man -l -                                 the page of a command
  fairgate man > ~/.local/share/man/man1/fairgate.1             install it";

/// Of `fairgate schema`.
pub(super) const SCHEMA: &str = "\
Examples:
  fairgate schema > fairness.schema.json  write it beside fairness.toml

With the line `#:schema ./fairness.schema.json` at the top of fairness.toml, editors that know TOML
(Even Better TOML, taplo) complete keys, explain them and mark mistakes.";

/// Of `fairgate explain`.
pub(super) const EXPLAIN: &str = "\
Examples:
  fairgate explain census-sex             the first pair that `fairgate check` shows
  fairgate explain census-sex 3           the third
  fairgate explain census-sex --recorded  the first pair of the snapshot, without a search";

/// Exit codes of `fairgate explain`.
pub(super) const EXPLAIN_EXIT_CODES: &str = "\
Exit codes:
  0  explained
  2  the spec or the arguments are wrong, or there is no such pair
  3  a model, a dataset or a runtime could not be used
  4  no counterexample was found, or none is recorded";

/// Of `fairgate export`.
pub(super) const EXPORT: &str = "\
Examples:
  fairgate export census-sex > found.csv           everyone found, each with a counterpart
  fairgate export census-sex --counterparts none   without counterparts
  fairgate export census-sex --as model            the numbers that the model eats
  fairgate export census-sex --people tested       everyone whom the search tested
  fairgate export census-sex --most 1000           the first thousand

What fairgate adds stands in front, under names that begin with `fairgate_`.";

/// Exit codes of `fairgate export`.
pub(super) const EXPORT_EXIT_CODES: &str = "\
Exit codes:
  0  written
  2  the spec or the arguments are wrong
  3  a model, a dataset or a runtime could not be used, or the file not written
  4  interrupted: what was found until then is written";
