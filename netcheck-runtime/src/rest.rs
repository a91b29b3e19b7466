//! A part of a state that has come to rest, whatever else goes on.

use crate::id::{Mover, NodeId, UnitId};
use crate::property::{Properties, Terminal};
use crate::reduction::stubborn::StubbornSet;
use crate::reduction::successors::Successors;
use crate::violation::Found;
use crate::world::step::Transition;
use crate::world::system::{Interrupt, System};
use smallvec::SmallVec;

/// Whether the units with some names, which no others reach any more, wait for ever: a deadlock, even if others go on.
pub fn deadlock_of_part(
    system: &mut System,
    properties: &Properties,
    state: &[u32],
    names: &[String],
) -> Result<Option<Found>, Interrupt> {
    let live: Vec<(UnitId, NodeId)> = system.live_units(state).collect();
    let is_own = |unit: UnitId| names.contains(&system.shared().unit(unit).name);
    let units: Vec<UnitId> = live.iter().map(|&(unit, _)| unit).filter(|&unit| is_own(unit)).collect();
    let own = live.iter().filter(|(unit, _)| units.contains(unit));
    let movers: SmallVec<[Mover; 8]> = own.flat_map(|&(_, node)| system.learner.automata.movers(node)).collect();
    let possible = Successors::default().within(system, state, Some(&StubbornSet::Component(movers)))?.to_vec();
    if !possible.iter().all(Transition::is_failure) {
        return Ok(None);
    }
    let mut part = state.to_vec();
    for &(unit, _) in live.iter().filter(|(unit, _)| !units.contains(unit)) {
        system.unit_component(unit).set(&mut part, NodeId::ELSEWHERE.0);
    }
    Ok(match properties.terminal(system, &part) {
        Terminal::Deadlock { found, .. } => Some(found),
        _ => None,
    })
}
