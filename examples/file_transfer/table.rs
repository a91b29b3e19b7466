//! The paper's Table 4, and the corrected client where it faces everything at once.

use crate::checked::program::Version::{self, Corrected, Seeded};
use crate::checked::{checker, register};
use comfy_table::{CellAlignment, Table, presets};
use netcheck::check::Verdict;
use std::time::Instant;

/// M, c, client; and the paper's: fault found, time in seconds, I/O operations, transitions.
type Row = (&'static [usize], usize, Version, [&'static str; 4]);

const ROWS: [Row; 14] = [
    (&[1], 1, Seeded, ["no", "0.29", "14", "15"]),
    (&[1], 1, Corrected, ["no", "0.29", "14", "15"]),
    (&[1], 2, Seeded, ["no", "2.38", "22", "31"]),
    (&[1], 2, Corrected, ["no", "2.38", "22", "31"]),
    (&[2], 1, Seeded, ["yes", "0.29", "14", "18"]),
    (&[2], 1, Corrected, ["no", "0.29", "14", "19"]),
    (&[2], 2, Seeded, ["yes", "2.34", "16", "25"]),
    (&[2], 2, Corrected, ["no", "2.87", "64", "233"]),
    (&[1, 2], 1, Seeded, ["yes", "0.42", "21", "45"]),
    (&[1, 2], 1, Corrected, ["no", "0.44", "22", "55"]),
    (&[1, 2], 2, Seeded, ["yes", "2.96", "59", "234"]),
    (&[1, 2], 2, Corrected, ["no", "4.50", "236", "1253"]),
    (&[1, 0, 2], 1, Corrected, [""; 4]),
    (&[1, 0, 2], 2, Corrected, [""; 4]),
];

pub fn print() {
    let mut table = Table::new();
    table.load_preset(presets::ASCII_MARKDOWN).set_header([
        "M",
        "c",
        "fault seeded",
        "fault found",
        "states",
        "transitions",
        "operations",
        "time [s]",
        "paper: found",
        "paper: time [s]",
        "paper: I/O",
        "paper: transitions",
    ]);
    for column in table.column_iter_mut().skip(4) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    for (copies, window, version, paper) in ROWS {
        let start = Instant::now();
        let report = checker(copies, window).check(|net| register(net, version));
        let seconds = start.elapsed().as_secs_f64();
        let seeded = if version == Seeded { "yes" } else { "no" };
        let found = match report.verdict() {
            Verdict::Verified => "no",
            Verdict::Violated => "yes",
            Verdict::Inconclusive => "inconclusive",
        };
        let ours = [
            format!("{copies:?}"),
            window.to_string(),
            seeded.to_owned(),
            found.to_owned(),
            report.states().to_string(),
            report.transitions().to_string(),
            report.operations().to_string(),
            format!("{seconds:.3}"),
        ];
        table.add_row(ours.into_iter().chain(paper.map(str::to_owned)));
    }
    println!("{table}");
    println!("M: how often a packet may arrive; c: packets that the network holds.");
    println!("operations: what user code really executed. `paper`: JPF with net-iocache v2.");
}
