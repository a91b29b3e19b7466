//! Which of the tasks that wait in a deadlock is probably to blame.
//!
//! A task waits for *providers*: the other tasks that could still end its wait. It is taken to have too many rather than too
//! few, so that having none is certain. Programs share only the network, so the provider of bytes is a task at the other
//! end of the connection (one that waits on that end, if there is one), that of a datagram a process which has exchanged
//! datagrams with its own, that of an isolated task's end this task, and that of a lock, a channel or whatever else is in
//! memory another task of its unit.
//!
//! From a task one comes, from provider to provider, to tasks that wait for each other only, or for nobody: a *core*. The
//! others wait for a core, directly or not, and would perhaps go on if it did. So:
//!
//! - A core of one task that has no provider is to blame, and the reason is what it waits for in vain.
//! - A core of two or more tasks is a cycle, and each of them is to blame. That is said of three or more only if each has
//!   one provider: with several, it would be a guess.
//! - A daemon that waits for a connection or a datagram is idle, as daemons may be for ever: it is to blame for nothing, and a
//!   task that has only idle providers is a core.
//! - The least execution has as few faults as possible, so a datagram that was lost has caused the deadlock: of its
//!   receiver and its sender, the first that waits for a datagram is to blame. The same goes for a datagram to a port where
//!   nobody was bound, and for a call that is never answered.
//!
//! Where none of this applies, nothing is said.

use crate::trace::step::{Doing, Kind, Step, process};
use netcheck_runtime::id::{ProcessId, TaskId, UnitId};
use netcheck_runtime::operation::{Offer, Operation, Stream, mailboxes, tasks, tcp, udp};
use netcheck_runtime::unit::wording;
use netcheck_runtime::world::system::System;
use std::collections::BTreeSet;

/// Cores that are named at the most, and tasks of a core.
const CORES_MAX: usize = 3;
const CORE_MAX: usize = 12;

/// A task that waits.
struct Waiter {
    name: String,
    unit: UnitId,
    process: ProcessId,
    waits: Vec<Wait>,
    is_daemon: bool,
    is_at_rest: bool,
}

/// Something that a task waits for.
enum Wait {
    /// The other end of a connection.
    Peer {
        process: Option<ProcessId>,
        stream: Stream,
    },
    Datagram,
    Connection,
    /// A connect that is not answered yet.
    Answer {
        process: Option<ProcessId>,
    },
    EndOf(UnitId),
    /// A process that has to wait first.
    Begin,
    /// A lock, a channel or the like, in words.
    Memory(String),
    Other,
}

/// The tasks that are probably to blame, in words; `None` if nothing can be said. Only those of the units with the names
/// `at_rest` may be, if there are any: others go on.
pub(super) fn blamed(system: &System, (state, at_rest): (&[u32], &[String]), steps: &[Step]) -> Option<String> {
    let waiters = waiters(system, state, at_rest);
    if let Some(fault) = fault(&waiters, system, steps) {
        return Some(fault);
    }
    let providers: Vec<Vec<usize>> = waiters.iter().map(|waiter| providers(waiter, &waiters, system, steps)).collect();
    let is_idle: Vec<bool> = waiters.iter().map(Waiter::is_idle).collect();
    let cores = cores(&providers, &is_idle);
    let at_rest = cores.iter().filter(|core| core.iter().all(|&one| waiters[one].is_at_rest));
    let words = at_rest.filter_map(|core| in_words(core, &waiters, &providers, &is_idle));
    let words: Vec<String> = words.take(CORES_MAX).collect();
    (!words.is_empty()).then(|| words.join("; "))
}

impl Waiter {
    fn is_idle(&self) -> bool {
        let is_offer = |wait: &Wait| matches!(wait, Wait::Datagram | Wait::Connection);
        self.is_daemon && !self.waits.is_empty() && self.waits.iter().all(is_offer)
    }

    fn is_on(&self, other_end: Stream) -> bool {
        self.waits.iter().any(|wait| {
            matches!(wait, Wait::Peer { stream, .. }
                if stream.local.port() == other_end.peer.port() && stream.peer.port() == other_end.local.port())
        })
    }
}

