use netcheck as tokio;
use tokio::net::UdpSocket;
use tokio::time::{Duration, timeout};

async fn server() {
    let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
    loop {
        socket.recv(&mut [0]).await.unwrap();
    }
}

async fn client() {
    let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
    socket.connect("server:4000").await.unwrap();
    loop {
        socket.send(b"?").await.unwrap();
        if timeout(Duration::from_secs(1), socket.recv(&mut [0])).await.is_ok() {
            return;
        }
    }
}

#[netcheck::model_check(liveness = on)]
#[ignore = "run in a child: it fails"]
fn the_answer_comes_at_last(net: &mut netcheck::Network) {
    net.daemon("server", server);
    net.process("client", client).after("server");
}
