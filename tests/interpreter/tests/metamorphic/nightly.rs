//! `cargo test --release -p interpreter --test metamorphic -- --ignored nightly --test-threads=1`: the same on more systems.

use super::*;

const COUNT: u64 = 10_000;

fn for_all_families(first: u64, other: (Kind, Tasks)) {
    for (index, ways) in [Ways::Await, Ways::Ask, Ways::Set].into_iter().enumerate() {
        for (more, parents) in [(0, Processes), (COUNT / 6, Daemons)] {
            let first = first + index as u64 * COUNT / 3 + more;
            isolation_changes_nothing(first..first + COUNT / 6, (parents, ways), other);
        }
    }
}

#[test]
#[ignore = "takes minutes: for a nightly run, in release"]
fn copies_of_runs_change_nothing_for_ten_thousand_systems() {
    copies_of_runs_change_nothing(450_000..450_000 + COUNT);
}

#[test]
#[ignore = "takes minutes: for a nightly run, in release"]
fn strangers_change_nothing_for_ten_thousand_systems() {
    strangers_change_nothing(0..COUNT, &strangers::WITHOUT_ISOLATED_TASKS);
}

#[test]
#[ignore = "takes minutes: for a nightly run, in release"]
fn strangers_with_isolated_tasks_change_nothing_for_ten_thousand_systems() {
    strangers_change_nothing(100_000..100_000 + COUNT, &strangers::WITH_ISOLATED_TASKS);
}

#[test]
#[ignore = "takes minutes: for a nightly run, in release"]
fn strangers_change_nothing_in_dense_time_for_ten_thousand_systems() {
    strangers_change_nothing_in_dense_time(150_000..150_000 + COUNT);
}

#[test]
#[ignore = "takes minutes: for a nightly run, in release"]
fn random_strangers_change_nothing_in_dense_time_for_ten_thousand_systems() {
    random_strangers_change_nothing_in_dense_time(250_000..250_000 + COUNT);
}

#[test]
#[ignore = "takes minutes: for a nightly run, in release"]
fn random_strangers_change_nothing_for_ten_thousand_systems() {
    random_strangers_change_nothing(200_000..200_000 + COUNT);
}

#[test]
#[ignore = "takes minutes: for a nightly run, in release"]
fn more_faults_remove_nothing_from_ten_thousand_systems() {
    more_faults_remove_nothing(300_000..300_000 + COUNT);
}

#[test]
#[ignore = "takes minutes: for a nightly run, in release"]
fn cuts_are_losses_in_ten_thousand_systems() {
    cuts_are_losses(1_400_000..1_400_000 + COUNT);
}

#[test]
#[ignore = "takes minutes: for a nightly run, in release"]
fn great_budgets_are_none_in_ten_thousand_systems() {
    great_budgets_are_none(400_000..400_000 + COUNT);
}

#[test]
#[ignore = "takes minutes: for a nightly run, in release"]
fn orders_and_names_change_nothing_in_ten_thousand_systems() {
    orders_and_names_change_nothing(500_000..500_000 + COUNT);
}

#[test]
#[ignore = "takes minutes: for a nightly run, in release"]
fn daemons_lose_only_deadlocks_in_ten_thousand_systems() {
    daemons_lose_only_deadlocks(600_000..600_000 + COUNT);
}

#[test]
#[ignore = "takes minutes: for a nightly run, in release"]
fn isolation_changes_nothing_in_ten_thousand_families() {
    for_all_families(0, ISOLATED);
}

#[test]
#[ignore = "takes minutes: for a nightly run, in release"]
fn tracking_changes_nothing_in_ten_thousand_families() {
    for_all_families(100_000, TRACKED);
}

#[test]
#[ignore = "takes minutes: for a nightly run, in release"]
fn isolation_with_tracked_parents_changes_nothing_in_ten_thousand_families() {
    for_all_families(200_000, TRACKED_AND_ISOLATED);
}

#[test]
#[ignore = "takes minutes: for a nightly run, in release"]
fn captured_loops_change_nothing_in_ten_thousand_systems() {
    captured_loops_change_nothing(800_000..800_000 + COUNT, Some(2));
    captured_loops_change_nothing(900_000..900_000 + COUNT, None);
}

#[test]
#[ignore = "takes minutes: for a nightly run, in release"]
fn configurations_agree_on_ten_thousand_systems() {
    configurations_agree(700_000..700_000 + COUNT);
}
