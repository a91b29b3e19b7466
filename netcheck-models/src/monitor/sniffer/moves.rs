//! The transitions of the augmented automaton (Algorithm 1).

use super::declared::{Extra, Sniffer};
use super::mutation::{Guess, Step};
use super::zone::Zone;
use crate::monitor::automaton::{Monitor, Move};
use crate::monitor::guard::Window;
use std::collections::BTreeMap;

/// A configuration of the augmented automaton.
#[derive(Clone, Debug)]
pub(super) struct Symbolic {
    pub(super) state: usize,
    pub(super) values: Vec<i64>,
    pub(super) zone: Zone,
}

impl Symbolic {
    /// Whether all futures of the other one are futures of this one.
    pub(super) fn includes(&self, other: &Symbolic) -> bool {
        self.state == other.state && self.values == other.values && self.zone.includes(&other.zone)
    }
}

/// The packets that may be missed in a state with values, with the moves by each.
type Guesses<E> = Vec<(E, Vec<Move>)>;

/// The augmented automaton, with the guesses that it has worked out.
pub(super) struct Augmented<'a, E> {
    pub(super) monitor: &'a Monitor<E>,
    sniffer: &'a Sniffer<E>,
    guesses: BTreeMap<(usize, Vec<i64>), Guesses<E>>,
}

impl<'a, E: Clone> Augmented<'a, E> {
    pub(super) fn new(monitor: &'a Monitor<E>, sniffer: &'a Sniffer<E>) -> Self {
        Augmented { monitor, sniffer, guesses: BTreeMap::new() }
    }

    pub(super) fn initial(&self) -> Symbolic {
        let zone = Zone::zero(self.monitor.clocks.len());
        Symbolic { state: 0, values: self.monitor.initial_values.clone(), zone }
    }

    /// The configuration after a move, with the clocks anywhere in `zone` before; `None` if the move is not possible.
    fn after(&self, zone: Zone, taken: &Move, gap_ns: u64) -> Option<Symbolic> {
        let placed = &self.monitor.rules[taken.rule];
        let zone = zone.within(&taken.window)?.reset(&placed.resets);
        // The deadlines of the state hold on entry.
        let deadlines = &self.monitor.states[placed.to].deadlines;
        let all = vec![(0, u64::MAX); self.monitor.clocks.len()];
        let mut window = Window(all);
        for &(clock, most) in deadlines {
            window.0[clock].1 = most.min(window.0[clock].1);
        }
        let mut zone = zone.within(&window)?;
        zone.extrapolate(&self.monitor.longest_ns, gap_ns);
        Some(Symbolic { state: placed.to, values: taken.values.clone(), zone })
    }

    /// Type 1: the configurations after a packet that the sniffer missed, before its next one.
    pub(super) fn missed(&mut self, from: &Symbolic, gap_ns: u64) -> Vec<(Symbolic, Step<E>)> {
        let Some(zone) = from.zone.clone().later(&self.monitor.states[from.state].deadlines, gap_ns) else {
            return Vec::new();
        };
        let key = (from.state, from.values.clone());
        if !self.guesses.contains_key(&key) {
            let worked_out = self.work_out(from.state, &from.values);
            self.guesses.insert(key.clone(), worked_out);
        }
        let mut found: Vec<(Symbolic, Step<E>)> = Vec::new();
        for (event, moves) in &self.guesses[&key] {
            for taken in moves {
                let Some(next) = self.after(zone.clone(), taken, gap_ns) else { continue };
                let step = Step::new(Guess::Missed, Some(event.clone()), taken.rule, taken.window.clone());
                found.push((next, step));
            }
        }
        found
    }

    fn work_out(&self, state: usize, values: &[i64]) -> Guesses<E> {
        let seen = self.monitor.values(values);
        let rules = self.monitor.rules_from(state);
        let of_rules = rules.filter_map(|(_, placed)| placed.rule.guesses.as_ref()).flat_map(|guesses| guesses(&seen));
        let events = self.sniffer.alphabet.iter().cloned().chain(of_rules);
        let observed = events.filter(|event| self.monitor.observes(event));
        let with_moves = observed.map(|event| {
            let moves = self.monitor.moves(state, values, &event);
            (event, moves)
        });
        with_moves.filter(|(_, moves)| !moves.is_empty()).collect()
    }

    /// Types 0 and 2: the configurations after the sniffer's next packet, first those that keep it.
    pub(super) fn heard(&self, from: &Symbolic, event: &E, gap_ns: u64) -> Vec<(Symbolic, Step<E>)> {
        let Some(zone) = self.at_packet(from, gap_ns) else { return Vec::new() };
        let counted = |mut next: Symbolic| {
            next.zone = next.zone.count_from_here();
            next
        };
        if !self.monitor.observes(event) {
            let next = Symbolic { zone, ..from.clone() };
            return vec![(counted(next), Step::passing(Guess::Unobserved))];
        }
        let mut found = Vec::new();
        let moves = self.monitor.moves(from.state, &from.values, event);
        for taken in &moves {
            if let Some(next) = self.after(zone.clone(), taken, gap_ns) {
                found.push((counted(next), Step::new(Guess::Kept, None, taken.rule, taken.window.clone())));
            }
        }
        if (self.sniffer.to_dut)(event) {
            match self.sniffer.extra {
                Extra::Anywhere => {
                    let next = Symbolic { zone, ..from.clone() };
                    found.push((counted(next), Step::passing(Guess::Extra)));
                }
                Extra::WhereExpected => {
                    for taken in &moves {
                        if let Some(zone) = zone.clone().within(&taken.window) {
                            let step = Step { window: Some(taken.window.clone()), ..Step::passing(Guess::Extra) };
                            found.push((counted(Symbolic { zone, ..from.clone() }), step));
                        }
                    }
                }
            }
        }
        found
    }

    /// Whether the trace may end here, a time after the last packet.
    pub(super) fn may_end(&self, from: &Symbolic, gap_ns: u64) -> bool {
        let accepting = !self.monitor.has_accepting || self.monitor.states[from.state].accepting;
        accepting && self.at_packet(from, gap_ns).is_some()
    }

    fn at_packet(&self, from: &Symbolic, gap_ns: u64) -> Option<Zone> {
        from.zone.clone().later(&self.monitor.states[from.state].deadlines, gap_ns)?.at_packet(gap_ns)
    }
}
