//! Checks of the server and its client, with every crate that they use.

use nats_program::{greet, server};
use netcheck::Network;

/// A client that must hear its greeting.
async fn hears(attempts: usize) {
    assert_eq!(greet("hello", attempts).await.unwrap(), "hello");
}

#[netcheck::model_check(whole)]
#[netcheck::model_check(whole, tcp(read, write, reset), at_most = 1, duration = 10s, name = one_failure)]
fn a_greeting_arrives_or_an_error_is_seen(net: &mut Network) {
    net.daemon("server", server);
    let greets = || async {
        match greet("hello", 1).await {
            Ok(greeting) => assert_eq!(greeting, "hello"),
            Err(error) => assert_eq!(error.to_string(), "no greeting has come"),
        }
    };
    net.process("client", greets).after("server");
}

/// The connection fails after the message was written to it.
#[netcheck::model_check(whole, tcp(read, write, reset), at_most = 1, duration = 10s, expect = panic)]
fn a_greeting_is_lost(net: &mut Network) {
    net.daemon("server", server);
    net.process("client", || hears(1)).after("server");
}

#[netcheck::model_check(whole)]
#[netcheck::model_check(whole, tcp(read, write, reset), at_most = 1, duration = 10s, name = one_failure)]
fn a_greeting_that_is_repeated_arrives(net: &mut Network) {
    net.daemon("server", server);
    net.process("client", || hears(2)).after("server");
}
