//! Guards of rules, and the readings of clocks that satisfy them.

use super::values::Values;
use core::time::Duration;
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

/// A condition over the event and the variables.
pub(super) type Condition<E> = Arc<dyn Fn(&E, &Values<'_>) -> bool + Send + Sync>;

/// A condition under which a rule may be taken: over clocks, over the event and over variables. The grammar of
/// Definition 2, where a comparison of a variable is any function.
pub struct Guard<E>(Node<E>);

enum Node<E> {
    Always,
    /// The clock of this name reads at most so many nanoseconds.
    AtMost(String, u64),
    When(String, Condition<E>),
    Not(Box<Node<E>>),
    And(Box<Node<E>>, Box<Node<E>>),
}

/// A duration in nanoseconds; one of more than 584 years counts as 584 years.
pub(super) fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// Nanoseconds as a duration with its unit.
pub(super) fn shown(ns: u64) -> String {
    format!("{:?}", Duration::from_nanos(ns))
}

impl<E> Guard<E> {
    /// The guard that always holds.
    #[must_use]
    pub fn always() -> Self {
        Guard(Node::Always)
    }

    /// A clock reads at most this duration.
    #[must_use]
    pub fn at_most(clock: &str, duration: Duration) -> Self {
        Guard(Node::AtMost(clock.to_owned(), nanoseconds(duration)))
    }

    /// A clock reads at least this duration.
    #[must_use]
    pub fn at_least(clock: &str, duration: Duration) -> Self {
        match nanoseconds(duration).checked_sub(1) {
            Some(before) => Guard(Node::AtMost(clock.to_owned(), before)).negate(),
            // The clock is named all the same, so that an unknown one is found.
            None => Guard(Node::AtMost(clock.to_owned(), u64::MAX)),
        }
    }

    /// A clock reads more than this duration.
    #[must_use]
    pub fn more_than(clock: &str, duration: Duration) -> Self {
        Guard::at_most(clock, duration).negate()
    }

    /// A clock reads less than this duration.
    #[must_use]
    pub fn less_than(clock: &str, duration: Duration) -> Self {
        Guard::at_least(clock, duration).negate()
    }

    /// A condition over the event and the variables; `text` is what texts and drawings show of it.
    #[must_use]
    pub fn when(text: &str, condition: impl Fn(&E, &Values<'_>) -> bool + Send + Sync + 'static) -> Self {
        Guard(Node::When(text.to_owned(), Arc::new(condition)))
    }

    /// The guard that holds where this one does not.
    #[must_use]
    pub fn negate(self) -> Self {
        match self.0 {
            Node::Not(inner) => Guard(*inner),
            node => Guard(Node::Not(Box::new(node))),
        }
    }

    /// The guard that holds where both do.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        match (self.0, other.0) {
            (Node::Always, node) | (node, Node::Always) => Guard(node),
            (one, other) => Guard(Node::And(Box::new(one), Box::new(other))),
        }
    }

    /// The guard that holds where one of the two does.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        self.negate().and(other.negate()).negate()
    }

    /// The names of its clocks with the durations that they are compared with, in nanoseconds.
    pub(super) fn clocks(&self) -> Vec<(&str, u64)> {
        let mut found = Vec::new();
        self.0.clocks(&mut found);
        found
    }

    /// The readings of clocks with which it holds for this event and these values: any of the windows.
    pub(super) fn windows(&self, clocks: &[String], event: &E, values: &Values<'_>) -> Vec<Window> {
        self.0.windows(true, clocks, event, values)
    }

    /// The guard in words; empty if it always holds.
    pub(super) fn text(&self) -> String {
        if matches!(self.0, Node::Always) { String::new() } else { self.0.text(true) }
    }
}

impl<E> Node<E> {
    fn clocks<'a>(&'a self, found: &mut Vec<(&'a str, u64)>) {
        match self {
            Node::Always | Node::When(..) => {}
            Node::AtMost(clock, ns) => found.push((clock, *ns)),
            Node::Not(inner) => inner.clocks(found),
            Node::And(one, other) => {
                one.clocks(found);
                other.clocks(found);
            }
        }
    }

