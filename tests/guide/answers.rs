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
    let mut buffer = [0; 16];
    for request in ["one", "two"] {
        socket.send_to(request.as_bytes(), "server:4000").await.unwrap();
        if let Ok(length) = timeout(Duration::from_secs(1), socket.recv(&mut buffer)).await {
            let answer = String::from_utf8_lossy(&buffer[..length.unwrap()]);
            assert_eq!(answer, request, "the answer to another request");
        }
    }
}

#[netcheck::model_check(udp(loss, duplication))]
#[ignore = "run in a child: it fails"]
fn answers_belong_to_their_requests(net: &mut netcheck::Network) {
    net.daemon("server", server);
    net.process("client", client).after("server");
}
