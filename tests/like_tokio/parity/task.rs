//! Tasks and the macros that poll several futures.

use super::tokio;
use std::cell::{Cell, RefCell};
use std::future::{pending, ready};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::runtime::Handle;
use tokio::task::{JoinSet, LocalSet, id, spawn_blocking, spawn_local, try_id, unconstrained, yield_now};
use tokio::time::{Duration, sleep, timeout};

const fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

pub(crate) async fn a_task_gives_its_output() -> (u32, bool) {
    let task = tokio::spawn(async { 7 });
    let output = task.await.unwrap();
    let other = tokio::task::spawn(ready(()));
    sleep(ms(5)).await;
    (output, other.is_finished())
}

pub(crate) async fn an_aborted_task_is_cancelled() -> (bool, bool, bool) {
    let task = tokio::spawn(pending::<()>());
    let finished = task.is_finished();
    task.abort();
    let error = task.await.unwrap_err();
    (finished, error.is_cancelled(), error.is_panic())
}

pub(crate) async fn abort_drops_what_the_task_holds() -> usize {
    struct Count(Arc<AtomicUsize>);
    impl Drop for Count {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
    let dropped = Arc::new(AtomicUsize::new(0));
    let count = Count(Arc::clone(&dropped));
    let task = tokio::spawn(async move {
        let _count = count;
        pending::<()>().await;
    });
    task.abort_handle().abort();
    let _ = task.await;
    dropped.load(Ordering::Relaxed)
}

pub(crate) async fn abort_comes_too_late_for_an_ended_task() -> Result<u32, bool> {
    let task = tokio::spawn(async { 7 });
    sleep(ms(5)).await;
    task.abort();
    task.await.map_err(|error| error.is_cancelled())
}

pub(crate) async fn a_task_goes_on_without_its_handle() -> usize {
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    drop(tokio::spawn(async move {
        sleep(ms(2)).await;
        counted.fetch_add(1, Ordering::Relaxed);
    }));
    sleep(ms(50)).await;
    count.load(Ordering::Relaxed)
}

pub(crate) async fn a_join_set_gives_outputs_in_the_order_of_their_ends() -> (Vec<u64>, usize, bool) {
    let mut set = JoinSet::new();
    for delay in [60, 5, 30] {
        set.spawn(async move {
            sleep(ms(delay)).await;
            delay
        });
    }
    let before = set.len();
    let mut order = Vec::new();
    while let Some(output) = set.join_next().await {
        order.push(output.unwrap());
    }
    (order, before, set.is_empty())
}

pub(crate) async fn a_join_set_is_aborted_as_a_whole() -> (Vec<bool>, Vec<u32>) {
    let mut set = JoinSet::new();
    set.spawn(pending::<u32>());
    set.spawn(pending::<u32>()).abort();
    set.abort_all();
    let mut cancelled = Vec::new();
    while let Some(output) = set.join_next().await {
        cancelled.push(output.unwrap_err().is_cancelled());
    }
    let nothing = set.try_join_next().is_none();
    set.spawn(pending());
    set.shutdown().await;
    cancelled.push(nothing && set.is_empty());
    set.spawn(async { 1 });
    (cancelled, set.join_all().await)
}

pub(crate) async fn tasks_take_turns() -> Vec<u32> {
    let order = Arc::new(std::sync::Mutex::new(Vec::new()));
    let tasks = [1, 2].map(|number| {
        let order = Arc::clone(&order);
        tokio::spawn(async move {
            order.lock().unwrap().push(number);
            yield_now().await;
            order.lock().unwrap().push(number + 10);
        })
    });
    for task in tasks {
        task.await.unwrap();
    }
    order.lock().unwrap().clone()
}

pub(crate) async fn a_blocking_closure_gives_its_output() -> u32 {
    spawn_blocking(|| 7).await.unwrap()
}

pub(crate) async fn local_tasks_share_what_is_not_send() -> u32 {
    let sum = Rc::new(RefCell::new(0));
    let local = LocalSet::new();
    let (one, two) = (Rc::clone(&sum), Rc::clone(&sum));
    let first = local.spawn_local(async move { *one.borrow_mut() += 1 });
    local
        .run_until(async move {
            spawn_local(async move { *two.borrow_mut() += 2 }).await.unwrap();
            first.await.unwrap();
        })
        .await;
    sum.take()
}

pub(crate) async fn a_local_set_is_done_when_all_its_tasks_are() -> Vec<u32> {
    let ended = Rc::new(RefCell::new(Vec::new()));
    let end = |number: u32| {
        let ended = Rc::clone(&ended);
        move || ended.borrow_mut().push(number)
    };
    let mut local = LocalSet::new();
    // Without a task.
    (&mut local).await;
    let (first, second, nested, joined) = (end(1), end(2), end(3), end(4));
    local.spawn_local(async move {
        sleep(ms(5)).await;
        first();
        spawn_local(async move {
            sleep(ms(5)).await;
            nested();
            let mut set = JoinSet::new();
            set.spawn_local(async move {
                sleep(ms(5)).await;
                joined();
            });
            set.detach_all();
        });
        second();
    });
    local.spawn_local(pending::<()>()).abort();
    (&mut local).await;
    end(5)();
    // It can be used again, and is left when something else is done before.
    let (late, never) = (end(6), end(7));
    local.spawn_local(async move {
        sleep(ms(5)).await;
        late();
    });
    local.run_until(async { spawn_local(async {}).await.unwrap() }).await;
    (&mut local).await;
    local.spawn_local(async move {
        pending::<()>().await;
        never();
    });
    if timeout(ms(20), &mut local).await.is_err() {
        end(8)();
    }
    ended.take()
}

pub(crate) async fn a_biased_select_takes_the_first_ready_branch() -> [u32; 3] {
    let mut taken = [0; 3];
    taken[0] = tokio::select! {
        biased;
        () = pending() => 1,
        () = ready(()) => 2,
        () = ready(()) => 3,
    };
    taken[1] = tokio::select! {
        biased;
        _ = ready(1), if false => 1,
        Some(2) = ready(Some(1)) => 2,
        else => 3,
    };
    taken[2] = tokio::select! {
        biased;
        value = sleep(ms(1000)) => { let () = value; 1 }
        value = async { sleep(ms(5)).await; 2 } => value,
    };
    taken
}

pub(crate) async fn a_select_takes_any_ready_branch() -> u32 {
    tokio::select! {
        () = ready(()) => 1,
        () = ready(()) => 2,
        () = pending() => 3,
    }
}

pub(crate) async fn a_select_keeps_the_futures_that_lost() -> Vec<&'static str> {
    let mut slow = std::pin::pin!(sleep(ms(400)));
    let mut seen = Vec::new();
    loop {
        tokio::select! {
            () = &mut slow => break,
            () = sleep(ms(250)) => seen.push("tick"),
        }
    }
    seen
}

