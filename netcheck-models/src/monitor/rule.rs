//! Rules: what they ask of an event, and what they do.

use super::guard::Guard;
use super::values::Values;
use core::time::Duration;

pub(super) type Assignment<E> = Box<dyn Fn(&E, &Values<'_>) -> i64 + Send + Sync>;
pub(super) type Guesses<E> = Box<dyn Fn(&Values<'_>) -> Vec<E> + Send + Sync>;

/// The condition of a rule on an event, and its writes: the label of a transition.
pub struct Rule<E> {
    pub(super) label: String,
    pub(super) pattern: Box<dyn Fn(&E) -> bool + Send + Sync>,
    pub(super) guard: Guard<E>,
    pub(super) otherwise: bool,
    pub(super) assignments: Vec<(String, Assignment<E>)>,
    pub(super) resets: Vec<String>,
    pub(super) guesses: Option<Guesses<E>>,
}

impl<E> Rule<E> {
    /// A rule for the events of a pattern; `label` is its name in texts and drawings.
    #[must_use]
    pub fn on(label: &str, pattern: impl Fn(&E) -> bool + Send + Sync + 'static) -> Self {
        Rule {
            label: label.to_owned(),
            pattern: Box::new(pattern),
            guard: Guard::always(),
            otherwise: false,
            assignments: Vec::new(),
            resets: Vec::new(),
            guesses: None,
        }
    }

    /// A rule for each event that the other rules of its state do not take.
    #[must_use]
    pub fn otherwise() -> Self {
        Rule { otherwise: true, ..Rule::on("otherwise", |_| true) }
    }

    /// Demands a guard, besides those demanded so far.
    #[must_use]
    pub fn guard(mut self, guard: Guard<E>) -> Self {
        self.guard = self.guard.and(guard);
        self
    }

    /// Demands a condition over the event and the variables; `text` is what texts and drawings show of it.
    #[must_use]
    pub fn when(self, text: &str, condition: impl Fn(&E, &Values<'_>) -> bool + Send + Sync + 'static) -> Self {
        self.guard(Guard::when(text, condition))
    }

    /// Demands that a clock reads at most this duration.
    #[must_use]
    pub fn at_most(self, clock: &str, duration: Duration) -> Self {
        self.guard(Guard::at_most(clock, duration))
    }

    /// Demands that a clock reads at least this duration.
    #[must_use]
    pub fn at_least(self, clock: &str, duration: Duration) -> Self {
        self.guard(Guard::at_least(clock, duration))
    }

    /// Assigns a variable, computed from the event and the values before. Where the value would leave the variable's
    /// domain, the rule cannot be taken.
    #[must_use]
    pub fn set(mut self, variable: &str, to: impl Fn(&E, &Values<'_>) -> i64 + Send + Sync + 'static) -> Self {
        self.assignments.push((variable.to_owned(), Box::new(to)));
        self
    }

    /// Resets a clock to zero.
    #[must_use]
    pub fn reset(mut self, clock: &str) -> Self {
        self.resets.push(clock.to_owned());
        self
    }

    /// Events that this rule takes with given values of the variables: what a sniffer may have missed. Needed where
    /// the alphabet of the [`Sniffer`](super::Sniffer) has no such event.
    #[must_use]
    pub fn guessed(mut self, events: impl Fn(&Values<'_>) -> Vec<E> + Send + Sync + 'static) -> Self {
        self.guesses = Some(Box::new(events));
        self
    }
}
