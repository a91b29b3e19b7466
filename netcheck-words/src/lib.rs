//! The words of `#[model_check(…)]` and of `NETCHECK_FAULTS`, as one table that both read: what a word takes, an example of
//! that, and which words do not go together. *Nothing is parsed here, and nothing known of what a word does.*
//!
//! The attribute calls for each word the builder's method of that name; `NETCHECK_FAULTS` has an arm for each word.

#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod near;
mod table;

pub use near::{either, hint, nearest, unknown};
pub use table::{
    CHECK, CRASH, CRASH_EXCLUSIVE, Exclusive, FAULTS, FILES, FILES_EXCLUSIVE, GROUPS, LEFT, LINKS, OF_TESTS, Order,
    PARTITION, PARTITION_EXCLUSIVE, SEARCHES, TCP, Takes, UDP, UDP_EXCLUSIVE, Word,
};

/// The units of delays and times, and their lengths in nanoseconds.
pub const UNITS: &[(&str, u64)] =
    &[("ns", 1), ("us", 1_000), ("ms", 1_000_000), ("s", 1_000_000_000), ("min", 60_000_000_000)];

/// The names of words, in their order.
pub fn names(words: &[Word]) -> Vec<&'static str> {
    words.iter().map(|word| word.name).collect()
}

/// The message for a limit of faults where none are declared.
pub fn nothing_limited() -> &'static str {
    "`at_most` limits faults, but none are declared: add `udp(…)`, `tcp(…)`, `crash(…)` or `partition(…)`, or \
     leave it out"
}

/// The message for what is left of files where nothing is lost.
pub fn needs_power() -> &'static str {
    "these words of `fs` say what a power failure leaves of files: add `crash(power, …)`, or leave them out"
}

/// The message for an empty list of crashes.
pub fn no_crash() -> &'static str {
    "`crash` is empty: say which process, as in `crash(process = \"server\")`, or `crash(kill)` for all"
}

/// The message for a partition of which it is not said which links are cut.
pub fn no_links() -> &'static str {
    "`partition` names no links: say which, as in `partition(isolate = \"server\")`, `partition(halves)` or `partition(any)`"
}

/// The message for a link that is not one between two processes.
pub fn not_two() -> &'static str {
    "`between` names the two processes whose link is cut, or two sets of them, as in `[[\"a\", \"b\"], [\"c\"]]`"
}

/// The message for a side of a cut without processes.
pub fn no_side() -> &'static str {
    "this side is empty: name a process"
}

/// The message for what are no sides of a cut.
pub fn not_sides() -> &'static str {
    "expected two names, such as `[\"client\", \"server\"]`, or two lists of names"
}

/// The message for an empty list of what survives.
pub fn no_files() -> &'static str {
    "`fs` is empty: say what survives or fails, as in `fs(prefix)` or `fs(sync)`, or leave it out"
}

/// The names of the lists that have a word.
pub fn lists_with(name: &str) -> Vec<&'static str> {
    let has = |list: &&Word| matches!(list.takes, Takes::List(_, words) if names(words).contains(&name));
    CHECK.iter().filter(has).map(|list| list.name).collect()
}

/// The message for a word that stands outside of the lists, and is none of `known`.
pub fn unknown_outside(name: &str, known: &[&str], whose: &str) -> String {
    match lists_with(name)[..] {
        [] => unknown(name, known, whose),
        [list] => format!("`{name}` is a word of `{list}`: write `{list}({name}, …)`"),
        [one, other, ..] => {
            format!("`{name}` is a word of `{one}` and of `{other}`: write it in the parentheses of one of them")
        }
    }
}

/// The message for a word in a list that has none of that name, and neither has a check.
pub fn unknown_in(list: &str, name: &str, known: &[&str]) -> String {
    match lists_with(name).first() {
        Some(other) => format!("`{name}` is a word of `{other}`, not of `{list}`: write `{other}({name}, …)`"),
        None => unknown(name, known, &format!("the words of `{list}` are")),
    }
}