pub(crate) async fn join_waits_for_all() -> (u32, &'static str, bool) {
    let (a, b) = tokio::join!(
        async {
            sleep(ms(10)).await;
            1
        },
        async {
            yield_now().await;
            "two"
        }
    );
    (a, b, tokio::join!(ready(3)) == (3,))
}

pub(crate) async fn try_join_stops_at_the_first_error() -> [Result<(u32, u32), &'static str>; 2] {
    let good = tokio::try_join!(ready(Ok::<u32, &str>(1)), ready(Ok(2)));
    let bad = tokio::try_join!(pending::<Result<u32, &str>>(), async {
        sleep(ms(2)).await;
        Err::<u32, _>("broken")
    });
    [good, bad]
}

pub(crate) async fn pinned_futures_can_be_polled_again() -> (bool, u32) {
    let future = async {
        sleep(ms(400)).await;
        7
    };
    tokio::pin!(future);
    let early = timeout(ms(2), &mut future).await.is_err();
    (early, future.await)
}

pub(crate) async fn a_task_knows_who_it_is() -> [bool; 6] {
    let root = try_id();
    let task = tokio::spawn(async { id() });
    let (known, of_abort) = (task.id(), task.abort_handle().id());
    let blocking = spawn_blocking(id);
    let others = [blocking.id(), tokio::spawn(pending::<()>()).id()];
    let told = task.await.unwrap();
    let text = format!("{told}");
    [
        root.is_none(),
        told == known && known == of_abort,
        blocking.await.unwrap() == others[0],
        others[0] != others[1] && !others.contains(&known),
        text.parse::<u64>().is_ok_and(|number| number > 0),
        format!("{told:?}") == format!("Id({text})"),
    ]
}

