//! Checks of the store and its clients, with every crate that they use.

use netcheck::Network;
use redis_program::{cancels_and_asks, increments, managed, multiplexed, server, sets_and_gets};

#[netcheck::model_check(whole)]
#[netcheck::model_check(whole, tcp(read, write, reset), at_most = 1, name = one_failure)]
fn a_value_is_read_or_a_request_fails(net: &mut Network) {
    net.daemon("server", server);
    let client = || async {
        match sets_and_gets().await {
            Ok(value) => assert_eq!(value, "value"),
            Err(_) => netcheck::sometimes!(true, "a request fails"),
        }
    };
    net.process("client", client).after("server");
}

/// The answer to `INCR` is a number, and nobody has set the other key.
#[netcheck::model_check(whole)]
fn the_answer_to_a_cancelled_request_is_not_that_of_the_next(net: &mut Network) {
    net.daemon("server", server);
    let client = || async {
        let answer = cancels_and_asks(multiplexed().await.unwrap()).await;
        assert_eq!(answer.unwrap(), None, "the answer to another request");
    };
    net.process("client", client).after("server");
}

#[netcheck::model_check(whole)]
fn the_answer_to_a_cancelled_request_of_a_manager_is_not_that_of_the_next(net: &mut Network) {
    net.daemon("server", server);
    let client = || async {
        let answer = cancels_and_asks(managed().await.unwrap()).await;
        assert_eq!(answer.unwrap(), None, "the answer to another request");
    };
    net.process("client", client).after("server");
}

/// The manager makes the connection anew, but repeats no command: the program learns of the failure.
#[netcheck::model_check(whole, tcp(read, write, reset), at_most = 1)]
fn a_manager_counts_at_most_once(net: &mut Network) {
    net.daemon("server", server);
    let client = || async {
        if let Ok(count) = increments().await {
            assert!(count <= 1, "counted more than once");
        }
    };
    net.process("client", client).after("server");
}
