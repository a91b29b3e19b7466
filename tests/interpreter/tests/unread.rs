//! Bytes of memory that no program can read tell no local states apart, where the debug information says which these are.
//! (This package is compiled with all of it.)

use std::collections::VecDeque;
use std::hint::black_box;
use std::pin::pin;
use std::time::Duration;

use netcheck::Network;
use netcheck::check::{Checker, Report, Unread, Verdict};

/// Ways in which the programs begin.
const WAYS: u64 = 8;

/// A program that has done something in one of several ways, and of which nothing is left but where it was.
async fn remembers_nothing() {
    {
        let way = netcheck::choose(0..WAYS).await;
        // Larger than the variables that lie there later, which would overwrite it.
        let early = [way; 60];
        netcheck::time::sleep(Duration::from_millis(1)).await;
        assert!(black_box(early)[5] < WAYS);
    }
    for _ in 0..3 {
        netcheck::time::sleep(Duration::from_millis(1)).await;
    }
}

/// States that a check may meet.
const STATES_MAX: usize = 150_000;

/// As many programs as this, which have few local states each.
fn beside_each_other(programs: usize, unread: Unread) -> Report {
    Checker::new().reduction(false).max_states(STATES_MAX).unread(unread).check(|net| {
        for number in 0..programs {
            net.process(format!("program {number}"), remembers_nothing);
        }
    })
}

#[test]
fn bytes_that_nobody_reads_are_cleared_once_there_are_many_states() {
    let few = [Unread::Compared, Unread::ClearedOfMany].map(|unread| beside_each_other(2, unread).states());
    assert_eq!(few[0], few[1], "few states are no reason to clear anything");
    let compared = beside_each_other(4, Unread::Compared);
    assert_eq!(compared.verdict(), Verdict::Inconclusive, "{compared}");
    let cleared = beside_each_other(4, Unread::ClearedOfMany);
    assert_eq!(cleared.verdict(), Verdict::Verified, "{cleared}");
    assert_eq!(cleared.states(), beside_each_other(4, Unread::Cleared).states());
}

/// As `remembers_nothing`, with two variables of one name that are kept over each await, and two that `pin!` makes.
async fn keeps_two_variables_of_one_name() {
    let kept = 7_u64;
    let seen = &kept;
    let kept = Box::new([*seen; 3]);
    let first = pin!(remembers_nothing());
    let second = pin!(netcheck::time::sleep(Duration::from_secs(1)));
    first.await;
    second.await;
    assert_eq!(kept[2], *seen);
}

/// A program that keeps the way in the first of two variables of one name, and one that keeps it in the second.
async fn remembers_the_way_in_the_first() {
    let way = netcheck::choose(0..WAYS).await;
    let seen = &way;
    let way = [0_u64; 3];
    for _ in 0..3 {
        netcheck::time::sleep(Duration::from_millis(1)).await;
    }
    assert!(black_box(way)[1] + black_box(seen) < WAYS);
}

async fn remembers_the_way_in_the_second() {
    let way = 3_u64;
    let seen = &way;
    let way = [1, netcheck::choose(0..WAYS).await, 2];
    for _ in 0..3 {
        netcheck::time::sleep(Duration::from_millis(1)).await;
    }
    assert!(black_box(way)[1] < WAYS && black_box(seen) == &3);
}

/// As the one before, where the function was called with the first.
async fn remembers_the_way_beside_an_argument(way: Option<Box<u64>>) {
    let seen = &way;
    let way = [1, netcheck::choose(0..WAYS).await, 2];
    for _ in 0..3 {
        netcheck::time::sleep(Duration::from_millis(1)).await;
    }
    assert!(black_box(way)[1] < WAYS && black_box(seen).is_some());
}

/// A program that keeps the way.
async fn remembers_the_way() {
    let way = netcheck::choose(0..WAYS).await;
    for _ in 0..3 {
        netcheck::time::sleep(Duration::from_millis(1)).await;
    }
    assert!(black_box(way) < WAYS);
}

