//! Walks find bugs that lie deep after far fewer states than breadth-first; docs/src/limits.md has the figures.

mod systems;

use netcheck::check::{Checker, Counterexample, Search, Simulation, Verdict, ViolationKind};
use std::time::Duration;
use systems::{HUNTS, Hunt};

/// States of all rounds of a search until it finds the bug.
#[track_caller]
fn states(hunt: &Hunt, search: Search) -> usize {
    let report = (hunt.checker)().search(search).check(hunt.network);
    assert_eq!(report.verdict(), Verdict::Violated, "{}, {search:?}: {report}", hunt.name);
    report.states_of_all_rounds()
}

fn hunt(name: &str) -> &'static Hunt {
    HUNTS.iter().find(|hunt| hunt.name == name).expect("one of the systems")
}

/// The states for so many seeds, fewest first.
#[track_caller]
fn by_seed(hunt: &Hunt, seeds: u64, order: fn(u64) -> Search) -> Vec<usize> {
    let mut all: Vec<usize> = (0..seeds).map(|seed| states(hunt, order(seed))).collect();
    all.sort_unstable();
    all
}

type Walk = fn(u64) -> Search;

const WALKS: [(&str, Walk); 4] = [
    ("random", |seed| Search::Random { seed }),
    ("pct, depth 1", |seed| Search::Pct { seed, depth: 1 }),
    ("pct, depth 2", |seed| Search::Pct { seed, depth: 2 }),
    ("pct, depth 3", |seed| Search::Pct { seed, depth: 3 }),
];

/// The states of a breadth-first search, and the medians of so many walks by `random` and by `pct`.
#[track_caller]
fn walks_find_it_early(name: &str, walks: u64, by_steps: usize, medians: [usize; 2]) {
    let hunt = hunt(name);
    let of = |order| by_seed(hunt, walks, order)[walks as usize / 2];
    let found = [of(WALKS[0].1), of(WALKS[3].1)];
    assert_eq!((states(hunt, Search::Bfs), found), (by_steps, medians));
    assert!(found.iter().all(|median| median * 3 < by_steps));
}

#[test]
fn walks_find_a_stale_entry_early() {
    walks_find_it_early("cache", 1, 6_248, [335, 230]);
}

#[test]
#[ignore = "each of nineteen counterexamples is shortened by a search of ten thousand states: a minute"]
fn more_walks_find_a_stale_entry_early() {
    walks_find_it_early("cache", 9, 10_823, [152, 144]);
}

#[test]
#[ignore = "each of nineteen counterexamples is shortened by a search of a hundred thousand states: minutes"]
fn walks_elect_a_leader_three_times_early() {
    walks_find_it_early("ring", 9, 132_774, [356, 405]);
}

#[test]
#[ignore = "each of nineteen counterexamples is shortened by a search of some hundred thousand states: minutes"]
fn walks_overdraw_an_account_early() {
    walks_find_it_early("transfers", 9, 389_669, [496, 221]);
}

/// A property of the end, which other orders judge when all is explored.
#[test]
fn walks_judge_ends_as_they_come() {
    let hunt = hunt("two-phase commit");
    for (_, search) in WALKS {
        let report = (hunt.checker)().search(search(1)).check(hunt.network);
        assert_eq!(report.counterexample().map(Counterexample::kind), Some(ViolationKind::Property), "{report}");
        assert!(report.states_of_all_rounds() < 1_000, "{report}");
    }
}

#[test]
#[ignore = "prints the table of docs/src/limits.md, which takes minutes: `--ignored --nocapture`, of one system with HUNT=name"]
fn table_of_orders() {
    let name = std::env::var("HUNT").unwrap_or_default();
    for hunt in HUNTS.iter().filter(|hunt| hunt.name.contains(&name)) {
        if std::env::var_os("WALKS").is_none() {
            for search in [Search::Bfs, Search::Dfs, Search::Faults, Search::Joint] {
                println!("{}, {search:?}: {}", hunt.name, states(hunt, search));
            }
        }
        for (order, search) in WALKS {
            println!("{}, {order}: {:?}", hunt.name, by_seed(hunt, 9, search));
        }
        let mut steps: Vec<u64> = (0..9)
            .map(|seed| {
                let report = (hunt.checker)().simulation(Simulation::new(seed)).check(hunt.network);
                assert_eq!(report.verdict(), Verdict::Violated, "{}: {report}", hunt.name);
                report.transitions()
            })
            .collect();
        steps.sort_unstable();
        println!("{}, simulation, steps: {steps:?}", hunt.name);
    }
}

/// Breadth-first, all of the 4^40 throws come before the sum.
async fn sums_throws() {
    let mut throws = Vec::new();
    for _ in 0..40 {
        throws.push(netcheck::choose(0..4_u32).await);
    }
    assert!(throws.iter().sum::<u32>() < 60, "the sum is {}", throws.iter().sum::<u32>());
}

#[test]
fn a_search_that_takes_long_draws_executions_beside() {
    // Enough that executions are drawn also where the machine has other work.
    let checker = Checker::new().max_time(Duration::from_secs(60));
    let report = checker.check(|net| _ = net.process("sums", sums_throws));
    assert_eq!(report.verdict(), Verdict::Violated, "{report}");
    assert!(report.counterexample().is_some_and(|found| found.message().contains("the sum is ")), "{report}");
    assert!(report.simulated().is_some(), "{report}");
}

#[test]
fn a_search_in_an_order_that_was_chosen_draws_none() {
    let checker = Checker::new().search(Search::Bfs).max_time(Duration::from_secs(2));
    let report = checker.check(|net| _ = net.process("sums", sums_throws));
    assert_eq!((report.verdict(), report.simulated().is_some()), (Verdict::Inconclusive, false), "{report}");
}
