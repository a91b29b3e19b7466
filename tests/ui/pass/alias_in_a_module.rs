//! One module is checked, and its tests import everything from it: they name the alias, too, since a name from a glob
//! and the crate of the same name are ambiguous (E0659).

mod server {
    use netcheck as tokio;

    use tokio::net::UdpSocket;

    pub async fn bind() -> std::io::Result<UdpSocket> {
        UdpSocket::bind("0.0.0.0:4000").await
    }

    pub mod tests {
        use super::{tokio, *};

        use tokio::time::{Duration, timeout};

        pub async fn bound() -> bool {
            timeout(Duration::from_secs(1), bind()).await.is_ok()
        }
    }
}

pub fn main() {
    let report = netcheck::check::Checker::new().check(|net| {
        net.process("server", server::tests::bound);
    });
    assert_eq!(report.outputs("server"), ["true"]);
}
