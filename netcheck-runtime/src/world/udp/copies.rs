//! Further copies of datagrams that have arrived, once no more faults may happen.
//!
//! A datagram that has arrived, and may arrive again, stays in flight, since a further copy may come at any time. Each
//! such copy is a fault. So with the last fault of the budget all of these datagrams leave their channels, and from then
//! on a datagram leaves as soon as it has arrived. Without that, a program that goes round for ever would fill its
//! channels with datagrams of which nothing comes, and no state would ever be met again.

use crate::world::components::{Component, ComponentId};
use crate::world::events::{Happened, Remaining, Told};
use crate::world::step::Transition;
use crate::world::tables::{Lookup, View, WithoutFaults};
use smallvec::SmallVec;
use std::borrow::Cow;

impl View<'_> {
    /// Lets the datagrams that wait for a further copy only leave with each of the steps after which no more faults may
    /// happen.
    pub(in crate::world) fn forgo_copies(self, state: &[u32], chosen: &mut [Transition]) -> Lookup<()> {
        let budget = self.budget(state);
        for transition in chosen.iter_mut().filter(|transition| budget.is_spent_by(transition.faults)) {
            let mut told = Cow::Borrowed(self.told(transition));
            self.leave_written(transition, &mut told)?;
            if transition.faults > 0 {
                self.leave_others(state, transition, &mut told)?;
            }
            if let Cow::Owned(told) = told {
                transition.events = self.tells(told)?;
            }
        }
        Ok(())
    }

    /// Datagrams leave the channels that the step writes.
    fn leave_written(self, transition: &mut Transition, told: &mut Cow<'_, Told>) -> Lookup<()> {
        for (write, (component, link)) in transition.writes.iter_mut().enumerate() {
            let Some(left) = self.link_without_faults(*component, *link)? else { continue };
            let mut of_write = told.to_mut().iter_mut().filter_map(|happened| happened.remaining.as_mut());
            // Without it, a datagram was sent where all others have yet to arrive.
            if let Some(before) = of_write.find(|remaining| remaining.write as usize == write) {
                before.positions = left.remaining.iter().map(|&at| before.positions[at as usize]).collect();
                *link = left.link;
            }
        }
        Ok(())
    }

    /// Datagrams leave the channels that the step would not write.
    fn leave_others(self, state: &[u32], transition: &mut Transition, told: &mut Cow<'_, Told>) -> Lookup<()> {
        for (component, _) in self.tables.components.iter() {
            if transition.writes.iter().any(|(written, _)| *written == component) {
                continue;
            }
            let Some(left) = self.link_without_faults(component, component.of(state))? else { continue };
            if transition.writes.is_empty() && !told.is_empty() {
                // The events of a step without writes belong to no channel.
                let faults = self.component(Component::Faults)?;
                transition.writes.push((faults, faults.of(state)));
            }
            let write = transition.writes.len() as u32;
            transition.writes.push((component, left.link));
            let remaining = Some(Remaining { write, positions: left.remaining.clone() });
            told.to_mut().push(Happened { write, events: SmallVec::new(), remaining });
        }
        Ok(())
    }

    /// The link of a channel when no more faults may happen, if datagrams leave it then.
    fn link_without_faults(&self, component: ComponentId, link: u32) -> Lookup<Option<&WithoutFaults>> {
        let rules = match self.tables.components.component(component) {
            _ if link == 0 => return Ok(None),
            Component::Channel { from, to } => self.channel(from, to)?.rules,
            Component::Astray { from, to: (process, _) } => self.rules_between(self.process_of(from.unit), process)?,
            _ => return Ok(None),
        };
        let left = self.without_faults(rules, link)?;
        Ok((left.link != link).then_some(left))
    }
}
