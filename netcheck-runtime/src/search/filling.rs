//! How many steps of others may go between those of an execution that is taken through the full semantics.

/// Steps of units without steps of their own that one search tries at the most, for all of its executions together:
/// such steps may go on for ever, and may need more memory with each round.
const FILLING_STEPS_MAX: usize = 10_000;

/// While footprints may still grow, most of what a search meets is no violation, and a real one is met again. So such
/// steps end once programs have been polled for them a quarter as often as by the search itself, and so often more.
const FILLING_POLLS: u64 = 20_000;

/// A budget for the steps of others between the steps of a path.
pub(super) struct Filling {
    /// The steps that are left for one search.
    steps_left: usize,
    /// How often programs have been polled while footprints could still grow.
    polls: u64,
}

impl Filling {
    /// `steps_max`: no more than these.
    pub(super) fn new(steps_max: usize) -> Filling {
        Filling { steps_left: FILLING_STEPS_MAX.min(steps_max), polls: 0 }
    }

    /// Programs have been polled so often more while footprints could still grow.
    pub(super) fn count(&mut self, polls: u64) {
        self.polls += polls;
    }

    /// One step more, if there is one left.
    pub(super) fn take(&mut self) -> bool {
        let left = self.steps_left.checked_sub(1);
        self.steps_left = left.unwrap_or(0);
        left.is_some()
    }

    /// How often programs may have been polled in all when the steps end, while footprints may still grow; `polls`: how
    /// often they have been.
    pub(super) fn polls_max(&self, polls: u64) -> u64 {
        let own = polls.saturating_sub(self.polls);
        polls + (own / 4 + FILLING_POLLS).saturating_sub(self.polls)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_takes_a_quarter_of_the_polls_of_the_search() {
        let mut filling = Filling::new(usize::MAX);
        assert_eq!(filling.polls_max(400), 400 + 100 + FILLING_POLLS);
        filling.count(FILLING_POLLS);
        assert_eq!(filling.polls_max(400 + FILLING_POLLS), 400 + FILLING_POLLS + 100);
        filling.count(200);
        assert_eq!(filling.polls_max(600 + FILLING_POLLS), 600 + FILLING_POLLS, "nothing is left");
    }

    #[test]
    fn its_steps_are_counted_down() {
        let mut filling = Filling::new(2);
        assert_eq!([filling.take(), filling.take(), filling.take()], [true, true, false]);
    }
}
