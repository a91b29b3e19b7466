//! A counterexample as text.
//!
//! Without colours and source lines it is the same on every machine.

use crate::printable::printable;
use crate::trace::counterexample::Counterexample;
use crate::trace::cut::around;
use crate::trace::fold::{asides, is_told_by_the_other, repeated};
use crate::trace::relation::{is_related, related};
use crate::trace::step::{Doing, Kind, Step, Timing, length};
use anstyle::{AnsiColor, Style};
use std::fmt;

const BAD: Style = AnsiColor::Red.on_default().bold();
const ODD: Style = AnsiColor::Yellow.on_default().bold();
const WHO: Style = AnsiColor::Cyan.on_default();
const ASIDE: Style = Style::new().dimmed();

/// The remark on an execution that may not be the least one.
pub(crate) const NOT_LEAST: &str =
    "there may be an execution with fewer faults, steps or context switches: the search for it was given up";

impl fmt::Display for Counterexample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = Text { counterexample: self, has_sources: f.alternate(), is_colored: false };
        write!(f, "{}{}", text.header(), text.steps())
    }
}

impl Counterexample {
    /// As `Display` shows it, but without the numbers of source lines: it stays the same where lines are added or removed
    /// above a program, so that it can be pinned. `#[model_check(expect = …, snapshot)]` pins it.
    pub fn without_lines(&self) -> String {
        without_lines(&self.to_string())
    }
}

/// A text in which `file.rs:12:3` has become `file.rs`.
fn without_lines(text: &str) -> String {
    let mut parts = text.split(".rs:");
    let mut without = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match after_number(part) {
            None => without.extend([".rs:", part]),
            Some(rest) => without.extend([".rs", rest.strip_prefix(':').and_then(after_number).unwrap_or(rest)]),
        }
    }
    without
}

fn after_number(text: &str) -> Option<&str> {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    (rest.len() < text.len()).then_some(rest)
}

/// How a counterexample is to be shown.
pub(crate) struct Text<'a> {
    pub(crate) counterexample: &'a Counterexample,
    pub(crate) has_sources: bool,
    pub(crate) is_colored: bool,
}

