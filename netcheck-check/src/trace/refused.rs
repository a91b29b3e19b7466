//! Why a connection was refused: mostly since the process at the other end has not come to listen yet.

use crate::trace::asked::{Answered, Asked};
use crate::trace::step::Step;
use netcheck_runtime::operation::Failure;

/// What to say of the last of some steps, if it is a connection that was refused and nobody has listened for it before.
pub(crate) fn unheard(steps: &[Step]) -> Option<String> {
    let (last, before) = steps.split_last()?;
    let (Some(Asked::Open { peer: address }), Some(Answered::Failed { error: Failure::ConnectionRefused })) =
        (&last.asked, &last.answered)
    else {
        return None;
    };
    let listener = last.peer.as_deref()?;
    let listens = |step: &Step| match &step.asked {
        Some(Asked::Listen { address: own }) => {
            step.process.split('/').next() == Some(listener) && port(own) == port(address)
        }
        _ => false,
    };
    let connects = last.process.split('/').next().unwrap_or_default();
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
