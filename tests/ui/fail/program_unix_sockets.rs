#[netcheck::program]
mod protocol {
    use tokio::net::UnixStream;

    pub async fn run() {
        let _ = UnixStream::connect("/tmp/socket").await;
        let _ = std::os::unix::net::UnixStream::connect("/tmp/socket");
    }
}

fn main() {
    let _ = protocol::run();
}
