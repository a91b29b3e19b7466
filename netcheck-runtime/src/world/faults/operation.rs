//! Regions of a program with faults of their own.

use crate::world::tcp::failures::Failures;
use netcheck_models::udp::Perturbation;
use std::sync::Arc;

/// A change of a unit's fault regions, without a choice.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    /// A `faults::scope` was entered (`true`) or left.
    Scope { entered: bool },
    /// A `faults::with` was entered, with a number that no other region of the unit has.
    Enter { number: u32, region: Arc<Region> },
    /// The `faults::with` with this number was left.
    Leave { number: u32 },
}

/// The faults that a `faults::with` sets anew. `None`: the faults that the check declares hold.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Region {
    /// The multiplication choices and the capacity for what is sent.
    pub udp: Option<Perturbation>,
    /// The calls that may fail.
    pub tcp: Option<Failures>,
}
