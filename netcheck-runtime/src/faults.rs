//! Regions of the program in which faults are injected (the paper's `Verify.setProperties`,
//! papers/udp-net-iocache.txt section 3.2.4).

use crate::operation::Effect;
use crate::operation::faults;
use crate::unit::poll::context;
use std::future::Future;

/// Runs a future with the declared faults switched on for its process.
///
/// As soon as a program uses this anywhere, there are no faults outside such regions: a
/// packet is perturbed only if it is sent while the perturbed process (the sender, or the
/// receiver, by `direction`) is inside one.
pub async fn scope<F: Future>(future: F) -> F::Output {
    let _inside = Inside::enter();
    future.await
}

struct Inside(());

impl Inside {
    fn enter() -> Inside {
        context::current().effect(Effect::Faults(faults::Effect::Scope { entered: true }));
        Inside(())
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        if let Some(context) = context::try_current() {
            context.effect(Effect::Faults(faults::Effect::Scope { entered: false }));
        }
    }
}
