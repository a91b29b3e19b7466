#[netcheck::program]
#[path = "../pass/isolated_derive.rs"]
mod protocol;

fn main() {}
