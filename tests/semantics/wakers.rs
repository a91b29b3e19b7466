//! Whom an operation wakes is decided by the waker of its last poll, which is the program's business: futures that several
//! tasks await, futures that move from task to task, wakers that do something of their own. Each program is run on
//! tokio, too, with time that stands still while somebody can go on.

use netcheck::check::{Checker, Identity, Report, Tasks, Verdict};
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};

type Boxed<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// A waker that calls a closure.
struct Calls<F>(F);

impl<F: Fn() + Send + Sync + 'static> Wake for Calls<F> {
    fn wake(self: Arc<Self>) {
        self.0();
    }
}

/// A waker that calls a closure.
fn calls(call: impl Fn() + Send + Sync + 'static) -> Waker {
    Waker::from(Arc::new(Calls(call)))
}

/// Awaits a future, which is polled with a waker that is made of that of the task.
async fn with_waker<F: Future>(future: F, waker: impl Fn(&Waker) -> Waker) -> F::Output {
    let mut future = std::pin::pin!(future);
    std::future::poll_fn(|cx| future.as_mut().poll(&mut Context::from_waker(&waker(cx.waker())))).await
}

/// A future until it has its output, and then the output.
type Or<T> = (Option<Boxed<T>>, Option<T>);

/// A future that several tasks await: all of them are woken, and the first takes the output for the others.
#[derive(Clone)]
struct Shared<T: Clone>(Arc<Mutex<Or<T>>>, Arc<Mutex<Vec<Waker>>>);

fn shared<T: Clone>(future: impl Future<Output = T> + Send + 'static) -> Shared<T> {
    Shared(Arc::new(Mutex::new((Some(Box::pin(future)), None))), Arc::default())
}

impl<T: Clone> Future for Shared<T> {
    type Output = T;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<T> {
        self.1.lock().unwrap().push(cx.waker().clone());
        let waiting = Arc::clone(&self.1);
        let waker = calls(move || std::mem::take(&mut *waiting.lock().unwrap()).into_iter().for_each(Waker::wake));
        let (future, output) = &mut *self.0.lock().unwrap();
        let polled = future.as_mut().map(|future| future.as_mut().poll(&mut Context::from_waker(&waker)));
        if let Some(Poll::Ready(ready)) = polled {
            (*future, *output) = (None, Some(ready));
            waker.wake();
        }
        output.clone().map_or(Poll::Pending, Poll::Ready)
    }
}

/// A future that is polled only if it was woken, and then wakes whichever task polls it now.
struct WhenWoken<T>(Boxed<T>, Arc<AtomicBool>, Arc<Mutex<Option<Waker>>>);

fn when_woken<T>(future: impl Future<Output = T> + Send + 'static) -> WhenWoken<T> {
    WhenWoken(Box::pin(future), Arc::new(AtomicBool::new(true)), Arc::default())
}

impl<T> Future for WhenWoken<T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<T> {
        *self.2.lock().unwrap() = Some(cx.waker().clone());
        if !self.1.swap(false, Ordering::SeqCst) {
            return Poll::Pending;
        }
        let (is_woken, task) = (Arc::clone(&self.1), Arc::clone(&self.2));
        let waker = calls(move || {
            is_woken.store(true, Ordering::SeqCst);
            task.lock().unwrap().take().into_iter().for_each(Waker::wake);
        });
        self.0.as_mut().poll(&mut Context::from_waker(&waker))
    }
}

/// The numbers of futures in the order in which they have woken; each is polled when its number is taken.
struct ReadyQueue<T> {
    futures: Vec<Option<Boxed<T>>>,
    ready: Arc<Mutex<Vec<usize>>>,
}

impl<T> ReadyQueue<T> {
    fn new(futures: Vec<Boxed<T>>) -> Self {
        let ready = Arc::new(Mutex::new((0..futures.len()).collect()));
        ReadyQueue { futures: futures.into_iter().map(Some).collect(), ready }
    }

    /// All outputs that are there once there is one.
    async fn next(&mut self) -> Vec<T> {
        std::future::poll_fn(|cx| {
            let mut outputs = Vec::new();
            for number in std::mem::take(&mut *self.ready.lock().unwrap()) {
                let (ready, task) = (Arc::clone(&self.ready), cx.waker().clone());
                let waker = calls(move || {
                    ready.lock().unwrap().push(number);
                    task.wake_by_ref();
                });
                let Some(future) = &mut self.futures[number] else { continue };
                if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
                    self.futures[number] = None;
                    outputs.push(output);
                }
            }
            if outputs.is_empty() { Poll::Pending } else { Poll::Ready(outputs) }
        })
        .await
    }
}

