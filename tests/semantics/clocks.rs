//! Local states that differ only in when they are: a program that compares, adds and subtracts its instants comes to an
//! end, one that takes them for numbers does as before.

use std::collections::{BTreeMap, VecDeque};
use std::fmt::Debug;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use netcheck::check::{Checker, Dates, Identity, Report, Udp, Verdict};
use netcheck::net::UdpSocket;
use netcheck::time::{Instant, MissedTickBehavior, interval, sleep, sleep_until, timeout, timeout_at};

const SECOND: Duration = Duration::from_secs(1);

fn check<F: Future<Output: Debug> + 'static>(program: impl Fn() -> F + Clone + Send + Sync + 'static) -> Report {
    check_by(Checker::new(), program)
}

fn check_by<F: Future<Output: Debug> + 'static>(
    checker: Checker,
    program: impl Fn() -> F + Clone + Send + Sync + 'static,
) -> Report {
    checker.liveness(false).max_states(2_000).check(|net| {
        net.process("program", program.clone());
    })
}

/// Its number of states is the same without reduction.
#[track_caller]
fn ends<F: Future<Output = ()> + 'static>(program: impl Fn() -> F + Clone + Send + Sync + 'static) -> u64 {
    let report = check(program.clone());
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
    let plain = check_by(Checker::new().reduction(false), program);
    assert_eq!((plain.verdict(), plain.states()), (report.verdict(), report.states()));
    report.states() as u64
}

/// The output of a program, which has one.
#[track_caller]
fn output<F: Future<Output: Debug> + 'static>(program: impl Fn() -> F + Clone + Send + Sync + 'static) -> String {
    let report = check(program);
    assert_eq!((report.verdict(), report.outputs("program").len()), (Verdict::Verified, 1), "{report}");
    report.outputs("program")[0].clone()
}

#[track_caller]
fn ages<F: Future<Output = ()> + 'static>(program: impl Fn() -> F + Clone + Send + Sync + 'static) {
    assert_eq!(check(program).verdict(), Verdict::Inconclusive);
}

/// Renews an instant when it is so many seconds old, and looks each second.
async fn renews(seconds: u32) {
    let mut last = Instant::now();
    loop {
        sleep(SECOND).await;
        assert!(last.elapsed() <= SECOND * seconds);
        if last.elapsed() == SECOND * seconds {
            last = Instant::now();
        }
    }
}

#[test]
fn an_instant_that_is_renewed_is_as_old_again() {
    let of_three = ends(|| renews(3));
    let of_ten = ends(|| renews(10));
    assert!(of_ten > of_three && of_ten < 100, "{of_three} and {of_ten}");
}

#[test]
fn so_it_is_of_the_standard_library() {
    ends(|| async {
        let mut last = std::time::Instant::now();
        loop {
            sleep(SECOND).await;
            if last.elapsed() >= 3 * SECOND {
                last = std::time::Instant::now();
            }
            assert!(last.elapsed() < 3 * SECOND);
        }
    });
}

#[test]
fn deadlines_that_are_to_come_are_instants_too() {
    ends(|| async {
        let mut deadline = Instant::now() + 2 * SECOND;
        loop {
            sleep_until(deadline).await;
            assert!(Instant::now() == deadline);
            deadline += 2 * SECOND;
        }
    });
}

#[test]
fn leases_in_a_map_and_times_in_a_queue_expire() {
    ends(|| async {
        let (mut leases, mut seen) = (BTreeMap::new(), VecDeque::new());
        let mut next = 0_u8;
        loop {
            sleep(SECOND).await;
            let now = Instant::now();
            leases.retain(|_, until| *until > now);
            leases.insert(next, now + 3 * SECOND);
            next = (next + 1) % 5;
            seen.push_back(Some(std::time::Instant::now()));
            if seen.len() > 3 {
                assert!(seen.pop_front().flatten().is_some_and(|first| first.elapsed() == 3 * SECOND));
            }
            assert!(leases.len() <= 3 && leases.values().all(|until| *until > now));
        }
    });
}

#[test]
fn a_bucket_that_fills_again_with_time_is_full_at_last() {
    ends(|| async {
        let (mut tokens, mut filled) = (3_u32, Instant::now());
        loop {
            sleep(SECOND / 2).await;
            let new = (filled.elapsed().as_millis() / 1_000) as u32;
            if new > 0 {
                tokens = 3.min(tokens + new);
                filled += SECOND * new;
            }
            if netcheck::choose([false, true]).await && tokens > 0 {
                tokens -= 1;
            }
        }
    });
}

