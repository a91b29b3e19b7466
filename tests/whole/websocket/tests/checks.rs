//! Checks of the echo, with every crate that it uses.

use netcheck::Network;
use websocket::{serve, server, talk};

#[netcheck::model_check(whole)]
#[netcheck::model_check(whole, tcp(read, write, reset), at_most = 1, name = one_failure)]
fn an_answer_is_what_was_said(net: &mut Network) {
    net.daemon("server", server);
    let says = || async {
        if let Ok(answer) = talk("server", "hello").await {
            assert_eq!(answer, "hello");
        }
    };
    net.process("client", says).after("server");
}

/// A test as for tokio: every schedule of it is explored.
#[tokio::test]
async fn an_echo_comes_back() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:9000").await.unwrap();
    tokio::spawn(serve(listener));
    assert_eq!(talk("localhost", "hi").await.unwrap(), "hi");
}
