//! Unix domain sockets in a check: the schedules of their tasks, and the faults that do not apply.

use netcheck as tokio;
use netcheck::check::{Checker, Report, Tcp, Udp, Verdict};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::unix::pipe;
use tokio::net::{UnixDatagram, UnixListener, UnixStream};

const PATH: &str = "/run/app.sock";

/// With the reduction and without, both checks give these outputs of the process `it`.
fn agree<F: Future<Output = impl std::fmt::Debug + 'static> + 'static>(
    checker: fn() -> Checker,
    process: fn() -> F,
    outputs: &[&str],
) -> Report {
    let [reduced, full] = [true, false].map(|reduction| {
        let report = checker().reduction(reduction).check(|net| {
            net.process("it", process);
        });
        assert_eq!(report.verdict(), Verdict::Verified, "{report}");
        assert_eq!(report.outputs("it"), outputs, "reduction: {reduction}");
        report
    });
    assert!(reduced.states() <= full.states(), "{} {}", reduced.states(), full.states());
    reduced
}

async fn echo(listener: UnixListener, clients: usize) {
    for _ in 0..clients {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut asked = String::new();
        stream.read_to_string(&mut asked).await.unwrap();
        stream.write_all(asked.as_bytes()).await.unwrap();
    }
}

async fn ask(text: &'static str) -> String {
    let mut stream = UnixStream::connect(PATH).await.unwrap();
    stream.write_all(text.as_bytes()).await.unwrap();
    stream.shutdown().await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer
}

