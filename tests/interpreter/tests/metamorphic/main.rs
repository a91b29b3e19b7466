//! Properties that must not change when a system is changed: relations between the reports of two checks, with no oracle.
//!
//! - `NETCHECK_METAMORPHIC_SEED=17` tries that system only, and prints it.
//! - `NETCHECK_METAMORPHIC_SEEDS=5000..9000` tries these instead.

mod endless;
mod families;
mod faults;
mod in_order;
mod kin;
mod nightly;
mod rounds;
mod run;
mod strangers;
mod systems;

use std::cell::Cell;
use std::ops::Range;

use families::Parents::{Daemons, Processes};
use families::{Families, Parents, Ways};
use kin::Kind;
use netcheck::check::{Checker, Identity, Keep, Search, Tasks, Verdict};
use oracle::generate::{self, Size};
use oracle::language::program::{Links, Network, Partition, System};
use random::Random;
use run::{Outcome, Sameness, Tally, Trial, all, holds, permutation, same};
use strangers::Stranger;
use systems::{check, checker};

const ISOLATED: (Kind, Tasks) = (Kind::Isolated, Tasks::Shared);
const TRACKED: (Kind, Tasks) = (Kind::Ordinary, Tasks::Tracked);
const TRACKED_AND_ISOLATED: (Kind, Tasks) = (Kind::Isolated, Tasks::Tracked);

/// Where a search for what a family does gives up: there are smaller ones.
const FAMILY_STATES_MAX: usize = 3_000;

#[test]
fn a_process_more_that_has_nothing_to_do_with_the_others_changes_nothing_for_them() {
    strangers_change_nothing(0..60, &strangers::WITHOUT_ISOLATED_TASKS);
}

#[test]
fn a_process_more_with_isolated_tasks_changes_nothing_for_the_others() {
    strangers_change_nothing(100_000..100_060, &strangers::WITH_ISOLATED_TASKS[..4]);
}

#[test]
fn a_process_more_with_isolated_tasks_that_go_round_for_ever_changes_nothing_for_the_others() {
    strangers_change_nothing(100_000..100_160, &strangers::WITH_ISOLATED_TASKS[4..]);
}

#[test]
fn a_process_more_changes_nothing_for_the_others_in_dense_time() {
    strangers_change_nothing_in_dense_time(150_000..150_020).assert_skipped_at_most(30);
}

#[test]
fn a_random_system_more_beside_it_changes_nothing_for_a_system_in_dense_time() {
    random_strangers_change_nothing_in_dense_time(250_000..250_015).assert_skipped_at_most(60);
}

#[test]
fn a_random_system_more_beside_it_changes_nothing_for_a_system() {
    random_strangers_change_nothing(200_000..200_045).assert_skipped_at_most(40);
}

#[test]
fn runs_that_are_set_back_change_nothing() {
    copies_of_runs_change_nothing(450_000..450_060).assert_skipped_at_most(20);
}

#[test]
fn more_faults_remove_no_violation_and_no_output() {
    more_faults_remove_nothing(300_000..300_120).assert_skipped_at_most(50);
}

#[test]
fn cuts_lose_no_more_than_losses() {
    cuts_are_losses(1_400_000..1_400_100).assert_skipped_at_most(80);
}

#[test]
fn a_budget_that_no_execution_exhausts_is_none() {
    great_budgets_are_none(400_000..400_030).assert_skipped_at_most(10);
}

#[test]
fn the_order_and_the_names_of_processes_and_the_order_of_copies_change_nothing_else() {
    orders_and_names_change_nothing(500_000..500_050).assert_skipped_at_most(10);
}

#[test]
fn a_daemon_in_place_of_a_process_loses_only_the_deadlocks_of_the_process() {
    daemons_lose_only_deadlocks(600_000..600_015).assert_skipped_at_most(10);
}

#[test]
fn how_a_system_is_explored_changes_no_verdict_and_no_output() {
    configurations_agree(700_000..700_010).assert_skipped_at_most(20);
}

#[test]
fn captured_loops_change_no_verdict_and_no_output() {
    captured_loops_change_nothing(800_000..800_005, Some(2)).assert_skipped_at_most(5);
}

#[test]
fn how_endless_loops_are_explored_changes_no_verdict_and_no_output() {
    captured_loops_change_nothing(900_000..900_008, None).assert_skipped_at_most(50);
}

