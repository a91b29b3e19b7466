//! Does what a program says. What is observed is its trace.

use super::super::program::{Block, FUTURES, How, Leaf, Made, Op, Program, SOCKETS, TASKS, Waking};
use super::tokio;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use tokio::net::UdpSocket;
use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tokio::time::{Duration, Instant, sleep, timeout};

/// Longer than all timers of a program together.
const NEVER: Duration = Duration::from_secs(3_600);

type Boxed<T> = Pin<Box<dyn Future<Output = T> + Send>>;
type Socket = Mutex<Option<Arc<UdpSocket>>>;

fn open<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Objects that the tasks share.
struct World {
    trace: Mutex<Vec<u8>>,
    sockets: [Socket; SOCKETS],
    addresses: [std::net::SocketAddr; SOCKETS],
    sender: UdpSocket,
    futures: [Mutex<Option<Boxed<u8>>>; FUTURES],
    tasks: [Mutex<Option<JoinHandle<()>>>; TASKS],
    woken: Arc<Woken>,
}

/// Effects of wakers.
struct Woken {
    counts: Mutex<Vec<u8>>,
    begun: Instant,
    read: Mutex<Option<Instant>>,
    spawned: Arc<Mutex<u8>>,
    runtime: Handle,
}

impl World {
    fn mark(&self, mark: u8) {
        open(&self.trace).push(mark);
    }
}

/// The trace of an execution; its last mark is 99 if it had not ended by itself.
pub(crate) async fn trace(program: Program) -> Vec<u8> {
    let mut sockets = Vec::new();
    for _ in 0..SOCKETS {
        sockets.push(Arc::new(UdpSocket::bind("127.0.0.1:0").await.expect("there are ports")));
    }
    let addresses = std::array::from_fn(|index| sockets[index].local_addr().expect("it is bound"));
    let mut sockets = sockets.into_iter().map(|socket| Mutex::new(Some(socket)));
    let woken = Woken {
        counts: Mutex::default(),
        begun: Instant::now(),
        read: Mutex::default(),
        spawned: Arc::default(),
        runtime: Handle::current(),
    };
    let world = Arc::new(World {
        trace: Mutex::default(),
        sockets: std::array::from_fn(|_| sockets.next().expect("as many as there are")),
        addresses,
        sender: UdpSocket::bind("127.0.0.1:0").await.expect("there are ports"),
        futures: std::array::from_fn(|_| Mutex::default()),
        tasks: std::array::from_fn(|_| Mutex::default()),
        woken: Arc::new(woken),
    });
    for (made, slot) in program.futures.iter().zip(&world.futures) {
        *open(slot) = Some(future(&world, made));
    }
    if timeout(NEVER, run(&world, &program.block)).await.is_err() {
        world.mark(99);
    }
    // The rest of this run does not keep the sockets of the other runs.
    world.futures.iter().for_each(|slot| drop(open(slot).take()));
    std::mem::take(&mut *open(&world.trace))
}

fn run<'a>(world: &'a Arc<World>, block: &'a Block) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>> {
    Box::pin(async move {
        for op in block {
            step(world, op).await;
        }
    })
}

async fn step(world: &Arc<World>, op: &Op) {
    match op {
        Op::Mark(mark) => world.mark(*mark),
        Op::Yield => tokio::task::yield_now().await,
        Op::Sleep(ms) => sleep(Duration::from_millis(*ms)).await,
        Op::Send(socket) => {
            let is_sent = world.sender.send_to(&[7], world.addresses[*socket]).await.is_ok();
            world.mark(30 + u8::from(is_sent));
        }
        Op::Show => {
            let count = open(&world.woken.counts).len() as u8;
            let read = open(&world.woken.read).map_or(0, |read| (read - world.woken.begun).as_millis() as u8);
            let spawned = *open(&world.woken.spawned);
            open(&world.trace).extend([40 + count, read, 40 + spawned]);
        }
        Op::Spawn(task, block) => {
            let (shared, block) = (Arc::clone(world), block.clone());
            let handle = tokio::spawn(async move { run(&shared, &block).await });
            *open(&world.tasks[*task]) = Some(handle);
        }
        Op::Abort(task) => {
            if let Some(task) = &*open(&world.tasks[*task]) {
                task.abort();
            }
        }
        Op::Join(task) => {
            let taken = open(&world.tasks[*task]).take();
            let ended = match taken {
                Some(task) => 1 + u8::from(task.await.is_ok()),
                None => 0,
            };
            world.mark(50 + ended);
        }
        _ => with_future(world, op).await,
    }
}

