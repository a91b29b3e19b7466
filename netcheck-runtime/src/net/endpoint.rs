//! The record that a unit keeps of each of its sockets: addresses, and bytes that were read but did not fit the buffer.

use crate::id::SocketId;
use crate::operation::tcp::handed;
use crate::operation::{Side, Stream};
use crate::unit::poll::context;
use crate::unit::poll::handles::Kept;
use netcheck_memory::Handed;
use std::hash::{Hash, Hasher};
use std::net::SocketAddr;

/// The addresses of a socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Endpoint {
    pub(super) local: SocketAddr,
    pub(super) peer: Option<SocketAddr>,
    /// The end of the connection, for a stream.
    pub(super) side: Option<Side>,
}

impl Handed for Endpoint {
    fn handed(&self) -> Self {
        Endpoint { local: self.local.handed(), peer: self.peer.handed(), side: self.side.map(handed) }
    }
}

/// The record of one socket.
#[derive(Clone, Default, Hash)]
struct Record {
    endpoint: Option<Endpoint>,
    /// Bytes that were read but did not fit the caller's final buffer.
    surplus: Vec<u8>,
}

impl Kept for Record {
    fn record(&self, mut values: &mut dyn Hasher) {
        self.hash(&mut values);
    }

    fn for_another_unit(&self) -> Box<dyn Kept> {
        Box::new(Record { endpoint: self.endpoint, surplus: Vec::new() })
    }

    fn copy(&self) -> Box<dyn Kept> {
        Box::new(self.clone())
    }

    fn stream(&self) -> Option<Stream> {
        let Endpoint { local, peer, side } = self.endpoint?;
        Some(Stream { local, peer: peer?, side: side? })
    }
}

/// The addresses of a socket of the running unit.
pub(super) fn endpoint(socket: SocketId) -> Endpoint {
    let endpoint = context::current().kept(socket, |record: &mut Record| record.endpoint);
    endpoint.flatten().expect("a socket is bound before it can be named")
}

/// Keeps the addresses of a socket of the running unit.
pub(super) fn set_endpoint(socket: SocketId, endpoint: Endpoint) {
    update(socket, |record| record.endpoint = Some(endpoint));
}

/// Keeps bytes that were read but do not fit the caller's buffer now.
pub(super) fn keep_surplus(socket: SocketId, bytes: &[u8]) {
    update(socket, |record| record.surplus = bytes.to_vec());
}

/// Takes the bytes that were kept.
pub(super) fn take_surplus(socket: SocketId) -> Option<Vec<u8>> {
    let surplus = context::current().kept(socket, |record: &mut Record| std::mem::take(&mut record.surplus));
    surplus.filter(|surplus| !surplus.is_empty())
}

fn update(socket: SocketId, change: impl FnOnce(&mut Record)) {
    let context = context::current();
    if context.kept(socket, |_: &mut Record| ()).is_none() {
        context.keep(socket, Record::default());
    }
    context.kept(socket, change);
}
