//! Advice that was tried: before a word is advised, the check is searched with it for a moment.
//!
//! A trial is a search with another word and without `finally`, on a thread of its own, while the search that asks for
//! advice waits: programs that share a static are never run by both at once. It visits at most as many states as that
//! search has, for at most two seconds. What it has saved then is
//! - that it came to its end, or that an end is in sight ([`super::forecast`]); or else
//! - that it has fewer states within as many steps, where both searches go by the number of steps: of the last depth that
//!   both have passed, all states are known in both.
//!
//! A word that has saved nothing is not advised.

use super::gain::{Gain, Trial, Word};
use super::setup::Job;
use super::{Checker, Dates, Identity, Tasks};
use netcheck_runtime::search::frontier::Search;
use netcheck_runtime::world::store::Store;
use std::time::Duration;

/// How long one trial may take.
const TRIAL_TIME: Duration = Duration::from_secs(2);

/// The fewest states that a trial may visit.
const STATES_MIN: usize = 1_000;

/// With so many times fewer states, a word has saved something.
const FEWER_MIN: f64 = 1.5;

/// The check with a word.
fn with(checker: Checker, word: Word) -> Checker {
    match word {
        Word::Duration(seconds) => checker.duration(Duration::from_secs(seconds)),
        Word::Deviations(steps) => checker.deviations(steps),
        Word::Fifo => checker.tasks(Tasks::Fifo),
        Word::ByMemory => checker.identity(Identity::Memory),
        Word::RelativeDates => checker.dates(Dates::Relative),
        Word::Symmetry => checker.symmetry(true),
        Word::Reads => checker.search(Search::Reads),
        Word::AtMost(faults) => checker.at_most(faults),
    }
}

/// How far a trial has come.
struct Tried {
    is_violated: bool,
    is_over: bool,
    expected: Option<u64>,
    by_depth: Vec<usize>,
}

impl Job {
    /// The saving of some words together, against the states that were visited without them.
    pub(super) fn trial(&self, words: &[Word], store: &Store) -> Trial {
        let known = self.trials.borrow().iter().find(|(tried, _)| tried == words).map(|(_, trial)| *trial);
        known.unwrap_or_else(|| {
            let time = self.spent.left().map_or(TRIAL_TIME, |left| left.min(TRIAL_TIME));
            if time.is_zero() || self.has_peers() || self.progress.is_over() {
                return Trial::Untried;
            }
            let tried = self.try_for(words, store.len().max(STATES_MIN), time);
            let trial = match tried.and_then(|tried| self.gain(words, &tried, store)) {
                Some(gain) => Trial::Gained(gain),
                None => Trial::Nothing,
            };
            self.trials.borrow_mut().push((words.to_vec(), trial));
            trial
        })
    }

    fn gain(&self, words: &[Word], tried: &Tried, store: &Store) -> Option<Gain> {
        let expected = self.progress.expected();
        let is_less = |states: u64| expected.is_none_or(|expected| states as f64 * FEWER_MIN <= expected as f64);
        let states = tried.by_depth.iter().sum();
        if tried.is_violated {
            return Some(Gain::Violation(states));
        }
        if tried.is_over {
            return Some(Gain::End(states)).filter(|_| is_less(states as u64));
        }
        if let Some(states) = tried.expected {
            return Some(Gain::InSight(states)).filter(|_| is_less(states));
        }
        let go_by_depth = self.checker.score.is_none() && self.order() == Search::Bfs;
        (go_by_depth && words.iter().all(|word| word.saves_by_depth()))
            .then(|| fewer(&store.states_by_depth(), &tried.by_depth))?
    }

    fn try_for(&self, words: &[Word], states_max: usize, time: Duration) -> Option<Tried> {
        let checker = words.iter().fold(self.checker.clone(), |checker, word| with(checker, *word));
        let bounded = Checker { states_max, duration_max: Some(time), poll_duration_max: time, threads: 1, ..checker };
        let checker = bounded.liveness(false);
        // Programs that ask for a region of faults meet fewer failures, and the trial may end before they ask.
        let demands = self.demands;
        let search = move |mut job: Job| {
            job.demands = demands;
            let explored = job.search()?.explored;
            Ok(Tried {
                is_violated: explored.found.is_some_and(|(_, found)| !found.is_error),
                is_over: explored.limit.is_none(),
                expected: job.progress.expected(),
                by_depth: explored.store.states_by_depth(),
            })
        };
        self.beside(&checker, Vec::new(), search)
    }
}

/// How many times fewer states are in the second list within the last depth of which both have all.
fn fewer(all: &[usize], tried: &[usize]) -> Option<Gain> {
    let depth = all.len().min(tried.len()).checked_sub(2)?;
    let [all, tried] = [all, tried].map(|states| states[..=depth].iter().sum::<usize>() as f64);
    let times = all / tried;
    (times >= FEWER_MIN).then_some(Gain::Fewer(times, depth))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fewer_states_are_a_gain_within_what_both_have_passed() {
        assert_eq!(fewer(&[1, 4, 16, 64, 9], &[1, 2, 4, 8, 3]), Some(Gain::Fewer(85.0 / 15.0, 3)));
        // The fourth depth of the first one, and the third of the second, are not all there.
        assert_eq!(fewer(&[1, 4, 16, 64], &[1, 2, 1]), Some(Gain::Fewer(5.0 / 3.0, 1)));
        assert_eq!(fewer(&[1, 4, 16, 64], &[1, 4, 16, 64]), None);
        assert_eq!(fewer(&[1], &[1, 1, 1]), None);
    }
}
