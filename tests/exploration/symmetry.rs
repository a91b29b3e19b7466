//! Like processes: states that differ only in which of them does what are one.

use netcheck as tokio;
use netcheck::Network;
use netcheck::check::{Checker, Identity, Report, Search, Tasks, Tcp, Udp, Verdict, ViolationKind};
use std::collections::BTreeSet;
use std::pin::Pin;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UdpSocket};
use tokio::time::{Duration, sleep, timeout};

/// Answers so many requests.
async fn server(requests: usize) {
    let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
    for _ in 0..requests {
        let mut buffer = [0; 8];
        let (length, from) = socket.recv_from(&mut buffer).await.unwrap();
        socket.send_to(&buffer[..length], from).await.unwrap();
    }
}

async fn ask(request: &[u8]) -> Option<u8> {
    let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
    socket.send_to(request, "server:4000").await.unwrap();
    let mut buffer = [0; 8];
    let answered = timeout(Duration::from_secs(1), socket.recv(&mut buffer)).await;
    answered.ok().map(|_| buffer[0])
}

async fn client() -> Option<u8> {
    ask(b"x").await
}

fn name(number: usize) -> String {
    format!("client-{number}")
}

fn clients(number: usize) -> impl Fn(&mut Network) + Copy {
    move |net| {
        net.daemon("server", move || server(number));
        for client in 1..=number {
            net.process(name(client), self::client).after("server");
        }
    }
}

/// The states by history, without symmetry and with it, without the reduction and with it; all else is the same.
#[track_caller]
fn states(checker: &Checker, network: impl Fn(&mut Network) + Copy) -> [(usize, usize); 2] {
    [false, true].map(|reduction| {
        let checker = checker.clone().identity(Identity::History).reduction(reduction);
        let (all, some) = (checker.check(network), checker.symmetry(true).check(network));
        assert_eq!((all.verdict(), some.verdict()), (Verdict::Verified, Verdict::Verified), "{some}");
        let outputs = |report: &Report| {
            let names: Vec<String> = report.automata().iter().map(|process| process.name().to_owned()).collect();
            let processes = names.into_iter().filter(|name| !name.contains('/'));
            processes.map(|name| (report.outputs(&name).to_vec(), name)).collect::<Vec<_>>()
        };
        assert_eq!(outputs(&all), outputs(&some));
        (all.states(), some.states())
    })
}

#[test]
fn clients_of_a_datagram_server_are_counted_once() {
    let lossy = Checker::new().udp(Udp::new().loss());
    for (number, reliable, with_loss) in [
        (2, [(50, 29), (36, 21)], [(74, 43), (55, 32)]),
        (3, [(386, 84), (133, 35)], [(564, 124), (183, 51)]),
        (4, [(3_538, 218), (598, 53)], [(5_458, 330), (764, 75)]),
    ] {
        assert_eq!(states(&Checker::new(), clients(number)), reliable, "{number} clients");
        assert_eq!(states(&lossy, clients(number)), with_loss, "{number} clients, with loss");
    }
}

#[netcheck::process]
async fn echo(mut stream: TcpStream) {
    let mut buffer = [0; 8];
    while let Ok(length @ 1..) = stream.read(&mut buffer).await {
        if stream.write_all(&buffer[..length]).await.is_err() {
            return;
        }
    }
}

async fn echo_server(connections: usize) {
    let listener = TcpListener::bind("0.0.0.0:7").await.unwrap();
    for _ in 0..connections {
        if let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(echo(stream));
        }
    }
    std::future::pending().await
}

async fn echo_client() -> Option<u8> {
    let mut stream = TcpStream::connect("server:7").await.ok()?;
    stream.write_u8(7).await.ok()?;
    stream.read_u8().await.ok()
}

fn echoes(number: usize) -> impl Fn(&mut Network) + Copy {
    move |net| {
        net.daemon("server", move || echo_server(number));
        for client in 1..=number {
            net.process(name(client), echo_client).after("server");
        }
    }
}

/// Each connection is served by an isolated task.
#[test]
fn clients_of_a_stream_server_are_counted_once() {
    assert_eq!(states(&Checker::new(), echoes(2)), [(336, 170), (47, 26)]);
    assert_eq!(states(&Checker::new(), echoes(3)), [(10_336, 1_740), (165, 38)]);
    let failing = Checker::new().tcp(Tcp::new().fail_read().reset()).at_most(1);
    assert_eq!(states(&failing, echoes(2)), [(1_192, 598), (117, 61)]);
}

