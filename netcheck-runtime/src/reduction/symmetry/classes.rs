//! Which processes and tasks may be taken to be alike, before anything is known of what they do.

use crate::id::{ProcessId, UnitId};
use crate::unit::shared::Shared;
use crate::world::declared::Declared;
use crate::world::system::LikeTasks;

/// Permutations of like processes and tasks that are looked at for each state, at the most.
const PERMUTATIONS_MAX: usize = 5_040;

/// Processes that may be alike; each class has several, in the order of their registration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Classes {
    pub classes: Vec<Vec<ProcessId>>,
    /// How many processes there are.
    pub(crate) processes: usize,
    /// Isolated tasks that may be alike, of processes that are like no other.
    pub tasks: Vec<LikeTasks>,
    /// All isolated tasks that were seen to be spawned together, alike or not.
    pub(crate) seen: Vec<LikeTasks>,
    /// Processes that are left out because there would be too many permutations.
    pub left_out: Vec<ProcessId>,
}

/// The processes, as far as they are known.
pub struct Known<'a> {
    /// By process: processes of equal kinds were registered alike.
    pub kinds: &'a [usize],
    /// By process: the processes after which it starts.
    pub after: &'a [Vec<ProcessId>],
    pub declared: &'a Declared,
    /// Pairs that were seen to differ.
    pub unlike: &'a [[ProcessId; 2]],
    /// Isolated tasks that were seen to be spawned together, and pairs of them that were seen to differ.
    pub tasks: &'a [(LikeTasks, Vec<[u32; 2]>)],
}

impl Classes {
    pub fn of(known: &Known<'_>) -> Classes {
        let mut unlike = known.unlike.to_vec();
        let mut classes = known.classes(&unlike);
        loop {
            let apart = pairs(&classes).find(|&pair| !known.may_swap(pair));
            let Some(apart) = apart else { break };
            unlike.push(apart);
            classes = known.classes(&unlike);
        }
        let is_alone = |of: ProcessId| !classes.iter().flatten().any(|&process| process == of);
        let alike = known.tasks.iter().filter(|(tasks, _)| is_alone(tasks.of));
        let tasks = alike.flat_map(|(LikeTasks { of, name, indices }, unlike)| {
            let classes = grouped(indices.iter().copied(), |a, b| !unlike.contains(&[a, b]));
            classes.into_iter().map(|indices| LikeTasks { of: *of, name, indices })
        });
        let tasks = tasks.collect();
        let seen = known.tasks.iter().map(|(tasks, _)| tasks.clone()).collect();
        let mut classes = Classes { classes, processes: known.kinds.len(), tasks, seen, left_out: Vec::new() };
        classes.limit();
        classes
    }

    /// All of them by unit.
    pub(super) fn units(&self, shared: &Shared) -> Vec<Vec<UnitId>> {
        let processes = self.classes.iter().map(|class| class.iter().map(|process| UnitId(process.0)).collect());
        let tasks = self.tasks.iter().map(|LikeTasks { of, name, indices }| {
            indices.iter().map(|&index| shared.child(UnitId(of.0), name, index)).collect()
        });
        processes.chain(tasks).collect()
    }

    /// Whether there are no classes.
    pub fn are_empty(&self) -> bool {
        self.classes.is_empty() && self.tasks.is_empty()
    }

    /// The processes that a process may be exchanged with, itself among them.
    pub(crate) fn like(&self, process: ProcessId) -> Option<&[ProcessId]> {
        self.classes.iter().find(|class| class.contains(&process)).map(Vec::as_slice)
    }

    /// Leaves processes out until there are not too many permutations: the largest classes stay, as far as they can.
    fn limit(&mut self) {
        let mut largest_first: Vec<usize> = (0..self.classes.len()).collect();
        largest_first.sort_by_key(|&index| std::cmp::Reverse(self.classes[index].len()));
        let mut room = PERMUTATIONS_MAX;
        for index in largest_first {
            let class = &mut self.classes[index];
            let stay = taken(class.len(), &mut room);
            self.left_out.extend(class.drain(stay..));
        }
        for tasks in &mut self.tasks {
            let stay = taken(tasks.indices.len(), &mut room);
            tasks.indices.truncate(stay);
        }
        self.tasks.retain(|tasks| !tasks.indices.is_empty());
        self.classes.retain(|class| !class.is_empty());
        self.left_out.sort_unstable();
    }
}

/// Each element joins the first class of earlier elements that are all like it; classes of one element are left out.
fn grouped<T: Copy>(all: impl Iterator<Item = T>, are_like: impl Fn(T, T) -> bool) -> Vec<Vec<T>> {
    let mut classes: Vec<Vec<T>> = Vec::new();
    for one in all {
        match classes.iter_mut().find(|class| class.iter().all(|&other| are_like(other, one))) {
            Some(class) => class.push(one),
            None => classes.push(vec![one]),
        }
    }
    classes.retain(|class| class.len() > 1);
    classes
}

