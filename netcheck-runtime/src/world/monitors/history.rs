//! A monitor of the calls on an object that programs share: it rejects an answer that no order of the calls explains.
//!
//! Calls are known by the unit that has made them and their numbers there. A unit that is ended from outside, by a crash or an
//! abort, leaves its calls open: they may take effect later, or never, as calls that were abandoned. Where the unit begins
//! anew and uses a number again, the call that had it is abandoned.

use super::at::{At, Kept, Refusal};
use super::observer::{Observer, Observing};
use super::seen::Seen;
use super::story::{Event, Lane, Story};
use super::told::{Conclusion, Invocation, Told};
use crate::unit::source_line::place;
use netcheck_models::history::{Call, Consistent, Keyed, Linearizable, Recorded, Sequential, Table, find_order};
use netcheck_models::monitor::{Configurations, Drawing, Marked, Question, Rejection};
use std::any::{TypeId, type_name};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// The property that the calls on an object have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Property {
    Linearizable,
    SequentiallyConsistent,
}

impl fmt::Display for Property {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Property::Linearizable => "linearizable",
            Property::SequentiallyConsistent => "sequentially consistent",
        })
    }
}

/// The monitor of an object whose calls are linearizable. Each key has an object of its own: since the property is local, each
/// is judged by itself.
pub fn linearizable<S: Sequential>(object: S) -> Observer {
    Observer(Arc::new(Judge { property: Property::Linearizable, object }))
}

/// The monitor of an object whose calls are sequentially consistent, those on the objects of all keys together.
pub fn sequentially_consistent<S: Sequential>(object: S) -> Observer {
    Observer(Arc::new(Judge { property: Property::SequentiallyConsistent, object }))
}

struct Judge<S> {
    property: Property,
    object: S,
}

/// The calls so far, as far as they count for the future.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Calls<S: Sequential> {
    /// By key; without the objects that are as they began.
    Linearizable(Table<Told, Linearizable<S>>),
    SequentiallyConsistent(Consistent<Keyed<Told, S>>),
}

impl<S: Sequential> Calls<S> {
    fn call(process: &str, part: u32, number: u32) -> Call {
        Call { process: process.into(), part, number }
    }

    /// The open calls, with their keys.
    fn open(&self) -> Vec<(Call, Told, S::Operation)> {
        match self {
            Calls::Linearizable(objects) => {
                let each = objects.iter().flat_map(|(key, calls)| calls.open().map(move |open| (key, open)));
                each.map(|(key, (call, operation))| (call.clone(), key.clone(), operation.clone())).collect()
            }
            Calls::SequentiallyConsistent(calls) => {
                calls.open().map(|(call, (key, operation))| (call, key.clone(), operation.clone())).collect()
            }
        }
    }

    /// Changes the calls on the object of a key.
    fn change<R>(
        objects: &mut Table<Told, Linearizable<S>>,
        object: &S,
        key: &Told,
        change: impl FnOnce(&mut Linearizable<S>) -> R,
    ) -> R {
        let initial = Linearizable::new(object.clone());
        let mut calls = objects.get(key).unwrap_or(&initial).clone();
        let result = change(&mut calls);
        objects.put(key, (calls != initial).then_some(calls));
        result
    }

    fn invoked(&mut self, object: &S, call: Call, key: &Told, operation: S::Operation) {
        self.abandoned(object, &call);
        match self {
            Calls::Linearizable(objects) => {
                Self::change(objects, object, key, |calls| calls.invoked(call, operation));
            }
            Calls::SequentiallyConsistent(calls) => calls.invoked(call, (key.clone(), operation)),
        }
    }

    fn abandoned(&mut self, object: &S, call: &Call) {
        let Some((_, key, _)) = self.open().into_iter().find(|(open, ..)| open == call) else { return };
        match self {
            Calls::Linearizable(objects) => Self::change(objects, object, &key, |calls| calls.abandoned(call)),
            Calls::SequentiallyConsistent(calls) => calls.abandoned(call),
        }
    }

    fn returned(&mut self, object: &S, call: &Call, key: &Told, answer: &S::Answer) -> Result<(), Vec<S::Answer>> {
        match self {
            Calls::Linearizable(objects) => Self::change(objects, object, key, |calls| calls.returned(call, answer)),
            Calls::SequentiallyConsistent(calls) => calls.returned(call, answer),
        }
    }

