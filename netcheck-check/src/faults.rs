//! Regions of a program whose faults are not those of the check (papers/udp-net-iocache.txt, section 3.2.4).

use crate::check::words::region;
use std::future::Future;

/// Runs a future with faults of its own for its process, in place of those that the check declares: the multiplication
/// choices and the capacity of the network, and the calls on TCP that may fail (the paper's `Verify.setProperties`,
/// papers/udp-net-iocache.txt section 3.2.4).
///
/// ```
/// # use netcheck_check::faults;
/// # async fn handshake() {}
/// # async fn program() {
/// faults::with("udp(copies = [1, 2], window = 2), tcp(read)", handshake()).await;
/// # }
/// ```
///
/// The words are those of `#[model_check]`: `udp(…)` with `loss`, `duplication`, `reorder`, `copies` and `window`, and
/// `tcp(…)` with `open`, `close`, `read`, `write`, `transient`, `reset` and `hang`. A list that is not written leaves the faults of the check
/// as they are; an empty one, `udp()` or `tcp()`, means no such faults.
///
/// - **Packets**: `udp(…)` counts for a packet that is *sent* while the perturbed process, the sender or the receiver by
///   the check's `direction`, is in the region, also if it arrives later. Without a `direction` it is each packet
///   that the process sends or is to receive; if both are in regions, that of the sender counts. `window` bounds how many
///   earlier packets such a packet overtakes. Where packets take time by `delay`, delays decide the order instead.
/// - **Calls**: `tcp(…)` counts for the calls that the process waits for in the region, whatever the check's `process`,
///   `side` and `first` say.
/// - A region counts for the whole process. Of several regions, the one that was entered last counts. An isolated task
///   that is in a region of its own is in that one alone.
/// - It counts also where `faults::scope` is used and the process is in no such scope.
/// - `at_most` counts these faults like all others.
///
/// # Panics
/// If a word is wrong, or is none of a region, when the function is called; the message shows the word. When the future is
/// polled outside a check.
#[track_caller]
pub fn with<'a, F: Future + 'a>(words: &'a str, future: F) -> impl Future<Output = F::Output> + 'a {
    netcheck_runtime::faults::within(words, region, future)
}
