//! Checks of the counting server and its clients, with every crate that they use.

use mqtt_program::{Count, Failed, server, visit};
use netcheck::Network;

/// One visitor: more than one visit is an error.
async fn counts_once(failed: Failed) {
    match visit(failed).await {
        Ok(count) => assert_eq!(count, "1", "one visit"),
        Err(error) => assert_eq!(failed, Failed::GiveUp, "{error}"),
    }
}

#[netcheck::model_check(whole)]
#[netcheck::model_check(whole, tcp(read, write, reset), at_most = 1, name = one_failure)]
fn a_visit_is_counted_or_an_error_is_seen(net: &mut Network) {
    net.daemon("server", || server(Count::Messages));
    net.process("client", || counts_once(Failed::GiveUp)).after("server");
}

/// QoS 1 delivers *at least* once: the acknowledgement is lost, and the message published again.
#[netcheck::model_check(whole, tcp(read, write, reset), at_most = 1, expect = panic)]
fn a_visit_that_is_published_again_counts_twice(net: &mut Network) {
    net.daemon("server", || server(Count::Messages));
    net.process("client", || counts_once(Failed::Reconnect)).after("server");
}

/// A server that knows the visitor counts no second message.
#[netcheck::model_check(whole, tcp(read, write, reset), at_most = 1)]
fn a_visitor_counts_once(net: &mut Network) {
    net.daemon("server", || server(Count::Visitors));
    net.process("client", || counts_once(Failed::Reconnect)).after("server");
}
