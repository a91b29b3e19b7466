#[netcheck::program]
mod protocol {
    use std::net::ToSocketAddrs;

    pub async fn run(server: impl ToSocketAddrs) -> usize {
        server.to_socket_addrs().unwrap().count()
    }
}

fn main() {
    let _ = protocol::run("server:4000");
}
