//! Connects: what happens between the connection and the program's knowing of it.

use netcheck as tokio;
use netcheck::check::{Checker, Verdict};
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream, UdpSocket};

/// A connection is made before the program that connects is told, and there is time in between.
#[test]
fn an_accept_may_be_seen_before_the_connect_returns() {
    for reduction in [true, false] {
        let report = Checker::new().reduction(reduction).check(|net| {
            net.process("both", || async {
                let listener = TcpListener::bind("127.0.0.1:80").await.unwrap();
                let seen = Rc::new(RefCell::new(Vec::new()));
                let accepting = {
                    let seen = seen.clone();
                    netcheck::task::spawn_local(async move {
                        let _accepted = listener.accept().await.unwrap();
                        seen.borrow_mut().push("accepted");
                    })
                };
                let _connected = TcpStream::connect("127.0.0.1:80").await.unwrap();
                seen.borrow_mut().push("connected");
                accepting.await.unwrap();
                seen.take()
            });
        });
        assert_eq!(report.verdict(), Verdict::Verified, "{report}");
        assert_eq!(report.outputs("both"), [r#"["accepted", "connected"]"#, r#"["connected", "accepted"]"#]);
    }
}

#[test]
fn a_connect_returns_the_reset_that_comes_before_it_is_told() {
    for reduction in [true, false] {
        let report = Checker::new().reduction(reduction).check(|net| {
            net.daemon("server", || async {
                let listener = TcpListener::bind("0.0.0.0:80").await.unwrap();
                let (stream, _) = listener.accept().await.unwrap();
                stream.set_zero_linger().unwrap();
            });
            let client = || async {
                let mut stream = TcpStream::connect("server:80").await.map_err(|error| ("connect", error.kind()))?;
                stream.read_u8().await.map_err(|error| ("read", error.kind()))
            };
            net.process("client", client).after("server");
        });
        assert_eq!(report.verdict(), Verdict::Verified, "{report}");
        let outputs = [r#"Err(("connect", ConnectionReset))"#, r#"Err(("read", ConnectionReset))"#];
        assert_eq!(report.outputs("client"), outputs);
    }
}

/// The server's bytes are unread then, if it was accepted before.
#[test]
fn a_connection_of_which_a_program_does_not_know_is_closed_when_that_ends() {
    for reduction in [true, false] {
        let ends = Arc::new(Mutex::new(BTreeSet::new()));
        let report = Checker::new().reduction(reduction).check(|net| {
            net.process("server", || async {
                let listener = TcpListener::bind("0.0.0.0:80").await.unwrap();
                let (mut reader, mut writer) = listener.accept().await.unwrap().0.into_split();
                let reading = netcheck::spawn(async move {
                    let first = reader.read(&mut [0]).await;
                    (first.map_err(|error| error.kind()), reader.read(&mut [0]).await.ok())
                });
                writer.write_all(b"abc").await.unwrap();
                reading.await.unwrap().0
            });
            net.daemon("client", || async {
                let knows = Rc::new(Cell::new(false));
                let told = knows.clone();
                netcheck::task::spawn_local(async move {
                    let _stream = TcpStream::connect("server:80").await;
                    told.set(true);
                });
                netcheck::task::yield_now().await;
                knows.get()
            })
            .after("server");
            let seen = ends.clone();
            net.finally(move |end| {
                let of = |process| end.output(process).unwrap_or("waits").to_owned();
                seen.lock().unwrap().insert([of("client"), of("server")].join(": "));
                true
            });
        });
        assert_eq!(report.verdict(), Verdict::Verified, "{report}");
        let ends = ends.lock().unwrap().iter().cloned().collect::<Vec<_>>();
        let expected = [
            "false: Err(ConnectionReset)",
            "false: Ok(0)",
            "false: waits",
            "true: Err(ConnectionReset)",
            "true: Ok(0)",
        ];
        assert_eq!(ends, expected, "reduction: {reduction}");
    }
}

/// The connection comes from another port than the one that the socket would get first; after 14 other sockets and one
/// more, that is the last port which the program prefers.
#[test]
fn a_connect_that_is_given_up_while_an_earlier_connection_lives_closes_its_own() {
    for (reduction, others) in [(true, 0), (false, 0), (true, 14), (false, 14)] {
        let report = Checker::new().reduction(reduction).check(|net| {
            net.process("server", || async {
                let listener = TcpListener::bind("0.0.0.0:80").await.unwrap();
                let _first = listener.accept().await.unwrap();
                let (mut second, _) = listener.accept().await.unwrap();
                let socket = UdpSocket::bind("0.0.0.0:80").await.unwrap();
                socket.send_to(b"accepted", "client:90").await.unwrap();
                let mut seen = Vec::new();
                for _ in 0..2 {
                    seen.push(second.write_all(b"a").await.map_err(|error| error.kind()));
                }
                seen
            });
            let client = move || async move {
                let socket = UdpSocket::bind("0.0.0.0:90").await.unwrap();
                let mut sockets = Vec::new();
                for _ in 0..others {
                    sockets.push(UdpSocket::bind("0.0.0.0:0").await.unwrap());
                }
                drop(TcpStream::connect("server:80").await.unwrap());
                tokio::select! {
                    _connected = TcpStream::connect("server:80") => std::future::pending::<()>().await,
                    _accepted = socket.readable() => {}
                }
                std::future::pending::<()>().await
            };
            net.daemon("client", client).after("server");
        });
        assert_eq!(report.verdict(), Verdict::Verified, "{report}");
        let seen = ["[Ok(()), Err(BrokenPipe)]", "[Ok(()), Err(ConnectionReset)]", "[Ok(()), Ok(())]"];
        assert_eq!(report.outputs("server"), seen, "reduction: {reduction}, {others} other sockets");
    }
}

async fn keeps_connections() {
    let listener = TcpListener::bind("0.0.0.0:80").await.unwrap();
    let mut accepted = Vec::new();
    loop {
        accepted.push(listener.accept().await.unwrap());
    }
}

#[netcheck::process]
async fn holds(port: u16) {
    let socket = TcpSocket::new_v4().unwrap();
    let _bound = socket.bind(([0, 0, 0, 0], port).into());
    std::future::pending::<()>().await
}

/// The first connection lives, so that the second comes from another port: the next one, unless that is held.
#[test]
fn any_port_is_one_that_no_other_task_of_the_process_holds() {
    for reduction in [true, false] {
        let report = Checker::new().reduction(reduction).check(|net| {
            net.daemon("server", keeps_connections);
            let client = || async {
                let ports = async |stream: TcpStream| stream.local_addr().unwrap().port();
                let first = ports(TcpStream::connect("server:80").await.unwrap()).await;
                tokio::spawn(holds(first + 1));
                ports(TcpStream::connect("server:80").await.unwrap()).await - first
            };
            net.process("client", client).after("server");
        });
        assert_eq!(report.verdict(), Verdict::Verified, "{report}");
        assert_eq!(report.outputs("client"), ["1", "2"], "reduction: {reduction}, {report}");
    }
}

/// The second listener gets the port of the first one, which the client knows.
#[test]
fn a_listener_on_any_port_is_there_or_not_yet() {
    for reduction in [true, false] {
        let report = Checker::new().reduction(reduction).check(|net| {
            let server = || async {
                let listener = TcpListener::bind("0.0.0.0:0").await.unwrap();
                let port = listener.local_addr().unwrap().port();
                let socket = UdpSocket::bind("0.0.0.0:80").await.unwrap();
                drop(listener);
                socket.send_to(&port.to_be_bytes(), "client:80").await.unwrap();
                let listener = TcpListener::bind("0.0.0.0:0").await.unwrap();
                assert_eq!(listener.local_addr().unwrap().port(), port);
                std::future::pending::<()>().await;
            };
            net.daemon("server", server).after("client");
            net.process("client", || async {
                let socket = UdpSocket::bind("0.0.0.0:80").await.unwrap();
                let mut port = [0; 2];
                socket.recv(&mut port).await.unwrap();
                TcpStream::connect(("server", u16::from_be_bytes(port))).await.is_ok()
            });
        });
        assert_eq!(report.verdict(), Verdict::Verified, "{report}");
        assert_eq!(report.outputs("client"), ["false", "true"], "reduction: {reduction}, {report}");
    }
}

#[test]
fn a_process_that_uses_up_the_ports_it_prefers_is_checked_without_reduction() {
    let report = Checker::new().check(|net| {
        net.daemon("server", keeps_connections);
        let client = || async {
            let mut ports = Vec::new();
            for _ in 0..17 {
                ports.push(TcpStream::connect("server:80").await.unwrap().local_addr().unwrap().port());
            }
            ports[16] - ports[0]
        };
        net.process("client", client).after("server");
    });
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
    assert_eq!(report.outputs("client"), ["16"]);
    let why =
        "without reduction: a socket that asks for any port is given one that other sockets of the process prefer";
    assert!(report.to_string().contains(why), "{report}");
}
