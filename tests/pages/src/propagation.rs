//! Error propagation: which fault of the network is seen at the outputs of which processes.

mod page;
mod same_as_checks;

use super::browser;
use netcheck as tokio;
use netcheck::Network;
use netcheck::check::{Checker, Crash, Deadlocks, Did, Direction, Ending, Fault, Mode, Propagation, Row, Tcp, Udp};
use std::collections::BTreeSet;
use std::io;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UdpSocket};
use tokio::time::timeout;

const PATIENCE: Duration = Duration::from_secs(1);

// The systems. Their lines are in the snapshots.

/// Three processes in a row: the second adds up what it gets in time, the third ends with the sum.
fn pipeline(net: &mut Network) {
    net.daemon("sink", || async {
        let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
        let mut buffer = [0; 8];
        let length = socket.recv(&mut buffer).await.unwrap();
        String::from_utf8(buffer[..length].to_vec()).unwrap()
    });
    net.process("adder", || async {
        let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
        let (mut sum, mut buffer) = (0, [0; 1]);
        while timeout(PATIENCE, socket.recv(&mut buffer)).await.is_ok() {
            sum += buffer[0];
        }
        socket.send_to(sum.to_string().as_bytes(), "sink:4000").await.unwrap();
    })
    .after("sink");
    net.process("source", || async {
        let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
        socket.send_to(&[3], "adder:4000").await.unwrap();
        socket.send_to(&[4], "adder:4000").await.unwrap();
    })
    .after("adder");
}

/// Answers with what it gets, for ever.
#[netcheck::process]
async fn echo() {
    let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
    loop {
        let mut buffer = [0; 1];
        let (_, from) = socket.recv_from(&mut buffer).await.unwrap();
        socket.send_to(&buffer, from).await.unwrap();
    }
}

/// A client that asks until it is answered, so many times.
fn asking(net: &mut Network, times: usize) {
    net.daemon("server", echo);
    let client = move || async move {
        let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
        for _ in 0..times {
            socket.send_to(b"?", "server:4000").await.unwrap();
            if timeout(PATIENCE, socket.recv(&mut [0; 1])).await.is_ok() {
                return Ok(());
            }
        }
        Err("no answer")
    };
    net.process("client", client).after("server");
}

/// A client that waits for its answer for as long as it takes.
fn patient(net: &mut Network) {
    net.daemon("server", echo);
    let client = || async {
        let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
        socket.send_to(b"?", "server:4000").await.unwrap();
        socket.recv(&mut [0; 1]).await.unwrap();
    };
    net.process("client", client).after("server");
}

/// Over TCP, the server repeats one byte; what fails is an error, or a panic of the server.
fn connection(net: &mut Network, panics: bool) {
    async fn serve() -> io::Result<()> {
        let listener = TcpListener::bind("0.0.0.0:80").await?;
        let (mut stream, _) = listener.accept().await?;
        let mut byte = [0];
        stream.read_exact(&mut byte).await?;
        stream.write_all(&byte).await
    }
    async fn ask() -> io::Result<u8> {
        let mut stream = TcpStream::connect("server:80").await?;
        stream.write_all(&[7]).await?;
        stream.read_u8().await
    }
    net.process("server", move || async move {
        let served = serve().await.map_err(|error| error.kind());
        if panics {
            served.unwrap();
        }
        served
    });
    net.process("client", || async { ask().await.map_err(|error| error.kind()) }).after("server");
}

/// Whose packet is first is nobody's fault.
fn race(net: &mut Network) {
    net.process("judge", || async {
        let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
        let (mut buffer, mut order) = ([0; 1], String::new());
        while timeout(PATIENCE, socket.recv(&mut buffer)).await.is_ok() {
            order.push(char::from(buffer[0]));
        }
        order
    });
    for (name, payload) in [("left", b"l"), ("right", b"r")] {
        let runner = move || async move {
            let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
            socket.send_to(payload, "judge:4000").await.unwrap();
        };
        net.process(name, runner).after("judge");
    }
}

