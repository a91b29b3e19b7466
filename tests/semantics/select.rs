//! `select!` where a branch is ready at once and others have sockets to look at: those are tried, as the OS would
//! do it, and what is not there yet is not waited for.

use netcheck as tokio;
use netcheck::check::{Checker, Report, Verdict, ViolationKind};
use std::cell::{Cell, RefCell};
use std::future::{Future, pending, poll_fn, ready};
use std::pin::pin;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream, UdpSocket};
use tokio::sync::{Mutex, Notify, mpsc};
use tokio::task::yield_now;
use tokio::time::{Duration, sleep, timeout};

/// All that a check may be told about its search: none of it changes what programs end with.
const SEARCHES: [&str; 6] =
    ["", "reduction = false", "search = dfs", "threads = 2", "symmetry = true", "udp(delay), store = fingerprint"];

async fn accepted() -> TcpStream {
    let listener = TcpListener::bind("0.0.0.0:80").await.unwrap();
    listener.accept().await.unwrap().0
}

/// The outputs of the client, where nobody waits for ever.
fn outputs_of_client(words: &str, network: impl FnOnce(&mut netcheck::Network)) -> Vec<String> {
    let report: Report = words.parse::<Checker>().unwrap().check(network);
    assert_eq!(report.verdict(), Verdict::Verified, "{words}\n{}", report.counterexample().unwrap());
    report.outputs("client").to_vec()
}

/// Gives up reading at once, since it was told to.
async fn told_to_stop(is_loop: bool) {
    let mut stream = accepted().await;
    let stop = Notify::new();
    stop.notify_one();
    let mut buffer = [0; 1];
    loop {
        tokio::select! {
            read = stream.read(&mut buffer) => if !is_loop || !matches!(read, Ok(1)) { return },
            () = stop.notified() => return,
        }
    }
}

async fn silent_client() -> usize {
    let mut stream = TcpStream::connect("server:80").await.unwrap();
    stream.read(&mut [0; 1]).await.unwrap()
}

#[test]
fn a_branch_that_is_ready_wins_over_a_read_of_what_never_comes() {
    for words in SEARCHES {
        for is_loop in [false, true] {
            let outputs = outputs_of_client(words, |net| {
                net.process("server", move || told_to_stop(is_loop));
                net.process("client", silent_client).after("server");
            });
            assert_eq!(outputs, ["0"], "{words}");
        }
    }
}

#[test]
fn a_daemon_that_is_told_to_stop_closes_its_connection() {
    for words in SEARCHES {
        let outputs = outputs_of_client(words, |net| {
            net.daemon("server", || told_to_stop(false));
            net.process("client", silent_client).after("server");
        });
        assert_eq!(outputs, ["0"], "{words}");
    }
}