#[test]
fn ticks_tell_when_they_were() {
    ends(|| async {
        let mut ticks = interval(SECOND);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut before = ticks.tick().await;
        loop {
            let at = ticks.tick().await;
            assert!(at - before == SECOND);
            before = at;
        }
    });
}

#[test]
fn a_tick_is_told_by_what_the_clock_says_then() {
    let once = |waits: Duration| {
        output(move || async move {
            let mut ticks = interval(waits);
            ticks.tick().await;
            let at = ticks.tick().await;
            let now = Instant::now();
            sleep(SECOND).await;
            (at.saturating_duration_since(now), now.saturating_duration_since(at), at.elapsed())
        })
    };
    assert_eq!(once(SECOND), "(0ns, 0ns, 1s)", "the program holds no instant while it waits");
    assert_eq!(once(30 * 24 * 3_600 * SECOND), "(0ns, 0ns, 1s)");
    let again = |waits: Duration| {
        output(move || async move {
            let began = Instant::now();
            let mut ticks = interval(waits);
            ticks.tick().await;
            let at = ticks.tick().await;
            (at - began == waits, at == Instant::now(), began.elapsed() >= SECOND)
        })
    };
    assert_eq!(again(SECOND), "(true, true, true)", "it holds one");
    assert_eq!(again(30 * 24 * 3_600 * SECOND), "(true, true, true)", "it was long ago");
    let late = output(|| async {
        let mut ticks = interval(2 * SECOND);
        ticks.tick().await;
        sleep(3 * SECOND).await;
        let at = ticks.tick().await;
        at.elapsed()
    });
    assert_eq!(late, "1s", "a late tick is told when it was due");
}

/// A waker of the program's own.
struct Forwards(Waker);

impl Wake for Forwards {
    fn wake(self: Arc<Self>) {
        self.0.wake_by_ref();
    }
}

