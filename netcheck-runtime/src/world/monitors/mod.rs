//! Monitors that watch every execution of a check (DESIGN, section 11): their configurations are components of the
//! state, and step with what happens.
//!
//! - [`seen`]: what can be seen of a step, as users match on it; [`observer`]: a monitor with its decoder;
//! - [`emission`]: an emitted value; [`sighting`]: what is seen, as the engine keeps it; [`shown`]: with names; [`sightings`]: the sightings of a step;
//! - [`table`]: the configurations that were met, and where each sighting leads; [`watch`]: the monitors' part of a step;
//! - [`marked`]: their clocks in dense time.
//!
//! A program has no operation on a monitor. Its one effect is to emit a value.
//!
//! Invariants: a monitor changes no step but by its own component. The programs' decoders and rules run on the one
//! thread that learns.

pub(crate) mod depends;
pub(crate) mod effects;
pub(crate) mod emission;
pub(crate) mod marked;
pub mod observer;
pub mod operation;
pub(crate) mod renaming;
pub(crate) mod seen;
mod shown;
pub(crate) mod sighting;
mod sightings;
pub(crate) mod table;
pub(crate) mod watch;
