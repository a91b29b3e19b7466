//! Programs in which a loop depends on more than meets the eye: each ends with the same values
//! with captured loops and without.

use netcheck as tokio;
use netcheck::Network;
use netcheck::check::{Checker, Verdict};
use std::cell::Cell;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex};
use tokio::time::{Duration, timeout};

/// Leaves out what it holds.
#[derive(Clone, Copy)]
struct Careless(u32);

impl Hash for Careless {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

/// Tells what it held when it goes.
struct Guard {
    log: Arc<Mutex<Vec<u32>>>,
    held: u32,
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.log.lock().unwrap().push(self.held);
    }
}

/// As `Guard`, with a `Hash` that says everything.
struct HashedGuard<'a> {
    log: &'a Mutex<Vec<u32>>,
    held: u32,
}

impl Hash for HashedGuard<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.held, &*self.log.lock().unwrap()).hash(state);
    }
}

impl Drop for HashedGuard<'_> {
    fn drop(&mut self) {
        self.log.lock().unwrap().push(self.held);
    }
}

/// Awaits in a function that is not annotated.
async fn one_of(alternatives: u32) -> u32 {
    netcheck::choose(0..alternatives).await
}

/// Not annotated: what it counts is not told.
macro_rules! called_in_a_plain_loop {
    ($tries:path) => {
        async {
            let mut all = 0;
            for _ in 0..3 {
                all += $tries(2).await;
            }
            all
        }
    };
}

macro_rules! stop {
    () => {
        break
    };
}

type Register = fn(&mut Network);

