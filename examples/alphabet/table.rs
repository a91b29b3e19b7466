//! The paper's Table 3 and Figures 8 to 10 as one table.

use crate::checked::Sessions;
use crate::checked_tcp;
use comfy_table::{CellAlignment, Table, presets};
use netcheck::check::{Checker, Direction, Report, Udp, Verdict};
use std::time::{Duration, Instant};

/// A configuration is not taken to more requests once a check has come to so many states …
const STATES_MAX: usize = 2_000_000;

/// … or taken so long.
const DURATION_MAX: Duration = Duration::from_millis(600);

/// The figures of Table 3 for a configuration.
struct Paper {
    time: &'static str,
    transitions: &'static str,
}

const NO_FIGURES: Paper = Paper { time: "", transitions: "" };

/// Requests, loss, assertion, and the paper's figures for net-iocache v2.
const TABLE_3: [(u8, bool, bool, Paper); 9] = [
    (1, false, true, Paper { time: "0:00:03", transitions: "2,146" }),
    (1, true, true, Paper { time: "0:00:13", transitions: "5,734" }),
    (1, true, false, NO_FIGURES),
    (2, false, true, Paper { time: "0:00:19", transitions: "7,810" }),
    (2, true, true, Paper { time: "<0:00:01", transitions: "49" }),
    (2, true, false, Paper { time: "0:05:40", transitions: "90,493" }),
    (3, false, true, Paper { time: "0:01:00", transitions: "23,443" }),
    (3, true, true, Paper { time: "<0:00:01", transitions: "61" }),
    (3, true, false, Paper { time: "1:54:18", transitions: "1,637,530" }),
];

/// Requests, and the paper's figures for TCP on net-iocache v2: the assertion is active, and holds.
const TABLE_3_TCP: [(u8, Paper); 3] = [
    (1, Paper { time: "0:00:06", transitions: "2,143" }),
    (2, Paper { time: "0:00:25", transitions: "7,807" }),
    (3, Paper { time: "0:01:12", transitions: "23,440" }),
];

/// The most requests of Figure 8, which shows curves only: its points for up to 3 requests are those of Table 3.
const FIGURE_8_REQUESTS: u8 = 8;

/// Figure 8 by the paper's text: TCP and UDP without loss, for the most requests; UDP with loss and the assertion, for more
/// than one.
const FIGURE_8_TCP: Paper = Paper { time: "1:28:00", transitions: "" };
const FIGURE_8_UDP: Paper = Paper { time: "TCP's / 2.9", transitions: "" };
const FIGURE_8_LOSS: Paper = Paper { time: "<0:00:01", transitions: "" };

/// M and c.
const FIGURE_9: [(&[usize], usize); 6] = [(&[1], 1), (&[1, 2], 1), (&[1], 2), (&[1, 0], 1), (&[1, 0, 2], 2), (&[1], 9)];

const FIGURE_10: [(&str, Direction); 3] =
    [("send", Direction::Send), ("receive", Direction::Receive), ("both", Direction::Both)];

const REQUESTS_MAX: u8 = 9;

pub fn print() {
    let mut rows = Rows::new();
    for (requests, paper) in TABLE_3_TCP {
        rows.over_tcp("Table 3", Sessions { connections: 3, requests, asserting: true }, &paper);
    }
    for (requests, loss, asserting, paper) in TABLE_3 {
        let sessions = Sessions { connections: 3, requests, asserting };
        let udp = if loss { Udp::new().loss() } else { Udp::new() };
        let copies: &[usize] = if loss { &[1, 0] } else { &[1] };
        rows.check("Table 3", sessions, udp, (copies, 1, "any"), &paper);
    }
    rows.figure_8();
    for (copies, window) in FIGURE_9 {
        rows.up_to_nine_requests("Figure 9", copies, window, "send", Direction::Send);
    }
    for (word, direction) in FIGURE_10 {
        rows.up_to_nine_requests("Figure 10", &[1, 0, 2], 2, word, direction);
    }
    println!("{}", rows.table);
    println!("M: how often a packet may arrive; c: packets that the network holds; direction: of client-1's packets.");
    println!("operations: what user code really executed; memory: of the visited states. `paper`: net-iocache v2.");
    println!("The paper shows the Figures as curves only, but for what its text says of Figure 8.");
    println!(
        "A configuration is taken to more requests until a check meets {} states or takes {DURATION_MAX:?}.",
        thousands(STATES_MAX as u64)
    );
}

struct Rows {
    table: Table,
}