macro_rules! programs {
    ($name:ident, $($tokio:tt)*) => {
        mod $name {
            use super::*;
            use $($tokio)* as tokio;
            use tokio::net::UdpSocket;
            use tokio::time::{Duration, Instant, sleep, timeout};

            const fn ms(number: u64) -> Duration {
                Duration::from_millis(number)
            }

            /// A worker and a connection wait for a signal; the connection is done earlier.
            pub async fn signal() -> (u8, Option<u8>) {
                let signal = shared(sleep(ms(50)));
                let of_worker = signal.clone();
                let worker = tokio::spawn(async move {
                    of_worker.await;
                    1
                });
                tokio::task::yield_now().await;
                let connection = tokio::spawn(async move {
                    tokio::select! { biased; () = signal => 1, () = sleep(ms(10)) => 2 }
                });
                let done = connection.await.unwrap();
                (done, timeout(ms(1000), worker).await.ok().map(|worker| worker.unwrap()))
            }

            /// Two tasks await a future, and the one that has polled it last is aborted.
            pub async fn aborted() -> Option<u8> {
                let value = shared(async {
                    sleep(ms(50)).await;
                    7
                });
                let first = tokio::spawn(value.clone());
                sleep(ms(1)).await;
                let second = tokio::spawn(value);
                sleep(ms(1)).await;
                second.abort();
                first.await.ok()
            }

            /// All tasks that await a future go on when it completes.
            pub async fn several() -> u8 {
                let timer = shared(sleep(ms(5)));
                let tasks = [timer.clone(), timer.clone(), timer].map(|timer| {
                    tokio::spawn(async move {
                        timer.await;
                        1
                    })
                });
                let mut sum = 0;
                for task in tasks {
                    sum += task.await.unwrap();
                }
                sum
            }

            /// One task begins an operation, another one finishes it.
            pub async fn moved() -> Vec<u8> {
                let socket = Arc::new(UdpSocket::bind("127.0.0.1:0").await.unwrap());
                let (address, receiving) = (socket.local_addr().unwrap(), Arc::clone(&socket));
                let mut request = when_woken(async move {
                    let mut buffer = [0; 1];
                    receiving.recv(&mut buffer).await.unwrap();
                    buffer[0]
                });
                assert!(timeout(ms(1), &mut request).await.is_err());
                let got = Arc::new(Mutex::new(Vec::new()));
                let other = Arc::clone(&got);
                let task = tokio::spawn(async move {
                    let number = request.await;
                    other.lock().unwrap().push(number);
                });
                tokio::task::yield_now().await;
                socket.send_to(&[5], address).await.unwrap();
                let _ = timeout(ms(200), task).await;
                let got = got.lock().unwrap().clone();
                got
            }

            /// The first task has given its future away, and is woken by it all the same; it can go on for that.
            pub async fn woken_for_another() -> (bool, u8) {
                let timer = Arc::new(Mutex::new(Box::pin(sleep(ms(5)))));
                let given = Arc::clone(&timer);
                let is_woken = Arc::new(AtomicBool::new(false));
                let flag = Arc::clone(&is_woken);
                let first = tokio::spawn(async move {
                    let mut polls = 0;
                    std::future::poll_fn(|cx| {
                        polls += 1;
                        if polls > 1 {
                            flag.store(true, Ordering::SeqCst);
                            return Poll::Ready(());
                        }
                        timer.lock().unwrap().as_mut().poll(cx)
                    })
                    .await;
                    1
                });
                sleep(ms(10)).await;
                let is_over = std::future::poll_fn(|cx| given.lock().unwrap().as_mut().poll(cx));
                let is_over = timeout(ms(1), is_over).await.is_ok();
                assert!(is_over, "the timer is over, whoever asks");
                (is_woken.load(Ordering::SeqCst), timeout(ms(100), first).await.unwrap().unwrap())
            }

            /// Wake-ups are counted in memory that the waker allocates.
            pub async fn counted(limit: u32) {
                let counts = Arc::new(Mutex::new(Vec::new()));
                loop {
                    let made = |task: &Waker| {
                        let (counts, task) = (Arc::clone(&counts), task.clone());
                        calls(move || {
                            let mut counts: std::sync::MutexGuard<'_, Vec<u32>> = counts.lock().unwrap();
                            if counts.is_empty() {
                                counts.push(0);
                            }
                            counts[0] += 1;
                            task.wake_by_ref();
                        })
                    };
                    with_waker(sleep(ms(1)), made).await;
                    let count = counts.lock().unwrap()[0];
                    assert!(count < limit, "the {count}th wake-up");
                }
            }

            /// A waker reads the clock.
            pub async fn measured() -> bool {
                let woken = Arc::new(Mutex::new(None));
                let begun = Instant::now();
                let made = |task: &Waker| {
                    let (woken, task) = (Arc::clone(&woken), task.clone());
                    calls(move || {
                        *woken.lock().unwrap() = Some(Instant::now());
                        task.wake_by_ref();
                    })
                };
                with_waker(sleep(ms(5)), made).await;
                let woken = woken.lock().unwrap().take().unwrap();
                woken - begun >= ms(5)
            }

            /// A waker spawns a task.
            pub async fn spawning() -> u32 {
                let sum = Arc::new(AtomicU32::new(0));
                let runtime = tokio::runtime::Handle::current();
                let made = |task: &Waker| {
                    let (sum, task, runtime) = (Arc::clone(&sum), task.clone(), runtime.clone());
                    calls(move || {
                        let sum = Arc::clone(&sum);
                        runtime.spawn(async move { sum.fetch_add(1, Ordering::SeqCst) });
                        task.wake_by_ref();
                    })
                };
                with_waker(sleep(ms(5)), made).await;
                sleep(ms(1)).await;
                sum.load(Ordering::SeqCst)
            }

            /// A waker drops a socket, whose port is free from then on.
            pub async fn closing() -> bool {
                let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
                let address = socket.local_addr().unwrap();
                let socket = Arc::new(Mutex::new(Some(socket)));
                let made = |task: &Waker| {
                    let (socket, task) = (Arc::clone(&socket), task.clone());
                    calls(move || {
                        socket.lock().unwrap().take();
                        task.wake_by_ref();
                    })
                };
                let was_taken = UdpSocket::bind(address).await.is_err();
                with_waker(sleep(ms(5)), made).await;
                was_taken && UdpSocket::bind(address).await.is_ok()
            }

            /// Two timers of one instant wake one task, which finds both at its next poll.
            pub async fn together() -> Vec<Vec<u8>> {
                let timer = |number: u8| -> Boxed<u8> {
                    Box::pin(async move {
                        sleep(ms(5)).await;
                        number
                    })
                };
                let mut queue = ReadyQueue::new(vec![timer(1), timer(2)]);
                let mut all = vec![queue.next().await];
                while all.iter().flatten().count() < 2 {
                    all.push(queue.next().await);
                }
                all
            }

            /// A datagram that has been there for long is received by the first poll.
            pub async fn there_for_long() -> bool {
                let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
                let other = UdpSocket::bind("127.0.0.1:0").await.unwrap();
                other.send_to(&[7], socket.local_addr().unwrap()).await.unwrap();
                sleep(ms(5)).await;
                let mut buffer = [0; 1];
                let mut receive = Box::pin(socket.recv(&mut buffer));
                let waker = calls(|| ());
                receive.as_mut().poll(&mut Context::from_waker(&waker)).is_ready()
            }

            /// A receive is given up after its waker was called and before it is polled: the datagram is still there.
            pub async fn given_up() -> Option<u8> {
                let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
                let address = socket.local_addr().unwrap();
                let mut buffer = [0; 1];
                {
                    let is_woken = Arc::new(AtomicBool::new(false));
                    let mut receive = std::pin::pin!(socket.recv(&mut buffer));
                    let made = |task: &Waker| {
                        let (is_woken, task) = (Arc::clone(&is_woken), task.clone());
                        calls(move || {
                            is_woken.store(true, Ordering::SeqCst);
                            task.wake_by_ref();
                        })
                    };
                    let mut is_begun = false;
                    let waits = std::future::poll_fn(|cx| {
                        if !std::mem::replace(&mut is_begun, true) {
                            assert!(receive.as_mut().poll(&mut Context::from_waker(&made(cx.waker()))).is_pending());
                        }
                        if is_woken.load(Ordering::SeqCst) { Poll::Ready(()) } else { Poll::Pending }
                    });
                    let send = async {
                        let other = UdpSocket::bind("127.0.0.1:0").await.unwrap();
                        other.send_to(&[7], address).await.unwrap();
                    };
                    tokio::join!(waits, send);
                }
                timeout(ms(100), socket.recv(&mut buffer)).await.ok().map(|_| buffer[0])
            }
        }
    };
}

