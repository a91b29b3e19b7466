//! The package `tokio-util`, with a `DelayQueue` whose deadlines are instants.
//!
//! The real queue keeps its deadlines as milliseconds since it was made, in a wheel with slots of one millisecond, of 64,
//! of 4,096 and so on. So its memory tells how long ago that was: no loop of a program that uses one would ever close,
//! and where delays are any of an interval there is no such number. The one of the mirror keeps its deadlines as instants, in
//! order. Instants are told apart by their distances from each other and from now, so a queue that is renewed comes back.
//!
//! Why what the real queue does is done by this one:
//! - *Elements with different deadlines* leave both by their deadlines. One whose deadline is before the time up to which
//!   the real queue has come gets that time for its deadline, so here.
//! - *Elements with one deadline* lie in one slot of the wheel, the last one first; each time that they come down to a finer
//!   slot, their order is turned round, and one that is put into the finer slot at once comes before those that come down
//!   later. How often depends on how far the deadline, the insertion and the wheel's slots lie apart, to the millisecond. A
//!   program on a network doesn't know that, so here any of them is the next, and a check explores each.
//! - *The task that has polled the queue* is woken when the next element is due, when an element comes before that, and when
//!   none is left, as by the real queue.
//!
//! A program may see three differences. The real queue rounds deadlines up to its next millisecond. It also wakes the task
//! when its time comes to a coarser slot, and returns nothing then. And how far it has come lies behind the last
//! deadline that it has returned, so that a deadline which is over already when it is set is told to be later here.
//!
//! The source is written anew, with the public functions of the newest version. A version with a function that it
//! lacks stays as it is.

/// The file with the queue, from the package's folder on.
pub(super) const FILE: &str = "src/time/delay_queue.rs";

/// The beginning of the file, before the source of the queue.
const HEAD: &str = "\
//! A queue of delayed elements.

#![allow(missing_docs)]

use tokio::__private::chosen;

";

/// The queue of the mirror. It calls `chosen(n)` where any of `n` elements may be the next.
const SOURCE: &str = include_str!("delay_queue.in");

/// The source of the queue; unchanged if it has a public function that the mirror's lacks.
pub(super) fn edited(source: &str) -> String {
    let is_known = |name: &str| public_functions(SOURCE).any(|known| known == name);
    let functions = || public_functions(source);
    if functions().next().is_some() && functions().all(is_known) {
        format!("{HEAD}{SOURCE}")
    } else {
        source.to_owned()
    }
}

/// The names of all functions that the users of a file's types can call.
fn public_functions(source: &str) -> impl Iterator<Item = &str> {
    source.lines().filter_map(|line| line.trim_start().strip_prefix("pub fn ")).filter_map(|rest| {
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_')?;
        Some(&rest[..end])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_with_known_functions_gets_the_queue_of_instants() {
        let real = String::from(
            "impl<T> DelayQueue<T> {\n    pub fn insert_at(&mut self) {}\n    pub(crate) fn other() {}\n}\n",
        );
        assert_eq!(edited(&real).strip_prefix(HEAD), Some(SOURCE));
        let newer = real.replace("insert_at", "insert_all");
        assert_eq!(edited(&newer), newer, "the mirror's has no such function");
        assert_eq!(edited("pub use elsewhere::DelayQueue;\n"), "pub use elsewhere::DelayQueue;\n");
    }

    #[test]
    fn all_public_functions_of_the_newest_version_are_known() {
        const NAMES: &str = "new with_capacity insert_at poll_expired insert deadline remove try_remove reset_at reset peek \
                             clear shrink_to_fit compact capacity len reserve is_empty get_ref get_mut into_inner key";
        let known: Vec<&str> = public_functions(SOURCE).collect();
        assert!(NAMES.split_whitespace().all(|name| known.contains(&name)), "{known:?}");
    }
}