async fn with_future(world: &Arc<World>, op: &Op) {
    let (Op::Await(slot) | Op::AwaitFor(slot, _) | Op::Poll(slot) | Op::UntilWoken(slot) | Op::Drop(slot)) = op else {
        unreachable!("{op:?} is done elsewhere")
    };
    let slot = &world.futures[*slot];
    let taken = open(slot).take();
    let Some(mut future) = taken else { return world.mark(60) };
    let output = match op {
        Op::Drop(_) => return drop(future),
        Op::Await(_) => return world.mark(70 + future.await),
        Op::AwaitFor(_, ms) => timeout(Duration::from_millis(*ms), &mut future).await.ok(),
        _ => {
            std::future::poll_fn(|cx| Poll::Ready(Some(future.as_mut().poll(cx)))).await.and_then(|polled| match polled
            {
                Poll::Ready(output) => Some(output),
                Poll::Pending => None,
            })
        }
    };
    match output {
        Some(output) => world.mark(70 + output),
        None => {
            *open(slot) = Some(future);
            world.mark(61);
            if let Op::UntilWoken(_) = op {
                until_woken().await;
                world.mark(62);
            }
        }
    }
}

/// Waits until the task is woken, by whatever that may be.
async fn until_woken() {
    let mut is_polled = false;
    std::future::poll_fn(|_| if std::mem::replace(&mut is_polled, true) { Poll::Ready(()) } else { Poll::Pending })
        .await;
}

fn future(world: &Arc<World>, made: &Made) -> Boxed<u8> {
    let leaves: Vec<Boxed<u8>> = made.leaves.iter().map(|leaf| self::leaf(world, leaf)).collect();
    let socket = match made.waking {
        Waking::DropsSocket(socket) => Some(socket),
        _ => None,
    };
    let of = Of {
        waking: made.waking,
        woken: Arc::clone(&world.woken),
        dropped: socket.map(|it| (Arc::downgrade(world), it)),
    };
    match made.how {
        How::Plain => {
            let mut all = one_by_one(leaves);
            Box::pin(std::future::poll_fn(move |cx| {
                let waker = of.waker(cx.waker());
                all.as_mut().poll(&mut Context::from_waker(&waker))
            }))
        }
        How::Shared => {
            let shared = Shared { all: Arc::new(Mutex::new((one_by_one(leaves), None))), waiting: Arc::default(), of };
            let other = shared.clone();
            // Another task awaits it all the time.
            world.woken.runtime.spawn(other);
            Box::pin(shared)
        }
        How::Queue => {
            let ready = Arc::new(Mutex::new((0..leaves.len()).collect()));
            let mut queue = Queue { left: leaves.len(), leaves: leaves.into_iter().map(Some).collect(), ready, of };
            Box::pin(std::future::poll_fn(move |cx| queue.poll(cx)))
        }
    }
}

fn leaf(world: &Arc<World>, leaf: &Leaf) -> Boxed<u8> {
    match *leaf {
        Leaf::Sleep(ms) => Box::pin(async move {
            sleep(Duration::from_millis(ms)).await;
            1
        }),
        Leaf::Receive(socket) => {
            let world = Arc::downgrade(world);
            Box::pin(async move {
                let socket = world.upgrade().and_then(|world| open(&world.sockets[socket]).clone());
                let Some(socket) = socket else { return 5 };
                let mut buffer = [0; 1];
                2 + u8::from(socket.recv(&mut buffer).await.is_ok())
            })
        }
    }
}

