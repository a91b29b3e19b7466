//! Transitions of the augmented automaton, as the searches keep them.

use crate::monitor::guard::Window;
use std::rc::Rc;

/// A state of the monitor with values of its variables, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place(pub(super) u32);

impl Place {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// How a rule takes an event at a place.
pub(super) struct Taken<E> {
    /// A missed packet; none for one that the sniffer heard.
    pub(super) event: Option<E>,
    pub(super) rule: usize,
    pub(super) window: Window,
    pub(super) next: Place,
}

/// All ways in which an event is taken at a place.
pub(super) type Ways<E> = Rc<[Taken<E>]>;

/// How a packet of the sniffer's trace, or one that is missing in it, is explained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guess {
    /// The device and the sniffer saw it (type 0).
    Kept,
    /// Only the device saw it (type 1): a guess.
    Missed,
    /// Only the sniffer heard it (type 2): a guess.
    Extra,
    /// The monitor does not observe it.
    Unobserved,
}

/// A transition of the augmented automaton, as a search found it.
#[derive(Clone)]
pub(super) struct Step<E> {
    pub(super) guess: Guess,
    /// How the packet is taken: some place in the ways of the place before it. None where the monitor stays.
    by: Option<(Ways<E>, u32)>,
}

impl<E> Step<E> {
    pub(super) fn new(guess: Guess, ways: &Ways<E>, index: usize) -> Self {
        Step { guess, by: Some((Rc::clone(ways), index as u32)) }
    }

    /// A step that leaves the monitor where it is, at any time.
    pub(super) fn passing(guess: Guess) -> Self {
        Step { guess, by: None }
    }

    pub(super) fn guesses(&self) -> usize {
        usize::from(matches!(self.guess, Guess::Missed | Guess::Extra))
    }

    fn taken(&self) -> Option<&Taken<E>> {
        self.by.as_ref().map(|(ways, index)| &ways[*index as usize])
    }

    /// The missed packet.
    pub(super) fn event(&self) -> Option<&E> {
        self.taken()?.event.as_ref()
    }

    pub(super) fn window(&self) -> Option<&Window> {
        self.taken().map(|taken| &taken.window)
    }

    /// The rule that takes the packet. A packet that only the sniffer heard may be one that a rule would have taken.
    pub(super) fn rule(&self) -> Option<usize> {
        self.taken().filter(|_| self.guess != Guess::Extra).map(|taken| taken.rule)
    }
}
