//! A call that can complete does so in the poll that begins it, as on tokio: before all else that its process does.
use futures::FutureExt;
use futures::future::join;
use netcheck as tokio;
use netcheck::Network;
use netcheck::check::{Checker, Report, Tcp, Verdict};
use std::future::Future;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UdpSocket};
use tokio::sync::mpsc;
use tokio::time::{Duration, Instant, interval, sleep, sleep_until, timeout, timeout_at};

const fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// In each of the ways in which tasks are ordered and local states are told apart, with the reduction and without.
fn in_each_way(network: impl Fn(&mut Network)) -> Vec<Report> {
    use netcheck::check::{Identity, Tasks};
    let mut reports = Vec::new();
    for tasks in [Tasks::Shared, Tasks::Fifo] {
        for identity in [Identity::Memory, Identity::History] {
            for reduction in [true, false] {
                let checker = Checker::new().tasks(tasks).identity(identity).reduction(reduction);
                reports.push(checker.check(&network));
            }
        }
    }
    reports
}

#[track_caller]
fn ends_with(network: impl Fn(&mut Network), outputs: &[&str]) {
    for report in in_each_way(network) {
        assert_eq!(report.outputs("client"), outputs, "{report}");
    }
}

/// Another task of the process, which answers.
fn answers() -> (mpsc::Sender<()>, mpsc::Receiver<()>) {
    let (sender, mut receiver) = mpsc::channel::<()>(1);
    let (answers, answer) = mpsc::channel::<()>(1);
    tokio::spawn(async move {
        let _ = receiver.recv().await;
        let _ = answers.send(()).await;
    });
    (sender, answer)
}

async fn server(bytes: &'static [u8]) {
    let listener = TcpListener::bind("0.0.0.0:80").await.unwrap();
    let (mut stream, _) = listener.accept().await.unwrap();
    stream.write_all(bytes).await.unwrap();
    let _ = stream.read_u8().await;
}

async fn first<A, B>(a: impl Future<Output = A>, b: impl Future<Output = B>, names: [&'static str; 2]) -> &'static str {
    tokio::select! {
        biased;
        _ = a => names[0],
        _ = b => names[1],
    }
}

async fn reads() -> &'static str {
    let mut stream = TcpStream::connect("server:80").await.unwrap();
    let (sender, mut answer) = answers();
    assert_eq!(stream.read_u8().await.unwrap(), 1);
    sender.send(()).await.unwrap();
    first(stream.read_u8(), answer.recv(), ["read", "an answer"]).await
}

#[test]
fn what_is_there_is_read_first() {
    let network = |net: &mut Network| {
        net.process("server", || server(&[1, 2]));
        net.process("client", reads).after("server");
    };
    ends_with(network, &["\"read\""]);
}

async fn server_of_two_writes() {
    let listener = TcpListener::bind("0.0.0.0:80").await.unwrap();
    let (mut stream, _) = listener.accept().await.unwrap();
    stream.write_u8(1).await.unwrap();
    stream.write_u8(2).await.unwrap();
    let _ = stream.read_u8().await;
}

/// Packets that have not come yet are not waited for.
#[test]
fn the_other_branch_wins_if_nothing_is_there() {
    let network = |net: &mut Network| {
        net.process("server", server_of_two_writes);
        net.process("client", reads).after("server");
    };
    ends_with(network, &["\"an answer\"", "\"read\""]);
}

async fn writes() -> &'static str {
    let mut stream = TcpStream::connect("server:80").await.unwrap();
    let (sender, mut answer) = answers();
    sender.send(()).await.unwrap();
    first(stream.write_u8(1), answer.recv(), ["written", "an answer"]).await
}

#[test]
fn what_has_room_is_written_first() {
    let network = |net: &mut Network| {
        net.process("server", || server(&[1, 2]));
        net.process("client", writes).after("server");
    };
    ends_with(network, &["\"written\""]);
}

