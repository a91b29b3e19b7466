//! Coverage of the executions of a check: claims of `sometimes!`, and operations that were never completed.

use crate::network::Network;
use netcheck_runtime::operation::{Effect, Operation};
use netcheck_runtime::search::explored::Taken;
use netcheck_runtime::unit::source_line;
use netcheck_runtime::unit::wording;
use netcheck_runtime::world::system::System;
use netcheck_runtime::world::{choices, tasks};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// The coverage of a check.
#[derive(Default)]
pub(super) struct Coverage {
    /// By name: whether the claim held in some execution.
    pub(super) claims: BTreeMap<String, bool>,
    /// By name: the source lines at which some execution came to the claim.
    places: BTreeMap<String, BTreeSet<String>>,
    /// Operations by source line that were waited for and never completed.
    pub(super) never_completed: Vec<String>,
}

impl Coverage {
    pub(super) fn of(system: &System, taken: &Taken, registered: &Network) -> Coverage {
        let automata = &system.learner.automata;
        let names = system.shared().claims();
        let mut claims: BTreeMap<String, bool> = registered.claims.iter().map(|name| (name.clone(), false)).collect();
        let mut places: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let (mut offered, mut completed) = (BTreeSet::new(), BTreeSet::new());
        for edge in taken.iter().map(|edge| automata.edge(edge)) {
            for effect in &edge.effects {
                if let Effect::Choices(choices::Effect::Claim { claim, holds }) = *effect {
                    let (_, claim) = names[claim.0 as usize];
                    *claims.entry(claim.name.to_owned()).or_default() |= holds;
                    places.entry(claim.name.to_owned()).or_default().insert(source_line::place(claim.location));
                }
            }
            let offers = automata.node(edge.source).offers.iter();
            for offer in offers.filter(|offer| {
                !matches!(
                    offer.operation,
                    Operation::Tasks(tasks::Operation::Run(_) | tasks::Operation::Start | tasks::Operation::Restart)
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
        Coverage { claims, places, never_completed: never_completed.collect() }
    }

    /// Why the check is vacuous, if a claim never held, within the time that it explores.
    pub(super) fn vacuous(&self, duration: Option<Duration>) -> Option<String> {
        let (name, _) = self.claims.iter().find(|(_, held)| !**held)?;
        let within = duration.map_or_else(String::new, |duration| format!(" within {} s", duration.as_secs_f64()));
        Some(format!(
            "vacuous: `sometimes!` \"{name}\" held in no execution{within}; \
             the programs or the declared faults never lead where it would"
        ))
    }

    /// The claims that never held, each with the lines at which executions came to it. A check that a limit has ended might
    /// still have come to one.
    pub(super) fn unheld(&self, is_limited: bool) -> Vec<String> {
        let never = if is_limited { "held in no execution so far" } else { "held in no execution" };
        let unheld = self.claims.iter().filter(|(_, held)| !**held);
        let told = unheld.map(|(name, _)| match self.places.get(name) {
            Some(places) => {
                let places: Vec<&str> = places.iter().map(String::as_str).collect();
                format!("{never}: `sometimes!` \"{name}\" ({})", places.join(", "))
            }
            None => format!("{never}: `sometimes!` \"{name}\" (no execution came to it)"),
        });
        told.collect()
    }
}
