//! Errors of the compiler point at what the user wrote.

#[netcheck::program]
mod protocol {
    use std::time::{Duration, Instant};
    use tokio::net::UdpSocket;

    pub async fn run() -> Instant {
        let socket: UdpSocket = tokio::net::TcpSocket::new_v4().unwrap();
        std::thread::sleep(3);
        let _: std::time::Duration = tokio::time::sleep(Duration::ZERO);
        tokio::net::send(socket);
        Duration::ZERO
    }
}

fn main() {
    let _ = protocol::run();
}
