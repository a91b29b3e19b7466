//! The progress of a search, for the thread that waits for it, and that thread's wish that it ends.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// How far a search is. The searching thread writes it, the waiting one reads it.
#[derive(Default)]
pub struct Progress {
    states: AtomicU64,
    frontier: AtomicU64,
    depth: AtomicU64,
    local_states: AtomicU64,
    memory_bytes: AtomicU64,
    fault_points: AtomicU64,
    phase: AtomicU8,
    /// How often the search has begun again.
    rounds: AtomicU64,
    /// Why it did so last.
    why: Mutex<&'static str>,
    is_over: AtomicBool,
    is_expired: AtomicBool,
    /// Whether somebody wants to know how far the search is.
    is_asked: AtomicBool,
    /// Whether advice is wanted.
    wants_advice: AtomicBool,
    /// Whether executions are to be drawn beside the search.
    wants_hunt: AtomicBool,
    /// Advice that may make the search smaller, once it was wanted.
    advice: Mutex<Vec<String>>,
    /// How many states there will be, about; 0: no end is in sight.
    expected_states: AtomicU64,
    /// 0: the search for the least counterexample goes on.
    shortening_seconds: AtomicU64,
}

/// The phase of a check.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    #[default]
    Exploring,
    Concretizing,
    Shortening,
    Auditing,
    Simulating,
    Hunting,
    Serving,
    Walking,
}

impl Phase {
    const ALL: [Phase; 8] = [
        Phase::Exploring,
        Phase::Concretizing,
        Phase::Shortening,
        Phase::Auditing,
        Phase::Simulating,
        Phase::Hunting,
        Phase::Serving,
        Phase::Walking,
    ];
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Phase::Exploring => "exploring states",
            Phase::Concretizing => "looking whether what was found can really happen",
            Phase::Shortening => "looking for the least counterexample",
            Phase::Auditing => "exploring a sample without reduction",
            Phase::Simulating => "simulating",
            Phase::Hunting => "drawing executions beside the search",
            Phase::Serving => "serving the explorer",
            Phase::Walking => "looking for executions that never end",
        })
    }
}

/// How far a search is, at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// Visited states; of a simulation, executions.
    pub states: u64,
    /// States that are still to be expanded.
    pub frontier: u64,
    pub depth: u64,
    /// Nodes of all automata.
    pub local_states: u64,
    pub memory_bytes: u64,
    /// Fault points that a simulation has met.
    pub fault_points: u64,
}

impl Progress {
    /// Notes how far the search is; says whether it is to end.
    pub(crate) fn note(&self, seen: Seen) -> bool {
        self.is_asked.store(false, Ordering::Relaxed);
        self.states.store(seen.states, Ordering::Relaxed);
        self.frontier.store(seen.frontier, Ordering::Relaxed);
        self.depth.store(seen.depth, Ordering::Relaxed);
        self.local_states.store(seen.local_states, Ordering::Relaxed);
        self.memory_bytes.store(seen.memory_bytes, Ordering::Relaxed);
        self.fault_points.store(seen.fault_points, Ordering::Relaxed);
        self.has_to_end()
    }

    /// Whether a search has to end: the check is to, or the time for the least counterexample is over.
    pub fn has_to_end(&self) -> bool {
        self.is_over() || self.shortening_ended_after().is_some()
    }

    /// Asks the search how far it is.
    pub fn ask(&self) {
        self.is_asked.store(true, Ordering::Relaxed);
    }

    /// Whether the search is asked how far it is.
    pub(crate) fn is_asked(&self) -> bool {
        self.is_asked.load(Ordering::Relaxed)
    }

    /// Asks what may make the search smaller.
    pub fn want_advice(&self) {
        self.wants_advice.store(true, Ordering::Relaxed);
    }

    /// Asks that executions are drawn beside the search.
    pub fn want_hunt(&self) {
        self.wants_hunt.store(true, Ordering::Relaxed);
    }

    /// Whether executions are to be drawn; once for each time that it was asked for.
    pub(crate) fn takes_hunt(&self) -> bool {
        self.wants_hunt.swap(false, Ordering::Relaxed)
    }

    /// Says what may make the search smaller, if that is wanted.
    pub(crate) fn advise(&self, advice: impl FnOnce() -> Vec<String>) {
        if self.wants_advice.swap(false, Ordering::Relaxed) {
            *self.advice.lock().unwrap_or_else(PoisonError::into_inner) = advice();
        }
    }

    /// Advice that may make the search smaller; empty until it is known, and once it was taken.
    pub fn take_advice(&self) -> Vec<String> {
        std::mem::take(&mut *self.advice.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Notes how many states there will be, about, if an end is in sight.
    pub fn expect(&self, states: Option<u64>) {
        self.expected_states.store(states.unwrap_or(0), Ordering::Relaxed);
    }

    /// How many states there will be, about, if an end was in sight when the thread that waits looked last.
    pub fn expected(&self) -> Option<u64> {
        Some(self.expected_states.load(Ordering::Relaxed)).filter(|&states| states > 0)
    }

    /// The search begins again, from the start, for this reason.
    pub fn begin_again(&self, why: &'static str) {
        self.rounds.fetch_add(1, Ordering::Relaxed);
        *self.why.lock().unwrap_or_else(PoisonError::into_inner) = why;
    }

    /// Which round the search is in, and why it has begun again; `None` in the first one.
    pub fn round(&self) -> Option<(u64, &'static str)> {
        let rounds = Some(self.rounds.load(Ordering::Relaxed)).filter(|&rounds| rounds > 0)?;
        Some((rounds + 1, *self.why.lock().unwrap_or_else(PoisonError::into_inner)))
    }

    /// Begins a phase of the check; returns the one before.
    pub fn begin(&self, phase: Phase) -> Phase {
        Phase::ALL[usize::from(self.phase.swap(phase as u8, Ordering::Relaxed))]
    }

    pub fn phase(&self) -> Phase {
        Phase::ALL[usize::from(self.phase.load(Ordering::Relaxed))]
    }

    /// Whether the check is to end with what it has seen.
    pub fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    pub fn seen(&self) -> Seen {
        Seen {
            states: self.states.load(Ordering::Relaxed),
            frontier: self.frontier.load(Ordering::Relaxed),
            depth: self.depth.load(Ordering::Relaxed),
            local_states: self.local_states.load(Ordering::Relaxed),
            memory_bytes: self.memory_bytes.load(Ordering::Relaxed),
            fault_points: self.fault_points.load(Ordering::Relaxed),
        }
    }

    /// Asks the search to end with what it has seen, because its time is over.
    pub fn expire(&self) {
        self.is_expired.store(true, Ordering::Relaxed);
        self.end();
    }

    /// Whether the time of the check was over.
    pub fn is_expired(&self) -> bool {
        self.is_expired.load(Ordering::Relaxed)
    }

    /// Asks the searches for the least counterexample to end, because they have taken so many seconds.
    pub fn end_shortening(&self, seconds: u64) {
        self.shortening_seconds.store(seconds, Ordering::Relaxed);
    }

    /// There are no more such searches.
    pub fn has_shortened(&self) {
        self.begin(Phase::Exploring);
        self.shortening_seconds.store(0, Ordering::Relaxed);
    }

    /// After how many seconds the searches for the least counterexample have to end, if they have to.
    pub fn shortening_ended_after(&self) -> Option<u64> {
        Some(self.shortening_seconds.load(Ordering::Relaxed)).filter(|&seconds| seconds > 0)
    }

    /// Asks the search to end with what it has seen.
    pub fn end(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }
}