/// Who is alike and why others are not, if the verdict is the one without symmetry.
#[track_caller]
fn alike(checker: &Checker, network: impl Fn(&mut Network) + Copy) -> (Vec<Vec<String>>, String) {
    let checker = checker.clone().identity(Identity::History);
    let (with, without) = (checker.clone().symmetry(true).check(network), checker.check(network));
    assert_eq!(with.verdict(), without.verdict(), "{with}");
    if with.like_processes().is_empty() {
        assert_eq!(with.states(), without.states());
    }
    // Source lines change with this file.
    let words = with.asymmetries().join("\n");
    let mut words = words.split("tests/exploration/symmetry.rs:");
    let mut reasons = words.next().unwrap_or_default().to_owned();
    for words in words {
        reasons.push_str("here");
        reasons.push_str(words.trim_start_matches(|c: char| c.is_ascii_digit()));
    }
    (with.like_processes().to_vec(), reasons)
}

#[track_caller]
fn nobody_is_alike(checker: &Checker, network: impl Fn(&mut Network) + Copy, reason: &str) {
    assert_eq!(alike(checker, network), (Vec::new(), reason.to_owned()));
}

#[test]
fn who_sends_other_bytes_is_not_alike() {
    let network = |net: &mut Network| {
        net.daemon("server", || server(3));
        for number in 1..=3u8 {
            net.process(name(number.into()), move || async move { ask(&[b'a' + number / 3]).await }).after("server");
        }
    };
    let (classes, reason) = alike(&Checker::new(), network);
    assert_eq!(classes, [["client-1", "client-2"]]);
    assert_eq!(
        reason,
        "\"client-2\" is not like \"client-3\": after bind 0.0.0.0:0 at here -> 0.0.0.0:49200, \
         it asks for send \"a\" to server:4000 at here and not for send \"b\" to server:4000 at here"
    );
}

type Program = fn(u64) -> Pin<Box<dyn Future<Output = u64>>>;

#[test]
fn who_ends_otherwise_or_waits_longer_or_sends_more_is_not_alike() {
    let network = |program: Program| {
        move |net: &mut Network| {
            net.daemon("server", || server(3));
            (1..=2).for_each(|number| _ = net.process(name(number), move || program(number as u64)).after("server"));
        }
    };
    let ends: Program = |number| Box::pin(async move { number });
    let reason = "\"client-1\" is not like \"client-2\": after start at here -> done, it ends with 1 and not with 2";
    nobody_is_alike(&Checker::new(), network(ends), reason);
    let waits: Program = |number| {
        Box::pin(async move {
            sleep(Duration::from_secs(number)).await;
            0
        })
    };
    let reason = "\"client-1\" is not like \"client-2\": after start at here -> done, \
                  it does something else with its sockets, timers or tasks";
    nobody_is_alike(&Checker::new(), network(waits), reason);
    let sends: Program = |number| {
        Box::pin(async move {
            for _ in 0..number {
                ask(b"x").await;
            }
            0
        })
    };
    let reason = "\"client-1\" is not like \"client-2\": after timer at here -> elapsed, it ends with 0";
    nobody_is_alike(&Checker::new(), network(sends), reason);
}

/// Answers in the order of addresses once everybody has asked.
async fn orderly(requests: usize) {
    let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
    let mut asked = BTreeSet::new();
    while asked.len() < requests {
        let (_, from) = socket.recv_from(&mut [0; 8]).await.unwrap();
        asked.insert(from);
    }
    for from in asked {
        socket.send_to(b"y", from).await.unwrap();
    }
}

#[test]
fn a_server_may_tell_its_clients_apart() {
    let network = |net: &mut Network| {
        net.daemon("server", || orderly(2));
        (1..=2).for_each(|number| _ = net.process(name(number), client).after("server"));
    };
    let reason = "\"server\" tells \"client-1\" and \"client-2\" apart: \
                  after recv on port 4000 at here -> \"x\" from client-2:49184, with them exchanged, \
                  it asks for send \"y\" to client-1:49168 at here and not for send \"y\" to client-2:49184 at here";
    nobody_is_alike(&Checker::new(), network, reason);
}

