//! Does what a program says. What is observed is its trace.

use super::super::program::{Block, Branch, Op, Select};
use super::tokio;
use super::world::{Guard, Taken, World, open};
use std::future::pending;
use std::pin::Pin;
use std::sync::Arc;
use tokio::time::{Duration, sleep, timeout};

/// Longer than all timers of a program together.
const NEVER: Duration = Duration::from_secs(3_600);

type Run<'a, T = ()> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The trace of an execution; its last mark is 99 if it had not ended by itself.
pub(crate) async fn trace(program: Block) -> Vec<u8> {
    let world = Arc::new(World::new());
    if timeout(NEVER, run(&world, &program)).await.is_err() {
        world.mark(99);
    }
    std::mem::take(&mut *open(&world.trace))
}

fn run<'a>(world: &'a Arc<World>, block: &'a [Op]) -> Run<'a> {
    Box::pin(async move {
        for op in block {
            step(world, op).await;
        }
    })
}

fn step<'a>(world: &'a Arc<World>, op: &'a Op) -> Run<'a> {
    Box::pin(async move {
        match op {
            Op::Mark(mark) => world.mark(*mark),
            Op::Add(cell) => open(&world.cells)[*cell] += 1,
            Op::Show(cell) => {
                let value = open(&world.cells)[*cell];
                world.mark(10 + value);
            }
            Op::Yield => tokio::task::yield_now().await,
            Op::Sleep(ms) => sleep(Duration::from_millis(*ms)).await,
            Op::Timeout(ms, block) => {
                let is_in_time = timeout(Duration::from_millis(*ms), run(world, block)).await.is_ok();
                world.mark(20 + u8::from(is_in_time));
            }
            Op::Pending => pending().await,
            Op::Locked(block) => {
                let _guard = world.lock.lock().await;
                run(world, block).await;
            }
            Op::Permitted(block) => {
                let _permit = world.permits.acquire().await;
                run(world, block).await;
            }
            Op::Guarded(block) => {
                let _guard = Guard(world);
                run(world, block).await;
            }
            Op::Both(one, other) => {
                tokio::join!(run(world, one), run(world, other));
            }
            Op::Repeat(times, block) => {
                for _ in 0..*times {
                    run(world, block).await;
                }
            }
            Op::Select(select) => selected(world, select).await,
            Op::Kept { biased, times, kept, fresh } => repeated(world, *biased, *times, [kept, fresh]).await,
            _ => task(world, op).await,
        }
    })
}

async fn task(world: &Arc<World>, op: &Op) {
    match op {
        Op::Spawn(slot, block) => {
            let (shared, block) = (Arc::clone(world), block.clone());
            let handle = tokio::spawn(async move { run(&shared, &block).await });
            *open(&world.tasks[*slot]) = Some(handle);
        }
        Op::Join(slot) => match Taken::new(&world.tasks[*slot]) {
            Some(mut handle) => {
                let is_done = handle.get().await.is_ok();
                // A handle that has given its output is not asked again.
                handle.used_up();
                world.mark(31 + u8::from(is_done));
            }
            None => world.mark(30),
        },
        Op::Abort(slot) => {
            if let Some(task) = &*open(&world.tasks[*slot]) {
                task.abort();
            }
        }
        _ => talk(world, op).await,
    }
}

