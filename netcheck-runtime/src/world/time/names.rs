//! The names of the instants in a zone.

use crate::id::{ProcessId, UnitId};
use crate::world::components::ComponentId;
use netcheck_models::time::{Delay, Scheduled, Time, Zone};

/// The start of the check, in the past; scheduled if a program reads the clock.
pub(super) const START: Scheduled = Scheduled { owner: u32::MAX, number: 0 };

/// The owners of the marks of programs, from the first process and the first unit on, by turns; those of timers and copies
/// are below.
const MARKS: u32 = 1 << 31;

/// The owners of the marks of monitors, from the first monitor on.
pub(super) const MONITORS: u32 = 3 << 30;

/// The owner of the steps of one execution, in the past.
const STEPS: u32 = u32::MAX - 1;

/// Some instant from now on.
pub(super) const SOME_TIME: Scheduled = Scheduled { owner: u32::MAX, number: 1 };

/// The name of a timer of a unit.
pub(in crate::world) fn timer_event(unit: UnitId, timer: u32) -> Scheduled {
    Scheduled { owner: 2 * unit.0, number: timer }
}

/// The number of the start of a unit that stands for a process after a crash, among its timers.
const RESTART: u32 = u32::MAX;

/// The name of the start of a unit that stands for a process after a crash, where that takes a time.
pub(in crate::world) fn restart_event(unit: UnitId) -> Scheduled {
    timer_event(unit, RESTART)
}

/// Whether the start of a process after a crash is named.
pub(super) fn is_restart(event: Scheduled) -> bool {
    event.owner < MARKS && event.owner.is_multiple_of(2) && event.number == RESTART
}

/// Whose marks are named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::world) enum Marked {
    /// The marks of all units of a process.
    Process(ProcessId),
    /// The marks of one unit.
    Unit(UnitId),
}

/// The name of an instant that a program has read.
pub(in crate::world) fn mark_event(of: Marked, mark: u32) -> Scheduled {
    Scheduled { owner: owner_of_marks(of), number: mark }
}

pub(in crate::world) fn owner_of_marks(of: Marked) -> u32 {
    match of {
        Marked::Process(process) => MARKS + 2 * process.0,
        Marked::Unit(unit) => MARKS + 2 * unit.0 + 1,
    }
}

/// Whose marks have this owner.
pub(in crate::world) fn marked(owner: u32) -> Marked {
    let number = (owner - MARKS) / 2;
    if owner.is_multiple_of(2) { Marked::Process(ProcessId(number)) } else { Marked::Unit(UnitId(number)) }
}

/// The name of the copy at a position of a channel.
pub(in crate::world) fn copy_event(channel: ComponentId, position: u32) -> Scheduled {
    Scheduled { owner: 2 * channel.0 + 1, number: position }
}

pub(in crate::world) fn is_copy(event: Scheduled) -> bool {
    is_of_component(event) && event.number < SENT
}

/// The names of the instants at which copies were sent, from this number on.
const SENT: u32 = 1 << 31;

/// The name of the instant, in the past, at which the copy of this name was sent.
pub(in crate::world) fn sent_event(copy: Scheduled) -> Scheduled {
    Scheduled { number: copy.number | SENT, ..copy }
}

/// The name of the copy, if it or the instant at which it was sent is given.
pub(in crate::world) fn copy_of(event: Scheduled) -> Scheduled {
    Scheduled { number: event.number & !SENT, ..event }
}

/// The channel or connection of a copy, or of the instant at which it was sent.
pub(in crate::world) fn component_of(event: Scheduled) -> ComponentId {
    ComponentId(event.owner / 2)
}

/// Whether a copy, or the instant at which it was sent, is named.
pub(in crate::world) fn is_of_component(event: Scheduled) -> bool {
    event.owner % 2 == 1 && event.owner < MARKS
}

/// The number of a horizon among the marks of a process.
const HORIZON: u32 = u32::MAX;

/// Schedules the horizon of a process. All processes have the same, and each has one of its own, so that a zone stays a
/// product of those of processes that never meet.
pub(in crate::world) fn arm_horizon(zone: &mut Zone, process: ProcessId, after_ns: u64) {
    zone.arm(horizon_event(process), Delay::exactly(after_ns));
}

/// The name of the horizon of a process.
pub(super) fn horizon_event(process: ProcessId) -> Scheduled {
    mark_event(Marked::Process(process), HORIZON)
}

/// Whether a horizon is named, beyond which no time passes.
pub(super) fn is_horizon(event: Scheduled) -> bool {
    is_mark(event) && event.number == HORIZON
}

pub(in crate::world) fn is_mark(event: Scheduled) -> bool {
    event.owner >= MARKS && event.owner < MONITORS
}

/// The name of an instant at which a monitor has reset clocks, or of the start.
pub(in crate::world) fn monitor_mark(monitor: usize, mark: u32) -> Scheduled {
    Scheduled { owner: MONITORS + monitor as u32, number: mark }
}

/// The name of the instant of a step of one execution; 0 is its start.
pub(in crate::world) fn step_event(step: u32) -> Scheduled {
    Scheduled { owner: STEPS, number: step }
}

/// The zone of the start of a check whose programs read the clock.
pub(in crate::world) fn with_start() -> Zone {
    let mut zone = Zone::default();
    zone.arm(START, Delay::NONE);
    zone
}
