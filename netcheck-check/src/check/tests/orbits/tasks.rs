//! Like tasks of one process.

use super::*;
use netcheck_runtime::isolated::cloned;
use netcheck_runtime::task::{JoinHandle, JoinSet};
use netcheck_runtime::time::sleep;
use random::Random;
use std::pin::Pin;
use std::task::Poll;

/// The steps that each of the tasks takes, one after the other: a number for each.
type Steps = Vec<u8>;

/// Ends with a number that depends on what has happened.
async fn task(steps: Steps, number: u8) -> usize {
    let socket = UdpSocket::bind("0.0.0.0:0").await.expect("bound");
    let mut sum = 0;
    for step in steps {
        match step % 8 {
            0 | 1 => drop(socket.send_to(&[step, number], "server:1").await.expect("sent")),
            2 | 3 => {
                let received = timeout(Duration::from_millis(2), socket.recv(&mut [0; 4])).await;
                sum = 2 * sum + usize::from(received.is_ok());
            }
            4 => sum = 2 * sum + choose(0..2).await,
            5 => sleep(Duration::from_millis(1)).await,
            6 => sum += spawn(another(step)).await.expect("it ends"),
            _ => drop(spawn(another(step))),
        }
    }
    sum
}

fn another(step: u8) -> isolated::Process<usize> {
    isolated::process("another", (cloned(step),), |(step,)| chooses(step))
}

async fn chooses(among: u8) -> usize {
    choose(0..2 + usize::from(among % 2)).await
}

/// How the parent deals with its tasks.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Parent {
    LetsGo,
    Collects,
    AddsUp,
    TellsApart,
    OneAfterTheOther,
    TakesTheFirst,
    Aborts,
}

const PARENTS: [Parent; 7] = [
    Parent::LetsGo,
    Parent::Collects,
    Parent::AddsUp,
    Parent::TellsApart,
    Parent::OneAfterTheOther,
    Parent::TakesTheFirst,
    Parent::Aborts,
];

/// A process with tasks, each with its steps and a number that it sends.
async fn parent(parent: Parent, tasks: Vec<(Steps, u8)>) -> Vec<usize> {
    let start = |(steps, number): (Steps, u8)| {
        isolated::process("task", (cloned(steps), cloned(number)), |(steps, number)| task(steps, number))
    };
    if parent == Parent::Collects {
        let mut all = JoinSet::new();
        tasks.into_iter().for_each(|of| drop(all.spawn(start(of))));
        let mut sum = 0;
        while let Some(ended) = all.join_next().await {
            sum += ended.expect("it ends");
        }
        return vec![sum];
    }
    let handles: Vec<JoinHandle<usize>> = tasks.into_iter().map(|of| spawn(start(of))).collect();
    match parent {
        Parent::LetsGo => {
            drop(handles);
            sleep(Duration::from_millis(9)).await;
            Vec::new()
        }
        Parent::AddsUp => vec![all_of(handles).await.into_iter().sum()],
        Parent::TellsApart => all_of(handles).await,
        Parent::TakesTheFirst => vec![first_of(handles).await],
        Parent::Aborts => {
            sleep(Duration::from_millis(1)).await;
            handles.iter().for_each(JoinHandle::abort);
            Vec::new()
        }
        Parent::OneAfterTheOther | Parent::Collects => {
            let mut sum = 0;
            for handle in handles {
                sum += handle.await.expect("it ends");
            }
            vec![sum]
        }
    }
}

/// Waits for all at once.
async fn all_of(mut handles: Vec<JoinHandle<usize>>) -> Vec<usize> {
    let mut outputs: Vec<Option<usize>> = vec![None; handles.len()];
    std::future::poll_fn(move |context| {
        for (handle, output) in handles.iter_mut().zip(&mut outputs) {
            if output.is_none()
                && let Poll::Ready(ended) = Pin::new(handle).poll(context)
            {
                *output = ended.ok();
            }
        }
        outputs.iter().copied().collect::<Option<Vec<_>>>().map_or(Poll::Pending, Poll::Ready)
    })
    .await
}

async fn first_of(mut handles: Vec<JoinHandle<usize>>) -> usize {
    std::future::poll_fn(move |context| {
        let mut ended = handles.iter_mut().filter_map(|handle| match Pin::new(handle).poll(context) {
            Poll::Ready(ended) => ended.ok(),
            Poll::Pending => None,
        });
        ended.next().map_or(Poll::Pending, Poll::Ready)
    })
    .await
}