/// The receiver ends with all that arrives in time, in order.
fn letters(net: &mut Network, letters: &'static str) {
    net.process("receiver", || async {
        let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
        let (mut buffer, mut text) = ([0; 1], String::new());
        while timeout(PATIENCE, socket.recv(&mut buffer)).await.is_ok() {
            text.push(char::from(buffer[0]));
        }
        text
    });
    let sender = move || async move {
        let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
        for letter in letters.bytes() {
            socket.send_to(&[letter], "receiver:4000").await.unwrap();
        }
    };
    net.process("sender", sender).after("receiver");
}

// Questions about a table.

/// The one row of such faults.
#[track_caller]
fn row<'a>(table: &'a Propagation, process: &str, operation: &str, did: &Did) -> &'a Row {
    let fits = |row: &&Row| {
        let Fault { process: of, operation: which, did: happened, .. } = &row.fault;
        (of.as_str(), which.as_str(), happened) == (process, operation, did)
    };
    let rows: Vec<&Row> = table.rows().iter().filter(fits).collect();
    assert_eq!(rows.len(), 1, "{process} {operation} {did}: {table}");
    rows[0]
}

fn modes(row: &Row, process: &str) -> Vec<Mode> {
    row.modes(process).collect()
}

fn failed(error: &str) -> Did {
    Did::Failed { error: error.to_owned() }
}

// Datagrams.

#[test]
fn a_wrong_value_goes_on_from_process_to_process() {
    let table = Checker::new().udp(Udp::new().loss().duplication().reorder(2)).propagation(pipeline);
    assert!(table.is_complete());
    for did in [Did::Lost, Did::Duplicated] {
        for row in table.rows().iter().filter(|row| row.fault.process == "source" && row.fault.did == did) {
            assert_eq!(modes(row, "sink"), [Mode::Wrong], "{table}");
            assert_eq!(modes(row, "adder"), [Mode::Correct], "{table}");
        }
    }
    assert!(row(&table, "source", "send", &Did::Overtaken).masked, "who adds does not mind the order: {table}");
    let lost = row(&table, "adder", "send", &Did::Lost);
    assert_eq!(modes(lost, "sink"), [Mode::Omission], "a daemon may wait, but this one has always ended: {table}");
    insta::assert_snapshot!(table);
}

#[test]
fn a_loss_is_masked_by_asking_again() {
    let table = Checker::new().udp(Udp::new().loss()).propagation(|net| asking(net, 2));
    assert_eq!((table.masked().count(), table.rows().len()), (2, 2), "{table}");
    let table = Checker::new().udp(Udp::new().loss()).propagation(|net| asking(net, 1));
    for row in table.rows() {
        assert_eq!(modes(row, "client"), [Mode::Error], "{table}");
        assert_eq!(row.outputs("client"), ["Err(\"no answer\")"], "{table}");
    }
}

#[test]
fn with_two_faults_in_one_execution_the_first_is_blamed() {
    let table = Checker::new().udp(Udp::new().loss()).at_most(2).propagation(|net| asking(net, 2));
    assert_eq!(table.faults(), "udp(loss), at_most = 2");
    assert_eq!(table.rows().len(), 2, "{table}");
    for row in table.rows() {
        assert_eq!(modes(row, "client"), [Mode::Correct, Mode::Error], "{table}");
        assert!(!row.masked && row.correct_ends < row.ends, "{table}");
    }
}

#[test]
fn a_loss_that_nobody_minds_in_time_is_a_deadlock() {
    let table = Checker::new().udp(Udp::new().loss()).propagation(patient);
    for process in ["client", "server"] {
        let row = row(&table, process, "send", &Did::Lost);
        assert_eq!(modes(row, "client"), [Mode::Deadlock], "{table}");
        assert_eq!(modes(row, "server"), [Mode::Correct], "a daemon may wait: {table}");
        let text = row.failures().next().unwrap().endings[0].text();
        assert!(
            text.starts_with("waits for recv on port ") && text.contains("tests/pages/src/propagation.rs:"),
            "{text}"
        );
    }
    insta::assert_snapshot!(table);
}