#[test]
fn an_isolated_task_in_place_of_an_ordinary_one_that_is_awaited_changes_nothing() {
    isolation_changes_nothing(0..18, (Processes, Ways::Await), ISOLATED).assert_skipped_at_most(25);
}

#[test]
fn an_isolated_task_in_place_of_an_ordinary_one_that_is_asked_changes_nothing() {
    isolation_changes_nothing(10_000..10_018, (Processes, Ways::Ask), ISOLATED).assert_skipped_at_most(25);
}

#[test]
fn an_isolated_task_in_place_of_an_ordinary_one_in_a_set_loses_nothing() {
    isolation_changes_nothing(20_000..20_018, (Processes, Ways::Set), ISOLATED).assert_skipped_at_most(25);
}

#[test]
fn an_isolated_task_of_a_daemon_in_place_of_an_ordinary_one_changes_nothing() {
    isolation_changes_nothing(30_000..30_023, (Daemons, Ways::Await), ISOLATED).assert_skipped_at_most(25);
}

#[test]
fn an_isolated_task_of_a_daemon_in_place_of_an_ordinary_one_that_is_asked_or_in_a_set_loses_nothing() {
    isolation_changes_nothing(40_000..40_018, (Daemons, Ways::Set), ISOLATED).assert_skipped_at_most(25);
}

#[test]
fn tracked_tasks_in_place_of_ordinary_ones_that_share_nothing_change_nothing() {
    isolation_changes_nothing(50_000..50_010, (Processes, Ways::Set), TRACKED).assert_skipped_at_most(25);
    isolation_changes_nothing(60_000..60_010, (Daemons, Ways::Set), TRACKED).assert_skipped_at_most(25);
}

#[test]
fn a_tracked_parent_of_isolated_tasks_in_place_of_ordinary_ones_changes_nothing() {
    isolation_changes_nothing(70_000..70_010, (Processes, Ways::Set), TRACKED_AND_ISOLATED).assert_skipped_at_most(25);
    isolation_changes_nothing(80_000..80_010, (Daemons, Ways::Set), TRACKED_AND_ISOLATED).assert_skipped_at_most(25);
}

/// The steps of a stranger are nobody's business: they are enabled beside those of the others, and in quiet time its
/// timers fire between theirs. (With `delay` they are seen: time passes for everybody.)
fn strangers_change_nothing(seeds: Range<u64>, strangers: &[Stranger]) {
    let stranger_of = |seed: u64| strangers[seed as usize % strangers.len()];
    let generate = |seed| {
        let mut system = systems::system(seed / 5, Size::Small);
        system.network.delay = false;
        if stranger_of(seed).is_endless() {
            // Where something can always happen, no wait is a deadlock.
            systems::all_daemons(&mut system);
        }
        system
    };
    let relation = |seed: u64, system: &System| {
        let stranger = stranger_of(seed);
        let sameness = if stranger.is_endless() { Sameness::Outputs } else { Sameness::Ends };
        let trial = |reduction| {
            let checker = checker(system, reduction, system.processes.len());
            let alone = check(system, &checker);
            let beside = systems::check_beside(system, &checker, seed.is_multiple_of(2), |net| stranger.register(net));
            same(&format!("alone and beside {stranger}, reduction {reduction}"), &alone, &beside, sameness)
        };
        all([trial(true), trial(false)])
    };
    holds(seeds, generate, relation, systems::shrink).assert_skipped_at_most(5);
}

/// In dense time a stranger is a group of its own, with a time of its own. Alone, nothing is reduced.
fn strangers_change_nothing_in_dense_time(seeds: Range<u64>) -> Tally {
    let all_strangers = [strangers::WITHOUT_ISOLATED_TASKS, strangers::WITH_ISOLATED_TASKS].concat();
    let stranger_of = |seed: u64| all_strangers[seed as usize % all_strangers.len()];
    let generate = |seed| {
        let mut system = systems::system_in_dense_time(seed / 10);
        if stranger_of(seed).is_endless() {
            systems::all_daemons(&mut system);
        }
        system
    };
    let relation = |seed: u64, system: &System| {
        let stranger = stranger_of(seed);
        let sameness = if stranger.is_endless() { Sameness::Outputs } else { Sameness::Ends };
        let own = system.processes.len();
        let alone = check(system, &checker(system, false, own));
        let reduced = checker(system, true, own);
        let beside = systems::check_beside(system, &reduced, seed.is_multiple_of(2), |net| stranger.register(net));
        same(&format!("alone and beside {stranger}"), &alone, &beside, sameness)
    };
    holds(seeds, generate, relation, systems::shrink)
}

