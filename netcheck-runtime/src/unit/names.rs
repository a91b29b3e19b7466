//! Processes and isolated tasks by name: their hosts, their addresses, and numbers that are the same in every run.

use crate::id::{ProcessId, UnitId};
use netcheck_models::host::{Addresses, ephemeral};
use netcheck_models::storage::Tree;
use std::num::NonZeroU64;
use std::sync::Arc;

/// A process's name and addresses.
#[derive(Clone)]
pub struct Host {
    pub name: String,
    pub addresses: Addresses,
    /// The arguments of the process.
    pub args: Arc<[String]>,
    /// The files that are there at the start.
    pub files: Arc<Tree>,
}

/// A unit's name, and the process and the unit that it belongs to.
#[derive(Clone, Debug)]
pub struct UnitInfo {
    pub process: ProcessId,
    pub(crate) parent: Option<UnitId>,
    /// The process's name, or `client/producer` for an isolated task.
    pub name: String,
    /// For an isolated task: its function, and the number of tasks of that function that its parent had spawned before
    /// it.
    pub ordinal: Option<(&'static str, u32)>,
    /// Less than [`UNIT_NUMBERS`]. For a process: the number of processes registered before it. For an isolated task:
    /// computed from its place in the program (process, functions and ordinals of its ancestors, its own). It does not
    /// depend on what was learned before, so it is the same in every run; two isolated tasks may have the same number.
    pub(crate) number: u32,
    /// How often the process had crashed before.
    pub(crate) crashes: u32,
}

/// The number of unit numbers: each owns some ephemeral ports.
pub(crate) const UNIT_NUMBERS: u32 = ephemeral::OWNERS;

impl UnitInfo {
    /// The root of a process.
    pub(super) fn of_process(id: u32, host: &Host) -> Self {
        let (process, number) = (ProcessId(id), id % UNIT_NUMBERS);
        UnitInfo { process, parent: None, name: host.name.clone(), ordinal: None, number, crashes: 0 }
    }

    /// The root of a process that has crashed this often, in a check with this number of processes.
    pub(super) fn after_crashes(&self, crashes: u32, processes: u32) -> Self {
        UnitInfo { crashes, number: number_of_child(processes, self, "", crashes), ..self.clone() }
    }

    /// The `index`th isolated task of the function `name` that the unit `id` spawns, in a check with this number of
    /// processes.
    pub(super) fn child(&self, id: UnitId, name: &'static str, index: u32, processes: u32) -> Self {
        UnitInfo {
            process: self.process,
            parent: Some(id),
            name: task_name(&self.name, name, index),
            ordinal: Some((name, index)),
            number: number_of_child(processes, self, name, index),
            crashes: self.crashes,
        }
    }

    /// The number by which programs know one of the unit's tasks: 1, 2, … in a process. Isolated tasks are spawned in
    /// any order, so the numbers of the tasks of one follow from its own name; in like processes they are the same.
    pub(super) fn number_of_task(&self, number: u32) -> NonZeroU64 {
        let number = match self.name.split_once('/') {
            None => u64::from(number),
            Some((_process, own)) => hash(own).wrapping_add(u64::from(number)) | 1 << 63,
        };
        NonZeroU64::new(number).expect("the root of a process has no name")
    }
}

/// The name of the `index`th isolated task of the function `name` that the unit `of` spawns.
pub fn task_name(of: &str, name: &str, index: u32) -> String {
    match index {
        0 => format!("{of}/{name}"),
        n => format!("{of}/{name}#{}", n + 1),
    }
}

/// The number of the `index`th isolated task of a function that a task spawns: like tasks have consecutive numbers.
fn number_of_child(processes: u32, parent: &UnitInfo, name: &str, index: u32) -> u32 {
    let own = parent.name.split_once('/').map_or("", |(_process, own)| own);
    let crashes = if parent.crashes > 0 { format!("#{}", parent.crashes) } else { String::new() };
    let place = hash(&format!("{}{crashes}/{own}/{name}", parent.process.0)) as u32;
    let processes = processes.min(UNIT_NUMBERS - 1);
    processes + place.wrapping_add(index) % (UNIT_NUMBERS - processes)
}

/// A hash that is the same in every check (64-bit FNV-1a).
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
