//! Small networked systems, and monitors of them, as data.

pub mod automaton;
pub mod everyday;
pub mod files;
pub mod program;
