//! The time since the start of the instants of an execution: local states tell them by others.

use crate::trace::asked::Answered;
use crate::trace::step::Step;
use ahash::AHashMap;
use netcheck_runtime::id::UnitId;
use netcheck_runtime::operation::{Effect, Offer, Operation, Outcome};
use netcheck_runtime::world::step::{Move, Transition};
use netcheck_runtime::world::system::System;
use netcheck_runtime::world::time;
use netcheck_runtime::world::time::operation::At;

/// The time since the start of what an execution has come to.
#[derive(Default)]
pub(crate) struct Dates {
    now_ns: i64,
    /// The instants for which the timers of units were set.
    set: AHashMap<(UnitId, u32), At>,
}

impl Dates {
    /// The execution goes on with a step; says of an instant that it has read how long after the start it is.
    pub(crate) fn step(&mut self, system: &System, state: &[u32], taken: &Transition, step: &mut Step) {
        let Move::Unit { unit, node, input, edge, class, .. } = taken.step else {
            if let Move::Pass { ns } = taken.step {
                self.now_ns = self.now_ns.saturating_add_unsigned(ns);
            }
            return;
        };
        let passed_ns = class.advance_ns();
        self.now_ns = self.now_ns.saturating_add(passed_ns);
        let times = (passed_ns, self.now_ns);
        let since_start = |at: At, is_now| system.view().since_start(state, unit, (at, is_now), times);
        let asked = system.learner.automata.node(node).offer(input);
        let is_reading = |offer: &Offer| matches!(offer.operation, Operation::Time(time::Operation::Clock { .. }));
        if let Outcome::Time { at } = *system.learner.automata.outcome(input.outcome)
            && let Some(at) = since_start(at, asked.is_some_and(is_reading))
        {
            step.outcome = at.since_start().unwrap_or_default();
            step.answered = Some(Answered::Time { at_ns: at.ns(), mark: 0 });
        }
        for effect in &system.learner.automata.edge(edge).effects {
            if let Effect::Time(time::Effect::ArmAt { timer, at, .. }) = *effect {
                self.set.insert((unit, timer), since_start(at, false).unwrap_or(at));
            }
        }
    }

    /// The instant for which a timer was set last, by an instant.
    pub(crate) fn of_timer(&self, unit: UnitId, timer: u32) -> Option<At> {
        self.set.get(&(unit, timer)).copied()
    }
}