/// The reduction explores the end of the stream first. If the reader's driver knew of it at once, no time-out would end at that
/// instant any more, and the audit would miss that.
#[test]
fn a_stream_that_ends_at_a_deadline_may_end_too_late() {
    let network = |net: &mut Network| {
        net.daemon("server", || async {
            let listener = TcpListener::bind("0.0.0.0:80").await.unwrap();
            let (mut stream, _) = listener.accept().await.unwrap();
            tokio::spawn(async {
                loop {
                    // Due with each time-out of the other task.
                    sleep(ms(10)).await;
                    tokio::task::yield_now().await;
                }
            });
            loop {
                // Two bytes fill the buffer, and nothing is left.
                let _ = timeout(ms(10), stream.read(&mut [0; 2])).await;
            }
        });
        net.process("client", || async {
            let mut stream = TcpStream::connect("server:80").await.unwrap();
            stream.write_all(&[1, 2]).await.unwrap();
            // The stream ends when the second time-out does.
            sleep(ms(20)).await;
        })
        .after("server");
    };
    assert_eq!(Checker::new().check(network).verdict(), Verdict::Verified);
}

/// The end is known to the driver, as the bytes before it are.
#[test]
fn an_old_end_is_read_before_a_timeout_of_zero() {
    let network = |net: &mut Network| {
        net.process("server", || async {
            let listener = TcpListener::bind("0.0.0.0:80").await.unwrap();
            let (mut stream, _) = listener.accept().await.unwrap();
            stream.write_all(&[1, 2]).await.unwrap();
        });
        net.process("client", || async {
            let mut stream = TcpStream::connect("server:80").await.unwrap();
            // The bytes and the end of the stream come, and the driver is asked.
            sleep(ms(10)).await;
            stream.read_exact(&mut [0; 2]).await.unwrap();
            timeout(ms(0), stream.read(&mut [0; 2])).await.is_ok()
        })
        .after("server");
    };
    ends_with(network, &["true"]);
}

async fn sends() {
    let socket = UdpSocket::bind("0.0.0.0:1").await.unwrap();
    socket.send_to(&[7], "client:2").await.unwrap();
}

/// A datagram that came before time passed is known to the driver.
#[test]
fn an_old_datagram_is_received_before_a_timeout_of_zero() {
    let network = |net: &mut Network| {
        net.process("client", || async {
            let socket = UdpSocket::bind("0.0.0.0:2").await.unwrap();
            sleep(ms(18)).await;
            timeout(ms(0), socket.recv_from(&mut [0; 4])).await.is_ok()
        });
        net.process("server", sends).after("client");
    };
    ends_with(network, &["true"]);
}

#[test]
fn an_old_datagram_is_received_before_a_deadline_that_is_over() {
    let network = |net: &mut Network| {
        net.process("client", || async {
            let socket = UdpSocket::bind("0.0.0.0:2").await.unwrap();
            let start = Instant::now();
            sleep(ms(18)).await;
            timeout_at(start + ms(5), socket.recv_from(&mut [0; 4])).await.is_ok()
        });
        net.process("server", sends).after("client");
    };
    ends_with(network, &["true"]);
}

/// A datagram that is under way may have come or not.
#[test]
fn a_datagram_may_come_too_late_for_a_timeout_of_zero() {
    let network = |net: &mut Network| {
        net.process("client", || async {
            let socket = UdpSocket::bind("0.0.0.0:2").await.unwrap();
            timeout(ms(0), socket.recv_from(&mut [0; 4])).await.is_ok()
        });
        net.process("server", sends).after("client");
    };
    ends_with(network, &["false", "true"]);
}

#[test]
fn an_old_datagram_is_there_for_a_call_that_does_not_wait() {
    let network = |net: &mut Network| {
        net.process("client", || async {
            let socket = UdpSocket::bind("0.0.0.0:2").await.unwrap();
            sleep(ms(18)).await;
            socket.try_recv_from(&mut [0; 4]).is_ok()
        });
        net.process("server", sends).after("client");
    };
    ends_with(network, &["true"]);
}

/// The first poll of a receive, with a waker that calls the task's.
async fn is_there_at_once(socket: UdpSocket) -> bool {
    let mut buffer = [0; 4];
    let mut receives = std::pin::pin!(socket.recv_from(&mut buffer));
    std::future::poll_fn(|cx| {
        let waker = Waker::from(Arc::new(Forwards(cx.waker().clone())));
        Poll::Ready(receives.as_mut().poll(&mut Context::from_waker(&waker)).is_ready())
    })
    .await
}

struct Forwards(Waker);

impl Wake for Forwards {
    fn wake(self: Arc<Self>) {
        self.0.wake_by_ref();
    }
}

#[test]
fn a_program_that_polls_by_hand_finds_an_old_datagram_at_once() {
    let network = |net: &mut Network| {
        net.process("client", || async {
            let socket = UdpSocket::bind("0.0.0.0:2").await.unwrap();
            sleep(ms(18)).await;
            is_there_at_once(socket).await
        });
        net.process("server", sends).after("client");
    };
    ends_with(network, &["true"]);
}

