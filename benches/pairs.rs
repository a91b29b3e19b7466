//! Clients and servers in pairs that never meet, with loss: the states grow linearly with the pairs, and the time
//! should, too.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use netcheck as tokio;
use netcheck::check::{Checker, Report, Udp};
use std::hint::black_box;
use std::time::{Duration, Instant};
use tokio::net::UdpSocket;
use tokio::time::timeout;

const REQUESTS: u8 = 4;

/// Each twice as many as the one before.
const PAIRS: [usize; 5] = [12, 24, 48, 96, 192];

async fn server() {
    let socket = UdpSocket::bind("0.0.0.0:4000").await.expect("the port is free");
    for _ in 0..REQUESTS {
        let mut buffer = [0; 8];
        let Ok(received) = timeout(Duration::from_millis(100), socket.recv_from(&mut buffer)).await else { return };
        let (length, from) = received.expect("a receive succeeds");
        socket.send_to(&buffer[..length], from).await.expect("a send succeeds");
    }
}

async fn client(server: String) {
    let socket = UdpSocket::bind("0.0.0.0:0").await.expect("a port is free");
    for request in 0..REQUESTS {
        socket.send_to(&[request], &server).await.expect("a send succeeds");
        let _ = timeout(Duration::from_millis(10), socket.recv_from(&mut [0; 8])).await;
    }
}

fn explore(pairs: usize) -> Report {
    Checker::new().udp(Udp::new().loss()).check(move |net| {
        for pair in 0..pairs {
            net.daemon(format!("server{pair}"), server);
            net.process(format!("client{pair}"), move || client(format!("server{pair}:4000")));
        }
    })
}

/// The shortest of a few times, beside that of the row before: twice as many pairs should take twice as long.
fn print_growth() {
    let mut before: Option<f64> = None;
    for pairs in PAIRS {
        let timed = || {
            let began = Instant::now();
            let report = explore(pairs);
            (began.elapsed().as_secs_f64(), report)
        };
        let shortest = (0..3).map(|_| timed()).min_by(|(a, _), (b, _)| a.total_cmp(b));
        let (seconds, report) = shortest.expect("three were timed");
        let states = report.states();
        println!(
            "{pairs:>4} pairs: {states:>6} states, {seconds:.3} s ({:.1} times the row before), {:>6.1} us and {:>5} bytes a state",
            seconds / before.unwrap_or(seconds),
            seconds * 1e6 / states as f64,
            report.memory_bytes() / states,
        );
        before = Some(seconds);
    }
}

/// Elements are states: the same rate for any number of pairs is linear growth.
fn growth(criterion: &mut Criterion) {
    print_growth();
    let mut group = criterion.benchmark_group("pairs that never meet");
    group.sample_size(10);
    for pairs in PAIRS {
        group.throughput(Throughput::Elements(explore(pairs).states() as u64));
        group.bench_with_input(BenchmarkId::from_parameter(pairs), &pairs, |bench, &pairs| {
            bench.iter(|| black_box(explore(pairs)));
        });
    }
    group.finish();
}

criterion_group!(benches, growth);
criterion_main!(benches);
