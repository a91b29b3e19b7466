use netcheck as tokio;
use netcheck::Network;
use tokio::net::UdpSocket;
use tokio::time::{Duration, sleep};

async fn server() {
    let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
    let mut requests = Box::new(0_u32);
    loop {
        let (_, from) = socket.recv_from(&mut [0; 8]).await.unwrap();
        *requests = (*requests + 1) % 100;
        if *requests == 0 {
            println!("another 100 requests");
        }
        socket.send_to(b"answer", from).await.unwrap();
    }
}

async fn client() {
    let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
    loop {
        socket.send_to(b"request", "server:4000").await.unwrap();
        socket.recv(&mut [0; 8]).await.unwrap();
        sleep(Duration::from_secs(1)).await;
    }
}

#[netcheck::model_check]
fn requests_are_answered(net: &mut Network) {
    net.daemon("server", server);
    net.daemon("client", client).after("server");
}