#[test]
fn how_late_a_tick_is_counts_when_it_is_taken() {
    let late = |waits_ms: u64| {
        output(move || async move {
            let mut ticks = interval(Duration::from_millis(10));
            ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
            ticks.tick().await;
            let began = Instant::now();
            {
                // It fires on time, and wakes a task that waits for something else.
                let mut tick = pin!(ticks.tick());
                poll_fn(|cx| {
                    let waker = Waker::from(Arc::new(Forwards(cx.waker().clone())));
                    assert!(tick.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
                    Poll::Ready(())
                })
                .await;
                sleep(Duration::from_millis(waits_ms)).await;
                tick.await;
            }
            ticks.tick().await;
            began.elapsed()
        })
    };
    assert_eq!((late(15), late(24)), ("20ms".to_owned(), "34ms".to_owned()));
}

#[test]
fn a_tick_that_nobody_has_taken_yet_is_remembered() {
    ends(|| async {
        let mut ticks = interval(SECOND);
        let mut before = ticks.tick().await;
        loop {
            let (at, ()) = tokio_join(ticks.tick(), sleep(SECOND)).await;
            assert!(at - before == SECOND && at == Instant::now());
            before = at;
        }
    });
}

async fn tokio_join<A, B>(one: impl Future<Output = A>, other: impl Future<Output = B>) -> (A, B) {
    netcheck::join!(one, other)
}

/// A daemon waits for ever and keeps an instant; its age is part of a state only as far as some program asks for ages. The other
/// daemon makes a deadline of an old instant, which is over when it is made, and waits for it.
#[test]
fn a_deadline_that_is_over_when_it_is_made_ages_nobody_else() {
    let report = Checker::new().reduction(false).max_states(200).check(|net| {
        net.daemon("waits", || async {
            let (socket, began) = (UdpSocket::bind("0.0.0.0:4000").await.unwrap(), Instant::now());
            let received = socket.recv(&mut [0; 8]).await;
            drop((began, received));
        });
        net.daemon("works", || async {
            let mut last = Instant::now();
            loop {
                sleep(Duration::from_millis(20)).await;
                sleep_until(last + Duration::from_millis(10)).await;
                last = Instant::now();
            }
        });
    });
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
}

#[test]
fn an_instant_that_is_kept_for_ever_ages() {
    ages(|| async {
        let started = Instant::now();
        loop {
            sleep(SECOND).await;
            assert!(started.elapsed() < SECOND * 1_000_000);
        }
    });
}

#[test]
#[allow(clippy::disallowed_methods, reason = "the date of a check is the subject")]
fn a_number_of_an_instant_is_a_number() {
    // Its text tells when it was read.
    ages(|| async {
        let mut longest = 0;
        let mut last = Instant::now();
        loop {
            sleep(SECOND).await;
            last = last.max(Instant::now());
            longest = longest.max(format!("{last:?}").len());
        }
    });
    // So does the date.
    ages(|| async {
        let mut last = std::time::SystemTime::now();
        loop {
            sleep(SECOND).await;
            last = last.max(std::time::SystemTime::now());
        }
    });
}

/// A token that expires three seconds after it was made, by the date, and is renewed.
#[allow(clippy::disallowed_methods, reason = "the date of a check is the subject")]
async fn renews_a_token() {
    let mut until = SystemTime::now() + 3 * SECOND;
    loop {
        sleep(SECOND).await;
        let left = until.duration_since(SystemTime::now()).expect("it has not expired");
        if left == Duration::ZERO {
            until = SystemTime::now() + 3 * SECOND;
        }
    }
}

fn relative() -> Checker {
    Checker::new().dates(Dates::Relative)
}

#[test]
#[allow(clippy::disallowed_methods, reason = "the date of a check is the subject")]
fn dates_are_told_by_how_far_they_lie_apart_if_it_is_said() {
    let report = check_by(relative(), renews_a_token);
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
    let plain = check_by(relative().reduction(false), renews_a_token);
    assert_eq!((plain.verdict(), plain.states()), (report.verdict(), report.states()));
    assert!(report.states() < 20, "{report}");
    assert_eq!(check(renews_a_token).verdict(), Verdict::Inconclusive);
    // A year is not too far.
    let of_a_year = check_by(relative(), || async {
        let mut until = SystemTime::now();
        loop {
            sleep(SECOND).await;
            assert!(until <= SystemTime::now() + 365 * 86_400 * SECOND);
            until = SystemTime::now() + 365 * 86_400 * SECOND;
        }
    });
    assert_eq!(of_a_year.verdict(), Verdict::Verified, "{of_a_year}");
}

/// A value that a program has computed from the number of a date depends on it: then each date is another state.
#[test]
#[allow(clippy::disallowed_methods, reason = "the date of a check is the subject")]
fn what_is_made_of_a_date_is_seen() {
    let seconds = || SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_secs();
    let ages = |report: Report| assert_eq!(report.verdict(), Verdict::Inconclusive, "{report}");
    // A text in memory.
    ages(check_by(relative(), move || async move {
        let mut text = String::new();
        loop {
            assert!(text.len() < 20);
            text = format!("{}", seconds());
            sleep(SECOND).await;
        }
    }));
    // A number that is sent.
    ages(check_by(relative(), move || async move {
        let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
        loop {
            socket.send_to(&seconds().to_be_bytes(), "127.0.0.1:4000").await.unwrap();
            let mut buffer = [0; 8];
            socket.recv_from(&mut buffer).await.unwrap();
            buffer.fill(0);
            sleep(SECOND).await;
        }
    }));
    // A number of weeks.
    ages(check_by(relative(), move || async move {
        let mut week = 0;
        loop {
            assert!(week < 10_000);
            week = (seconds() / (7 * 86_400)) as u32;
            sleep(SECOND).await;
        }
    }));
    // It decides what is done.
    ages(check_by(relative(), move || async move {
        loop {
            sleep(if seconds() % 2 == 0 { SECOND } else { 3 * SECOND }).await;
        }
    }));
}

#[test]
fn by_history_time_goes_on() {
    let report = check_by(Checker::new().identity(Identity::History), || renews(3));
    assert_eq!(report.verdict(), Verdict::Inconclusive);
}

/// A server that forgets clients from which it has heard nothing for three seconds.
async fn presence() {
    let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
    let mut seen = BTreeMap::new();
    let mut look = Instant::now() + SECOND;
    loop {
        let mut buffer = [0; 8];
        if let Ok(received) = timeout_at(look, socket.recv_from(&mut buffer)).await {
            let (_, from) = received.unwrap();
            seen.insert(from, Instant::now());
        }
        if Instant::now() >= look {
            look += SECOND;
            let now = Instant::now();
            seen.retain(|_, last| now - *last <= 3 * SECOND);
        }
    }
}

async fn client(period: Duration) {
    let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
    loop {
        socket.send_to(b"here", "server:4000").await.unwrap();
        let _ = timeout(period, std::future::pending::<()>()).await;
    }
}

#[test]
fn servers_that_keep_when_they_have_heard_of_others_come_to_an_end() {
    let report = Checker::new().udp(Udp::new().loss()).check(|net| {
        net.daemon("server", presence);
        net.daemon("one", || client(2 * SECOND));
        net.daemon("two", || client(3 * SECOND));
    });
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
    assert!(report.states() < 20_000, "{}", report.states());
}
