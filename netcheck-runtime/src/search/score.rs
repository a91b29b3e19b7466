//! A state as a user's score sees it.

use crate::id::ProcessId;
use crate::property::output;
use crate::unit::wording;
use crate::world::enabled::Enabled;
use crate::world::step::Transition;
use crate::world::system::{Interrupt, System};
use std::cell::RefCell;
use std::fmt;
use std::sync::Arc;

/// A global state, as `Checker::best_first` shows it to a score.
///
/// With the reduction, a daemon that can never be woken again may have left the state: it is blocked then, and has no
/// pending operation.
pub struct State<'a> {
    system: RefCell<&'a mut System>,
    vector: &'a [u32],
    depth: usize,
    faults: u32,
    /// The steps that it offers, once they were asked for.
    enabled: RefCell<Option<Result<Enabled, Interrupt>>>,
}

impl State<'_> {
    /// The number of steps from the start, on the way on which the state was first met.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// The number of faults on that way; see `Checker::at_most`.
    pub fn faults(&self) -> usize {
        self.faults as usize
    }

    /// How many datagrams are under way that may still arrive, for the first time or again.
    pub fn in_flight(&self) -> usize {
        self.system.borrow().in_flight(self.vector)
    }

    /// Whether a process has come to its end.
    ///
    /// # Panics
    /// If no process has this name.
    #[track_caller]
    pub fn has_ended(&self, process: &str) -> bool {
        let process = self.process(process);
        output(&self.system.borrow(), self.vector, process).is_some()
    }

    /// Whether a process can't go on by itself: it waits for others, for the network or for time to pass. That one
    /// of its calls may fail does not count.
    ///
    /// # Panics
    /// If no process has this name.
    #[track_caller]
    pub fn is_blocked(&self, process: &str) -> bool {
        let id = self.process(process);
        let mut enabled = self.enabled.borrow_mut();
        let enabled = enabled.get_or_insert_with(|| {
            let mut offered = Enabled::default();
            self.system.borrow_mut().enabled(self.vector, &mut offered).map(|()| offered)
        });
        let system = self.system.borrow();
        let moves =
            |step: &Transition| !step.is_failure() && step.unit().is_some_and(|unit| system.process_of(unit) == id);
        // On an interrupt, the search begins again, or ends.
        let can_move = enabled.as_ref().is_ok_and(|offered| offered.moves.iter().any(moves));
        !can_move && output(&system, self.vector, id).is_none()
    }

    /// The pending operations of a process and its tasks, in words, such as `recv on port 4000`.
    ///
    /// # Panics
    /// If no process has this name.
    #[track_caller]
    pub fn pending(&self, process: &str) -> Vec<String> {
        let process = self.process(process);
        let system = self.system.borrow();
        let of_process = system.live_units(self.vector).filter(|(unit, _)| system.process_of(*unit) == process);
        let offers = of_process.flat_map(|(_, node)| &system.learner.automata.node(node).offers);
        offers.map(|offer| wording::operation_of(&offer.operation, system.shared())).collect()
    }

    #[track_caller]
    fn process(&self, name: &str) -> ProcessId {
        let system = self.system.borrow();
        let hosts = &system.shared().hosts;
        match hosts.iter().position(|host| host.name == name) {
            Some(index) => ProcessId(index as u32),
            // Not in a closure: that would be the caller.
            None => panic!("no process is named \"{name}\""),
        }
    }
}

impl fmt::Debug for State<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let State { depth, faults, .. } = self;
        f.debug_struct("State").field("depth", depth).field("faults", faults).finish_non_exhaustive()
    }
}

/// A user's score.
#[derive(Clone)]
pub struct Score(Arc<dyn Fn(&State<'_>) -> i64 + Send + Sync>);

impl Score {
    pub fn new(score: impl Fn(&State<'_>) -> i64 + Send + Sync + 'static) -> Score {
        Score(Arc::new(score))
    }

    /// The score of a state that was just met.
    pub(crate) fn of(&self, system: &mut System, vector: &[u32], depth: usize, faults: u32) -> Result<i64, Interrupt> {
        let state = State { system: RefCell::new(system), vector, depth, faults, enabled: RefCell::new(None) };
        let score = (self.0)(&state);
        match state.enabled.into_inner() {
            Some(Err(interrupt)) => Err(interrupt),
            _ => Ok(score),
        }
    }
}

impl fmt::Debug for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Score")
    }
}
