//! A server that counts, and its client.

use netcheck::net::UdpSocket;
use netcheck::time::timeout;
use std::time::Duration;

/// Answers each request with how many there were.
pub(crate) async fn counter() {
    let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
    let mut count = 0;
    loop {
        let (_, from) = socket.recv_from(&mut [0]).await.unwrap();
        count += 1;
        socket.send_to(&[count], from).await.unwrap();
    }
}

/// Asks so many times; 0 stands for no answer.
pub(crate) async fn ask(times: usize) -> Vec<u8> {
    let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
    socket.connect("server:4000").await.unwrap();
    let mut answers = Vec::new();
    for _ in 0..times {
        let mut answer = [0];
        socket.send(b"?").await.unwrap();
        let answered = timeout(Duration::from_secs(1), socket.recv(&mut answer)).await;
        answers.push(answered.map_or(0, |_| answer[0]));
    }
    answers
}
