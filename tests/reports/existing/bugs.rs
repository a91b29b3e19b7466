//! Tests with a bug that the schedule of a runtime of one thread hides: each task runs until it
//! has to wait, and while another yields, the spawned one runs.

use super::tokio;
use std::sync::Arc;
use tokio::net::{TcpListener, TcpStream, UdpSocket};
use tokio::sync::Mutex;
use tokio::task::yield_now;

pub(crate) async fn the_server_may_not_listen_yet() {
    let free = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    tokio::spawn(async move {
        let listener = TcpListener::bind(free).await.unwrap();
        listener.accept().await.unwrap();
    });
    yield_now().await;
    TcpStream::connect(free).await.expect("the server listens");
}

pub(crate) async fn deposits_may_overlap() {
    let balance = Arc::new(Mutex::new(0));
    let deposits = [1, 2].map(|amount| {
        let balance = Arc::clone(&balance);
        tokio::spawn(async move {
            let before = *balance.lock().await;
            UdpSocket::bind("127.0.0.1:0").await.expect("a port for the receipt");
            *balance.lock().await = before + amount;
        })
    });
    for deposit in deposits {
        deposit.await.expect("no panic");
    }
    assert_eq!(*balance.lock().await, 3, "a deposit is lost");
}
