//! A key/value store that keeps what it has acknowledged, also when its host loses its power. One source, [`checked`] by
//! netcheck and run for [`real`] on tokio.
//!
//! ```text
//! cargo run --release --example kv                                 # each mistake, and the counterexample of one
//! cargo run --example kv -- serve --folder /tmp/kv                 # for real, in one shell,
//! cargo run --example kv -- set color green                        # and in another one
//! cargo run --example kv -- get color
//! ```
//!
//! The store appends each value to a log before it answers. After a few records it writes all values into a snapshot, which
//! takes the place of the last one, and begins the log anew. Each of these steps needs a sync, and each sync that is left out
//! loses an acknowledged value in some execution: tests do not show it, since only a power failure at the wrong moment does.

mod checked;
mod real;

use checked::program::Version::{self, *};
use clap::{Parser, Subcommand};
use comfy_table::{CellAlignment, Table, presets};
use netcheck::check::{Checker, Verdict};
use std::time::Instant;

/// Checks the key/value store, or runs it.
#[derive(Debug, Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve for real
    Serve {
        #[arg(long, default_value_t = 4000)]
        port: u16,
        /// Where the values are kept
        #[arg(long, default_value = "kv-data")]
        folder: String,
    },
    /// Set a value for real
    Set {
        key: String,
        value: String,
        #[arg(long, default_value_t = 4000)]
        port: u16,
    },
    /// Get a value for real
    Get {
        key: String,
        #[arg(long, default_value_t = 4000)]
        port: u16,
    },
}

/// The store, how often the power fails, and further words.
const ROWS: [(Version, usize, &str); 8] = [
    (Unflushed, 1, ""),
    (Unsynced, 1, ""),
    (LogNameUnsynced, 1, ""),
    (SnapshotNameUnsynced, 1, ""),
    (TornRecordTaken, 1, ", fs(torn = 4)"),
    (TornRecordKept, 2, ", fs(torn = 4)"),
    (Corrected, 1, ", fs(torn = 4)"),
    (Corrected, 2, ", fs(torn = 4)"),
];

fn main() {
    match Arguments::parse().command {
        Some(Command::Serve { port, folder }) => real::serve(port, folder),
        Some(Command::Set { key, value, port }) => real::set(port, &key, &value),
        Some(Command::Get { key, port }) => real::get(port, &key),
        None => check_all(),
    }
}

fn check_all() {
    let mut table = Table::new();
    table.load_preset(presets::ASCII_MARKDOWN).set_header(["store", "words", "lost", "states", "time [s]"]);
    for column in table.column_iter_mut().skip(3) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    for (version, times, disk) in ROWS {
        let start = Instant::now();
        let words = format!(r#"crash(power, process = "server", times = {times}){disk}"#);
        let checker: Checker = words.parse().expect("words of the attribute");
        let report = checker.check(|net| checked::register(net, version));
        let found = match report.verdict() {
            Verdict::Verified => "nothing",
            Verdict::Violated => "an acknowledged value",
            Verdict::Inconclusive => "inconclusive",
        };
        table.add_row([
            format!("{version:?}"),
            words,
            found.to_owned(),
            report.states().to_string(),
            format!("{:.2}", start.elapsed().as_secs_f64()),
        ]);
        if version == SnapshotNameUnsynced {
            println!("{report}");
        }
    }
    println!("{table}");
}