pub(crate) async fn an_error_tells_which_task_was_cancelled() -> [bool; 4] {
    let task = tokio::spawn(pending::<()>());
    let (who, text) = (task.id(), format!("{task:?}"));
    task.abort();
    let error = task.await.unwrap_err();
    [
        error.id() == who,
        error.to_string() == format!("task {who} was cancelled"),
        text == format!("JoinHandle {{ id: {who:?} }}"),
        std::io::Error::from(error).to_string() == "task was cancelled",
    ]
}

pub(crate) async fn who_can_abort_sees_the_end() -> ([bool; 2], [bool; 2]) {
    let ends = tokio::spawn(async { sleep(ms(5)).await });
    let aborted = tokio::spawn(pending::<()>());
    let handles = [ends.abort_handle(), aborted.abort_handle()];
    let before = [handles[0].is_finished(), handles[1].is_finished()];
    drop(ends);
    handles[1].abort();
    sleep(ms(30)).await;
    (before, [handles[0].is_finished(), handles[1].is_finished()])
}

pub(crate) async fn a_join_set_tells_which_task_ended() -> (Vec<(u32, bool)>, bool, bool) {
    let mut set: JoinSet<u32> = [1, 2]
        .into_iter()
        .map(|number| async move {
            sleep(ms(5 * u64::from(number))).await;
            number
        })
        .collect();
    let third = set.spawn_on(
        async {
            sleep(ms(30)).await;
            3
        },
        &Handle::current(),
    );
    let mut ended = Vec::new();
    while let Some(joined) = set.join_next_with_id().await {
        let (who, number) = joined.unwrap();
        ended.push((number, who == third.id()));
    }
    let blocking = set.spawn_blocking(|| 4);
    sleep(ms(30)).await;
    let tried = set.try_join_next_with_id().unwrap().unwrap();
    let hanging = set.spawn(pending());
    set.abort_all();
    let error = set.join_next_with_id().await.unwrap().unwrap_err();
    (ended, tried == (blocking.id(), 4), error.id() == hanging.id())
}

pub(crate) async fn a_task_that_was_not_joined_keeps_its_id() -> bool {
    let first = tokio::spawn(async {});
    sleep(ms(10)).await;
    let second = tokio::spawn(async {});
    let differ = first.id() != second.id();
    first.await.unwrap();
    second.await.unwrap();
    differ
}

tokio::task_local! {
    static OWN: Cell<u32>;
    static NAME: &'static str;
}

pub(crate) async fn a_value_is_a_tasks_own() -> ([u32; 2], bool, &'static str) {
    let counted = |first| {
        OWN.scope(Cell::new(first), async {
            for _ in 0..3 {
                OWN.with(|own| own.set(own.get() + 1));
                yield_now().await;
            }
            OWN.with(Cell::get)
        })
    };
    let (one, other) = (tokio::spawn(counted(0)), tokio::spawn(counted(10)));
    let counts = [one.await.unwrap(), other.await.unwrap()];
    let inner = tokio::spawn(NAME.scope("outer", async {
        let own = NAME.sync_scope("inner", || NAME.get());
        // A task that is spawned inside has no value.
        let spawned = tokio::spawn(async { NAME.try_get().is_err() }).await.unwrap();
        if spawned && NAME.get() == "outer" { own } else { "" }
    }));
    (counts, OWN.try_with(Cell::get).is_err(), inner.await.unwrap())
}

pub(crate) async fn an_unconstrained_future_gives_its_output() -> (u32, bool) {
    let output = unconstrained(async {
        yield_now().await;
        7
    });
    (output.await, Handle::try_current().is_ok())
}
