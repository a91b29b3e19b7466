//! The oracle of the engine: random small systems as data, and an explorer that reads them literally.
//!
//! This crate depends on nothing of the engine, so that the explorer shares no code with the engine.

#![forbid(unsafe_code)]

pub mod disk;
pub mod generate;
pub mod language;
pub mod naive;