fn random_strangers_change_nothing_in_dense_time(seeds: Range<u64>) -> Tally {
    let stranger_of = |seed: u64| {
        let mut stranger = generate::system(seed ^ 0x57a4, Size::Small, generate::Words::All);
        systems::without_assertions(&mut stranger);
        systems::all_daemons(&mut stranger);
        stranger
    };
    let generate = |seed| {
        let mut system = systems::system_in_dense_time(seed);
        // the number of who connects is seen by who accepts
        system.network.anonymous = true;
        system
    };
    let relation = |seed: u64, system: &System| {
        let own = system.processes.len();
        let both = systems::beside(system, &stranger_of(seed));
        let places: Vec<usize> = (0..own).collect();
        let alone = check(system, &checker(system, false, own));
        // Datagrams of half of the strangers take time, too.
        let perturbed = if seed.is_multiple_of(2) { own } else { both.processes.len() };
        let beside = check(&both, &checker(&both, true, perturbed)).seen_at(&places);
        same(&format!("alone and beside\n{}", stranger_of(seed)), &alone, &beside, Sameness::Ends)
    };
    holds(seeds, generate, relation, systems::shrink)
}

fn random_strangers_change_nothing(seeds: Range<u64>) -> Tally {
    let stranger_of = |seed: u64| {
        let mut stranger = generate::system(seed ^ 0x57a4, Size::Small, generate::Words::All);
        systems::without_assertions(&mut stranger);
        stranger
    };
    let generate = |seed| {
        let mut system = systems::system(seed, Size::Small);
        system.network.delay = false;
        // the number of who connects is seen by who accepts
        system.network.anonymous = true;
        system
    };
    let relation = |seed: u64, system: &System| {
        let own = system.processes.len();
        let stranger = stranger_of(seed);
        let both = systems::beside(system, &stranger);
        // beside processes that do nothing
        let mut quiet = system.clone();
        quiet.processes.iter_mut().for_each(|process| process.tasks = vec![Vec::new()]);
        let alone = systems::beside(&quiet, &stranger);
        if check(&alone, &checker(&alone, true, own)).verdict != Verdict::Verified {
            return Trial::Skipped;
        }
        let places: Vec<usize> = (0..own).collect();
        let trial = |reduction| {
            let one = check(system, &checker(system, reduction, own));
            let beside = check(&both, &checker(&both, reduction, own)).seen_at(&places);
            same(&format!("alone and beside\n{stranger}\nreduction {reduction}"), &one, &beside, Sameness::Ends)
        };
        all([trial(true), trial(false)])
    };
    holds(seeds, generate, relation, systems::shrink)
}

fn more_faults_remove_nothing(seeds: Range<u64>) -> Tally {
    let relation = |seed: u64, system: &System| {
        let Some((what, bigger)) = faults::more(&mut Random::new(seed), system) else { return Trial::Skipped };
        let trial = |reduction| {
            let fewer = check(system, &checker(system, reduction, 0));
            let more = check(&bigger, &checker(&bigger, reduction, 0));
            keeps(&format!("one more fault: {what}, reduction {reduction}"), &fewer, &more)
        };
        all([trial(true), trial(false)])
    };
    holds(seeds, |seed| systems::system(seed, Size::Small), relation, systems::shrink)
}

/// For datagrams, a network without cuts is one in which none is made, and what is lost with a cut may be lost without it.
fn cuts_are_losses(seeds: Range<u64>) -> Tally {
    let generate = |seed| {
        let mut system = systems::system(seed, Size::Small);
        (system.network.delay, system.network.at_most) = (false, None);
        system
    };
    let relation = |seed: u64, system: &System| {
        let text = system.to_string();
        let has_streams = [".connect", ".accept", ".listen"].iter().any(|call| text.contains(call));
        if has_streams || system.processes.len() < 2 {
            return Trial::Skipped;
        }
        let partition = Partition {
            links: if seed.is_multiple_of(2) { Links::Any } else { Links::Between(0, 1) },
            one_way: seed.is_multiple_of(3),
            for_ever: seed.is_multiple_of(5),
            times: 1 + usize::from(seed.is_multiple_of(7)),
        };
        let cut =
            System { network: Network { partition: Some(partition), ..system.network.clone() }, ..system.clone() };
        let mut lossy = system.clone();
        if !lossy.network.copies.contains(&0) {
            lossy.network.copies.push(0);
        }
        let trial = |reduction| {
            let [none, some, all] = [system, &cut, &lossy].map(|of| check(of, &checker(of, reduction, 0)));
            self::all([
                keeps(&format!("with cuts, reduction {reduction}"), &none, &some),
                keeps(&format!("with losses in place of cuts, reduction {reduction}"), &some, &all),
            ])
        };
        all([trial(true), trial(false)])
    };
    holds(seeds, generate, relation, systems::shrink)
}