    /// The calls in words: the states of the objects, and the calls that are open.
    fn in_words(&self) -> Vec<String> {
        let mut words = match self {
            Calls::Linearizable(objects) => {
                let states = |(key, calls): (&Told, &Linearizable<S>)| {
                    let mut each: Vec<String> = calls.objects().map(|object| format!("{object:?}")).collect();
                    each.sort();
                    each.dedup();
                    format!("{}{}", of_key(key, ": "), each.join(" or "))
                };
                objects.iter().map(states).collect::<Vec<_>>()
            }
            Calls::SequentiallyConsistent(calls) => vec![format!("{} calls", calls.calls())],
        };
        words.sort();
        let open = self.open().into_iter();
        let open = open.map(|(call, key, operation)| format!("{} by {}", shown_with(&key, &operation), call.process));
        let mut open: Vec<String> = open.collect();
        open.sort();
        if !open.is_empty() {
            words.push(format!("open: {}", open.join(", ")));
        }
        if words.is_empty() {
            words.push("as it began".to_owned());
        }
        // Alternatives of one monitor are told apart elsewhere; there is only one here.
        vec![words.join("; ")]
    }
}

/// A key in words, followed by something; nothing if it is `()`.
fn of_key(key: &Told, then: &str) -> String {
    if key.get::<()>().is_some() { String::new() } else { format!("{}{then}", key.text()) }
}

/// An operation with its key.
fn shown_with(key: &Told, operation: &impl fmt::Debug) -> String {
    format!("{}{operation:?}", of_key(key, ": "))
}

/// The name of a type without the paths to it.
fn short_name<T>() -> String {
    let mut name = String::new();
    for part in type_name::<T>().split_inclusive(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')) {
        name.push_str(part.rsplit("::").next().unwrap_or(part));
    }
    name
}

impl<S: Sequential> Judge<S> {
    fn calls(from: &At) -> &Calls<S> {
        let At::Calls(calls) = from else { unreachable!("a history is in no configurations") };
        calls.any().downcast_ref().expect("a monitor is shown its own values")
    }

    fn kept(calls: Calls<S>) -> At {
        At::Calls(Kept::new(calls))
    }

    /// A call returns an answer, or the user's mistake.
    fn concluded(&self, calls: &mut Calls<S>, call: &Call, conclusion: &Conclusion) -> Result<(), Refusal> {
        let Some((answer, line)) = &conclusion.answer else {
            calls.abandoned(&self.object, call);
            return Ok(());
        };
        let place = place(line);
        let Some(given) = answer.get::<S::Answer>() else {
            return Err(Refusal::Mistake(format!(
                "{} is told the answer {} of type {} at {place}, but its answers are of type {}\n  \
                 give `returned` a value of this type",
                short_name::<S>(),
                answer.text(),
                answer.type_name(),
                type_name::<S::Answer>(),
            )));
        };
        let Some((_, key, operation)) = calls.open().into_iter().find(|(open, ..)| open == call) else { return Ok(()) };
        let others = match calls.returned(&self.object, call, &key, given) {
            Ok(()) => return Ok(()),
            Err(others) => others,
        };
        let expected = match &others[..] {
            [] => "no answer".to_owned(),
            others => others.iter().map(|other| format!("{other:?}")).collect::<Vec<_>>().join(" or "),
        };
        let message = format!(
            "{} is not {}: {} by {} returned {given:?} at {place}\n  \
             no order of the calls explains this answer; it could have been {expected}",
            short_name::<S>(),
            self.property,
            shown_with(&key, &operation),
            call.process,
        );
        Err(Refusal::Unexplained(message))
    }
}

impl<S: Sequential> Observing for Judge<S> {
    fn name(&self) -> String {
        short_name::<S>()
    }

    fn is_timed(&self) -> bool {
        false
    }

    fn judges_ends(&self) -> bool {
        false
    }

    fn initial(&self) -> At {
        Self::kept(match self.property {
            Property::Linearizable => Calls::Linearizable(Table::default()),
            Property::SequentiallyConsistent => {
                Calls::SequentiallyConsistent(Consistent::new(Keyed::new(self.object.clone())))
            }
        })
    }

    fn observes(&self, seen: &Seen<'_>) -> bool {
        match seen {
            Seen::Invoked { invocation, .. } => invocation.operation.get::<S::Operation>().is_some(),
            Seen::Returned { conclusion, .. } | Seen::Abandoned { conclusion, .. } => {
                conclusion.of == TypeId::of::<S::Operation>()
            }
            _ => false,
        }
    }

    fn step(&self, from: &At, seen: &Seen<'_>) -> Option<Result<At, Refusal>> {
        if !self.observes(seen) {
            return None;
        }
        let mut calls = Self::calls(from).clone();
        let told = match *seen {
            Seen::Invoked { process, part, invocation: Invocation { number, key, operation }, .. } => {
                let call = Calls::<S>::call(process, part, *number);
                calls.invoked(&self.object, call, key, operation.get::<S::Operation>()?.clone());
                Ok(())
            }
            Seen::Returned { process, part, conclusion, .. } | Seen::Abandoned { process, part, conclusion } => {
                self.concluded(&mut calls, &Calls::<S>::call(process, part, conclusion.number), conclusion)
            }
            _ => return None,
        };
        Some(told.map(|()| Self::kept(calls)))
    }

