//! Sockets that are bound while others send to them, compiled against tokio and against netcheck.

use super::super::races::{Receives, Sends};
use super::tokio;
use tokio::net::UdpSocket;
use tokio::time::{Duration, timeout};

/// After so long without a datagram there will be none, if all senders have ended.
const PATIENCE: Duration = Duration::from_millis(2);

/// The arrivals, with a 0 where the socket is dropped.
pub(crate) async fn receiver(script: Vec<Receives>, address: String, is_over: impl Fn() -> bool) -> Vec<u8> {
    let mut socket = None;
    let mut arrived = Vec::new();
    for op in script {
        match op {
            Receives::Pause(polls) => pause(polls).await,
            Receives::Bind => socket = Some(UdpSocket::bind(&address).await.expect("the port is free")),
            Receives::Drop => {
                socket = None;
                arrived.push(0);
            }
            Receives::Take => arrived.extend(take(socket.as_ref().expect("it is bound"), &is_over).await),
        }
    }
    arrived
}

/// The next datagram; `None` if there will be none.
async fn take(socket: &UdpSocket, is_over: &impl Fn() -> bool) -> Option<u8> {
    loop {
        let was_over = is_over();
        let mut buffer = [0; 8];
        match timeout(PATIENCE, socket.recv_from(&mut buffer)).await {
            Ok(received) => {
                received.expect("a receive succeeds");
                return Some(buffer[0]);
            }
            Err(_) if was_over => return None,
            Err(_) => {}
        }
    }
}

pub(crate) async fn sender(script: Vec<Sends>, address: String, target: String) {
    let socket = UdpSocket::bind(&address).await.expect("any port");
    for op in script {
        match op {
            Sends::Pause(polls) => pause(polls).await,
            Sends::Send(value) => {
                socket.send_to(&[value], &target).await.expect("a send succeeds");
            }
        }
    }
}

async fn pause(polls: usize) {
    for _ in 0..polls {
        tokio::task::yield_now().await;
    }
}