fn waiters(system: &System, state: &[u32], at_rest: &[String]) -> Vec<Waiter> {
    let shared = system.shared();
    let mut waiters = Vec::new();
    for (unit, node) in system.live_units(state) {
        let process = system.process_of(unit);
        let is_daemon = system.processes[process.0 as usize].daemon;
        let offers = &system.learner.automata.node(node).offers;
        let explained = shared.waiting(node).unwrap_or_default();
        let tasks: BTreeSet<TaskId> =
            offers.iter().map(|offer| offer.task).chain(explained.iter().map(|waiting| waiting.task)).collect();
        for task in tasks {
            let of_task = offers.iter().filter(|offer| offer.task == task);
            let mut waits: Vec<Wait> = of_task.map(|offer| wait(system, process, offer)).collect();
            let awaited = explained.iter().filter(|waiting| waiting.task == task).flat_map(|waiting| &waiting.awaited);
            waits.extend(awaited.map(|words| Wait::Memory(words.clone())));
            let unit_name = shared.unit(unit).name;
            let is_at_rest = at_rest.is_empty() || at_rest.contains(&unit_name);
            let name = if task.0 == 0 { unit_name } else { format!("{unit_name} (task {})", task.0) };
            waiters.push(Waiter { name, unit, process, waits, is_daemon, is_at_rest });
        }
    }
    waiters
}

fn wait(system: &System, process: ProcessId, offer: &Offer) -> Wait {
    match offer.operation.itself() {
        Operation::Tcp(
            tcp::Operation::Read { stream, .. }
            | tcp::Operation::Write { stream, .. }
            | tcp::Operation::Ready { stream, .. }
            | tcp::Operation::Shutdown { stream },
        ) => Wait::Peer { process: system.process_at(process, stream.peer), stream: *stream },
        Operation::Tcp(tcp::Operation::Open { peer, .. }) => {
            Wait::Answer { process: system.process_at(process, *peer) }
        }
        Operation::Tcp(tcp::Operation::Accept { .. }) => Wait::Connection,
        Operation::Udp(udp::Operation::Receive { .. }) | Operation::Mailboxes(mailboxes::Operation::Receive { .. }) => {
            Wait::Datagram
        }
        Operation::Tasks(tasks::Operation::Join { child, .. }) => Wait::EndOf(*child),
        Operation::Tasks(tasks::Operation::Start | tasks::Operation::Restart) => Wait::Begin,
        _ => Wait::Other,
    }
}

/// The tasks that could still end a wait.
fn providers(waiter: &Waiter, waiters: &[Waiter], system: &System, steps: &[Step]) -> Vec<usize> {
    if waiter.is_idle() {
        return Vec::new();
    }
    let all = |is_one: &dyn Fn(&Waiter) -> bool| -> Vec<usize> {
        let others = waiters.iter().enumerate().filter(|(_, other)| other.name != waiter.name);
        others.filter(|(_, other)| is_one(other)).map(|(index, _)| index).collect()
    };
    let name = |process: ProcessId| &system.shared().hosts[process.0 as usize].name;
    let mut providers = BTreeSet::new();
    for wait in &waiter.waits {
        providers.extend(match wait {
            Wait::Peer { process, stream } => {
                let on_it = all(&|other| Some(other.process) == *process && other.is_on(*stream));
                if on_it.is_empty() { all(&|other| Some(other.process) == *process) } else { on_it }
            }
            Wait::Answer { process } => all(&|other| Some(other.process) == *process),
            Wait::Datagram => {
                let own = name(waiter.process);
                let have_met = |other: &Waiter| {
                    let other = name(other.process);
                    steps.iter().any(|step| {
                        let (of, peer) = (process(&step.process), step.peer.as_deref());
                        step.kind == Kind::Send
                            && ((of == own && peer == Some(other)) || (of == other && peer == Some(own)))
                    })
                };
                all(&have_met)
            }
            Wait::Connection => all(&|_| true),
            Wait::EndOf(unit) => all(&|other| other.unit == *unit),
            Wait::Begin => {
                let after = &system.processes[waiter.process.0 as usize].after;
                all(&|other| after.contains(&other.process))
            }
            Wait::Memory(_) => all(&|other| other.unit == waiter.unit),
            Wait::Other => all(&|_| true),
        });
    }
    providers.into_iter().collect()
}

