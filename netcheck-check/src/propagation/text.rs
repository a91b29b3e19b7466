//! Error propagation as a table. The same on every machine.

use super::{Effect, Ending, Mode, Propagation, Reference, Row};
use crate::trace::chart::shortened;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Characters of a value, a panic, or what is waited for, that are shown.
const TEXT_CHARS_MAX: usize = 100;

/// The whole table.
pub(super) fn table(of: &Propagation) -> String {
    let mut text = format!("error propagation under {}\n", or_none(&of.faults));
    if let Some(limit) = &of.limit {
        line(&mut text, format_args!("INCOMPLETE: {limit}"));
    }
    line(&mut text, format_args!("\nwithout faults"));
    let lines = of.reference.iter().flat_map(|process| {
        let endings = process.endings.iter().map(|ending| reference(process, ending));
        endings.map(|ending| [process.name.clone(), ending])
    });
    columns(&mut text, lines.map(Vec::from).collect());
    if !of.rows.is_empty() {
        line(&mut text, format_args!("\nafter a fault"));
        columns(&mut text, matrix(of));
        seen(&mut text, of);
    }
    line(&mut text, format_args!("\n{}", totals(of)));
    text
}

fn reference(process: &Reference, ending: &Ending) -> String {
    match ending {
        Ending::Output(value) => shown(value),
        Ending::Panicked(panic) => format!("PANICS already: {}", shown(panic)),
        Ending::Waits(_) if process.daemon => "waits".to_owned(),
        Ending::Waits(what) => format!("never ends already: {}", shown(what)),
        Ending::Blocked(what) => format!("DEADLOCKS already: {}", shown(what)),
    }
}

/// A line for each fault, a column for each process.
fn matrix(of: &Propagation) -> Vec<Vec<String>> {
    let names = of.reference.iter().map(|process| process.name.clone());
    let heads = ["#", "fault", "masked"].map(str::to_owned).into_iter().chain(names);
    let mut lines = vec![heads.collect::<Vec<_>>()];
    for (number, row) in (1..).zip(&of.rows) {
        let cells = of.reference.iter().map(|process| cell(row, &process.name));
        let first = [number.to_string(), row.fault.to_string(), masked(row)];
        lines.push(first.into_iter().chain(cells).collect());
    }
    lines
}

fn masked(row: &Row) -> String {
    match (row.masked, row.correct_ends, row.ends) {
        (true, ..) => "yes".to_owned(),
        (_, _, 0) => "no end".to_owned(),
        (_, 0, _) => "no".to_owned(),
        (_, correct, ends) => format!("in {correct} of {ends} ends"),
    }
}

fn cell(row: &Row, process: &str) -> String {
    let modes: Vec<String> = row.modes(process).map(|mode| mode.to_string()).collect();
    if modes.is_empty() { "-".to_owned() } else { modes.join(", ") }
}

/// All effects, in full.
fn seen(text: &mut String, of: &Propagation) {
    let lines = (1..).zip(&of.rows).flat_map(|(number, row)| {
        let failures = row.failures().flat_map(|effect| effect.endings.iter().map(move |ending| (effect, ending)));
        failures.map(move |(Effect { process, mode, .. }, ending)| {
            vec![format!("#{number}"), process.clone(), mode.to_string(), shown(ending.text())]
        })
    });
    let lines: Vec<Vec<String>> = lines.collect();
    if !lines.is_empty() {
        line(text, format_args!("\nseen"));
        columns(text, lines);
    }
}

/// How many faults there are, how many of them are masked, and how the others are seen.
pub(super) fn totals(of: &Propagation) -> String {
    let count = |count: usize| if count == 1 { "1 fault".to_owned() } else { format!("{count} faults") };
    let mut text = format!("{}: {} masked, {} seen", count(of.rows.len()), of.masked().count(), of.seen().count());
    let mut modes: BTreeMap<Mode, usize> = BTreeMap::new();
    for row in &of.rows {
        let mut seen: Vec<Mode> = row.failures().map(|effect| effect.mode).collect();
        seen.sort();
        seen.dedup();
        seen.into_iter().for_each(|mode| *modes.entry(mode).or_default() += 1);
    }
    let each: Vec<String> = modes.iter().map(|(mode, faults)| format!("{mode} {faults}")).collect();
    if !each.is_empty() {
        write!(text, " ({})", each.join(", ")).expect("a string takes everything");
    }
    let endless = of.rows.iter().filter(|row| row.ends == 0).count();
    if endless > 0 {
        write!(text, ", {endless} without an end").expect("a string takes everything");
    }
    if !of.is_complete() {
        text.push_str("; not all executions were seen");
    }
    text
}

/// Lines in columns.
fn columns(text: &mut String, lines: Vec<Vec<String>>) {
    let count = lines.first().map_or(0, Vec::len);
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..count).map(width).collect();
    for cells in &lines {
        let padded = cells.iter().zip(&widths).map(|(cell, &width)| format!("{cell:<width$}"));
        let padded = padded.collect::<Vec<_>>().join("  ");
        line(text, format_args!("  {}", padded.trim_end()));
    }
}

fn line(text: &mut String, words: std::fmt::Arguments<'_>) {
    writeln!(text, "{words}").expect("a string takes everything");
}

pub(super) fn or_none(faults: &str) -> &str {
    if faults.is_empty() { "no faults" } else { faults }
}

/// A text on one line, shortened.
pub(super) fn shown(text: &str) -> String {
    let one_line = text.replace(char::is_control, " ");
    shortened(&one_line, TEXT_CHARS_MAX)
}
