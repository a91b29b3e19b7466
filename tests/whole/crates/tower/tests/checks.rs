//! Checks of the counter and its client, with every crate that they use.

use hyper::Method;
use netcheck::Network;
use tower_program::{Repeat, asks, asks_through_a_buffer, counts_again_after_a_while, server};

#[netcheck::model_check(whole)]
#[netcheck::model_check(whole, tcp(read, write, reset), at_most = 1, name = one_failure)]
fn a_get_through_a_buffer_is_answered_or_fails(net: &mut Network) {
    net.daemon("server", server);
    let client = || async {
        match asks_through_a_buffer().await {
            Ok(count) => assert_eq!(count, "0"),
            Err(_) => netcheck::sometimes!(true, "a request fails"),
        }
    };
    net.process("client", client).after("server");
}

/// Without the time-out the client would wait for ever.
#[netcheck::model_check(whole, tcp(hang), at_most = 1)]
fn a_connect_that_is_never_answered_is_given_up(net: &mut Network) {
    net.daemon("server", server);
    let client = || async {
        match asks_through_a_buffer().await {
            Ok(count) => assert_eq!(count, "0"),
            Err(error) => assert!(error.is::<tower::timeout::error::Elapsed>(), "{error}"),
        }
    };
    net.process("client", client).after("server");
}

/// A client that sends a POST, and takes any count but 1 for an error.
fn counts_once(net: &mut Network, key: Option<&'static str>, repeat: Repeat) {
    net.daemon("server", server);
    let client = move || async move {
        if let Ok(count) = asks(Method::POST, key, repeat).await {
            assert_eq!(count, "1", "counted more than once");
        }
    };
    net.process("client", client).after("server");
}

#[netcheck::model_check(whole)]
fn a_post_is_counted(net: &mut Network) {
    counts_once(net, None, Repeat::Everything);
}

#[netcheck::model_check(whole, tcp(read, write, reset), at_most = 1, expect = panic)]
fn a_post_that_the_retry_layer_repeats_counts_twice(net: &mut Network) {
    counts_once(net, None, Repeat::Everything);
}

#[netcheck::model_check(whole, tcp(read, write, reset), at_most = 1)]
fn a_post_is_not_repeated_if_only_idempotent_requests_are(net: &mut Network) {
    counts_once(net, None, Repeat::Idempotent);
}

#[netcheck::model_check(whole, tcp(read, write, reset), at_most = 1)]
fn a_post_with_a_key_counts_once(net: &mut Network) {
    counts_once(net, Some("one"), Repeat::Idempotent);
}

/// A get is repeated, so that one failure is never seen.
#[netcheck::model_check(whole, tcp(read, write, reset), at_most = 1)]
fn a_get_survives_one_failure(net: &mut Network) {
    net.daemon("server", server);
    let client = || async {
        let answer = asks(Method::GET, None, Repeat::Idempotent).await;
        assert_eq!(answer.expect("one of two requests is answered"), "0");
    };
    net.process("client", client).after("server");
}

/// A client that counts twice, with a pause in which the server may close the connection.
fn counts_again(net: &mut Network, idle: usize) {
    net.daemon("server", server);
    let client = move || async move {
        let answer = counts_again_after_a_while(idle).await;
        assert_eq!(answer.expect("nothing fails in the network"), "2");
    };
    net.process("client", client).after("server");
}

/// The network is reliable here. The server closes the connection while the request is on its way to it.
#[netcheck::model_check(whole, expect = panic)]
fn a_pooled_connection_is_used_that_the_server_has_closed(net: &mut Network) {
    counts_again(net, 1);
}

#[netcheck::model_check(whole)]
fn a_client_without_idle_connections_uses_none_that_was_closed(net: &mut Network) {
    counts_again(net, 0);
}
