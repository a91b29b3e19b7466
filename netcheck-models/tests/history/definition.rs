//! The definitions of linearizable and sequentially consistent, word by word. This shares no code with what it is compared to but the
//! objects.

use netcheck_models::history::Sequential;

/// A call of a history. Its instants are the numbers of events.
#[derive(Clone, Debug)]
pub struct Made<S: Sequential> {
    pub process: usize,
    pub operation: S::Operation,
    pub invoked: usize,
    /// When it returned, and the answer.
    pub returned: Option<(usize, S::Answer)>,
}

/// The property that is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Property {
    Linearizable,
    SequentiallyConsistent,
}

/// Whether the history has the property: some calls that have not returned are completed, the others are dropped, and there
/// is an order of what is left that keeps the order of the calls, and in which the object gives all answers.
pub fn holds<S: Sequential>(property: Property, object: &S, history: &[Made<S>]) -> bool {
    let pending: Vec<usize> = (0..history.len()).filter(|&call| history[call].returned.is_none()).collect();
    (0..1_u32 << pending.len()).any(|chosen| {
        let is_there = |call: &usize| match pending.iter().position(|pending| pending == call) {
            Some(index) => chosen & (1 << index) != 0,
            None => true,
        };
        let mut calls: Vec<usize> = (0..history.len()).filter(is_there).collect();
        let count = calls.len();
        some_permutation(&mut calls, count, &mut |order| {
            keeps(property, history, order) && explains(object, history, order)
        })
    })
}

/// Whether a predicate holds of some permutation (Heap's algorithm).
fn some_permutation(items: &mut [usize], count: usize, holds: &mut dyn FnMut(&[usize]) -> bool) -> bool {
    if count <= 1 {
        return holds(items);
    }
    for index in 0..count {
        if some_permutation(items, count - 1, holds) {
            return true;
        }
        let other = if count.is_multiple_of(2) { index } else { 0 };
        items.swap(other, count - 1);
    }
    false
}

/// Whether an order has no two calls of which the later one returned before the earlier one was invoked.
fn keeps<S: Sequential>(property: Property, history: &[Made<S>], order: &[usize]) -> bool {
    order.iter().enumerate().all(|(place, &later)| {
        order[..place].iter().all(|&earlier| {
            let (earlier, later) = (&history[earlier], &history[later]);
            let counts = property == Property::Linearizable || earlier.process == later.process;
            let is_reversed = later.returned.as_ref().is_some_and(|(returned, _)| *returned < earlier.invoked);
            !(counts && is_reversed)
        })
    })
}

fn explains<S: Sequential>(object: &S, history: &[Made<S>], order: &[usize]) -> bool {
    let mut object = object.clone();
    order.iter().all(|&call| {
        let answer = object.apply(&history[call].operation);
        history[call].returned.as_ref().is_none_or(|(_, returned)| *returned == answer)
    })
}
