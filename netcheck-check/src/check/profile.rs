//! The profile of a check: which process has how many local states, which component of the states has how many values,
//! and which words would make the check smaller.

use super::setup::Job;
use super::{Checker, Identity, Search, Tasks};
use crate::network::Registered;
use crate::profile::{ComponentProfile, ProcessProfile, Profile};
use ahash::AHashSet;
use netcheck_runtime::id::{ProcessId, SocketId, TaskId, UnitId};
use netcheck_runtime::operation::{Offer, Operation};
use netcheck_runtime::search::plan::Advisor;
use netcheck_runtime::unit::source_line;
use netcheck_runtime::world::components::{Component, ComponentId};
use netcheck_runtime::world::store::Store;
use netcheck_runtime::world::system::System;
use netcheck_runtime::world::udp;
use std::collections::{BTreeMap, BTreeSet};
use std::panic::Location;
use std::time::Duration;

/// States in which values are counted at the most.
const SAMPLED_MAX: usize = 4_096;

/// Values in the sample from which on a component is worth a word.
const VALUES_MIN: usize = 8;

/// Components that are kept at the most.
const COMPONENTS_MAX: usize = 8;

/// Local states of a process for each set of operations that it waits for, from which on its channels are worth a word.
const COUNTED_MIN: usize = 4;

/// Different values of what is under way to a socket from which they are worth a word.
const PILED_MIN: usize = 50;

/// An instant so long ago is worth a word.
const LONG_AGO: Duration = Duration::from_secs(60);

/// Local states of a process from which on it is worth a word.
const LOCAL_STATES_MIN: usize = 100;

impl Advisor for Job {
    fn advice(&self, system: &System, store: &Store) -> Vec<String> {
        self.profile(system, store).advice
    }
}

impl Job {
    /// What the check's size comes from, as far as it has come.
    pub(super) fn profile(&self, system: &System, store: &Store) -> Profile {
        let processes = self.processes(system);
        let values = store.count_values(SAMPLED_MAX);
        let components = components(system, &values);
        let advice = self.advice_about((system, &values), &processes, &components);
        Profile { processes, components, advice }
    }

    /// The processes, those with the most local states first.
    fn processes(&self, system: &System) -> Vec<ProcessProfile> {
        let shared = system.shared();
        let mut processes: Vec<ProcessProfile> = self
            .registered
            .processes
            .iter()
            .map(|process| ProcessProfile { name: process.name.clone(), ..ProcessProfile::default() })
            .collect();
        let mut waits = vec![AHashSet::new(); processes.len()];
        for node in &system.learner.automata.nodes {
            let UnitId(unit) = node.unit;
            // Some nodes are common to all units.
            if unit as usize >= shared.units() {
                continue;
            }
            let process = shared.process_of(node.unit).0 as usize;
            let tasks: BTreeSet<TaskId> = node.offers.iter().map(|offer| offer.task).collect();
            processes[process].local_states += 1;
            processes[process].tasks = processes[process].tasks.max(tasks.len());
            waits[process].insert((node.unit, node.waits()));
        }
        let by_process = |lines: Vec<(UnitId, &'static Location<'static>)>| {
            let mut places: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
            for (unit, location) in lines {
                let process = shared.process_of(unit).0 as usize;
                places.entry(process).or_default().insert(source_line::place(location));
            }
            places.into_iter().map(|(process, lines)| (process, lines.into_iter().collect()))
        };
        by_process(shared.spawning_lines()).for_each(|(process, lines)| processes[process].spawned_at = lines);
        by_process(shared.channel_lines()).for_each(|(process, lines)| processes[process].channels_at = lines);
        processes.iter_mut().zip(waits).for_each(|(process, waits)| process.waits = waits.len());
        processes.sort_by_key(|process| std::cmp::Reverse(process.local_states));
        processes
    }

    /// A program asks how long ago an instant is that it has kept for long.
    fn about_old_instants(&self, system: &System) -> Option<String> {
        let asked = Duration::from_nanos(system.demands.reach_ns.unsigned_abs());
        (asked >= LONG_AGO && system.demands.clock && !system.demands.start && self.checker.duration.is_none()).then(|| {
            format!(
                "a program asks how long ago an instant is that it keeps, up to {asked:?}, and states differ by that: \
                 `duration = 10s` explores the first 10 seconds; or renew what is asked for"
            )
        })
    }

