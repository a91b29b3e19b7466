//! TCP in global states: what connections, backlogs and bound ports make of operations.
//!
//! - `connections`: how a program's stream names a connection, and which failures are declared for it;
//! - `outcomes`: what an operation can get;
//! - `release`: what closing, dropping and ending does.

pub(crate) mod connections;
mod outcomes;
mod release;
