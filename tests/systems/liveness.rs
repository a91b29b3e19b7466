//! Loops that never get anywhere, as they are met in practice, each with its mended form.

use netcheck as tokio;
use netcheck::Network;
use netcheck::check::{Checker, Counterexample, Crash, Partition, Report, Verdict, ViolationKind};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UdpSocket};
use tokio::time::{sleep, timeout};

/// The text of the counterexample, and the steps of its loop.
fn loop_of(report: &Report) -> (String, usize) {
    let found = report.counterexample().unwrap_or_else(|| panic!("{report}"));
    assert_eq!(found.kind(), ViolationKind::Liveness, "{report}");
    let from = found.loop_from().expect("it is repeated");
    (Counterexample::without_lines(found), found.steps().len() - from)
}

// ---------------------------------------------------------------------------------------------
// A session that the server has forgotten

/// Gives sessions away and takes requests of those that it knows. It keeps them in memory.
async fn sessions() {
    let listener = TcpListener::bind("0.0.0.0:4000").await.unwrap();
    let mut is_known = false;
    loop {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut request = [0];
        if stream.read_exact(&mut request).await.is_err() {
            continue;
        }
        let answer = match request[0] {
            b'L' => {
                is_known = true;
                b"S"
            }
            _ if is_known => b"+",
            _ => b"-",
        };
        let _ = stream.write_all(answer).await;
    }
}

/// One request on a connection of its own; 0 stands for a failure.
async fn ask(request: &[u8]) -> u8 {
    let mut answer = [0];
    let Ok(mut stream) = TcpStream::connect("server:4000").await else { return 0 };
    if stream.write_all(request).await.is_ok() {
        let _ = stream.read_exact(&mut answer).await;
    }
    answer[0]
}

/// Logs in and makes one request, again and again until it has worked.
async fn works(logs_in_anew: bool) {
    while ask(b"L").await != b'S' {
        sleep(Duration::from_secs(1)).await;
    }
    loop {
        match ask(b"W").await {
            b'+' => return,
            b'-' if logs_in_anew => _ = ask(b"L").await,
            _ => sleep(Duration::from_secs(1)).await,
        }
    }
}

#[test]
fn a_client_reconnects_for_ever_with_a_session_that_was_forgotten() {
    let check = |logs_in_anew: bool| {
        Checker::new().crash(Crash::kill().process("server")).liveness(true).check(|net| {
            net.daemon("server", sessions);
            net.process("client", move || works(logs_in_anew)).after("server");
        })
    };
    let report = check(false);
    let (text, _) = loop_of(&report);
    insta::assert_snapshot!(text);
    let report = check(true);
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
}

// ---------------------------------------------------------------------------------------------
// A half-open connection

/// Accepts one connection and answers each byte.
async fn echoes() {
    let listener = TcpListener::bind("0.0.0.0:4000").await.unwrap();
    loop {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut byte = [0];
        while stream.read_exact(&mut byte).await.is_ok() && stream.write_all(&byte).await.is_ok() {}
    }
}

/// Sends so many heartbeats, and waits for the answer to the request; without patience for at most a minute.
async fn waits_for_an_answer(is_patient: bool) {
    let Ok(stream) = TcpStream::connect("server:4000").await else { return };
    let (mut reader, mut writer) = stream.into_split();
    let heartbeats = async {
        for _ in 0..2 {
            if writer.write_all(b"h").await.is_err() {
                return;
            }
            sleep(Duration::from_secs(10)).await;
        }
        std::future::pending::<()>().await;
    };
    let answers = async {
        let mut answers = [0; 2];
        let _ = reader.read_exact(&mut answers).await;
    };
    let both = async {
        tokio::select! {
            () = heartbeats => {}
            () = answers => {}
        }
    };
    match is_patient {
        true => both.await,
        false => _ = timeout(Duration::from_secs(60), both).await,
    }
}

#[test]
fn heartbeats_that_end_do_not_find_a_half_open_connection() {
    let check = |is_patient: bool| {
        Checker::new().crash(Crash::power().process("server")).liveness(true).check(|net| {
            net.daemon("server", echoes);
            net.process("client", move || waits_for_an_answer(is_patient)).after("server");
        })
    };
    // Nothing goes on for ever: the client waits in silence.
    let report = check(true);
    assert_eq!(report.counterexample().map(Counterexample::kind), Some(ViolationKind::Deadlock), "{report}");
    let report = check(false);
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
}

// ---------------------------------------------------------------------------------------------
// An old leader

