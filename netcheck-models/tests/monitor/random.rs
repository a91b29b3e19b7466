//! Random small automata as plain data, with an interpreter of their own.

use core::time::Duration;
use netcheck_models::monitor::{Guard, Monitor, Rule, Trace};
use random::Random;
use std::collections::BTreeSet;

/// Letter 0 is sent by the device, letter 1 to it.
pub const LETTERS: u8 = 2;
pub const CLOCKS: usize = 2;

#[derive(Clone, Debug)]
pub enum Atom {
    True,
    AtMost(usize, u64),
    AtLeast(usize, u64),
    IsSet,
    Not(Box<Atom>),
    And(Box<Atom>, Box<Atom>),
    Or(Box<Atom>, Box<Atom>),
}

#[derive(Clone, Debug)]
pub enum Write {
    Nothing,
    To(i64),
    /// Leaves the domain when the variable is set.
    Increment,
}

#[derive(Clone, Debug)]
pub struct Drawn {
    pub from: usize,
    pub to: usize,
    /// `None` is a rule `otherwise`.
    pub letter: Option<u8>,
    pub guard: Atom,
    pub write: Write,
    pub resets: [bool; CLOCKS],
}

#[derive(Clone, Debug)]
pub struct Spec {
    pub rules: Vec<Drawn>,
    pub deadlines: Vec<Option<(usize, u64)>>,
    pub accepting: Vec<bool>,
}

fn atom(numbers: &mut Random, depth: u32) -> Atom {
    match numbers.below(if depth == 0 { 5 } else { 8 }) {
        0 => Atom::True,
        1 | 2 => Atom::AtMost(numbers.below(2) as usize, numbers.below(4)),
        3 => Atom::AtLeast(numbers.below(2) as usize, numbers.below(4)),
        4 => Atom::IsSet,
        5 => Atom::Not(Box::new(atom(numbers, depth - 1))),
        6 => Atom::And(Box::new(atom(numbers, depth - 1)), Box::new(atom(numbers, depth - 1))),
        _ => Atom::Or(Box::new(atom(numbers, depth - 1)), Box::new(atom(numbers, depth - 1))),
    }
}

fn compares(atom: &Atom, clock: usize) -> bool {
    match atom {
        Atom::AtMost(of, _) | Atom::AtLeast(of, _) => *of == clock,
        Atom::True | Atom::IsSet => false,
        Atom::Not(one) => compares(one, clock),
        Atom::And(one, other) | Atom::Or(one, other) => compares(one, clock) || compares(other, clock),
    }
}

impl Spec {
    pub fn random(numbers: &mut Random) -> Spec {
        let states = 1 + numbers.below(3) as usize;
        let mut rules = Vec::new();
        for index in 0..states - 1 + 2 + numbers.below(3) as usize {
            // The first rules make each state reachable.
            let onwards = index + 1 < states;
            rules.push(Drawn {
                from: if onwards { index } else { numbers.below(states as u64) as usize },
                to: if onwards { index + 1 } else { numbers.below(states as u64) as usize },
                letter: (!numbers.one_in(8)).then(|| numbers.below(LETTERS.into()) as u8),
                guard: if numbers.one_in(4) { Atom::True } else { atom(numbers, 2) },
                write: match numbers.below(5) {
                    0 => Write::To(0),
                    1 => Write::To(1),
                    2 => Write::Increment,
                    _ => Write::Nothing,
                },
                resets: [numbers.one_in(2), numbers.one_in(3)],
            });
        }
        let deadline = |numbers: &mut Random| numbers.one_in(3).then(|| (numbers.below(2) as usize, numbers.below(5)));
        let deadlines: Vec<_> = (0..states).map(|_| deadline(numbers)).collect();
        let some_accept = numbers.one_in(3);
        let accepting = (0..states).map(|_| some_accept && numbers.one_in(2)).collect();
        let mut spec = Spec { rules, deadlines, accepting };
        for clock in 0..CLOCKS {
            if !spec.uses(clock) {
                spec.rules.iter_mut().for_each(|rule| rule.resets[clock] = false);
            } else if !spec.rules.iter().any(|rule| rule.resets[clock]) {
                spec.rules[0].resets[clock] = true;
            }
        }
        spec
    }

    /// Adds a rule to each state that takes the packets to the device at any time.
    pub fn with_all_received(mut self) -> Spec {
        for state in 0..self.deadlines.len() {
            let guard = Atom::True;
            let (letter, write, resets) = (Some(1), Write::Nothing, [false; CLOCKS]);
            self.rules.push(Drawn { from: state, to: state, letter, guard, write, resets });
        }
        self
    }

    fn uses(&self, clock: usize) -> bool {
        let in_deadlines = self.deadlines.iter().flatten().any(|(of, _)| *of == clock);
        in_deadlines || self.rules.iter().any(|rule| compares(&rule.guard, clock))
    }

