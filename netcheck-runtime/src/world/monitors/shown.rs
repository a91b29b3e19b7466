//! Sightings with names, as decoders see them.

use super::emission::Emission;
use super::seen::{Emitted, Seen};
use super::sighting::{Peer, Place, Sighting};
use crate::id::ProcessId;
use crate::operation::files::{Operation, shown};
use crate::world::system::System;
use netcheck_models::host::reach::CutName;
use std::time::Duration;

impl Sighting {
    /// The peer.
    fn place(&self) -> Option<&Place> {
        match self {
            Sighting::Departed { to, .. } | Sighting::Lost { to, .. } | Sighting::Connected { to, .. } => Some(to),
            Sighting::Arrived { from, .. } | Sighting::Accepted { from, .. } => Some(from),
            Sighting::Closed { other, .. } => Some(other),
            _ => None,
        }
    }

    /// Shows it to a function, with names; `None` if it is nothing that a decoder sees.
    pub(super) fn shown<R>(&self, system: &System, show: impl FnOnce(&Seen<'_>) -> R) -> Option<R> {
        let name = |process: &ProcessId| -> &str { &system.processes[process.0 as usize].host.name };
        let unknown = match self.place() {
            Some(Place { peer: Peer::Unknown(address), .. }) => address.to_string(),
            _ => String::new(),
        };
        let peer = |place: &Place| match &place.peer {
            Peer::Process(process) => (name(process), place.port),
            Peer::Unknown(_) => (unknown.as_str(), place.port),
        };
        let output;
        let sides;
        let seen = match self {
            Sighting::Nothing | Sighting::Passed { .. } | Sighting::SomeTime => return None,
            Sighting::Departed { process, to, payload } => {
                let (peer, port) = peer(to);
                Seen::Departed { process: name(process), peer, port, payload }
            }
            Sighting::Arrived { process, from, payload } => {
                let (peer, port) = peer(from);
                Seen::Arrived { process: name(process), peer, port, payload }
            }
            Sighting::Lost { process, to, payload } => {
                let (peer, _) = peer(to);
                Seen::Lost { process: name(process), peer, payload }
            }
            Sighting::Connected { process, to } => {
                let (peer, port) = peer(to);
                Seen::Connected { process: name(process), peer, port }
            }
            Sighting::Accepted { process, from } => {
                let (peer, port) = peer(from);
                Seen::Accepted { process: name(process), peer, port }
            }
            Sighting::Closed { process, other } => {
                let (peer, port) = peer(other);
                Seen::Closed { process: name(process), peer, port }
            }
            Sighting::Reset { process } => Seen::Reset { process: name(process) },
            Sighting::Armed { process, after_ns } => {
                Seen::Armed { process: name(process), after: Duration::from_nanos(*after_ns) }
            }
            Sighting::Fired { process } => Seen::Fired { process: name(process) },
            Sighting::Started { process } => Seen::Started { process: name(process) },
            Sighting::Crashed { process } => Seen::Crashed { process: name(process) },
            Sighting::Restarted { process } => Seen::Restarted { process: name(process) },
            Sighting::Cut(cut) => {
                sides = Sides::of(system, *cut);
                Seen::Cut { from: &sides.from, to: &sides.to, one_way: sides.one_way }
            }
            Sighting::Healed(cut) => {
                sides = Sides::of(system, *cut);
                Seen::Healed { from: &sides.from, to: &sides.to, one_way: sides.one_way }
            }
            Sighting::Ended { process, output: number } => {
                output = system.shared().output(*number).text;
                Seen::Ended { process: name(process), output: &output }
            }
            Sighting::Changed { operation, .. } if operation.is_aside() => return None,
            Sighting::Changed { process, operation } => return changed(name(process), operation, show),
            Sighting::Emitted { process, emission } => {
                let Emission { value, text, .. } = emission;
                Seen::Emitted { process: name(process), value: Emitted { value: &**value, text } }
            }
            Sighting::Invoked { process, unit, invocation } => Seen::invoked(name(process), unit.0, invocation),
            Sighting::Concluded { process, unit, conclusion } => Seen::concluded(name(process), unit.0, conclusion),
        };
        Some(show(&seen))
    }
}

/// The names of the processes on both sides of a cut.
struct Sides<'a> {
    from: Vec<&'a str>,
    to: Vec<&'a str>,
    one_way: bool,
}

impl Sides<'_> {
    fn of(system: &System, (of, number): CutName) -> Sides<'_> {
        let cut = &system.partitions()[of as usize].cuts[number as usize];
        let names = |hosts: Vec<u32>| hosts.iter().map(|&host| &*system.processes[host as usize].host.name).collect();
        let (from, to) = cut.sides();
        Sides { from: names(from), to: names(to), one_way: !cut.is_both_ways() }
    }
}

/// Shows a change of files to a function; `None` for permissions, which forbid nothing, for a sync that fails, and for what happens
/// to a file that no name leads to any more.
fn changed<R>(process: &str, operation: &Operation, show: impl FnOnce(&Seen<'_>) -> R) -> Option<R> {
    let (path, to);
    path = shown(operation.path()?);
    let path = &path;
    let seen = match operation {
        Operation::Create { .. } => Seen::Created { process, path, is_directory: false },
        Operation::MakeDirectory { .. } => Seen::Created { process, path, is_directory: true },
        Operation::Write { at, bytes, .. } => Seen::Wrote { process, path, at: *at, bytes },
        Operation::SetLength { length, .. } => Seen::Resized { process, path, length: *length },
        Operation::Rename { to: after, .. } => {
            to = shown(after);
            Seen::Renamed { process, path, to: &to }
        }
        Operation::Link { to: further, .. } => {
            to = shown(further);
            Seen::Linked { process, path, to: &to }
        }
        Operation::Unlink { .. } | Operation::RemoveDirectory { .. } => Seen::Removed { process, path },
        Operation::Sync { .. } => Seen::Synced { process, path },
        Operation::SetMode { .. }
        | Operation::FailedSync { .. }
        | Operation::Keep { .. }
        | Operation::Forget { .. } => return None,
    };
    Some(show(&seen))
}
