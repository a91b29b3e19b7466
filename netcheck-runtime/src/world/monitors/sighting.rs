//! What is seen of a step, as the engine keeps it: with numbers in place of names.

use super::seen::{Emitted, Seen};
use crate::id::ProcessId;
use crate::world::system::System;
use std::any::{Any, TypeId, type_name};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

/// One thing that is seen of a step; [`Seen`] says what each is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum Sighting {
    /// Nothing.
    #[default]
    Nothing,
    /// Time passes.
    Passed { ns: u64 },
    Departed { process: ProcessId, to: Place, payload: Arc<[u8]> },
    Arrived { process: ProcessId, from: Place, payload: Arc<[u8]> },
    Lost { process: ProcessId, to: Place, payload: Arc<[u8]> },
    Connected { process: ProcessId, to: Place },
    Accepted { process: ProcessId, from: Place },
    Closed { process: ProcessId, other: Place },
    Reset { process: ProcessId },
    Armed { process: ProcessId, after_ns: u64 },
    Fired { process: ProcessId },
    Started { process: ProcessId },
    Ended { process: ProcessId, output: u32 },
    Emitted { process: ProcessId, emission: Emission },
}

/// A peer, and the port that is shown with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Place {
    pub(super) peer: Peer,
    pub(super) port: u16,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Peer {
    Process(ProcessId),
    /// No process has this address.
    Unknown(IpAddr),
}

/// A value that a program has emitted. Two are equal if their types and their Debug texts are.
#[derive(Clone)]
pub(crate) struct Emission {
    value: Arc<dyn Any + Send + Sync>,
    text: Arc<str>,
    type_name: &'static str,
}

impl Emission {
    /// A value, which must share no memory with the program.
    pub(crate) fn new<T: fmt::Debug + Send + Sync + 'static>(value: T) -> Emission {
        let text = format!("{value:?}").into();
        Emission { value: Arc::new(value), text, type_name: type_name::<T>() }
    }

    fn key(&self) -> (TypeId, &str) {
        ((*self.value).type_id(), &self.text)
    }
}

impl PartialEq for Emission {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Emission {}

impl Hash for Emission {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key().hash(state);
    }
}

impl fmt::Debug for Emission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of type {}", self.text, self.type_name)
    }
}

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
        let seen = match self {
            Sighting::Nothing | Sighting::Passed { .. } => return None,
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
            Sighting::Ended { process, output: number } => {
                output = system.shared().output(*number).text;
                Seen::Ended { process: name(process), output: &output }
            }
            Sighting::Emitted { process, emission } => {
                let Emission { value, text, .. } = emission;
                Seen::Emitted { process: name(process), value: Emitted { value: &**value, text } }
            }
        };
        Some(show(&seen))
    }
}
