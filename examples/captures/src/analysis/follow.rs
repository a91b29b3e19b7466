//! A monitor of one side, along what a capture shows of that side.
//!
//! When a packet arrives is known, and not when the program receives it: the monitor takes it then or up to the reaction
//! time later, so there are several ways. The side is wrong where the monitor rejects all of them.

use super::side::Move;
use super::specification::Step;
use netcheck::monitor::{Configurations, IntoMonitor, Monitor, Rejection};
use std::collections::BTreeSet;
use std::time::Duration;

/// Where a monitor rejects, and why.
#[derive(Clone, Debug)]
pub struct Rejected {
    /// The place of the packet in the transfer.
    pub packet: usize,
    pub rejection: Rejection,
}

/// One way: how many of the packets that have arrived are received, and where the monitor may be.
type Path = (usize, Configurations);

struct Following {
    monitor: Monitor<Step>,
    reaction: Duration,
    /// The packets that have arrived, each with its place in the transfer.
    arrived: Vec<(Duration, usize, Step)>,
    paths: BTreeSet<Path>,
}

/// Whether a monitor rejects what a side has done and met by an instant, and where.
pub fn follow(
    monitor: impl IntoMonitor<Event = Step>,
    moves: &[Move],
    reaction: Duration,
    until: Duration,
) -> Result<(), Rejected> {
    let monitor = monitor.into_monitor();
    let paths = BTreeSet::from([(0, monitor.initial())]);
    let mut following = Following { monitor, reaction, arrived: Vec::new(), paths };
    for one in moves {
        match one {
            Move::Arrives { packet, at, step } => {
                following.receive_before(*at)?;
                following.arrived.push((*at, *packet, step.clone()));
            }
            Move::Sends { at, steps } => {
                following.receive_before(*at)?;
                following.send(steps)?;
            }
        }
    }
    following.receive_before(until)
}

impl Following {
    fn step(&self, from: &Configurations, (packet, step): &(usize, Step)) -> Result<Configurations, Rejected> {
        self.monitor.step(from, step).map_err(|rejection| Rejected { packet: *packet, rejection })
    }

    /// Receives the next packet that has arrived.
    fn receive(&self, (received, from): &Path) -> Result<Path, Rejected> {
        let (_, packet, step) = &self.arrived[*received];
        Ok((received + 1, self.step(from, &(*packet, step.clone()))?))
    }

    /// By an instant, all that arrived longer before than a reaction takes is received.
    fn receive_before(&mut self, at: Duration) -> Result<(), Rejected> {
        let due = self.arrived.partition_point(|(arrived, ..)| *arrived + self.reaction < at);
        while let Some(path) = self.paths.first().filter(|(received, _)| *received < due).cloned() {
            let next = self.receive(&path);
            self.paths.remove(&path);
            match next {
                Ok(next) => _ = self.paths.insert(next),
                // It was the last way.
                Err(rejected) if self.paths.is_empty() => return Err(rejected),
                Err(_) => {}
            }
        }
        Ok(())
    }

    /// Sends a packet, before or after some of those that have arrived are received.
    fn send(&mut self, steps: &[(usize, Step)]) -> Result<(), Rejected> {
        let mut ways = std::mem::take(&mut self.paths);
        let (mut next, mut refused) = (BTreeSet::new(), None);
        while let Some(path) = ways.pop_first() {
            let after = steps.iter().try_fold(path.1.clone(), |from, step| self.step(&from, step));
            match after {
                Ok(after) => _ = next.insert((path.0, after)),
                // The rejection after most arrivals is told: in it the program knows all that has arrived.
                Err(rejected) => refused = Some(rejected),
            }
            if path.0 < self.arrived.len()
                && let Ok(later) = self.receive(&path)
            {
                ways.insert(later);
            }
        }
        self.paths = next;
        match refused {
            Some(rejected) if self.paths.is_empty() => Err(rejected),
            _ => Ok(()),
        }
    }
}