impl Rows {
    fn new() -> Self {
        let mut table = Table::new();
        table.load_preset(presets::ASCII_MARKDOWN).set_header([
            "paper's",
            "protocol",
            "connections",
            "requests",
            "M",
            "c",
            "direction",
            "assertion",
            "fault found",
            "time [s]",
            "states",
            "transitions",
            "operations",
            "memory [kB]",
            "paper: time",
            "paper: transitions",
        ]);
        for column in table.column_iter_mut().skip(9) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        Rows { table }
    }

    /// 3 connections and up to 8 requests, over both protocols, with and without loss and the assertion.
    fn figure_8(&mut self) {
        let sessions = |requests, asserting| Sessions { connections: 3, requests, asserting };
        let each = || 1..=FIGURE_8_REQUESTS;
        for requests in each() {
            let paper = if requests == FIGURE_8_REQUESTS { &FIGURE_8_TCP } else { &NO_FIGURES };
            if !self.over_tcp("Figure 8", sessions(requests, true), paper) {
                break;
            }
        }
        for (loss, asserting) in [(false, true), (true, true), (true, false)] {
            let copies: &[usize] = if loss { &[1, 0] } else { &[1] };
            for requests in each() {
                let paper = match (loss, asserting, requests) {
                    (false, _, FIGURE_8_REQUESTS) => &FIGURE_8_UDP,
                    (true, true, 2..) => &FIGURE_8_LOSS,
                    _ => &NO_FIGURES,
                };
                let udp = if loss { Udp::new().loss() } else { Udp::new() };
                if !self.check("Figure 8", sessions(requests, asserting), udp, (copies, 1, "any"), paper) {
                    break;
                }
            }
        }
    }

    fn up_to_nine_requests(
        &mut self,
        from: &str,
        copies: &[usize],
        window: usize,
        word: &'static str,
        direction: Direction,
    ) {
        for requests in 1..=REQUESTS_MAX {
            let sessions = Sessions { connections: 1, requests, asserting: false };
            let udp = Udp::new().copies(copies.iter().copied()).window(window).direction(direction).process("client-1");
            if !self.check(from, sessions, udp, (copies, window, word), &NO_FIGURES) {
                return;
            }
        }
    }

    /// Adds a row; says whether a larger check is worth trying.
    fn check(
        &mut self,
        from: &str,
        sessions: Sessions,
        udp: Udp,
        (copies, window, direction): (&[usize], usize, &str),
        paper: &Paper,
    ) -> bool {
        let start = Instant::now();
        let report = Checker::new().udp(udp).max_states(STATES_MAX).check(|net| sessions.register(net));
        let time = start.elapsed();
        let declared = [format!("{copies:?}"), window.to_string(), direction.to_owned()];
        self.add([from, "UDP"], sessions, declared, (&report, time), paper);
        report.verdict() != Verdict::Inconclusive && time < DURATION_MAX
    }

    /// Adds a row; says whether a larger check is worth trying.
    fn over_tcp(&mut self, from: &str, sessions: Sessions, paper: &Paper) -> bool {
        let start = Instant::now();
        let report = Checker::new().max_states(STATES_MAX).check(|net| checked_tcp::register(sessions, net));
        let time = start.elapsed();
        self.add([from, "TCP"], sessions, Default::default(), (&report, time), paper);
        report.verdict() != Verdict::Inconclusive && time < DURATION_MAX
    }

    fn add(
        &mut self,
        [from, protocol]: [&str; 2],
        sessions: Sessions,
        declared: [String; 3],
        (report, time): (&Report, Duration),
        paper: &Paper,
    ) {
        let found = match report.verdict() {
            Verdict::Verified => "no",
            Verdict::Violated => "yes",
            Verdict::Inconclusive => "inconclusive",
        };
        let [copies, window, direction] = declared;
        self.table.add_row([
            from.to_owned(),
            protocol.to_owned(),
            sessions.connections.to_string(),
            sessions.requests.to_string(),
            copies,
            window,
            direction,
            if sessions.asserting { "active" } else { "inactive" }.to_owned(),
            found.to_owned(),
            format!("{:.3}", time.as_secs_f64()),
            thousands(report.states() as u64),
            thousands(report.transitions()),
            thousands(report.operations()),
            thousands(report.memory_bytes().div_ceil(1000) as u64),
            paper.time.to_owned(),
            paper.transitions.to_owned(),
        ]);
    }
}

/// With a comma between thousands, as the paper writes them.
fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.char_indices() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
