//! Tells the crate whether it is optimized: profiles belong to the workspace of the program that is checked, and without
//! the lines for netcheck in it, checks take ten times as long.

fn main() {
    let level = std::env::var("OPT_LEVEL").unwrap_or_default();
    println!("cargo::rustc-env=ENGINE_OPT_LEVEL={level}");
    println!("cargo::rerun-if-changed=build.rs");
}
