//! The automaton, and its moves from one configuration.

use super::guard::{Window, intersections, outside_all};
use super::readings::{Question, Readings};
use super::rule::Rule;
use super::values::Values;
use core::panic::Location;
use std::fmt;
use std::ops::RangeInclusive;

/// A timed automaton over events of type `E`: what may happen, and when. Made by [`Monitor::builder`].
///
/// # Examples
///
/// A question is answered within 10 ms, and the next question waits for the answer:
///
/// ```
/// use core::time::Duration;
/// use netcheck_models::monitor::{Guard, Monitor, Rule, Trace};
///
/// #[derive(Clone, Debug, PartialEq)]
/// enum Packet { Question, Answer }
///
/// let ms = Duration::from_millis;
/// let monitor = Monitor::builder("answers")
///     .clock("c")
///     .state("idle")
///     .state("asked")
///     .deadline("asked", "c", ms(10))
///     .rule("idle", "asked", Rule::on("Question", |packet| *packet == Packet::Question).reset("c"))
///     .rule("asked", "idle", Rule::on("Answer", |packet| *packet == Packet::Answer))
///     .build()
///     .unwrap();
/// let good = Trace::new([(ms(0), Packet::Question), (ms(8), Packet::Answer)]).unwrap();
/// assert!(monitor.validate(&good).is_accepted());
/// let late = Trace::new([(ms(0), Packet::Question), (ms(12), Packet::Answer)]).unwrap();
/// assert_eq!(monitor.validate(&late).rejected_at(), Some(2));
/// ```
pub struct Monitor<E> {
    pub(super) name: String,
    /// The first one is the initial state.
    pub(super) states: Vec<State>,
    pub(super) variables: Vec<String>,
    /// The domain of each variable.
    pub(super) domains: Vec<RangeInclusive<i64>>,
    pub(super) initial_values: Vec<i64>,
    pub(super) clocks: Vec<String>,
    /// For each clock the longest duration that it is compared with, in nanoseconds; longer readings are alike.
    pub(super) longest_ns: Vec<u64>,
    pub(super) rules: Vec<Placed<E>>,
    pub(super) observes: Option<Observes<E>>,
    /// Whether a state is accepting; if none is, an end in any state is accepted.
    pub(super) has_accepting: bool,
}

pub(super) type Observes<E> = Box<dyn Fn(&E) -> bool + Send + Sync>;

pub(super) struct State {
    pub(super) name: String,
    /// The clocks that must not read more than this, in nanoseconds, while the monitor is here.
    pub(super) deadlines: Vec<(usize, u64)>,
    pub(super) accepting: bool,
    /// Whether it has to be left.
    pub(super) hot: bool,
}

/// A rule between two states.
pub(super) struct Placed<E> {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) rule: Rule<E>,
    /// The variable and the place of its assignment in the rule.
    pub(super) assigned: Vec<usize>,
    pub(super) resets: Vec<usize>,
    pub(super) line: &'static Location<'static>,
}

/// One way in which a rule takes an event, given a state and values.
pub(super) struct Move {
    pub(super) rule: usize,
    pub(super) window: Window,
    pub(super) values: Vec<i64>,
}

impl<E> Monitor<E> {
    /// The name of the monitor.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether the monitor observes this event; it ignores others.
    #[must_use]
    pub fn observes(&self, event: &E) -> bool {
        self.observes.as_ref().is_none_or(|observes| observes(event))
    }

    /// Whether the monitor has clocks.
    #[must_use]
    pub fn is_timed(&self) -> bool {
        !self.clocks.is_empty()
    }

    /// Whether some state has to be left.
    #[must_use]
    pub fn has_hot(&self) -> bool {
        self.states.iter().any(|state| state.hot)
    }

    /// Whether the monitor may reject an end: it has accepting states, hot ones, or deadlines that time without events passes.
    #[must_use]
    pub fn judges_ends(&self) -> bool {
        self.has_accepting || self.has_hot() || self.states.iter().any(|state| !state.deadlines.is_empty())
    }

    pub(super) fn values<'a>(&'a self, values: &'a [i64]) -> Values<'a> {
        Values { names: &self.variables, values }
    }

    /// The rules that lead away from a state, with their places.
    pub(super) fn rules_from(&self, state: usize) -> impl Iterator<Item = (usize, &Placed<E>)> {
        self.rules.iter().enumerate().filter(move |(_, placed)| placed.from == state)
    }

    /// The values after a rule; `None` if one would leave its domain.
    pub(super) fn assigned(&self, placed: &Placed<E>, values: &[i64], event: &E) -> Option<Vec<i64>> {
        let mut next = values.to_vec();
        for (variable, (_, value)) in placed.assigned.iter().zip(&placed.rule.assignments) {
            next[*variable] = value(event, &self.values(values));
        }
        let mut in_domains = self.domains.iter().zip(&next);
        in_domains.all(|(domain, value)| domain.contains(value)).then_some(next)
    }

    /// The ways in which an event can be taken. A rule with several windows gives several; they may overlap.
    pub(super) fn moves(&self, state: usize, values: &[i64], event: &E) -> Vec<Move> {
        let mut moves = Vec::new();
        let mut windows_of = |otherwise: bool, within: &[Window]| {
            for (rule, placed) in self.rules_from(state) {
                if placed.rule.otherwise != otherwise || !(placed.rule.pattern)(event) {
                    continue;
                }
                if let Some(values_after) = self.assigned(placed, values, event) {
                    let windows = placed.rule.guard.windows(&self.clocks, event, &self.values(values));
                    let windows = intersections(within, &windows).into_iter();
                    moves.extend(windows.map(|window| Move { rule, window, values: values_after.clone() }));
                }
            }
            moves.iter().map(|taken| taken.window.clone()).collect::<Vec<_>>()
        };
        let ordinary = windows_of(false, &[Window::all(self.clocks.len())]);
        windows_of(true, &outside_all(self.clocks.len(), &ordinary));
        moves
    }

    /// Whether readings on entry, or after time has passed, are within the deadlines of a state.
    pub(super) fn is_in_time<R: Readings>(
        &self,
        state: usize,
        readings: &[u64],
        asked: &mut R,
    ) -> Result<bool, Question> {
        for &(clock, most_ns) in &self.states[state].deadlines {
            if !asked.is_at_most(readings[clock], most_ns)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// A configuration in words: `sent with i = 2`.
    pub(super) fn words(&self, state: usize, values: &[i64]) -> String {
        let values: Vec<String> =
            self.variables.iter().zip(values).map(|(name, value)| format!("{name} = {value}")).collect();
        let with = if values.is_empty() { "" } else { " with " };
        format!("`{}`{with}{}", self.states[state].name, values.join(", "))
    }
}

impl<E> Placed<E> {
    /// The rule's event and guard in words.
    pub(super) fn words(&self) -> String {
        let guard = self.rule.guard.text();
        let when = if guard.is_empty() { "" } else { " if " };
        format!("{}{when}{guard}", self.rule.label)
    }
}

impl<E> fmt::Debug for Monitor<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let states: Vec<&str> = self.states.iter().map(|state| state.name.as_str()).collect();
        f.debug_struct("Monitor").field("name", &self.name).field("states", &states).finish_non_exhaustive()
    }
}
