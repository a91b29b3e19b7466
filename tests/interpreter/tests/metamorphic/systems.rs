//! Random systems, what a relation turns them into, and their checks.

use std::sync::Arc;

use netcheck::Network as Registry;
use netcheck::check::{Checker, Identity, Search};

use crate::run::Outcome;
use interpreter::Order;
use oracle::generate::{self, Size, Words};
use oracle::language::program::{self, Delays, Instruction, Network, System};

/// Where a search gives up in the gate.
pub const STATES_MAX: usize = 40_000;

/// A system of the family of its seed. Two of three have at most one kind of violation, so that the search comes
/// to all outputs, or a violation that is lost is not replaced by one of another kind.
pub fn system(seed: u64, size: Size) -> System {
    let words = [Words::All, Words::Plain, Words::Streams, Words::Mixed, Words::All, Words::Streams][seed as usize % 6];
    let mut system = generate::system(seed, size, words);
    match seed / 6 % 4 {
        0 => {}
        1 => all_daemons(&mut system),
        2 => without_assertions(&mut system),
        _ => {
            all_daemons(&mut system);
            without_assertions(&mut system);
        }
    }
    system
}

/// The same where datagrams take a time of an interval.
pub fn system_in_dense_time(seed: u64) -> System {
    let mut system = system(seed, Size::Small);
    let intervals = [(0, Some(1)), (1, Some(1)), (0, Some(2)), (1, Some(3)), (0, None), (1, None)];
    system.network.delay = true;
    let (least, most) = intervals[seed as usize / 24 % intervals.len()];
    system.network.delays = Some(Delays::Interval(least, most));
    system.network.tcp.iter_mut().for_each(|tcp| tcp.delay = None);
    system
}

/// Then no wait is a deadlock.
pub fn all_daemons(system: &mut System) {
    system.processes.iter_mut().for_each(|process| process.daemon = true);
}

/// Then nothing panics.
pub fn without_assertions(system: &mut System) {
    change_all(system, &mut |instruction| {
        if let Instruction::AssertNot { .. } = instruction {
            *instruction = Instruction::Repeat { times: 0, body: Vec::new() };
        }
    });
}

pub fn change_all(system: &mut System, to: &mut impl FnMut(&mut Instruction)) {
    for task in system.processes.iter_mut().flat_map(|process| &mut process.tasks) {
        program::change(task, to);
    }
}

/// The same system with its processes in other places: `places[index]` is where the process `index` goes.
pub fn permuted(system: &System, places: &[usize]) -> System {
    let mut permuted = system.clone();
    for (process, &place) in system.processes.iter().zip(places) {
        permuted.processes[place] = process.clone();
    }
    renumber(&mut permuted, |process| places[process]);
    permuted
}

/// Gives other numbers to the processes that instructions and declarations name.
fn renumber(system: &mut System, number: impl Fn(usize) -> usize) {
    change_all(system, &mut |instruction| {
        if let Instruction::Send { to, .. } | Instruction::Connect { to, .. } = instruction {
            *to = number(*to);
        }
    });
    let named = system.network.tcp.iter_mut().flat_map(|tcp| &mut tcp.processes);
    named.for_each(|process| *process = number(*process));
}

/// Both systems side by side; the faults are those of the first and befall only its processes.
pub fn beside(system: &System, stranger: &System) -> System {
    let own = system.processes.len();
    let mut both = stranger.clone();
    both.network = Network { tcp: None, ..Network::reliable() };
    renumber(&mut both, |process| process + own);
    let mut processes = system.processes.clone();
    processes.append(&mut both.processes);
    let mut network = system.network.clone();
    if let Some(tcp) = network.tcp.as_mut().filter(|tcp| tcp.processes.is_empty()) {
        tcp.processes = (0..own).collect();
    }
    System { processes, network }
}

/// A check of the system where only packets of the first `perturbed` processes are perturbed.
pub fn checker(system: &System, reduction: bool, perturbed: usize) -> Checker {
    let mut udp = interpreter::udp(&system.network);
    for process in 0..perturbed {
        udp = udp.process(program::name(process));
    }
    interpreter::checker(system, (Order::By(Search::Bfs), reduction, false))
        .udp(udp)
        .threads(1)
        .identity(Identity::History)
        .max_states(STATES_MAX)
}

/// All processes, by number.
pub fn check(system: &System, checker: &Checker) -> Outcome {
    check_in_order(system, checker, &(0..system.processes.len()).collect::<Vec<_>>())
}

/// The same, registered in another order.
pub fn check_in_order(system: &System, checker: &Checker, order: &[usize]) -> Outcome {
    let shared = Arc::new(system.clone());
    let (report, ends) =
        interpreter::check_with(checker, system, |net, index| interpreter::register_nth(net, &shared, order[index]));
    Outcome::new(&report, names(system), ends)
}

/// The same with something else registered besides, before or after them.
pub fn check_beside(system: &System, checker: &Checker, is_first: bool, register: impl Fn(&mut Registry)) -> Outcome {
    let shared = Arc::new(system.clone());
    let last = system.processes.len() - 1;
    let (report, ends) = interpreter::check_with(checker, system, |net, index| {
        if is_first && index == 0 {
            register(net);
        }
        interpreter::register_nth(net, &shared, index);
        if !is_first && index == last {
            register(net);
        }
    });
    Outcome::new(&report, names(system), ends)
}

fn names(system: &System) -> impl Iterator<Item = String> {
    (0..system.processes.len()).map(program::name)
}

pub fn shrink(system: &System, fails: &mut dyn FnMut(&System) -> bool) -> System {
    generate::shrink(system, fails)
}