#[test]
fn clients_of_one_listener_get_their_own_answers() {
    async fn all() -> (String, String) {
        let server = tokio::spawn(echo(UnixListener::bind(PATH).unwrap(), 2));
        let (one, two) = (tokio::spawn(ask("one")), tokio::spawn(ask("two")));
        let answers = (one.await.unwrap(), two.await.unwrap());
        server.await.unwrap();
        answers
    }
    agree(Checker::new, all, &[r#"("one", "two")"#]);
}

#[test]
fn clients_are_served_in_any_order() {
    async fn order() -> Vec<String> {
        let listener = UnixListener::bind(PATH).unwrap();
        for text in ["one", "two"] {
            tokio::spawn(async move {
                let mut stream = UnixStream::connect(PATH).await.unwrap();
                stream.write_all(text.as_bytes()).await.unwrap();
            });
        }
        let mut order = Vec::new();
        for _ in 0..2 {
            let mut text = String::new();
            listener.accept().await.unwrap().0.read_to_string(&mut text).await.unwrap();
            order.push(text);
        }
        order
    }
    agree(Checker::new, order, &[r#"["one", "two"]"#, r#"["two", "one"]"#]);
}

#[test]
fn a_client_that_begins_before_its_server_finds_no_file() {
    async fn race() -> Result<(), std::io::ErrorKind> {
        let server = tokio::spawn(async {
            let listener = UnixListener::bind(PATH).unwrap();
            drop(listener.accept().await);
        });
        tokio::task::yield_now().await;
        let connected = UnixStream::connect(PATH).await.map(drop).map_err(|error| error.kind());
        server.abort();
        connected
    }
    agree(Checker::new, race, &["Err(NotFound)", "Ok(())"]);
}

#[test]
fn a_connect_is_reset_or_refused_when_the_listener_goes() {
    async fn race() -> Result<(), (&'static str, std::io::ErrorKind)> {
        let listener = UnixListener::bind(PATH).unwrap();
        tokio::spawn(async move { drop(listener) });
        tokio::task::yield_now().await;
        let mut stream = UnixStream::connect(PATH).await.map_err(|error| ("connect", error.kind()))?;
        stream.read(&mut [0]).await.map(drop).map_err(|error| ("read", error.kind()))
    }
    let refused = r#"Err(("connect", ConnectionRefused))"#;
    agree(Checker::new, race, &[refused, r#"Err(("connect", ConnectionReset))"#, r#"Err(("read", ConnectionReset))"#]);
}

/// A branch that is polled and loses has made its connection; one that is not polled has made none.
#[test]
fn a_connect_that_loses_was_seen_or_not() {
    async fn race() -> bool {
        let listener = UnixListener::bind(PATH).unwrap();
        tokio::select! {
            _ = UnixStream::connect(PATH) => unreachable!("it is not done in one poll"),
            () = async {} => {}
        }
        tokio::time::timeout(Duration::from_secs(1), listener.accept()).await.is_ok()
    }
    agree(Checker::new, race, &["false", "true"]);
}

#[test]
fn an_end_that_is_closed_breaks_the_pipe_or_not() {
    async fn race() -> (Result<(), std::io::ErrorKind>, String) {
        let (mut one, mut two) = UnixStream::pair().unwrap();
        let closing = tokio::spawn(async move {
            two.write_all(b"bye").await.unwrap();
            let mut buffer = [0; 8];
            tokio::select! {
                length = two.read(&mut buffer) => length.unwrap(),
                () = tokio::task::yield_now() => 0,
            }
        });
        let written = one.write_all(b"hi").await.map_err(|error| error.kind());
        closing.await.unwrap();
        let mut rest = String::new();
        let read = one.read_to_string(&mut rest).await.map_err(|error| error.kind());
        (written, format!("{rest} {read:?}"))
    }
    agree(
        Checker::new,
        race,
        &[r#"(Err(BrokenPipe), "bye Ok(3)")"#, r#"(Ok(()), " Err(ConnectionReset)")"#, r#"(Ok(()), "bye Ok(3)")"#],
    );
}

#[test]
fn two_that_only_write_wait_for_each_other() {
    let report = Checker::new().tcp(Tcp::new().buffer(4)).check(|net| {
        net.process("it", || async {
            let (mut one, mut two) = UnixStream::pair().unwrap();
            let other = tokio::spawn(async move { two.write_all(b"12345").await });
            one.write_all(b"12345").await.unwrap();
            other.await.unwrap().unwrap();
        });
    });
    assert_eq!(report.verdict(), Verdict::Violated);
    assert!(report.to_string().contains("deadlock"), "{report}");
}

/// A read takes what is there, which need not be all that a client writes.
#[test]
fn a_server_that_reads_once_answers_half() {
    let report = Checker::new().check(|net| {
        net.process("app", || async {
            let listener = UnixListener::bind(PATH).unwrap();
            tokio::spawn(async move {
                let (mut stream, _) = listener.accept().await.unwrap();
                let mut buffer = [0; 16];
                let length = stream.read(&mut buffer).await.unwrap();
                stream.write_all(&buffer[..length]).await.unwrap();
                while stream.read(&mut buffer).await.is_ok_and(|length| length > 0) {}
            });
            let mut stream = UnixStream::connect(PATH).await.unwrap();
            stream.write_all(b"he").await.unwrap();
            stream.write_all(b"llo").await.unwrap();
            let mut answer = [0; 16];
            let length = stream.read(&mut answer).await.unwrap();
            assert_eq!(&answer[..length], b"hello");
        });
    });
    assert_eq!(report.verdict(), Verdict::Violated);
    let text = report.to_string();
    for step in ["listen on /run/app.sock", "connect /run/app.sock -> connected", "read (at /run/app.sock) -> \"he\""] {
        assert!(text.contains(step), "{step}: {text}");
    }
}

async fn talk() -> (usize, u128) {
    let began = tokio::time::Instant::now();
    let listener = UnixListener::bind(PATH).unwrap();
    let client = tokio::spawn(async {
        let mut stream = UnixStream::connect(PATH).await.unwrap();
        stream.write_all(b"question").await.unwrap();
        stream.read(&mut [0; 16]).await.unwrap()
    });
    let (mut stream, _) = listener.accept().await.unwrap();
    let length = stream.read(&mut [0; 16]).await.unwrap();
    stream.write_all(&vec![0; length]).await.unwrap();
    stream.shutdown().await.unwrap();
    (client.await.unwrap(), began.elapsed().as_millis())
}

#[test]
fn no_fault_of_the_network_applies() {
    fn faulty() -> Checker {
        let tcp = Tcp::new().fail_open().fail_close().fail_read().fail_write().reset().hang().split();
        Checker::new().tcp(tcp).udp(Udp::new().loss().duplication()).at_most(2)
    }
    let [quiet, faulty] = [Checker::new, faulty].map(|checker| agree(checker, talk, &["(8, 0)"]));
    assert_eq!(quiet.states(), faulty.states());
}

#[test]
fn what_is_sent_takes_no_time() {
    fn delayed() -> Checker {
        Checker::new().tcp(Tcp::new().split().delay(Duration::from_millis(1)..=Duration::from_millis(5)))
    }
    fn listed() -> Checker {
        Checker::new().tcp(Tcp::new().delays([Duration::from_millis(3), Duration::from_millis(7)]))
    }
    for checker in [delayed, listed] {
        agree(checker, talk, &["(8, 0)"]);
    }
}

#[test]
fn each_process_has_names_of_its_own() {
    for name in [PATH, "\0app"] {
        let report = Checker::new().check(|net| {
            net.process("server", move || async move {
                let listener = UnixListener::bind(name).unwrap();
                UnixStream::connect(name).await.unwrap();
                listener.accept().await.is_ok()
            });
            let client = move || async move { UnixStream::connect(name).await.unwrap_err().kind() };
            net.process("client", client).after("server");
        });
        assert_eq!(report.verdict(), Verdict::Verified, "{report}");
        assert_eq!(report.outputs("client"), [if name == PATH { "NotFound" } else { "ConnectionRefused" }]);
    }
}

#[netcheck::process]
async fn isolated_client(number: u8) -> u8 {
    let mut stream = UnixStream::connect(PATH).await.unwrap();
    stream.write_all(&[number]).await.unwrap();
    stream.read_u8().await.unwrap()
}

#[netcheck::process]
async fn isolated_answer(mut stream: UnixStream) {
    let number = stream.read_u8().await.unwrap();
    stream.write_all(&[number + 1]).await.unwrap();
}

#[test]
fn isolated_tasks_of_a_process_share_its_names() {
    async fn all() -> (u8, u8) {
        let listener = UnixListener::bind(PATH).unwrap();
        let clients = [1, 2].map(|number| tokio::spawn(isolated_client(number)));
        for _ in 0..2 {
            let (stream, _) = listener.accept().await.unwrap();
            tokio::spawn(isolated_answer(stream));
        }
        let [one, two] = clients;
        (one.await.unwrap(), two.await.unwrap())
    }
    agree(Checker::new, all, &["(2, 3)"]);
}

#[test]
fn one_of_a_pair_is_handed_over() {
    async fn pair() -> u8 {
        let (mut one, two) = UnixStream::pair().unwrap();
        tokio::spawn(isolated_answer(two));
        one.write_all(&[7]).await.unwrap();
        one.read_u8().await.unwrap()
    }
    agree(Checker::new, pair, &["8"]);
}

#[test]
fn like_processes_with_pairs_are_interchangeable() {
    let states = [true, false].map(|reduction| {
        let report = Checker::new().reduction(reduction).check(|net| {
            for name in ["a", "b", "c"] {
                net.process(name, || async {
                    let (mut one, mut two) = UnixStream::pair().unwrap();
                    let other = tokio::spawn(async move { two.write_all(b"x").await });
                    let byte = one.read_u8().await.unwrap();
                    other.await.unwrap().unwrap();
                    byte
                });
            }
        });
        assert_eq!(report.verdict(), Verdict::Verified, "{report}");
        assert!(["a", "b", "c"].iter().all(|name| report.outputs(name) == ["120"]));
        report.states()
    });
    assert!(states[0] < states[1], "{states:?}");
}

async fn receive(socket: &UnixDatagram) -> String {
    let mut buffer = [0; 16];
    let length = socket.recv(&mut buffer).await.unwrap();
    String::from_utf8(buffer[..length].to_vec()).unwrap()
}

#[test]
fn datagrams_of_two_tasks_come_in_the_order_of_the_sends() {
    async fn all() -> String {
        let server = UnixDatagram::bind(PATH).unwrap();
        for texts in [["a", "b"], ["c", "d"]] {
            tokio::spawn(async move {
                let client = UnixDatagram::unbound().unwrap();
                for text in texts {
                    client.send_to(text.as_bytes(), PATH).await.unwrap();
                }
            });
        }
        let mut all = String::new();
        for _ in 0..4 {
            all += &receive(&server).await;
        }
        all
    }
    let orders = [r#""abcd""#, r#""acbd""#, r#""acdb""#, r#""cabd""#, r#""cadb""#, r#""cdab""#];
    agree(Checker::new, all, &orders);
}

/// A sender that sends after another one has told it so cannot be overtaken by that one's datagram.
#[test]
fn the_order_of_sends_is_kept_across_sockets() {
    async fn all() -> String {
        let server = UnixDatagram::bind(PATH).unwrap();
        let (one, two) = (UnixDatagram::unbound().unwrap(), UnixDatagram::unbound().unwrap());
        one.send_to(b"first", PATH).await.unwrap();
        two.send_to(b"second", PATH).await.unwrap();
        receive(&server).await + &receive(&server).await
    }
    agree(Checker::new, all, &[r#""firstsecond""#]);
}

#[test]
fn faults_and_delays_of_udp_do_not_apply() {
    async fn talk() -> (String, u128) {
        let began = tokio::time::Instant::now();
        let (one, two) = UnixDatagram::pair().unwrap();
        let answering = tokio::spawn(async move {
            let asked = receive(&two).await;
            two.send(asked.as_bytes()).await.unwrap();
        });
        one.send(b"ask").await.unwrap();
        let answer = receive(&one).await;
        answering.await.unwrap();
        (answer, began.elapsed().as_millis())
    }
    fn faulty() -> Checker {
        Checker::new().udp(Udp::new().loss().duplication()).at_most(1)
    }
    fn delayed() -> Checker {
        Checker::new().udp(Udp::new().loss().delay(Duration::from_millis(1)..=Duration::from_millis(5)))
    }
    for checker in [Checker::new, faulty, delayed] {
        agree(checker, talk, &[r#"("ask", 0)"#]);
    }
}

#[test]
fn a_client_that_sends_before_its_server_is_bound_finds_no_file() {
    async fn race() -> Result<usize, std::io::ErrorKind> {
        tokio::spawn(async {
            let server = UnixDatagram::bind(PATH).unwrap();
            receive(&server).await
        });
        tokio::task::yield_now().await;
        let client = UnixDatagram::unbound().unwrap();
        client.send_to(b"hi", PATH).await.map_err(|error| error.kind())
    }
    agree(Checker::new, race, &["Err(NotFound)", "Ok(2)"]);
}

/// Each waits for the other to make room.
#[test]
fn two_that_fill_each_other_are_deadlocked() {
    let report = Checker::new().check(|net| {
        net.process("app", || async {
            let (a, b) = (UnixDatagram::bind("/run/a").unwrap(), UnixDatagram::bind("/run/b").unwrap());
            let other = tokio::spawn(async move {
                for _ in 0..12 {
                    b.send_to(b"x", "/run/a").await.unwrap();
                }
                b
            });
            for _ in 0..12 {
                a.send_to(b"x", "/run/b").await.unwrap();
            }
            other.await.unwrap();
        });
    });
    assert_eq!(report.verdict(), Verdict::Violated);
    let text = report.to_string();
    assert!(text.contains("deadlock") && text.contains("send \"x\" to /run/b"), "{text}");
}

#[netcheck::process]
async fn isolated_sender(text: &'static str) {
    UnixDatagram::unbound().unwrap().send_to(text.as_bytes(), PATH).await.unwrap();
}

#[test]
fn isolated_tasks_send_to_the_names_of_their_process() {
    async fn all() -> String {
        let server = UnixDatagram::bind(PATH).unwrap();
        let tasks = ["a", "b"].map(|text| tokio::spawn(isolated_sender(text)));
        let all = receive(&server).await + &receive(&server).await;
        for task in tasks {
            task.await.unwrap();
        }
        all
    }
    agree(Checker::new, all, &[r#""ab""#, r#""ba""#]);
}

#[test]
fn like_processes_with_datagrams_are_interchangeable() {
    let states = [true, false].map(|reduction| {
        let report = Checker::new().reduction(reduction).check(|net| {
            for name in ["a", "b", "c"] {
                net.process(name, || async {
                    let (one, two) = UnixDatagram::pair().unwrap();
                    tokio::spawn(async move { two.send(b"x").await.unwrap() });
                    receive(&one).await
                });
            }
        });
        assert_eq!(report.verdict(), Verdict::Verified, "{report}");
        assert!(["a", "b", "c"].iter().all(|name| report.outputs(name) == [r#""x""#]));
        report.states()
    });
    assert!(states[0] < states[1], "{states:?}");
}

#[test]
fn bytes_of_a_pipe_come_in_order_and_whole_whatever_is_declared_for_tcp() {
    async fn piped() -> String {
        let (mut sender, mut receiver) = pipe::pipe().unwrap();
        tokio::spawn(async move {
            for part in ["a", "b", "c"] {
                sender.write_all(part.as_bytes()).await.unwrap();
            }
        });
        let mut all = String::new();
        receiver.read_to_string(&mut all).await.unwrap();
        all
    }
    agree(Checker::new, piped, &[r#""abc""#]);
    agree(|| Checker::new().tcp(Tcp::new().split().reset().fail_read().fail_write()), piped, &[r#""abc""#]);
}

#[test]
fn a_writer_to_a_pipe_meets_a_reader_that_goes_at_any_time() {
    async fn race() -> usize {
        let (mut sender, receiver) = pipe::pipe().unwrap();
        tokio::spawn(async move { drop(receiver) });
        let mut written = 0;
        while written < 2 && sender.write_all(b"x").await.is_ok() {
            written += 1;
            tokio::task::yield_now().await;
        }
        written
    }
    agree(Checker::new, race, &["0", "1", "2"]);
}

/// An end of a pipe goes to a task of its own.
#[test]
fn an_isolated_task_is_handed_an_end_of_a_pipe() {
    #[netcheck::process]
    async fn writer(mut sender: pipe::Sender) {
        sender.write_all(b"handed").await.unwrap();
    }
    async fn handing() -> String {
        let (sender, mut receiver) = pipe::pipe().unwrap();
        tokio::spawn(writer(sender));
        let mut all = String::new();
        receiver.read_to_string(&mut all).await.unwrap();
        all
    }
    agree(Checker::new, handing, &[r#""handed""#]);
}

#[test]
fn a_named_pipe_ends_the_program_at_its_line() {
    let report = Checker::new().check(|net| {
        net.process("it", || async { pipe::OpenOptions::new().open_receiver("/run/fifo").map(|_| ()) });
    });
    let text = report.counterexample().expect("it panics").to_string();
    assert!(text.contains("it panicked at tests/semantics/unix.rs:"), "{text}");
    assert!(text.contains("a named pipe is not modelled"), "{text}");
}