#[test]
fn who_is_favoured_is_not_like_the_others_and_these_are_still_alike() {
    async fn favours() {
        let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
        socket.send_to(b"y", "client-2:5000").await.unwrap();
    }
    async fn waits() -> bool {
        let socket = UdpSocket::bind("0.0.0.0:5000").await.unwrap();
        timeout(Duration::from_secs(1), socket.recv(&mut [0; 8])).await.is_ok()
    }
    let network = |net: &mut Network| {
        (1..=4).for_each(|number| _ = net.process(name(number), waits));
        net.process("server", favours);
    };
    let (classes, reason) = alike(&Checker::new(), network);
    assert_eq!(classes, [["client-1", "client-3", "client-4"]]);
    assert!(reason.starts_with("\"server\" tells \"client-1\" and \"client-2\" apart: after bind"), "{reason}");
}

#[test]
fn a_violation_of_one_process_by_name_is_found() {
    async fn chooses() -> usize {
        netcheck::choose(0..2).await
    }
    for reduction in [true, false] {
        for number in 1..=3 {
            let report = Checker::new().reduction(reduction).symmetry(true).check(|net| {
                (1..=3).for_each(|number| _ = net.process(name(number), chooses));
                net.finally(move |end| {
                    let is_only_one = |other| (other == number) == (end.output(&name(other)) == Some("1"));
                    !(1..=3).all(is_only_one)
                });
            });
            assert_eq!(report.like_processes().len(), 1, "{report}");
            let found = report.counterexample().expect("the others choose 0");
            assert_eq!(found.kind(), ViolationKind::Property);
            if number == 2 {
                insta::assert_snapshot!("only_the_second_chooses_1", found);
            }
        }
    }
}

/// The full space by faults: what is found is not looked for once more.
#[test]
fn a_counterexample_is_an_execution_of_the_processes_that_it_names() {
    for number in 1..=3 {
        let checker = Checker::new().udp(Udp::new().loss()).search(Search::Faults).reduction(false).symmetry(true);
        let network = |net: &mut Network| {
            clients(3)(net);
            net.finally(move |end| end.output(&name(number)) == Some("Some(120)"));
        };
        let report = checker.check(network);
        let found = report.counterexample().expect("an answer may get lost");
        let timers = found.to_string().lines().filter(|line| line.contains("timer -> elapsed")).count();
        assert!(timers == 1 && found.to_string().contains(&format!("{}  timer", name(number))), "{found}");
        let again = checker.replay(network, found).expect("it is possible");
        assert!(again.is_some_and(|again| again.starts_with("property")), "{found}");
    }
}

#[test]
fn a_panic_is_told_of_who_panics() {
    async fn may_panic() {
        assert!(ask(b"x").await.is_some(), "no answer");
    }
    for reduction in [true, false] {
        let report =
            Checker::new().udp(Udp::new().loss()).at_most(1).reduction(reduction).symmetry(true).check(|net| {
                net.daemon("server", || server(2));
                net.process("client-1", may_panic).after("server");
                net.process("client-2", may_panic).after("server");
            });
        assert_eq!(report.like_processes(), [["client-1", "client-2"]], "{report}");
        let found = report.counterexample().expect("an answer may get lost");
        assert_eq!(found.units().len(), 1, "{found}");
        assert!(found.message().starts_with(&format!("{} panicked", found.units()[0])), "{found}");
        insta::assert_snapshot!("who_has_no_answer_panics", found);
    }
}

#[test]
fn what_one_of_them_does_each_of_them_does() {
    for reduction in [true, false] {
        let report =
            Checker::new().udp(Udp::new().loss()).at_most(1).reduction(reduction).symmetry(true).check(clients(2));
        assert_eq!(report.like_processes(), [["client-1", "client-2"]], "{report}");
        assert_eq!(report.outputs("client-1"), ["None", "Some(120)"]);
        assert_eq!(report.outputs("client-2"), ["None", "Some(120)"]);
        let automaton = |number| {
            let text = report.automaton(&name(number)).mermaid();
            text.replace(&(49152 + 16 * number).to_string(), "port")
        };
        assert_eq!(automaton(1), automaton(2));
    }
}

#[netcheck::process]
async fn endless_server() {
    let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
    let mut buffer = [0; 8];
    loop {
        let (length, from) = socket.recv_from(&mut buffer).await.unwrap();
        socket.send_to(&buffer[..length], from).await.unwrap();
    }
}