/// The sets of tasks that wait for each other only, or for idle ones, or for nobody; without the idle ones themselves.
fn cores(providers: &[Vec<usize>], is_idle: &[bool]) -> Vec<Vec<usize>> {
    let needed: Vec<Vec<usize>> =
        providers.iter().map(|all| all.iter().copied().filter(|&one| !is_idle[one]).collect()).collect();
    let reached: Vec<BTreeSet<usize>> = (0..needed.len())
        .map(|from| {
            let (mut reached, mut open) = (BTreeSet::from([from]), vec![from]);
            while let Some(at) = open.pop() {
                open.extend(needed[at].iter().copied().filter(|&next| reached.insert(next)));
            }
            reached
        })
        .collect();
    let is_core = |from: &usize| !is_idle[*from] && reached[*from].iter().all(|&to| reached[to].contains(from));
    let is_first = |from: &usize| reached[*from].first() == Some(from);
    (0..needed.len()).filter(is_core).filter(is_first).map(|from| reached[from].iter().copied().collect()).collect()
}

fn in_words(core: &[usize], waiters: &[Waiter], providers: &[Vec<usize>], is_idle: &[bool]) -> Option<String> {
    let name = |index: &usize| waiters[*index].name.as_str();
    match core {
        [alone] => {
            let idle: Vec<&str> = providers[*alone].iter().filter(|&&one| is_idle[one]).map(name).collect();
            let why = if idle.is_empty() {
                in_vain(&waiters[*alone])?
            } else {
                format!(
                    "whose wait only {} could end, which waits for a connection or a datagram itself",
                    idle.join(" or ")
                )
            };
            Some(format!("{}, {why}", name(alone)))
        }
        [one, other] => Some(format!("{} and {}, which wait for each other", name(one), name(other))),
        _ if core.len() <= CORE_MAX && core.iter().all(|&one| providers[one].len() == 1) => {
            let (mut names, mut at) = (Vec::new(), core[0]);
            for _ in core {
                names.push(name(&at));
                at = providers[at][0];
            }
            Some(format!("a cycle: {}, each of which waits for the next, and the last for the first", names.join(", ")))
        }
        _ => None,
    }
}

/// Why nobody can end the wait of a task.
fn in_vain(waiter: &Waiter) -> Option<String> {
    let [wait] = &waiter.waits[..] else {
        return waiter.waits.is_empty().then(|| format!("which waits for {}", wording::NOTHING));
    };
    let why = match wait {
        Wait::Memory(words) if words.starts_with("the lock") => {
            "which is the only task left there: it has the lock itself, or a guard was kept".to_owned()
        }
        Wait::Memory(words) if words.contains("value in") || words.contains("channel's value") => {
            "which is the only task left there: a sender is kept, and nobody sends".to_owned()
        }
        Wait::Memory(words) if words.starts_with("room in") => {
            "which is the only task left there: the receiver is kept, and nobody receives".to_owned()
        }
        Wait::Memory(_) => "which is the only task left there: nobody else could end the wait".to_owned(),
        Wait::Datagram => "which waits for a datagram that nobody sends".to_owned(),
        Wait::Connection => "which waits for a connection that nobody opens".to_owned(),
        _ => return None,
    };
    Some(why)
}

