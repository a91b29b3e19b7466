//! The language of random systems, the naive explorer of it, and the engine's: what more than one test needs.

pub mod automaton;
pub mod connections;
pub mod engine;
pub mod everyday;
pub mod generate;
pub mod interpret;
pub mod naive;
pub mod objects;
pub mod plain;
pub mod program;
pub mod streams;
pub mod tracked;
