//! Raft: three nodes elect a leader and keep one log, in files that survive power failures. One source, [`checked`] by netcheck
//! and run for [`real`] on tokio.
//!
//! ```text
//! cargo run --example raft                            # three nodes on loopback: one is elected, stopped, and comes back
//! cargo run --release --example raft -- --check       # what is claimed, each mistake, and the counterexample of one
//! ```
//!
//! Checked are election safety, state machine safety and leader completeness, by monitors, under lost messages and power
//! failures. What bounds the checks, and what each bound leaves out, is said in `checked.rs`.

mod checked;
mod real;

use checked::program::Version::{self, *};
use checked::{FIGURE_8, ONE_CANDIDATE, ONE_VALUE, REPLACED, Scenario, TWO_CANDIDATES};
use clap::Parser;
use comfy_table::{CellAlignment, Table, presets};
use netcheck::check::{Checker, Verdict};
use std::io;
use std::time::Instant;

/// Runs three nodes of Raft, or checks them.
#[derive(Debug, Parser)]
struct Arguments {
    /// The nodes' ports are this one and the two after it
    #[arg(long, default_value_t = 4000)]
    port: u16,
    /// Check the nodes
    #[arg(long)]
    check: bool,
}

const ROWS: [(&str, Scenario, &str, Version); 9] = [
    ("two candidates", TWO_CANDIDATES, "udp(loss)", Corrected),
    ("two candidates", TWO_CANDIDATES, r#"crash(power, process = "node-2")"#, Corrected),
    ("two candidates", TWO_CANDIDATES, r#"crash(power, process = "node-2")"#, VoteUnsynced),
    ("two candidates", TWO_CANDIDATES, r#"crash(power, process = "node-2")"#, RenameUnsynced),
    ("one candidate", ONE_CANDIDATE, r#"crash(power, process = "node-1")"#, Corrected),
    ("one candidate", ONE_CANDIDATE, r#"crash(power, process = "node-1")"#, TermUnsynced),
    ("one value", ONE_VALUE, "udp(loss)", Corrected),
    ("an entry is replaced", REPLACED, r#"crash(power, process = "node-1")"#, ReplacementUnsynced),
    ("figure 8", FIGURE_8, "", EarlierTermCommitted),
];

fn main() -> io::Result<()> {
    let arguments = Arguments::parse();
    if !arguments.check {
        return real::run(arguments.port);
    }
    let mut table = Table::new();
    table
        .load_preset(presets::ASCII_MARKDOWN)
        .set_header(["scenario", "words", "nodes", "found", "states", "time [s]"]);
    for column in table.column_iter_mut().skip(4) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    for (name, scenario, words, version) in ROWS {
        let start = Instant::now();
        let checker: Checker = words.parse().expect("words of the attribute");
        let report = checker.check(|net| scenario.register(net, version));
        let found = match report.verdict() {
            Verdict::Verified => "no",
            Verdict::Violated => "yes",
            Verdict::Inconclusive => "inconclusive",
        };
        if version == VoteUnsynced {
            println!("{report}");
        }
        let seconds = start.elapsed().as_secs_f64();
        let version = format!("{version:?}");
        table.add_row([name, words, &version, found, &report.states().to_string(), &format!("{seconds:.2}")]);
    }
    println!("{table}");
    Ok(())
}
