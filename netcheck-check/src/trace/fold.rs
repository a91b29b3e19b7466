//! Steps that readers need not see one by one.
//!
//! - An *aside* only reads the clock or chooses the branch with which a `select!` begins. It is told with the next step of
//!   its task. An aside after which its task does nothing more stands alone.
//! - A task that was woken is polled, and then begins a call in the code of a library: the poll is told with that step, and says
//!   nothing more.
//! - A connection is made by a step of the network, and the connect returns by one of its task. Where the one follows on the
//!   other, they are told as one.
//! - *Rounds* are steps that repeat: the same tasks do the same at the same source lines, and the network does the same
//!   to it. Payloads and answers may differ. Three rounds or more are told once. The last step of an execution is never
//!   left out: it is the step that violates.
//! - Of a long execution, a step is *repeated* if its task has taken the same one after the same one before, and nothing
//!   goes wrong in it: an idle task that asks again and again, with others between its steps.
//!
//! Numbers of steps stay as they are.

use crate::trace::asked::Asked;
use crate::trace::step::{Doing, Kind, Step};
use std::collections::{BTreeMap, BTreeSet};
use std::mem::{Discriminant, discriminant};

/// Rounds that are told once.
const ROUNDS_MIN: usize = 3;

/// Steps of a round at the most.
const ROUND_STEPS_MAX: usize = 64;

/// In an execution of fewer steps none is repeated, nor are the last ones of a longer one.
const LONG_MIN: usize = 60;
const LAST: usize = 20;

/// Repeated steps that are told as one at the least.
const REPEATED_MIN: usize = 3;

/// For each step, by its number less one: the number of the step that it is told with, if it is an aside.
pub(super) fn asides(steps: &[Step]) -> Vec<Option<usize>> {
    let mut told_with = vec![None; steps.len()];
    let mut next: BTreeMap<(&str, Option<u32>), usize> = BTreeMap::new();
    for (number, step) in (1..).zip(steps).collect::<Vec<(usize, &Step)>>().into_iter().rev() {
        let task = (step.process.as_str(), step.task);
        let told = next.get(&task).copied();
        let goes_on_in_a_library = || told.is_some_and(|told| steps[told - 1].library.is_some());
        if is_aside(step) || is_quiet_poll(step) && goes_on_in_a_library() {
            told_with[number - 1] = told;
            continue;
        }
        next.insert(task, number);
        if let (Asked::Dial { asked }, Some(after)) = (&step.asked, steps.get(number))
            && after.asked == **asked
            && task == (after.process.as_str(), after.task)
        {
            told_with[number - 1] = Some(number + 1);
        }
    }
    told_with
}

/// Which steps are repeated, by their numbers less one; asides as the steps that they are told with.
pub(super) fn repeated(steps: &[Step], told_with: &[Option<usize>]) -> Vec<bool> {
    let mut repeated = vec![false; steps.len()];
    if steps.len() < LONG_MIN {
        return repeated;
    }
    let mut last = BTreeMap::new();
    let mut known = BTreeSet::new();
    for (index, step) in steps.iter().enumerate().filter(|&(index, _)| told_with[index].is_none()) {
        let task = (step.process.as_str(), step.task);
        let outcome = if step.kind == Kind::Timer { "" } else { &step.outcome };
        // What happens to files is a remark: polls that write them differ in nothing else.
        let what = (&step.operation, outcome, &step.location, &step.remarks);
        let before = last.insert(task, what);
        let is_new = known.insert((task, before, what));
        repeated[index] = !is_new && !step.failed && step.network.is_empty();
    }
    let from = steps.len() - LAST;
    repeated[from..].fill(false);
    for (index, with) in told_with.iter().enumerate().rev() {
        if let Some(number) = with {
            repeated[index] = repeated[number - 1];
        }
    }
    for run in repeated.chunk_by_mut(|one, other| one == other).filter(|run| run.len() < REPEATED_MIN) {
        run.fill(false);
    }
    repeated
}

/// Whether a step that is told with another one says no more than that one.
pub(super) fn is_told_by_the_other(step: &Step) -> bool {
    matches!(step.asked, Asked::Dial { .. } | Asked::Run { .. })
}

/// Whether a step is the poll of a task that was woken, with which nothing else happens.
fn is_quiet_poll(step: &Step) -> bool {
    let is_quiet = !step.failed && step.network.is_empty() && step.remarks.is_empty() && step.events.is_empty();
    is_quiet && matches!(step.asked, Asked::Run { .. })
}

fn is_aside(step: &Step) -> bool {
    matches!(step.asked, Asked::Clock | Asked::Deadline | Asked::Compare | Asked::Distance | Asked::Select { .. })
}

/// Steps that repeat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rounds {
    /// The number of the first step of the first round.
    pub(super) first: usize,
    /// The steps of a round.
    pub(super) steps: usize,
    pub(super) rounds: usize,
}

impl Rounds {
    /// The numbers of the steps that are left out: those of all rounds but the first.
    pub(super) fn left_out(self) -> std::ops::RangeInclusive<usize> {
        self.first + self.steps..=self.first + self.steps * self.rounds - 1
    }
}

/// The rounds of an execution, in its order; none share a step.
pub(super) fn rounds(steps: &[Step]) -> Vec<Rounds> {
    let look = |step: &Step| {
        let words = step.operation.split(' ').next().unwrap_or_default().to_owned();
        let doings: Vec<Discriminant<Doing>> = step.network.iter().map(discriminant).collect();
        (step.process.clone(), step.task, step.location.clone(), words, step.failed, doings)
    };
    rounds_of(&steps.iter().map(look).collect::<Vec<_>>())
}