fn one_by_one(leaves: Vec<Boxed<u8>>) -> Boxed<u8> {
    Box::pin(async move {
        let mut sum = 0;
        for leaf in leaves {
            sum += leaf.await;
        }
        sum
    })
}

/// Effects of a future's wakers.
#[derive(Clone)]
struct Of {
    waking: Waking,
    woken: Arc<Woken>,
    dropped: Option<(std::sync::Weak<World>, usize)>,
}

struct Calls<F>(F);

impl<F: Fn() + Send + Sync + 'static> Wake for Calls<F> {
    fn wake(self: Arc<Self>) {
        self.0();
    }
}

impl Of {
    fn waker(&self, task: &Waker) -> Waker {
        if self.waking == Waking::Own {
            return task.clone();
        }
        let task = task.clone();
        self.calls(move || task.wake_by_ref())
    }

    fn calls(&self, wake: impl Fn() + Send + Sync + 'static) -> Waker {
        let of = self.clone();
        Waker::from(Arc::new(Calls(move || {
            of.act();
            wake();
        })))
    }

    fn act(&self) {
        match self.waking {
            Waking::Own | Waking::Nothing => {}
            Waking::Counts => open(&self.woken.counts).push(0),
            Waking::ReadsTheClock => *open(&self.woken.read) = Some(Instant::now()),
            Waking::Spawns => {
                let spawned = Arc::clone(&self.woken.spawned);
                self.woken.runtime.spawn(async move { *open(&spawned) += 1 });
            }
            Waking::DropsSocket(_) => {
                let (world, socket) = self.dropped.as_ref().expect("it drops one");
                let dropped = world.upgrade().map(|world| open(&world.sockets[*socket]).take());
                drop(dropped);
            }
            Waking::Panics => panic!("a waker that panics"),
        }
    }
}

/// A future that several tasks await.
#[derive(Clone)]
struct Shared {
    all: Arc<Mutex<(Boxed<u8>, Option<u8>)>>,
    waiting: Arc<Mutex<Vec<Waker>>>,
    of: Of,
}

impl Future for Shared {
    type Output = u8;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<u8> {
        open(&self.waiting).push(cx.waker().clone());
        let waiting = Arc::clone(&self.waiting);
        let wake = move || {
            let all = std::mem::take(&mut *open(&waiting));
            all.into_iter().for_each(Waker::wake);
        };
        let (all, output) = &mut *open(&self.all);
        if output.is_none() {
            let waker = self.of.calls(wake.clone());
            if let Poll::Ready(ready) = all.as_mut().poll(&mut Context::from_waker(&waker)) {
                *output = Some(ready);
                wake();
            }
        }
        output.map_or(Poll::Pending, Poll::Ready)
    }
}

/// Futures of which each is polled only when it has woken.
struct Queue {
    left: usize,
    leaves: Vec<Option<Boxed<u8>>>,
    ready: Arc<Mutex<Vec<usize>>>,
    of: Of,
}

impl Queue {
    /// The outputs that are there together, as one number, once there is one.
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<u8> {
        let mut sum = 0;
        let ready = std::mem::take(&mut *open(&self.ready));
        for number in ready {
            let (ready, task) = (Arc::clone(&self.ready), cx.waker().clone());
            let waker = self.of.calls(move || {
                open(&ready).push(number);
                task.wake_by_ref();
            });
            let Some(leaf) = &mut self.leaves[number] else { continue };
            if let Poll::Ready(output) = leaf.as_mut().poll(&mut Context::from_waker(&waker)) {
                self.leaves[number] = None;
                self.left -= 1;
                sum += output;
            }
        }
        if sum > 0 { Poll::Ready(sum) } else { Poll::Pending }
    }
}
