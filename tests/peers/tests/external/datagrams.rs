//! Peers that take datagrams.

use super::{fresh_folder, peer};
use netcheck::check::{Checker, Udp, Verdict};
use netcheck::net::UdpSocket;
use netcheck::time::timeout;
use std::io;
use std::time::Duration;

/// The answers until 20 ms pass without one.
async fn answers(socket: &UdpSocket) -> io::Result<Vec<String>> {
    let mut seen = Vec::new();
    let mut buffer = [0; 64];
    while let Ok(received) = timeout(Duration::from_millis(20), socket.recv_from(&mut buffer)).await {
        seen.push(String::from_utf8_lossy(&buffer[..received?.0]).into_owned());
    }
    Ok(seen)
}

#[test]
fn what_is_lost_or_duplicated_on_the_way_is_so_for_the_peer() {
    let folder = fresh_folder();
    let file = folder.path().join("datagrams.json");
    let udp = Udp::new().loss().duplication().process("peer");
    let report = Checker::new().udp(udp).at_most(1).check(move |net| {
        net.external("peer:7000", peer("datagrams").udp().cache(&file));
        net.process("client", || async {
            let socket = UdpSocket::bind("0.0.0.0:0").await?;
            socket.send_to(b"x", "peer:7000").await?;
            answers(&socket).await
        });
    });
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
    // Lost, once, and twice: then the peer has counted two.
    let lost = r"Ok([])";
    let once = r#"Ok(["1:x"])"#;
    let twice = r#"Ok(["1:x", "2:x"])"#;
    assert!([lost, once, twice].iter().all(|&seen| report.outputs("client").contains(&seen.to_owned())), "{report}");
}

#[test]
fn a_port_that_the_peer_opens_itself_can_be_answered() {
    let folder = fresh_folder();
    let file = folder.path().join("transfers.json");
    let report = Checker::new().check(move |net| {
        net.external("peer:69", peer("transfers").udp().cache(&file));
        for name in ["one", "other"] {
            net.process(name, || async {
                let socket = UdpSocket::bind("0.0.0.0:0").await?;
                socket.send_to(b"a", "peer:69").await?;
                let mut buffer = [0; 64];
                let (_, transfer) = socket.recv_from(&mut buffer).await?;
                assert_ne!(transfer.port(), 69);
                socket.send_to(b"b", transfer).await?;
                let (length, from) = socket.recv_from(&mut buffer).await?;
                assert_eq!(from, transfer);
                io::Result::Ok(String::from_utf8_lossy(&buffer[..length]).into_owned())
            });
        }
    });
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
    assert_eq!(
        (report.outputs("one"), report.outputs("other")),
        (&[r#"Ok("more b")"#.to_owned()][..], &[r#"Ok("more b")"#.to_owned()][..])
    );
}