/// A fault, or a datagram that went nowhere, after which a task waits.
fn fault(waiters: &[Waiter], system: &System, steps: &[Step]) -> Option<String> {
    let waits_in = |process: &str, is_meant: fn(&Wait) -> bool| {
        let of_process = |waiter: &&Waiter| system.shared().hosts[waiter.process.0 as usize].name == process;
        let mut stuck = waiters.iter().filter(of_process).filter(|waiter| waiter.is_at_rest && !waiter.is_idle());
        stuck.find(|waiter| waiter.waits.iter().any(is_meant))
    };
    let is_datagram = |wait: &Wait| matches!(wait, Wait::Datagram);
    for (number, step) in (1..).zip(steps).collect::<Vec<_>>().into_iter().rev() {
        for doing in &step.network {
            let (from, what) = match doing {
                Doing::Lost { sent: Some(sent), .. } => (*sent, "is lost"),
                Doing::Lost { sent: None, .. } if step.kind == Kind::Send => (number, "is lost"),
                Doing::Unbound if step.kind == Kind::Send => (number, "went to a port where nobody was bound"),
                _ => continue,
            };
            let Some(sent) = steps.get(from.wrapping_sub(1)) else { continue };
            let receiver = sent.peer.as_deref().and_then(|peer| waits_in(peer, is_datagram));
            if let Some(waiter) = receiver.or_else(|| waits_in(process(&sent.process), is_datagram)) {
                let payload = sent.payload.as_deref().unwrap_or("a datagram");
                return Some(format!(
                    "{}, which waits without a time-out for a datagram: {payload} of step {from} {what}, and nobody sends it again",
                    waiter.name
                ));
            }
        }
        if step.network.contains(&Doing::Hung) {
            let is_answer = |wait: &Wait| matches!(wait, Wait::Answer { .. });
            let waiter = waiters.iter().find(|waiter| waiter.waits.iter().any(is_answer))?;
            return Some(format!(
                "{}, which waits without a time-out for an answer that never comes (step {number})",
                waiter.name
            ));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(providers: &[&[usize]], idle: &[usize]) -> Vec<Vec<usize>> {
        let providers: Vec<Vec<usize>> = providers.iter().map(|all| all.to_vec()).collect();
        let is_idle: Vec<bool> = (0..providers.len()).map(|index| idle.contains(&index)).collect();
        cores(&providers, &is_idle)
    }

    #[test]
    fn cores_are_what_others_wait_for() {
        assert_eq!(found(&[&[1], &[]], &[]), [[1]]);
        assert_eq!(found(&[&[1], &[0], &[0]], &[]), [[0, 1]]);
        assert_eq!(found(&[&[1], &[2], &[0]], &[]), [[0, 1, 2]]);
        assert_eq!(found(&[&[], &[]], &[]), [[0], [1]]);
        // Whoever waits for an idle task only is a core.
        assert_eq!(found(&[&[1], &[], &[0]], &[1]), [[0]]);
    }

    /// By definition: a core is closed under needs, and each of its tasks needs all others, directly or not.
    #[test]
    fn of_random_waits_each_task_comes_to_a_core() {
        let mut seed = 7_u64;
        let mut random = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 40) as usize
        };
        for _ in 0..1_000 {
            let count = 1 + random() % 6;
            let providers: Vec<Vec<usize>> =
                (0..count).map(|from| (0..count).filter(|&to| to != from && random() % 4 == 0).collect()).collect();
            // Warshall's closure.
            let mut reach: Vec<Vec<bool>> = (0..count)
                .map(|from| (0..count).map(|to| from == to || providers[from].contains(&to)).collect())
                .collect();
            for via in 0..count {
                let beyond = reach[via].clone();
                for row in reach.iter_mut().filter(|row| row[via]) {
                    row.iter_mut().zip(&beyond).for_each(|(reached, further)| *reached |= further);
                }
            }
            let cores = cores(&providers, &vec![false; count]);
            for (from, reached) in reach.iter().enumerate() {
                let of_it = cores.iter().filter(|core| core.iter().any(|&to| reached[to])).count();
                assert!(of_it >= 1, "{providers:?}");
                let is_in = cores.iter().find(|core| core.contains(&from));
                let is_bottom = (0..count).all(|to| !reached[to] || reach[to][from]);
                assert_eq!(is_in.is_some(), is_bottom, "{providers:?}");
                if let Some(core) = is_in {
                    assert_eq!(*core, (0..count).filter(|&to| reached[to]).collect::<Vec<_>>());
                }
            }
        }
    }
}
