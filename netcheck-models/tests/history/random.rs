//! Random small histories of registers, queues and compare-and-swaps.

use crate::definition::{Made, Property, holds};
use netcheck_models::history::{
    Call, Consistent, Linearizable, Queue, QueueOperation, Recorded, Register, RegisterAnswer, RegisterOperation,
    Sequential, find_order,
};
use random::Random;

/// Calls of a history, so that all their orders can be tried.
const CALLS_MAX: usize = 6;

/// Values that are written or put in.
const VALUES: u64 = 3;

/// An object with operations and answers to draw.
trait Drawn: Sequential {
    fn begin() -> Self;
    fn operation(numbers: &mut Random) -> Self::Operation;
    /// All answers that a call may be given by mistake.
    fn answers(operation: &Self::Operation) -> Vec<Self::Answer>;
}

impl Drawn for Register<u64> {
    fn begin() -> Self {
        Register::new(0)
    }

    fn operation(numbers: &mut Random) -> RegisterOperation<u64> {
        match numbers.below(5) {
            0 | 1 => RegisterOperation::Read,
            2 | 3 => RegisterOperation::Write(numbers.below(VALUES)),
            _ => RegisterOperation::CompareAndSwap(numbers.below(VALUES), numbers.below(VALUES)),
        }
    }

    fn answers(operation: &RegisterOperation<u64>) -> Vec<RegisterAnswer<u64>> {
        match operation {
            RegisterOperation::Read => (0..VALUES).map(RegisterAnswer::Value).collect(),
            RegisterOperation::Write(_) => vec![RegisterAnswer::Written],
            RegisterOperation::CompareAndSwap(..) => [false, true].map(RegisterAnswer::Swapped).to_vec(),
        }
    }
}

impl Drawn for Queue<u64> {
    fn begin() -> Self {
        Queue::default()
    }

    fn operation(numbers: &mut Random) -> QueueOperation<u64> {
        if numbers.percent(50) { QueueOperation::Enqueue(numbers.below(VALUES)) } else { QueueOperation::Dequeue }
    }

    fn answers(operation: &QueueOperation<u64>) -> Vec<Option<u64>> {
        match operation {
            QueueOperation::Enqueue(_) => vec![None],
            QueueOperation::Dequeue => (0..VALUES).map(Some).chain([None]).collect(),
        }
    }
}

/// The judge of a history, which is told of it.
enum Judge<S: Sequential> {
    Linearizable(Linearizable<S>),
    Consistent(Consistent<S>),
}

impl<S: Sequential> Judge<S> {
    fn new(property: Property, object: S) -> Self {
        match property {
            Property::Linearizable => Judge::Linearizable(Linearizable::new(object)),
            Property::SequentiallyConsistent => Judge::Consistent(Consistent::new(object)),
        }
    }

    fn invoked(&mut self, call: Call, operation: S::Operation) {
        match self {
            Judge::Linearizable(history) => history.invoked(call, operation),
            Judge::Consistent(history) => history.invoked(call, operation),
        }
    }

    fn returned(&mut self, call: &Call, answer: &S::Answer) -> Result<(), Vec<S::Answer>> {
        match self {
            Judge::Linearizable(history) => history.returned(call, answer),
            Judge::Consistent(history) => history.returned(call, answer),
        }
    }

    fn abandoned(&mut self, call: &Call) {
        match self {
            Judge::Linearizable(history) => history.abandoned(call),
            Judge::Consistent(history) => history.abandoned(call),
        }
    }

    fn is_open(&self, call: &Call) -> bool {
        match self {
            Judge::Linearizable(history) => history.open().any(|(open, _)| open == call),
            Judge::Consistent(history) => history.open().any(|(open, _)| open == *call),
        }
    }
}

/// The order of calls that a property asks for: the numbers of those that come before each.
fn after<S: Sequential>(property: Property, history: &[Made<S>], of: &Made<S>) -> Vec<usize> {
    let comes_before = |made: &Made<S>| {
        let counts = property == Property::Linearizable || made.process == of.process;
        counts && made.returned.as_ref().is_some_and(|(returned, _)| *returned < of.invoked)
    };
    (0..history.len()).filter(|&call| comes_before(&history[call])).collect()
}