    /// What may make the check smaller, the most promising first.
    fn advice_about(
        &self,
        (system, values): (&System, &[usize]),
        processes: &[ProcessProfile],
        components: &[ComponentProfile],
    ) -> Vec<String> {
        let largest = processes.first().filter(|process| process.local_states >= LOCAL_STATES_MIN);
        let advice = [
            about_unread(system, values),
            self.about_old_instants(system),
            components.iter().find(|component| component.is_clock).map(|_| {
                let keep = "keep only differences of instants that decide something";
                match self.checker.duration {
                    None => format!(
                        "a program reads the clock, so states differ by the time since the start: `duration = 10s` \
                         explores the first 10 seconds; or {keep}"
                    ),
                    Some(_) => {
                        format!("a program reads the clock, so states differ by the time since the start: {keep}")
                    }
                }
            }),
            largest.and_then(|process| self.about_channels(process)),
            largest.and_then(|process| self.about_tasks(process)),
            self.about_identity(),
            self.about_likeness(),
            self.about_order(),
            self.about_faults(),
            Some(
                "`search = simulate(time = 30)` runs random executions instead: it hunts for bugs, and proves nothing"
                    .to_owned(),
            ),
        ];
        advice.into_iter().flatten().collect()
    }

    fn about_tasks(&self, process: &ProcessProfile) -> Option<String> {
        let ProcessProfile { name, tasks, spawned_at, .. } = process;
        if *tasks < 2 || self.checker.tasks != Tasks::Shared {
            return None;
        }
        let lines = spawned_at.join(", ");
        let at = if lines.is_empty() { String::new() } else { format!(" (spawned at {lines})") };
        Some(format!(
            "\"{name}\" has up to {tasks} tasks at a time{at}, in any order: `#[netcheck::process]` on a function that is \
             spawned and shares no memory; else `tasks = tracked`, if tasks share only through `netcheck::tracked`; or \
             `tasks = fifo`, if tokio's order of one thread is enough"
        ))
    }

    /// Local states by memory that wait for the same, of a process that counts what it sends.
    fn about_channels(&self, process: &ProcessProfile) -> Option<String> {
        let ProcessProfile { name, local_states, channels_at, waits, .. } = process;
        let is_by_memory = self.checker.tasks != Tasks::Tracked && self.about_identity().is_none();
        if !is_by_memory || channels_at.is_empty() || *local_states < COUNTED_MIN * waits {
            return None;
        }
        Some(format!(
            "\"{name}\" makes channels of tokio's own (at {}), which number what is sent, so local states that differ by \
             nothing else are told apart: of {local_states} there are only {waits} that wait for something else. Those of \
             `netcheck::tracked::sync` have no numbers (`extern crate netcheck_tracked as tokio`, or \
             `use netcheck::tracked as tokio`)",
            channels_at.join(", ")
        ))
    }

    fn about_identity(&self) -> Option<String> {
        let is_history = self.checker.identity == Some(Identity::History);
        let why = "local states are told apart by their whole pasts";
        match (is_history, self.checker.symmetry, self.checker.identity) {
            (true, ..) => Some(format!("{why}: leave `identity = history` out")),
            (_, true, None) => Some(format!("{why} where `symmetry` is used: try `identity = memory` with it")),
            _ => None,
        }
    }

    fn about_likeness(&self) -> Option<String> {
        let processes = &self.registered.processes;
        let are_alike = |[a, b]: [&Registered; 2]| a.kind() == b.kind() && a.after == b.after;
        let pairs =
            processes.iter().enumerate().flat_map(|(index, a)| processes[index + 1..].iter().map(move |b| [a, b]));
        let [a, b] = pairs.into_iter().find(|pair| are_alike(*pair))?;
        (!self.checker.symmetry && !self.has_monitors() && self.checker.tasks != Tasks::Tracked).then(|| {
            format!(
                "\"{}\" and \"{}\" are registered with one function: with `symmetry = true`, a state counts once however \
                 such processes are exchanged, unless their arguments make them differ",
                a.name, b.name
            )
        })
    }

