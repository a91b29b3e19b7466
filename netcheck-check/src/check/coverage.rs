//! Coverage of the executions of a check: claims of `sometimes!`, and operations that were never completed.

use crate::network::Network;
use netcheck_runtime::operation::{Effect, Operation};
use netcheck_runtime::search::explored::Taken;
use netcheck_runtime::unit::source_line;
use netcheck_runtime::unit::wording;
use netcheck_runtime::world::system::System;
use netcheck_runtime::world::{choices, tasks};
use std::collections::{BTreeMap, BTreeSet};

/// The coverage of a check.
#[derive(Default)]
pub(super) struct Coverage {
    /// By name: whether the claim held in some execution.
    pub(super) claims: BTreeMap<String, bool>,
    /// Operations by source line that were waited for and never completed.
    pub(super) never_completed: Vec<String>,
}

impl Coverage {
    pub(super) fn of(system: &System, taken: &Taken, registered: &Network) -> Coverage {
        let automata = &system.learner.automata;
        let names = system.shared().claims();
        let mut claims: BTreeMap<String, bool> = registered.claims.iter().map(|name| (name.clone(), false)).collect();
        let (mut offered, mut completed) = (BTreeSet::new(), BTreeSet::new());
        for edge in taken.iter().map(|edge| automata.edge(edge)) {
            for effect in &edge.effects {
                if let Effect::Choices(choices::Effect::Claim { claim, holds }) = *effect {
                    *claims.entry(names[claim.0 as usize].1.name.to_owned()).or_default() |= holds;
                }
            }
            let offers = automata.node(edge.source).offers.iter();
            for offer in offers.filter(|offer| {
                !matches!(
                    offer.operation,
                    Operation::Tasks(tasks::Operation::Run(_)) | Operation::Tasks(tasks::Operation::Start)
                )
            }) {
                let line = (source_line::place(offer.location), wording::kind(&offer.operation));
                if offer.key == edge.input.key {
                    completed.insert(line.clone());
                }
                offered.insert(line);
            }
        }
        let never_completed = offered.difference(&completed).map(|(place, kind)| format!("{place}: {kind}"));
        Coverage { claims, never_completed: never_completed.collect() }
    }

    /// A claim that never held: the check is vacuous.
    pub(super) fn vacuous(&self) -> Option<String> {
        let (name, _) = self.claims.iter().find(|(_, held)| !**held)?;
        Some(format!(
            "vacuous: `sometimes!` \"{name}\" held in no execution; \
             the programs or the declared faults never lead where it would"
        ))
    }
}
