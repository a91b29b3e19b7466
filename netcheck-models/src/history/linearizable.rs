//! Linearizability, told event by event.
//!
//! The future of a history depends on the *ways* in which calls may have taken effect so far, and on nothing else: what state
//! the object is in then, how the calls are answered that have taken effect and not returned, and which abandoned calls may
//! still take effect. A way is needed only if no other one leads to it by calls that take effect later. So calls take effect
//! as late as possible: when a call returns, other ones may have to take effect before it. (The algorithm of Wing and Gong,
//! "Testing and Verifying Concurrent Objects", 1993, with all orders followed at once.)
//!
//! Two sets of ways with the same futures may differ: the answers of operations that no later one can tell apart, for one.
//! A set is finite as long as calls that are abandoned are.

use super::bag::Bag;
use super::sequential::{Call, Sequential};
use std::collections::BTreeMap;

/// The ways in which the calls on one object may have taken effect.
///
/// # Examples
///
/// ```
/// use netcheck_models::history::{Call, Linearizable, Register, RegisterAnswer, RegisterOperation};
///
/// let call = |process: &str| Call { process: process.into(), part: 0, number: 0 };
/// let mut history = Linearizable::new(Register::new(0));
/// history.invoked(call("a"), RegisterOperation::Write(1));
/// history.returned(&call("a"), &RegisterAnswer::Written).unwrap();
/// history.invoked(call("b"), RegisterOperation::Read);
/// let stale = history.returned(&call("b"), &RegisterAnswer::Value(0));
/// assert_eq!(stale, Err(vec![RegisterAnswer::Value(1)]));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Linearizable<S: Sequential> {
    open: BTreeMap<Call, S::Operation>,
    /// None of them leads to another.
    ways: Bag<Way<S>>,
}

/// One way in which calls have taken effect.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Way<S: Sequential> {
    object: S,
    /// The calls that have taken effect and have not returned, with their answers.
    answered: BTreeMap<Call, S::Answer>,
    /// The abandoned calls that may still take effect.
    left: Bag<S::Operation>,
}

impl<S: Sequential> Linearizable<S> {
    /// The history without a call.
    #[must_use]
    pub fn new(object: S) -> Self {
        let way = Way { object, answered: BTreeMap::new(), left: Bag::default() };
        Linearizable { open: BTreeMap::new(), ways: Bag::from_iter([way]) }
    }

    /// A call is invoked. An earlier one of its name that has not returned is abandoned.
    pub fn invoked(&mut self, call: Call, operation: S::Operation) {
        self.abandoned(&call);
        self.open.insert(call, operation);
    }

    /// A call returns. A call that is not open may: nothing is claimed of it.
    ///
    /// # Errors
    ///
    /// If no order of the calls explains the answer: the answers that some order explains, sorted by their Debug texts. The
    /// history stays as it was.
    pub fn returned(&mut self, call: &Call, answer: &S::Answer) -> Result<(), Vec<S::Answer>> {
        let Some(operation) = self.open.get(call) else { return Ok(()) };
        let mut ways: Bag<Way<S>> = Bag::default();
        let mut others: Bag<S::Answer> = Bag::default();
        let mut returns = |way: &Way<S>| {
            let mut after = way.clone();
            let given = after.answered.remove(call).unwrap_or_else(|| after.object.apply(operation));
            if given == *answer {
                ways.add_new(after);
            } else {
                others.add_new(given);
            }
        };
        for way in self.ways.iter() {
            match way.answered.contains_key(call) {
                true => returns(way),
                false => self.behind(way, Some(call)).iter().for_each(&mut returns),
            }
        }
        if ways.is_empty() {
            let mut others: Vec<S::Answer> = others.iter().cloned().collect();
            others.sort_by_cached_key(|answer| format!("{answer:?}"));
            return Err(others);
        }
        self.open.remove(call);
        self.ways = ways;
        self.keep_first();
        Ok(())
    }

    /// A call will never return. It may take effect at any later time, or never.
    pub fn abandoned(&mut self, call: &Call) {
        let Some(operation) = self.open.remove(call) else { return };
        let abandon = |way: &Way<S>| {
            let mut way = way.clone();
            if way.answered.remove(call).is_none() {
                way.left.add(operation.clone());
            }
            way
        };
        let mut ways = Bag::default();
        for way in self.ways.iter().map(abandon) {
            ways.add_new(way);
        }
        self.ways = ways;
        self.keep_first();
    }

    /// The calls that are open, with their operations.
    pub fn open(&self) -> impl Iterator<Item = (&Call, &S::Operation)> {
        self.open.iter()
    }

    /// The states in which the object may be, if no call takes effect before it has to.
    pub fn objects(&self) -> impl Iterator<Item = &S> {
        self.ways.iter().map(|way| &way.object)
    }

    /// The way itself, and all to which it leads by calls that take effect, but this one.
    fn behind(&self, way: &Way<S>, but: Option<&Call>) -> Bag<Way<S>> {
        let mut known = Bag::from_iter([way.clone()]);
        let mut found = vec![way.clone()];
        while let Some(way) = found.pop() {
            let mut lead = |after: Way<S>| {
                if known.add_new(after.clone()) {
                    found.push(after);
                }
            };
            for (call, operation) in &self.open {
                if Some(call) != but && !way.answered.contains_key(call) {
                    let mut after = way.clone();
                    let answer = after.object.apply(operation);
                    after.answered.insert(call.clone(), answer);
                    lead(after);
                }
            }
            for operation in way.left.iter() {
                let mut after = way.clone();
                after.left.take(operation);
                after.object.apply(operation);
                lead(after);
            }
        }
        known
    }

    /// Drops ways that others lead to. A way with more abandoned calls leads wherever one with fewer does, for they may
    /// never take effect.
    ///
    /// No two ways lead to each other: with each call that takes effect, more are answered or fewer are left.
    fn keep_first(&mut self) {
        if self.ways.len() < 2 {
            return;
        }
        let leads = |from: &Way<S>, to: &Way<S>| {
            from != to
                && self
                    .behind(from, None)
                    .iter()
                    .any(|one| one.object == to.object && one.answered == to.answered && one.left.includes(&to.left))
        };
        let first = self.ways.iter().filter(|way| !self.ways.iter().any(|other| leads(other, way)));
        self.ways = first.cloned().collect();
    }
}