#[test]
fn what_was_overtaken_is_told_from_what_never_comes() {
    let table = Checker::new().udp(Udp::new().loss().reorder(2)).propagation(|net| letters(net, "abc"));
    assert_eq!(table.rows().len(), 2, "a loop is one line: {table}");
    let outputs = |did: &Did| row(&table, "sender", "send", did).outputs("receiver");
    assert_eq!(outputs(&Did::Lost), ["\"ab\"", "\"ac\"", "\"bc\""], "{table}");
    assert_eq!(outputs(&Did::Overtaken), ["\"acb\"", "\"bac\"", "\"bca\""], "{table}");
}

/// By hand: what is left of four letters if one of them is lost, comes twice, or comes late.
#[test]
fn one_fault_of_four_letters_is_one_edit_of_a_word() {
    let (word, letters_max) = ("abcd", 4);
    let edited = |at: usize, to: Option<usize>, keeps: bool| {
        let mut letters: Vec<char> = word.chars().collect();
        let letter = if keeps { letters[at] } else { letters.remove(at) };
        to.into_iter().for_each(|to| letters.insert(to, letter));
        format!("{:?}", letters.into_iter().collect::<String>())
    };
    let later = |keeps: bool| {
        (0..letters_max).flat_map(move |at| (at + 1..letters_max + usize::from(keeps)).map(move |to| (at, to)))
    };
    let lost = (0..letters_max).map(|at| edited(at, None, false)).collect::<BTreeSet<String>>();
    let late = later(false).map(|(at, to)| edited(at, Some(to), false)).collect();
    let twice = later(true).map(|(at, to)| edited(at, Some(to), true)).collect();
    let table = Checker::new().udp(Udp::new().loss().duplication().reorder(2)).propagation(|net| letters(net, word));
    for (did, words) in [(Did::Lost, lost), (Did::Overtaken, late), (Did::Duplicated, twice)] {
        assert_eq!(row(&table, "sender", "send", &did).outputs("receiver"), Vec::from_iter(words), "{did}: {table}");
    }
}

#[test]
fn datagrams_with_one_content_are_told_apart_by_who_sent_them() {
    let table = Checker::new().udp(Udp::new().loss()).propagation(|net| {
        net.process("receiver", || async {
            let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
            let mut buffer = [0; 1];
            while timeout(PATIENCE, socket.recv(&mut buffer)).await.is_ok() && buffer[0] != b'!' {}
            buffer[0]
        });
        let sender = || async {
            let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
            socket.send_to(b"a", "receiver:4000").await.unwrap();
            socket.send_to(b"a", "receiver:4000").await.unwrap();
            socket.send_to(b"!", "receiver:4000").await.unwrap();
        };
        net.process("sender", sender).after("receiver");
    });
    let masked: Vec<bool> = table.rows().iter().map(|row| row.masked).collect();
    assert_eq!(masked, [true, true, false], "in the order of the lines: {table}");
}

#[test]
fn a_loss_is_traced_however_datagrams_are_perturbed_and_received() {
    fn peeking(net: &mut Network) {
        net.process("receiver", || async {
            let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
            let (mut buffer, mut text) = ([0; 1], String::new());
            loop {
                if timeout(PATIENCE, socket.readable()).await.is_err() {
                    return text;
                }
                socket.peek_from(&mut buffer).await.unwrap();
                text.push(char::from(buffer[0]));
                socket.recv(&mut buffer).await.unwrap();
            }
        });
        let sender = || async {
            let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
            for letter in [b"a", b"a", b"b"] {
                socket.send_to(letter, "receiver:4000").await.unwrap();
            }
        };
        net.process("sender", sender).after("receiver");
    }
    for direction in [Direction::Send, Direction::Receive, Direction::Both] {
        let checker = Checker::new().udp(Udp::new().loss().direction(direction));
        for table in [checker.propagation(peeking), checker.propagation(|net| letters(net, "aab"))] {
            let lost = row(&table, "sender", "send", &Did::Lost);
            assert_eq!((table.rows().len(), lost.outputs("receiver")), (1, vec!["\"aa\"", "\"ab\""]), "{table}");
        }
    }
    let twice = Checker::new().udp(Udp::new().loss().duplication().reorder(2).direction(Direction::Both)).at_most(2);
    let table = twice.propagation(|net| letters(net, "aab"));
    let kinds: BTreeSet<&Did> = table.rows().iter().map(|row| &row.fault.did).collect();
    assert_eq!(kinds, BTreeSet::from([&Did::Lost, &Did::Duplicated, &Did::Overtaken]), "{table}");
}