#[netcheck::process]
async fn busy() {
    loop {
        tokio::task::yield_now().await;
    }
}

/// Nobody is put off for ever, whether executions come to rest or not.
#[test]
fn loops_are_no_obstacle() {
    let waiting = |net: &mut Network| {
        net.daemon("server", endless_server);
        (1..=2).for_each(|number| _ = net.process(name(number), client).after("server"));
    };
    assert_eq!(states(&Checker::new(), waiting), [(50, 29), (28, 19)]);
    let for_ever = |net: &mut Network| {
        waiting(net);
        net.daemon("busy", busy);
    };
    for reduction in [true, false] {
        let (classes, reason) = alike(&Checker::new().reduction(reduction), for_ever);
        assert_eq!((classes, reason.as_str()), (vec![vec![name(1), name(2)]], ""));
    }
}

#[test]
fn it_goes_together_with_subsumption() {
    async fn asks_often() {
        let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
        for request in [b"a", b"b", b"a"] {
            socket.send_to(request, "server:4000").await.unwrap();
        }
    }
    async fn listens() {
        let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
        while timeout(Duration::from_secs(1), socket.recv(&mut [0; 8])).await.is_ok() {}
    }
    let network = |net: &mut Network| {
        net.daemon("server", listens);
        (1..=2).for_each(|number| _ = net.process(name(number), asks_often).after("server"));
    };
    let lossy = Checker::new().udp(Udp::new().loss());
    assert_eq!(states(&lossy, network), [(732, 371), (359, 187)]);
    assert_eq!(states(&lossy.subsumption(true), network), [(688, 349), (343, 179)]);
}

#[test]
fn what_is_in_doubt_is_not_done() {
    async fn names_a_port() {
        let _socket = UdpSocket::bind("0.0.0.0:65000").await.unwrap();
    }
    let two = |net: &mut Network| {
        net.process("a", names_a_port);
        net.process("b", names_a_port);
    };
    nobody_is_alike(&Checker::new(), two, "an ephemeral port is used that no socket was given, or that several prefer");
    let tracked = Checker::new().tasks(Tasks::Tracked);
    nobody_is_alike(&tracked, two, "what tracked tasks share is not known by number (`tasks = tracked`)");
    let reason = "no two processes are registered with the same closure or function, in the same way";
    nobody_is_alike(&Checker::new(), |net| _ = net.process("a", names_a_port), reason);
    // A closure is like no other closure.
    let closures = |net: &mut Network| {
        net.process("a", || async {});
        net.process("b", || async {});
    };
    nobody_is_alike(&Checker::new(), closures, reason);
}

#[test]
fn of_many_like_processes_some_are_left_out() {
    async fn nothing() {}
    let network = |net: &mut Network| (1..=8).for_each(|number| _ = net.process(name(number), nothing));
    let (classes, reason) = alike(&Checker::new(), network);
    assert_eq!(classes, [(1..=7).map(name).collect::<Vec<_>>()]);
    assert_eq!(reason, "of client-8, there would be too many permutations");
}

#[netcheck::process]
async fn asker(request: u8) -> Option<u8> {
    ask(&[request]).await
}

/// How a process deals with the tasks that it has spawned in one step.
#[derive(Clone, Copy)]
enum Waits {
    ForAny,
    OneAfterTheOther,
    ForNone,
}

async fn process_with_tasks(waits: Waits, requests: [u8; 3]) -> usize {
    let mut answered = 0;
    let mut count = |answer: Option<u8>| answered += usize::from(answer.is_some());
    match waits {
        Waits::ForAny => {
            let mut tasks = tokio::task::JoinSet::new();
            requests.into_iter().for_each(|request| drop(tasks.spawn(asker(request))));
            while let Some(answer) = tasks.join_next().await {
                count(answer.unwrap());
            }
        }
        Waits::OneAfterTheOther => {
            for task in requests.map(|request| tokio::spawn(asker(request))) {
                count(task.await.unwrap());
            }
        }
        Waits::ForNone => {
            requests.into_iter().for_each(|request| drop(tokio::spawn(asker(request))));
            sleep(Duration::from_secs(5)).await;
        }
    }
    answered
}

