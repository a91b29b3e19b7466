//! The programs of the example `tftp` as a crate of their own, so that `cargo mutants` can change them: `.ci/mutants`.
//! The example itself is `main.rs`: `cargo run --release --example tftp`.

#![forbid(unsafe_code)]
#![deny(missing_docs)]

#[path = "../checked.rs"]
#[allow(missing_docs, reason = "it is an example's module")]
pub mod checked;
#[path = "../methods.rs"]
#[allow(missing_docs, reason = "it is an example's module")]
pub mod methods;
