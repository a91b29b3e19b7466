//! Regions of the program in which faults are injected (the paper's `Verify.setProperties`,
//! papers/udp-net-iocache.txt section 3.2.4).

use crate::operation::Effect;
use crate::operation::faults;
use crate::unit::poll::context;
use crate::unit::source_line::place;
use netcheck_memory::engine;
use std::future::Future;
use std::panic::Location;

#[doc(hidden)]
pub use crate::operation::faults::Region;

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

/// Runs a future in a region whose faults are those that `read` finds in `words`.
///
/// # Panics
/// If `read` finds a mistake, with its message.
#[doc(hidden)]
#[track_caller]
pub fn within<'a, F: Future + 'a>(
    words: &'a str,
    read: fn(&str) -> Result<Region, String>,
    future: F,
) -> impl Future<Output = F::Output> + 'a {
    if let Some(wrong) = engine(|| read(words).err()) {
        panic!("{wrong}");
    }
    let location = Location::caller();
    async move {
        let _entered = Entered::enter(words, read, location);
        future.await
    }
}

/// A region with faults of its own that the unit is in.
struct Entered {
    number: u32,
}

impl Entered {
    /// `location`: of the call, for readers of a counterexample.
    fn enter(words: &str, read: fn(&str) -> Result<Region, String>, location: &'static Location<'static>) -> Entered {
        let region = || read(words).expect("it was read before");
        let context = context::current();
        context.remark(|| format!("from here on faults are `{words}`  ({})", place(location)));
        Entered { number: context.enter_region(region) }
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        if let Some(context) = context::try_current() {
            context.leave_region(self.number);
        }
    }
}
