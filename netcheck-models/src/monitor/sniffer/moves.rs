//! The transitions of the augmented automaton (Algorithm 1).

use super::declared::{Extra, Sniffer};
use super::step::{Guess, Place, Step, Taken, Ways};
use super::zone::Zone;
use crate::monitor::automaton::{Monitor, Move};
use std::collections::BTreeMap;
use std::rc::Rc;

/// A configuration of the augmented automaton.
#[derive(Clone, Debug)]
pub(super) struct Symbolic {
    pub(super) place: Place,
    pub(super) zone: Zone,
}

impl Symbolic {
    /// Whether all futures of the other one are futures of this one.
    pub(super) fn includes(&self, other: &Symbolic) -> bool {
        self.place == other.place && self.zone.includes(&other.zone)
    }
}

/// The augmented automaton, with what it has worked out.
pub(super) struct Augmented<'a, E> {
    pub(super) monitor: &'a Monitor<E>,
    sniffer: &'a Sniffer<E>,
    places: Vec<(usize, Vec<i64>)>,
    numbers: BTreeMap<(usize, Vec<i64>), Place>,
    /// By place, the packets that may be missed there.
    guesses: Vec<Option<Ways<E>>>,
    /// By place, how the packet of this number is taken.
    heard: (usize, BTreeMap<u32, Ways<E>>),
}

impl<'a, E: Clone> Augmented<'a, E> {
    pub(super) fn new(monitor: &'a Monitor<E>, sniffer: &'a Sniffer<E>) -> Self {
        let (places, numbers) = (Vec::new(), BTreeMap::new());
        Augmented { monitor, sniffer, places, numbers, guesses: Vec::new(), heard: (usize::MAX, BTreeMap::new()) }
    }

    pub(super) fn initial(&mut self) -> Symbolic {
        let place = self.place(0, self.monitor.initial_values.clone());
        Symbolic { place, zone: Zone::zero(self.monitor.clocks.len()) }
    }

    /// The state and the values at a place.
    pub(super) fn at(&self, place: Place) -> (usize, &[i64]) {
        let (state, values) = &self.places[place.index()];
        (*state, values)
    }

    fn place(&mut self, state: usize, values: Vec<i64>) -> Place {
        let next = Place(u32::try_from(self.places.len()).expect("memory ends before"));
        let number = *self.numbers.entry((state, values.clone())).or_insert(next);
        if number == next {
            self.places.push((state, values));
            self.guesses.push(None);
        }
        number
    }

    /// How an event is taken at a place.
    fn taken(&mut self, place: Place, event: &E, missed: bool) -> Vec<Taken<E>> {
        let (state, values) = &self.places[place.index()];
        let moves = self.monitor.moves(*state, values, event);
        let to_taken = |Move { rule, window, values }| {
            let next = self.place(self.monitor.rules[rule].to, values);
            Taken { event: missed.then(|| event.clone()), rule, window, next }
        };
        moves.into_iter().map(to_taken).collect()
    }

    /// The configuration after a move, with the clocks anywhere in `zone` before; `None` if the move is not possible.
    fn after(&self, zone: &Zone, taken: &Taken<E>, gap_ns: u64) -> Option<Symbolic> {
        let placed = &self.monitor.rules[taken.rule];
        let mut zone = zone.clone();
        if !zone.within(&taken.window) {
            return None;
        }
        zone.reset(&placed.resets);
        // The deadlines of the state hold on entry.
        if !zone.within_deadlines(&self.monitor.states[placed.to].deadlines) {
            return None;
        }
        zone.extrapolate(&self.monitor.longest_ns, gap_ns);
        Some(Symbolic { place: taken.next, zone })
    }

