//! Systems in which something goes on for ever: whether a process that has to end may go on for ever as well, although
//! everything gets its turn, with the reduction and without it.
//!
//! A stranger that is added to the system, and may go round in no time, changes nothing for its processes.
//!
//! A system that comes to a panic or a deadlock says nothing. Nor does one with a loop in which no time passes: for whom it
//! stops the time, the engine learns, and the naive explorer reads off the programs.

use std::sync::Arc;
use std::time::Duration;

use netcheck::check::{Identity, Report, Search, Tcp, Verdict, ViolationKind};

use crate::engine;
use interpreter::Order;
use oracle::language::program::{System, TICK_MS};
use oracle::naive::{self, Findings, Limits};

/// No system has more.
const STATES_MAX: usize = 50_000;

/// Counts of the systems compared.
#[derive(Debug, Clone, Copy, Default)]
pub struct Liveness {
    /// a process need not end
    pub endless: u64,
    /// all have to, also where something goes on for ever
    pub ending: u64,
    pub ending_beside: u64,
    /// systems of which nothing is told
    pub untold: u64,
    /// checks that need no walk
    pub unwalked: u64,
    /// systems that have too many states beside a stranger
    pub too_large: u64,
}

add_fields!(Liveness { endless, ending, ending_beside, untold, unwalked, too_large });

/// Whether a process need not end, if that is told of a system.
pub fn expected(system: &System, (findings, limits): (&Findings, Limits)) -> Option<bool> {
    let is_clean = findings.panics.is_empty() && !findings.deadlock && !findings.helpless;
    let is_clean = is_clean && !system.may_spin() && !system.takes_time();
    is_clean.then(|| naive::never_ends(system, limits)).flatten()
}

/// How the engine disagrees with the naive explorer, if it does.
pub fn disagreement(
    system: &System,
    (findings, limits): (&Findings, Limits),
    figures: &mut Liveness,
) -> Option<String> {
    let Some(expected) = expected(system, (findings, limits)) else {
        figures.untold += 1;
        return None;
    };
    match expected {
        true => figures.endless += 1,
        false => figures.ending += 1,
    }
    figures.ending_beside += u64::from(!expected && findings.endless);
    // By default fewer states are walked.
    let ways =
        [(true, true, false), (false, true, false), (true, false, false), (false, false, false), (true, true, true)];
    ways.into_iter().find_map(|(reduction, is_asked_for, has_stranger)| {
        let way = format!("reduction {reduction}, liveness asked for {is_asked_for}, beside a stranger {has_stranger}");
        let checker = interpreter::checker_for_endless(system, (Order::By(Search::Bfs), reduction, false));
        let checker = match &system.network.tcp {
            None if has_stranger => checker.tcp(Tcp::new().fail_open().process("stranger")),
            _ => checker,
        };
        let checker = checker.identity(Identity::Memory).max_states(STATES_MAX);
        let checker = if is_asked_for { checker.liveness(true) } else { checker };
        let shared = Arc::new(system.clone());
        let check = || {
            Ok(interpreter::check_with(&checker, system, |net, index| {
                interpreter::register_tracked(net, &shared, index, true);
                if has_stranger && index + 1 == system.processes.len() {
                    net.daemon("stranger", dawdles);
                }
            })
            .0)
        };
        match engine::compared_by(check) {
            Ok(report) if !is_asked_for && report.counterexample().is_none() && report.walked().is_none() => None,
            Ok(report) if has_stranger && report.verdict() == Verdict::Inconclusive => {
                figures.too_large += 1;
                None
            }
            Ok(report) => {
                figures.unwalked += u64::from(report.walked() == Some(0));
                told(&report, expected).map(|difference| format!("{way}: {difference}"))
            }
            Err(difference) => Some(format!("{way}: {difference}")),
        }
    })
}

/// Goes round for ever, and may never let time pass again; a call of it may fail.
async fn dawdles() {
    loop {
        match netcheck::choose([0, 1, 2]).await {
            0 => netcheck::time::sleep(Duration::from_millis(TICK_MS.into())).await,
            1 => netcheck::task::yield_now().await,
            _ => drop(netcheck::net::TcpStream::connect("stranger:9").await),
        }
    }
}

pub fn told(report: &Report, expected: bool) -> Option<String> {
    let kind = report.counterexample().map(|found| found.kind());
    match (report.verdict(), kind) {
        (Verdict::Verified, _) if !expected => None,
        (Verdict::Violated, Some(ViolationKind::Liveness)) if expected => None,
        _ => Some(format!("a process goes on for ever: {expected}, but\n{report}")),
    }
}
