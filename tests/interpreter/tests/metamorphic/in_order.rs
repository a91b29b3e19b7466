//! Tasks in tokio's order against tasks in any order.

use super::*;

#[test]
fn tasks_in_tokios_order_add_no_violation_and_no_output() {
    tokios_order_adds_nothing(1_000_000..1_000_100).assert_skipped_at_most(30);
}

#[test]
fn an_order_of_tasks_changes_nothing_for_processes_of_one_task() {
    tokios_order_is_the_only_one(1_100_000..1_100_060).assert_skipped_at_most(10);
}

#[test]
#[ignore = "takes minutes: for a nightly run, in release"]
fn tokios_order_adds_nothing_to_ten_thousand_systems() {
    tokios_order_adds_nothing(1_000_000..1_010_000);
    tokios_order_is_the_only_one(1_100_000..1_110_000);
}

/// Executions in tokio's order are executions in some order; and how the executions in tokio's order are explored makes no
/// difference.
fn tokios_order_adds_nothing(seeds: Range<u64>) -> Tally {
    let generate = |seed| {
        let mut system = systems::system(seed, Size::Small);
        // Most systems that are generated have a process of several tasks; the others are for the other relation.
        if system.processes.iter().all(|process| process.tasks.len() < 2) {
            let tasks = &mut system.processes[0].tasks;
            tasks.extend_from_within(..1);
        }
        system
    };
    let relation = |_, system: &System| {
        let in_order = |reduction| checker(system, reduction, 0).tasks(Tasks::Fifo);
        let base = check(system, &in_order(true));
        let any = [true, false].map(|reduction| {
            let any = check(system, &checker(system, reduction, 0));
            keeps(&format!("tokio's order and any order, reduction {reduction}"), &base, &any)
        });
        let configurations = [
            ("unreduced", in_order(false)),
            ("by memory", in_order(true).identity(Identity::Memory)),
            ("by memory, unreduced", in_order(false).identity(Identity::Memory)),
            ("two threads", in_order(true).threads(2)),
            ("depth-first", in_order(true).search(Search::Dfs)),
            ("symmetry", in_order(true).symmetry(true)),
        ];
        let configured = configurations.into_iter().map(|(what, checker)| {
            same(&format!("tokio's order, reduced and {what}"), &base, &check(system, &checker), Sameness::Ends)
        });
        all(any.into_iter().chain(configured))
    };
    holds(seeds, generate, relation, systems::shrink)
}

fn tokios_order_is_the_only_one(seeds: Range<u64>) -> Tally {
    let generate = |seed| {
        let mut system = systems::system(seed, Size::Small);
        system.processes.iter_mut().for_each(|process| process.tasks.truncate(1));
        system
    };
    let relation = |_, system: &System| {
        let trial = |reduction| {
            let sameness = if reduction { Sameness::Ends } else { Sameness::States };
            let any = check(system, &checker(system, reduction, 0));
            let in_order = check(system, &checker(system, reduction, 0).tasks(Tasks::Fifo));
            same(&format!("any order and tokio's, reduction {reduction}"), &any, &in_order, sameness)
        };
        all([trial(true), trial(false)])
    };
    holds(seeds, generate, relation, systems::shrink)
}