/// The second has every violation and every output of the first.
fn keeps(what: &str, fewer: &Outcome, more: &Outcome) -> Trial {
    let fails = |part: &str| Trial::Fails(format!("{what}, {part}:\n{fewer}\n{more}"));
    match (fewer.verdict, more.verdict) {
        (Verdict::Inconclusive, _) | (_, Verdict::Inconclusive) => Trial::Skipped,
        (Verdict::Violated, Verdict::Violated) => Trial::Holds,
        (Verdict::Violated, Verdict::Verified) => fails("a violation is lost"),
        (Verdict::Verified, Verdict::Violated) => Trial::Skipped,
        (Verdict::Verified, Verdict::Verified) => {
            let mut outputs = fewer.outputs.iter().zip(&more.outputs);
            if outputs.any(|(fewer, more)| !fewer.is_subset(more)) {
                fails("an output is lost")
            } else if !fewer.ends.is_subset(&more.ends) {
                let lost: Vec<_> = fewer.ends.difference(&more.ends).collect();
                fails(&format!("ends are lost: {lost:?}"))
            } else {
                Trial::Holds
            }
        }
    }
}

/// A packet may always arrive once where faults are counted, so that it has to be declared that it may.
fn great_budgets_are_none(seeds: Range<u64>) -> Tally {
    let generate = |seed| {
        let mut system = systems::system(seed, Size::Small);
        system.network.at_most = None;
        if !system.network.copies.contains(&1) {
            system.network.copies.push(1);
        }
        system
    };
    let relation = |_, system: &System| {
        let limited = System { network: Network { at_most: Some(200), ..system.network.clone() }, ..system.clone() };
        let trial = |reduction| {
            let unlimited = check(system, &checker(system, reduction, 0));
            let limited = check(&limited, &checker(&limited, reduction, 0));
            same(&format!("no budget and a great one, reduction {reduction}"), &unlimited, &limited, Sameness::Ends)
        };
        all([trial(true), trial(false)])
    };
    holds(seeds, generate, relation, systems::shrink)
}

fn orders_and_names_change_nothing(seeds: Range<u64>) -> Tally {
    let generate = |seed| {
        let mut system = systems::system(seed, Size::Small);
        system.network.anonymous = true;
        system
    };
    let relation = |seed: u64, system: &System| {
        let mut random = Random::new(seed);
        let places = permutation(&mut random, system.processes.len());
        let renamed = systems::permuted(system, &places);
        let mut turned = system.clone();
        turned.network.copies.rotate_left(1);
        turned.network.copies.swap(0, system.network.copies.len() / 2);
        let trial = |reduction| {
            // In dense time, which states are covered by others depends on the order in which they come.
            let is_dense = system.network.takes_time();
            let sameness = if reduction || is_dense { Sameness::Ends } else { Sameness::States };
            let checker_of = |system| checker(system, reduction, 0);
            let as_it_is = check(system, &checker_of(system));
            let what = |change: &str| format!("{change}, reduction {reduction}");
            let in_order = systems::check_in_order(system, &checker_of(system), &places);
            let renamed = check(&renamed, &checker_of(&renamed)).seen_at(&places);
            let turned = check(&turned, &checker_of(&turned));
            all([
                same(&what("another order of registration"), &as_it_is, &in_order, sameness),
                same(&what("other names"), &as_it_is, &renamed, sameness),
                same(&what("another order of copies"), &as_it_is, &turned, sameness),
            ])
        };
        all([trial(true), trial(false)])
    };
    holds(seeds, generate, relation, systems::shrink)
}

