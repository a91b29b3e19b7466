//! Instants in dense time: a program that keeps some and renews them comes to an end, whatever the delays are.

use std::future::Future;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use netcheck::check::{Checker, Report, Verdict};
use netcheck::net::UdpSocket;
use netcheck::time::{Instant, interval, sleep, timeout, timeout_at};

const SECOND: Duration = Duration::from_secs(1);

/// A program that is sent a datagram each second.
fn check_by<F: Future<Output = ()> + 'static>(
    words: &str,
    program: impl Fn(UdpSocket) -> F + Clone + Send + Sync + 'static,
) -> Report {
    words.parse::<Checker>().expect("known words").max_states(3_000).check(|net| {
        let program = program.clone();
        net.daemon("program", move || {
            let program = program.clone();
            async move { program(UdpSocket::bind("0.0.0.0:4000").await.expect("a free port")).await }
        });
        net.daemon("heart", || async {
            let socket = UdpSocket::bind("0.0.0.0:0").await.expect("a free port");
            loop {
                socket.send_to(b"beat", "program:4000").await.expect("sent");
                sleep(SECOND).await;
            }
        })
        .after("program");
    })
}

#[track_caller]
fn ends<F: Future<Output = ()> + 'static>(
    words: &str,
    program: impl Fn(UdpSocket) -> F + Clone + Send + Sync + 'static,
) {
    let report = check_by(words, program.clone());
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
    let plain = check_by(&format!("{words}, reduction = false"), program);
    assert_eq!(plain.verdict(), Verdict::Verified, "{plain}");
}

const INTERVAL: &str = "udp(delay = 1ms..=200ms)";
const LISTED: &str = "udp(delay = [5ms, 150ms])";

/// Waits for datagrams until a deadline, and then anew.
async fn until_deadlines(socket: UdpSocket) {
    loop {
        let deadline = Instant::now() + 3 * SECOND;
        while timeout_at(deadline, socket.recv(&mut [0; 4])).await.is_ok() {}
        assert!(Instant::now() >= deadline);
    }
}

#[test]
fn deadlines_that_are_set_anew_come_to_an_end() {
    ends(INTERVAL, until_deadlines);
    ends(LISTED, until_deadlines);
    let by_history = check_by("udp(delay = 1ms..=200ms), identity = history", until_deadlines);
    assert_eq!(by_history.verdict(), Verdict::Inconclusive);
}

/// Remembers when the last datagram came.
async fn suspects(socket: UdpSocket) {
    let mut last = Instant::now();
    loop {
        match timeout(SECOND / 2, socket.recv(&mut [0; 4])).await {
            Ok(_) => last = Instant::now(),
            Err(_) => assert!(Instant::now() < last + 2 * SECOND, "it beats each second"),
        }
    }
}

#[test]
fn a_last_time_that_is_renewed_comes_to_an_end() {
    ends(INTERVAL, suspects);
    ends(LISTED, suspects);
    let late = check_by("udp(delay = 1ms..=1200ms)", suspects);
    assert_eq!(late.verdict(), Verdict::Violated, "{late}");
}

/// Two instants of which each is renewed by turns.
async fn by_turns(socket: UdpSocket) {
    let mut last = [Instant::now(); 2];
    for turn in (0..2).cycle() {
        socket.recv(&mut [0; 4]).await.expect("a datagram");
        assert!(last[turn] <= last[1 - turn], "the other one was renewed later");
        last[turn] = Instant::now();
    }
}

#[test]
fn marks_change_their_numbers() {
    ends(INTERVAL, by_turns);
    ends(LISTED, by_turns);
}

/// Asks how long ago the last datagram came: a number where delays are listed.
async fn measures(socket: UdpSocket) {
    let mut last = Instant::now();
    loop {
        socket.recv(&mut [0; 4]).await.expect("a datagram");
        assert!(last.elapsed() <= SECOND + SECOND / 5);
        last = Instant::now();
    }
}

#[test]
fn times_that_are_numbers_come_to_an_end() {
    ends(LISTED, measures);
}

#[test]
#[should_panic(expected = "the time there is no number")]
fn times_that_are_no_numbers_are_errors() {
    check_by(INTERVAL, measures);
}

/// As [`measures`], by the clock of the standard library.
async fn measures_by_std(socket: UdpSocket) {
    let mut last = std::time::Instant::now();
    loop {
        socket.recv(&mut [0; 4]).await.expect("a datagram");
        assert!(last.elapsed() <= SECOND + SECOND / 5);
        last = std::time::Instant::now();
    }
}

