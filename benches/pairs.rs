//! Clients and servers in pairs that never meet, with loss: the states grow linearly with the pairs, and the time
//! should, too.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use netcheck as tokio;
use netcheck::check::{Checker, Report, Udp};
use std::hint::black_box;
use std::time::Duration;
use tokio::net::UdpSocket;
use tokio::time::timeout;

const REQUESTS: u8 = 4;

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

/// Elements are states: the same rate for any number of pairs is linear growth.
fn growth(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("pairs that never meet");
    group.sample_size(10);
    for pairs in [12, 24, 48, 96, 192] {
        group.throughput(Throughput::Elements(explore(pairs).states() as u64));
        group.bench_with_input(BenchmarkId::from_parameter(pairs), &pairs, |bench, &pairs| {
            bench.iter(|| black_box(explore(pairs)));
        });
    }
    group.finish();
}

criterion_group!(benches, growth);
criterion_main!(benches);
