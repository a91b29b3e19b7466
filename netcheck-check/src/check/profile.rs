//! The profile of a check: which process has how many local states, which component of the states has how many values, and
//! what may make the check smaller.

use super::advice::Measured;
use super::setup::Job;
use crate::profile::{ComponentProfile, ProcessProfile, Profile};
use ahash::AHashSet;
use netcheck_runtime::id::{ProcessId, TaskId, UnitId};
use netcheck_runtime::unit::source_line;
use netcheck_runtime::world::components::Component;
use netcheck_runtime::world::store::Store;
use netcheck_runtime::world::system::System;
use std::collections::{BTreeMap, BTreeSet};
use std::panic::Location;

/// States in which values are counted at the most.
const SAMPLED_MAX: usize = 4_096;

/// Values in the sample from which on a component is worth a word.
const VALUES_MIN: usize = 8;

/// Components that are kept at the most.
const COMPONENTS_MAX: usize = 8;

impl Job {
    /// The sources of the check's size, as far as it has come; `is_too_big`: whether it goes on, or was cut off.
    pub(super) fn profile(&self, system: &System, store: &Store, is_too_big: bool) -> Profile {
        let processes = self.processes(system);
        let values = store.count_values(SAMPLED_MAX);
        let components = components(system, &values);
        let measured = Measured { system, store, values: &values, processes: &processes, components: &components };
        let advice = self.advice_about(&measured, is_too_big);
        Profile { processes, components, advice, differences: None }
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
    // The connection with the most values stands for all between the same two processes.
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
            match system.connections.is_unix(connection) {
                true => format!("connections of Unix domain sockets in \"{to}\""),
                false => format!("TCP connections from \"{from}\" to \"{to}\""),
            }
        }
        Component::Mailboxes(process) => format!("datagrams of Unix domain sockets in \"{}\"", host(process)),
        Component::Reach => "the links that are cut".to_owned(),
        Component::Storage(process) => format!("what is durable of the files of \"{}\"", host(process)),
        Component::Timers(unit) => format!("the timers of \"{}\"", shared.unit(unit).name),
        Component::Clock => "the clock, which a program reads".to_owned(),
        Component::Zone => "the instants of what is to come".to_owned(),
        Component::Faults => "the number of faults".to_owned(),
        Component::Turn => "whose turn it is, and how many steps came out of turn".to_owned(),
        Component::Monitor(_) => "where a monitor is".to_owned(),
        Component::Unit(_)
        | Component::Handle(_)
        | Component::Port(..)
        | Component::Head(_)
        | Component::StreamPort(..)
        | Component::SocketFile(..)
        | Component::Hung(_)
        | Component::Waited(_)
        | Component::Dialed(_)
        | Component::Scope(_)
        | Component::Observed => return None,
    })
}