    /// Type 1: the configurations after a packet that the sniffer missed, before its next one.
    pub(super) fn missed(&mut self, from: &Symbolic, gap_ns: u64, mut found: impl FnMut(Symbolic, Step<E>)) {
        let state = self.at(from.place).0;
        let mut zone = from.zone.clone();
        if !zone.later(&self.monitor.states[state].deadlines, gap_ns) {
            return;
        }
        let guesses = self.guesses_at(from.place);
        for (index, taken) in guesses.iter().enumerate() {
            if let Some(next) = self.after(&zone, taken, gap_ns) {
                found(next, Step::new(Guess::Missed, &guesses, index));
            }
        }
    }

    fn guesses_at(&mut self, place: Place) -> Ways<E> {
        if let Some(known) = &self.guesses[place.index()] {
            return Rc::clone(known);
        }
        let (state, values) = self.places[place.index()].clone();
        let seen = self.monitor.values(&values);
        let rules = self.monitor.rules_from(state);
        let of_rules = rules.filter_map(|(_, placed)| placed.rule.guesses.as_ref()).flat_map(|guesses| guesses(&seen));
        let events: Vec<E> = self.sniffer.alphabet.iter().cloned().chain(of_rules).collect();
        let observed = events.iter().filter(|event| self.monitor.observes(event));
        let guesses: Ways<E> = observed.flat_map(|event| self.taken(place, event, true)).collect();
        self.guesses[place.index()] = Some(Rc::clone(&guesses));
        guesses
    }

    /// Types 0 and 2: the configurations after the sniffer's next packet, which has this number, first those that keep
    /// it.
    pub(super) fn heard(
        &mut self,
        from: &Symbolic,
        (packet, event): (usize, &E),
        gap_ns: u64,
    ) -> Vec<(Symbolic, Step<E>)> {
        let Some(zone) = self.at_packet(from, gap_ns) else { return Vec::new() };
        let passing = |mut zone: Zone| {
            zone.count_from_here();
            Symbolic { place: from.place, zone }
        };
        if !self.monitor.observes(event) {
            return vec![(passing(zone), Step::passing(Guess::Unobserved))];
        }
        let moves = self.taken_at(from.place, packet, event);
        let mut found = Vec::new();
        for (index, taken) in moves.iter().enumerate() {
            if let Some(mut next) = self.after(&zone, taken, gap_ns) {
                next.zone.count_from_here();
                found.push((next, Step::new(Guess::Kept, &moves, index)));
            }
        }
        if (self.sniffer.to_dut)(event) {
            match self.sniffer.extra {
                Extra::Anywhere => found.push((passing(zone), Step::passing(Guess::Extra))),
                Extra::WhereExpected => {
                    for (index, taken) in moves.iter().enumerate() {
                        let mut zone = zone.clone();
                        if zone.within(&taken.window) {
                            found.push((passing(zone), Step::new(Guess::Extra, &moves, index)));
                        }
                    }
                }
            }
        }
        found
    }

    /// How the packet of this number is taken at a place.
    fn taken_at(&mut self, place: Place, packet: usize, event: &E) -> Ways<E> {
        if self.heard.0 != packet {
            self.heard = (packet, BTreeMap::new());
        }
        if let Some(known) = self.heard.1.get(&place.0) {
            return Rc::clone(known);
        }
        let taken: Ways<E> = self.taken(place, event, false).into();
        self.heard.1.insert(place.0, Rc::clone(&taken));
        taken
    }

    /// Whether the trace may end here, a time after the last packet.
    pub(super) fn may_end(&self, from: &Symbolic, gap_ns: u64) -> bool {
        let accepting = !self.monitor.has_accepting || self.monitor.states[self.at(from.place).0].accepting;
        accepting && self.at_packet(from, gap_ns).is_some()
    }

    fn at_packet(&self, from: &Symbolic, gap_ns: u64) -> Option<Zone> {
        let mut zone = from.zone.clone();
        let deadlines = &self.monitor.states[self.at(from.place).0].deadlines;
        (zone.later(deadlines, gap_ns) && zone.at_packet(gap_ns)).then_some(zone)
    }
}
