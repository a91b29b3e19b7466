//! Random small monitors as data, and what they make of an execution, read literally and slowly.
//!
//! A monitor holds all places in which it may be: a state with values of the variables and readings of the clocks. It
//! rejects when no place is left. A clock that reads more than any constant of the monitor reads just that: more.

use super::program::Network;
use random::Random;
use std::collections::BTreeSet;
use std::fmt;

/// The kind of event that a monitor sees of an execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sighted {
    pub what: What,
    pub process: usize,
    pub value: u8,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum What {
    Started,
    Departed,
    Arrived,
    Connected,
    Accepted,
    Fired,
    Emitted,
    Ended,
    Crashed,
    Restarted,
    /// of no process
    Cut,
    Healed,
}

const WHATS: [What; 8] = [
    What::Started,
    What::Departed,
    What::Arrived,
    What::Connected,
    What::Accepted,
    What::Fired,
    What::Emitted,
    What::Ended,
];

/// Happens where processes crash.
const OF_CRASHES: [What; 2] = [What::Crashed, What::Restarted];

/// Happens where links are cut.
const OF_PARTITIONS: [What; 2] = [What::Cut, What::Healed];

/// The variables have the domain `0..=VALUE_MAX`, and begin with 0.
pub const VALUE_MAX: i64 = 2;

#[derive(Debug, Clone, PartialEq)]
pub struct Automaton {
    /// which kinds of events it observes, of which processes
    pub observed: Vec<(What, usize)>,
    pub states: Vec<State>,
    pub variables: usize,
    pub clocks: usize,
    pub rules: Vec<Rule>,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct State {
    pub accepting: bool,
    /// a clock must not read more than so many milliseconds here
    pub deadline: Option<(usize, u32)>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    pub from: usize,
    pub to: usize,
    /// takes what the others of its state do not take
    pub otherwise: bool,
    pub what: Option<What>,
    pub process: Option<usize>,
    pub value: Option<u8>,
    /// a variable is, or is not, this
    pub test: Option<(usize, bool, i64)>,
    /// a clock reads at least, or else at most, so many milliseconds
    pub clock: Option<(usize, bool, u32)>,
    pub assignment: Option<(usize, Assigned)>,
    pub reset: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Assigned {
    Constant(i64),
    /// one more than it was, which may be too much
    Next,
    /// the value of the event, as far as the domain goes round
    Event,
}

impl Assigned {
    pub fn value(self, event: Sighted, before: i64) -> i64 {
        match self {
            Assigned::Constant(constant) => constant,
            Assigned::Next => before + 1,
            Assigned::Event => i64::from(event.value) % (VALUE_MAX + 1),
        }
    }
}

/// A place in which a monitor may be.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    state: usize,
    values: Vec<i64>,
    readings_ms: Vec<u32>,
}

/// All places; none after a rejection.
pub type Places = BTreeSet<Place>;

impl Rule {
    pub fn matches(&self, event: Sighted) -> bool {
        self.what.is_none_or(|what| what == event.what)
            && self.process.is_none_or(|process| process == event.process)
            && self.value.is_none_or(|value| value == event.value)
    }

    pub fn holds(&self, value_of: impl Fn(usize) -> i64) -> bool {
        self.test.is_none_or(|(variable, is, value)| (value_of(variable) == value) == is)
    }
}

impl Automaton {
    pub fn observes(&self, event: Sighted) -> bool {
        self.observed.contains(&(event.what, event.process))
    }

    pub fn first(&self) -> Places {
        let (values, readings_ms) = (vec![0; self.variables], vec![0; self.clocks]);
        Places::from([Place { state: 0, values, readings_ms }])
    }

    /// Some time passes.
    pub fn pass(&self, places: &Places, ms: u32) -> Places {
        let in_rules = self.rules.iter().filter_map(|rule| rule.clock).map(|(_, _, ms)| ms);
        let in_states = self.states.iter().filter_map(|state| state.deadline).map(|(_, ms)| ms);
        let more = in_rules.chain(in_states).max().unwrap_or(0) + 1;
        let later = |place: &Place| {
            let mut later = place.clone();
            later.readings_ms.iter_mut().for_each(|reading| *reading = reading.saturating_add(ms).min(more));
            later
        };
        places.iter().map(later).filter(|place| self.is_in_time(place)).collect()
    }

    pub fn step(&self, places: &Places, event: Sighted) -> Places {
        if !self.observes(event) {
            return places.clone();
        }
        places.iter().flat_map(|place| self.next(place, event)).collect()
    }

    /// Nothing more happens: time passes without end.
    pub fn accepts_end(&self, places: &Places) -> bool {
        let has_accepting = self.states.iter().any(|state| state.accepting);
        let last = self.pass(places, u32::MAX);
        last.iter().any(|place| !has_accepting || self.states[place.state].accepting)
    }

    fn is_in_time(&self, place: &Place) -> bool {
        self.states[place.state].deadline.is_none_or(|(clock, ms)| place.readings_ms[clock] <= ms)
    }

    fn next(&self, place: &Place, event: Sighted) -> Vec<Place> {
        let taken = |otherwise: bool| {
            let rules = self.rules.iter().filter(move |rule| rule.from == place.state && rule.otherwise == otherwise);
            rules.filter_map(|rule| self.taken(rule, place, event)).collect::<Vec<Place>>()
        };
        let mut next = taken(false);
        if next.is_empty() {
            next = taken(true);
        }
        next.retain(|place| self.is_in_time(place));
        next
    }