fn with_tasks(waits: Waits, requests: [u8; 3]) -> impl Fn(&mut Network) + Copy {
    move |net| {
        net.daemon("server", || server(3));
        net.process("client", move || process_with_tasks(waits, requests)).after("server");
    }
}

#[test]
fn tasks_that_are_spawned_in_one_step_are_counted_once() {
    let lossy = Checker::new().udp(Udp::new().loss());
    let of = |waits: Waits| states(&lossy, with_tasks(waits, *b"xxx"));
    assert_eq!([Waits::ForAny, Waits::ForNone].map(of), [[(1_224, 245), (1_206, 247)], [(513, 117), (532, 122)]]);
    let (classes, reasons) = alike(&lossy, with_tasks(Waits::ForAny, *b"xxx"));
    assert_eq!(
        (classes, reasons.as_str()),
        (vec![["client/asker", "client/asker#2", "client/asker#3"].map(str::to_owned).to_vec()], "")
    );
}

#[test]
fn tasks_that_send_something_else_or_are_waited_for_in_their_order_are_told_apart() {
    let lossy = Checker::new().udp(Udp::new().loss());
    let (classes, reasons) = alike(&lossy, with_tasks(Waits::ForAny, *b"xyx"));
    assert_eq!(classes, [["client/asker", "client/asker#3"]]);
    assert!(reasons.contains(r#""client/asker#2" is not like "client/asker": after bind"#), "{reasons}");
    assert!(reasons.contains(r#"it asks for send "y" to server:4000 at here and not for send "x""#), "{reasons}");
    let (classes, reasons) = alike(&lossy, with_tasks(Waits::OneAfterTheOther, *b"xxx"));
    assert_eq!(classes, [[""; 0]; 0]);
    assert!(reasons.contains(r#""client" tells "client/asker" and "client/asker#2" apart: after "#), "{reasons}");
}

/// Any of the tasks may be the one; the counterexample is an execution that happens.
#[test]
fn a_violation_by_one_of_like_tasks_is_found_and_confirmed() {
    #[netcheck::process]
    async fn impatient() {
        assert_eq!(ask(b"x").await, Some(b'x'), "there is an answer");
    }
    let checker = Checker::new().udp(Udp::new().loss()).symmetry(true);
    for search in [Search::Bfs, Search::Dfs, Search::Faults] {
        let report = checker.clone().search(search).check(|net| {
            net.daemon("server", || server(2));
            net.process("client", || async {
                let mut tasks = tokio::task::JoinSet::new();
                (0..2).for_each(|_| drop(tasks.spawn(impatient())));
                while let Some(ended) = tasks.join_next().await {
                    ended.unwrap();
                }
            })
            .after("server");
        });
        let counterexample = report.counterexample().expect("a request gets lost");
        assert_eq!((counterexample.kind(), report.like_processes().len()), (ViolationKind::Panic, 1), "{report}");
    }
}

/// A process goes on for ever, and one of two like ones waits for ever: which one is shown may have another name than the
/// one that stands for both.
#[test]
fn one_of_like_processes_that_waits_for_ever_beside_one_that_goes_on_is_found_and_confirmed() {
    async fn goes_on() {
        let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
        loop {
            let mut buffer = [0; 1];
            if let Ok(received) = timeout(Duration::from_millis(10), socket.recv_from(&mut buffer)).await {
                let (_, from) = received.unwrap();
                let _ = socket.send_to(&buffer, from).await;
            }
        }
    }
    async fn waits() -> usize {
        let chosen = netcheck::choose(0..3).await;
        let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
        for _ in 0..3 {
            let _ = timeout(Duration::from_millis(20), socket.recv(&mut [0; 1])).await;
        }
        socket.recv(&mut [0; 1]).await.unwrap();
        chosen
    }
    for reduction in [true, false] {
        let checker = Checker::new().identity(Identity::Memory).symmetry(true).reduction(reduction);
        let report = checker.check(|net| {
            net.daemon("goes_on", goes_on);
            net.process("one", waits);
            net.process("other", waits);
        });
        let counterexample = report.counterexample().expect("nobody sends anything to them");
        assert_eq!(counterexample.kind(), ViolationKind::Deadlock, "{report}");
        assert_eq!(report.like_processes(), [["one", "other"]], "{report}");
        let text = counterexample.to_string();
        assert!(text.contains("whatever the other processes do"), "{text}");
    }
}
