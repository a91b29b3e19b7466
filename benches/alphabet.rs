//! The alphabet system (papers/udp-net-iocache.txt, section 4.1) with loss: states and transitions per second,
//! bytes per state, and what learning the automata costs.

#[path = "../examples/alphabet/checked.rs"]
mod checked;

use checked::Sessions;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use netcheck::check::{Checker, Keep, Report, Udp};
use std::hint::black_box;
use std::time::Duration;

fn checker() -> Checker {
    Checker::new().udp(Udp::new().loss())
}

fn explore(checker: &Checker, connections: u16, requests: u8) -> Report {
    checker.check(|net| Sessions { connections, requests, asserting: false }.register(net))
}

/// 3 connections, 2 requests, of which nothing is left out: 189,471 states.
fn unreduced() -> Checker {
    checker().reduction(false)
}

fn states(criterion: &mut Criterion) {
    let report = explore(&unreduced(), 3, 2);
    let mut group = criterion.benchmark_group("states, unreduced");
    group.throughput(Throughput::Elements(report.states() as u64));
    group.bench_function("3 connections, 2 requests", |bench| bench.iter(|| black_box(explore(&unreduced(), 3, 2))));
    group.finish();
}

fn transitions(criterion: &mut Criterion) {
    let report = explore(&unreduced(), 3, 2);
    let mut group = criterion.benchmark_group("transitions, unreduced");
    group.throughput(Throughput::Elements(report.transitions()));
    group.bench_function("3 connections, 2 requests", |bench| bench.iter(|| black_box(explore(&unreduced(), 3, 2))));
    group.finish();
}

/// The same by several threads: as ratios to one, side by side.
fn threads(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("transitions, unreduced, by threads");
    group.throughput(Throughput::Elements(explore(&unreduced(), 3, 2).transitions()));
    for threads in [1, 2, 4] {
        let checker = unreduced().threads(threads);
        group.bench_function(format!("{threads} threads"), |bench| bench.iter(|| black_box(explore(&checker, 3, 2))));
    }
    group.finish();
}

/// To the verdict, with the reduction: it grows linearly with the connections.
fn reduced(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("to the verdict, reduced, 3 requests");
    for connections in [1, 3, 12] {
        group.throughput(Throughput::Elements(explore(&checker(), connections, 3).states() as u64));
        group.bench_function(format!("{connections} connections"), |bench| {
            bench.iter(|| black_box(explore(&checker(), connections, 3)));
        });
    }
    group.finish();
}

/// One connection and many requests: most of the time goes to polling user code.
fn learning(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("learning, polls of user code");
    group.throughput(Throughput::Elements(explore(&checker(), 1, 6).polls()));
    group.bench_function("1 connection, 6 requests", |bench| bench.iter(|| black_box(explore(&checker(), 1, 6))));
    group.finish();
}

/// The memory of the visited states by their number: the same in each run, so it is printed and not measured.
fn bytes_per_state(_: &mut Criterion) {
    for (name, store) in [("exact", Keep::Exact), ("fingerprint", Keep::Fingerprint)] {
        let report = explore(&unreduced().store(store), 3, 2);
        let bytes = report.memory_bytes() as f64 / report.states() as f64;
        println!("bytes per state, unreduced/3 connections, 2 requests, {name}: {bytes:.1}\n");
    }
}

/// Few and short: a run of all of them takes half a minute.
fn quick() -> Criterion {
    Criterion::default().sample_size(10).warm_up_time(Duration::from_secs(1)).measurement_time(Duration::from_secs(3))
}

criterion_group! {
    name = benches;
    config = quick();
    targets = states, transitions, threads, bytes_per_state, reduced, learning
}
criterion_main!(benches);