/// A program with a box that is empty by now.
async fn empties_a_box() {
    let mut numbers = Box::new(Some([netcheck::choose(0..WAYS).await; 3]));
    netcheck::time::sleep(Duration::from_millis(1)).await;
    assert!(take(&mut numbers) < 3 * WAYS);
    for _ in 0..3 {
        netcheck::time::sleep(Duration::from_millis(1)).await;
    }
    assert!(numbers.is_none());
}

fn take(numbers: &mut Option<[u64; 3]>) -> u64 {
    black_box(numbers).take().map_or(u64::MAX, |numbers| numbers.iter().sum())
}

/// A program with a queue whose room keeps the jobs that are done.
async fn does_jobs() {
    let mut jobs = VecDeque::with_capacity(4);
    jobs.push_back((netcheck::choose(0..WAYS).await, Box::new(1_u8)));
    do_next(&mut jobs);
    for _ in 0..3 {
        netcheck::time::sleep(Duration::from_millis(1)).await;
    }
    assert!(jobs.is_empty());
}

fn do_next(jobs: &mut VecDeque<(u64, Box<u8>)>) {
    assert!(black_box(jobs).pop_front().is_some_and(|(way, _)| way < WAYS));
}

fn check<F: Future<Output = ()> + 'static>(program: fn() -> F, unread: Unread) -> Report {
    let report = Checker::new().unread(unread).check(|net: &mut Network| {
        net.process("program", program);
    });
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
    report
}

/// How many local states a program has if unread bytes are compared, cleared, and overwritten.
fn local_states<F: Future<Output = ()> + 'static>(program: fn() -> F) -> [usize; 3] {
    [Unread::Compared, Unread::Cleared, Unread::Overwritten].map(|unread| check(program, unread).local_states())
}

/// The ways of a program make no difference once unread bytes are cleared, and one at each of so many waits before.
#[track_caller]
fn ways_are_forgotten<F: Future<Output = ()> + 'static>(program: fn() -> F, waits: usize) {
    let [compared, cleared, overwritten] = local_states(program);
    assert!(compared >= cleared + waits * (WAYS as usize - 1), "{compared} and {cleared}");
    assert_eq!(cleared, overwritten);
}

/// The ways of a program make a difference at each of three waits.
#[track_caller]
fn ways_are_remembered<F: Future<Output = ()> + 'static>(program: fn() -> F) {
    let [compared, cleared, overwritten] = local_states(program);
    assert_eq!((compared, cleared), (cleared, overwritten));
    assert!(cleared >= 3 * WAYS as usize);
}

#[test]
fn variables_of_an_earlier_await_tell_nothing_apart() {
    ways_are_forgotten(remembers_nothing, 3);
}

#[test]
fn what_is_kept_tells_states_apart() {
    ways_are_remembered(remembers_the_way);
}

#[test]
fn variables_of_one_name_are_known() {
    ways_are_forgotten(keeps_two_variables_of_one_name, 3);
}

#[test]
fn each_variable_of_one_name_tells_states_apart() {
    ways_are_remembered(remembers_the_way_in_the_first);
    ways_are_remembered(remembers_the_way_in_the_second);
    ways_are_remembered(|| remembers_the_way_beside_an_argument(Some(Box::new(5))));
}

#[test]
fn other_variants_tell_nothing_apart() {
    ways_are_forgotten(empties_a_box, 1);
}

#[test]
fn elements_that_are_not_there_tell_nothing_apart() {
    ways_are_forgotten(does_jobs, 3);
}

/// A check that turns out to have many local states begins again without unread bytes; one that has few does not.
#[test]
fn many_local_states_are_told_apart_without_unread_bytes() {
    async fn many() {
        let way = netcheck::choose(0..2_000_u64).await;
        let early = [way; 6];
        netcheck::time::sleep(Duration::from_millis(1)).await;
        assert!(black_box(early)[5] < 2_000);
        for _ in 0..3 {
            netcheck::time::sleep(Duration::from_millis(1)).await;
        }
    }
    let by_default = check(many, Unread::default()).local_states();
    assert_eq!(by_default, check(many, Unread::Cleared).local_states());
    assert!(by_default < 3_000, "{by_default}");
    let few = check(remembers_nothing, Unread::default()).local_states();
    assert_eq!(few, check(remembers_nothing, Unread::Compared).local_states());
}
