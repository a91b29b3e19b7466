//! Capture files, as programs write them, and broken in all ways.
#![cfg(test)]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod file_transfer;
mod files;
mod mutated;
mod reading;
mod streams;
mod tftp;
mod wireless;
