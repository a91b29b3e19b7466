//! Why a connection was refused: mostly since the process at the other end has not come to listen yet.

use crate::trace::asked::{Answered, Asked};
use crate::trace::step::{Step, process};
use netcheck_runtime::operation::Failure;

/// The remark on a connection that is refused, if nobody has listened at its address in the steps before.
pub(crate) fn unheard(before: &[Step], last: &Step) -> Option<String> {
    let (Some(Asked::Open { peer: address }), Some(Answered::Failed { error: Failure::ConnectionRefused })) =
        (&last.asked, &last.answered)
    else {
        return None;
    };
    let listener = last.peer.as_deref()?;
    let listens = |step: &Step| match &step.asked {
        Some(Asked::Listen { address: own }) => process(&step.process) == listener && port(own) == port(address),
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

fn port(address: &str) -> Option<&str> {
    address.rsplit_once(':').map(|(_, port)| port)
}