impl Text<'_> {
    /// The violated property, and the declared faults.
    pub(crate) fn header(&self) -> String {
        let kind = self.paint(BAD, &self.counterexample.kind().to_string());
        let mut text = format!("{kind}: {}\n", printable(self.counterexample.message()));
        if let Some(faults) = self.counterexample.faults() {
            let faults = if faults.is_empty() { "none" } else { faults };
            text.push_str(&self.line("faults", faults));
        }
        if self.counterexample.may_not_be_least() {
            let when = self.counterexample.gave_up().map(|when| format!(" {when}")).unwrap_or_default();
            text.push_str(&self.line("note", &format!("{NOT_LEAST}{when}")));
        }
        if let Some(history) = self.counterexample.history() {
            text.push_str(&self.line("calls", &format!("on {}, which is not {}", history.object, history.property)));
            for line in history.lines() {
                text.push_str(&format!("  {}\n", printable(&line)));
            }
        }
        text
    }

    /// A line of the header.
    pub(crate) fn line(&self, name: &str, value: &str) -> String {
        format!("{} {}\n", self.paint(ASIDE, &format!("{name}:")), printable(value))
    }

    /// The steps; those of processes that are unrelated to the violation are counted only, as are repeated ones, and asides
    /// stand below the steps that they are told with.
    pub(crate) fn steps(&self) -> String {
        let steps = self.counterexample.steps();
        let told_with = asides(steps);
        let asides_of = |number| -> Vec<usize> {
            (1..).zip(&told_with).filter(|(_, with)| **with == Some(number)).map(|(aside, _)| aside).collect()
        };
        let related = related(steps, self.counterexample.units());
        let is_shown = |step: &Step| is_related(step, related.as_ref());
        let columns = Columns::of(steps.len(), steps.iter().filter(|step| is_shown(step)));
        let repeated = repeated(steps, &told_with);
        let loop_from = self.counterexample.loop_from().unwrap_or(steps.len());
        let told = |(index, (step, &is_repeated)): (usize, (&Step, &bool))| match is_shown(step) {
            true if is_repeated && index < loop_from => Told::Repeated,
            true => Told::Whole,
            false => Told::Counted,
        };
        let told: Vec<Told> = steps.iter().zip(&repeated).enumerate().map(told).collect();
        let mut text = String::new();
        let mut number = 1;
        let (stem, repeated) = told.split_at(loop_from.min(told.len()));
        for run in stem.chunk_by(|a, b| a == b).chain(repeated.chunk_by(|a, b| a == b)) {
            if number == loop_from + 1 {
                text.push_str(&format!("{}\n", self.paint(BAD, "then for ever:")));
            }
            let of_run = &steps[number - 1..number - 1 + run.len()];
            let again = if run[0] == Told::Repeated { " again" } else { "" };
            if run[0] == Told::Whole {
                for (number, step) in (number..).zip(of_run).filter(|(number, _)| told_with[number - 1].is_none()) {
                    text.push_str(&self.step(number, step, columns, &asides_of(number)));
                }
            } else {
                let folded = format!("{:>width$}  {}{again}", "…", folded(of_run), width = columns.number + 1);
                text.push_str(&format!("{}\n", self.paint(ASIDE, &folded)));
            }
            number += run.len();
        }
        text
    }

    /// One step among all of them, as it reads now.
    pub(crate) fn step_alone(&self, number: usize, step: &Step) -> String {
        let steps = self.counterexample.steps();
        self.step(number, step, Columns::of(steps.len(), steps.iter()), &[])
    }

    /// The words of a step; a long payload is cut around what differs from the one before by the same process to the same.
    fn what(&self, number: usize, step: &Step) -> String {
        let is_before = |other: &&Step| {
            (&other.process, &other.peer, other.kind) == (&step.process, &step.peer, step.kind)
                && other.payload.is_some()
        };
        let before = self.counterexample.steps()[..number - 1].iter().rev().find(is_before);
        let payloads = step.payload.as_ref().zip(before.and_then(|before| before.payload.as_ref()));
        let cut = payloads.and_then(|(payload, before)| around(&step.what(), payload, before));
        cut.unwrap_or_else(|| step.what())
    }

    fn step(&self, number: usize, step: &Step, columns: Columns, asides: &[usize]) -> String {
        let who = self.paint(WHO, &format!("{:<width$}", printable(&step.who()), width = columns.who));
        let mut text = format!("{number:>width$}. ", width = columns.number);
        if columns.instant > 0 {
            let at = step.timing.as_ref().map(Timing::at).unwrap_or_default();
            text.push_str(&self.paint(ASIDE, &format!("{at:>width$}  ", width = columns.instant)));
        }
        text.push_str(&format!("{who}  {}", printable(&self.what(number, step))));
        if !step.arrived.is_empty() {
            let numbers: String = step.arrived.iter().map(|number| format!(" #{number}")).collect();
            text.push_str(&self.paint(ASIDE, &format!(" ←{numbers}")));
        }
        if let Some(took) = self.took(step) {
            text.push_str(&self.paint(ASIDE, &format!("  {took}")));
        }
        if let Some(place) = step.place() {
            text.push_str(&self.paint(ASIDE, &format!("  ({place})")));
        }
        text.push('\n');
        let mut below = |style: Style, line: &str| {
            let instant = if columns.instant > 0 { columns.instant + 2 } else { 0 };
            let indent = columns.number + instant + columns.who + 4;
            text.push_str(&format!("{:indent$}{}\n", "", self.paint(style, line)));
        };
        if let Some(source) = step.source.as_ref().filter(|_| self.has_sources && self.has_moved(number, step, asides))
        {
            below(ASIDE, &format!("| {source}"));
        }
        let steps = self.counterexample.steps();
        let said = asides.iter().filter(|aside| !is_told_by_the_other(&steps[*aside - 1]));
        let mut told: Vec<(String, String)> = Vec::new();
        for aside in said {
            let what = steps[aside - 1].what();
            match told.last_mut().filter(|(_, last)| *last == what) {
                Some((numbers, _)) => numbers.push_str(&format!(", #{aside}")),
                None => told.push((format!("#{aside}"), what)),
            }
        }
        if !told.is_empty() {
            let each = told.iter().map(|(numbers, what)| format!("{numbers} {what}")).collect::<Vec<_>>();
            below(ASIDE, &format!("+ {}", each.join(", ")));
        }
        for remark in asides.iter().flat_map(|aside| &steps[aside - 1].remarks).chain(&step.remarks) {
            below(ASIDE, &format!("* {remark}"));
        }
        for doing in &step.network {
            let style = match doing {
                Doing::Duplicated { .. } | Doing::Overtook { .. } => ODD,
                _ => BAD,
            };
            below(style, &doing.to_string());
        }
        if step.is_crash() {
            let instant = if columns.instant > 0 { columns.instant + 2 } else { 0 };
            let line = format!("{}  {}", "╌".repeat(columns.who), self.down(number, step));
            text.push_str(&format!(
                "{:indent$}{}\n",
                "",
                self.paint(ASIDE, &line),
                indent = columns.number + 2 + instant
            ));
        }
        text
    }

    /// How long the process is down that crashes with a step: its next incarnation begins beneath.
    fn down(&self, number: usize, crash: &Step) -> String {
        let is_start = |step: &Step| step.is_restart() && step.process == crash.process;
        match self.counterexample.steps()[number..].iter().position(is_start) {
            Some(further) => format!("down until #{}", number + 1 + further),
            None => "down to the end".to_owned(),
        }
    }

    /// Whether the task's step that is shown before this one was at another source line.
    fn has_moved(&self, number: usize, step: &Step, asides: &[usize]) -> bool {
        let mut before = (1..number).rev().filter(|number| !asides.contains(number));
        let its_last = before.find_map(|number| {
            let other = &self.counterexample.steps()[number - 1];
            ((&other.process, other.task) == (&step.process, step.task)).then_some(other)
        });
        its_last.is_none_or(|last| last.location != step.location)
    }

    /// How long what arrives with a step was under way, and when else it could arrive.
    fn took(&self, step: &Step) -> Option<String> {
        let steps = self.counterexample.steps();
        let timing = step.timing.as_ref()?;
        let sent = step.arrived.last().and_then(|number| steps.get(number - 1))?.timing.as_ref()?;
        // A datagram that lies in a buffer has arrived before.
        let is_arrival = step.kind == Kind::Network || !steps.iter().any(is_delivery);
        let took = length(timing.at_ns - sent.at_ns);
        let range = timing.range().map(|range| format!(", {range}")).unwrap_or_default();
        is_arrival.then(|| format!("took {took}{range}"))
    }

    /// The text in a style, whose escape sequences are the only ones.
    fn paint(&self, style: Style, text: &str) -> String {
        let text = printable(text);
        if self.is_colored { format!("{style}{text}{style:#}") } else { text.into_owned() }
    }
}

