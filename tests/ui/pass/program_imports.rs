//! Imports lead to netcheck, however they are written.
#![deny(warnings)]

#[netcheck::program]
pub mod protocol {
    use std::{
        collections::{BTreeMap, HashMap},
        fmt::{self, Debug},
        io,
        net::{IpAddr, SocketAddr},
        time::{self, Duration, Instant},
    };
    use tokio::{self, io::AsyncWriteExt as _, net, time as clock};
    use {core::time::Duration as Same, std::sync::Arc, tokio::sync as shared};

    pub struct Client {
        pub socket: net::UdpSocket,
        pub begun: Instant,
        pub peers: HashMap<SocketAddr, Arc<shared::Mutex<BTreeMap<IpAddr, Same>>>>,
    }

    impl fmt::Debug for Client {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            std::write!(f, "{:?}", self.begun)
        }
    }

    pub fn show(client: &dyn Debug) -> std::string::String {
        std::format!("{client:?}")
    }

    pub async fn run(mut stream: net::TcpStream) -> io::Result<clock::Instant> {
        let late: time::Instant = clock::Instant::now() + Duration::from_secs(1);
        clock::sleep_until(late).await;
        tokio::time::timeout(Duration::ZERO, stream.flush()).await??;
        Ok(late)
    }

    pub mod inner {
        pub use super::*;

        pub fn begun(client: &Client) -> time::Duration {
            client.begun.elapsed()
        }
    }

    pub mod all {
        use std::*;

        pub fn begun(client: &super::inner::Client) -> time::Instant {
            iter::once(client.begun).next().expect("there is one")
        }
    }
}

pub async fn outside(stream: netcheck::net::TcpStream) {
    let _: std::io::Result<netcheck::time::Instant> = protocol::run(stream).await;
}

pub fn main() {}
