//! Operations on timers and on the clock as the search keeps them.

use super::operation::At;
use crate::world::components::ComponentId;

/// A prepared operation on timers and the clock; `armed`: the component with the armed timers of the unit.
#[derive(Clone, Debug)]
pub enum Prepared {
    Timer { timer: u32, armed: ComponentId, repeats: bool },
    Try { timer: u32, armed: ComponentId, repeats: bool },
    Clock,
    Deadline { timer: u32, armed: ComponentId },
    Compare { one: At, other: At },
    Distance { from: At, to: At },
}