async fn talk(world: &World, op: &Op) {
    match op {
        Op::Send => {
            let sender = open(&world.sender).clone();
            if let Some(sender) = sender {
                let is_sent = sender.send(1).await.is_ok();
                world.mark(40 + u8::from(is_sent));
            }
        }
        Op::TrySend => {
            let is_sent = open(&world.sender).as_ref().is_some_and(|sender| sender.try_send(2).is_ok());
            world.mark(42 + u8::from(is_sent));
        }
        Op::DropSender => drop(open(&world.sender).take()),
        Op::Recv => match Taken::new(&world.receiver) {
            Some(mut receiver) => {
                let message = receiver.get().recv().await;
                world.mark(44 + message.unwrap_or(0));
            }
            None => world.mark(47),
        },
        Op::TryRecv => {
            let message = open(&world.receiver).as_mut().map(|receiver| receiver.try_recv().unwrap_or(0));
            world.mark(44 + message.unwrap_or(3));
        }
        Op::OneshotSend => {
            let answer = open(&world.answer).take();
            world.mark(50 + u8::from(answer.is_some_and(|answer| answer.send(1).is_ok())));
        }
        Op::OneshotRecv => match Taken::new(&world.question) {
            Some(mut question) => {
                let is_answered = question.get().await.is_ok();
                // A question that has been answered is not asked again.
                question.used_up();
                world.mark(52 + u8::from(is_answered));
            }
            None => world.mark(54),
        },
        _ => notify(world, op).await,
    }
}

async fn notify(world: &World, op: &Op) {
    match op {
        Op::BroadcastSend => world.mark(60 + u8::from(world.announcer.send(1).is_ok())),
        Op::BroadcastRecv => match Taken::new(&world.listener) {
            Some(mut listener) => {
                let is_heard = listener.get().recv().await.is_ok();
                world.mark(62 + u8::from(is_heard));
            }
            None => world.mark(64),
        },
        Op::WatchSend => world.watched.send_modify(|value| *value += 1),
        Op::WatchChanged => match Taken::new(&world.watcher) {
            Some(mut watcher) => {
                let _ = watcher.get().changed().await;
                let value = *watcher.get().borrow_and_update();
                world.mark(80 + value);
            }
            None => world.mark(89),
        },
        Op::NotifyOne => world.notify.notify_one(),
        Op::NotifyWaiters => world.notify.notify_waiters(),
        Op::Notified => world.notify.notified().await,
        _ => unreachable!("{op:?} is done elsewhere"),
    }
}

/// A branch ends with whether its pattern is to match.
fn branch<'a>(world: &'a Arc<World>, branch: &'a Branch) -> Run<'a, bool> {
    Box::pin(async move {
        run(world, &branch.future).await;
        world.is_even(branch.pattern)
    })
}

async fn selected(world: &Arc<World>, select: &Select) {
    let guards: Vec<bool> = select.branches.iter().map(|branch| world.is_even(branch.guard)).collect();
    let mut futures = select.branches.iter().map(|it| branch(world, it));
    let mut next = || futures.next().expect("as many as there are");
    let winner = match (select.biased, &guards[..]) {
        (true, [first, second]) => tokio::select! {
            biased;
            true = next(), if *first => Some(0),
            true = next(), if *second => Some(1),
            else => None,
        },
        (false, [first, second]) => tokio::select! {
            true = next(), if *first => Some(0),
            true = next(), if *second => Some(1),
            else => None,
        },
        (true, [first, second, third]) => tokio::select! {
            biased;
            true = next(), if *first => Some(0),
            true = next(), if *second => Some(1),
            true = next(), if *third => Some(2),
            else => None,
        },
        (false, [first, second, third]) => tokio::select! {
            true = next(), if *first => Some(0),
            true = next(), if *second => Some(1),
            true = next(), if *third => Some(2),
            else => None,
        },
        _ => unreachable!("two branches or three"),
    };
    match winner {
        Some(winner) => run(world, &select.branches[winner].handler).await,
        None => world.mark(90),
    }
}

async fn repeated(world: &Arc<World>, biased: bool, times: usize, [kept, fresh]: [&Block; 2]) {
    let mut kept = run(world, kept);
    for _ in 0..times {
        let is_done = match biased {
            true => tokio::select! { biased; () = &mut kept => true, () = run(world, fresh) => false },
            false => tokio::select! { () = &mut kept => true, () = run(world, fresh) => false },
        };
        world.mark(91 + u8::from(is_done));
        if is_done {
            return;
        }
    }
}
