//! The checks of random systems, in each configuration.

use std::collections::{BTreeMap, BTreeSet};
use std::future::Future;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use netcheck::Network;
use netcheck::check::{Checker, Crash, Dates, Direction, Files, Identity, Partition, Report, Search, Tcp, Udp, Unread};
use oracle::disk;
use oracle::language::files::Failing;
use oracle::language::program::{self, Delays, Failure, Links, Side, System, TICK_MS};

use crate::tasks::root;

/// The order, the reduction and the subsumption.
pub type Configuration = (Order, bool, bool);

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Order {
    By(Search),
    /// By a score that means nothing.
    Best,
}

/// Breadth-first, and two others in turn: each system is checked three times, each order often enough.
pub fn orders(seed: u64) -> [Order; 3] {
    let others = match seed % 5 {
        0 => [Order::By(Search::Dfs), Order::By(Search::Random { seed: 7 })],
        1 => [Order::By(Search::Faults), Order::By(Search::Pct { seed, depth: 3 })],
        2 => [Order::Best, Order::By(Search::Joint)],
        3 => [
            Order::By(Search::NetworkStates { retransmissions: [None, Some(1), Some(2)][(seed / 5 % 3) as usize] }),
            Order::By(Search::Retransmissions { arrivals: 1 + (seed / 5 % 2) as usize }),
        ],
        _ => [Order::By(Search::Reads), Order::By(Search::Pct { seed, depth: 2 })],
    };
    [Order::By(Search::Bfs), others[0], others[1]]
}

/// Whether what adds nothing is left out in this one of the orders, too: it makes a difference only with loss. It is
/// looked at breadth-first, and in one of the others in turn.
pub fn has_subsumption(system: &System, seed: u64, index: usize) -> bool {
    system.network.copies.contains(&0) && index != 1 + (seed / 4 % 2) as usize
}

/// Whether two histories that lead to equal memory are one local state: half of the time. By history, a tick whose instant is
/// no number is told to nobody.
pub fn remembers(system: &System) -> bool {
    let tells_no_ticks = system.network.takes_time() && !system.network.has_numbers() && system.keeps_ticks();
    tells_no_ticks || system.to_string().len().is_multiple_of(2) || std::env::var("NETCHECK_AGREEMENT_IDENTITY").is_ok()
}

/// The treatment of bytes that no program can read, where memory tells local states apart: a third of the time each. What
/// endless loops leave behind may keep them from closing, so there they are compared only until there are many states.
pub fn unread(system: &System) -> Unread {
    let compared = if system.has_loops() { Unread::ClearedOfMany } else { Unread::Compared };
    [compared, Unread::Cleared, Unread::Overwritten][system.to_string().len() / 8 % 3]
}

/// The output of each process.
pub type Ends = Vec<Option<String>>;

/// The report of one configuration, and all ends that `finally` was asked about.
pub fn check(checker: &Checker, system: &Arc<System>) -> (Report, BTreeSet<Ends>) {
    check_with(checker, system, |net, index| register_nth(net, system, index))
}

/// The process of this number.
pub fn register_nth(net: &mut Network, system: &Arc<System>, index: usize) {
    register_tracked(net, system, index, false);
}

/// The same, with tasks that share what is tracked or tokio's own.
pub fn register_tracked(net: &mut Network, system: &Arc<System>, index: usize, is_tracked: bool) {
    let system = Arc::clone(system);
    let is_daemon = system.processes[index].daemon;
    // Runs that hold something outside can't be set back.
    let holds_nothing_outside = !system.to_string().len().is_multiple_of(5);
    let files = system.processes[index].files.clone();
    let factory = move || {
        let system = if holds_nothing_outside { Arc::new(System::clone(&system)) } else { Arc::clone(&system) };
        root(system, index, is_tracked)
    };
    let name = program::name(index);
    let registered = if is_daemon { net.daemon(name, factory) } else { net.process(name, factory) };
    registered.files(files);
}

/// The declaration for the datagrams of all processes.
pub fn udp(network: &program::Network) -> Udp {
    let udp = perturbed(network);
    match (network.delay, &network.delays) {
        (false, _) => udp.window(network.window),
        (true, None) => udp.window(network.window).delay(..),
        (true, Some(delays)) => delayed(udp, delays),
    }
}