/// Leads in the term 1, as far as it knows.
async fn old_leader() {
    let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
    loop {
        socket.send_to(&[1], "follower:4000").await.unwrap();
        sleep(Duration::from_secs(1)).await;
    }
}

/// Has heard of the term 2. Where no heartbeat comes for three seconds, it stands for election, and tells the client.
async fn follower(compares_terms: bool) {
    let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
    let heartbeat = async || {
        loop {
            let mut term = [0];
            socket.recv(&mut term).await.unwrap();
            if term[0] >= 2 || !compares_terms {
                return;
            }
        }
    };
    while timeout(Duration::from_secs(3), heartbeat()).await.is_ok() {}
    socket.send_to(&[2], "client:4000").await.unwrap();
}

/// Waits for a leader.
async fn client() {
    let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
    socket.recv(&mut [0]).await.unwrap();
}

fn quorum(net: &mut Network, compares_terms: bool) {
    net.daemon("leader", old_leader).after("follower");
    net.process("follower", move || follower(compares_terms)).after("client");
    net.daemon("client", client);
}

#[test]
fn heartbeats_of_an_old_leader_hold_up_an_election() {
    let check = |compares_terms: bool| Checker::new().liveness(true).check(|net| quorum(net, compares_terms));
    let (text, steps) = loop_of(&check(false));
    assert_eq!(steps, 3, "a heartbeat is sent, comes, and the next one is due: {text}");
    insta::assert_snapshot!(text);
    let report = check(true);
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
}

// ---------------------------------------------------------------------------------------------
// A leader that is heard and hears nobody

/// Sends heartbeats, and tells the client when one was answered. One that looks for its quorum gives up after two that were
/// not.
async fn deaf_leader(looks_for_quorum: bool) {
    let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
    let mut unanswered = 0;
    while unanswered < 2 {
        let _ = socket.send_to(b"h", "follower:4000").await;
        let is_answered = timeout(Duration::from_secs(1), socket.recv(&mut [0])).await.is_ok();
        if is_answered {
            let _ = socket.send_to(b"!", "client:4000").await;
            sleep(Duration::from_secs(1)).await;
        }
        unanswered = if looks_for_quorum && !is_answered { unanswered + 1 } else { 0 };
    }
}

/// Answers heartbeats. Where none comes for three seconds, it leads by itself.
async fn loyal_follower() {
    let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
    while let Ok(heard) = timeout(Duration::from_secs(3), socket.recv_from(&mut [0])).await {
        let (_, from) = heard.unwrap();
        let _ = socket.send_to(b"a", from).await;
    }
    let _ = socket.send_to(b"!", "client:4000").await;
}

#[test]
fn a_leader_that_hears_nobody_holds_up_all_who_hear_it() {
    let check = |looks_for_quorum: bool| {
        let deafness = Partition::between(["follower", "leader"]).one_way().for_ever();
        Checker::new().partition(deafness).liveness(true).check(|net| {
            net.process("client", client);
            net.daemon("follower", loyal_follower).after("client");
            net.daemon("leader", move || deaf_leader(looks_for_quorum)).after("follower");
        })
    };
    // Leader and follower go on for ever, and nothing of that reaches the client any more.
    let report = check(false);
    let found = report.counterexample().unwrap_or_else(|| panic!("{report}"));
    assert_eq!(found.kind(), ViolationKind::Deadlock, "{report}");
    insta::assert_snapshot!(found.without_lines());
    let report = check(true);
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
}

// ---------------------------------------------------------------------------------------------
// Members of a gossip that have lost each other

/// Tells another member every two seconds what it knows, as long as that one answers; ends when it has the news.
async fn member(other: &'static str, has_news: bool, asks_the_lost: bool) {
    let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
    let mut is_alive = true;
    loop {
        if is_alive || asks_the_lost {
            let _ = socket.send_to(&[u8::from(has_news)], other).await;
        }
        let mut heard = [0];
        is_alive = timeout(Duration::from_secs(1), socket.recv(&mut heard)).await.is_ok();
        if heard == [1] {
            return;
        }
        sleep(Duration::from_secs(1)).await;
    }
}

#[test]
fn members_that_were_cut_off_from_each_other_never_meet_again() {
    let check = |asks_the_lost: bool| {
        let cut = Partition::between(["one", "other"]);
        Checker::new().partition(cut).liveness(true).check(|net| {
            net.daemon("one", move || member("other:4000", true, asks_the_lost));
            net.process("other", move || member("one:4000", false, asks_the_lost));
        })
    };
    let (text, steps) = loop_of(&check(false));
    assert!(steps >= 4, "the timers of both go on: {text}");
    insta::assert_snapshot!(text);
    let report = check(true);
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
}
