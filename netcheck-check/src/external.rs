//! Real peers of the programs under check.
//!
//! A peer's part in a check is played by a program like any other, the [stand-in](stand_in): it binds the peer's ports,
//! and whatever comes there it tells the real peer, and sends what that answers. So a peer is a unit whose automaton is
//! learned like that of a program, and faults, reduction and counterexamples need not know of it.

mod stand_in;

pub use netcheck_peer::{External, PeerCounts};

use crate::folder::folder;
use netcheck_peer::Peer;
use netcheck_runtime::capture;
use netcheck_runtime::unit::program::RootFuture;
use std::any::{Any, type_name_of_val};
use std::rc::Rc;
use std::sync::Arc;

/// The peer of a name: host and port.
///
/// # Panics
/// If it can't be, with the reason.
#[track_caller]
pub(crate) fn peer(name: &str, external: &External) -> Arc<Peer> {
    let peer = Peer::new(name, external, &folder().join("cache"));
    Arc::new(peer.unwrap_or_else(|error| panic!("{error}")))
}

/// Begins a run of a peer's stand-in.
pub(crate) fn factory(peer: Arc<Peer>) -> impl Fn(bool) -> RootFuture + Send + Sync {
    move |_| {
        let stand_in = stand_in::run(Arc::clone(&peer));
        let name = type_name_of_val(&stand_in);
        Box::pin(async move {
            capture::root(stand_in, name).await;
            ("()".to_owned(), Rc::new(()) as Rc<dyn Any>)
        })
    }
}
