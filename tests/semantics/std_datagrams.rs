//! Sockets for datagrams that a program binds by `std::net`, or by `socket2`, and hands to tokio.

use netcheck as tokio;
use netcheck::Network;
use netcheck::check::{Checker, Identity, Udp, Verdict};
use std::net::{Ipv4Addr, SocketAddr};
use tokio::net::UdpSocket;
use tokio::time::{Duration, timeout};

/// As crates do that set options of their sockets.
fn by_socket2(port: u16) -> std::io::Result<UdpSocket> {
    let socket = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::DGRAM, None)?;
    socket.set_reuse_address(true)?;
    socket.set_recv_buffer_size(1 << 16)?;
    socket.set_nonblocking(true)?;
    socket.bind(&SocketAddr::from((Ipv4Addr::UNSPECIFIED, port)).into())?;
    UdpSocket::from_std(socket.into())
}

fn by_std(port: u16) -> std::io::Result<UdpSocket> {
    let socket = std::net::UdpSocket::bind((Ipv4Addr::UNSPECIFIED, port))?;
    socket.set_nonblocking(true)?;
    UdpSocket::from_std(socket)
}

/// Two datagrams, or fewer.
async fn server(socket: UdpSocket) -> Vec<u8> {
    let (mut seen, mut byte) = (Vec::new(), [0]);
    while let Ok(Ok((1, from))) = timeout(Duration::from_secs(1), socket.recv_from(&mut byte)).await {
        seen.push(byte[0]);
        let _ = socket.send_to(&byte, from).await;
    }
    seen
}

async fn client(socket: UdpSocket) -> Option<u8> {
    let mut byte = [0];
    socket.connect("server:4000").await.ok()?;
    socket.send(&[1]).await.ok()?;
    socket.send(&[2]).await.ok()?;
    timeout(Duration::from_secs(2), socket.recv(&mut byte)).await.ok()?.ok()?;
    Some(byte[0])
}

/// The outputs, with the reduction and without, by memory and by history.
#[test]
fn sockets_of_std_are_explored_as_those_of_tokio() {
    let outputs = |checker: &Checker, register: &dyn Fn(&mut Network)| {
        let report = checker.check(register);
        assert_eq!(report.verdict(), Verdict::Verified, "{report}");
        ["server", "client"].map(|process| report.outputs(process).to_vec())
    };
    let checker = Checker::new().udp(Udp::new().loss().duplication()).at_most(1);
    let expected = outputs(&checker, &|net| {
        net.process("server", || async { server(UdpSocket::bind("0.0.0.0:4000").await.unwrap()).await });
        net.process("client", || async { client(UdpSocket::bind("0.0.0.0:0").await.unwrap()).await });
    });
    assert!(expected[0].len() > 3 && expected[1].len() > 1, "{expected:?}");
    for reduction in [true, false] {
        for identity in [Identity::Memory, Identity::History] {
            let checker = checker.clone().reduction(reduction).identity(identity);
            let found = outputs(&checker, &|net| {
                net.process("server", || async { server(by_socket2(4000).unwrap()).await });
                net.process("client", || async { client(by_std(0).unwrap()).await });
            });
            assert_eq!(found, expected);
        }
    }
}

/// The output of a program, which has one.
fn output<F: Future<Output: std::fmt::Debug> + 'static>(program: fn() -> F) -> String {
    let report = Checker::new().check(|net| _ = net.process("it", program));
    assert_eq!((report.verdict(), report.outputs("it").len()), (Verdict::Verified, 1), "{report}");
    report.outputs("it")[0].clone()
}