programs!(checked, netcheck);
programs!(real, ::tokio);

/// The output of a program on tokio.
fn on_tokio<T: std::fmt::Debug>(program: impl Future<Output = T>) -> String {
    let runtime = ::tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
    format!("{:?}", runtime.block_on(program))
}

fn every_check() -> impl Iterator<Item = (String, Checker)> {
    let identities = [Identity::History, Identity::Memory];
    let all = identities.into_iter().flat_map(|identity| [true, false].map(|reduction| (identity, reduction)));
    all.flat_map(|(identity, reduction)| [Tasks::Shared, Tasks::Fifo].map(|tasks| (identity, reduction, tasks))).map(
        |(identity, reduction, tasks)| {
            let name = format!("{identity:?}, reduction {reduction}, {tasks:?}");
            (name, Checker::new().identity(identity).reduction(reduction).tasks(tasks))
        },
    )
}

/// A program outputs in every check what it outputs on tokio.
macro_rules! same {
    ($($program:ident),*) => {
        $(#[test]
        fn $program() {
            let real = on_tokio(real::$program());
            for (name, checker) in every_check() {
                let report = checker.check(|net| { net.process("p", checked::$program); });
                assert_eq!(report.verdict(), Verdict::Verified, "{name}: {report}");
                assert_eq!(report.outputs("p"), std::slice::from_ref(&real), "{name}");
            }
        })*
    };
}

