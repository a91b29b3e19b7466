//! States and transitions per second on the alphabet system (papers/udp-net-iocache.txt,
//! section 4.1), unreduced and reduced, and what learning the automata costs.

#[path = "../examples/alphabet/checked.rs"]
mod checked;

use checked::Sessions;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use netcheck::check::{Checker, Report, Udp};
use std::hint::black_box;

fn explore(connections: u16, requests: u8, reduction: bool, states: usize) -> Report {
    let sessions = Sessions { connections, requests, asserting: false };
    let checker = Checker::new().udp(Udp::new().loss()).reduction(reduction).max_states(states);
    checker.check(|net| sessions.register(net))
}

/// The first part of the unreduced space: transitions per second.
fn unreduced(criterion: &mut Criterion) {
    let states = 200_000;
    let transitions = explore(3, 3, false, states).transitions();
    let mut group = criterion.benchmark_group("alphabet, 3 connections, 3 requests, loss");
    group.sample_size(10).throughput(Throughput::Elements(transitions));
    group.bench_function("transitions, unreduced", |bench| {
        bench.iter(|| black_box(explore(3, 3, false, states)));
    });
    group.finish();
}

/// To the verdict, with the reduction: it grows linearly with the connections.
fn reduced(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("alphabet, 3 requests, loss, to the verdict");
    group.sample_size(10);
    for connections in [1, 3, 12] {
        group.throughput(Throughput::Elements(explore(connections, 3, true, usize::MAX).transitions()));
        group.bench_function(format!("{connections} connections"), |bench| {
            bench.iter(|| black_box(explore(connections, 3, true, usize::MAX)));
        });
    }
    group.finish();
}

/// One connection and many requests: most of the time goes to polling user code.
fn learning(criterion: &mut Criterion) {
    let polls = explore(1, 6, true, usize::MAX).polls();
    let mut group = criterion.benchmark_group("alphabet, 1 connection, 6 requests, loss");
    group.sample_size(10).throughput(Throughput::Elements(polls));
    group.bench_function("polls of user code", |bench| {
        bench.iter(|| black_box(explore(1, 6, true, usize::MAX)));
    });
    group.finish();
}

criterion_group!(benches, unreduced, reduced, learning);
criterion_main!(benches);
