//! Mutations of a sniffer's trace, with instants for the missed packets.

use super::step::{Guess, Step};
use crate::monitor::automaton::Monitor;
use crate::monitor::trace::Trace;
use core::time::Duration;
use std::fmt;

/// A packet in the explanation of a sniffer's trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part<E> {
    /// Its instant; for a missed packet the earliest that goes with all other packets.
    pub at: Duration,
    /// The packet.
    pub event: E,
    /// Where it was seen.
    pub guess: Guess,
}

/// A guess of what the device saw: the sniffer's packets and those it missed, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutation<E> {
    pub(super) parts: Vec<Part<E>>,
    pub(super) start: Duration,
    pub(super) end: Duration,
}

impl<E> Mutation<E> {
    /// All packets: of the device, and of the sniffer alone.
    #[must_use]
    pub fn parts(&self) -> &[Part<E>] {
        &self.parts
    }

    /// The number of guesses: missed packets, and packets that only the sniffer heard.
    #[must_use]
    pub fn guesses(&self) -> usize {
        self.parts.iter().filter(|part| matches!(part.guess, Guess::Missed | Guess::Extra)).count()
    }
}

impl<E: Clone> Mutation<E> {
    /// The trace of the device, if the guesses are right.
    #[must_use]
    pub fn trace(&self) -> Trace<E> {
        let seen = self.parts.iter().filter(|part| part.guess != Guess::Extra);
        let seen = seen.map(|part| (part.at, part.event.clone()));
        let trace = Trace::new(seen).expect("the parts of a mutation are in order");
        trace.starting_at(self.start).ending_at(self.end)
    }
}

impl<E: PartialEq> Trace<E> {
    /// How much this trace and another one differ: the packets in one of them only, divided by the packets in any. The
    /// distance is 0 for equal traces and 1 for traces without a common packet.
    ///
    /// Two packets are one if they are equal and their instants differ by at most `tolerance`: a guess of a missed
    /// packet seldom has its instant to the nanosecond.
    #[must_use]
    pub fn jaccard(&self, other: &Trace<E>, tolerance: Duration) -> f64 {
        let tolerance = crate::monitor::guard::nanoseconds(tolerance);
        let mut is_free = vec![true; other.packets.len()];
        let mut begin = 0;
        let mut common = 0;
        for (at, event) in &self.packets {
            while begin < is_free.len() && other.packets[begin].0.saturating_add(tolerance) < *at {
                begin += 1;
            }
            // The earliest free one of equal packets: as in any matching of intervals of one length, none is better.
            let near =
                (begin..is_free.len()).take_while(|&index| other.packets[index].0 <= at.saturating_add(tolerance));
            let found = near.into_iter().find(|&index| is_free[index] && other.packets[index].1 == *event);
            if let Some(index) = found {
                is_free[index] = false;
                common += 1;
            }
        }
        let all = self.packets.len() + other.packets.len() - common;
        if all == 0 { 0.0 } else { (all - common) as f64 / all as f64 }
    }
}

impl<E: fmt::Debug> fmt::Display for Mutation<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut number = 0;
        for part in &self.parts {
            let since_start = format!("{:?}", part.at.saturating_sub(self.start));
            let (place, note) = match part.guess {
                Guess::Missed => (String::new(), "  (missed by the sniffer)"),
                _ => {
                    number += 1;
                    (number.to_string(), if part.guess == Guess::Extra { "  (heard by the sniffer only)" } else { "" })
                }
            };
            writeln!(f, "{place:>7}  {since_start:>12}  {:?}{note}", part.event)?;
        }
        Ok(())
    }
}

/// Finds instants for the missed packets: the earliest solution of all windows and deadlines on the way.
///
/// # Panics
///
/// If there is none: the searches find only ways that have one.
pub(super) fn with_instants<E: Clone>(monitor: &Monitor<E>, trace: &Trace<E>, steps: Vec<Step<E>>) -> Mutation<E> {
    let mut times = Times::new(trace.start_ns);
    let mut reset_by = vec![0; monitor.clocks.len()];
    let mut state = 0;
    let mut packets = trace.packets.iter();
    let mut parts = Vec::with_capacity(steps.len());
    for step in steps {
        let heard = if step.guess == Guess::Missed { None } else { packets.next() };
        let now = times.add(heard.map(|(at, _)| *at));
        times.within_deadlines(&monitor.states[state].deadlines, &reset_by, now);
        for (clock, &(least, most)) in step.window().iter().flat_map(|window| window.0.iter().enumerate()) {
            times.between(reset_by[clock], now, least, most);
        }
        if let Some(rule) = step.rule() {
            let placed = &monitor.rules[rule];
            placed.resets.iter().for_each(|&clock| reset_by[clock] = now);
            state = placed.to;
            times.within_deadlines(&monitor.states[state].deadlines, &reset_by, now);
        }
        let event = step.event().or(heard.map(|(_, event)| event)).expect("missed or heard").clone();
        parts.push((event, step.guess));
    }
    let end = times.add(Some(trace.end_ns));
    times.within_deadlines(&monitor.states[state].deadlines, &reset_by, end);
    let instants = times.earliest();
    let timed = parts.into_iter().zip(&instants[1..]);
    let parts = timed.map(|((event, guess), at)| Part { at: Duration::from_nanos(*at), event, guess });
    let (start, end) = (Duration::from_nanos(trace.start_ns), Duration::from_nanos(trace.end_ns));
    Mutation { parts: parts.collect(), start, end }
}

/// Instants in order, and bounds between them.
struct Times {
    known: Vec<Option<u64>>,
    /// For each instant, earlier ones with the least and the greatest distance.
    bounds: Vec<Vec<(usize, u64, u64)>>,
}

impl Times {
    fn new(start_ns: u64) -> Self {
        Times { known: vec![Some(start_ns)], bounds: vec![Vec::new()] }
    }

    /// Adds an instant after all others.
    fn add(&mut self, known: Option<u64>) -> usize {
        self.known.push(known);
        self.bounds.push(vec![(self.known.len() - 2, 0, u64::MAX)]);
        self.known.len() - 1
    }

    fn between(&mut self, earlier: usize, later: usize, least: u64, most: u64) {
        if (least, most) != (0, u64::MAX) && earlier != later {
            self.bounds[later].push((earlier, least, most));
        }
    }

    fn within_deadlines(&mut self, deadlines: &[(usize, u64)], reset_by: &[usize], now: usize) {
        deadlines.iter().for_each(|&(clock, most)| self.between(reset_by[clock], now, 0, most));
    }

    /// Raises instants until all bounds hold (Bellman and Ford, in the order of time and back).
    fn earliest(&self) -> Vec<u64> {
        let mut instants: Vec<u64> = self.known.iter().map(|known| known.unwrap_or(0)).collect();
        loop {
            let before = instants.clone();
            for (later, bounds) in self.bounds.iter().enumerate() {
                for &(earlier, least, _) in bounds {
                    instants[later] = instants[later].max(instants[earlier].saturating_add(least));
                }
            }
            for (later, bounds) in self.bounds.iter().enumerate().rev() {
                for &(earlier, _, most) in bounds {
                    instants[earlier] = instants[earlier].max(instants[later].saturating_sub(most));
                }
            }
            let kept = |(known, instant): (&Option<u64>, &u64)| known.is_none_or(|known| known == *instant);
            assert!(self.known.iter().zip(&instants).all(kept), "a way of the augmented automaton has instants");
            if instants == before {
                return instants;
            }
        }
    }
}
