//! The height of each step in a diagram: one below the other, and further apart where time passes in between. A step
//! without a row of its own stands at the row of another step.

use crate::trace::step::{Step, Timing, length};

/// Where the steps stand, in pixels from the top.
pub(super) struct Axis {
    /// The height of a step.
    row: usize,
    /// The top of each step's row.
    tops: Vec<usize>,
    /// The end of the last row.
    end: usize,
    /// Where time passes before a step.
    passes: Vec<Passes>,
}

/// Time that passes between two steps.
pub(super) struct Passes {
    /// The middle of the room between them.
    pub(super) y: usize,
    /// The instant after it, and how long it takes.
    pub(super) words: String,
}

impl Axis {
    /// The room between two steps is half a row, and so much more as the time that passes there is of the longest time
    /// between two steps; which has two rows more.
    ///
    /// `rows`: for each step, by its number less one, the number of the step at whose row it stands.
    pub(super) fn of(steps: &[Step], rows: &[usize], row: usize) -> Axis {
        let at = |step: &Step| step.timing.as_ref().map(|timing: &Timing| timing.at_ns);
        let since = |index: usize| Some(at(&steps[index])? - at(steps.get(index.checked_sub(1)?)?)?);
        let longest_ns = (0..steps.len()).filter_map(since).max().unwrap_or(0);
        let mut axis = Axis { row, tops: vec![0; steps.len()], end: 0, passes: Vec::new() };
        let mut top = 0;
        for (index, step) in steps.iter().enumerate() {
            if let (Some(ns @ 1..), Some(timing)) = (since(index), &step.timing) {
                let share = u128::from(ns) * 2 * row as u128 / u128::from(longest_ns);
                let room = row / 2 + usize::try_from(share).unwrap_or(0);
                axis.passes.push(Passes { y: top + room / 2, words: format!("{}  +{}", timing.at(), length(ns)) });
                top += room;
            }
            axis.tops[index] = top;
            top += if rows[index] == index + 1 { row } else { 0 };
        }
        for (index, &at) in rows.iter().enumerate() {
            axis.tops[index] = axis.tops[at - 1];
        }
        axis.end = top;
        axis
    }

    /// The top of a step; steps count from 1.
    pub(super) fn top(&self, number: usize) -> usize {
        self.tops[number - 1]
    }

    /// The middle of a step.
    pub(super) fn middle(&self, number: usize) -> usize {
        self.top(number) + self.row / 2
    }

    /// The end of the last step.
    pub(super) fn end(&self) -> usize {
        self.end
    }

    pub(super) fn passes(&self) -> &[Passes] {
        &self.passes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tops(instants_ns: &[Option<u64>]) -> (Vec<usize>, Vec<String>) {
        let step = |at_ns: &Option<u64>| {
            let timing = at_ns.map(|at_ns| Timing { at_ns, earliest_ns: at_ns, latest_ns: Some(at_ns) });
            Step { timing, ..Step::default() }
        };
        let steps: Vec<Step> = instants_ns.iter().map(step).collect();
        let rows: Vec<usize> = (1..=steps.len()).collect();
        let Axis { mut tops, end, passes, .. } = Axis::of(&steps, &rows, 32);
        tops.push(end);
        (tops, passes.into_iter().map(|passes| passes.words).collect())
    }

    #[test]
    fn steps_are_further_apart_the_longer_the_time_between_them() {
        assert_eq!(tops(&[None, None]), (vec![0, 32, 64], Vec::new()));
        let ms = 1_000_000;
        let (tops, words) = tops(&[Some(0), Some(0), Some(ms), Some(5 * ms), Some(5 * ms)]);
        assert_eq!(tops, [0, 32, 64 + 16 + 16, 64 + 32 + 32 + 16 + 64, 240, 272]);
        assert_eq!(words, ["0.001 s  +1ms", "0.005 s  +4ms"]);
    }

    #[test]
    fn a_step_without_a_row_stands_at_that_of_another() {
        let Axis { tops, end, .. } = Axis::of(&vec![Step::default(); 5], &[1, 3, 3, 1, 5], 32);
        assert_eq!((tops, end), (vec![0, 32, 32, 0, 64], 96));
    }
}