    fn about_order(&self) -> Option<String> {
        (self.is_dense() && self.checker.search.is_none_or(|search| search == Search::Bfs)).then(|| {
            "`search = joint` goes by the packets that were sent or read: with `delay`, more states are covered by others \
             then, and left out"
                .to_owned()
        })
    }

    fn about_faults(&self) -> Option<String> {
        let checker = &self.checker;
        let faults = Checker { duration: None, ..checker.clone() }.faults_in_words();
        (!faults.is_empty() && checker.at_most.is_none()).then(|| {
            format!("`{faults}` may happen at every packet or call: `at_most = 2` bounds the faults of an execution")
        })
    }
}

/// Datagrams pile up that are sent to a socket from which the program, as far as it is known, never receives.
fn about_unread(system: &System, values: &[usize]) -> Option<String> {
    let shared = system.shared();
    let receives = |offer: &Offer, socket: SocketId| match offer.operation.itself() {
        Operation::Udp(
            udp::Operation::Receive { socket: from, .. } | udp::Operation::TryReceive { socket: from, .. },
        ) => *from == socket,
        _ => false,
    };
    let many = |component: ComponentId| values.get(component.0 as usize).is_some_and(|&values| values >= PILED_MIN);
    let mut channels = system.components.iter().filter(|&(id, _)| many(id));
    let (from, to) = channels.find_map(|(_, component)| match component {
        Component::Channel { from, to } => {
            let mut offers = system.learner.automata.nodes.iter().flat_map(|node| &node.offers);
            (!offers.any(|offer| receives(offer, to))).then_some((from, to))
        }
        _ => None,
    })?;
    let [from, to] = [from, to].map(|socket| shared.unit(socket.unit).name);
    Some(format!(
        "\"{to}\" has not received anything from a socket to which \"{from}\" sends, and what is under way to it piles up: let \
         it receive, or the other stop"
    ))
}

/// The components that have the most values in a sample of the states; `values`: how many each of them has.
fn components(system: &System, values: &[usize]) -> Vec<ComponentProfile> {
    let mut components: Vec<ComponentProfile> = system
        .components
        .iter()
        .filter_map(|(id, component)| {
            let values = values.get(id.0 as usize).copied().unwrap_or(0);
            let name = in_words(system, component).filter(|_| values >= VALUES_MIN)?;
            Some(ComponentProfile { name, values, is_clock: component == Component::Clock })
        })
        .collect();
    components.sort_by(|a, b| b.values.cmp(&a.values).then_with(|| a.name.cmp(&b.name)));
    // Of the connections between two processes, the one with the most values stands for all.
    let mut named = BTreeSet::new();
    components.retain(|component| named.insert(component.name.clone()));
    components.truncate(COMPONENTS_MAX);
    components
}

/// A component that is no local state of a process, in words.
fn in_words(system: &System, component: Component) -> Option<String> {
    let shared = system.shared();
    let host = |process: ProcessId| shared.hosts[process.0 as usize].name.clone();
    Some(match component {
        Component::Channel { from, to } => {
            let [from, to] = [from, to].map(|socket| shared.unit(socket.unit).name);
            format!("datagrams from \"{from}\" under way to \"{to}\"")
        }
        Component::Astray { to: (process, _), .. } => format!("datagrams under way to \"{}\"", host(process)),
        Component::Buffer(socket) => format!("datagrams that have arrived at \"{}\"", shared.unit(socket.unit).name),
        Component::Connection(connection) => {
            let [from, to] = system.connections.processes(connection).map(host);
            format!("TCP connections from \"{from}\" to \"{to}\"")
        }
        Component::Timers(unit) => format!("the timers of \"{}\"", shared.unit(unit).name),
        Component::Clock => "the clock, which a program reads".to_owned(),
        Component::Zone => "the instants of what is to come".to_owned(),
        Component::Faults => "the number of faults".to_owned(),
        Component::Monitor(_) => "where a monitor is".to_owned(),
        Component::Unit(_)
        | Component::Handle(_)
        | Component::Port(..)
        | Component::Head(_)
        | Component::StreamPort(..)
        | Component::Hung(_)
        | Component::Dialed(_)
        | Component::Scope(_)
        | Component::Observed => return None,
    })
}
