//! Multicast groups in a check: the members of a group on the network of all processes. What a single machine can show is in
//! `parity.rs`.

use netcheck as tokio;
use netcheck::check::{Checker, Report, Udp, Verdict};
use std::io;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::time::Duration;
use tokio::net::UdpSocket;
use tokio::time::timeout;

const GROUP: Ipv4Addr = Ipv4Addr::new(239, 1, 2, 3);
const OTHER: Ipv4Addr = Ipv4Addr::new(239, 1, 2, 4);
const NETWORK: Ipv4Addr = Ipv4Addr::UNSPECIFIED;

/// The payloads that a socket gets until nothing has come for a second.
async fn collected(socket: &UdpSocket) -> String {
    let mut all = Vec::new();
    let mut buffer = [0; 8];
    while let Ok(received) = timeout(Duration::from_secs(1), socket.recv(&mut buffer)).await {
        all.push(String::from_utf8_lossy(&buffer[..received.unwrap()]).into_owned());
    }
    all.join(" ")
}

async fn member() -> String {
    let socket = UdpSocket::bind("0.0.0.0:5000").await.unwrap();
    socket.join_multicast_v4(GROUP, NETWORK).unwrap();
    collected(&socket).await
}

async fn bystander() -> String {
    collected(&UdpSocket::bind("0.0.0.0:5000").await.unwrap()).await
}

async fn sender() {
    let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
    socket.send_to(b"a", (GROUP, 5000)).await.unwrap();
}

/// A check with the reduction and without, which has the same outputs of these processes.
fn agree(checker: &Checker, processes: &[&str], network: impl Fn(&mut netcheck::Network)) -> Report {
    let [reduced, full] = [true, false].map(|reduction| checker.clone().reduction(reduction).check(&network));
    for report in [&reduced, &full] {
        assert_eq!(report.verdict(), Verdict::Verified, "{report}");
    }
    for process in processes {
        assert_eq!(reduced.outputs(process), full.outputs(process), "{process}, reduced and unreduced");
    }
    reduced
}

