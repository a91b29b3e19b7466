//! Instants that a program's memory holds, as an edge tells them.
//!
//! A run that takes the step of an edge holds instants by its own clock, and the world keeps where the same instants lie by
//! its. So an edge says how those after the step follow from those before it, and what the step was told: the world and each
//! run go on with that.

use crate::operation::{Effect, time};
use crate::unit::automaton::Edge;
use crate::unit::instance::Instance;
use crate::unit::poll::marks::Marks;
use crate::unit::shared::Dating;
use netcheck_memory::{Dated, Met};

/// The instants that a run knew before a step, or was told in it.
pub(super) struct Known {
    /// The latest one that the memory held before.
    pub dated: Option<Dated>,
    was_told: bool,
    marks: Marks,
}

impl Known {
    pub fn of(instance: &Instance) -> Known {
        let context = &instance.context;
        Known { dated: context.dated(), was_told: context.was_told(), marks: context.marks() }
    }

    /// Adds to the effects of a step what they say of the instants that the memory holds after it. `latest`: the latest one of
    /// these; `anchors`: those of their groups, if the memory was looked at, which it is not where a synchronous call waits for
    /// its answer. An instant that appears although the step was told none is of another clock.
    pub fn add_effects(
        &self,
        effects: &mut Vec<Effect>,
        latest: Option<Dated>,
        anchors: Option<&[Met]>,
        dating: Dating,
    ) {
        match dating {
            Dating::Start => {}
            Dating::Latest if latest == self.dated => {}
            Dating::Latest => {
                if self.dated.is_none() && !self.was_told {
                    effects.push(Effect::Time(time::Effect::Number));
                }
                let before_ns = self.dated.map_or(0, |before| before.latest_ns);
                let ns = latest.map(|latest| latest.latest_ns.saturating_sub(before_ns));
                let has_std = latest.is_some_and(|latest| latest.has_std);
                let is_in_reach = latest.is_none_or(|latest| latest.is_in_reach);
                effects.push(Effect::Time(time::Effect::Latest { ns, has_std, is_in_reach }));
            }
            Dating::Marks => match anchors.map(|anchors| self.marks.kept(anchors)) {
                None => {}
                Some(Some(kept)) if self.marks.stay(&kept) => {}
                Some(Some(kept)) => effects.push(Effect::Time(time::Effect::Marks { kept })),
                Some(None) => effects.push(Effect::Time(time::Effect::Number)),
            },
        }
    }
}

/// A run has taken the step of an edge: its memory holds the instants that it holds after that.
pub(super) fn step(instance: &Instance, edge: &Edge) {
    instance.context.set_dated(dated_after(edge, instance.context.dated()));
    for effect in &edge.effects {
        if let Effect::Time(time::Effect::Marks { kept }) = effect {
            instance.context.set_marks(kept);
        }
    }
}

/// The latest instant that the memory holds after the step, by the one before it, on the clock of a run.
fn dated_after(edge: &Edge, before: Option<Dated>) -> Option<Dated> {
    let held = edge.effects.iter().find_map(|effect| match *effect {
        Effect::Time(time::Effect::Latest { ns, has_std, is_in_reach }) => Some((ns, has_std, is_in_reach)),
        _ => None,
    });
    let Some((ns, has_std, is_in_reach)) = held else { return before };
    let before_ns = before.map_or(0, |before| before.latest_ns);
    ns.map(|ns| Dated { latest_ns: before_ns.saturating_add(ns), has_std, is_in_reach })
}
