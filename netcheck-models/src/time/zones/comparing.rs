//! Comparing instants.

use super::bound::Bound;
use super::moment::Moment;
use super::zone::Zone;

/// The outcomes that comparing one moment with another may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Comparison {
    /// The first moment may come before the second one.
    pub less: bool,
    /// Both may be the same instant.
    pub equal: bool,
    /// The first moment may come after the second one.
    pub greater: bool,
}

impl Zone {
    /// The outcomes that comparing two moments may have. Each is possible in a valuation of whole nanoseconds if it is
    /// possible at all, because all bounds are whole.
    ///
    /// # Panics
    ///
    /// If the event of a moment is not scheduled.
    #[must_use]
    pub fn compare(&self, one: Moment, other: Moment) -> Comparison {
        let ahead = self.distance(other, one);
        let (least_ns, most_ns) = (ahead.least_ns.unwrap_or(i64::MIN), ahead.most_ns.unwrap_or(i64::MAX));
        Comparison { less: least_ns < 0, equal: least_ns <= 0 && 0 <= most_ns, greater: most_ns > 0 }
    }

    /// The valuations in which one moment is not after the other; `None` if there are none.
    ///
    /// Instants of programs are whole nanoseconds, so "before the other" is "at most the other, one nanosecond earlier":
    /// `zone.at_most(one.plus_ns(1), other)`.
    ///
    /// # Panics
    ///
    /// If the event of a moment is not scheduled.
    #[must_use]
    pub fn at_most(&self, one: Moment, other: Moment) -> Option<Zone> {
        let (row, column) = (self.place(one), self.place(other));
        let bound = Bound::new(other.after_ns.saturating_sub(one.after_ns));
        let mut narrowed = self.clone();
        let possible = if row == column { bound >= Bound::ZERO } else { narrowed.matrix.tighten(row, column, bound) };
        possible.then_some(narrowed)
    }
}
