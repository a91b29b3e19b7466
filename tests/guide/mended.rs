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

/// How many of the requests were answered.
async fn client() -> usize {
    let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
    let mut answered = 0;
    for request in ["one", "two"] {
        socket.send_to(request.as_bytes(), "server:4000").await.unwrap();
        let answer = timeout(Duration::from_secs(1), answer_to(&socket, request));
        answered += usize::from(answer.await.is_ok());
    }
    answered
}

/// Waits until one comes; those to other requests are late, or come twice.
async fn answer_to(socket: &UdpSocket, request: &str) {
    let mut buffer = [0; 16];
    loop {
        let length = socket.recv(&mut buffer).await.unwrap();
        if &buffer[..length] == request.as_bytes() {
            return;
        }
    }
}

#[netcheck::model_check(udp(loss, duplication))]
fn answers_belong_to_their_requests(net: &mut netcheck::Network) {
    net.daemon("server", server);
    net.process("client", client).after("server");
}
