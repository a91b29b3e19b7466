//! Leases: holders say over and over that they live, and a keeper takes a lease away of whose holder it has heard nothing for
//! some time. The keeper has the times at which leases end in a queue of its own.

use futures_util::StreamExt;
use std::collections::BTreeMap;
use std::io;
use tokio::net::UdpSocket;
use tokio::time::{Duration, sleep};
use tokio_util::time::DelayQueue;

/// The port of the keeper.
const PORT: u16 = 4000;

/// Keeps leases of a length, and tells of each that has ended.
pub async fn keeper(length: Duration, ended: impl Fn(&str)) -> io::Result<()> {
    let socket = UdpSocket::bind(("0.0.0.0", PORT)).await?;
    let (mut leases, mut ends) = (BTreeMap::new(), DelayQueue::new());
    let mut name = [0; 16];
    loop {
        tokio::select! {
            received = socket.recv_from(&mut name) => {
                let (bytes, _) = received?;
                let holder = String::from_utf8_lossy(&name[..bytes]).into_owned();
                match leases.get(&holder) {
                    Some(key) => ends.reset(key, length),
                    None => _ = leases.insert(holder.clone(), ends.insert(holder, length)),
                }
            }
            Some(end) = ends.next(), if !ends.is_empty() => {
                leases.remove(end.get_ref());
                ended(end.get_ref());
            }
        }
    }
}

/// Renews a lease each second.
pub async fn holder(name: &str) -> io::Result<()> {
    let socket = UdpSocket::bind(("0.0.0.0", 0)).await?;
    loop {
        socket.send_to(name.as_bytes(), ("keeper", PORT)).await?;
        sleep(Duration::from_secs(1)).await;
    }
}