#[test]
fn of_several_datagrams_that_one_step_shows_to_be_lost_the_first_is_blamed() {
    let table = Checker::new().udp(Udp::new().loss()).at_most(2).propagation(|net| {
        letters(net, "");
        let three = || async {
            let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
            socket.send_to(b"a", "receiver:4000").await.unwrap();
            socket.send_to(b"b", "receiver:4000").await.unwrap();
            socket.send_to(b"c", "receiver:4000").await.unwrap();
        };
        net.process("three", three).after("receiver");
    });
    let outputs: Vec<Vec<&str>> = table.rows().iter().map(|row| row.outputs("receiver")).collect();
    let expected = [vec!["\"b\"", "\"bc\"", "\"c\""], vec!["\"a\"", "\"ac\""], vec!["\"ab\""]];
    assert_eq!(outputs, expected, "in the order of the lines: {table}");
}

#[test]
fn datagrams_of_one_line_with_one_content_are_told_apart() {
    let table = Checker::new().udp(Udp::new().loss().reorder(2)).propagation(|net| letters(net, "aba"));
    let outputs = |did: &Did| row(&table, "sender", "send", did).outputs("receiver");
    assert_eq!(outputs(&Did::Lost), ["\"aa\"", "\"ab\"", "\"ba\""], "{table}");
    assert_eq!(outputs(&Did::Overtaken), ["\"aab\"", "\"baa\""], "{table}");
}

#[test]
fn what_was_under_way_to_a_socket_that_is_closed_is_forgotten() {
    let table = Checker::new().udp(Udp::new().loss()).propagation(|net| {
        net.process("receiver", || async {
            let deaf = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
            tokio::time::sleep(PATIENCE).await;
            drop(deaf);
            let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
            timeout(3 * PATIENCE, socket.recv(&mut [0; 1])).await.is_ok()
        });
        let sender = || async {
            let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
            socket.send_to(b"a", "receiver:4000").await.unwrap();
            tokio::time::sleep(2 * PATIENCE).await;
            socket.send_to(b"b", "receiver:4000").await.unwrap();
            line!() - 1
        };
        net.process("sender", sender).after("receiver");
    });
    let [row] = table.rows() else { panic!("only the second send can be seen to fail: {table}") };
    let [line] = row.outputs("sender")[..] else { panic!("it ends in one way: {table}") };
    assert_eq!(row.fault.location, format!("tests/pages/src/propagation.rs:{line}"), "{table}");
}

#[test]
fn outputs_that_depend_on_the_schedule_are_not_wrong() {
    let table = Checker::new().udp(Udp::new().reorder(2)).propagation(race);
    let judge = table.reference().iter().find(|process| process.name == "judge").unwrap();
    assert_eq!(judge.endings, ["\"lr\"", "\"rl\""].map(|text| Ending::Output(text.to_owned())));
    assert_eq!(table.rows(), [], "nothing on a channel is overtaken: {table}");
    let table = Checker::new().udp(Udp::new().loss()).propagation(race);
    let outputs = |runner| row(&table, runner, "send", &Did::Lost).outputs("judge");
    assert_eq!((outputs("left"), outputs("right")), (vec!["\"r\""], vec!["\"l\""]), "{table}");
}

#[test]
fn what_nobody_receives_is_no_fault() {
    let table = Checker::new().udp(Udp::new().loss().duplication()).propagation(|net| {
        net.process("deaf", || async {
            let _socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
            tokio::time::sleep(PATIENCE).await;
        });
        let sender = || async {
            let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
            socket.send_to(b"a", "deaf:4000").await.unwrap();
        };
        net.process("sender", sender).after("deaf");
    });
    assert_eq!(table.rows(), [], "{table}");
}

#[test]
fn a_fault_after_which_nothing_ends_is_not_called_masked() {
    let table = Checker::new().udp(Udp::new().loss()).propagation(|net| {
        net.daemon("server", echo);
        net.process("client", asking_for_ever).after("server");
    });
    assert!(table.is_complete() && table.rows().len() == 2, "{table}");
    assert!(table.rows().iter().all(|row| row.ends == 0 && !row.masked), "{table}");
    assert!(table.to_string().ends_with("2 faults: 0 masked, 0 seen, 2 without an end\n"), "{table}");
}

