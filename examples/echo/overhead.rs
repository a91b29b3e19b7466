//! Costs of checking failures, one category at a time or several together, as the paper's
//! Tables 3 and 4 show it. The chat example uses it, too.

use crate::failures::{Category, failing};
use comfy_table::{CellAlignment, Table, presets};
use netcheck::check::{Report, Tcp, Verdict};
use std::time::Instant;

/// A check of milliseconds is measured more than once.
const RUNS: usize = 3;

/// The time and states that one check, or several, took.
#[derive(Clone, Copy, Default)]
struct Cost {
    states: usize,
    transitions: u64,
    seconds: f64,
}

impl Cost {
    fn plus(self, other: Cost) -> Cost {
        Cost {
            states: self.states + other.states,
            transitions: self.transitions + other.transitions,
            seconds: self.seconds + other.seconds,
        }
    }
}

/// Checks every combination of failures. `paper` has the paper's overheads.
pub fn print(paper: [&str; 16], check: impl Fn(Tcp) -> Report) {
    let mut table = Table::new();
    table.load_preset(presets::ASCII_MARKDOWN).set_header([
        "o",
        "c",
        "w",
        "r",
        "found",
        "states",
        "transitions",
        "operations",
        "time [s]",
        "overhead",
        "paper: overhead",
    ]);
    for column in table.column_iter_mut().skip(5) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    let (mut none, mut one_by_one, mut all_at_once) = (Cost::default(), Cost::default(), Cost::default());
    for (categories, paper) in combinations().into_iter().zip(paper) {
        let (report, seconds) = fastest(|| check(failing(&categories)));
        let cost = Cost { states: report.states(), transitions: report.transitions(), seconds };
        match categories.len() {
            0 => none = cost,
            1 => one_by_one = one_by_one.plus(cost),
            4 => all_at_once = cost,
            _ => {}
        }
        let found = match report.verdict() {
            Verdict::Verified => "no",
            Verdict::Violated => "yes",
            Verdict::Inconclusive => "inconclusive",
        };
        let ours = [
            found.to_owned(),
            cost.states.to_string(),
            cost.transitions.to_string(),
            report.operations().to_string(),
            format!("{seconds:.3}"),
            format!("{:.2}", seconds / none.seconds),
            paper.to_owned(),
        ];
        let marks = Category::ALL.map(|category| if categories.contains(&category) { "1" } else { "" }.to_owned());
        table.add_row(marks.into_iter().chain(ours));
    }
    println!("{table}");
    println!("o: connect, accept; c: shutdown; w: write; r: read. operations: what user code really executed.");
    println!("time: the shortest of {RUNS} runs; overhead: of time, relative to no failures. `paper`: JPF 3.0a.");
    let line = |name: &str, Cost { states, transitions, seconds }: Cost| {
        let overhead = seconds / none.seconds;
        println!("{name}: {states} states, {transitions} transitions, {seconds:.3} s, overhead {overhead:.2}");
    };
    line("one category after the other", one_by_one);
    line("all at once", all_at_once);
}

fn fastest(check: impl Fn() -> Report) -> (Report, f64) {
    let runs = (0..RUNS).map(|_| {
        let start = Instant::now();
        let report = check();
        (report, start.elapsed().as_secs_f64())
    });
    runs.min_by(|(_, left), (_, right)| left.total_cmp(right)).expect("there are runs")
}

/// All sets of categories, in the order of the paper's Table 3.
fn combinations() -> Vec<Vec<Category>> {
    let sets = (0..1 << Category::ALL.len()).map(|bits: usize| {
        let highest = Category::ALL.len() - 1;
        (0..=highest).filter(|index| bits >> (highest - index) & 1 == 1).map(|index| Category::ALL[index]).collect()
    });
    let mut sets: Vec<Vec<Category>> = sets.collect();
    sets.sort_by_key(Vec::len);
    sets
}
