//! Fault budgets: the cost of an event in faults, and the faults that one execution may still have.
//!
//! The cost of an event of a datagram is decided with the event, because it depends on the faults that were counted
//! before (a packet that is overtaken and then lost is one fault). Every other event has a fixed cost.

use crate::event::Event;

impl Event {
    /// The number of faults that the event costs.
    #[must_use]
    pub fn faults(&self) -> u32 {
        match *self {
            Event::Multiplied { faults, .. }
            | Event::Lost { faults, .. }
            | Event::Duplicated { faults, .. }
            | Event::Overtook { faults, .. } => faults,
            Event::Failed | Event::FailedAlone | Event::Reset | Event::Hung => 1,
            Event::Crashed | Event::Silenced | Event::Cut => 1,
            Event::Departed
            | Event::Astray
            | Event::Unbound
            | Event::Arrived { .. }
            | Event::Kept
            | Event::Unheard { .. }
            | Event::Connected
            | Event::Accepted
            | Event::Refused
            | Event::Read { .. }
            | Event::Wrote { .. }
            | Event::Ended
            | Event::Finished
            | Event::Broken
            | Event::Restarted
            | Event::Fired { .. }
            | Event::Passed { .. }
            | Event::Dialed
            | Event::Came { .. }
            | Event::Waits
            | Event::Healed
            | Event::CutOff
            | Event::Delayed { .. } => 0,
        }
    }
}

/// The number of faults that some events cost together.
#[must_use]
pub fn cost<'a>(events: impl IntoIterator<Item = &'a Event>) -> u32 {
    events.into_iter().map(Event::faults).sum()
}

/// The faults that one execution may still have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// `None`: there is no bound.
    left: Option<u32>,
}

impl Budget {
    /// The budget after `used` faults of `at_most`; `None`: there is no bound.
    #[must_use]
    pub fn after(used: u32, at_most: Option<u32>) -> Budget {
        Budget { left: at_most.map(|at_most| at_most.saturating_sub(used)) }
    }

    /// Whether nothing is left of it after so many more faults.
    #[must_use]
    pub fn is_spent_by(self, faults: u32) -> bool {
        self.left.is_some_and(|left| left <= faults)
    }

    /// Whether so many more faults may happen.
    #[must_use]
    pub fn allows(self, faults: u32) -> bool {
        self.left.is_none_or(|left| faults <= left)
    }
}

#[cfg(test)]
mod tests {
    use super::{Budget, cost};
    use crate::event::Event;

    #[test]
    fn a_budget_allows_what_is_left_of_it() {
        let two = Budget::after(1, Some(3));
        assert_eq!([0, 1, 2, 3].map(|faults| two.allows(faults)), [true, true, true, false]);
        let spent = Budget::after(4, Some(3));
        assert!(spent.allows(0) && !spent.allows(1));
        assert_eq!([0, 1, 2].map(|faults| two.is_spent_by(faults)), [false, false, true]);
        assert!(spent.is_spent_by(0) && !Budget::after(7, None).is_spent_by(u32::MAX));
        assert!(Budget::after(7, None).allows(u32::MAX));
    }

    #[test]
    fn the_cost_of_events_is_the_sum_of_their_faults() {
        let late = Event::Overtook { position: 0, faults: 1 };
        let counted = Event::Lost { position: 1, faults: 0 };
        let copies = Event::Duplicated { copy: 2, faults: 3 };
        assert_eq!(cost(&[Event::Arrived { position: 2 }, late, counted, copies]), 4);
        assert_eq!([Event::Failed, Event::Reset, Event::Hung, Event::Broken].map(|event| event.faults()), [1, 1, 1, 0]);
    }
}
