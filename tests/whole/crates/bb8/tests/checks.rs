//! Checks of the pool and its users, with every crate that they use.

use bb8_program::{Test, asks, cancels_and_asks, pool, server};
use netcheck::Network;

#[netcheck::model_check(whole)]
#[netcheck::model_check(whole, tcp(read, write, reset), at_most = 1, name = one_failure)]
fn a_request_is_answered_or_fails(net: &mut Network) {
    net.daemon("server", server);
    let client = || async {
        match asks(&pool(Test::Pending), "hello").await {
            Ok(answer) => assert_eq!(answer, "hello"),
            Err(_) => netcheck::sometimes!(true, "a request fails"),
        }
    };
    net.process("client", client).after("server");
}

/// Two tasks share the one connection.
#[netcheck::model_check(whole)]
fn two_users_get_their_answers(net: &mut Network) {
    net.daemon("server", server);
    let client = || async {
        let pool = pool(Test::Pending);
        let other = pool.clone();
        let other = tokio::spawn(async move { asks(&other, "two").await.unwrap() });
        assert_eq!(asks(&pool, "one").await.unwrap(), "one");
        assert_eq!(other.await.unwrap(), "two");
    };
    net.process("client", client).after("server");
}

/// A client whose second answer has to be that to its second request.
fn cancels(net: &mut Network, test: Test) {
    net.daemon("server", server);
    let client = move || async move {
        let answer = cancels_and_asks(test).await;
        assert_eq!(answer.unwrap(), "two", "the answer to another request");
    };
    net.process("client", client).after("server");
}

#[netcheck::model_check(whole, expect = panic)]
fn the_answer_to_a_cancelled_request_is_read_by_the_next_user(net: &mut Network) {
    cancels(net, Test::Nothing);
}

#[netcheck::model_check(whole)]
fn a_connection_with_an_answer_to_come_is_not_used_again(net: &mut Network) {
    cancels(net, Test::Pending);
}

/// A user can be cancelled while the pool waits for its ping, too. The answer to that ping passes for the answer to the
/// next one, and what is read afterwards is the answer to a ping.
#[netcheck::model_check(whole, expect = panic)]
fn the_answer_to_a_cancelled_ping_passes_for_that_to_the_next(net: &mut Network) {
    cancels(net, Test::Ping);
}

#[netcheck::model_check(whole)]
fn a_connection_that_does_not_answer_this_very_ping_is_not_used_again(net: &mut Network) {
    cancels(net, Test::NumberedPing);
}