#[netcheck::process]
async fn asking_for_ever() {
    let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
    loop {
        socket.send_to(b"?", "server:4000").await.unwrap();
        let _ = timeout(PATIENCE, socket.recv(&mut [0; 1])).await;
    }
}

// Connections.

#[test]
fn a_call_that_fails_is_an_error_of_both_ends() {
    let table = Checker::new().tcp(Tcp::new().fail_read()).propagation(|net| connection(net, false));
    let row = row(&table, "server", "read", &failed("connection reset"));
    assert_eq!(row.fault.peer.as_deref(), Some("client"));
    assert_eq!(row.outputs("server"), ["Err(ConnectionReset)"], "{table}");
    assert_eq!(modes(row, "client"), [Mode::Error], "{table}");
    insta::assert_snapshot!(table);
}

#[test]
fn who_panics_is_gone_and_the_others_go_on() {
    let checker = Checker::new().tcp(Tcp::new().fail_read());
    let table = checker.propagation(|net| connection(net, true));
    let crashed = row(&table, "server", "read", &failed("connection reset"));
    assert_eq!(modes(crashed, "server"), [Mode::Crash], "{table}");
    let [panic] = &crashed.failures().find(|effect| effect.process == "server").unwrap().endings[..] else {
        panic!("one panic: {table}")
    };
    assert!(
        panic.text().contains("ConnectionReset") && panic.text().contains("tests/pages/src/propagation.rs:"),
        "{table}"
    );
    assert_eq!(modes(crashed, "client"), [Mode::Error], "it meets the reset: {table}");
    let own = row(&table, "client", "read", &failed("connection reset"));
    assert_eq!(modes(own, "server"), [Mode::Correct, Mode::Crash], "it may have answered by then: {table}");
}

#[test]
fn the_crash_of_a_task_of_its_own_is_that_of_its_process() {
    #[netcheck::process]
    async fn worker(mut stream: TcpStream) {
        stream.read_u8().await.unwrap();
        stream.write_u8(1).await.unwrap();
    }
    let table = Checker::new().tcp(Tcp::new().fail_read().process("server")).propagation(|net| {
        net.process("server", || async {
            let listener = TcpListener::bind("0.0.0.0:80").await.unwrap();
            let (stream, _) = listener.accept().await.unwrap();
            tokio::spawn(worker(stream)).await.unwrap();
        });
        let client = || async {
            let mut stream = TcpStream::connect("server:80").await.map_err(|error| error.kind())?;
            stream.write_u8(1).await.map_err(|error| error.kind())?;
            stream.read_u8().await.map_err(|error| error.kind())
        };
        net.process("client", client).after("server");
    });
    let row = row(&table, "server", "read", &failed("connection reset"));
    assert_eq!((modes(row, "server"), modes(row, "client")), (vec![Mode::Crash], vec![Mode::Error]), "{table}");
}

#[test]
fn a_failure_of_a_call_is_told_from_a_reset() {
    let table =
        Checker::new().tcp(Tcp::new().fail_read().fail_write().reset()).propagation(|net| connection(net, false));
    for process in ["client", "server"] {
        row(&table, process, "write", &failed("broken pipe"));
        row(&table, process, "write", &Did::Reset);
        row(&table, process, "read", &failed("connection reset"));
    }
    let only = Checker::new().tcp(Tcp::new().reset()).propagation(|net| connection(net, false));
    assert_eq!(only.rows().len(), 4, "{only}");
    assert!(only.rows().iter().all(|row| row.fault.did == Did::Reset), "{only}");
}