macro_rules! programs {
    ($name:ident, $($words:tt)*) => {
        mod $name {
            use super::*;

            pub const PROGRAMS: &[(&str, Register, &[&str])] = &[
                ("in a caller's variable", |net| { net.process("p", || called_in_a_plain_loop!(tries)); }, &["0", "1", "2", "3", "4", "5", "6"]),
                ("in a caller's variable, told", |net| { net.process("p", tries_twice); }, &["(2, 0)", "(2, 1)", "(2, 2)", "(2, 3)", "(2, 4)"]),
                ("in a caller's temporary", |net| { net.process("p", caller_holds_a_temporary); }, &["0", "1", "2", "3"]),
                ("in an iterator", |net| { net.process("p", iterator); }, &["[1, 2]", "[1]", "[2]", "[]"]),
                ("in an iterator by name", |net| { net.process("p", named_iterator); }, &["6"]),
                ("in a slice that items change", |net| { net.process("p", changed_items); }, &["[0, 0]", "[0, 1]", "[1, 0]", "[1, 1]"]),
                ("in cells that items lead to", |net| { net.process("p", cells); }, &["[0, 0]", "[0, 1]", "[1, 0]", "[1, 1]"]),
                ("in a cell", |net| { net.process("p", cell); }, &["0", "1", "2", "3"]),
                ("behind a lock", |net| { net.process("p", lock); }, &["[0, 0]", "[0, 1]", "[1, 0]", "[1, 1]"]),
                ("behind a reference that is narrowed", |net| { net.process("p", narrowed); }, &["[0, 0]", "[0, 1]", "[1, 0]", "[1, 1]"]),
                ("behind a reference that a call narrows", |net| { net.process("p", narrowed_by_a_call); }, &["[0, 0]", "[0, 1]", "[1, 0]", "[1, 1]"]),
                ("behind a reference that stays", |net| { net.process("p", borrowed); }, &["[0, 0]", "[0, 1]", "[1, 0]", "[1, 1]"]),
                ("in a closure", |net| { net.process("p", closure); }, &["0", "1", "2"]),
                ("in a guard", |net| { net.process("p", guard); }, &["[9, 0, 0]", "[9, 0, 1]", "[9, 1, 0]", "[9, 1, 1]"]),
                ("in a guard that tells", |net| { net.process("p", hashed_guard); }, &["[9, 0, 0]", "[9, 0, 1]", "[9, 1, 0]", "[9, 1, 1]"]),
                ("moved in one branch", |net| { net.process("p", moved_in_a_branch); }, &[r#"("a", 0)"#, r#"("a", 1)"#, r#"("", 0)"#, r#"("", 1)"#]),
                ("gone when the loop is left", |net| { net.process("p", moved_out); }, &[r#""name 0""#, r#""name 1""#, r#""name 2""#]),
                ("in calls of itself", |net| { net.process("p", || recursive(2)); }, &["0", "1", "2", "3", "4"]),
                ("inside of select!", |net| { net.process("p", inside_select); }, &["0", "1", "2", "3", "4"]),
                ("inside of timeout", |net| { net.process("p", inside_timeout); }, &["0", "1", "2", "3", "4"]),
                ("in a shadowed variable", |net| { net.process("p", shadowed); }, &["(0, 0)", "(0, 1)", "(1, 0)", "(1, 1)"]),
                ("assigned later", |net| { net.process("p", assigned_later); }, &["(0, 0)", "(0, 1)", "(1, 0)", "(1, 1)"]),
                ("in two loops", |net| { net.process("p", || two_loops(2)); }, &["[0, 0]", "[0, 1]", "[1, 0]", "[1, 1]"]),
                ("in a value of a labelled break", |net| { net.process("p", labelled); }, &["0", "1", "10", "11", "20"]),
                ("at the break of a macro", |net| { net.process("p", left_by_a_macro); }, &["0", "1"]),
                ("in a macro of its own", |net| { net.process("p", own_macro); }, &["0", "1"]),
                ("in a timer that has elapsed", |net| { net.process("p", elapsed_timer); }, &["0", "1", "2"]),
                ("in a partly moved value", |net| { net.process("p", partly_moved); }, &[r#"("name", 0)"#, r#"("name", 1)"#, r#"("name", 2)"#]),
            ];

            #[netcheck::process($($words)*)]
            async fn tries(max: u32) -> u32 {
                let mut count = 0;
                while count < max {
                    if one_of(2).await == 0 {
                        break;
                    }
                    count += 1;
                }
                count
            }

            #[netcheck::process($($words)*)]
            async fn tries_twice() -> (u32, u32) {
                let (mut calls, mut sum) = (0, 0);
                while calls < 2 {
                    sum += tries(2).await;
                    calls += 1;
                }
                (calls, sum)
            }

            #[netcheck::process($($words)*)]
            async fn caller_holds_a_temporary() -> u32 {
                one_of(2).await + tries(2).await
            }

            #[netcheck::process($($words)*)]
            async fn iterator() -> Vec<u32> {
                let mut taken = Vec::new();
                for item in [1, 2] {
                    if one_of(2).await == 1 {
                        taken.push(item);
                    }
                }
                taken
            }

            #[netcheck::process($($words)*)]
            async fn named_iterator() -> u32 {
                let mut items = vec![1, 2, 3].into_iter();
                let mut sum = 0;
                while let Some(item) = items.next() {
                    one_of(2).await;
                    sum += item;
                }
                sum
            }

            #[netcheck::process($($words)*)]
            async fn changed_items() -> [u32; 2] {
                let mut items = [7; 2];
                for item in &mut items {
                    *item = one_of(2).await;
                }
                items
            }

            #[netcheck::process($($words)*)]
            async fn cells() -> Vec<u32> {
                let cells = [const { Mutex::new(7) }; 2];
                for cell in &cells {
                    let value = one_of(2).await;
                    *cell.lock().unwrap() = value;
                }
                cells.iter().map(|cell| *cell.lock().unwrap()).collect()
            }

            #[netcheck::process($($words)*)]
            async fn cell() -> u32 {
                let cell = Cell::new(0);
                let mut left = 3;
                while left > 0 {
                    let more = one_of(2).await;
                    cell.set(cell.get() + more);
                    left -= 1;
                }
                cell.get()
            }

            #[netcheck::process($($words)*)]
            async fn lock() -> Vec<u32> {
                let seen = Arc::new(Mutex::new(Vec::new()));
                let shown = Arc::clone(&seen);
                let mut left = 2;
                while left > 0 {
                    let value = one_of(2).await;
                    shown.lock().unwrap().push(value);
                    left -= 1;
                }
                let seen = seen.lock().unwrap();
                seen.clone()
            }

            #[netcheck::process($($words)*)]
            async fn narrowed() -> [u32; 2] {
                let mut values = [0; 2];
                let mut rest = &mut values[..];
                while !rest.is_empty() {
                    rest[0] = one_of(2).await;
                    rest = &mut rest[1..];
                }
                values
            }

            #[netcheck::process($($words)*)]
            async fn narrowed_by_a_call() -> [u8; 2] {
                let mut values = [0; 2];
                let mut rest = &mut values[..];
                while !rest.is_empty() {
                    let value = one_of(2).await as u8;
                    std::io::Write::write_all(&mut rest, &[value]).unwrap();
                }
                values
            }

            #[netcheck::process($($words)*)]
            async fn borrowed() -> Vec<u32> {
                let mut values = Vec::new();
                let all = &mut values;
                while all.len() < 2 {
                    all.push(one_of(2).await);
                }
                values
            }

            #[netcheck::process($($words)*)]
            async fn closure() -> u32 {
                let mut sum = 0;
                let mut add = |more: u32| sum += more;
                let mut left = 2;
                while left > 0 {
                    add(one_of(2).await);
                    left -= 1;
                }
                sum
            }

            #[netcheck::process($($words)*)]
            async fn guard() -> Vec<u32> {
                let log = Arc::new(Mutex::new(Vec::new()));
                let mut guard = Guard { log: Arc::clone(&log), held: 9 };
                let mut left = 2;
                while left > 0 {
                    let held = one_of(2).await;
                    guard = Guard { log: Arc::clone(&log), held };
                    left -= 1;
                }
                drop(guard);
                let log = log.lock().unwrap();
                log.clone()
            }

            #[netcheck::process($($words)*)]
            async fn hashed_guard() -> Vec<u32> {
                let log = Mutex::new(Vec::new());
                let mut guard = HashedGuard { log: &log, held: 9 };
                let mut left = 2;
                while left > 0 {
                    let held = one_of(2).await;
                    guard = HashedGuard { log: &log, held };
                    left -= 1;
                }
                drop(guard);
                log.into_inner().unwrap()
            }

            #[netcheck::process($($words)*)]
            async fn moved_in_a_branch() -> (String, u32) {
                let mut name = Some("a".to_owned());
                let mut kept = String::new();
                let mut left = 2;
                let mut last = 0;
                while left > 0 {
                    last = one_of(2).await;
                    if last == 1 && left == 2 {
                        kept = name.take().unwrap_or_default();
                    }
                    left -= 1;
                }
                (kept, last)
            }

            #[netcheck::process($($words)*)]
            async fn moved_out() -> String {
                let name = "name".to_owned();
                let mut tries = 0;
                loop {
                    if tries == 2 || one_of(2).await == 1 {
                        let mut name = name;
                        name.push_str(&format!(" {tries}"));
                        return name;
                    }
                    tries += 1;
                }
            }

            #[netcheck::process($($words)*)]
            async fn recursive(depth: u32) -> u32 {
                let mut sum = 0;
                while sum < 2 {
                    if one_of(2).await == 0 {
                        break;
                    }
                    sum += 1;
                }
                if depth <= 1 { sum } else { sum + Box::pin(recursive(depth - 1)).await }
            }

            #[netcheck::process($($words)*)]
            async fn inside_select() -> u32 {
                let mut sum = 0;
                let mut left = 2;
                while left > 0 {
                    netcheck::select! {
                        count = tries(2) => sum += count,
                        () = std::future::pending() => unreachable!(),
                    }
                    left -= 1;
                }
                sum
            }

            #[netcheck::process($($words)*)]
            async fn inside_timeout() -> u32 {
                let mut sum = 0;
                let mut left = 2;
                while left > 0 {
                    sum += timeout(Duration::from_secs(1), tries(2)).await.unwrap();
                    left -= 1;
                }
                sum
            }

            #[netcheck::process($($words)*)]
            async fn shadowed() -> (u32, u32) {
                let value = one_of(2).await;
                let shown = || value;
                let mut left = 1;
                let mut last = 0;
                while left > 0 {
                    let value = one_of(2).await;
                    last = value;
                    left -= 1;
                }
                (shown(), last)
            }

            #[netcheck::process($($words)*)]
            async fn assigned_later() -> (u32, u32) {
                let first;
                let mut second = 5;
                loop {
                    let value = one_of(2).await;
                    if second < 5 {
                        first = value;
                        break;
                    }
                    second = value;
                }
                (second, first)
            }

            #[netcheck::process($($words)*)]
            async fn two_loops(count: usize) -> Vec<u32> {
                let mut values = Vec::new();
                for index in 0..count {
                    loop {
                        if one_of(2).await == 1 {
                            values.push(1);
                        } else {
                            values.push(0);
                        }
                        if values.len() > index {
                            break;
                        }
                    }
                }
                values
            }

            #[netcheck::process($($words)*)]
            async fn labelled() -> u32 {
                let mut tens = 0;
                'outer: loop {
                    let mut ones = 0;
                    let found = loop {
                        match one_of(3).await {
                            0 => break tens + ones,
                            1 if ones == 0 => ones = 1,
                            _ if tens < 20 => {
                                tens += 10;
                                if tens == 20 {
                                    break 'outer;
                                }
                                continue 'outer;
                            }
                            _ => break tens + ones,
                        }
                    };
                    return found;
                }
                tens
            }

            #[netcheck::process($($words)*)]
            async fn partly_moved() -> (String, u32) {
                struct Job {
                    name: String,
                    max: u32,
                }
                let job = Job { name: "name".to_owned(), max: 2 };
                let name = job.name;
                let mut count = 0;
                while count < job.max {
                    if one_of(2).await == 0 {
                        break;
                    }
                    count += 1;
                }
                (name, count)
            }

            /// Nothing in `stop!()` says that what comes after the loop can be reached.
            #[netcheck::process($($words)*)]
            async fn left_by_a_macro() -> u32 {
                let mut last = 0;
                let mut rounds = 0;
                loop {
                    if rounds == 2 {
                        stop!();
                    }
                    rounds += 1;
                    if one_of(2).await == 1 {
                        last = 1;
                    }
                }
                last
            }

            /// Nothing in `told!()` says which variable it reads.
            #[netcheck::process($($words)*)]
            async fn own_macro() -> u32 {
                let mut last = 0;
                macro_rules! told {
                    () => {
                        last
                    };
                }
                for _ in 0..2 {
                    if one_of(2).await == 1 {
                        last = 1;
                    }
                }
                told!()
            }

            /// Ends with the round in which the timer elapsed, or 0. Whoever waits for the choice does not
            /// look at the timer.
            #[netcheck::process($($words)*)]
            async fn elapsed_timer() -> u32 {
                let timer = tokio::time::sleep(Duration::from_millis(2));
                netcheck::pin!(timer);
                let (mut round, mut elapsed) = (0, 0);
                while round < 2 {
                    round += 1;
                    let pause = Duration::from_millis(1 + u64::from(one_of(2).await));
                    netcheck::select! {
                        () = &mut timer, if elapsed == 0 => elapsed = round,
                        () = tokio::time::sleep(pause) => {}
                    }
                }
                elapsed
            }

            /// Two values that are equal, and not the same: the `Hash` of neither says how much it can hold.
            #[netcheck::process($($words)*)]
            async fn room() -> () {
                let mut items = Vec::<u8>::new();
                for _ in 0..2 {
                    if one_of(2).await == 1 {
                        items.reserve(1);
                    }
                }
                assert_ne!(items.capacity(), 0, "there is room");
            }

            #[netcheck::process($($words)*)]
            async fn careless() -> u32 {
                let mut count = Careless(0);
                loop {
                    if one_of(2).await == 0 {
                        return count.0;
                    }
                    count.0 += 1;
                    assert!(count.0 < 3, "it counts up to three");
                }
            }

            #[netcheck::process($($words)*)]
            async fn careless_for_long() -> () {
                let mut count = Careless(0);
                while one_of(2).await == 1 {
                    count.0 += 1;
                    assert!(count.0 < 10, "it counts up to ten");
                }
            }

            pub const CARELESS: [Register; 3] = [
                |net| { net.process("p", room); },
                |net| { net.process("p", careless); },
                |net| { net.process("p", careless_for_long); },
            ];
        }
    };
}

programs!(captured,);
programs!(kept, capture = false);

#[test]
fn captured_or_not_a_program_ends_with_the_same_values() {
    for programs in [captured::PROGRAMS, kept::PROGRAMS] {
        for (state, register, outputs) in programs {
            let report = Checker::new().reduction(false).check(register);
            let mut expected = outputs.to_vec();
            expected.sort_unstable();
            assert_eq!(report.verdict(), Verdict::Verified, "state {state}: {report}");
            assert_eq!(report.outputs("p"), expected, "state {state}: {report}");
        }
    }
}

#[test]
fn a_hash_that_leaves_something_out_is_found() {
    for register in captured::CARELESS {
        let error = Checker::new().reduction(false).try_check(register);
        let error = error.expect_err("two counts hash alike").to_string();
        assert!(error.contains("variables that hash alike"), "{error}");
    }
    for register in kept::CARELESS {
        let report = Checker::new().reduction(false).check(register);
        assert_eq!(report.verdict(), Verdict::Violated, "{report}");
    }
}