#[test]
fn so_they_do_by_the_clock_of_the_standard_library() {
    ends(LISTED, measures_by_std);
}

/// Ticks tell when they were.
async fn ticks(socket: UdpSocket) {
    let mut interval = interval(SECOND);
    let mut last = interval.tick().await;
    loop {
        socket.recv(&mut [0; 4]).await.expect("a datagram");
        let tick = interval.tick().await;
        assert!(tick >= last);
        last = tick;
    }
}

#[test]
fn ticks_come_to_an_end() {
    ends(INTERVAL, ticks);
    ends(LISTED, ticks);
}

/// Keeps for ever when it began, and compares that with what it has read later.
async fn keeps_its_start(socket: UdpSocket) {
    let started = Instant::now();
    let mut last = started;
    loop {
        socket.recv(&mut [0; 4]).await.expect("a datagram");
        let now = Instant::now();
        assert!(now >= last && last >= started);
        if now < started + 2 * SECOND {
            sleep(Duration::from_millis(1)).await;
        }
        last = now;
    }
}

#[test]
fn an_instant_that_is_never_renewed_has_no_age_at_last() {
    ends(INTERVAL, keeps_its_start);
    ends(LISTED, keeps_its_start);
}

/// Asks for ever how long ago it began.
async fn measures_its_age(socket: UdpSocket) {
    let started = Instant::now();
    loop {
        socket.recv(&mut [0; 4]).await.expect("a datagram");
        assert!(started.elapsed() < 1_000 * SECOND);
    }
}

#[test]
fn one_whose_age_is_asked_for_ages() {
    let report = check_by(LISTED, measures_its_age);
    assert_eq!(report.verdict(), Verdict::Inconclusive, "{report}");
    let within = check_by("udp(delay = [5ms, 150ms]), duration = 5s", measures_its_age);
    assert_eq!(within.verdict(), Verdict::Verified, "{within}");
}

/// A token that expires at a date, and is renewed then.
#[allow(clippy::disallowed_methods, reason = "the date of a check is the subject")]
async fn renews_a_token(socket: UdpSocket) {
    let mut expires = SystemTime::now() + 3 * SECOND;
    loop {
        let left = expires.duration_since(SystemTime::now()).expect("it has not expired");
        if timeout(left, socket.recv(&mut [0; 4])).await.is_err() {
            expires = SystemTime::now() + 3 * SECOND;
        }
    }
}

#[test]
fn dates_that_only_differ_from_each_other_come_to_an_end_if_it_is_said() {
    ends("udp(delay = [5ms, 150ms]), dates = relative", renews_a_token);
    let absolute = check_by(LISTED, renews_a_token);
    assert_eq!(absolute.verdict(), Verdict::Inconclusive, "{absolute}");
}

/// Two dates and an instant of the standard library, all of which are renewed each second.
#[allow(clippy::disallowed_methods, reason = "the date of a check is the subject")]
async fn renews_all(socket: UdpSocket) {
    drop(socket);
    let mut all = (SystemTime::now(), std::time::Instant::now(), SystemTime::now() + SECOND);
    loop {
        sleep(SECOND).await;
        assert_eq!((all.2, all.0.elapsed().ok()), (SystemTime::now(), Some(SECOND)));
        assert_eq!(all.1.elapsed(), SECOND);
        all = (SystemTime::now(), std::time::Instant::now(), SystemTime::now() + SECOND);
    }
}

#[test]
fn dates_that_lie_numbers_apart_may_be_held_beside_any_delays() {
    ends("udp(delay = 1ms..=200ms), dates = relative", renews_all);
}

/// Keeps what it has made of the number of a date.
#[allow(clippy::disallowed_methods, reason = "the date of a check is the subject")]
async fn keeps_a_text(socket: UdpSocket) {
    drop(socket);
    let mut text = String::new();
    loop {
        assert!(text.len() < 20);
        text = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_secs().to_string();
        sleep(SECOND).await;
    }
}

#[test]
fn what_is_made_of_the_number_of_a_date_is_seen() {
    let report = check_by("udp(delay = 1ms..=200ms), dates = relative", keeps_a_text);
    assert_eq!(report.verdict(), Verdict::Inconclusive, "{report}");
}