    /// The readings with which it holds, or with `holds = false` does not.
    fn windows(&self, holds: bool, clocks: &[String], event: &E, values: &Values<'_>) -> Vec<Window> {
        let all_if = |condition: bool| if condition { vec![Window::all(clocks.len())] } else { Vec::new() };
        match self {
            Node::Always => all_if(holds),
            Node::When(_, condition) => all_if(condition(event, values) == holds),
            Node::AtMost(clock, most) => {
                let clock = clocks.iter().position(|known| known == clock).expect("a built monitor knows its clocks");
                let mut window = Window::all(clocks.len());
                match (holds, most.checked_add(1)) {
                    (true, _) => window.0[clock].1 = *most,
                    (false, Some(least)) => window.0[clock].0 = least,
                    (false, None) => return Vec::new(),
                }
                vec![window]
            }
            Node::Not(inner) => inner.windows(!holds, clocks, event, values),
            Node::And(one, other) => {
                let one = one.windows(holds, clocks, event, values);
                let other = other.windows(holds, clocks, event, values);
                if holds { intersections(&one, &other) } else { [one, other].concat() }
            }
        }
    }

    fn text(&self, holds: bool) -> String {
        match self {
            Node::Always => if holds { "always" } else { "never" }.to_owned(),
            Node::AtMost(clock, ns) if holds => format!("{clock} <= {}", shown(*ns)),
            // `at_least` is kept as the negation of a bound that lies one nanosecond before.
            Node::AtMost(clock, ns) => match ns.checked_add(1) {
                Some(least) if least.is_multiple_of(1000) => format!("{clock} >= {}", shown(least)),
                _ => format!("{clock} > {}", shown(*ns)),
            },
            Node::When(text, _) => {
                if holds {
                    text.clone()
                } else {
                    format!("not ({text})")
                }
            }
            Node::Not(inner) => inner.text(!holds),
            Node::And(one, other) => {
                let word = if holds { "and" } else { "or" };
                format!("({} {word} {})", one.text(holds), other.text(holds))
            }
        }
    }
}

/// For each clock the least and the greatest reading in nanoseconds, both allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Window(pub(super) SmallVec<[(u64, u64); 2]>);

impl Window {
    /// All readings.
    pub(super) fn all(clocks: usize) -> Self {
        Window(smallvec![(0, u64::MAX); clocks])
    }

    fn intersection(&self, other: &Window) -> Option<Window> {
        let both = self.0.iter().zip(&other.0).map(|(one, other)| (one.0.max(other.0), one.1.min(other.1)));
        let window = Window(both.collect());
        window.0.iter().all(|(least, most)| least <= most).then_some(window)
    }

    /// The readings outside of it: for each bound, those on its other side.
    fn outside(&self) -> Vec<Window> {
        let mut outside = Vec::new();
        for (clock, (least, most)) in self.0.iter().enumerate() {
            let mut beside = |least, most| {
                let mut window = Window::all(self.0.len());
                window.0[clock] = (least, most);
                outside.push(window);
            };
            if let Some(before) = least.checked_sub(1) {
                beside(0, before);
            }
            if let Some(after) = most.checked_add(1) {
                beside(after, u64::MAX);
            }
        }
        outside
    }
}

/// The readings that lie in a window of each list.
pub(super) fn intersections(one: &[Window], other: &[Window]) -> Vec<Window> {
    one.iter().flat_map(|one| other.iter().filter_map(|other| one.intersection(other))).collect()
}

/// The readings that lie in no window of the list.
pub(super) fn outside_all(clocks: usize, windows: &[Window]) -> Vec<Window> {
    windows.iter().fold(vec![Window::all(clocks)], |left, window| intersections(&left, &window.outside()))
}