    fn taken(&self, rule: &Rule, place: &Place, event: Sighted) -> Option<Place> {
        let in_time = rule.clock.is_none_or(|(clock, at_least, ms)| match at_least {
            true => place.readings_ms[clock] >= ms,
            false => place.readings_ms[clock] <= ms,
        });
        if !rule.matches(event) || !rule.holds(|variable| place.values[variable]) || !in_time {
            return None;
        }
        let mut next = Place { state: rule.to, ..place.clone() };
        if let Some((variable, assigned)) = rule.assignment {
            next.values[variable] = assigned.value(event, place.values[variable]);
        }
        if let Some(clock) = rule.reset {
            next.readings_ms[clock] = 0;
        }
        next.values.iter().all(|value| (0..=VALUE_MAX).contains(value)).then_some(next)
    }
}

/// A monitor that never rejects: in each state it takes everything.
pub fn patient(automaton: &Automaton) -> Automaton {
    let mut patient = automaton.clone();
    for (number, state) in patient.states.iter_mut().enumerate() {
        *state = State::default();
        let stays = Rule { from: number, to: number, otherwise: true, ..anything(number) };
        patient.rules.push(stays);
    }
    patient.declare_clocks();
    patient
}

fn anything(state: usize) -> Rule {
    Rule {
        from: state,
        to: state,
        otherwise: false,
        what: None,
        process: None,
        value: None,
        test: None,
        clock: None,
        assignment: None,
        reset: None,
    }
}

/// A random monitor of systems with so many processes on a network.
pub fn automaton(seed: u64, processes: usize, network: &Network) -> Automaton {
    let (crashes, partitions) = (network.crash.is_some(), network.partition.is_some());
    let more = [(crashes, OF_CRASHES), (partitions, OF_PARTITIONS)].into_iter().filter(|(may_happen, _)| *may_happen);
    let whats: Vec<What> = WHATS.into_iter().chain(more.flat_map(|(_, whats)| whats)).collect();
    let whats = &whats[..];
    let mut random = Random::new(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ 0x9e37_79b9_7f4a_7c15);
    let states = 1 + random.index(4);
    let (variables, clocks) = (random.index(3), random.index(3));
    let one_process = (random.index(3) == 0).then(|| random.index(processes));
    let mut observed = Vec::new();
    for &what in whats {
        for process in (0..processes).filter(|process| one_process.is_none_or(|only| only == *process)) {
            if random.index(10) < 6 {
                observed.push((what, process));
            }
        }
    }
    let mut automaton = Automaton { observed, states: Vec::new(), variables, clocks, rules: Vec::new() };
    for number in 0..states {
        let deadline = (clocks > 0 && random.index(4) == 0).then(|| (random.index(clocks), 5 * random.index(8) as u32));
        automaton.states.push(State { accepting: random.index(5) == 0, deadline });
        if number > 0 {
            // so that it is reached
            let rule = automaton.rule(&mut random, processes, whats);
            automaton.rules.push(Rule { from: random.index(number), to: number, ..rule });
        }
        if random.index(10) < 7 {
            let otherwise = Rule { otherwise: true, ..anything(number) };
            automaton.rules.push(Rule { to: random.index(number + 1), ..otherwise });
        }
    }
    for _ in 0..random.index(2 * states + 1) {
        let rule = automaton.rule(&mut random, processes, whats);
        let (from, to) = (random.index(states), random.index(states));
        automaton.rules.push(Rule { from, to, ..rule });
    }
    automaton.declare_clocks();
    automaton
}

impl Automaton {
    fn rule(&self, random: &mut Random, processes: usize, whats: &[What]) -> Rule {
        let often = |random: &mut Random, percent: usize| random.index(100) < percent;
        Rule {
            what: often(random, 75).then(|| whats[random.index(whats.len())]),
            process: often(random, 40).then(|| random.index(processes)),
            value: often(random, 25).then(|| random.index(4) as u8),
            test: (self.variables > 0 && often(random, 35))
                .then(|| (random.index(self.variables), random.index(2) == 0, random.index(3) as i64)),
            clock: (self.clocks > 0 && often(random, 40))
                .then(|| (random.index(self.clocks), random.index(2) == 0, 5 * random.index(8) as u32)),
            assignment: (self.variables > 0 && often(random, 50)).then(|| {
                let assigned = match random.index(3) {
                    0 => Assigned::Constant(random.index(3) as i64),
                    1 => Assigned::Next,
                    _ => Assigned::Event,
                };
                (random.index(self.variables), assigned)
            }),
            reset: (self.clocks > 0 && often(random, 40)).then(|| random.index(self.clocks)),
            ..anything(0)
        }
    }

    /// All constants become whole units of the times that packets take.
    pub fn count_in_units(&mut self) {
        self.rules.iter_mut().filter_map(|rule| rule.clock.as_mut()).for_each(|(.., ms)| *ms *= 2);
        self.states.iter_mut().filter_map(|state| state.deadline.as_mut()).for_each(|(_, ms)| *ms *= 2);
    }

    /// Each clock is reset by a rule, and compared.
    fn declare_clocks(&mut self) {
        for clock in 0..self.clocks {
            if !self.rules.iter().any(|rule| rule.reset == Some(clock)) {
                self.rules.push(Rule { reset: Some(clock), value: Some(200), ..anything(0) });
            }
            let in_rules = self.rules.iter().any(|rule| rule.clock.is_some_and(|(compared, ..)| compared == clock));
            let in_states = self.states.iter().any(|state| state.deadline.is_some_and(|(of, _)| of == clock));
            if !in_rules && !in_states {
                self.rules.push(Rule { clock: Some((clock, true, 0)), value: Some(201), ..anything(0) });
            }
        }
    }
}

impl fmt::Display for Automaton {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "observes {:?}", self.observed)?;
        self.states.iter().enumerate().try_for_each(|(number, state)| writeln!(f, "s{number}: {state:?}"))?;
        self.rules.iter().try_for_each(|rule| writeln!(f, "{rule:?}"))
    }
}
