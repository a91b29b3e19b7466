//! The movers of a state, split into connected components and into sets that share a clock.

use super::bits::Bits;
use super::clocks::join_clocks;
use super::failures;
use super::footprint::{Footprints, Row};
use super::live::Live;
use super::sets::Sets;
use crate::id::{Mover, NodeId, UnitId};
use crate::operation::Offer;
use crate::unit::automaton::EdgeId;
use crate::world::enabled::Enabled;
use crate::world::step::Class;
use crate::world::tables::{Lookup, View};

/// The live movers of a state, with their moves and the components that they belong to.
pub(super) fn survey(view: View<'_>, footprints: &Footprints, state: &[u32], enabled: &Enabled) -> Lookup<Vec<Live>> {
    survey_of(view, footprints, state, enabled, view.live_units(state))
}

/// As [`survey`], of some live units which no other one ever meets.
pub(super) fn survey_of(
    view: View<'_>,
    footprints: &Footprints,
    state: &[u32],
    enabled: &Enabled,
    units: impl Iterator<Item = (UnitId, NodeId)>,
) -> Lookup<Vec<Live>> {
    let settled = footprints.settled_links(view, state);
    let moves: Vec<Option<Mover>> = enabled.moves.iter().map(|step| view.mover(step)).collect();
    let mut live: Vec<Live> = Vec::new();
    for (unit, node) in units {
        let under_way = footprints.under_way(view, state, unit);
        let mut inlets = footprints.inlets(view, state, unit);
        inlets.union_with(&under_way);
        for mover in view.automata.movers(node) {
            let own = || enabled.moves.iter().zip(&moves).filter(|(_, of)| **of == Some(mover)).map(|(step, _)| step);
            let row = footprints.row(view.automata, node, mover);
            let proceeds = own().any(|step| !step.holds_nothing_up());
            let starts_again = own().any(|step| step.class() == Some(Class::AnyTime));
            let mut depends_on = depends_on(view, footprints, state, (mover, node, row))?;
            depends_on.union_with(&under_way);
            depends_on.remove_all(&settled);
            live.push(Live {
                mover,
                node,
                row,
                depends_on,
                needs: footprints.needs(view, state, unit, node)?,
                inlets: inlets.clone(),
                moves: own().count(),
                proceeds,
                starts_again,
                is_dead_end: !proceeds && view.automata.polled(node) == Some(mover),
                timers: enabled.timers.iter().any(|waiting| waiting.mover == mover),
                component: usize::MAX,
                clock: usize::MAX,
                own_clock: usize::MAX,
            });
        }
    }
    live.sort_by_key(|live| live.mover);
    connect(view, footprints, state, &settled, &mut live);
    Ok(live)
}

/// The resources that the next steps of a mover depend on in a state.
fn depends_on(
    view: View<'_>,
    footprints: &Footprints,
    state: &[u32],
    (mover, node, row): (Mover, NodeId, Row),
) -> Lookup<Bits> {
    let footprint = footprints.get(row);
    let has_offers = |offer: &Offer| mover.task.is_none_or(|task| offer.task == task);
    if !view.automata.node(node).offers.iter().any(has_offers) && !view.is_cancelled(state, mover.unit, node) {
        return Ok(footprint.woken_by.clone());
    }
    let mut depends_on = footprint.depends_on.clone();
    depends_on.union_with(&footprint.woken_by);
    if mover.task.is_some() {
        let automata = &view.automata;
        let own = |edge: &EdgeId| automata.mover(node, automata.edge(*edge).input.key) == mover;
        automata
            .node(node)
            .edges()
            .filter(own)
            .for_each(|edge| _ = depends_on.union_with(footprints.depended_on_by(edge)));
    }
    if !footprint.sometimes.is_empty() {
        for offer in view.prepared_offers(node)? {
            for (_, when, also) in footprint.sometimes.iter().filter(|(key, ..)| *key == offer.key) {
                if view.is_when(state, mover.unit, &offer.prepared, *when)? {
                    depends_on.union_with(also);
                }
            }
        }
    }
    Ok(depends_on)
}

/// Numbers the connected components, and the sets of movers that share a clock, by their lowest members. The resources of
/// `settled` links connect nobody.
fn connect(view: View<'_>, footprints: &Footprints, state: &[u32], settled: &Bits, live: &mut [Live]) {
    let mut sets = connected(footprints, settled, live);
    live.iter_mut().enumerate().for_each(|(index, of)| of.component = sets.lowest(index));
    join_times(view, footprints, settled, live, &mut sets);
    // Nor does anybody tell time by the cuts that others make.
    let own = view.declares_partitions().then(|| {
        let links = footprints.links(view);
        let mut own = connected(footprints, &links, live);
        join_times(view, footprints, &links, live, &mut own);
        own
    });
    let own = own.as_ref().unwrap_or(&sets);
    live.iter_mut().enumerate().for_each(|(index, of)| of.own_clock = own.lowest(index));
    failures::join_movers(view, footprints, state, live, &mut sets);
    live.iter_mut().enumerate().for_each(|(index, of)| of.clock = sets.lowest(index));
}

/// The connected components, where the resources of some links connect nobody.
fn connected(footprints: &Footprints, links: &Bits, live: &[Live]) -> Sets {
    let mut sets = Sets::new(live.len());
    let mut apart = footprints.connects_nothing().clone();
    apart.union_with(links);
    for a in 0..live.len() {
        for b in a + 1..live.len() {
            if !sets.are_joined(a, b) && are_joined(footprints, &apart, &live[a], &live[b]) {
                sets.join(a, b);
            }
        }
    }
    sets
}

/// Joins the components that share a clock, where the resources of some links connect nobody.
fn join_times(view: View<'_>, footprints: &Footprints, links: &Bits, live: &[Live], sets: &mut Sets) {
    let mut unraced = footprints.budget().clone();
    unraced.union_with(links);
    join_clocks(view, footprints, (live, &unraced), sets);
    if view.declares_retries() {
        (1..live.len()).for_each(|index| sets.join(0, index));
    }
}

/// Whether two units may still touch the same component of the network.
fn are_joined(footprints: &Footprints, apart: &Bits, a: &Live, b: &Live) -> bool {
    let (of_a, of_b) = (footprints.get(a.row), footprints.get(b.row));
    of_a.future_affects.meets_outside(&of_b.future_depends_on, apart)
        || of_b.future_affects.meets_outside(&of_a.future_depends_on, apart)
        || of_a.future_affects.meets(&b.inlets)
        || of_b.future_affects.meets(&a.inlets)
}
