//! What the checks find, and what they cost.

use crate::checked::program::transfer::Version;
use crate::checked::{Serving, Transfer, Way, any_delay};
use crate::methods::{Budget, Method};
use comfy_table::{Table, presets};
use netcheck::check::{Report, Verdict};
use std::time::{Duration, Instant};

/// Seconds until a larger transfer is given up.
const MINUTE: u64 = 60;

/// One transfer that is right, under every delay.
pub fn one() {
    let transfer = Transfer::corrected(Way::Read, 3, 4);
    println!(
        "a client reads {} blocks, and packets are sent again {} times; every packet takes any time, or for ever:",
        transfer.blocks, transfer.retries
    );
    print!("{}", transfer.check_within(any_delay(), MINUTE));
    println!("\nthe same, where the sender answers a duplicate Ack by its data:");
    print!("{}", Transfer { version: Version::Apprentice, ..transfer }.check(any_delay()));
}

/// The faults of the paper's Tables 2 and 3, and the one of its Figure 15: the version with it, and the paper's seconds by
/// method, in the order of its tables.
const FAULTS: [(&str, Version, [&str; 7]); 4] = [
    ("1: fixed time-out", Version::FixedTimeout, ["12", "57", "13", "11", "12", "11", "12"]),
    ("2: the Sorcerer's Apprentice", Version::Apprentice, ["no", "46", "24639", "no", "no", "27332", "297"]),
    ("3: final Ack for any data", Version::FinalAckForAnyData, ["no", "no", "no", "no", "no", "no", "851"]),
    ("final Ack never again", Version::NoFinalAckAgain, ["", "", "", "", "", "", ""]),
];

/// When a method gives a fault up.
const BUDGET: Budget = Budget { executions: 20_000, states: 50_000, time: Duration::from_secs(20) };

/// The three faults of the paper's Tables 2 and 3 by its methods: two lines for each, what was found here, and the paper's
/// seconds.
pub fn print() {
    let header = ["fault".to_owned(), String::new()].into_iter().chain(Method::ALL.map(|method| method.to_string()));
    let mut faults = Table::new();
    faults.load_preset(presets::UTF8_FULL_CONDENSED).set_header(header);
    let transfer = Transfer::corrected(Way::Write, 3, 4);
    for (name, version, paper) in FAULTS {
        let cells = Method::ALL.map(|method| {
            let outcome = method.run(Transfer { version, ..transfer }, BUDGET);
            let found = if outcome.is_violated() { "" } else { "no: " };
            format!("{found}{}\n{:.2} s", outcome.cost(), outcome.seconds)
        });
        faults.add_row([name.to_owned(), "here".to_owned()].into_iter().chain(cells));
        if !paper[0].is_empty() {
            let seconds = paper.map(|seconds| if seconds == "no" { "no".to_owned() } else { format!("{seconds} s") });
            faults.add_row([String::new(), "paper".to_owned()].into_iter().chain(seconds));
        }
    }
    println!("{LEGEND}\n{faults}");
}

/// What the table shows.
const LEGEND: &str = "\
A client writes three blocks, and each packet is sent again four times at the most: 40 packets, each of which takes any
time, or for ever. Four versions of the program have one fault each. How soon does each method find it?

SPD         executions one after the other, depth-first; no state is known again
RAN         random executions: delays of 107.5 ms and some more, by a Gamma distribution; 1 in 100 packets is lost
NS          depth-first; a state whose network is known waits (search = network_states)
PR1, 2, 5   first what happens while no packet arrives more than 1, 2, 5 times (search = retransmissions(2))
NSPR1, 2    both (search = network_states(retransmissions = 2))
exhaustive  the order with delays (search = reads), which comes to the end of the whole space

Each method has 20,000 executions, or 50,000 states, and 20 seconds; `no` says how many it came to. The seconds are those of
the whole check, with the time to make the counterexample the least one. The paper's are its Table 2 (tftp-hpa 0.24, emulated
machines, 10 hours for each method); of its Table 3 (tftp-hpa 5.2, which has fault 3 alone), NSPR2 finds it in 863 s, and no
other method does. Here all but SPD and RAN know every state again; in the paper, none does, but NS and NSPR know networks.";

/// How the cost of the whole space grows.
pub fn costs() {
    println!("the transfer as it should be, and a server that ends with it; after a minute a check is given up");
    println!("{}", growth(Serving::Once, &COSTS));
    println!("\na server that is there for ever: a request that comes late begins another transfer");
    println!("{}", growth(Serving::Always, &[(1, 0), (1, 1), (2, 1), (3, 1), (2, 2)]));
}

/// Data packets and retransmissions: the paper's (3, 4), up to it and beyond.
const COSTS: [(usize, u32); 11] =
    [(3, 0), (3, 1), (3, 2), (3, 3), (3, 4), (3, 5), (3, 6), (1, 4), (2, 4), (4, 4), (6, 4)];

/// How the cost grows with data packets and retransmissions.
fn growth(serving: Serving, sizes: &[(usize, u32)]) -> Table {
    let mut costs = table(["way", "packets", "retransmissions", "verdict", "states", "subsumed", "polls", "s"]);
    for way in [Way::Write, Way::Read] {
        for &(blocks, retries) in sizes {
            let (report, seconds) = timed(Transfer { serving, ..Transfer::corrected(way, blocks, retries) });
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
