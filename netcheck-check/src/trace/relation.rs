//! The processes that are unrelated to a violation.
//!
//! A process is unrelated only if it has exchanged nothing, and has not tried to, with a process in which the violation
//! happened, nor with a related one. One that crashes is related: others may wait for what it would have sent.

use crate::trace::step::{Step, process};
use std::collections::BTreeSet;

/// The processes that are related to a violation in `units`; `None`: all.
pub(crate) fn related(steps: &[Step], units: &[String]) -> Option<BTreeSet<String>> {
    if units.is_empty() {
        return None;
    }
    let crashed = steps.iter().filter(|step| step.is_crash()).map(|step| &step.process);
    let mut related: BTreeSet<String> = units.iter().chain(crashed).map(|unit| process(unit).to_owned()).collect();
    let of_processes = || steps.iter().filter(|step| !step.is_of_network());
    let pairs = || of_processes().filter_map(|step| Some((process(&step.process), step.peer.as_deref()?)));
    loop {
        let known = related.len();
        for (own, peer) in pairs() {
            if related.contains(own) || related.contains(peer) {
                related.extend([own.to_owned(), peer.to_owned()]);
            }
        }
        if related.len() == known {
            return Some(related);
        }
    }
}

/// Whether a step is one of the `related` processes', or the network's own.
pub(crate) fn is_related(step: &Step, related: Option<&BTreeSet<String>>) -> bool {
    step.is_of_network() || related.is_none_or(|related| related.contains(process(&step.process)))
}
