//! Listeners that a program binds by `std::net` and hands to tokio, where the calls of the C library are netcheck's.

use netcheck as tokio;
use netcheck::check::{Checker, Identity, Tcp, Verdict};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// As tonic's server binds it.
fn listener(address: &str) -> std::io::Result<TcpListener> {
    let bound = std::net::TcpListener::bind(address)?;
    bound.set_nonblocking(true)?;
    TcpListener::from_std(bound)
}

async fn server() {
    let listener = listener("0.0.0.0:80").unwrap();
    for number in 1..=2_u8 {
        let (mut stream, _) = listener.accept().await.unwrap();
        let _ = stream.write_u8(number).await;
    }
}

async fn client() -> Option<u8> {
    TcpStream::connect("server:80").await.ok()?.read_u8().await.ok()
}

/// The outputs of the clients, by tokio's own bind, and by std's with the reduction and without, by memory and by history.
#[test]
fn a_server_on_a_listener_of_std_is_explored_as_one_of_tokio() {
    async fn by_tokio() {
        let listener = TcpListener::bind("0.0.0.0:80").await.unwrap();
        for number in 1..=2_u8 {
            let (mut stream, _) = listener.accept().await.unwrap();
            let _ = stream.write_u8(number).await;
        }
    }
    let with = |checker: &Checker, by_std: bool| {
        let report = checker.check(|net| {
            if by_std {
                net.daemon("server", server)
            } else {
                net.daemon("server", by_tokio)
            };
            net.process("one", client);
            net.process("two", client);
        });
        assert_eq!(report.verdict(), Verdict::Verified, "{report}");
        ["one", "two"].map(|process| report.outputs(process).to_vec())
    };
    for faults in [Tcp::new(), Tcp::new().reset()] {
        let checker = Checker::new().tcp(faults).at_most(1);
        let expected = with(&checker, false);
        assert!(
            expected[0].contains(&"None".to_owned()) && expected[0].contains(&"Some(2)".to_owned()),
            "{expected:?}"
        );
        for reduction in [true, false] {
            for identity in [Identity::Memory, Identity::History] {
                assert_eq!(with(&checker.clone().reduction(reduction).identity(identity), true), expected);
            }
        }
    }
}

#[test]
fn two_tasks_that_bind_a_port_by_std_meet() {
    #[netcheck::process]
    async fn binds() -> bool {
        let bound = listener("0.0.0.0:80");
        tokio::task::yield_now().await;
        bound.is_ok()
    }
    let outputs = [true, false].map(|reduction| {
        let report = Checker::new().reduction(reduction).check(|net| {
            net.process("it", || async {
                let tasks = [tokio::spawn(binds()), tokio::spawn(binds())];
                let mut bound = Vec::new();
                for task in tasks {
                    bound.push(task.await.unwrap());
                }
                bound
            });
        });
        assert_eq!(report.verdict(), Verdict::Verified, "{report}");
        report.outputs("it").to_vec()
    });
    assert_eq!(outputs[0], ["[false, true]", "[true, false]", "[true, true]"]);
    assert_eq!(outputs[0], outputs[1]);
}

/// A counterexample names the line of the program at which it calls std.
#[test]
fn a_bind_by_std_is_a_step_at_its_line() {
    let report = Checker::new().check(|net| {
        net.process("server", || async {
            let listener = listener("0.0.0.0:80").unwrap();
            listener.accept().await.unwrap();
            panic!("somebody is there");
        });
        net.process("client", client);
    });
    let text = report.counterexample().expect("it panics").to_string();
    let bind = text.lines().find(|line| line.contains("server  bind 0.0.0.0:80")).unwrap_or_else(|| panic!("{text}"));
    assert!(bind.contains("tests/semantics/std_listeners.rs:10"), "{text}");
    let again = Checker::new().replay(
        |net| {
            net.process("server", || async {
                let listener = listener("0.0.0.0:80").unwrap();
                listener.accept().await.unwrap();
                panic!("somebody is there");
            });
            net.process("client", client);
        },
        report.counterexample().expect("a violation"),
    );
    assert!(again.expect("it fits").is_some());
}

#[test]
fn a_listener_of_std_that_stays_one_is_an_error() {
    let error = Checker::new()
        .try_check(|net| {
            net.process("it", || async {
                let _kept = std::net::TcpListener::bind("0.0.0.0:80").unwrap();
                tokio::task::yield_now().await;
            });
        })
        .expect_err("a check can't follow it");
    assert!(error.to_string().contains("was not made one of tokio in the same poll"), "{error}");
}

#[test]
fn from_std_refuses_a_socket_that_is_bound_and_does_not_listen() {
    let report = Checker::new().check(|net| {
        net.process("it", || async {
            let socket = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None).unwrap();
            socket.bind(&std::net::SocketAddr::from(([0, 0, 0, 0], 80)).into()).unwrap();
            TcpListener::from_std(socket.into()).is_err()
        });
    });
    assert_eq!(report.outputs("it"), ["true"]);
}