#[test]
fn a_branch_that_is_ready_wins_over_datagrams_and_connections_that_never_come() {
    async fn server() -> &'static str {
        let listener = TcpListener::bind("0.0.0.0:81").await.unwrap();
        let socket = UdpSocket::bind("0.0.0.0:82").await.unwrap();
        let mut buffer = [0; 1];
        tokio::select! {
            _ = listener.accept() => "a connection",
            _ = socket.recv(&mut buffer) => "a datagram",
            () = ready(()) => "nothing",
        }
    }
    for words in SEARCHES {
        let outputs = outputs_of_client(words, |net| {
            net.process("client", server);
        });
        assert_eq!(outputs, [r#""nothing""#], "{words}");
    }
}

#[test]
fn no_time_passes_while_a_branch_is_tried() {
    async fn hurried_client() -> bool {
        let mut stream = TcpStream::connect("server:80").await.unwrap();
        timeout(Duration::from_secs(1), stream.read(&mut [0; 1])).await.is_ok()
    }
    for words in SEARCHES.into_iter().filter(|words| !words.contains("delay")) {
        let outputs = outputs_of_client(words, |net| {
            net.process("server", || told_to_stop(false));
            net.process("client", hurried_client).after("server");
        });
        assert_eq!(outputs, ["true"], "{words}");
    }
}

#[test]
fn what_comes_later_is_not_what_was_tried() {
    async fn server() -> bool {
        let mut stream = accepted().await;
        let mut buffer = [0; 1];
        tokio::select! {
            read = stream.read(&mut buffer) => read.is_err(),
            () = ready(()) => true,
        }
    }
    async fn late_client() {
        let stream = TcpStream::connect("client:80").await.unwrap();
        sleep(Duration::from_secs(1)).await;
        drop(stream);
    }
    for words in SEARCHES.into_iter().filter(|words| !words.contains("delay")) {
        let outputs = outputs_of_client(words, |net| {
            net.process("client", server);
            net.process("late", late_client).after("client");
        });
        assert_eq!(outputs, ["true"], "{words}");
    }
}

#[test]
fn what_is_tried_may_be_there_or_fail() {
    async fn server() -> Option<bool> {
        let mut stream = accepted().await;
        let mut buffer = [0; 1];
        tokio::select! {
            read = stream.read(&mut buffer) => Some(read.is_ok()),
            () = ready(()) => None,
        }
    }
    for words in SEARCHES {
        let words = [words, "tcp(read)"].map(str::to_owned).into_iter().filter(|words| !words.is_empty());
        let outputs = outputs_of_client(&words.collect::<Vec<_>>().join(", "), |net| {
            net.process("client", server);
            net.process("other", || async { drop(TcpStream::connect("client:80").await) }).after("client");
        });
        assert_eq!(outputs, ["None", "Some(false)", "Some(true)"]);
    }
}

/// A server that has been written to, or not yet; what each search says that it ends with.
fn assert_outputs<F>(expected: &[&str], server: impl Fn(TcpStream) -> F + Clone + Send + Sync + 'static)
where
    F: Future<Output = &'static str> + 'static,
{
    let expected: Vec<String> = expected.iter().map(|output| format!("{output:?}")).collect();
    for words in SEARCHES {
        let server = server.clone();
        let outputs = outputs_of_client(words, |net| {
            net.process("client", move || {
                let server = server.clone();
                async move { server(accepted().await).await }
            });
            net.process("other", || async {
                let mut stream = TcpStream::connect("client:80").await.unwrap();
                stream.write_all(b"x").await.unwrap();
                let _ = stream.read(&mut [0; 1]).await;
            })
            .after("client");
        });
        assert_eq!(outputs, expected, "{words}");
    }
}

#[test]
fn a_branch_may_wait_in_a_select_of_its_own() {
    assert_outputs(&["read", "ready"], |mut stream| async move {
        let mut buffer = [0; 1];
        let inner = async {
            tokio::select! {
                _ = stream.read(&mut buffer) => "read",
                () = pending() => unreachable!(),
            }
        };
        tokio::select! { output = inner => output, () = ready(()) => "ready" }
    });
}

#[test]
fn selects_within_selects_explore_each_ready_branch() {
    assert_outputs(&["inmost", "middle", "outmost", "read"], |mut stream| async move {
        let mut buffer = [0; 1];
        let inmost = async {
            tokio::select! { _ = stream.read(&mut buffer) => "read", () = ready(()) => "inmost" }
        };
        let middle = async {
            tokio::select! { output = inmost => output, () = ready(()) => "middle" }
        };
        tokio::select! { output = middle => output, () = ready(()) => "outmost" }
    });
}

#[test]
fn several_sockets_of_a_branch_are_tried_before_another_branch_wins() {
    assert_outputs(&["neither", "read", "written"], |stream| async move {
        let (mut reader, mut writer) = stream.into_split();
        let mut buffer = [0; 1];
        let both = async {
            tokio::select! { _ = reader.read(&mut buffer) => "read", _ = writer.write_all(b"x") => "written" }
        };
        tokio::select! { output = both => output, () = ready(()) => "neither" }
    });
}

#[test]
fn a_read_is_tried_though_a_timer_was_begun_before_it() {
    assert_outputs(&["read", "ready"], |mut stream| async move {
        let mut buffer = [0; 1];
        tokio::select! {
            biased;
            () = sleep(Duration::from_secs(1)) => "late",
            _ = stream.read(&mut buffer) => "read",
            () = ready(()) => "ready",
        }
    });
}

#[test]
fn a_branch_that_asks_for_the_time_may_win_or_lose() {
    let ask = || async {
        tokio::time::Instant::now();
    };
    assert_outputs(&["asked", "ready"], move |_| async move {
        tokio::select! { () = ask() => "asked", () = ready(()) => "ready" }
    });
    assert_outputs(&["asked", "read"], move |mut stream| async move {
        let mut buffer = [0; 1];
        tokio::select! { _ = stream.read(&mut buffer) => "read", () = ask() => "asked" }
    });
    assert_outputs(&["asked", "read"], move |mut stream| async move {
        let mut buffer = [0; 1];
        tokio::select! { biased; _ = stream.read(&mut buffer) => "read", () = ask() => "asked" }
    });
}

#[test]
fn bytes_that_a_losing_branch_did_not_try_to_read_stay() {
    assert_outputs(&["lost, then nothing", "lost, then read", "nothing", "read"], |stream| async move {
        let attempt = async { stream.try_read(&mut [0; 1]).is_ok() };
        let first = tokio::select! { is_read = attempt => Some(is_read), () = ready(()) => None };
        match first {
            Some(true) => "read",
            Some(false) => "nothing",
            None if stream.try_read(&mut [0; 1]).is_ok() => "lost, then read",
            None => "lost, then nothing",
        }
    });
}

/// A read that is done while another branch wins did not happen: nothing that the program then does counts, not
/// even a panic.
#[test]
fn what_has_come_is_read_by_a_later_select() {
    async fn server() -> Vec<String> {
        let (sender, mut receiver) = mpsc::channel(1);
        let mut lines = BufReader::new(accepted().await).lines();
        let task = tokio::spawn(async move { sender.send(()).await.unwrap() });
        let mut read = Vec::new();
        let mut is_open = true;
        loop {
            tokio::select! {
                line = lines.next_line() => match line.unwrap() {
                    Some(line) => read.push(line),
                    None => break,
                },
                message = receiver.recv(), if is_open => is_open = message.is_some(),
            }
        }
        task.await.unwrap();
        assert_eq!(read, ["ab"], "bytes are lost");
        read
    }
    for words in SEARCHES {
        let outputs = outputs_of_client(words, |net| {
            net.process("client", server);
            net.process("writer", || async {
                TcpStream::connect("client:80").await.unwrap().write_all(b"ab\n").await.unwrap();
            })
            .after("client");
        });
        assert_eq!(outputs, [r#"["ab"]"#], "{words}");
    }
}

#[test]
fn a_panic_before_the_outcome_is_taken_is_found_if_nothing_else_had_woken_the_task() {
    let report = Checker::new().check(|net| {
        net.process("server", || async {
            let mut stream = accepted().await;
            let mut buffer = [0; 1];
            let mut read = pin!(stream.read(&mut buffer));
            let mut polls = 0;
            poll_fn(|cx| {
                polls += 1;
                assert!(polls < 2, "polled again");
                read.as_mut().poll(cx)
            })
            .await
            .unwrap()
        });
        net.process("client", || async {
            let mut stream = TcpStream::connect("server:80").await.unwrap();
            stream.write_all(b"x").await.unwrap();
        })
        .after("server");
    });
    assert_eq!(report.counterexample().unwrap().kind(), ViolationKind::Panic);
}

/// The outputs of one process.
fn outputs_of<F: Future<Output = bool> + 'static>(
    process: impl Fn() -> F + Clone + Send + Sync + 'static,
) -> Vec<String> {
    let outputs = |words| outputs_of_client(words, |net| _ = net.process("client", process.clone()));
    let all = SEARCHES.map(outputs);
    assert!(all.iter().all(|outputs| *outputs == all[0]), "{all:?}");
    all[0].clone()
}

#[test]
fn what_a_losing_branch_did_before_it_waits_is_seen_or_not() {
    let outputs = outputs_of(|| async {
        let is_set = Cell::new(false);
        let sets = async {
            is_set.set(true);
            pending::<()>().await
        };
        tokio::select! { () = sets => {}, () = ready(()) => {} }
        is_set.get()
    });
    assert_eq!(outputs, ["false", "true"]);
}

#[test]
fn a_branch_whose_value_does_not_match_may_have_been_polled_or_not() {
    let outputs = outputs_of(|| async {
        let is_set = Cell::new(false);
        let sets = async { is_set.set(true) };
        tokio::select! { () = ready(()) => {}, true = async { sets.await; false } => {} }
        is_set.get()
    });
    assert_eq!(outputs, ["false", "true"]);
}

#[test]
fn branches_that_all_wait_are_polled_in_each_order() {
    let outputs = outputs_of(|| async {
        let lock = Mutex::new(());
        let holds = async {
            let _guard = lock.lock().await;
            sleep(Duration::from_secs(1)).await;
            false
        };
        tokio::select! { is_second = holds => is_second, _ = lock.lock() => true }
    });
    assert_eq!(outputs, ["false", "true"]);
}

#[test]
fn a_biased_select_has_one_order() {
    let outputs = outputs_of(|| async {
        let is_set = Cell::new(false);
        let sets = async {
            is_set.set(true);
            pending::<()>().await
        };
        tokio::select! { biased; () = sets => {}, () = ready(()) => {} }
        is_set.get()
    });
    assert_eq!(outputs, ["true"]);
}

#[test]
fn a_branch_may_be_woken_by_one_before_it_that_has_chosen_and_does_not_match() {
    let outputs = outputs_of(|| async {
        let notify = Notify::new();
        let wakes = async {
            tokio::select! { () = yield_now() => {}, () = yield_now() => {} }
            notify.notify_one();
            false
        };
        tokio::select! { true = wakes => false, () = notify.notified() => true }
    });
    assert_eq!(outputs, ["true"]);
}

/// The order that begins with the branch that waits polls it before it is woken: the next round may begin with the other.
#[test]
fn a_branch_that_another_one_wakes_is_polled_after_it_or_before_it() {
    async fn client() -> Vec<&'static str> {
        let (notify, mut seen) = (Notify::new(), Vec::new());
        for is_first in [true, false] {
            let notifies = async {
                sleep(Duration::from_millis(5)).await;
                notify.notify_waiters();
                yield_now().await;
            };
            let won = match is_first {
                true => tokio::select! { () = notifies => "notifies", () = notify.notified() => "waits" },
                false => tokio::select! { () = notify.notified() => "waits", () = notifies => "notifies" },
            };
            seen.push(won);
        }
        seen
    }
    let both = [
        r#"["notifies", "notifies"]"#,
        r#"["notifies", "waits"]"#,
        r#"["waits", "notifies"]"#,
        r#"["waits", "waits"]"#,
    ];
    for words in SEARCHES.iter().chain(&["tasks = fifo"]) {
        let outputs = outputs_of_client(words, |net| _ = net.process("client", client));
        assert_eq!(outputs, both, "{words}");
    }
}

/// tokio's orders are rotations: no order polls the first branch, then the last one, and leaves the second one.
#[test]
fn a_round_ends_early_only_where_an_order_begins() {
    async fn client() -> String {
        let (notify, seen) = (Notify::new(), RefCell::new(String::new()));
        let step = |name: char, wakes: bool| {
            let (notify, seen) = (&notify, &seen);
            async move {
                yield_now().await;
                seen.borrow_mut().push(name);
                if wakes {
                    notify.notify_waiters();
                }
                pending::<()>().await
            }
        };
        tokio::select! {
            () = step('a', true) => {}
            () = async { notify.notified().await; seen.borrow_mut().push('b') } => {}
            () = step('c', false) => {}
        }
        seen.take()
    }
    for words in SEARCHES.iter().chain(&["tasks = fifo"]) {
        let outputs = outputs_of_client(words, |net| _ = net.process("client", client));
        assert_eq!(outputs, [r#""ab""#, r#""cab""#], "{words}");
    }
}
