use netcheck as tokio;
use netcheck::check::{Checker, Udp};
use tokio::net::UdpSocket;
use tokio::time::{Duration, timeout};

async fn server() {
    let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
    let (_, from) = socket.recv_from(&mut [0; 8]).await.unwrap();
    socket.send_to(b"answer", from).await.unwrap();
}

async fn client() -> bool {
    let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
    socket.send_to(b"ask", "server:4000").await.unwrap();
    timeout(Duration::from_secs(1), socket.recv(&mut [0; 8])).await.is_ok()
}

#[test]
fn the_protocol_of_a_client() {
    let report = Checker::new().udp(Udp::new().loss()).check(|net| {
        net.daemon("server", server);
        net.process("client", client).after("server");
    });
    println!("{}", report.automaton("client").mermaid());
    assert!(report.automaton("client").dot().starts_with("digraph"));
}