/// No run is set back, some are, or all that can be. In every eighth check, several are.
fn copies_of_runs_change_nothing(seeds: Range<u64>) -> Tally {
    let set_back = Cell::new(0);
    let generate = |seed| systems::system(seed, [Size::Small, Size::Large][seed as usize % 2]);
    let relation = |_, system: &System| {
        let trial = |reduction| {
            let of = |copies_bytes| {
                let checker = checker(system, reduction, 0).identity(Identity::Memory);
                check(system, &checker.max_copies(copies_bytes))
            };
            let [none, few, most] = [0, 8 << 10, 64 << 20].map(of);
            set_back.set(set_back.get() + u64::from(most.set_back > 4));
            assert_eq!(none.set_back, 0, "there are no copies");
            let what = |change: &str| format!("{change}, reduction {reduction}");
            all([
                same(&what("few copies of runs"), &none, &few, Sameness::Ends),
                same(&what("all copies of runs"), &none, &most, Sameness::Ends),
            ])
        };
        all([trial(true), trial(false)])
    };
    let tally = holds(seeds, generate, relation, systems::shrink);
    assert!(set_back.get() * 4 >= tally.held, "in {} checks only, runs were set back", set_back.get());
    tally
}

/// Somebody is deadlocked, or panics, if and only if that is so where all others are daemons.
fn daemons_lose_only_deadlocks(seeds: Range<u64>) -> Tally {
    let generate = |seed| {
        let mut system = systems::system(seed, Size::Small);
        system.processes.iter_mut().for_each(|process| process.daemon = false);
        system
    };
    let relation = |_, system: &System| {
        let trial = |reduction| {
            let run = |system: &System| check(system, &checker(system, reduction, 0));
            let processes = run(system);
            let only = (0..system.processes.len()).map(|only| {
                let mut others = system.clone();
                others.processes.iter_mut().enumerate().for_each(|(index, process)| process.daemon = index != only);
                run(&others)
            });
            let only: Vec<Outcome> = only.collect();
            let mut daemons = system.clone();
            systems::all_daemons(&mut daemons);
            let daemons = run(&daemons);
            let one_each = only.iter().max_by_key(|outcome| match outcome.verdict {
                Verdict::Violated => 2,
                Verdict::Inconclusive => 1,
                Verdict::Verified => 0,
            });
            let what = |what: &str| format!("{what}, reduction {reduction}");
            let one_each = one_each.expect("there are processes");
            let mut trials = vec![same(&what("all processes and one by one"), &processes, one_each, Sameness::Outputs)];
            trials.extend(only.iter().map(|only| keeps_outputs(&what("daemons and one process"), &daemons, only)));
            all(trials)
        };
        all([trial(true), trial(false)])
    };
    holds(seeds, generate, relation, systems::shrink)
}

/// The violations of the first are among those of the second; if neither has any, the outputs are the same.
fn keeps_outputs(what: &str, daemons: &Outcome, only: &Outcome) -> Trial {
    match (daemons.verdict, only.verdict) {
        (Verdict::Verified, Verdict::Violated) => Trial::Holds,
        _ => same(what, daemons, only, Sameness::Outputs),
    }
}

/// Of the systems that no naive explorer comes to the end of, too.
fn configurations_agree(seeds: Range<u64>) -> Tally {
    let generate = |seed: u64| match seed % 3 {
        0 => generate::like_system(seed, false),
        1 => systems::system(seed, Size::Small),
        _ => systems::system(seed, Size::Large),
    };
    let relation = |seed: u64, system: &System| {
        let reduced = checker(system, true, 0);
        let base = check(system, &reduced);
        let configurations: [(&str, Checker); 14] = [
            ("unreduced", checker(system, false, 0)),
            ("two threads", reduced.clone().threads(2)),
            ("fingerprints", reduced.clone().store(Keep::Fingerprint)),
            ("depth-first", reduced.clone().search(Search::Dfs)),
            ("by faults", reduced.clone().search(Search::Faults)),
            ("by messages", reduced.clone().search(Search::Joint)),
            ("by reads", reduced.clone().search(Search::Reads)),
            ("by networks", reduced.clone().search(Search::NetworkStates { retransmissions: None })),
            ("by repetitions", reduced.clone().search(Search::Retransmissions { arrivals: 1 })),
            ("at random", reduced.clone().search(Search::Pct { seed, depth: 3 })),
            ("symmetry", reduced.clone().symmetry(true)),
            ("symmetry, unreduced", checker(system, false, 0).symmetry(true)),
            ("by memory", reduced.clone().identity(Identity::Memory)),
            ("by memory, unreduced", checker(system, false, 0).identity(Identity::Memory)),
        ];
        let trials = configurations.into_iter().map(|(what, checker)| {
            same(&format!("reduced and {what}"), &base, &check(system, &checker), Sameness::Ends)
        });
        all(trials)
    };
    holds(seeds, generate, relation, systems::shrink)
}

