//! Monitors that watch every execution of a check (DESIGN, section 11): their configurations are components of the
//! state, and step with what happens.
//!
//! - [`seen`]: what can be seen of a step, as users match on it; [`observer`]: a monitor with its decoder;
//! - [`emission`]: an emitted value; [`told`]: a call on an object; [`sighting`]: what is seen, as the engine keeps it; [`shown`]: with names; [`sightings`]: the sightings of a step;
//! - [`at`]: where a monitor is; [`table`]: the places that were met, and where each sighting leads; [`watch`]: the monitors' part of a step;
//! - [`marked`]: their clocks in dense time;
//! - [`history`]: a monitor of the calls on an object; [`calls`]: the calls of one execution, and [`story`]:
//!   what people read of them.
//!
//! A program has no operation on a monitor. Its effects are to emit a value, and to tell of a call on an object.
//!
//! Invariants: a monitor changes no step but by its own component. The programs' decoders and rules run on the one
//! thread that learns.

mod at;
pub mod calls;
pub(crate) mod depends;
pub(crate) mod effects;
pub(crate) mod emission;
pub mod history;
pub(crate) mod marked;
pub mod observer;
pub mod operation;
pub(crate) mod renaming;
pub(crate) mod seen;
mod shown;
pub(crate) mod sighting;
mod sightings;
pub mod story;
pub(crate) mod table;
pub mod told;
pub(crate) mod watch;