#[test]
fn a_program_that_polls_by_hand_may_find_a_datagram_that_is_under_way() {
    let network = |net: &mut Network| {
        net.process("client", || async {
            let socket = UdpSocket::bind("0.0.0.0:2").await.unwrap();
            socket.recv_from(&mut [0; 4]).await.unwrap();
            is_there_at_once(socket).await
        });
        net.process("server", || async {
            sends().await;
            sends().await;
        })
        .after("client");
    };
    ends_with(network, &["false", "true"]);
}

/// The inner one of two time-outs is polled first.
/// Its connection may break.
async fn server_of_one_byte() {
    let listener = TcpListener::bind("0.0.0.0:80").await.unwrap();
    let Ok((mut stream, _)) = listener.accept().await else { return };
    let _ = stream.write_u8(7).await;
    let _ = stream.read_u8().await;
}

/// Polls a read once, and makes a choice of the same poll after that.
async fn reads_and_chooses(waker: fn(&Waker) -> Waker) -> &'static str {
    let mut stream = TcpStream::connect("server:80").await.unwrap();
    let mut byte = [0];
    let read = {
        let mut reads = std::pin::pin!(stream.read(&mut byte));
        std::future::poll_fn(|cx| Poll::Ready(reads.as_mut().poll(&mut Context::from_waker(&waker(cx.waker()))))).await
    };
    let read = match read {
        Poll::Ready(Ok(_)) => "read",
        Poll::Ready(Err(_)) => return "failed",
        Poll::Pending => "nothing",
    };
    tokio::select! {
        () = std::future::ready(()) => read,
        () = std::future::ready(()) => read,
    }
}

/// Whether a read completes is decided before the choice: where it fails, the choice is not made.
#[test]
fn a_call_that_is_polled_by_hand_is_tried_before_the_next_choice() {
    let by_hand: [fn(&Waker) -> Waker; 2] =
        [|waker| Waker::from(Arc::new(Forwards(waker.clone()))), |_| Waker::noop().clone()];
    for waker in by_hand {
        let checker = Checker::new().tcp(Tcp::new().fail_read().process("client")).at_most(1);
        for reduction in [true, false] {
            let report = checker.clone().reduction(reduction).check(|net| {
                net.daemon("server", server_of_one_byte);
                net.process("client", move || reads_and_chooses(waker)).after("server");
            });
            assert_eq!(report.outputs("client"), ["\"failed\"", "\"nothing\"", "\"read\""], "{report}");
        }
    }
}

/// Between two polls of `now_or_never`, a read does not wait: each of them is a call of its own, and it is the first one
/// that finds the byte.
#[test]
fn a_call_that_is_polled_once_is_tried_in_each_poll() {
    async fn client(ends: bool) -> u8 {
        let mut stream = TcpStream::connect("server:80").await.unwrap();
        loop {
            let mut byte = [0];
            let read = std::pin::pin!(stream.read(&mut byte)).poll(&mut Context::from_waker(Waker::noop()));
            match read {
                Poll::Ready(read) => return read.map_or(0, |_| byte[0]),
                Poll::Pending if ends => return 1,
                Poll::Pending => tokio::task::yield_now().await,
            }
        }
    }
    for (ends, outputs) in [(false, &["0", "7"][..]), (true, &["0", "1", "7"])] {
        for reduction in [true, false] {
            let faults = Tcp::new().fail_read().process("client");
            let checker = Checker::new().tcp(faults).at_most(1).reduction(reduction);
            let report = checker.check(|net| {
                net.daemon("server", server_of_one_byte);
                net.process("client", move || client(ends)).after("server");
            });
            assert_eq!(report.outputs("client"), outputs, "{report}");
        }
    }
}

#[test]
fn of_time_outs_that_are_over_together_the_inner_one_is_seen() {
    async fn nested() -> &'static str {
        let socket = UdpSocket::bind("0.0.0.0:2").await.unwrap();
        let mut buffer = [0; 4];
        let inner = timeout(ms(10), socket.recv_from(&mut buffer));
        match timeout(ms(10), inner).await {
            Err(_) => "outer",
            Ok(Err(_)) => "inner",
            Ok(Ok(_)) => "datagram",
        }
    }
    ends_with(|net| _ = net.process("client", nested), &["\"inner\""]);
}