/// A network with such a parent.
fn network(of: Parent, tasks: &[(Steps, u8)]) -> impl Fn(&mut Network) + Copy {
    let tasks: &'static [(Steps, u8)] = tasks.to_vec().leak();
    move |net| {
        net.daemon("server", || answers(2));
        net.process("parent", move || parent(of, tasks.to_vec())).after("server");
    }
}

fn alike(count: usize, steps: &[u8]) -> Vec<(Steps, u8)> {
    vec![(steps.to_vec(), 0); count]
}

#[test]
fn tasks_are_alike_for_parents_that_do_not_tell_them_apart() {
    let lossy = Checker::new().udp(Udp::new().loss());
    let states = |of: Parent| is_equivariant(&lossy, network(of, &alike(2, &[4, 0, 2])));
    assert_eq!([Parent::LetsGo, Parent::Collects, Parent::AddsUp].map(states), [192, 405, 405]);
}

#[test]
fn states_up_to_exchanging_tasks_are_as_many_as_there_are() {
    // The server is unit 0, the parent 1, the tasks come after them.
    let lossy = Checker::new().udp(Udp::new().loss());
    assert_eq!(counted(&lossy, network(Parent::LetsGo, &alike(2, &[4, 0, 2])), &[&[2, 3]]), (192, 107));
    assert_eq!(counted(&Checker::new(), network(Parent::LetsGo, &alike(3, &[0, 2])), &[&[2, 3, 4]]), (309, 75));
}

/// Counts of the networks that were compared.
#[derive(Debug, Default)]
struct Compared {
    networks: usize,
    alike: usize,
    told_apart: usize,
}

/// Compares random networks, state by state and by the reports of checks.
fn compare(seeds: std::ops::Range<u64>) -> Compared {
    let mut compared = Compared::default();
    for seed in seeds {
        let mut random = Random::new(seed);
        let of = random.one_of(&PARENTS);
        let steps: Steps = (0..1 + random.below(3)).map(|_| random.below(16) as u8).collect();
        let mut tasks = alike(2 + usize::from(random.one_in(5) && steps.len() < 3), &steps);
        if random.one_in(6) {
            tasks[0].1 = 1;
        }
        let mut checker = Checker::new();
        if random.one_in(2) {
            checker = checker.udp(Udp::new().loss());
        }
        let network = network(of, &tasks);
        let all = job(&checker.clone().reduction(false).max_states(6_000), network).check().expect("a report");
        if all.limit().is_some() {
            continue;
        }
        compared.networks += 1;
        let full = checker.clone().reduction(false);
        let (states, with) = is_equivariant_with(&full, network);
        let like = with.like_processes().unwrap_or_default();
        compared.alike += usize::from(!like.are_empty());
        compared.told_apart += usize::from(!with.asymmetries.is_empty());
        let permutations: usize = like.tasks.iter().map(|tasks| (1..=tasks.indices.len()).product::<usize>()).product();
        for reduction in [false, true] {
            let report = job(&checker.clone().reduction(reduction).symmetry(true), network).check().expect("a report");
            let context = format!("seed {seed}: {of:?} {tasks:?}, reduction {reduction}\n{report}");
            assert_eq!(report.verdict(), all.verdict(), "{context}");
            assert_eq!(report.outputs("parent"), all.outputs("parent"), "{context}");
            if !reduction && all.verdict() == Verdict::Verified {
                assert!(report.states() <= states && states <= permutations * report.states(), "{context}");
            }
        }
    }
    compared
}

#[test]
fn random_parents_of_like_tasks() {
    let Compared { networks, alike, told_apart } = compare(0..200);
    println!("{networks} networks, {alike} with tasks that are alike, {told_apart} with tasks that are told apart");
    assert!(networks > 150 && alike > 100 && told_apart > 50, "{networks}, {alike}, {told_apart}");
}

#[test]
#[ignore = "takes minutes: for a nightly run, in release"]
fn ten_thousand_random_parents_of_like_tasks() {
    let compared = compare(1_000..12_000);
    println!("{compared:?}");
    assert!(compared.networks >= 10_000, "too many were too big: {compared:?}");
}
