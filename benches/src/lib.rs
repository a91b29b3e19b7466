//! Nothing: the benchmarks lie beside `src/`. They are a crate of their own so that nothing else builds what measures
//! them.
#![forbid(unsafe_code)]
#![deny(missing_docs)]