/// The inner future goes on when it has seen its own timer, and may begin to wait again.
#[test]
fn a_time_out_is_over_if_what_is_inside_waits_again() {
    async fn goes_on(again: bool) -> bool {
        let body = async {
            sleep(ms(10)).await;
            if again {
                sleep(ms(10)).await;
            }
        };
        timeout(ms(10), body).await.is_ok()
    }
    for (again, output) in [(false, "true"), (true, "false")] {
        ends_with(|net| _ = net.process("client", move || goes_on(again)), &[output]);
    }
}

/// Timers in branches of a `select!` without an order are seen in any, and with `biased` in theirs.
#[test]
fn of_timers_in_branches_the_order_decides() {
    async fn branches(biased: bool) -> u8 {
        match biased {
            true => tokio::select! { biased; () = sleep(ms(10)) => 1, () = sleep(ms(10)) => 2 },
            false => tokio::select! { () = sleep(ms(10)) => 1, () = sleep(ms(10)) => 2 },
        }
    }
    ends_with(|net| _ = net.process("client", || branches(true)), &["1"]);
    ends_with(|net| _ = net.process("client", || branches(false)), &["1", "2"]);
}

/// Counts the jobs, which are there from the start, until a tick.
async fn jobs_before_a_tick(job_ms: u64, is_biased: bool) -> usize {
    let (sender, mut jobs) = mpsc::channel(8);
    (0..4).for_each(|job| sender.try_send(job).unwrap());
    let mut ticks = interval(ms(1_000));
    ticks.tick().await;
    let mut count = 0;
    loop {
        let job = if is_biased {
            tokio::select! {
                biased;
                _ = ticks.tick() => return count,
                job = jobs.recv() => job,
            }
        } else {
            tokio::select! {
                _ = ticks.tick() => return count,
                job = jobs.recv() => job,
            }
        };
        assert!(job.is_some());
        sleep(ms(job_ms)).await;
        count += 1;
        if count == 4 {
            return count;
        }
    }
}

#[test]
fn a_tick_that_became_due_while_a_job_was_done_comes_before_the_next_job() {
    ends_with(|net| _ = net.process("client", || jobs_before_a_tick(700, true)), &["2"]);
}

#[test]
fn a_tick_for_this_very_instant_may_be_to_come() {
    ends_with(|net| _ = net.process("client", || jobs_before_a_tick(500, true)), &["2", "3"]);
}

#[test]
fn an_unbiased_select_may_take_the_next_job_first() {
    ends_with(|net| _ = net.process("client", || jobs_before_a_tick(700, false)), &["2", "3", "4"]);
}

#[test]
fn a_timer_that_is_kept_fires_when_a_poll_comes_to_it() {
    async fn client() -> usize {
        let (sender, mut jobs) = mpsc::channel(8);
        (0..4).for_each(|job| sender.try_send(job).unwrap());
        let mut deadline = std::pin::pin!(sleep(ms(1_000)));
        let mut count = 0;
        loop {
            tokio::select! {
                biased;
                () = &mut deadline => return count,
                job = jobs.recv() => assert!(job.is_some()),
            }
            sleep(ms(700)).await;
            count += 1;
        }
    }
    ends_with(|net| _ = net.process("client", client), &["2"]);
}

#[test]
fn a_timer_that_is_over_is_ready_in_its_first_poll() {
    async fn client() -> [bool; 3] {
        let start = Instant::now();
        let (late, early) = (sleep(ms(300)), sleep(ms(100)));
        sleep(ms(200)).await;
        let past = sleep_until(start + ms(150));
        [late.now_or_never(), early.now_or_never(), past.now_or_never()].map(|fired| fired.is_some())
    }
    ends_with(|net| _ = net.process("client", client), &["[false, true, true]"]);
}

/// The branch of a timer that is over goes on before the branches behind it in the same poll.
#[test]
fn a_timer_that_is_over_lets_its_branch_go_on_at_once() {
    async fn client() -> Vec<&'static str> {
        let seen = std::cell::RefCell::default();
        let late = sleep(ms(100));
        sleep(ms(200)).await;
        let one = async {
            late.await;
            Vec::push(&mut seen.borrow_mut(), "late");
        };
        let other = async { Vec::push(&mut seen.borrow_mut(), "other") };
        join(one, other).await;
        seen.into_inner()
    }
    ends_with(|net| _ = net.process("client", client), &[r#"["late", "other"]"#]);
}