fn perturbed(network: &program::Network) -> Udp {
    Udp::new().copies(network.copies.iter().copied()).direction(Direction::Send)
}

fn delayed(udp: Udp, delays: &Delays) -> Udp {
    match delays {
        Delays::Interval(least, None) => udp.delay(time(*least)..),
        Delays::Interval(least, Some(most)) => udp.delay(time(*least)..=time(*most)),
        Delays::Listed(listed) => udp.delays(listed.iter().copied().map(time)),
    }
}

fn time(ticks: u32) -> Duration {
    Duration::from_millis(u64::from(ticks * TICK_MS))
}

pub fn checker(system: &System, configuration: Configuration) -> Checker {
    // That a process need not end has a family of its own.
    checker_for_endless(system, configuration).liveness(false)
}

/// As [`checker`], for whom a process that need not end is a violation.
pub fn checker_for_endless(system: &System, configuration: Configuration) -> Checker {
    let (order, reduction, subsumption) = configuration;
    let udp = udp(&system.network);
    let slow = system.network.slow.as_ref().map(|(sender, delays)| {
        let own = perturbed(&system.network).process(program::name(*sender));
        match delays {
            Delays::Interval(0, Some(0)) => own,
            delays => delayed(own, delays),
        }
    });
    // Many threads find what one finds: two, half of the time.
    let threads = 1 + system.processes.len() % 2;
    let checker = match slow {
        Some(slow) => Checker::new().udp(slow).also_udp(udp),
        None => Checker::new().udp(udp),
    };
    let checker = checker.reduction(reduction).subsumption(subsumption).threads(threads);
    let checker = checker.identity(if remembers(system) { Identity::Memory } else { Identity::History });
    // A program of these compares dates, and waits until them.
    let dates = [Dates::Absolute, Dates::Relative][system.to_string().len() / 16 % 2];
    let checker = checker.unread(unread(system)).dates(dates);
    let checker = match system.to_string().len() / 2 % 4 {
        0 => checker.max_copies(0),
        1 => checker.max_copies(8 << 10),
        _ => checker,
    };
    // These programs do next to nothing in a poll: one that lasts so long spins.
    let checker = checker.max_poll_duration(Duration::from_secs(5));
    let mut checker = match order {
        Order::By(search) => checker.search(search),
        Order::Best => checker.best_first(|state| {
            let blocked = state.has_ended(&program::name(0)) || state.is_blocked(&program::name(0));
            (state.depth() % 5 + 3 * state.in_flight()) as i64 - 2 * i64::from(blocked) - state.faults() as i64
        }),
    };
    if let Some(tcp) = &system.network.tcp {
        checker = checker.tcp(declared(tcp));
    }
    if let Some(crash) = &system.network.crash {
        let declared = if crash.power { Crash::power() } else { Crash::kill() }.times(crash.times);
        let declared =
            crash.processes.iter().fold(declared, |declared, &process| declared.process(program::name(process)));
        let declared = if crash.stays_down { declared.stays_down() } else { declared };
        let ticks = |ticks: u32| Duration::from_millis(u64::from(ticks * program::TICK_MS));
        checker = checker.crash(match crash.down {
            None => declared,
            Some((least, None)) => declared.down(ticks(least)..),
            Some((least, Some(most))) => declared.down(ticks(least)..=ticks(most)),
        });
    }
    if let Some(declared) = &system.network.partition {
        checker = checker.partition(partition(declared));
    }
    if let Some(files) = files(&system.network) {
        checker = checker.files(files);
    }
    if let Some(at_most) = system.network.at_most {
        checker = checker.at_most(at_most);
    }
    if let Some(duration_ms) = system.network.duration_ms {
        checker = checker.duration(Duration::from_millis(u64::from(duration_ms)));
    }
    checker
}

fn partition(declared: &program::Partition) -> Partition {
    let name = |process: usize| program::name(process);
    let partition = match declared.links {
        Links::Isolate(process) => Partition::isolate(name(process)),
        Links::Between(one, other) => Partition::between([name(one), name(other)]),
        Links::Halves => Partition::halves(),
        Links::Any => Partition::any(),
    };
    let partition = if declared.one_way { partition.one_way() } else { partition };
    let partition = if declared.for_ever { partition.for_ever() } else { partition };
    partition.times(declared.times)
}