same!(signal, aborted, several, moved, woken_for_another, measured, spawning, closing, given_up);

/// The output of a program on tokio is among those that a check explores.
macro_rules! among {
    ($($name:ident: $program:ident, $real:expr;)*) => {
        $(#[test]
        fn $name() {
            let real = on_tokio(real::$program());
            assert_eq!(real, $real);
            for (name, checker) in every_check() {
                let report = checker.check(|net| { net.process("p", checked::$program); });
                assert_eq!(report.verdict(), Verdict::Verified, "{name}: {report}");
                assert!(report.outputs("p").contains(&real), "{name}: {:?}", report.outputs("p"));
            }
        })*
    };
}

among! {
    what_wakes_together_can_be_found_together: together, "[[1, 2]]";
    what_is_there_can_be_found_by_the_first_poll: there_for_long, "true";
}

fn violation(report: &Report) -> String {
    assert_eq!(report.verdict(), Verdict::Violated, "{report}");
    report.to_string()
}

#[test]
fn what_a_waker_allocates_is_part_of_the_memory() {
    assert!(std::panic::catch_unwind(|| on_tokio(real::counted(3))).is_err());
    for (identity, limit) in [(Identity::History, 60), (Identity::Memory, 200), (Identity::Memory, 5)] {
        let report = Checker::new().identity(identity).check(|net| {
            net.process("p", move || checked::counted(limit));
        });
        let text = violation(&report);
        assert!(text.contains(&format!("the {limit}th wake-up")), "{text}");
    }
}

#[test]
fn a_waker_that_panics_is_a_violation_at_its_line() {
    let line = line!() + 4;
    for (name, checker) in every_check() {
        let report = checker.check(|net| {
            net.process("p", || {
                with_waker(netcheck::time::sleep(std::time::Duration::from_millis(1)), |_| calls(|| panic!("no")))
            });
        });
        let text = violation(&report);
        assert!(text.contains(&format!("wakers.rs:{line}")) && text.contains("no"), "{name}: {text}");
    }
}

#[test]
fn a_waker_that_wakes_nobody_leaves_its_task_waiting() {
    for (name, checker) in every_check() {
        let report = checker.check(|net| {
            net.process("p", || {
                with_waker(netcheck::time::sleep(std::time::Duration::from_millis(1)), |_| calls(|| ()))
            });
        });
        let text = violation(&report);
        assert!(text.contains("deadlock"), "{name}: {text}");
    }
}

/// A waker is dropped where the program runs: what it does there is the program's, too.
#[test]
fn a_waker_that_is_dropped_may_do_something() {
    use netcheck::time::{Duration, Instant, sleep};

    struct Dropped(Arc<Mutex<Vec<Instant>>>);

    impl Drop for Dropped {
        fn drop(&mut self) {
            self.0.lock().unwrap().push(Instant::now());
        }
    }

    async fn rounds() -> Vec<Duration> {
        let begun = Instant::now();
        let drops = Arc::new(Mutex::new(Vec::new()));
        for _ in 0..3 {
            let made = |task: &Waker| {
                let (dropped, task) = (Dropped(Arc::clone(&drops)), task.clone());
                calls(move || {
                    let _ = &dropped;
                    task.wake_by_ref();
                })
            };
            with_waker(sleep(Duration::from_millis(1)), made).await;
        }
        let drops = drops.lock().unwrap();
        drops.iter().map(|at| *at - begun).collect()
    }

    for (name, checker) in every_check() {
        let report = checker.check(|net| {
            net.process("p", rounds);
        });
        assert_eq!(report.verdict(), Verdict::Verified, "{name}: {report}");
        assert_eq!(report.outputs("p"), ["[1ms, 1ms, 2ms, 2ms, 3ms, 3ms]"], "{name}");
    }
}
