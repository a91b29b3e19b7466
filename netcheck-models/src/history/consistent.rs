//! Sequential consistency, told event by event.
//!
//! The order in which processes make their calls relative to each other does not count, so a call may take effect long after
//! it has returned: what others did meanwhile may come before it. Therefore all calls so far are kept, each process by itself.
//! Histories that differ only in how processes overlap are one, but each further call makes a new one: programs that make
//! calls without end have histories without end. (That no finite part is enough is known: Alur, McMillan and Peled,
//! "Model-Checking of Correctness Conditions for Concurrent Objects", 2000.)
//!
//! Each history so far is judged, and not only that at the end: a read must not return what is written later.

use super::order::{Claim, order};
use super::sequential::{Call, Sequential};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The calls of all processes so far.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Consistent<S: Sequential> {
    initial: S,
    processes: BTreeMap<Arc<str>, Vec<Made<S>>>,
}

/// A call of a process.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Made<S: Sequential> {
    operation: S::Operation,
    /// The calls of the process that had returned when this one was invoked, by their numbers, without those that come before
    /// others of them.
    after: Vec<usize>,
    is: Is<S::Answer>,
}

/// How far a call has come.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Is<A> {
    /// It has not returned; with its name.
    Open(u32, u32),
    Returned(A),
    Abandoned,
}

impl<S: Sequential> Consistent<S> {
    /// The history without a call.
    #[must_use]
    pub fn new(object: S) -> Self {
        Consistent { initial: object, processes: BTreeMap::new() }
    }

    /// A call is invoked. An earlier one of its name that has not returned is abandoned.
    pub fn invoked(&mut self, call: Call, operation: S::Operation) {
        self.abandoned(&call);
        let made = self.processes.entry(call.process).or_default();
        let returned = || (0..made.len()).filter(|&number| matches!(made[number].is, Is::Returned(_)));
        let is_before_another = |number: &usize| returned().any(|other| made[other].after.contains(number));
        let after = returned().filter(|number| !is_before_another(number)).collect();
        made.push(Made { operation, after, is: Is::Open(call.part, call.number) });
    }

    /// A call returns. A call that is not open may: nothing is claimed of it.
    ///
    /// # Errors
    ///
    /// If no order of the calls explains the answer: the answers that some order explains, sorted by their Debug texts. The
    /// history stays as it was.
    pub fn returned(&mut self, call: &Call, answer: &S::Answer) -> Result<(), Vec<S::Answer>> {
        let Some((at, number)) = self.find(call) else { return Ok(()) };
        if self.order(at, Claim::Answered(answer.clone())).is_some() {
            let made = self.processes.get_mut(&call.process).expect("it has made the call");
            made[number].is = Is::Returned(answer.clone());
            return Ok(());
        }
        let mut others: Vec<S::Answer> = Vec::new();
        while let Some(order) = self.order(at, Claim::OtherThan(others.clone())) {
            others.extend(order.into_iter().find(|(call, _)| *call == at).map(|(_, answer)| answer));
        }
        others.sort_by_cached_key(|answer| format!("{answer:?}"));
        Err(others)
    }

    /// A call will never return. It may take effect at any later time, or never.
    pub fn abandoned(&mut self, call: &Call) {
        if let Some((_, number)) = self.find(call)
            && let Some(made) = self.processes.get_mut(&call.process)
        {
            made[number].is = Is::Abandoned;
        }
    }

    /// The calls that are open, with their operations.
    pub fn open(&self) -> impl Iterator<Item = (Call, &S::Operation)> {
        let each = self.processes.iter().flat_map(|(process, all)| all.iter().map(move |made| (process, made)));
        each.filter_map(|(process, made)| match made.is {
            Is::Open(part, number) => Some((Call { process: Arc::clone(process), part, number }, &made.operation)),
            Is::Returned(_) | Is::Abandoned => None,
        })
    }

    /// The number of all calls so far.
    #[must_use]
    pub fn calls(&self) -> usize {
        self.processes.values().map(Vec::len).sum()
    }

    /// The number of a call that is open among all calls, and among those of its process.
    fn find(&self, call: &Call) -> Option<(usize, usize)> {
        let number =
            self.processes.get(&call.process)?.iter().position(|made| made.is == Is::Open(call.part, call.number))?;
        let before = self.processes.range(..Arc::clone(&call.process)).map(|(_, all)| all.len()).sum::<usize>();
        Some((before + number, number))
    }

    /// An order that explains all answers so far, and in which this holds of one more call.
    fn order(&self, of: usize, claim: Claim<S::Answer>) -> Option<Vec<(usize, S::Answer)>> {
        let mut after: Vec<Vec<usize>> = Vec::new();
        for all in self.processes.values() {
            let first = after.len();
            after.extend(all.iter().map(|made| made.after.iter().map(|number| first + number).collect()));
        }
        let all = || self.processes.values().flatten();
        let calls: Vec<(&S::Operation, &[usize])> =
            all().zip(&after).map(|(made, after)| (&made.operation, &after[..])).collect();
        let mut claims: Vec<Claim<S::Answer>> = all()
            .map(|made| match &made.is {
                Is::Returned(answer) => Claim::Answered(answer.clone()),
                Is::Open(..) | Is::Abandoned => Claim::Nothing,
            })
            .collect();
        claims[of] = claim;
        order(self.initial.clone(), &calls, &claims)
    }
}
