//! Checks of the web service, with every crate that it uses.

use netcheck::Network;
use web::{Failed, Stopping, ask, increments, increments_once, server, server_that_stops, stops};

/// One counter, one client: more than once is an error.
async fn counts_once(failed: Failed) -> Result<(), String> {
    let count = increments(failed).await.map_err(|error| error.to_string())?;
    assert_eq!(count, "1", "counted more than once");
    Ok(())
}

#[netcheck::model_check(whole)]
#[netcheck::model_check(whole, tcp(read, write, reset), at_most = 1, name = one_failure)]
fn the_count_is_answered_or_the_request_fails(net: &mut Network) {
    net.daemon("server", server);
    let asks = || async {
        match ask().await {
            Ok(count) => assert_eq!(count, "0"),
            Err(error) => netcheck::sometimes!(error.is_request(), "a request fails"),
        }
    };
    net.process("client", asks).after("server");
}

#[netcheck::model_check(whole, tcp(read, write, reset), at_most = 1)]
fn a_client_that_gives_up_counts_at_most_once(net: &mut Network) {
    net.daemon("server", server);
    net.process("client", || async { _ = counts_once(Failed::GiveUp).await }).after("server");
}

#[netcheck::model_check(whole, tcp(read, write, reset), at_most = 1, expect = panic)]
fn a_post_that_is_repeated_counts_twice(net: &mut Network) {
    net.daemon("server", server);
    net.process("client", || async { _ = counts_once(Failed::Repeat).await }).after("server");
}

#[netcheck::model_check(whole)]
fn two_clients_count_to_two(net: &mut Network) {
    net.daemon("server", server);
    for client in ["a", "b"] {
        net.process(client, increments_once).after("server");
    }
    net.finally(|end| {
        let mut counts = ["a", "b"].map(|client| end.output(client).map(str::to_owned).unwrap_or_default());
        counts.sort();
        if counts == ["Ok(\"1\")", "Ok(\"2\")"] { Ok(()) } else { Err(format!("{counts:?}")) }
    });
}

/// A request that was counted is answered.
fn stopping(net: &mut Network, stopping: Stopping) {
    net.process("server", move || server_that_stops(stopping));
    net.process("client", increments_once).after("server");
    net.process("operator", stops).after("server");
    net.finally(|end| match [end.output("server"), end.output("client")] {
        [Some("Ok(1)"), Some(answer)] if answer != "Ok(\"1\")" => {
            Err(format!("it was counted, and the client has {answer}"))
        }
        _ => Ok(()),
    });
}

// In any order of the server's tasks, it is verified in 3,600,000 states, which takes five minutes.
#[netcheck::model_check(whole, tasks = fifo)]
fn a_server_that_answers_before_it_stops_loses_no_request(net: &mut Network) {
    stopping(net, Stopping::Answers);
}

#[netcheck::model_check(whole, expect = property)]
fn a_server_that_stops_at_once_loses_a_request(net: &mut Network) {
    stopping(net, Stopping::Forgets);
}