/// Whether the network delivers a datagram with a step of its own.
fn is_delivery(step: &Step) -> bool {
    step.kind == Kind::Network && !step.arrived.is_empty()
}

/// How wide the columns are, in characters.
#[derive(Clone, Copy)]
struct Columns {
    number: usize,
    /// 0 without instants.
    instant: usize,
    who: usize,
}

impl Columns {
    fn of<'a>(count: usize, shown: impl Iterator<Item = &'a Step>) -> Self {
        let mut columns = Columns { number: count.to_string().len(), instant: 0, who: 0 };
        for step in shown {
            columns.who = columns.who.max(printable(&step.who()).chars().count());
            columns.instant = columns.instant.max(step.timing.as_ref().map_or(0, |timing| timing.at().len()));
        }
        columns
    }
}

/// How a step is told.
#[derive(Clone, Copy, PartialEq)]
enum Told {
    Whole,
    /// It has nothing to do with the violation.
    Counted,
    Repeated,
}

/// How many steps each process takes, in the order of their first ones.
fn folded(steps: &[Step]) -> String {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for step in steps {
        match counts.iter_mut().find(|(process, _)| *process == step.process) {
            Some((_, count)) => *count += 1,
            None => counts.push((&step.process, 1)),
        }
    }
    let each = counts.iter().map(|(process, count)| match count {
        1 => format!("1 step of {process}"),
        count => format!("{count} steps of {process}"),
    });
    each.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::without_lines;

    #[test]
    fn numbers_of_source_lines_are_left_out() {
        let known = [
            ("a panicked at src/main.rs:12: it failed", "a panicked at src/main.rs: it failed"),
            ("1. a  start  (src/a.rs:3)\n2. b  (b.rs:45:6)", "1. a  start  (src/a.rs)\n2. b  (b.rs)"),
            ("main.rs: 3, a.rs:b, server:4000", "main.rs: 3, a.rs:b, server:4000"),
        ];
        for (text, expected) in known {
            assert_eq!(without_lines(text), expected);
        }
    }
}
