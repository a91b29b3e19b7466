//! Real processes as peers of programs under check: the tests are in `tests/`, the peers' program in `src/bin/`.
#![forbid(unsafe_code)]
#![deny(missing_docs)]
