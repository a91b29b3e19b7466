//! Virtual time: deadlines in order, and only when nothing else can happen.

use netcheck as tokio;
use netcheck::check::{Checker, Udp, Verdict};
use std::future::Future;
use tokio::net::UdpSocket;
use tokio::time::{Duration, Instant, MissedTickBehavior, interval, sleep, sleep_until, timeout, timeout_at};

fn outputs<F, Fut>(program: F) -> Vec<String>
where
    F: Fn() -> Fut + Clone + Send + Sync + 'static,
    Fut: Future + 'static,
    Fut::Output: std::fmt::Debug + 'static,
{
    let report = Checker::new().check(move |net| {
        net.process("it", program);
    });
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
    report.outputs("it").to_vec()
}

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

#[test]
fn timers_fire_in_the_order_of_their_deadlines() {
    let orders = outputs(|| async {
        let order = std::rc::Rc::new(std::cell::RefCell::new(Vec::new()));
        let tasks: Vec<_> = [3, 1, 2]
            .into_iter()
            .map(|number| {
                let order = order.clone();
                tokio::spawn(async move {
                    sleep(seconds(number)).await;
                    order.borrow_mut().push(number);
                })
            })
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
        order.take()
    });
    assert_eq!(orders, ["[1, 2, 3]"]);
}

#[test]
fn timers_with_the_same_deadline_fire_in_any_order() {
    let orders = outputs(|| async {
        let order = std::rc::Rc::new(std::cell::RefCell::new(Vec::new()));
        let tasks: Vec<_> = [1, 2]
            .into_iter()
            .map(|number| {
                let order = order.clone();
                tokio::spawn(async move {
                    sleep(seconds(1)).await;
                    order.borrow_mut().push(number);
                })
            })
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
        order.take()
    });
    assert_eq!(orders, ["[1, 2]", "[2, 1]"]);
}

#[test]
fn the_clock_shows_virtual_time() {
    let times = outputs(|| async {
        let start = Instant::now();
        sleep(seconds(5)).await;
        let slept = start.elapsed();
        sleep_until(start + seconds(7)).await;
        let late = timeout_at(start + seconds(8), std::future::pending::<()>()).await.is_err();
        (slept, Instant::now() - start, late, Instant::now() > start)
    });
    assert_eq!(times, ["(5s, 8s, true, true)"]);
}

#[test]
fn a_tick_says_when_it_was_due_only_if_somebody_asks() {
    let times = outputs(|| async {
        let start = Instant::now();
        let mut ticks = interval(seconds(2));
        let first = ticks.tick().await;
        let second = ticks.tick().await;
        (first - start, second - first)
    });
    assert_eq!(times, ["(0ns, 2s)"]);
}

#[test]
fn missed_ticks_burst_delay_or_are_skipped() {
    for (behavior, expected) in [
        (MissedTickBehavior::Burst, "[5s, 5s, 6s]"),
        (MissedTickBehavior::Delay, "[5s, 7s, 9s]"),
        (MissedTickBehavior::Skip, "[5s, 6s, 8s]"),
    ] {
        let times = outputs(move || async move {
            let start = Instant::now();
            let mut ticks = interval(seconds(2));
            ticks.set_missed_tick_behavior(behavior);
            ticks.tick().await;
            sleep(seconds(5)).await;
            let mut times = Vec::new();
            for _ in 0..3 {
                ticks.tick().await;
                times.push(start.elapsed());
            }
            times
        });
        assert_eq!(times, [expected], "{behavior:?}");
    }
}

#[test]
fn a_time_out_looks_at_the_future_first() {
    let ends = outputs(|| async { timeout(Duration::ZERO, std::future::ready(1)).await.is_ok() });
    assert_eq!(ends, ["true"]);
}

#[test]
fn a_reset_sleep_fires_at_its_new_deadline() {
    let times = outputs(|| async {
        let start = Instant::now();
        let mut nap = std::pin::pin!(sleep(seconds(1)));
        nap.as_mut().reset(start + seconds(3));
        let due = nap.deadline() - start;
        nap.as_mut().await;
        (due, start.elapsed(), nap.is_elapsed())
    });
    assert_eq!(times, ["(3s, 3s, true)"]);
}

async fn pong() {
    let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
    let mut buffer = [0; 8];
    loop {
        let (length, from) = socket.recv_from(&mut buffer).await.unwrap();
        socket.send_to(&buffer[..length], from).await.unwrap();
    }
}

async fn ping() -> bool {
    let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
    socket.send_to(b"ping", "pong:4000").await.unwrap();
    let mut buffer = [0; 8];
    timeout(seconds(1), socket.recv(&mut buffer)).await.is_ok()
}

fn ping_outputs(udp: Udp) -> Vec<String> {
    let mut all = Vec::new();
    for reduction in [true, false] {
        let report = Checker::new().udp(udp.clone()).reduction(reduction).check(|net| {
            net.daemon("pong", pong);
            net.process("ping", ping).after("pong");
        });
        assert_eq!(report.verdict(), Verdict::Verified, "{report}");
        all.push(report.outputs("ping").to_vec());
    }
    assert_eq!(all[0], all[1], "reduced and unreduced");
    all.swap_remove(0)
}

#[test]
fn without_delay_nothing_times_out_while_an_answer_is_under_way() {
    assert_eq!(ping_outputs(Udp::new()), ["true"]);
}

#[test]
fn with_loss_an_answer_may_never_come() {
    assert_eq!(ping_outputs(Udp::new().loss()), ["false", "true"]);
}

#[test]
fn with_delay_a_timer_may_fire_while_an_answer_is_under_way() {
    assert_eq!(ping_outputs(Udp::new().delay(..)), ["false", "true"]);
}
