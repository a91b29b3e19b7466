//! Upper bounds of the difference between two instants.

/// A bound that is this far away, in nanoseconds, is not told from a later one (146 years).
pub const FAR_NS: i64 = i64::MAX / 2;

/// An upper bound of the difference between two instants in nanoseconds, or none. Smaller bounds are tighter.
///
/// A finite bound is at least `-FAR_NS` and less than `FAR_NS`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Bound(i64);

impl Bound {
    pub(super) const NONE: Bound = Bound(i64::MAX);
    pub(super) const ZERO: Bound = Bound(0);

    /// The bound that says no more than `ns`, and as much as a bound can.
    pub(super) fn new(ns: i64) -> Self {
        if ns >= FAR_NS { Bound::NONE } else { Bound(ns.max(-FAR_NS)) }
    }

    /// The bound of a difference that is at most so long.
    pub(super) fn at_most(ns: Option<u64>) -> Self {
        ns.and_then(|ns| i64::try_from(ns).ok()).map_or(Bound::NONE, Bound::new)
    }

    /// The bound of the reverse of a difference that is at least so long.
    pub(super) fn at_least(ns: u64) -> Self {
        Bound::new(i64::try_from(ns).map_or(-FAR_NS, |ns| -ns))
    }

    /// The bound of a sum of differences. No sum of two finite bounds leaves `i64`, and a bound plus none is none:
    /// `i64::MAX - FAR_NS` is above `FAR_NS`.
    pub(super) fn plus(self, other: Bound) -> Bound {
        Bound::new(self.0.saturating_add(other.0))
    }

    /// The bound in nanoseconds; `None` if there is none.
    pub(super) fn ns(self) -> Option<i64> {
        (self != Bound::NONE).then_some(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn nothing_added_to_no_bound_makes_one() {
        for ns in [i64::MIN, -FAR_NS, -1, 0, 1, FAR_NS - 1, FAR_NS, i64::MAX] {
            assert_eq!(Bound::NONE.plus(Bound::new(ns)), Bound::NONE);
        }
        assert_eq!(Bound::at_most(None), Bound::NONE);
        assert_eq!(Bound::at_most(Some(u64::MAX)), Bound::NONE);
    }

    proptest! {
        /// A sum is exact, or weaker than the exact one.
        #[test]
        fn a_sum_that_is_not_exact_is_weaker(one in any::<i64>(), other in any::<i64>()) {
            let exact = i128::from(one) + i128::from(other);
            if let Some(sum) = Bound::new(one).plus(Bound::new(other)).ns() {
                prop_assert!(i128::from(sum) >= exact);
                let is_near = |ns: i128| ns.abs() < i128::from(FAR_NS);
                prop_assert!(i128::from(sum) == exact || ![one.into(), other.into(), exact].into_iter().all(is_near));
            }
        }

        /// A lower bound, as the bound of the reverse, is exact or weaker.
        #[test]
        fn a_lower_bound_is_never_above_the_delay(ns in any::<u64>()) {
            let reverse = Bound::at_least(ns).ns().expect("a lower bound is finite");
            prop_assert!(-i128::from(reverse) <= i128::from(ns));
        }
    }
}
