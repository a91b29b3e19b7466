//! The program of mended.rs after another change: its client asks for something else.

use netcheck as tokio;
use tokio::net::UdpSocket;
use tokio::time::{Duration, timeout};

async fn server() {
    let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
    let mut buffer = [0; 16];
    loop {
        let (length, client) = socket.recv_from(&mut buffer).await.unwrap();
        socket.send_to(&buffer[..length], client).await.unwrap();
    }
}

async fn client() {
    let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
    for request in ["eins", "zwei"] {
        socket.send_to(request.as_bytes(), "server:4000").await.unwrap();
        let _ = timeout(Duration::from_secs(1), socket.recv(&mut [0; 16])).await;
    }
}

#[netcheck::model_check(replay = "tests/guide/late_answer.json")]
#[ignore = "run in a child: it fails"]
fn an_answer_that_comes_twice_is_for_one_request(net: &mut netcheck::Network) {
    net.daemon("server", server);
    net.process("client", client).after("server");
}
