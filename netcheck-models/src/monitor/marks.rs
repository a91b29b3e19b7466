//! A monitor in dense time, where the time since a reset is no number.
//!
//! A *mark* is an instant at which clocks were reset, or the start. In place of a reading a configuration names the mark
//! since which its clock has run, so the set of configurations is finite however time passes; where the marks may lie is
//! the matter of a zone, which the caller keeps. Marks are numbered by their age, from 0 for the oldest one.
//!
//! Whether a rule may be taken depends on the zone. So the monitor goes on as far as it can, and then asks a
//! [`Question`]. The caller looks into the zone, and calls again with one more answer; where the zone allows both
//! answers, it splits the zone and goes on in either part. A call depends on nothing but its arguments, so its result can
//! be kept by the configurations, the event and the answers.

use super::automaton::Monitor;
use super::guard::shown;
use super::readings::{Asked, Question, Readings};
use super::rejection::Rejection;
use super::run::{Configuration, Configurations};
use std::collections::BTreeSet;
use std::fmt;

/// A clock that reads more than all that it is compared with.
const BEYOND: u64 = u64::MAX;

/// The mark of a clock that is reset now, until it gets its number. Younger than all others.
const NOW: u64 = u64::MAX - 1;

/// Where a monitor goes in dense time.
#[derive(Clone, Debug)]
pub struct Marked {
    /// Where the monitor may be then.
    pub to: Result<Configurations, Rejection>,
    /// For each mark of `to`: the mark that it was before, or `None` if it is now.
    pub marks: Vec<Option<u32>>,
}

impl<E: fmt::Debug> Monitor<E> {
    /// Where the monitor may be after some time without an event: [`Monitor::pass`] in dense time. In the initial
    /// configurations, all clocks have run since mark 0.
    ///
    /// # Errors
    ///
    /// The next question, if that depends on more than these answers.
    pub fn pass_marked(&self, from: &Configurations, answers: &[bool]) -> Result<Marked, Question> {
        let mut given = Given::new(answers);
        let mut kept = BTreeSet::new();
        for one in &from.0 {
            if self.is_in_time(one.state, &one.readings, &mut given)? {
                kept.insert(one.clone());
            }
        }
        if kept.is_empty() {
            return Ok(Marked { to: Err(self.late(from)), marks: Vec::new() });
        }
        let mut aged = BTreeSet::new();
        for mut one in kept {
            for (reading, longest_ns) in one.readings.iter_mut().zip(&self.longest_ns) {
                if given.is_surely_more(*reading, *longest_ns)? {
                    *reading = BEYOND;
                }
            }
            aged.insert(one);
        }
        Ok(numbered(aged, false))
    }

    /// Where the monitor may be after an event: [`Monitor::step`] in dense time.
    ///
    /// # Errors
    ///
    /// The next question, if that depends on more than these answers.
    pub fn step_marked(&self, from: &Configurations, event: &E, answers: &[bool]) -> Result<Marked, Question> {
        let mut given = Given::new(answers);
        let to = self.stepped(from, event, &mut given)?;
        let Ok(Configurations(next)) = to else { return Ok(Marked { to, marks: Vec::new() }) };
        let marks = || next.iter().flat_map(|one| &one.readings).copied();
        // A clock that is reset twice at one instant runs since one mark.
        let youngest = marks().filter(|mark| *mark < NOW).max();
        let is_now = match youngest {
            Some(mark) if marks().any(|mark| mark == NOW) => given.ask(mark, 0, Asked::IsSurelyAtMost)?,
            _ => false,
        };
        Ok(numbered(next, is_now))
    }
}

/// The configurations with their marks numbered by age. With `is_now`, the youngest mark is that of now.
fn numbered(configurations: BTreeSet<Configuration>, is_now: bool) -> Marked {
    let used: BTreeSet<u64> = configurations.iter().flat_map(|one| &one.readings).copied().collect();
    let mut before: Vec<u64> = used.into_iter().filter(|mark| *mark != BEYOND).collect();
    if is_now {
        before.pop();
    }
    let number = |mark: u64| match before.binary_search(&mark) {
        Ok(number) => number as u64,
        Err(_) if mark == BEYOND => BEYOND,
        Err(after_all) => after_all as u64 - 1,
    };
    let renumbered = configurations.into_iter().map(|mut one| {
        one.readings.iter_mut().for_each(|mark| *mark = number(*mark));
        one
    });
    let to = Ok(Configurations(renumbered.collect()));
    Marked { to, marks: before.iter().map(|&mark| (mark != NOW).then_some(mark as u32)).collect() }
}

/// The answers that were given, and what they say about the time since each mark.
struct Given<'a> {
    answers: std::slice::Iter<'a, bool>,
    /// The age of a mark: more than so many nanoseconds, and at most so many.
    known: Vec<(u64, Option<u64>, Option<u64>)>,
}

impl<'a> Given<'a> {
    fn new(answers: &'a [bool]) -> Self {
        Given { answers: answers.iter(), known: Vec::new() }
    }

    fn ask(&mut self, mark: u64, ns: u64, asked: Asked) -> Result<bool, Question> {
        let question = Question { mark: mark as u32, ns, asked };
        let answer = *self.answers.next().ok_or(question)?;
        if asked == Asked::IsAtMost {
            let index = self.known.iter().position(|(known, ..)| *known == mark).unwrap_or(self.known.len());
            if index == self.known.len() {
                self.known.push((mark, None, None));
            }
            let (_, more_than, most) = &mut self.known[index];
            match answer {
                true => *most = Some(most.map_or(ns, |known| known.min(ns))),
                false => *more_than = Some(more_than.map_or(ns, |known| known.max(ns))),
            }
        }
        Ok(answer)
    }

    fn is_surely_more(&mut self, mark: u64, ns: u64) -> Result<bool, Question> {
        if mark >= NOW { Ok(mark == BEYOND) } else { self.ask(mark, ns, Asked::IsSurelyMore) }
    }
}

impl Readings for Given<'_> {
    fn is_at_most(&mut self, mark: u64, most_ns: u64) -> Result<bool, Question> {
        match mark {
            BEYOND => Ok(most_ns == u64::MAX),
            NOW => Ok(true),
            mark => self.ask(mark, most_ns, Asked::IsAtMost),
        }
    }

    fn in_words(&self, mark: u64, longest_ns: u64) -> String {
        match (mark, self.known.iter().find(|(known, ..)| *known == mark)) {
            (NOW, _) => shown(0),
            (_, Some((_, Some(before), Some(most)))) => format!("{} and {}", more_than(*before), at_most(*most)),
            (_, Some((_, Some(before), None))) => more_than(*before),
            (_, Some((_, None, Some(most)))) => at_most(*most),
            (BEYOND, _) => format!("more than {}", shown(longest_ns)),
            _ => "any time".to_owned(),
        }
    }

    const RESET: u64 = NOW;
}

/// "At least" is kept as the negation of a bound that lies one nanosecond before, and "less than" as such a bound.
fn more_than(ns: u64) -> String {
    match ns.checked_add(1) {
        Some(least) if least.is_multiple_of(1000) => format!("at least {}", shown(least)),
        _ => format!("more than {}", shown(ns)),
    }
}

fn at_most(ns: u64) -> String {
    match ns.checked_add(1) {
        Some(before) if before.is_multiple_of(1000) => format!("less than {}", shown(before)),
        _ => format!("at most {}", shown(ns)),
    }
}
