//! The paper's Tables 4 and 5.

use crate::checked::Chat;
use crate::checked::program::Version;
use crate::failures::Category::{self, Close, Open, Write};
use crate::failures::failing;
use crate::overhead;
use comfy_table::{CellAlignment, Table, presets};
use netcheck::check::{Report, Verdict};
use std::time::Instant;

/// The paper's Table 4: overhead of each combination.
const TABLE_4: [&str; 16] = [
    "1.00", "8.23", "3.60", "2.45", "1.80", "14.92", "13.00", "5.22", "14.50", "6.22", "4.17", "19.95", "24.98",
    "21.85", "9.10", "35.44",
];

/// Clients, how many are served at once, and what the paper says of each of [`TABLE_5_ROWS`]:
/// overhead, and transitions in the counterexample.
type Block = (usize, usize, [[&'static str; 2]; 5]);

const TABLE_5: [Block; 5] = [
    (2, 1, [["1.00", "–"], ["0.03", "55"], ["0.04", "55"], ["0.03", "58"], ["0.07", "58"]]),
    (2, 2, [["1.00", "–"], ["0.05", "136"], ["0.21", "138"], ["0.05", "140"], ["0.22", "142"]]),
    (3, 1, [["1.00", "–"], ["0.00", "63"], ["0.01", "63"], ["0.01", "67"], ["0.03", "67"]]),
    (3, 2, [["1.00", "–"], ["n/a", "141"], ["n/a", "143"], ["n/a", "146"], ["n/a", "148"]]),
    (3, 3, [[""; 2]; 5]),
];

const TABLE_5_ROWS: [&[Category]; 5] = [&[], &[Write], &[Close, Write], &[Open, Write], &[Open, Close, Write]];

/// Every combination of failures.
pub fn print_4() {
    overhead::print(TABLE_4, |tcp| Chat::of_two(Version::Corrected).check(tcp));
}

/// The version with the deadlock, with more and fewer clients.
pub fn print_5() {
    let mut table = Table::new();
    table.load_preset(presets::ASCII_MARKDOWN).set_header([
        "clients",
        "at once",
        "o",
        "c",
        "w",
        "found",
        "states",
        "transitions",
        "time [s]",
        "overhead",
        "steps",
        "transient: found",
        "transient: steps",
        "paper: overhead",
        "paper: steps",
    ]);
    for column in table.column_iter_mut().skip(6) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    for (clients, at_once, paper) in TABLE_5 {
        let mut none = 0.0;
        for (categories, paper) in TABLE_5_ROWS.into_iter().zip(paper) {
            let chat = Chat { clients, at_once, version: Version::HaltedSend };
            let start = Instant::now();
            let report = chat.check(failing(categories));
            let seconds = start.elapsed().as_secs_f64();
            if categories.is_empty() {
                none = seconds;
            }
            let marks = [Open, Close, Write].map(|it| if categories.contains(&it) { "1" } else { "" }.to_owned());
            let transient = chat.check(failing(categories).transient());
            let ours = [
                found(&report),
                report.states().to_string(),
                report.transitions().to_string(),
                format!("{seconds:.3}"),
                format!("{:.2}", seconds / none),
                steps(&report),
                found(&transient),
                steps(&transient),
            ];
            let system = [clients.to_string(), at_once.to_string()];
            table.add_row(system.into_iter().chain(marks).chain(ours).chain(paper.map(str::to_owned)));
        }
    }
    println!("{table}");
    println!("at once: clients that are served at the same time; steps: of the counterexample.");
    println!(
        "transient: a failed call leaves the connection alive, as the paper's do. Else it breaks the connection, as nearly"
    );
    println!("all failures on Linux do; with 1 at once the client that waits for its line then sees the end.");
    println!("3 clients, 2 or 3 at once: the second line to a client that has ended fails without the network's help.");
}

/// The number of steps of the counterexample.
fn steps(report: &Report) -> String {
    report.counterexample().map_or(String::new(), |found| found.steps().len().to_string())
}

fn found(report: &Report) -> String {
    match (report.verdict(), report.counterexample()) {
        (Verdict::Verified, _) => "no".to_owned(),
        (Verdict::Violated, Some(counterexample)) => format!("{:?}", counterexample.kind()).to_lowercase(),
        _ => "inconclusive".to_owned(),
    }
}
