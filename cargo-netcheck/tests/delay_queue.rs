//! The queue of delayed elements that whole programs have does what that of tokio-util does, for random programs with time
//! paused.
//!
//! Where any of several elements may be the next, some choice has to lead to what tokio-util's does.
//!
//! - `NETCHECK_QUEUE_SEEDS=5000..9000` runs these instead.
#![allow(missing_docs, reason = "a test")]

use random::{Random, seeds_asked_for};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use tokio::time::{Duration, Instant, advance};

mod real {
    pub(crate) use tokio_util::time::DelayQueue;
}

mod ours {
    #![allow(dead_code, clippy::pedantic, reason = "a source of another package")]

    use super::chosen;

    include!("../src/whole/delay_queue.in");
}

/// Programs that are compared.
const PROGRAMS: u64 = 3_000;

/// Ways to choose that are tried for one program.
const WAYS_MAX: usize = 20_000;

#[derive(Clone, Debug)]
enum Step {
    /// Milliseconds from now.
    Insert(i64),
    /// The element of this number, if it is there; milliseconds from now.
    Reset(usize, i64),
    Remove(usize),
    Peek,
    Poll,
    Advance(u64),
    Clear,
}

/// An answer of the queue to the program.
#[derive(Clone, Debug, PartialEq)]
enum Seen {
    Inserted(String),
    Removed(u32, Deadline),
    Told(String),
    Waits,
    Empty,
    Expired(u32, String, Deadline),
}

/// Milliseconds since the start; `None` where it was over when it was set.
type Deadline = Option<u128>;

thread_local! {
    /// The choices of a run, each with how many there were, and how many of them were made.
    static CHOICES: RefCell<(Vec<(usize, usize)>, usize)> = RefCell::default();
}

fn chosen(alternatives: usize) -> usize {
    CHOICES.with_borrow_mut(|(choices, made)| {
        *made += 1;
        if choices.len() < *made {
            choices.push((0, alternatives));
        }
        choices[*made - 1].0
    })
}

/// Goes on to the next way to choose, if there is one.
fn next_way() -> bool {
    CHOICES.with_borrow_mut(|(choices, made)| {
        *made = 0;
        while choices.pop_if(|(choice, of)| *choice + 1 == *of).is_some() {}
        choices.last_mut().map(|(choice, _)| *choice += 1).is_some()
    })
}

/// Whether the task was woken since it was polled last.
#[derive(Default)]
struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Runs a program on the queue of a module.
macro_rules! run {
    ($queue:ident, $program:expr) => {{
        let (start, woken) = (Instant::now(), Arc::new(Woken::default()));
        let waker = Waker::from(Arc::clone(&woken));
        let mut queue = $queue::DelayQueue::new();
        // the key of each element, and whether its deadline is known
        let mut elements = BTreeMap::new();
        let (mut seen, mut number, mut waits) = (Vec::new(), 0, false);
        let at = |ms: i64| {
            let by = Duration::from_millis(ms.unsigned_abs());
            if ms < 0 { Instant::now() - by } else { Instant::now() + by }
        };
        let since = |deadline: Instant, is_known: bool| is_known.then(|| (deadline - start).as_millis());
        for step in $program {
            match step {
                Step::Insert(ms) => {
                    let key = queue.insert_at(number, at(*ms));
                    seen.push(Seen::Inserted(format!("{key:?}")));
                    elements.insert(number, (key, *ms >= 0));
                    number += 1;
                }
                Step::Reset(place, ms) => {
                    if let Some((key, is_known)) = elements.values_mut().nth(*place) {
                        queue.reset_at(key, at(*ms));
                        *is_known = *ms >= 0;
                    }
                }
                Step::Remove(place) => {
                    if let Some(name) = elements.keys().nth(*place).copied() {
                        let (key, is_known) = elements.remove(&name).expect("it is there");
                        assert!(!is_known || queue.deadline(&key) >= start);
                        let removed = queue.remove(&key);
                        assert_eq!((removed.key(), *removed.get_ref()), (key, name));
                        seen.push(Seen::Removed(name, since(removed.deadline(), is_known)));
                    }
                }
                Step::Peek => seen.push(Seen::Told(format!("{:?}", queue.peek()))),
                Step::Poll => {
                    let polled = poll_fn(|_| Poll::Ready(queue.poll_expired(&mut Context::from_waker(&waker)))).await;
                    let was_woken = woken.0.swap(false, Ordering::Relaxed);
                    assert!(!waits || was_woken || polled.is_pending(), "nobody was woken");
                    waits = polled.is_pending();
                    seen.push(match polled {
                        Poll::Pending => Seen::Waits,
                        Poll::Ready(None) => Seen::Empty,
                        Poll::Ready(Some(expired)) => {
                            let (key, is_known) = elements.remove(expired.get_ref()).expect("it is there");
                            assert_eq!(key, expired.key());
                            let deadline = since(expired.deadline(), is_known);
                            Seen::Expired(expired.into_inner(), format!("{key:?}"), deadline)
                        }
                    });
                }
                Step::Advance(ms) => {
                    advance(Duration::from_millis(*ms)).await;
                    for _ in 0..3 {
                        tokio::task::yield_now().await;
                    }
                }
                Step::Clear => {
                    queue.clear();
                    elements.clear();
                }
            }
            assert_eq!((queue.len(), queue.is_empty()), (elements.len(), elements.is_empty()));
        }
        seen
    }};
}

