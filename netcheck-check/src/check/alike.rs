//! Processes and tasks that are taken to be alike, as far as the searches so far have shown.

use super::Tasks;
use super::setup::Job;
use crate::network::Registered;
use netcheck_runtime::id::{ProcessId, UnitId};
use netcheck_runtime::reduction::symmetry::{Classes, Known};
use netcheck_runtime::unit::names::task_name;
use netcheck_runtime::world::system::{Asymmetry, LikeTasks};

impl Job {
    /// The processes and tasks that may be alike, as far as is known; `None` if symmetry is not asked for, or given up.
    pub(super) fn like_processes(&self) -> Option<Classes> {
        let processes = &self.registered.processes;
        let (tracked, given_up) = (self.checker.tasks == Tasks::Tracked, self.asymmetries.iter().any(is_hopeless));
        let tasks: usize = self.tasks.iter().map(|(tasks, _)| tasks.indices.len()).sum();
        let are_too_many = self.asymmetries.len() > 2 * (processes.len() + tasks);
        if !self.checker.symmetry || tracked || given_up || are_too_many || self.has_monitors() {
            return None;
        }
        let first = |of: &Registered| processes.iter().position(|process| process.kind() == of.kind());
        let kinds: Vec<usize> = processes.iter().filter_map(first).collect();
        let unlike = self.asymmetries.iter().filter_map(|seen| seen.between);
        let unlike: Vec<[ProcessId; 2]> = unlike.map(|pair| pair.map(|UnitId(index)| ProcessId(index))).collect();
        let (after, declared, tasks) = (&self.after, &self.declared, &self.tasks);
        Some(Classes::of(&Known { kinds: &kinds, after, declared, unlike: &unlike, tasks }))
    }

    /// The names of processes and tasks that were taken to be alike, and why others were not.
    pub(super) fn symmetry(&self) -> (Vec<Vec<String>>, Vec<String>) {
        let like = self.like_processes().unwrap_or_default();
        let are_empty = like.are_empty();
        let Classes { classes, tasks, left_out, .. } = like;
        let names = |processes: &Vec<ProcessId>| -> Vec<String> {
            processes.iter().map(|process| self.registered.processes[process.0 as usize].name.clone()).collect()
        };
        let mut reasons: Vec<String> = self.asymmetries.iter().map(|seen| seen.reason.clone()).collect();
        reasons.dedup();
        if !left_out.is_empty() {
            reasons.push(format!("of {}, there would be too many permutations", names(&left_out).join(", ")));
        }
        if self.checker.symmetry && self.checker.tasks == Tasks::Tracked {
            reasons.push("what tracked tasks share is not known by number (`tasks = tracked`)".to_owned());
        } else if self.checker.symmetry && self.has_monitors() {
            reasons.push("a monitor sees which process is which".to_owned());
        } else if self.checker.symmetry && are_empty && reasons.is_empty() {
            reasons
                .push("no two processes are registered with the same closure or function, in the same way".to_owned());
        }
        let task_names = |LikeTasks { of, name, indices }: &LikeTasks| -> Vec<String> {
            let process = &self.registered.processes[of.0 as usize].name;
            indices.iter().map(|&index| task_name(process, name, index)).collect()
        };
        (classes.iter().map(names).chain(tasks.iter().map(task_names)).collect(), reasons)
    }
}

/// Whether the asymmetry says that no processes may be taken to be alike.
fn is_hopeless(asymmetry: &Asymmetry) -> bool {
    asymmetry.between.is_none()
}