/// A process, or one that may wait for ever.
pub fn register<F>(net: &mut Network, index: usize, is_daemon: bool, factory: impl Fn() -> F + Send + Sync + 'static)
where
    F: Future<Output: std::fmt::Debug> + 'static,
{
    let name = program::name(index);
    if is_daemon {
        net.daemon(name, factory)
    } else {
        net.process(name, factory)
    };
}

/// Checks the processes that `register` registers, and asks `finally` about all ends.
pub fn check_with(
    checker: &Checker,
    system: &System,
    mut register: impl FnMut(&mut Network, usize),
) -> (Report, BTreeSet<Ends>) {
    let seen = Arc::new(Mutex::new(BTreeSet::new()));
    let (processes, has_files) = (system.processes.len(), system.has_files());
    let report = checker.check(|net| {
        (0..processes).for_each(|index| register(net, index));
        let seen = Arc::clone(&seen);
        net.finally(move |end| {
            let end_of = |index| {
                let output = end.output(&program::name(index)).map(str::to_owned);
                if !has_files {
                    return output;
                }
                let files = end.files(&program::name(index));
                let files: BTreeMap<_, _> = files.iter().map(|(name, bytes)| (name.as_str(), bytes)).collect();
                Some(format!("{output:?} with {files:?}"))
            };
            let ends = (0..processes).map(end_of);
            seen.lock().expect("no one panics with it").insert(ends.collect());
        });
    });
    let ends = seen.lock().expect("no one panics with it").clone();
    (report, ends)
}

/// The declared behaviour of disks, if anything is declared.
fn files(network: &program::Network) -> Option<Files> {
    let power = network.crash.as_ref().filter(|crash| crash.power);
    let Failing { read, write, sync } = network.failing_files;
    if power.is_none() && !network.failing_files.any() {
        return None;
    }
    let mut files = left_of_files(power.map(|crash| crash.left).unwrap_or_default());
    if read {
        files = files.fail_read();
    }
    if write {
        files = files.fail_write();
    }
    Some(if sync { files.fail_sync() } else { files })
}

fn left_of_files(policy: disk::Policy) -> Files {
    let files = match policy.survives {
        disk::Survives::Any => Files::any(),
        disk::Survives::Prefix => Files::prefix(),
        disk::Survives::Lost => Files::lost(),
    };
    match policy.torn {
        Some(bytes) => files.torn(bytes),
        None => files,
    }
}

fn declared(tcp: &program::Tcp) -> Tcp {
    let mut declared = Tcp::new();
    for failure in &tcp.failures {
        declared = match failure {
            Failure::Open => declared.fail_open(),
            Failure::Close => declared.fail_close(),
            Failure::Read => declared.fail_read(),
            Failure::Write => declared.fail_write(),
            Failure::Reset => declared.reset(),
            Failure::Hang => declared.hang(),
        };
    }
    if tcp.transient {
        declared = declared.transient();
    }
    if tcp.split {
        declared = declared.split();
    }
    declared = match &tcp.delay {
        None => declared,
        Some(Delays::Interval(least, None)) => declared.delay(time(*least)..),
        Some(Delays::Interval(least, Some(most))) => declared.delay(time(*least)..=time(*most)),
        Some(Delays::Listed(listed)) => declared.delays(listed.iter().copied().map(time)),
    };
    if let Some(bytes) = tcp.buffer {
        declared = declared.buffer(bytes);
    }
    if let Some(ms) = tcp.retries_ms {
        declared = declared.retries(Duration::from_millis(ms.into()));
    }
    for process in &tcp.processes {
        declared = declared.process(program::name(*process));
    }
    declared = match tcp.side {
        None => declared,
        Some(Side::Client) => declared.side(netcheck::check::Side::Client),
        Some(Side::Server) => declared.side(netcheck::check::Side::Server),
    };
    match tcp.first {
        None => declared,
        Some(executions) => declared.first(executions),
    }
}