/// The rounds among things that are equal or not.
fn rounds_of<T: PartialEq>(looks: &[T]) -> Vec<Rounds> {
    let mut found = Vec::new();
    let mut from = 0;
    while from < looks.len() {
        // The last one is never left out.
        let rest = &looks[from..];
        let best = (1..=ROUND_STEPS_MAX.min(rest.len() / ROUNDS_MIN))
            .map(|steps| {
                let repeated = (steps..rest.len()).take_while(|&at| rest[at] == rest[at - steps]).count();
                let ends_last = steps + repeated == rest.len();
                (steps, 1 + repeated / steps - usize::from(ends_last && repeated % steps == 0))
            })
            .filter(|&(_, rounds)| rounds >= ROUNDS_MIN)
            .max_by_key(|&(steps, rounds)| (steps * rounds, rounds));
        match best {
            Some((steps, rounds)) => {
                found.push(Rounds { first: from + 1, steps, rounds });
                from += steps * rounds;
            }
            None => from += 1,
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(usize, usize, usize)> {
        let rounds = rounds_of(text.as_bytes()).into_iter();
        rounds.map(|Rounds { first, steps, rounds }| (first, steps, rounds)).collect()
    }

    #[test]
    fn rounds_are_found_and_the_last_step_stays() {
        assert_eq!(found(""), []);
        assert_eq!(found("abab"), []);
        assert_eq!(found("xabababy"), [(2, 2, 3)]);
        // The last round has the last step.
        assert_eq!(found("xababab"), []);
        assert_eq!(found("xabababab"), [(2, 2, 3)]);
        assert_eq!(found("xababababa"), [(2, 2, 4)]);
        assert_eq!(found("aaaab"), [(1, 1, 4)]);
        assert_eq!(found("abcabcabcxyxyxyz"), [(1, 3, 3), (10, 2, 3)]);
        assert_eq!(Rounds { first: 2, steps: 2, rounds: 3 }.left_out(), 4..=7);
    }

    /// By definition: a found block repeats itself, the last step is not in it, and no two share a step.
    #[test]
    fn of_random_texts_only_repeated_steps_are_left_out() {
        let mut seed = 1_u64;
        for _ in 0..2_000 {
            let text: Vec<u8> = (0..40)
                .map(|_| {
                    seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    (seed >> 61) as u8 / 3
                })
                .collect();
            let mut until = 0;
            for found in rounds_of(&text) {
                let Rounds { first, steps, rounds } = found;
                assert!(first > until && rounds >= ROUNDS_MIN && *found.left_out().end() < text.len());
                let block = &text[first - 1..first - 1 + steps];
                for round in 0..rounds {
                    assert_eq!(&text[first - 1 + steps * round..][..steps], block);
                }
                until = *found.left_out().end();
            }
        }
    }

    fn step(process: &str, asked: Asked, operation: &str) -> Step {
        Step { process: process.to_owned(), asked, operation: operation.to_owned(), ..Step::default() }
    }

    #[test]
    fn steps_that_a_task_has_taken_before_after_the_same_one_are_repeated() {
        let asks =
            |process: &str| ["timer", "write ask", "read no"].map(|operation| step(process, Asked::Start, operation));
        let mut steps: Vec<Step> = (0..40).flat_map(|_| asks("a")).collect();
        steps.insert(50, step("b", Asked::Start, "start"));
        steps[80].failed = true;
        let repeated = repeated(&steps, &vec![None; steps.len()]);
        let shown: Vec<usize> = (0..steps.len()).filter(|&index| !repeated[index]).collect();
        // Behind the first round, the task begins another one; then what others do, what fails, and the last ones.
        let first = [0, 1, 2, 3, 50, 80];
        assert_eq!(shown, first.into_iter().chain(steps.len() - LAST..steps.len()).collect::<Vec<_>>());
        assert!(!super::repeated(&steps[..59], &[None; 59]).contains(&true), "a short one is told whole");
    }

    #[test]
    fn a_step_with_a_remark_that_was_not_made_before_is_told() {
        let mut steps: Vec<Step> = (0..90).map(|_| step("a", Asked::Run { task: 1 }, "run task 1")).collect();
        for (index, remark) in [(40, "`/log` is synced"), (60, "`/log` is written"), (70, "`/log` is synced")] {
            steps[index].remarks.push(remark.to_owned());
        }
        let repeated = repeated(&steps, &vec![None; steps.len()]);
        let shown: Vec<usize> = (2..steps.len() - LAST).filter(|&index| !repeated[index]).collect();
        // With the step after each, whose predecessor is another one than before; the third remark is that of the first one.
        assert_eq!(shown, [40, 41, 60, 61]);
    }

    #[test]
    fn asides_are_told_with_the_next_step_of_their_task() {
        let steps = [
            step("a", Asked::Clock, "Instant::now"),
            step("b", Asked::Timer, "timer"),
            step("a", Asked::Select { branches: 2 }, "select! of 2 branches"),
            step("a", Asked::Choose { alternatives: 2 }, "choose of 2"),
            step("a", Asked::Clock, "Instant::now"),
        ];
        assert_eq!(asides(&steps), [Some(4), None, Some(4), None, None]);
    }

    #[test]
    fn a_poll_is_told_with_the_call_of_a_library_that_follows() {
        let polls = |process| step(process, Asked::Run { task: 0 }, "run task 0");
        let by_library =
            Step { library: Some("hyper-1.0.0/src/lib.rs:1".to_owned()), ..step("a", Asked::Start, "read") };
        let steps = [polls("a"), polls("b"), step("b", Asked::Start, "read"), by_library, polls("a")];
        assert_eq!(asides(&steps), [Some(4), None, None, None, None]);
    }
}