#[test]
fn a_connect_that_is_never_answered_is_a_deadlock_or_not_by_who_waits_in_accept() {
    let checker = Checker::new().tcp(Tcp::new().hang().fail_open());
    let table = checker.clone().deadlocks(Deadlocks::Paper).propagation(|net| connection(net, false));
    let hung = row(&table, "client", "connect", &Did::Hung);
    assert_eq!((modes(hung, "client"), modes(hung, "server")), (vec![Mode::Omission], vec![Mode::Omission]), "{table}");
    let aborted = row(&table, "server", "accept", &failed("connection aborted"));
    assert_eq!(modes(aborted, "server"), [Mode::Error], "{table}");
    assert_eq!(row(&table, "client", "connect", &failed("timed out")).outputs("client"), ["Err(TimedOut)"], "{table}");
    let table = checker.propagation(|net| connection(net, false));
    let hung = row(&table, "client", "connect", &Did::Hung);
    assert_eq!((modes(hung, "client"), modes(hung, "server")), (vec![Mode::Deadlock], vec![Mode::Omission]), "{table}");
}

#[test]
fn calls_of_an_adaptor_are_named_by_the_programs_own_line() {
    use tokio::io::{AsyncBufReadExt, BufReader};
    let table = Checker::new().tcp(Tcp::new().fail_read().process("client")).propagation(|net| {
        net.process("server", || async {
            let listener = TcpListener::bind("0.0.0.0:80").await.unwrap();
            let (mut stream, _) = listener.accept().await.unwrap();
            let _ = stream.write_all(b"line\n").await;
        });
        let client = || async {
            let stream = TcpStream::connect("server:80").await.unwrap();
            BufReader::new(stream).lines().next_line().await.map_err(|error| error.kind())
        };
        net.process("client", client).after("server");
    });
    let row = row(&table, "client", "read", &failed("connection reset"));
    assert!(row.fault.location.contains("src/propagation.rs:"), "{table}");
}

#[test]
fn a_captured_loop_closes_although_calls_are_traced() {
    #[netcheck::process]
    async fn serve() {
        let listener = TcpListener::bind("0.0.0.0:80").await.unwrap();
        loop {
            if let Ok((mut stream, _)) = listener.accept().await {
                let _ = stream.write_u8(1).await;
            }
        }
    }
    #[netcheck::process]
    async fn ask() -> u8 {
        loop {
            if let Ok(mut stream) = TcpStream::connect("server:80").await
                && let Ok(answer) = stream.read_u8().await
            {
                return answer;
            }
        }
    }
    let system = |net: &mut Network| {
        net.daemon("server", serve);
        net.process("client", ask).after("server");
    };
    let failing = Tcp::new().fail_read().fail_open();
    let table = Checker::new().tcp(failing.clone()).propagation(system);
    assert!(table.is_complete() && table.rows().len() == 3, "{table}");
    assert_eq!(table.masked().count(), 3, "{table}");
    let first = Checker::new().tcp(failing.first(1)).at_most(3).max_states(10_000);
    assert!(first.propagation(system).is_complete());
    assert_eq!(first.check(system).verdict(), netcheck::check::Verdict::Verified);
}

// Without faults.

#[test]
fn what_is_wrong_without_faults_is_said_and_not_blamed_on_faults() {
    let table = Checker::new().udp(Udp::new().loss()).propagation(|net| {
        net.daemon("server", echo);
        let client = || async {
            let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
            socket.send_to(b"?", "server:4000").await.unwrap();
            let answer = timeout(PATIENCE, socket.recv(&mut [0; 1])).await;
            assert!(netcheck::choose([true, false]).await, "a coin");
            answer.is_ok()
        };
        net.process("client", client).after("server");
        net.process("stuck", || async {
            std::future::pending::<()>().await;
        });
    });
    for row in table.rows() {
        assert_eq!(modes(row, "client"), [Mode::Correct, Mode::Wrong], "the coin falls anyhow: {table}");
        assert_eq!(modes(row, "stuck"), [Mode::Correct], "{table}");
    }
    let text = table.to_string();
    assert!(
        text.contains("PANICS already: at tests/pages/src/propagation.rs:") && text.contains("DEADLOCKS already: "),
        "{text}"
    );
}

#[test]
fn without_declared_faults_there_are_no_rows() {
    let table = Checker::new().propagation(pipeline);
    assert_eq!((table.rows(), table.faults()), (&[][..], "at_most = 1"));
    assert!(table.to_string().contains("0 faults: 0 masked, 0 seen"), "{table}");
}

