//! fairgate's own gate: the benchmarks of `fairness.toml`, as a model repository runs them.

fn main() -> std::process::ExitCode {
    fairgate::harness!()
}
