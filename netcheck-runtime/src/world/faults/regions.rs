//! The fault regions that a unit is in (`faults::scope`, `faults::with`), as a value of a component.

use super::operation::{Effect, Region};
use crate::operation::Effect as AnyEffect;
use crate::world::declared::Demands;
use smallvec::SmallVec;
use std::sync::Arc;

/// The fault regions that a unit is in.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Regions {
    /// The number of `faults::scope` regions.
    pub(super) scopes: u32,
    /// The regions of `faults::with`, with their numbers, in the order in which they were entered.
    pub(super) entered: SmallVec<[(u32, Arc<Region>); 1]>,
}

impl Regions {
    /// The regions after an effect.
    pub(super) fn after(&self, effect: &Effect) -> Regions {
        let mut regions = self.clone();
        match effect {
            Effect::Scope { entered: true } => regions.scopes += 1,
            Effect::Scope { entered: false } => regions.scopes = regions.scopes.saturating_sub(1),
            Effect::Enter { number, region } => regions.entered.push((*number, Arc::clone(region))),
            Effect::Leave { number } => regions.entered.retain(|(entered, _)| entered != number),
        }
        regions
    }
}

/// The demands of an edge with these effects, besides those that were known.
pub(in crate::world) fn demands(known: Demands, effects: &[AnyEffect]) -> Demands {
    let mut demands = known;
    for effect in effects {
        match effect {
            AnyEffect::Faults(Effect::Scope { .. }) => demands.scope = true,
            AnyEffect::Faults(Effect::Enter { region, .. }) => {
                let failures = demands.regions.unwrap_or_default();
                demands.regions = Some(failures.or(region.tcp.unwrap_or_default()));
            }
            _ => {}
        }
    }
    demands
}
