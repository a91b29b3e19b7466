//! Why a connection was refused: mostly since the process at the other end has not come to listen yet.

use crate::trace::asked::{Answered, Asked};
use crate::trace::step::{Step, process};
use netcheck_runtime::operation::Failure;

/// The remark on a connection that is refused, if nobody has listened at its address in the steps before.
pub(crate) fn unheard(before: &[Step], last: &Step) -> Option<String> {
    let address = match (&last.asked, &last.answered) {
        (Asked::DialUnix { peer }, Some(Answered::Failed { .. })) => return unbound(before, last, peer),
        (Asked::Open { peer }, Some(Answered::Failed { error: Failure::ConnectionRefused })) => peer,
        _ => return None,
    };
    let listener = last.peer.as_deref()?;
    let listens = |step: &Step| match &step.asked {
        Asked::Listen { address: own } => process(&step.process) == listener && port(own) == port(address),
        _ => false,
    };
    let connects = process(&last.process);
    (!before.iter().any(listens)).then(|| {
        let after = match connects == listener {
            true => String::new(),
            false => format!("; `.after(\"{listener}\")` would let {connects} begin once {listener} waits"),
        };
        format!("nobody has listened at {address} yet{after}")
    })
}

/// The remark on a Unix domain socket that found none with the name to which it connects.
fn unbound(before: &[Step], last: &Step, name: &str) -> Option<String> {
    let listens = |step: &&Step| matches!(&step.asked, Asked::Listen { address } if address == name);
    let listener = before.iter().find(listens).map(|step| process(&step.process));
    let connects = process(&last.process);
    match listener {
        Some(listener) if listener == connects => None,
        Some(listener) => {
            Some(format!("{listener} listens at {name}, but each process of a check is a host of its own"))
        }
        None => Some(format!("nobody has listened at {name} yet")),
    }
}

fn port(address: &str) -> Option<&str> {
    address.rsplit_once(':').map(|(_, port)| port)
}