#[test]
fn delay_is_there_without_faults_too() {
    let table = Checker::new().udp(Udp::new().loss().delay(..).window(1)).propagation(|net| asking(net, 1));
    let client = table.reference().iter().find(|process| process.name == "client").unwrap();
    assert_eq!(client.endings.len(), 2, "it may give up too early: {table}");
    assert_eq!(table.seen().count(), 0, "so that it does is nobody's fault: {table}");
    assert_eq!(table.masked().count(), 1, "an answer that comes too late can't be told from one that is lost: {table}");
}

// Crashes.

#[test]
fn a_crash_befalls_what_the_process_waits_for() {
    let crashes = |crash: Crash| Checker::new().crash(crash.process("server")).propagation(|net| asking(net, 2));
    let killed = crashes(Crash::kill());
    assert_eq!(killed.faults(), "crash(kill, process = \"server\"), at_most = 1");
    let modes_of = |operation| {
        let row = row(&killed, "server", operation, &Did::Killed);
        assert!(row.fault.location.starts_with("tests/pages/src/propagation.rs:"), "{killed}");
        modes(row, "client")
    };
    // Nobody has asked yet; then a request or an answer is lost, and the server is back, or not, when it is asked again.
    assert_eq!(modes_of("bind"), [Mode::Correct]);
    assert_eq!([modes_of("recv"), modes_of("send")], [[Mode::Correct, Mode::Error], [Mode::Correct, Mode::Error]]);
    let gone = crashes(Crash::power().stays_down());
    let received = row(&gone, "server", "recv", &Did::Silenced);
    assert_eq!(received.fault.to_string().rsplit_once(": ").unwrap().1, "host without power");
    let text = gone.to_string();
    assert!(text.contains("host without power"), "{text}");
    let streams = Checker::new().crash(Crash::kill().stays_down()).propagation(|net| connection(net, false));
    assert!(streams.rows().iter().all(|row| row.fault.did == Did::Killed), "{streams}");
    let accepting = row(&streams, "server", "accept", &Did::Killed);
    assert_eq!(modes(accepting, "server"), [Mode::Correct, Mode::Omission], "it may start again: {streams}");
}

// Limits and mistakes.

#[test]
fn a_table_says_that_it_is_incomplete() {
    let lossy = Checker::new().udp(Udp::new().loss());
    let whole = lossy.propagation(|net| asking(net, 2));
    let few = whole.states() / 2;
    let table = lossy.clone().max_states(few).propagation(|net| asking(net, 2));
    let limit = table.limit().expect("a limit was reached");
    assert!(limit.starts_with(&format!("max_states = {few} was reached")), "{limit}");
    assert_eq!(table.masked().count(), 0, "nothing is sure: {table}");
    assert!(table.to_string().contains("INCOMPLETE: max_states"), "{table}");
    for checker in [lossy.clone().max_states(3), lossy.max_depth(2)] {
        let table = checker.propagation(|net| asking(net, 2));
        assert!(table.limit().unwrap().ends_with("; it was reached without any fault"), "{table}");
        assert_eq!(table.rows(), []);
    }
}

#[test]
fn a_program_that_cannot_be_checked_is_an_error() {
    let checker = Checker::new().udp(Udp::new().loss().process("nobody"));
    let error = checker.try_propagation(pipeline).unwrap_err();
    assert!(error.to_string().contains("names \"nobody\", but there is no such process"), "{error}");
}

// JSON.

#[test]
fn the_json_form_is_pinned_and_read_again() {
    let table = Checker::new().udp(Udp::new().loss()).propagation(patient);
    assert_eq!(Propagation::from_json(&table.to_json()), Ok(table.clone()));
    insta::assert_snapshot!(table.to_json());
}

#[test]
fn other_versions_and_other_texts_are_refused() {
    let error = Propagation::from_json(r#"{ "version": 7 }"#).unwrap_err();
    assert_eq!(error, "it has version 7, and this netcheck reads version 1: compute the table again");
    for text in ["", "[]", "{}", r#"{ "version": 1 }"#] {
        let error = Propagation::from_json(text).unwrap_err();
        assert!(error.starts_with("not a table of error propagation: "), "{error}");
    }
}
