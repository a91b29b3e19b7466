//! What the checks find, and what they cost.

use crate::checked::program::transfer::Version;
use crate::checked::{Serving, Transfer, Way, any_delay};
use comfy_table::{Table, presets};
use netcheck::check::{Report, Verdict};
use std::time::Instant;

/// Seconds until a larger transfer is given up.
const MINUTE: u64 = 60;

/// One transfer that is right, under every delay.
pub fn one() {
    let (version, serving) = (Version::Corrected, Serving::Once);
    let transfer = Transfer { way: Way::Read, blocks: 3, retries: 4, version, serving };
    println!(
        "a client reads {} blocks, and packets are sent again {} times; every packet takes any time, or for ever:",
        transfer.blocks, transfer.retries
    );
    print!("{}", transfer.check_within(any_delay(), MINUTE));
    println!("\nthe same, where the sender answers a duplicate Ack by its data:");
    print!("{}", Transfer { version: Version::Apprentice, ..transfer }.check(any_delay()));
}

/// The three faults of the paper's Tables 2 and 3, and how the cost grows with blocks and retransmissions.
pub fn print() {
    let mut faults = table(["fault", "found", "states", "s", "paper: RAN", "SPD", "NSPR2"]);
    let seeded = [
        ("1: fixed time-out", Version::FixedTimeout, ["12", "57", "12"]),
        ("2: the Sorcerer's Apprentice", Version::Apprentice, ["no", "46", "297"]),
        ("3: final Ack for any data", Version::FinalAckForAnyData, ["no", "no", "851"]),
        ("final Ack never again", Version::NoFinalAckAgain, ["", "", ""]),
    ];
    for (name, version, paper) in seeded {
        let (report, seconds) =
            timed(Transfer { way: Way::Write, blocks: 2, retries: 1, version, serving: Serving::Once });
        let cells = [name.to_owned(), found(&report).to_owned(), report.states().to_string(), seconds];
        faults.add_row(cells.into_iter().chain(paper.map(str::to_owned)));
    }
    println!(
        "a client writes two blocks, every packet takes any time, one retransmission; the paper's seconds beside ours\n{faults}"
    );
    println!("\nthe transfer as it should be, and a server that ends with it; after a minute a check is given up");
    println!("{}", costs(Serving::Once, &COSTS));
    println!("\na server that is there for ever: a request that comes late begins another transfer");
    println!("{}", costs(Serving::Always, &[(1, 0), (1, 1), (2, 1), (3, 1), (2, 2)]));
}

/// Data packets and retransmissions: the paper's (3, 4), up to it and beyond.
const COSTS: [(usize, u32); 11] =
    [(3, 0), (3, 1), (3, 2), (3, 3), (3, 4), (3, 5), (3, 6), (1, 4), (2, 4), (4, 4), (6, 4)];

/// How the cost grows with data packets and retransmissions.
fn costs(serving: Serving, sizes: &[(usize, u32)]) -> Table {
    let mut costs = table(["way", "packets", "retransmissions", "verdict", "states", "subsumed", "polls", "s"]);
    for way in [Way::Write, Way::Read] {
        for &(blocks, retries) in sizes {
            let (report, seconds) = timed(Transfer { way, blocks, retries, version: Version::Corrected, serving });
            costs.add_row([
                format!("{way:?}"),
                blocks.to_string(),
                retries.to_string(),
                found(&report).to_owned(),
                report.states().to_string(),
                report.subsumed().to_string(),
                report.polls().to_string(),
                seconds,
            ]);
        }
    }
    costs
}

fn table<const N: usize>(header: [&str; N]) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::UTF8_FULL_CONDENSED).set_header(header);
    table
}

fn timed(transfer: Transfer) -> (Report, String) {
    let began = Instant::now();
    let report = transfer.check_within(any_delay(), MINUTE);
    (report, format!("{:.2}", began.elapsed().as_secs_f64()))
}

fn found(report: &Report) -> &'static str {
    match report.verdict() {
        Verdict::Verified => "verified",
        Verdict::Violated => "violated",
        Verdict::Inconclusive => "inconclusive",
    }
}