/// Each found by these relations, and shrunk.
#[test]
fn families_that_were_told_apart_are_the_same_as_isolated_tasks() {
    families_are_the_same(&families::found(), ISOLATED);
}

#[test]
fn families_that_were_told_apart_are_the_same_as_tracked_tasks() {
    families_are_the_same(&families::found(), TRACKED);
}

#[test]
fn families_that_were_told_apart_are_the_same_as_isolated_tasks_of_tracked_parents() {
    families_are_the_same(&families::found(), TRACKED_AND_ISOLATED);
}

#[track_caller]
fn families_are_the_same(all: &[Families], other: (Kind, Tasks)) {
    let told_apart: Vec<String> = all
        .iter()
        .filter_map(|families| match is_the_same(families, other) {
            Trial::Fails(difference) => Some(format!("{families}{difference}")),
            _ => None,
        })
        .collect();
    assert!(told_apart.is_empty(), "{} of {}:\n\n{}", told_apart.len(), all.len(), told_apart.join("\n"));
}

/// Systems that go round for ever are compared with captured loops alone: without them, only a violation ends the search.
fn captured_loops_change_nothing(seeds: Range<u64>, rounds: Option<usize>) -> Tally {
    let relation = |seed: u64, system: &System| {
        let (captured_max, states_max) = if rounds.is_some() { (5_000, 5_000) } else { (1_000, 100) };
        let reduced = Checker::new().max_states(captured_max).liveness(false);
        let base = rounds::check(system, rounds, &reduced);
        if base.verdict == Verdict::Inconclusive {
            return Trial::Skipped;
        }
        let unreduced = reduced.clone().reduction(false).max_states(captured_max * 10);
        let not_captured = reduced.clone().capture(false).max_states(states_max);
        let configurations = [
            ("not captured", not_captured.clone()),
            ("not captured, unreduced", not_captured.reduction(false)),
            ("unreduced", unreduced),
            ("two threads", reduced.clone().threads(2)),
            ("fingerprints", reduced.clone().store(Keep::Fingerprint)),
            ("depth-first", reduced.clone().search(Search::Dfs)),
            ("by faults", reduced.clone().search(Search::Faults)),
            ("at random", reduced.clone().search(Search::Pct { seed, depth: 3 })),
            ("symmetry", reduced.clone().symmetry(true)),
        ];
        let trials = configurations.into_iter().map(|(what, checker)| {
            let other = rounds::check(system, rounds, &checker);
            same(&format!("{rounds:?} rounds, reduced and {what}"), &base, &other, Sameness::Ends)
        });
        all(trials)
    };
    holds(seeds, rounds::system, relation, systems::shrink)
}

fn isolation_changes_nothing(seeds: Range<u64>, of: (Parents, Ways), other: (Kind, Tasks)) -> Tally {
    let relation = |_, families: &Families| is_the_same(families, other);
    holds(seeds, |seed| families::families(seed, of.0, of.1), relation, families::shrink)
}

/// Ordinary tasks of one unit are what each other kind is held against. What they do, isolated ones may do, too; and
/// more only where `Families::are_alike_isolated` says so.
fn is_the_same(families: &Families, (kind, tasks): (Kind, Tasks)) -> Trial {
    let checker = |reduction| Checker::new().max_states(FAMILY_STATES_MAX).reduction(reduction);
    let ordinary = kin::check(families, Kind::Ordinary, checker(true));
    if ordinary.verdict == Verdict::Inconclusive {
        return Trial::Skipped;
    }
    let unreduced = kin::check(families, Kind::Ordinary, checker(false));
    let is_alike = kind == Kind::Ordinary || families.are_alike_isolated();
    let trial = |reduction| {
        let other = kin::check(families, kind, checker(reduction).tasks(tasks));
        let what = format!("ordinary, and {kind:?}, {tasks:?}, reduction {reduction}");
        match is_alike {
            true => same(&what, &ordinary, &other, Sameness::Ends),
            false => keeps(&what, &ordinary, &other),
        }
    };
    all([same("ordinary, unreduced", &ordinary, &unreduced, Sameness::Ends), trial(true), trial(false)])
}
