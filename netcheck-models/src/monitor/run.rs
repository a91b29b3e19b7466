//! A monitor that is told events and instants one by one.

use super::automaton::{Monitor, Placed, State};
use super::guard::{nanoseconds, shown};
use super::readings::{Exact, Question, Readings};
use super::rejection::{Cause, Declared, Rejection};
use core::time::Duration;
use std::collections::BTreeSet;
use std::fmt;

/// Where a monitor may be: a set of configurations, each a state with values of the variables and readings of the
/// clocks. A reading beyond everything that its clock is compared with is not told from a longer one, so a monitor has
/// finitely many sets. Equal sets accept the same futures.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Configurations(pub(super) BTreeSet<Configuration>);

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Configuration {
    pub(super) state: usize,
    pub(super) values: Vec<i64>,
    /// In nanoseconds; in dense time the names of [`marks`](super::marks).
    pub(super) readings: Vec<u64>,
}

/// The invariant of readings that are numbers.
const NUMBERS: &str = "readings that are numbers leave no question";

impl<E: fmt::Debug> Monitor<E> {
    /// Where the monitor begins.
    #[must_use]
    pub fn initial(&self) -> Configurations {
        let readings = vec![0; self.clocks.len()];
        Configurations(BTreeSet::from([Configuration { state: 0, values: self.initial_values.clone(), readings }]))
    }

    /// Where the monitor may be after some time without an event.
    ///
    /// # Errors
    ///
    /// If that passes the deadline of each configuration.
    pub fn pass(&self, from: &Configurations, elapsed: Duration) -> Result<Configurations, Rejection> {
        let elapsed = nanoseconds(elapsed);
        let later = from.0.iter().map(|one| {
            let cap = |(reading, longest): (&u64, &u64)| reading.saturating_add(elapsed).min(longest.saturating_add(1));
            let readings = one.readings.iter().zip(&self.longest_ns).map(cap).collect();
            Configuration { readings, ..one.clone() }
        });
        let is_in_time = |one: &Configuration| self.is_in_time(one.state, &one.readings, &mut Exact).expect(NUMBERS);
        let kept: BTreeSet<Configuration> = later.filter(is_in_time).collect();
        if kept.is_empty() { Err(self.late(from)) } else { Ok(Configurations(kept)) }
    }

    /// The rejection because each configuration had to be left.
    pub(super) fn late(&self, from: &Configurations) -> Rejection {
        let expected = from.0.iter().map(|one| {
            let deadlines = self.states[one.state].deadlines.iter();
            let deadlines = deadlines.map(|(clock, most)| format!("{} <= {}", self.clocks[*clock], shown(*most)));
            let rules = self.rules_from(one.state).map(|(_, placed)| self.line(placed, None));
            let title = format!(
                "{} must be left while {}",
                self.words(one.state, &one.values),
                deadlines.collect::<Vec<_>>().join(" and ")
            );
            (title, rules.collect())
        });
        Rejection::new(&self.name, Cause::Deadline, expected.collect())
    }

    /// Where the monitor may be after an event.
    ///
    /// # Errors
    ///
    /// If no configuration has a rule that takes the event.
    pub fn step(&self, from: &Configurations, event: &E) -> Result<Configurations, Rejection> {
        self.stepped(from, event, &mut Exact).expect(NUMBERS)
    }

    /// As [`Monitor::step`], with readings of any kind.
    pub(super) fn stepped<R: Readings>(
        &self,
        from: &Configurations,
        event: &E,
        readings: &mut R,
    ) -> Result<Result<Configurations, Rejection>, Question> {
        if !self.observes(event) {
            return Ok(Ok(from.clone()));
        }
        let mut next = BTreeSet::new();
        for one in &from.0 {
            self.next_of(one, event, readings, &mut next)?;
        }
        if !next.is_empty() {
            return Ok(Ok(Configurations(next)));
        }
        let mut expected = Vec::new();
        for one in &from.0 {
            let mut rules = Vec::new();
            for (_, placed) in self.rules_from(one.state) {
                let why = self.why_not(placed, one, event, readings)?;
                rules.push(self.line(placed, Some(why)));
            }
            expected.push((self.words(one.state, &one.values), rules));
        }
        Ok(Err(Rejection::new(&self.name, Cause::Event(format!("{event:?}")), expected)))
    }

    /// Accepts an end here.
    ///
    /// # Errors
    ///
    /// If the monitor has accepting states and is in none of them, or is in hot ones alone.
    pub fn end(&self, from: &Configurations) -> Result<(), Rejection> {
        let may_end = |state: &State| !state.hot && (!self.has_accepting || state.accepting);
        if from.0.iter().any(|one| may_end(&self.states[one.state])) {
            return Ok(());
        }
        let expected = from.0.iter().map(|one| {
            let rules = self.rules_from(one.state).map(|(_, placed)| self.line(placed, None));
            let why = if self.states[one.state].hot { "has to be left" } else { "is not accepting" };
            (format!("{} {why}", self.words(one.state, &one.values)), rules.collect())
        });
        Err(Rejection::new(&self.name, Cause::End, expected.collect()))
    }