/// Draws a history and compares each answer in it; says whether it came to be rejected.
///
/// Two processes of one part and one of two make calls. An answer is that of an object on which calls take effect at an instant
/// of their own, or, now and then, any.
fn compare<S: Drawn>(property: Property, seed: u64) -> bool {
    let numbers = &mut Random::new(seed);
    let callers = [(0, 0), (1, 0), (2, 0), (2, 1)];
    let name = |(process, part): (usize, u32)| Call { process: ["a", "b", "c"][process].into(), part, number: 0 };
    let wrong_percent = numbers.one_of(&[0, 10, 30]);
    // Without order, calls take effect as if they had been made earlier.
    let mut object = S::begin();
    let mut history: Vec<Made<S>> = Vec::new();
    let mut judge = Judge::new(property, S::begin());
    // By caller: the number of its call, and the answer once it has taken effect.
    let mut pending: [Option<(usize, Option<S::Answer>)>; 4] = Default::default();
    for now in 0.. {
        let caller = numbers.index(callers.len());
        let call = name(callers[caller]);
        match pending[caller].take() {
            None if history.len() == CALLS_MAX => return false,
            None => {
                let operation = S::operation(numbers);
                judge.invoked(call, operation.clone());
                pending[caller] = Some((history.len(), None));
                history.push(Made { process: callers[caller].0, operation, invoked: now, returned: None });
            }
            Some((number, None)) if numbers.percent(60) => {
                let answer = object.apply(&history[number].operation);
                pending[caller] = Some((number, Some(answer)));
            }
            // Half of these calls are seen to be abandoned when their name is used again.
            Some(_) if numbers.percent(10) => {
                if numbers.percent(50) {
                    judge.abandoned(&call);
                }
            }
            Some((number, answer)) => {
                let answers = S::answers(&history[number].operation);
                let wrong = numbers.percent(wrong_percent).then(|| answers[numbers.index(answers.len())].clone());
                let answer = wrong.or(answer).unwrap_or_else(|| answers[numbers.index(answers.len())].clone());
                let told = judge.returned(&call, &answer);
                let mut holds_with = |answer: &S::Answer| {
                    history[number].returned = Some((now, answer.clone()));
                    holds(property, &S::begin(), &history)
                };
                let mut right: Vec<S::Answer> = answers.iter().filter(|answer| holds_with(answer)).cloned().collect();
                right.sort_by_cached_key(|answer| format!("{answer:?}"));
                history[number].returned = Some((now, answer.clone()));
                let is_right = right.contains(&answer);
                let expected = if is_right { Ok(()) } else { Err(right) };
                assert_eq!(told, expected, "seed {seed}, {property:?}: {history:?}");
                assert_eq!(judge.is_open(&call), !is_right);
                let recorded: Vec<Recorded<S::Operation, S::Answer>> = history
                    .iter()
                    .map(|made| Recorded {
                        operation: made.operation.clone(),
                        answer: made.returned.clone().map(|(_, answer)| answer),
                        after: after(property, &history, made),
                    })
                    .collect();
                assert_eq!(find_order(&S::begin(), &recorded).is_some(), is_right, "seed {seed}: {history:?}");
                if !is_right {
                    return true;
                }
            }
        }
    }
    unreachable!("calls are made until there are enough")
}

/// Compares histories of each object and property; how many were rejected and how many not.
fn compare_all(seeds: std::ops::Range<u64>) -> [[usize; 2]; 4] {
    let of = |compare: &dyn Fn(u64) -> bool| {
        let rejected = seeds.clone().filter(|&seed| compare(seed)).count();
        [rejected, seeds.clone().count() - rejected]
    };
    [
        of(&|seed| compare::<Register<u64>>(Property::Linearizable, seed)),
        of(&|seed| compare::<Register<u64>>(Property::SequentiallyConsistent, seed)),
        of(&|seed| compare::<Queue<u64>>(Property::Linearizable, seed)),
        of(&|seed| compare::<Queue<u64>>(Property::SequentiallyConsistent, seed)),
    ]
}

#[test]
fn random_histories_are_judged_as_by_all_orders() {
    let counts = compare_all(0..250);
    assert!(counts.iter().flatten().all(|&count| count >= 25), "both verdicts are met: {counts:?}");
}

#[test]
#[ignore = "a hundred thousand histories: half a minute, in release, for a nightly run"]
fn nightly_random_histories_are_judged_as_by_all_orders() {
    let counts = compare_all(1_000..26_000);
    assert!(counts.iter().flatten().all(|&count| count >= 2_500), "both verdicts are met: {counts:?}");
}
