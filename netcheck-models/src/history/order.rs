//! An order of calls that explains their answers, and keeps to a partial order of them.

use super::bag::Bag;
use super::sequential::Sequential;
use std::fmt::Debug;
use std::hash::Hash;

/// A call of a history that is known as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded<O, A> {
    /// The operation.
    pub operation: O,
    /// The answer, if the call has returned.
    pub answer: Option<A>,
    /// The calls, by their numbers in the history, that have to come before it.
    pub after: Vec<usize>,
}

/// The claim of an order about one call.
pub(super) enum Claim<A> {
    /// None: the call has not returned, and need not be in the order.
    Nothing,
    /// The call is answered so.
    Answered(A),
    /// The call is answered, but in none of these ways.
    OtherThan(Vec<A>),
}

impl<A: PartialEq> Claim<A> {
    fn allows(&self, answer: &A) -> bool {
        match self {
            Claim::Nothing => true,
            Claim::Answered(only) => only == answer,
            Claim::OtherThan(others) => !others.contains(answer),
        }
    }
}

/// An order of calls that explains the answers of all that have returned, as their numbers. Of the others, which have not
/// returned, it may hold any.
#[must_use]
pub fn find_order<S: Sequential>(initial: &S, history: &[Recorded<S::Operation, S::Answer>]) -> Option<Vec<usize>> {
    let claims: Vec<_> =
        history.iter().map(|call| call.answer.clone().map_or(Claim::Nothing, Claim::Answered)).collect();
    let calls: Vec<_> = history.iter().map(|call| (&call.operation, &call.after[..])).collect();
    let order = order(initial.clone(), &calls, &claims)?;
    Some(order.into_iter().map(|(call, _)| call).collect())
}

/// The calls that have taken effect, and the object. Equal ones have the same orders behind them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Taken<S> {
    has_effect: Vec<bool>,
    object: S,
}

/// An order of calls, given with the numbers of those that have to come before them, in which each claim holds: the numbers
/// of the calls with their answers.
pub(super) fn order<S: Sequential>(
    object: S,
    calls: &[(&S::Operation, &[usize])],
    claims: &[Claim<S::Answer>],
) -> Option<Vec<(usize, S::Answer)>> {
    // The last one of `open` is the next, so calls that must be in the order are added last, and the earliest at the end.
    let is_free = |&call: &usize| matches!(claims[call], Claim::Nothing);
    let (free, claimed): (Vec<usize>, Vec<usize>) = (0..calls.len()).rev().partition(is_free);
    let first = Taken { has_effect: vec![false; calls.len()], object };
    let mut known = Bag::from_iter([first.clone()]);
    let mut open = vec![(first, Vec::new())];
    while let Some((taken, order)) = open.pop() {
        if claimed.iter().all(|&call| taken.has_effect[call]) {
            return Some(order);
        }
        for &call in free.iter().chain(&claimed) {
            let (operation, after) = calls[call];
            if taken.has_effect[call] || !after.iter().all(|&before| taken.has_effect[before]) {
                continue;
            }
            let mut next = taken.clone();
            next.has_effect[call] = true;
            let answer = next.object.apply(operation);
            if claims[call].allows(&answer) && known.add_new(next.clone()) {
                let mut longer: Vec<(usize, S::Answer)> = order.clone();
                longer.push((call, answer));
                open.push((next, longer));
            }
        }
    }
    None
}