/// How many members of a class there is room for.
fn taken(class: usize, room: &mut usize) -> usize {
    let mut taken = 1;
    while taken < class && taken < *room {
        taken += 1;
        *room /= taken;
    }
    if taken > 1 { taken } else { 0 }
}

impl Known<'_> {
    /// Each process joins the first class whose members are all like it.
    fn classes(&self, unlike: &[[ProcessId; 2]]) -> Vec<Vec<ProcessId>> {
        let kind = |process: ProcessId| self.kinds[process.0 as usize];
        let processes = (0..self.kinds.len() as u32).map(ProcessId);
        grouped(processes, |a, b| kind(a) == kind(b) && !unlike.contains(&[a, b]))
    }

    /// Whether all that was registered and declared stays the same when two processes are exchanged.
    fn may_swap(&self, [a, b]: [ProcessId; 2]) -> bool {
        let swapped = |process: ProcessId| match process {
            process if process == a => b,
            process if process == b => a,
            process => process,
        };
        let starts_alike = |(process, after): (u32, &Vec<ProcessId>)| {
            let image = &self.after[swapped(ProcessId(process)).0 as usize];
            image.len() == after.len() && after.iter().all(|&first| image.contains(&swapped(first)))
        };
        let are_named =
            |named: Option<&Vec<ProcessId>>| named.is_none_or(|named| named.contains(&a) == named.contains(&b));
        let mut udp = self.declared.udp.iter();
        (0..).zip(self.after).all(starts_alike)
            && udp.all(|udp| are_named(udp.processes.as_ref()))
            && are_named(self.declared.tcp.processes.as_ref())
            && self.declared.crashes.iter().all(|crashes| are_named(Some(&crashes.processes)))
    }
}

/// Neighbours in their classes.
pub(super) fn pairs<T: Copy>(classes: &[Vec<T>]) -> impl Iterator<Item = [T; 2]> {
    classes.iter().flat_map(|class| class.windows(2).map(|pair| [pair[0], pair[1]]))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOBODY: &[u32] = &[];

    fn classes(kinds: &[usize], after: &[&[u32]], unlike: &[[u32; 2]]) -> Classes {
        let after: Vec<Vec<ProcessId>> =
            after.iter().map(|after| after.iter().copied().map(ProcessId).collect()).collect();
        let unlike: Vec<[ProcessId; 2]> = unlike.iter().map(|pair| pair.map(ProcessId)).collect();
        Classes::of(&Known { kinds, after: &after, declared: &Declared::default(), unlike: &unlike, tasks: &[] })
    }

    fn permutations(classes: &Classes) -> usize {
        classes.classes.iter().map(|class| (1..=class.len()).product::<usize>()).product()
    }

    fn numbers(classes: &Classes) -> Vec<Vec<u32>> {
        classes.classes.iter().map(|class| class.iter().map(|process| process.0).collect()).collect()
    }

    #[test]
    fn processes_of_one_kind_are_a_class_and_who_is_alone_is_in_none() {
        assert_eq!(numbers(&classes(&[0, 1, 1, 3, 0, 1], &[NOBODY; 6], &[])), [vec![0, 4], vec![1, 2, 5]]);
    }

    #[test]
    fn who_is_unlike_one_may_be_like_another() {
        assert_eq!(numbers(&classes(&[0; 4], &[NOBODY; 4], &[[0, 1]])), [vec![0, 2, 3]]);
        assert_eq!(numbers(&classes(&[0; 4], &[NOBODY; 4], &[[0, 1], [2, 3]])), [vec![0, 2], vec![1, 3]]);
    }

    #[test]
    fn who_starts_after_others_is_like_who_starts_after_the_same() {
        assert_eq!(numbers(&classes(&[0, 1, 1, 1], &[&[], &[0], &[0], &[]], &[])), [vec![1, 2]]);
        assert_eq!(numbers(&classes(&[0, 1, 1], &[&[], &[], &[1]], &[])), [] as [Vec<u32>; 0]);
        // A process starts after only one of them.
        assert_eq!(numbers(&classes(&[0, 1, 1], &[&[1], &[], &[]], &[])), [] as [Vec<u32>; 0]);
        assert_eq!(numbers(&classes(&[0, 1, 1], &[&[1, 2], &[], &[]], &[])), [vec![1, 2]]);
    }

    #[test]
    fn there_are_not_too_many_permutations() {
        let eight = classes(&[0; 8], &[NOBODY; 8], &[]);
        assert_eq!((numbers(&eight), permutations(&eight)), (vec![(0..7).collect()], 5_040));
        assert_eq!(eight.left_out, [ProcessId(7)]);
        let six_and_three = classes(&[0, 0, 0, 0, 0, 0, 1, 1, 1], &[NOBODY; 9], &[]);
        assert_eq!((six_and_three.classes.len(), permutations(&six_and_three)), (2, 4_320));
        let seven_and_two = classes(&[0, 0, 0, 0, 0, 0, 0, 1, 1], &[NOBODY; 9], &[]);
        assert_eq!((seven_and_two.classes.len(), seven_and_two.left_out.len()), (1, 2));
    }
}
