//! The marks by which a run is told instants in dense time.
//!
//! How far two readings of the clock lie apart may be no number there. So the world tells an instant by a *mark*, which is
//! an instant that the program has been told before, or by a new one; how marks lie to each other and to now is in the
//! zone. In memory each mark has a range of numbers of its own ([`range_of`]), and an instant is a number in the range of its
//! mark. After each step the marks are those of which the memory holds an instant, moved to the first one that is met and
//! numbered in the order in which they are met; [`Effect::Marks`](crate::operation::time::Effect::Marks) does the same to the
//! zone. So marks are as many as the groups of instants that a program holds, and no state has the time since the start.
//!
//! Two runs with equal images then do the same. Instants that correspond have the same mark and lie equally far from it. What
//! a program makes of an instant by adding to it has the same mark; of two instants with one mark it computes the
//! distance, which is equal in both runs; for two with different marks it asks the world, by marks and distances that are
//! the same in both. A mark that the memory does not hold can't be asked for again. The program is not asked when it
//! compares two instants of the standard library, so all that it holds have one mark: a reading whose distance from these
//! is no number is an error.

use crate::operation::time::{At, Kept};
use netcheck_memory::{GROUPS_MAX, Met, middle_of_range, range_of};

/// The numbers of a mark's instant. All are nanoseconds.
#[derive(Clone, Copy, Default)]
struct Numbers {
    /// In the range of the mark, once netcheck's own clock was read.
    own_ns: Option<i64>,
    /// As the standard library has it, once its clock was read.
    std_ns: Option<i64>,
}

/// The marks of a run: those of which its memory holds an instant, and those that the step was told. The first one is
/// mark 1.
#[derive(Clone, Default)]
pub(in crate::unit) struct Marks {
    all: Vec<Numbers>,
}

impl Marks {
    fn numbers(&mut self, mark: u32) -> &mut Numbers {
        let place = mark as usize - 1;
        if self.all.len() <= place {
            self.all.resize(place + 1, Numbers::default());
        }
        &mut self.all[place]
    }

    /// The number of an instant of netcheck's own. `None`: there are too many marks.
    pub(super) fn own(&mut self, at: At) -> Option<i64> {
        let is_free = |range: &i64| {
            let mut ranges = self.all.iter().filter_map(|numbers| range_of(numbers.own_ns?));
            !ranges.any(|other| other == *range)
        };
        let free = (0..GROUPS_MAX).find(is_free).map(middle_of_range);
        let numbers = self.numbers(at.mark);
        numbers.own_ns = numbers.own_ns.or(free);
        numbers.own_ns?.checked_add(at.ns())
    }

    /// The instant of netcheck's own that has this number, by its mark.
    pub(super) fn told(&self, ns: i64) -> Option<At> {
        self.find(Met { ns, is_std: false }).map(|kept| At::new(kept.mark, kept.ns))
    }

    /// The mark of the instants of the standard library, and its number.
    pub(super) fn of_std(&self) -> Option<(u32, i64)> {
        let mut numbered = (1..).zip(&self.all);
        numbered.find_map(|(mark, numbers)| Some((mark, numbers.std_ns?)))
    }

    /// The first instant of the standard library: its number is zero.
    pub(super) fn begin_std(&mut self, at: At) {
        self.numbers(at.mark).std_ns = Some(-at.ns());
    }

    fn find(&self, met: Met) -> Option<Kept> {
        let number = |numbers: &Numbers| match met.is_std {
            true => numbers.std_ns,
            false => numbers.own_ns.filter(|&own_ns| range_of(own_ns) == range_of(met.ns)),
        };
        let mut numbered = (1..).zip(&self.all);
        let found = numbered.find_map(|(mark, numbers)| Some((mark, number(numbers)?)));
        found.map(|(mark, number)| Kept { mark, ns: met.ns.saturating_sub(number), is_std: met.is_std })
    }

    /// Which marks the memory holds, by those so far. `None`: it holds an instant of no mark.
    pub(in crate::unit) fn kept(&self, anchors: &[Met]) -> Option<Box<[Kept]>> {
        anchors.iter().map(|&anchor| self.find(anchor)).collect()
    }

