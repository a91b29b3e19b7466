//! Checks of the thermometer, with every crate that it uses. tonic's client has up to five tasks, in any order more than
//! a million states: each check takes tokio's order of one thread.

use netcheck::{Network, faults};
use tonic_program::{Broken, connect, server};

#[netcheck::model_check(whole, tasks = fifo, tcp(read, write, reset), at_most = 1)]
fn a_client_is_connected_or_the_connect_fails(net: &mut Network) {
    net.daemon("server", server);
    let connects = || async { netcheck::sometimes!(connect().await.is_err(), "a connect fails") };
    net.process("client", connects).after("server");
}

/// Failures are those of the client's calls, once it is connected.
#[netcheck::model_check(whole, tasks = fifo, name = no_failure)]
#[netcheck::model_check(whole, tasks = fifo, tcp(read, write, reset), at_most = 1, name = one_failure)]
fn the_latest_reading_is_answered_or_the_call_fails(net: &mut Network) {
    net.daemon("server", server);
    let asks = || async {
        let mut client = connect().await.unwrap();
        match faults::scope(client.latest("kitchen")).await {
            Ok(celsius) => assert_eq!(celsius, 21),
            Err(_) => netcheck::sometimes!(true, "a call fails"),
        }
    };
    net.process("client", asks).after("server");
}

/// All readings arrive, or the client knows that they don't.
async fn complete(broken: Broken) {
    let mut client = connect().await.unwrap();
    if let Ok(readings) = faults::scope(client.history("kitchen", broken)).await {
        assert_eq!(readings, [19, 21], "taken for all readings");
    }
}

#[netcheck::model_check(whole, tasks = fifo, name = no_failure)]
#[netcheck::model_check(whole, tasks = fifo, tcp(read, write, reset), at_most = 1, name = one_failure)]
fn a_stream_whose_errors_are_errors_is_complete(net: &mut Network) {
    net.daemon("server", server);
    net.process("client", || complete(Broken::Error)).after("server");
}

/// A connection that fails after some of the readings.
#[netcheck::model_check(whole, tasks = fifo, tcp(read, write, reset), at_most = 1, expect = panic)]
fn a_stream_whose_errors_are_its_end_is_taken_for_complete(net: &mut Network) {
    net.daemon("server", server);
    net.process("client", || complete(Broken::End)).after("server");
}