    pub fn monitor(&self) -> Monitor<u8> {
        let name = |state: usize| format!("s{state}");
        let mut builder = Monitor::builder("random").variable("x", 0..=1);
        for clock in (0..CLOCKS).filter(|clock| self.uses(*clock)) {
            builder = builder.clock(&format!("c{clock}"));
        }
        for (state, deadline) in self.deadlines.iter().enumerate() {
            builder = builder.state(&name(state));
            if let Some((clock, most)) = deadline {
                builder = builder.deadline(&name(state), &format!("c{clock}"), Duration::from_nanos(*most));
            }
            if self.accepting[state] {
                builder = builder.accepting(&name(state));
            }
        }
        for rule in &self.rules {
            let mut built = match rule.letter {
                Some(letter) => Rule::on(&format!("{letter}"), move |event| *event == letter),
                None => Rule::otherwise(),
            };
            built = built.guard(guard(&rule.guard));
            match rule.write {
                Write::Nothing => {}
                Write::To(value) => built = built.set("x", move |_, _| value),
                Write::Increment => built = built.set("x", |_, values| values.get("x") + 1),
            }
            for clock in (0..CLOCKS).filter(|clock| rule.resets[*clock]) {
                built = built.reset(&format!("c{clock}"));
            }
            builder = builder.rule(&name(rule.from), &name(rule.to), built);
        }
        builder.build().unwrap_or_else(|mistakes| panic!("{mistakes}\n{self:?}"))
    }
}

fn guard(atom: &Atom) -> Guard<u8> {
    let clock = |clock: &usize| format!("c{clock}");
    match atom {
        Atom::True => Guard::always(),
        Atom::AtMost(of, ns) => Guard::at_most(&clock(of), Duration::from_nanos(*ns)),
        Atom::AtLeast(of, ns) => Guard::at_least(&clock(of), Duration::from_nanos(*ns)),
        Atom::IsSet => Guard::when("x", |_, values| values.get("x") == 1),
        Atom::Not(one) => guard(one).negate(),
        Atom::And(one, other) => guard(one).and(guard(other)),
        Atom::Or(one, other) => guard(one).or(guard(other)),
    }
}

/// State, variable and ages of the clocks.
pub type Point = (usize, i64, [u64; CLOCKS]);

fn holds(atom: &Atom, point: &Point) -> bool {
    match atom {
        Atom::True => true,
        Atom::AtMost(clock, ns) => point.2[*clock] <= *ns,
        Atom::AtLeast(clock, ns) => point.2[*clock] >= *ns,
        Atom::IsSet => point.1 == 1,
        Atom::Not(one) => !holds(one, point),
        Atom::And(one, other) => holds(one, point) && holds(other, point),
        Atom::Or(one, other) => holds(one, point) || holds(other, point),
    }
}

/// The interpreter: sets of points, one event or one nanosecond at a time.
impl Spec {
    pub fn begin(&self) -> BTreeSet<Point> {
        BTreeSet::from([(0, 0, [0; CLOCKS])])
    }

    fn is_in_time(&self, point: &Point) -> bool {
        self.deadlines[point.0].is_none_or(|(clock, most)| point.2[clock] <= most)
    }

    pub fn tick(&self, points: &BTreeSet<Point>) -> BTreeSet<Point> {
        let later = points.iter().map(|(state, x, ages)| (*state, *x, ages.map(|age| age + 1)));
        later.filter(|point| self.is_in_time(point)).collect()
    }

    fn after(rule: &Drawn, point: &Point) -> Option<Point> {
        let x = match rule.write {
            Write::Nothing => point.1,
            Write::To(value) => value,
            Write::Increment => point.1 + 1,
        };
        let mut ages = point.2;
        (0..CLOCKS).filter(|clock| rule.resets[*clock]).for_each(|clock| ages[clock] = 0);
        (holds(&rule.guard, point) && x <= 1).then_some((rule.to, x, ages))
    }

    pub fn step(&self, points: &BTreeSet<Point>, letter: u8) -> BTreeSet<Point> {
        let mut next = BTreeSet::new();
        for point in points {
            let by = |letter: Option<u8>| -> Vec<Point> {
                let rules = self.rules.iter().filter(|rule| rule.from == point.0 && rule.letter == letter);
                rules.filter_map(|rule| Spec::after(rule, point)).collect()
            };
            let mut found = by(Some(letter));
            if found.is_empty() {
                found = by(None);
            }
            next.extend(found.into_iter().filter(|point| self.is_in_time(point)));
        }
        next
    }

    pub fn may_end(&self, points: &BTreeSet<Point>) -> bool {
        !self.accepting.contains(&true) || points.iter().any(|point| self.accepting[point.0])
    }
}

/// A short random trace with instants from zero, and its end.
pub fn packets(numbers: &mut Random, most: u64) -> (Vec<(u64, u8)>, u64) {
    let mut at = 0;
    let mut packets = Vec::new();
    for _ in 0..numbers.below(most + 1) {
        at += numbers.below(4);
        packets.push((at, numbers.below(LETTERS.into()) as u8));
    }
    (packets, at + numbers.below(3))
}

pub fn trace(packets: &[(u64, u8)], end: u64) -> Trace<u8> {
    let packets = packets.iter().map(|(at, letter)| (Duration::from_nanos(*at), *letter));
    Trace::new(packets).unwrap().starting_at(Duration::ZERO).ending_at(Duration::from_nanos(end))
}
