//! Cuts of the network, and the declarations and reductions that do not go with them.

use super::{Checker, Partition};
use crate::error::Error;
use netcheck_runtime::world::declared::Declared;

impl Checker {
    /// Declares how the network falls apart, in place of what was declared before.
    pub fn partition(mut self, partition: Partition) -> Self {
        self.partitions = vec![partition];
        self
    }

    /// Declares further cuts of the network: those of each declaration are counted by themselves.
    pub fn also_partition(mut self, partition: Partition) -> Self {
        self.partitions.push(partition);
        self
    }
}

/// An error if something was declared beside which links can't be cut; leaves the reductions out that can't be used then.
pub(super) fn set_up(declared: &Declared, checker: &mut Checker) -> Result<(), Error> {
    if declared.partitions.is_empty() {
        return Ok(());
    }
    if declared.tcp.delays.is_some() {
        return Err(Error::new(
            "`partition` can't be combined with `delay` in `tcp(…)` yet: when segments arrive that waited for a cut to heal is \
             not modelled; leave one of them out (`delay` in `udp(…)` may stay)"
                .to_owned(),
        ));
    }
    if declared.udp.iter().any(|udp| udp.delays.is_some() && udp.is_ordered) {
        return Err(Error::new(
            "`partition` can't be combined with `delay` and `window` or `reorder` together: which packets have arrived when a \
             link is cut is not modelled where something else than delays bounds their order; leave `window` and `reorder` out"
                .to_owned(),
        ));
    }
    if declared.tcp.retries_ns.is_some() && declared.has_power_failures() {
        return Err(Error::new(
            "`partition` can't be combined with `tcp(retries)` and `crash(power)` together yet: when a host gives up what was \
             lost by both is not modelled; leave one of the three out"
                .to_owned(),
        ));
    }
    // The argument for them does not cover hosts that are told apart by what is cut.
    (checker.symmetry, checker.merges_after) = (false, usize::MAX);
    Ok(())
}