    fn pass(&self, from: &At, _: Duration) -> Result<At, Refusal> {
        Ok(from.clone())
    }

    fn step_marked(&self, _: &Configurations, _: &Seen<'_>, _: &[bool]) -> Option<Result<Marked, Question>> {
        unreachable!("a history has no clocks")
    }

    fn pass_marked(&self, _: &Configurations, _: &[bool]) -> Result<Marked, Question> {
        unreachable!("a history has no clocks")
    }

    fn end(&self, _: &At) -> Result<(), Rejection> {
        Ok(())
    }

    fn describe(&self, at: &At) -> Vec<String> {
        Self::calls(at).in_words()
    }

    fn drawing(&self) -> Option<Drawing> {
        None
    }

    fn story(&self, events: &[Event]) -> Option<Story> {
        let mut made: Vec<Made<S>> = Vec::new();
        let mut at = self.initial();
        for (now, event) in events.iter().enumerate() {
            let Some(told) = event.shown(|seen| self.step(&at, seen)) else { continue };
            let is_open = |made: &Made<S>| made.over.is_none() && made.call == event.call();
            let open = made.iter().position(is_open);
            match event {
                Event::Invoked { invocation, step, .. } => {
                    if let Some(operation) = invocation.operation.get::<S::Operation>() {
                        // A call whose number is used again is abandoned.
                        open.into_iter().for_each(|open| made[open].over = Some((now, *step, None)));
                        let key = invocation.key.clone();
                        let began = (now, *step);
                        made.push(Made { call: event.call(), key, operation: operation.clone(), began, over: None });
                    }
                }
                Event::Concluded { conclusion, step, .. } => {
                    if let Some(open) = open.filter(|_| conclusion.of == TypeId::of::<S::Operation>()) {
                        let answer = conclusion.answer.as_ref().and_then(|(answer, _)| answer.get::<S::Answer>());
                        made[open].over = Some((now, *step, answer.cloned()));
                        if let Err(Refusal::Unexplained(_)) = told {
                            return Some(self.told(&made, open));
                        }
                    }
                }
            }
            if let Ok(after) = told {
                at = after;
            }
        }
        None
    }
}

/// A call of an execution.
struct Made<S: Sequential> {
    call: Call,
    key: Told,
    operation: S::Operation,
    /// The number of the event, and that of the step.
    began: (usize, usize),
    /// The same, and the answer if there is one.
    over: Option<(usize, usize, Option<S::Answer>)>,
}

impl<S: Sequential> Judge<S> {
    /// An execution whose last call to return is not explained.
    fn told(&self, made: &[Made<S>], unexplained: usize) -> Story {
        let is_linearizable = self.property == Property::Linearizable;
        let shown: Vec<usize> =
            (0..made.len()).filter(|&call| !is_linearizable || made[call].key == made[unexplained].key).collect();
        let answer = |call: usize| made[call].over.as_ref().and_then(|(_, _, answer)| answer.clone());
        let comes_before = |before: usize, call: usize| {
            let counts = is_linearizable || made[before].call.process == made[call].call.process;
            let returned = made[before].over.as_ref().filter(|(_, _, answer)| answer.is_some());
            counts && returned.is_some_and(|(returned, ..)| *returned < made[call].began.0)
        };
        let recorded: Vec<_> = shown
            .iter()
            .map(|&call| Recorded {
                operation: (made[call].key.clone(), made[call].operation.clone()),
                answer: answer(call).filter(|_| call != unexplained),
                after: (0..shown.len()).filter(|&before| comes_before(shown[before], call)).collect(),
            })
            .collect();
        let lane = |&call: &usize| {
            let Made { call: Call { process, .. }, key, operation, began, over } = &made[call];
            Lane {
                process: process.to_string(),
                operation: shown_with(key, operation),
                answer: answer(call).map(|answer| format!("{answer:?}")),
                began: *began,
                over: over.as_ref().map(|(now, step, _)| (*now, *step)),
            }
        };
        Story {
            object: short_name::<S>(),
            property: self.property.to_string(),
            calls: shown.iter().map(lane).collect(),
            unexplained: shown.iter().position(|&call| call == unexplained).expect("it is shown"),
            order: find_order(&Keyed::new(self.object.clone()), &recorded).unwrap_or_default(),
        }
    }
}