#[test]
fn a_datagram_to_a_group_comes_to_every_member_and_to_nobody_else() {
    let report = agree(&Checker::new(), &["one", "two", "none", "elsewhere"], |net| {
        net.process("one", member);
        net.process("two", member);
        net.process("none", bystander);
        net.process("elsewhere", || async {
            let socket = UdpSocket::bind("0.0.0.0:5001").await.unwrap();
            socket.join_multicast_v4(GROUP, NETWORK).unwrap();
            collected(&socket).await
        });
        net.process("sender", sender).after("one").after("two").after("none").after("elsewhere");
    });
    let outputs = ["one", "two", "none", "elsewhere"].map(|process| report.outputs(process).to_vec());
    assert_eq!(outputs, [[r#""a""#], [r#""a""#], [r#""""#], [r#""""#]]);
}

#[test]
fn a_member_that_joins_when_a_datagram_is_sent_gets_it_or_not() {
    let report = agree(&Checker::new(), &["one"], |net| {
        net.process("one", member);
        net.process("sender", sender);
    });
    assert_eq!(report.outputs("one"), [r#""""#, r#""a""#]);
}

#[test]
fn each_member_loses_a_datagram_by_itself() {
    async fn member() {
        let socket = UdpSocket::bind("0.0.0.0:5000").await.unwrap();
        socket.join_multicast_v4(GROUP, NETWORK).unwrap();
        let got = timeout(Duration::from_secs(1), socket.recv(&mut [0; 8])).await.is_ok();
        let mut told = tokio::net::TcpStream::connect("collector:80").await.unwrap();
        tokio::io::AsyncWriteExt::write_u8(&mut told, u8::from(got)).await.unwrap();
    }
    async fn collector() -> u8 {
        let listener = tokio::net::TcpListener::bind("0.0.0.0:80").await.unwrap();
        let mut sum = 0;
        for _ in 0..2 {
            sum += tokio::io::AsyncReadExt::read_u8(&mut listener.accept().await.unwrap().0).await.unwrap();
        }
        sum
    }
    let with = |checker: Checker| {
        let report = agree(&checker, &["collector"], |net| {
            net.process("collector", collector);
            net.process("one", member).after("collector");
            net.process("two", member).after("collector");
            net.process("sender", sender).after("one").after("two");
        });
        report.outputs("collector").to_vec()
    };
    assert_eq!(with(Checker::new()), ["2"]);
    assert_eq!(with(Checker::new().udp(Udp::new().loss())), ["0", "1", "2"]);
    assert_eq!(with(Checker::new().udp(Udp::new().loss()).at_most(1)), ["1", "2"]);
}

#[test]
fn a_datagram_is_repeated_for_one_member_and_not_for_another() {
    let report = agree(&Checker::new().udp(Udp::new().duplication().process("one")), &["one", "two"], |net| {
        net.process("one", member);
        net.process("two", member);
        net.process("sender", sender).after("one").after("two");
    });
    assert_eq!(report.outputs("one"), [r#""a a""#, r#""a""#]);
    assert_eq!(report.outputs("two"), [r#""a""#]);
}

#[test]
fn options_of_the_sender_say_which_processes_it_reaches() {
    let with = |comes_back: bool, hops_max: u32| {
        let report = agree(&Checker::new(), &["one", "sender"], |net| {
            net.process("one", member);
            let sender = net.process("sender", move || async move {
                let socket = UdpSocket::bind("0.0.0.0:5000").await.unwrap();
                socket.join_multicast_v4(GROUP, NETWORK).unwrap();
                socket.set_multicast_loop_v4(comes_back).unwrap();
                socket.set_multicast_ttl_v4(hops_max).unwrap();
                socket.send_to(b"a", (GROUP, 5000)).await.unwrap();
                collected(&socket).await
            });
            sender.after("one");
        });
        ["one", "sender"].map(|process| report.outputs(process).to_vec())
    };
    let (came, nothing) = ([r#""a""#], [r#""""#]);
    assert_eq!(with(true, 1), [came, came]);
    assert_eq!(with(false, 1), [came, nothing]);
    assert_eq!(with(true, 0), [nothing, came]);
    assert_eq!(with(false, 0), [nothing, nothing]);
}

#[test]
fn what_a_loopback_address_sends_stays_in_the_process() {
    let report = agree(&Checker::new(), &["one", "sender"], |net| {
        net.process("one", member);
        let sender = net.process("sender", || async {
            let all = UdpSocket::bind("0.0.0.0:5000").await.unwrap();
            all.join_multicast_v4(GROUP, Ipv4Addr::LOCALHOST).unwrap();
            let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
            socket.set_multicast_loop_v4(false).unwrap();
            socket.send_to(b"a", (GROUP, 5000)).await.unwrap();
            collected(&all).await
        });
        sender.after("one");
    });
    assert_eq!(report.outputs("one"), [r#""""#]);
    assert_eq!(report.outputs("sender"), [r#""a""#]);
}

#[test]
fn groups_of_version_6_are_reached_through_the_interface_of_the_destination() {
    const GROUP_6: Ipv6Addr = Ipv6Addr::new(0xff02, 0, 0, 0, 0, 0, 0, 0x1234);
    async fn member_6() -> String {
        let socket = UdpSocket::bind("[::]:5000").await.unwrap();
        socket.join_multicast_v6(&GROUP_6, 0).unwrap();
        collected(&socket).await
    }
    let with = |scope: u32| {
        let report = agree(&Checker::new(), &["one", "sender"], |net| {
            net.process("one", member_6);
            let sender = net.process("sender", move || async move {
                let all = UdpSocket::bind("[::]:5000").await.unwrap();
                all.join_multicast_v6(&GROUP_6, 1).unwrap();
                assert!(all.multicast_loop_v6().unwrap());
                let to = std::net::SocketAddrV6::new(GROUP_6, 5000, 0, scope);
                all.send_to(b"a", to).await.unwrap();
                collected(&all).await
            });
            sender.after("one");
        });
        ["one", "sender"].map(|process| report.outputs(process).to_vec())
    };
    assert_eq!(with(0), [[r#""a""#], [r#""""#]]);
    assert_eq!(with(1), [[r#""""#], [r#""a""#]]);
}

/// The other socket of the process receives as long as its host is a member.
#[test]
fn a_host_leaves_a_group_with_the_last_socket_that_has_joined_it() {
    let report = agree(&Checker::new(), &["one"], |net| {
        net.process("one", || async {
            let joined = UdpSocket::bind("0.0.0.0:0").await.unwrap();
            joined.join_multicast_v4(GROUP, NETWORK).unwrap();
            let socket = UdpSocket::bind("0.0.0.0:5000").await.unwrap();
            tokio::task::yield_now().await;
            drop(joined);
            collected(&socket).await
        });
        net.process("sender", sender);
    });
    assert_eq!(report.outputs("one"), [r#""""#, r#""a""#]);
}

/// A socket that has joined is held by a task of its own, which ends.
#[test]
fn a_task_that_ends_takes_its_host_out_of_a_group() {
    #[netcheck::process]
    async fn joined() {
        let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
        socket.join_multicast_v4(GROUP, NETWORK).unwrap();
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    let report = agree(&Checker::new(), &["one"], |net| {
        net.process("one", || async {
            let task = tokio::spawn(joined());
            let socket = UdpSocket::bind("0.0.0.0:5000").await.unwrap();
            let received = timeout(Duration::from_secs(3), socket.recv(&mut [0; 8])).await.is_ok();
            task.await.unwrap();
            received
        });
        net.process("sender", || async {
            tokio::time::sleep(Duration::from_secs(1)).await;
            sender().await;
        });
    });
    assert_eq!(report.outputs("one"), ["false", "true"]);
}

#[test]
fn a_host_that_leaves_keeps_what_has_come() {
    let delayed = |delay: Udp| Checker::new().udp(delay);
    for checker in [Checker::new(), delayed(Udp::new().delay(..)), delayed(Udp::new().delay(..=Duration::from_secs(1)))]
    {
        let report = agree(&checker, &["one"], |net| {
            net.process("one", || async {
                let socket = UdpSocket::bind("0.0.0.0:5000").await.unwrap();
                socket.join_multicast_v4(GROUP, NETWORK).unwrap();
                tokio::time::sleep(Duration::from_secs(2)).await;
                socket.leave_multicast_v4(GROUP, NETWORK).unwrap();
                collected(&socket).await
            });
            net.process("sender", sender).after("one");
        });
        assert!(report.outputs("one").contains(&r#""a""#.to_owned()), "{:?}", report.outputs("one"));
    }
}

/// A member takes part when the datagram arrives, and not when it is sent.
#[test]
fn a_datagram_under_way_comes_to_those_that_have_joined_when_it_arrives() {
    async fn late() -> String {
        let socket = UdpSocket::bind("0.0.0.0:5000").await.unwrap();
        tokio::time::sleep(Duration::from_millis(30)).await;
        socket.join_multicast_v4(GROUP, NETWORK).unwrap();
        collected(&socket).await
    }
    let with = |delays: &[u64]| {
        let delays: Vec<Duration> = delays.iter().map(|&ms| Duration::from_millis(ms)).collect();
        let report = agree(&Checker::new().udp(Udp::new().delays(delays)), &["one", "two"], |net| {
            net.process("one", late);
            net.process("two", late);
            net.process("sender", sender);
        });
        ["one", "two"].map(|process| report.outputs(process).to_vec())
    };
    assert_eq!(with(&[10]), [[r#""""#], [r#""""#]]);
    assert_eq!(with(&[50]), [[r#""a""#], [r#""a""#]]);
    assert_eq!(with(&[10, 50]), [[r#""""#, r#""a""#], [r#""""#, r#""a""#]]);
}

#[test]
fn a_group_together_with_an_order_of_delayed_packets_is_refused_at_its_line() {
    let error = Checker::new()
        .udp(Udp::new().delay(..).window(1))
        .try_check(|net| {
            net.process("one", member);
            net.process("sender", sender).after("one");
        })
        .expect_err("it is not modelled");
    let text = error.to_string();
    assert!(text.contains("sender sends to a multicast group at tests/semantics/multicast.rs:"), "{text}");
}

#[test]
fn members_that_are_alike_are_explored_as_one() {
    let [symmetric, all] = [true, false].map(|symmetry| {
        let report = Checker::new().udp(Udp::new().loss()).symmetry(symmetry).check(|net| {
            for name in ["one", "two", "three"] {
                net.process(name, member);
            }
            net.process("sender", sender);
        });
        assert_eq!(report.verdict(), Verdict::Verified, "{report}");
        report
    });
    assert_eq!(symmetric.outputs("two"), all.outputs("two"));
    assert!(symmetric.states() < all.states(), "{} {}", symmetric.states(), all.states());
}

#[test]
fn a_counterexample_shows_the_send_and_the_arrivals() {
    let network = |net: &mut netcheck::Network| {
        net.process("one", || async { assert_ne!(member().await, "a", "it has come") });
        net.process("two", member);
        net.process("sender", sender).after("one").after("two");
    };
    let report = Checker::new().check(network);
    let text = report.counterexample().expect("a violation").to_string();
    assert!(text.contains("join 239.1.2.3 on port 5000"), "{text}");
    assert!(text.contains(r#"send "a" to 239.1.2.3:5000"#), "{text}");
    let again = Checker::new().replay(network, report.counterexample().expect("a violation")).expect("it fits");
    let again = again.expect("it is violated again").to_string();
    assert!(again.contains("it has come"), "{again}");
    assert!(text.contains(r#"one     recv on port 5000 -> "a" from sender:49184 ← #9"#), "{text}");
    assert!(text.contains(r#"two     recv on port 5000 -> "a" from sender:49184 ← #9"#), "{text}");
}

/// A source of small numbers: the same for each seed.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

fn told<T>(result: io::Result<T>) -> String {
    result.map_or_else(|error| format!("{:?}", error.kind()), |_| "ok".to_owned())
}

/// A call of a random program, told by a number, and its outcome.
async fn call(sockets: &mut [Option<UdpSocket>; 2], number: u8) -> String {
    let which = usize::from(number % 2);
    let group = if number / 2 % 4 < 3 { GROUP } else { OTHER };
    let interface = if number / 4 % 4 == 3 { Ipv4Addr::LOCALHOST } else { NETWORK };
    if number / 16 == 0 {
        sockets[which] = None;
        let ip = [NETWORK, NETWORK, GROUP, Ipv4Addr::LOCALHOST][usize::from(number / 4)];
        let bound = UdpSocket::bind((ip, 5000 + u16::from(number / 2 % 2 == 1 && which == 1))).await;
        let text = told(bound.as_ref().map_err(|error| error.kind().into()));
        sockets[which] = bound.ok();
        return text;
    }
    let Some(socket) = sockets[which].as_ref().or(sockets[1 - which].as_ref()) else { return String::new() };
    match number / 16 {
        1 | 2 => told(socket.join_multicast_v4(group, interface)),
        3 => told(socket.leave_multicast_v4(group, interface)),
        4..=6 => told(socket.try_send_to(b"d", (group, 5000 + u16::from(number / 4 % 4 == 3)).into())),
        7 => {
            socket.set_multicast_loop_v4((number / 4).is_multiple_of(2)).unwrap();
            String::new()
        }
        8 => {
            sockets[which] = None;
            String::new()
        }
        _ => {
            let mut buffer = [0; 4];
            timeout(Duration::from_millis(1), socket.recv(&mut buffer)).await.is_ok().to_string()
        }
    }
}

#[netcheck::process]
async fn task(calls: Vec<u8>) -> String {
    program(calls).await
}

async fn program(calls: Vec<u8>) -> String {
    let mut sockets = [None, None];
    let mut seen = Vec::new();
    for number in calls {
        seen.push(call(&mut sockets, number).await);
    }
    seen.join(" ")
}

async fn process([own, of_task]: [Vec<u8>; 2]) -> (String, String) {
    let task = (!of_task.is_empty()).then(|| tokio::spawn(task(of_task)));
    let own = program(own).await;
    let of_task = if let Some(task) = task { task.await.unwrap() } else { String::new() };
    (own, of_task)
}

#[test]
fn random_programs_end_alike_with_the_reduction_and_without() {
    let (mut states, mut outputs) = ([0, 0], 0);
    let listed = || Udp::new().delays([Duration::ZERO, Duration::from_millis(2)]);
    let checkers: [fn() -> Checker; 4] = [
        Checker::new,
        || Checker::new().udp(Udp::new().loss()).at_most(1),
        || Checker::new().udp(Udp::new().loss().duplication()).at_most(2),
        || Checker::new(),
    ];
    for seed in 0..150 {
        let mut numbers = Numbers(seed);
        let mut calls = |count: u64| {
            // Each binds something first, and most join the same group.
            let first =
                [2 * numbers.below(6) as u8, if numbers.below(4) == 0 { 16 + numbers.below(16) as u8 } else { 16 }];
            first.into_iter().chain((0..count).map(|_| numbers.below(176) as u8)).chain([144]).collect::<Vec<u8>>()
        };
        let programs = match seed % 4 {
            3 => [[calls(3), calls(3)], [Vec::new(), Vec::new()]],
            _ => [[calls(3), Vec::new()], [calls(3), Vec::new()]],
        };
        let checker = if seed % 8 == 4 { Checker::new().udp(listed()) } else { checkers[seed as usize % 4]() };
        let [reduced, full] = [true, false].map(|reduction| {
            checker.clone().reduction(reduction).check(|net| {
                for (name, program) in ["one", "two"].into_iter().zip(programs.clone()) {
                    net.process(name, move || process(program.clone()));
                }
            })
        });
        for report in [&reduced, &full] {
            assert_eq!(report.verdict(), Verdict::Verified, "{seed}: {programs:?} {report}");
        }
        for name in ["one", "two"] {
            assert_eq!(reduced.outputs(name), full.outputs(name), "{seed}: {programs:?}");
            outputs += full.outputs(name).len();
        }
        states = [states[0] + reduced.states(), states[1] + full.states()];
    }
    assert!(outputs > 400, "the calls depend on each other: {outputs} outputs");
    assert!(states[0] < states[1], "the reduction leaves something out: {states:?}");
}
