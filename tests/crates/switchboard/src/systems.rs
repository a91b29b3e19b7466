//! What is checked: the server and a client, neither of which ends.

use super::board::{ask_for_ever, serve};
use netcheck::Network;
use tokio::net::UdpSocket;

/// The server, and a client that never ends.
pub fn endless(net: &mut Network) {
    net.daemon("server", || async { serve(UdpSocket::bind("0.0.0.0:4000").await?).await });
    net.daemon("client", || ask_for_ever("server:4000")).after("server");
}
