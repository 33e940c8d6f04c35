//! Tells the crate how it is being built, so that a slow, unoptimised run can say so.

fn main() {
    let level = std::env::var("OPT_LEVEL").unwrap_or_default();
    println!("cargo::rustc-env=FAIRGATE_OPT_LEVEL={level}");
    println!("cargo::rerun-if-changed=build.rs");
}