#[test]
fn addresses_peers_and_options_are_taken_over() {
    let seen = output(|| async {
        let socket = std::net::UdpSocket::bind("0.0.0.0:4000").unwrap();
        socket.set_broadcast(true).unwrap();
        socket.set_ttl(7).unwrap();
        socket.set_multicast_loop_v4(false).unwrap();
        socket.connect("127.0.0.1:5000").unwrap();
        let local = socket.local_addr().unwrap();
        let socket = UdpSocket::from_std(socket).unwrap();
        assert_eq!(local, socket.local_addr().unwrap());
        let options = (socket.broadcast().unwrap(), socket.ttl().unwrap(), socket.multicast_loop_v4().unwrap());
        (local, socket.peer_addr().unwrap(), options)
    });
    assert_eq!(seen, "(127.0.0.1:4000, 127.0.0.1:5000, (true, 7, false))");
}

#[test]
fn the_wildcard_address_as_a_peer_is_the_host_itself() {
    let seen = output(|| async {
        let socket = std::net::UdpSocket::bind("0.0.0.0:4000").unwrap();
        let other_version = socket.connect("[::1]:5000").map_err(|error| error.raw_os_error());
        socket.connect("0.0.0.0:5000").unwrap();
        (other_version, UdpSocket::from_std(socket).unwrap().peer_addr().unwrap())
    });
    assert_eq!(seen, "(Err(Some(97)), 127.0.0.1:5000)");
}

#[test]
fn a_port_is_taken_and_free_again() {
    let seen = output(|| async {
        let first = std::net::UdpSocket::bind("0.0.0.0:4000").unwrap();
        let second = std::net::UdpSocket::bind("0.0.0.0:4000").map(drop).map_err(|error| error.kind());
        drop(first);
        (second, std::net::UdpSocket::bind("0.0.0.0:4000").and_then(UdpSocket::from_std).is_ok())
    });
    assert_eq!(seen, "(Err(AddrInUse), true)");
}

/// What a socket has joined before it was handed to tokio, it is a member of.
#[test]
fn members_of_groups_stay_members() {
    let group = Ipv4Addr::new(239, 1, 2, 3);
    let outputs = |joins: bool| {
        let report = Checker::new().check(move |net| {
            net.process("member", move || async move {
                let socket = std::net::UdpSocket::bind("0.0.0.0:4000").unwrap();
                assert!(socket.join_multicast_v4(&Ipv4Addr::LOCALHOST, &Ipv4Addr::UNSPECIFIED).is_err());
                socket.join_multicast_v4(&group, &Ipv4Addr::UNSPECIFIED).unwrap();
                if !joins {
                    socket.leave_multicast_v4(&group, &Ipv4Addr::UNSPECIFIED).unwrap();
                }
                let again = socket.leave_multicast_v4(&Ipv4Addr::new(239, 1, 2, 4), &Ipv4Addr::UNSPECIFIED);
                assert_eq!(again.map_err(|error| error.kind()), Err(std::io::ErrorKind::AddrNotAvailable));
                let socket = UdpSocket::from_std(socket).unwrap();
                timeout(Duration::from_secs(1), socket.recv(&mut [0])).await.is_ok()
            });
            net.process("sends", move || async move {
                let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
                tokio::time::sleep(Duration::from_millis(10)).await;
                socket.send_to(&[1], (group, 4000)).await.is_ok()
            });
        });
        assert_eq!(report.verdict(), Verdict::Verified, "{report}");
        report.outputs("member").to_vec()
    };
    assert_eq!((outputs(true), outputs(false)), (vec!["true".to_owned()], vec!["false".to_owned()]));
}

/// Real datagrams are never sent.
#[test]
fn traffic_of_a_socket_of_std_is_an_error() {
    for bound in [true, false] {
        let error = Checker::new()
            .try_check(move |net| {
                net.process("it", move || async move {
                    let socket = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::DGRAM, None).unwrap();
                    if bound {
                        socket.bind(&SocketAddr::from(([0, 0, 0, 0], 4000)).into()).unwrap();
                    }
                    let _ = socket.send_to(b"it", &SocketAddr::from(([127, 0, 0, 1], 9)).into());
                });
            })
            .expect_err("it would be real");
        assert!(error.to_string().contains("uses a socket of the operating system"), "{error}");
    }
}
