//! The interface of quiet and dense time.

use smallvec::SmallVec;
use std::hash::Hash;

/// The time of a state: the events that are scheduled, and when they may happen.
///
/// An event that is scheduled is *awaited* if a program waits for it, or the network brings it about; an armed timer
/// that no program polls is scheduled, but not awaited, and time passes beyond it. An awaited event lies at the present
/// instant or in the future: an event that is over happens without any time passing, which is no matter of this
/// interface.
///
/// Intervals, and their missed ticks, are no part of the interface: quiet time counts late ticks in
/// [`Countdowns::rearm`](super::Countdowns::rearm), dense time arms the next tick from the instant of the last one by
/// [`Zone::arm_from`](super::Zone::arm_from).
pub trait Time: Clone + Eq + Hash {
    /// The name of a scheduled event.
    type Event: Copy + Eq;
    /// How long an event takes from now.
    type Delay;

    /// Schedules an event from now, in place of its earlier schedule.
    fn arm(&mut self, event: Self::Event, delay: Self::Delay);

    /// Takes an event out, if it is scheduled.
    fn disarm(&mut self, event: Self::Event);

    /// The awaited events that may happen next.
    fn due(&self, awaited: impl Fn(Self::Event) -> bool) -> SmallVec<[Self::Event; 2]>;

    /// Lets time pass until an event, which stays scheduled for now; `None` if another awaited event must come first.
    fn elapse_until(&self, until: Self::Event, awaited: impl Fn(Self::Event) -> bool) -> Option<Self>;

    /// Whether all that may happen in the other time may happen in this one.
    fn covers(&self, other: &Self) -> bool;
}
