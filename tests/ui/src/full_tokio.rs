//! Tokio with all its features, which the compiler is given as `tokio` for the programs under `fail/`.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

#[doc(no_inline)]
pub use tokio::*;
