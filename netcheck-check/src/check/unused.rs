//! Groups of packets to which no packet can belong, because groups that are declared before take all of theirs.

use super::declare::{Udp, groups};
use netcheck_runtime::id::ProcessId;
use netcheck_runtime::world::declared::UdpFaults;
use std::collections::BTreeSet;

/// A warning for each group of `declared` to which no packet between two of these processes can belong. What a process sends to
/// itself is not looked at.
pub(super) fn unused_groups(declared: &[Udp], names: &[&str]) -> Vec<String> {
    // Wrong groups are refused elsewhere.
    let Ok(faults) = groups(declared, names) else { return Vec::new() };
    let in_words = |group: usize| format!("`{}`", declared[group].in_words().unwrap_or_else(|| "udp(…)".to_owned()));
    let warning = |(group, takers): (usize, BTreeSet<usize>)| {
        let are = if takers.len() == 1 { "is" } else { "are" };
        let takers: Vec<String> = takers.into_iter().map(in_words).collect();
        format!(
            "no packet can belong to {}: all packets between processes that it names belong to {}, which {are} declared before \
             it; name a link (`between`) or a side (`direction`)",
            in_words(group),
            takers.join(" and "),
        )
    };
    (0..faults.len()).filter_map(|group| Some((group, takers(&faults, group, names.len())?))).map(warning).collect()
}

/// The groups that take all packets of a group between different processes; `None` if some packet is left, or if there are
/// no such packets.
fn takers(faults: &[UdpFaults], group: usize, processes: usize) -> Option<BTreeSet<usize>> {
    let ids = || (0..processes as u32).map(ProcessId);
    let pairs = ids().flat_map(|sender| ids().map(move |receiver| (sender, receiver)));
    let names = |faults: &UdpFaults, (sender, receiver)| faults.sides(sender, receiver) != (false, false);
    let own = pairs.filter(|pair| pair.0 != pair.1 && names(&faults[group], *pair));
    let takers: Option<BTreeSet<usize>> =
        own.map(|pair| faults[..group].iter().position(|before| names(before, pair))).collect();
    takers.filter(|takers| !takers.is_empty())
}
