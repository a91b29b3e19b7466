//! The results of the paper's section 5 beside ours.

use crate::checked::program::{Halves, Opening, Pair, Threads};
use crate::checked::{checker, pair, peers, two_ports};
use comfy_table::{CellAlignment, Table, presets};
use netcheck::Network;
use netcheck::check::{Report, Verdict};
use std::time::Instant;

/// The paper's figures of a system: its result, the states of client and server, their seconds.
type Paper = [&'static str; 3];

const PAIRS: [(Pair, Paper); 3] = [
    (Pair::Dummy, ["no errors", "12 + 12", "5 + 1"]),
    (Pair::Lucky, ["no errors", "12 + 12", "9 + 1"]),
    (Pair::Buggy, ["deadlock", "19 + 26", "2 + 5"]),
];

const PEERS: [(&str, Halves); 2] =
    [("three peers", Halves::AtOnce), ("three peers that ask before they answer", Halves::OneByOne)];

const PORTS: [(&str, Opening, Threads); 3] = [
    ("Figures 5, 6", Opening::Together, Threads::AtOnce),
    ("Figures 5, 6, one thread at a time", Opening::Together, Threads::OneByOne),
    ("Figures 5, 6, B opened after A", Opening::Later, Threads::AtOnce),
];

/// The three pairs, and three peers.
pub fn print() {
    let mut table = Table::new();
    table.load_preset(presets::ASCII_MARKDOWN).set_header([
        "system",
        "found",
        "states",
        "transitions",
        "steps",
        "time [s]",
        "paper: found",
        "paper: states",
        "paper: time [s]",
    ]);
    for column in table.column_iter_mut().skip(2).filter(|column| column.index != 6) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    for (which, paper) in PAIRS {
        table.add_row(row(format!("{which:?}"), paper, |net| pair(net, which)));
    }
    for (name, opening, threads) in PORTS {
        table.add_row(row(name.to_owned(), ["–"; 3], |net| two_ports(net, opening, threads)));
    }
    for (name, halves) in PEERS {
        table.add_row(row(name.to_owned(), ["–"; 3], |net| peers(net, 3, halves)));
    }
    println!("{table}");
    println!("steps: of the counterexample. `paper`: Jointstates on JPF (2014), client + server: it runs one model");
    println!("checker for each, and has no room for a third process, or for one that is both.");
}

fn row(name: String, paper: Paper, network: impl FnOnce(&mut Network)) -> Vec<String> {
    let start = Instant::now();
    let report = checker().check(network);
    let seconds = start.elapsed().as_secs_f64();
    let ours = [
        name,
        found(&report),
        report.states().to_string(),
        report.transitions().to_string(),
        report.counterexample().map_or(String::new(), |found| found.steps().len().to_string()),
        format!("{seconds:.3}"),
    ];
    ours.into_iter().chain(paper.map(str::to_owned)).collect()
}

fn found(report: &Report) -> String {
    match (report.verdict(), report.counterexample()) {
        (Verdict::Verified, _) => "no errors".to_owned(),
        (Verdict::Violated, Some(counterexample)) => format!("{:?}", counterexample.kind()).to_lowercase(),
        _ => "inconclusive".to_owned(),
    }
}
