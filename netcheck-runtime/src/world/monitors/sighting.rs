//! Sightings of steps, as the engine keeps them: with numbers in place of names.

use super::emission::Emission;
use super::told::{Conclusion, Invocation};
use crate::id::{ProcessId, UnitId};
use crate::operation::files;
use netcheck_models::host::reach::CutName;
use std::net::IpAddr;
use std::sync::Arc;

/// One thing that is seen of a step; [`Seen`](super::seen::Seen) says what each is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum Sighting {
    /// Nothing.
    #[default]
    Nothing,
    /// Time passes.
    Passed {
        ns: u64,
    },
    /// In dense time: some time may have passed.
    SomeTime,
    Departed {
        process: ProcessId,
        to: Place,
        payload: Arc<[u8]>,
    },
    Arrived {
        process: ProcessId,
        from: Place,
        payload: Arc<[u8]>,
    },
    Lost {
        process: ProcessId,
        to: Place,
        payload: Arc<[u8]>,
    },
    Connected {
        process: ProcessId,
        to: Place,
    },
    Accepted {
        process: ProcessId,
        from: Place,
    },
    Closed {
        process: ProcessId,
        other: Place,
    },
    Reset {
        process: ProcessId,
    },
    Armed {
        process: ProcessId,
        after_ns: u64,
    },
    Fired {
        process: ProcessId,
    },
    Started {
        process: ProcessId,
    },
    Crashed {
        process: ProcessId,
    },
    Restarted {
        process: ProcessId,
    },
    Cut(CutName),
    Healed(CutName),
    Ended {
        process: ProcessId,
        output: u32,
    },
    /// A change of files, or a sync.
    Changed {
        process: ProcessId,
        operation: files::Operation,
    },
    Emitted {
        process: ProcessId,
        emission: Emission,
    },
    Invoked {
        process: ProcessId,
        unit: UnitId,
        invocation: Invocation,
    },
    Concluded {
        process: ProcessId,
        unit: UnitId,
        conclusion: Conclusion,
    },
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
