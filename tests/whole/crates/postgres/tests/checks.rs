//! Checks of the table and its clients, with every crate that they use.

use netcheck::Network;
use postgres_program::{Failed, count, server, visit};

const INSERT: &str = "INSERT INTO visits VALUES ('a')";
const INSERT_ONCE: &str = "INSERT INTO visits VALUES ('a') ON CONFLICT DO NOTHING";

/// One visitor: more than one visit is an error.
async fn counts_once(insert: &'static str, failed: Failed) {
    if let Ok(count) = visit(insert, failed).await {
        assert_eq!(count, "1", "counted more than once");
    }
}

#[netcheck::model_check(whole)]
#[netcheck::model_check(whole, tcp(read, write, reset), at_most = 1, name = one_failure)]
fn a_query_is_answered_or_fails(net: &mut Network) {
    net.daemon("server", server);
    let asks = || async {
        match count().await {
            Ok(count) => assert_eq!(count, "0"),
            Err(error) => netcheck::sometimes!(error.is_closed(), "the connection is closed"),
        }
    };
    net.process("client", asks).after("server");
}

#[netcheck::model_check(whole, tcp(read, write, reset), at_most = 1)]
fn a_visitor_that_gives_up_counts_at_most_once(net: &mut Network) {
    net.daemon("server", server);
    net.process("client", || counts_once(INSERT, Failed::GiveUp)).after("server");
}

/// The server has inserted the row, and its answer does not come.
#[netcheck::model_check(whole, tcp(read, write, reset), at_most = 1, expect = panic)]
fn an_insertion_that_is_repeated_counts_twice(net: &mut Network) {
    net.daemon("server", server);
    net.process("client", || counts_once(INSERT, Failed::Repeat)).after("server");
}

/// The second insertion finds the first one's row.
#[netcheck::model_check(whole, tcp(read, write, reset), at_most = 1)]
fn an_insertion_that_ignores_conflicts_can_be_repeated(net: &mut Network) {
    net.daemon("server", server);
    net.process("client", || counts_once(INSERT_ONCE, Failed::Repeat)).after("server");
}
