//! Datagrams that nobody will receive: loops that send to a socket which nobody reads, against the naive explorer, to which no
//! socket is there.

use std::ops::Range;
use std::sync::Arc;

use netcheck::check::{Identity, Search};

use crate::families::{ENDLESS_EXECUTIONS_MAX, with_intervals, with_lists};
use crate::{Figures, agree_by, crashes, endless, engine, liveness};
use interpreter::{Order, register_tracked};
use oracle::generate::endless::{sends, system_that_sends_to_nobody, with_a_socket};
use oracle::language::program::{Network, System};
use oracle::naive::Limits;

/// No such system has more.
const STATES_MAX: usize = 50_000;

/// Counts of systems.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unread {
    /// systems in which something is sent to the socket for ever
    pub sending: u64,
    /// of these, those that are told of whether a process has to end, and need not
    pub endless: u64,
}

add_fields!(Unread { sending, endless });

/// Compares systems in quiet time, some of which lose datagrams or crash.
pub fn agree(seeds: Range<u64>) -> Option<Figures> {
    agree_where(seeds, |seed, network| {
        (network.delay, network.delays, network.slow) = (false, None, None);
        network.tcp.iter_mut().for_each(|tcp| tcp.delay = None);
        if seed.is_multiple_of(4) {
            crashes::crash(seed, network);
        }
    })
}

/// The same where datagrams take times of intervals or lists.
pub fn agree_in_dense_time(seeds: Range<u64>) -> Option<Figures> {
    agree_where(seeds, |seed, network| match seed % 2 {
        0 => with_intervals(seed / 2, network),
        _ => with_lists(seed / 2, network),
    })
}

/// The process that has the socket.
fn holder(seed: u64, system: &System) -> usize {
    seed as usize % system.processes.len()
}

fn agree_where(seeds: Range<u64>, declare: fn(u64, &mut Network)) -> Option<Figures> {
    let limits = Limits::of(ENDLESS_EXECUTIONS_MAX / 2);
    let generate = |seed| system_that_sends_to_nobody(seed, (limits, holder), declare);
    agree_by(seeds, generate, |seed, system: &System, figures: &mut Figures| {
        let findings = figures.explored(system, limits)?;
        let is_sending = sends(system);
        figures.unread.sending += u64::from(is_sending);
        let with = Arc::new(with_a_socket(system, holder(seed, system)));
        let check = |checker: &netcheck::check::Checker| {
            let checker = checker.clone().identity(Identity::Memory).max_states(STATES_MAX);
            interpreter::check_with(&checker, &with, |net, index| register_tracked(net, &with, index, true))
        };
        let configuration = (Order::By(Search::Bfs), true, false);
        let compared = || {
            let (report, ends) = check(&interpreter::checker(system, configuration));
            let Err(difference) = engine::compare_report(&report, &ends, &findings) else { return Ok(()) };
            endless::unless_apart(difference, system, limits, (&report, &ends), &findings).map(|_| ())
        };
        if let Err(difference) = engine::compared_by(compared) {
            return Some(difference);
        }
        if system.network.takes_time() {
            return None;
        }
        let expected = liveness::expected(system, (&findings, limits))?;
        figures.unread.endless += u64::from(is_sending && expected);
        let checker = interpreter::checker_for_endless(system, configuration).liveness(true);
        match engine::compared_by(|| Ok(check(&checker).0)) {
            Ok(report) => liveness::told(&report, expected),
            Err(difference) => Some(difference),
        }
    })
}
