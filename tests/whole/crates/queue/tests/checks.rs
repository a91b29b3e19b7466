//! Checks of a queue of jobs: each job is done once, whoever loses a connection.

use netcheck::Network;
use queue_program::{server, submits, works};
use std::time::Duration;

/// A server, workers who take five seconds for a job, and a client, who has the result unless its own connection fails.
fn network(net: &mut Network, workers: &'static [&'static str], checks: bool) {
    net.daemon("server", move || server(checks));
    for worker in workers {
        net.daemon(*worker, move || works(worker, Duration::from_secs(5))).after("server");
    }
    let submits = || async {
        if let Ok(result) = submits("job").await {
            assert_eq!(result, "JOB");
        }
    };
    net.process("client", submits).after("server");
}

#[netcheck::model_check(whole)]
#[netcheck::model_check(whole, tcp(read, write), at_most = 1, name = one_failure)]
fn one_worker_does_each_job_once(net: &mut Network) {
    network(net, &["w1"], true);
}

#[netcheck::model_check(whole)]
#[netcheck::model_check(whole, tcp(read, write), at_most = 1, name = one_failure)]
fn two_workers_do_each_job_once(net: &mut Network) {
    network(net, &["w1", "w2"], true);
}

/// Both have worked on it, and both have reported it.
#[netcheck::model_check(whole, tcp(read, write), at_most = 1, expect = panic)]
fn a_job_is_done_twice_where_leases_are_not_looked_at(net: &mut Network) {
    network(net, &["w1", "w2"], false);
}
