//! Links in which packets stand for the classes that they belong to.

use crate::id::{OutcomeId, ProcessId};
use crate::world::intern::Interner;
use crate::world::tables::Tables;
use ahash::AHashMap;
use netcheck_models::udp::Link;

/// The classes of links, by the process that receives from them. Two links are of one class if they differ only in packets of
/// one class.
pub(crate) struct LinkClasses {
    links: Interner<Link>,
    known: AHashMap<(ProcessId, u32), u32>,
}

impl LinkClasses {
    pub(crate) fn new() -> LinkClasses {
        LinkClasses { links: Interner::new(), known: AHashMap::new() }
    }

    /// The class of a link to a process; `class` is that of a packet. The empty link has the number 0, as its class has.
    pub(crate) fn of(
        &mut self,
        tables: &Tables,
        (process, link): (ProcessId, u32),
        class: impl Fn(OutcomeId) -> OutcomeId,
    ) -> u32 {
        let LinkClasses { links, known } = self;
        *known.entry((process, link)).or_insert_with(|| {
            let of_class = tables.links.get(link).renumbered(|packet| class(OutcomeId(packet)).0);
            links.intern(&of_class)
        })
    }
}
