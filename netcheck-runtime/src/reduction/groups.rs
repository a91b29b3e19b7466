//! Groups of processes that never meet.
//!
//! If a step of one process, whatever it is, affects a resource that a step of another one depends on, both are in one
//! group. A process is known here by the footprints of its first nodes, which cover all that it can ever do. So in every
//! state each part ([`parts`](super::parts)) lies in one group, and where there are several groups, the state is split
//! without a look at its units: what is independent costs no time. The budget of faults connects nothing.
//!
//! Groups only grow together, as footprints do.

use super::bits::Bits;
use super::sets::Sets;
use crate::id::ProcessId;
use std::mem;

/// The groups of processes.
#[derive(Default)]
pub(super) struct Groups {
    groups: Sets,
    /// By process: the resources that it is known to affect, and those that it is known to depend on.
    known: Vec<(Bits, Bits)>,
    /// By resource.
    resources: Vec<Users>,
}

/// The processes that use a resource; one of each kind where they are in one group.
#[derive(Clone, Default)]
struct Users {
    affecting: Vec<usize>,
    depending: Vec<usize>,
}

impl Groups {
    /// The group of a process, by its first process.
    pub(super) fn of(&self, ProcessId(process): ProcessId) -> usize {
        let process = process as usize;
        // They are made flat as soon as two of them are joined, since each state asks for the groups of all units.
        self.groups.lowest_of_flat(process).unwrap_or(process)
    }

    /// Adds to what a process may do.
    pub(super) fn add(&mut self, ProcessId(process): ProcessId, affects: &Bits, depends_on: &Bits) {
        let process = process as usize;
        if self.known.len() <= process {
            self.known.resize_with(process + 1, Default::default);
            self.groups.grow(process + 1);
        }
        let known = &mut self.known[process];
        let affected: Vec<u32> = affects.iter().filter(|&bit| !known.0.contains(bit)).collect();
        let depended_on: Vec<u32> = depends_on.iter().filter(|&bit| !known.1.contains(bit)).collect();
        known.0.union_with(affects);
        known.1.union_with(depends_on);
        for bit in affected {
            self.users(bit).affecting.push(process);
            self.meet(bit);
        }
        for bit in depended_on {
            self.users(bit).depending.push(process);
            self.meet(bit);
        }
    }

    fn users(&mut self, bit: u32) -> &mut Users {
        let index = bit as usize;
        if self.resources.len() <= index {
            self.resources.resize(index + 1, Users::default());
        }
        &mut self.resources[index]
    }

    /// Joins the processes that meet at a resource: those that affect it and those that depend on it, if there are both.
    fn meet(&mut self, bit: u32) {
        let users = self.users(bit);
        let (Some(&affecting), Some(&depending)) = (users.affecting.first(), users.depending.first()) else { return };
        let all = mem::replace(users, Users { affecting: vec![affecting], depending: vec![depending] });
        for other in all.affecting.into_iter().chain(all.depending) {
            let [a, b] = [affecting, other].map(|process| self.groups.lowest(process));
            if a != b {
                self.groups.join(a, b);
                self.groups.flatten();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits(numbers: &[u32]) -> Bits {
        let mut bits = Bits::default();
        numbers.iter().for_each(|&number| bits.insert(number));
        bits
    }

    fn groups(steps: &[(u32, &[u32], &[u32])], processes: u32) -> Vec<usize> {
        let mut groups = Groups::default();
        for &(process, affects, depends_on) in steps {
            groups.add(ProcessId(process), &bits(affects), &bits(depends_on));
        }
        (0..processes).map(|process| groups.of(ProcessId(process))).collect()
    }

    #[test]
    fn processes_that_only_affect_or_only_depend_on_a_resource_do_not_meet() {
        assert_eq!(groups(&[(0, &[7], &[]), (1, &[7], &[]), (2, &[], &[8]), (3, &[], &[8])], 4), [0, 1, 2, 3]);
    }

    #[test]
    fn one_that_depends_on_a_resource_joins_all_that_affect_it_whenever_that_is_known() {
        assert_eq!(groups(&[(0, &[7], &[]), (1, &[7], &[]), (2, &[], &[7]), (3, &[7], &[])], 4), [0, 0, 0, 0]);
    }

    #[test]
    fn groups_are_joined_by_a_process_of_each() {
        let chain: [(u32, &[u32], &[u32]); 4] = [(0, &[1], &[]), (1, &[2], &[1]), (3, &[3], &[]), (2, &[], &[3])];
        assert_eq!(groups(&chain, 4), [0, 0, 2, 2]);
        let joined = [&chain[..], &[(3, &[], &[2])]].concat();
        assert_eq!(groups(&joined, 4), [0, 0, 0, 0]);
    }

    /// By the definition: the closure of the relation over all pairs.
    #[test]
    fn groups_are_those_of_the_definition() {
        for seed in 0u64..500 {
            let mut random = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
            let mut below = |limit: u64| {
                random ^= random << 13;
                random ^= random >> 7;
                random ^= random << 17;
                (random % limit) as u32
            };
            let steps: Vec<(u32, [u32; 1], [u32; 1])> = (0..8).map(|_| (below(6), [below(9)], [below(9)])).collect();
            let listed: Vec<(u32, &[u32], &[u32])> =
                steps.iter().map(|(process, affects, depends_on)| (*process, &affects[..], &depends_on[..])).collect();
            let mut expected: Vec<usize> = (0..6).collect();
            for _ in 0..6 {
                for (a, [affected], _) in &steps {
                    for (b, _, [depended_on]) in &steps {
                        if affected == depended_on {
                            let [a, b] = [*a, *b].map(|process| expected[process as usize]);
                            expected
                                .iter_mut()
                                .for_each(|group| *group = if *group == a.max(b) { a.min(b) } else { *group });
                        }
                    }
                }
            }
            assert_eq!(groups(&listed, 6), expected, "{steps:?}");
        }
    }
}
