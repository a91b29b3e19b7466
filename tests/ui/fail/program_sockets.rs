#[netcheck::program]
mod protocol {
    use std::net::{SocketAddr, TcpListener};

    pub struct Server {
        socket: std::net::UdpSocket,
    }

    pub async fn run(at: SocketAddr) -> Server {
        let _ = TcpListener::bind(at);
        let _ = std::net::TcpStream::connect(at);
        Server { socket: std::net::UdpSocket::bind(at).unwrap() }
    }
}

fn main() {
    let _ = protocol::run("127.0.0.1:1".parse().unwrap());
}