fn with_time_paused(run: impl Future<Output = Vec<Seen>>) -> Vec<Seen> {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.enable_time().start_paused(true).build().expect("a runtime").block_on(run)
}

/// Few deadlines, so that many are equal, on both sides of the borders of the wheel's coarser slots.
fn program(random: &mut Random) -> Vec<Step> {
    let spans = [0, 1, 2, 10, 10, 10, 63, 64, 70, 130, 5_000];
    let mut steps = Vec::new();
    for _ in 0..random.within(4, 16) {
        let span = random.one_of(&spans);
        steps.push(match random.below(100) {
            0..28 => Step::Insert(span),
            28..31 => Step::Insert(-span),
            31..40 => Step::Reset(random.index(3), span),
            40..42 => Step::Reset(random.index(3), -span),
            42..48 => Step::Remove(random.index(3)),
            48..51 => Step::Peek,
            51..75 => Step::Poll,
            75..99 => Step::Advance(span.unsigned_abs()),
            _ => Step::Clear,
        });
    }
    steps.push(Step::Advance(6_000));
    steps.extend(steps.clone().iter().filter(|step| matches!(step, Step::Insert(_))).map(|_| Step::Poll));
    steps
}

/// How the queues differ, if no way to choose leads to what the real one does.
fn difference(program: &[Step]) -> Option<String> {
    let real = with_time_paused(async { run!(real, program) });
    CHOICES.take();
    let mut ours = Vec::new();
    for _ in 0..WAYS_MAX {
        ours = with_time_paused(async { run!(ours, program) });
        if ours == real {
            return None;
        }
        if !next_way() {
            break;
        }
    }
    Some(format!("{program:?}\n{real:?}\nlast {ours:?}"))
}

#[test]
fn queues_agree() {
    let mut choosing = 0;
    let is_asked = seeds_asked_for("QUEUE");
    for seed in is_asked.clone().unwrap_or(0..PROGRAMS) {
        let mut program = program(&mut Random::new(seed));
        if difference(&program).is_some() {
            while let Some(shorter) = (0..program.len())
                .map(|left_out| [&program[..left_out], &program[left_out + 1..]].concat())
                .find(|shorter| difference(shorter).is_some())
            {
                program = shorter;
            }
            panic!("seed {seed}: {}", difference(&program).unwrap_or_default());
        }
        choosing += u64::from(CHOICES.with_borrow(|(choices, _)| !choices.is_empty()));
    }
    assert!(is_asked.is_some() || choosing > PROGRAMS / 10, "only {choosing} programs have a choice");
}
