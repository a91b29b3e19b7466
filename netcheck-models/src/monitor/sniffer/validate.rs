//! The verdict of a sniffer's trace on the device.

use super::backtrack::{self, Limits};
use super::declared::{Extra, Search, Sniffer, Unclear};
use super::exact;
use super::moves::Augmented;
use super::mutation::{Mutation, with_instants};
use crate::monitor::automaton::Monitor;
use crate::monitor::trace::Trace;
use std::collections::BTreeSet;
use std::fmt;

/// The verdict of a sniffer's trace on the device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict<E> {
    /// No mutation of the trace satisfies the monitor: the device violates it, whatever the sniffer missed.
    Violation,
    /// This mutation satisfies the monitor. The device may violate it all the same.
    Consistent(Mutation<E>),
    /// No likely mutation was found: by Algorithm 2 with a heuristic, so there may be an unlikely one.
    Unlikely,
    /// The search reached its limit.
    Unknown,
}

/// A verdict with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explained<E> {
    /// The verdict of the trace.
    pub verdict: Verdict<E>,
    /// The first packet that is not explained, from 1; one more than there are for the end.
    pub packet: Option<usize>,
    /// The states in which the monitor may have been before that packet, in words; by the exact search only.
    pub before: Vec<String>,
}

impl<E: Clone> Sniffer<E> {
    /// Whether the device may have satisfied the monitor.
    ///
    /// # Errors
    ///
    /// If a rule has no packet in the alphabet and [guesses none](super::super::Rule::guessed).
    pub fn validate(&self, monitor: &Monitor<E>, trace: &Trace<E>) -> Result<Explained<E>, Unclear> {
        let unknown = monitor.rules.iter().filter(|placed| {
            let rule = &placed.rule;
            rule.guesses.is_none() && !self.alphabet.iter().any(|event| (rule.pattern)(event))
        });
        let rules: Vec<String> = unknown.map(|placed| placed.rule.label.clone()).collect();
        if !rules.is_empty() {
            return Err(Unclear { rules });
        }
        let augmented = Augmented::new(monitor, self);
        let consistent = |steps| {
            let verdict = Verdict::Consistent(with_instants(monitor, trace, steps));
            Explained { verdict, packet: None, before: Vec::new() }
        };
        let not_found = |verdict, packet: usize, before| Explained { verdict, packet: Some(packet + 1), before };
        // Algorithm 1 drops no packet that no rule takes, so other mutations may explain a trace that has none by it.
        let of_none = if self.extra == Extra::Anywhere { Verdict::Violation } else { Verdict::Unlikely };
        Ok(match self.search {
            Search::Exact => match exact::search(augmented, trace) {
                exact::Found::Steps(steps) => consistent(steps),
                exact::Found::Nothing(packet, before) => {
                    let before = before.iter().map(|(state, values)| monitor.words(*state, values));
                    let before: BTreeSet<String> = before.collect();
                    not_found(of_none, packet, before.into_iter().collect())
                }
            },
            Search::Backtracking { extensions_max } => {
                let limits = Limits { num_missing: &self.num_missing, go_back: self.go_back, extensions_max };
                match backtrack::search(augmented, trace, &limits) {
                    backtrack::Found::Steps(steps) => consistent(steps),
                    backtrack::Found::Never(packet) => not_found(of_none, packet, Vec::new()),
                    backtrack::Found::Nothing(packet) => {
                        let exhaustive = self.num_missing.is_empty() && self.go_back.is_none();
                        not_found(if exhaustive { of_none } else { Verdict::Unlikely }, packet, Vec::new())
                    }
                    backtrack::Found::GaveUp => Explained { verdict: Verdict::Unknown, packet: None, before: vec![] },
                }
            }
        })
    }
}

impl<E: fmt::Debug> Explained<E> {
    /// The verdict in words, with the packets around the one that is not explained, or the mutation.
    #[must_use]
    pub fn text(&self, trace: &Trace<E>) -> String {
        let place = |packet: usize| match packet > trace.packets.len() {
            true => "the end of the trace".to_owned(),
            false => format!("packet {packet}"),
        };
        let mut text = match (&self.verdict, self.packet) {
            (Verdict::Consistent(mutation), _) => {
                return format!("consistent, with {} guesses\n\n{mutation}", mutation.guesses());
            }
            (Verdict::Violation, Some(packet)) => {
                format!("a definite violation: whatever the sniffer missed, {} is wrong\n", place(packet))
            }
            (_, Some(packet)) => format!("no likely explanation was found beyond {}\n", place(packet)),
            (_, None) => "the search reached its limit\n".to_owned(),
        };
        for before in &self.before {
            text += &format!("  the monitor may have been in {before}\n");
        }
        match self.packet {
            Some(packet) => text + "\n" + &trace.around(packet),
            None => text,
        }
    }
}