    /// Whether the marks stay as they are.
    pub(in crate::unit) fn stay(&self, kept: &[Kept]) -> bool {
        let is_same = |(mark, (kept, numbers)): (u32, (&Kept, &Numbers))| {
            let other_ns = if kept.is_std { numbers.own_ns } else { numbers.std_ns };
            kept.mark == mark && kept.ns == 0 && other_ns.is_none()
        };
        kept.len() == self.all.len() && (1..).zip(kept.iter().zip(&self.all)).all(is_same)
    }

    /// The marks after a step that has kept these.
    pub(super) fn after(&self, kept: &[Kept]) -> Marks {
        let numbers = |kept: &Kept| {
            let before = self.all.get(kept.mark as usize - 1).copied().unwrap_or_default();
            let moved = |ns: Option<i64>| Some(ns?.saturating_add(kept.ns));
            match kept.is_std {
                true => Numbers { own_ns: None, std_ns: moved(before.std_ns) },
                false => Numbers { own_ns: moved(before.own_ns), std_ns: None },
            }
        };
        Marks { all: kept.iter().map(numbers).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own(range: i64, ns: i64) -> Met {
        Met { ns: middle_of_range(range) + ns, is_std: false }
    }

    #[test]
    fn instants_of_one_mark_have_numbers_of_one_range() {
        let mut marks = Marks::default();
        assert_eq!(marks.own(At::new(1, 0)), Some(own(0, 0).ns));
        assert_eq!(marks.own(At::new(2, 0)), Some(own(1, 0).ns));
        assert_eq!(marks.own(At::new(1, 70)), Some(own(0, 70).ns));
        assert_eq!(marks.told(own(1, -5).ns), Some(At::new(2, -5)));
        assert_eq!(marks.told(own(2, 0).ns), None, "no mark has the third range");
    }

    #[test]
    fn marks_are_those_that_the_memory_holds_in_its_order() {
        let mut marks = Marks::default();
        (1..=3).for_each(|mark| _ = marks.own(At::new(mark, 0)));
        let kept = marks.kept(&[own(2, 9), own(0, 0)]).expect("both have a mark");
        let [first, second] = [(3, 9), (1, 0)].map(|(mark, ns)| Kept { mark, ns, is_std: false });
        assert_eq!(*kept, [first, second]);
        assert!(!marks.stay(&kept));
        let mut after = marks.after(&kept);
        assert_eq!(after.told(own(2, 10).ns), Some(At::new(1, 1)));
        assert!(after.stay(&after.kept(&[own(2, 9), own(0, 0)]).expect("as before")));
        assert_eq!(after.own(At::new(3, 0)), Some(own(1, 0).ns), "the range of a mark that is gone is free");
        assert_eq!(after.kept(&[own(7, 0)]), None);
    }

    #[test]
    fn all_instants_of_the_standard_library_have_one_mark() {
        let mut marks = Marks::default();
        _ = marks.own(At::new(1, 0));
        assert_eq!(marks.of_std(), None);
        marks.begin_std(At::new(1, 5));
        assert_eq!(marks.of_std(), Some((1, -5)), "the reading is zero, five after the mark");
        let kept = marks.kept(&[own(0, 0), Met { ns: 30, is_std: true }]).expect("both have a mark");
        assert_eq!(kept[1], Kept { mark: 1, ns: 35, is_std: true });
        let after = marks.after(&kept);
        assert_eq!(after.of_std(), Some((2, 30)));
        assert!(after.stay(&after.kept(&[own(0, 0), Met { ns: 30, is_std: true }]).expect("as before")));
        assert!(!marks.stay(&marks.kept(&[own(0, 0)]).expect("it has a mark")), "no instant of std is held");
    }

    #[test]
    fn there_is_an_end_of_ranges() {
        let mut marks = Marks::default();
        assert!((1..=GROUPS_MAX as u32).all(|mark| marks.own(At::new(mark, 0)).is_some()));
        assert_eq!(marks.own(At::new(GROUPS_MAX as u32 + 1, 0)), None);
    }
}