    /// Whether the monitor is in hot states alone: to stay there for ever is a violation.
    #[must_use]
    pub fn is_hot(&self, configurations: &Configurations) -> bool {
        !configurations.0.is_empty() && configurations.0.iter().all(|one| self.states[one.state].hot)
    }

    /// The states in which the monitor may be, with the values of variables, in words.
    #[must_use]
    pub fn describe(&self, configurations: &Configurations) -> Vec<String> {
        let words: BTreeSet<String> = configurations.0.iter().map(|one| self.words(one.state, &one.values)).collect();
        words.into_iter().collect()
    }

    /// Adds where a configuration may lead with an event.
    fn next_of<R: Readings>(
        &self,
        one: &Configuration,
        event: &E,
        asked: &mut R,
        next: &mut BTreeSet<Configuration>,
    ) -> Result<(), Question> {
        for taken in self.moves(one.state, &one.values, event) {
            if !taken.window.takes(&one.readings, asked)? {
                continue;
            }
            let placed = &self.rules[taken.rule];
            let mut readings = one.readings.clone();
            placed.resets.iter().for_each(|&clock| readings[clock] = R::RESET);
            if self.is_in_time(placed.to, &readings, asked)? {
                next.insert(Configuration { state: placed.to, values: taken.values, readings });
            }
        }
        Ok(())
    }

    /// A rule with its source line, and, after an event, why the rule does not take it.
    fn line(&self, placed: &Placed<E>, why: Option<String>) -> Declared {
        let why = why.map_or(String::new(), |why| format!(": {why}"));
        let to = &self.states[placed.to].name;
        let rule = format!("{} leads to `{to}` ({}:{}){why}", placed.words(), placed.line.file(), placed.line.line());
        (rule, placed.line)
    }

    fn why_not<R: Readings>(
        &self,
        placed: &Placed<E>,
        one: &Configuration,
        event: &E,
        asked: &mut R,
    ) -> Result<String, Question> {
        if !(placed.rule.pattern)(event) {
            return Ok("it is another event".to_owned());
        }
        if self.assigned(placed, &one.values, event).is_none() {
            return Ok("a variable would leave its domain".to_owned());
        }
        let windows = placed.rule.guard.windows(&self.clocks, event, &self.values(&one.values));
        for window in &windows {
            if window.takes(&one.readings, asked)? {
                return Ok(format!("the deadline of `{}` has passed already", self.states[placed.to].name));
            }
        }
        if windows.is_empty() {
            return Ok("its condition does not hold".to_owned());
        }
        let clocks = self.clocks.iter().zip(&one.readings).zip(&self.longest_ns);
        let clocks =
            clocks.map(|((clock, &reading), &longest)| format!("{clock} reads {}", asked.in_words(reading, longest)));
        Ok(clocks.collect::<Vec<_>>().join(", "))
    }
}

/// A monitor with its present configurations and the present instant.
#[derive(Debug)]
pub struct Run<'a, E> {
    monitor: &'a Monitor<E>,
    configurations: Configurations,
    now_ns: u64,
}

impl<'a, E: fmt::Debug> Run<'a, E> {
    /// A run that begins at this instant: its clocks read zero then.
    #[must_use]
    pub fn new(monitor: &'a Monitor<E>, start: Duration) -> Self {
        Run { monitor, configurations: monitor.initial(), now_ns: nanoseconds(start) }
    }

    /// Lets time pass up to an instant.
    ///
    /// # Errors
    ///
    /// If that passes the deadline of each configuration. The run stays as it was.
    ///
    /// # Panics
    ///
    /// If the instant lies before the present one.
    pub fn pass(&mut self, to: Duration) -> Result<(), Rejection> {
        let to_ns = nanoseconds(to);
        let elapsed = to_ns.checked_sub(self.now_ns).expect("instants of a run do not go back");
        self.configurations = self.monitor.pass(&self.configurations, Duration::from_nanos(elapsed))?;
        self.now_ns = to_ns;
        Ok(())
    }

    /// Takes an event at an instant.
    ///
    /// # Errors
    ///
    /// If the monitor rejects it, or the time that passes before it.
    ///
    /// # Panics
    ///
    /// If the instant lies before the present one.
    pub fn step(&mut self, event: &E, at: Duration) -> Result<(), Rejection> {
        self.pass(at)?;
        self.configurations = self.monitor.step(&self.configurations, event)?;
        Ok(())
    }

    /// Ends the run at an instant.
    ///
    /// # Errors
    ///
    /// If a deadline passes before, or no accepting state is reached.
    ///
    /// # Panics
    ///
    /// If the instant lies before the present one.
    pub fn finish(mut self, at: Duration) -> Result<(), Rejection> {
        self.pass(at)?;
        self.monitor.end(&self.configurations)
    }

    /// Where the monitor may be now.
    #[must_use]
    pub fn configurations(&self) -> &Configurations {
        &self.configurations
    }
}
