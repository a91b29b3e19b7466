#[netcheck::program]
mod protocol {
    use std::net::*;
    use std::thread;

    pub mod inner {
        use super::*;

        pub async fn run() {
            let _ = UdpSocket::bind("0.0.0.0:4000");
            thread::spawn(|| ());
        }
    }

    pub async fn run() {
        use std::thread::*;
        spawn(|| ());
    }
}

fn main() {
    let _ = (protocol::run(), protocol::inner::run());
}
