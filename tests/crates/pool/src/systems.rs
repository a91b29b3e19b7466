//! What is checked: users of one pool, each a task of the process `users`, and a server.

use super::*;
use netcheck::Network;
use netcheck::check::{Checker, Tcp};
use std::collections::BTreeSet;
use std::sync::Arc;
use tokio::task::JoinSet;

/// A name, how it is checked, and what is checked.
pub type System = (&'static str, Checker, fn(&mut Network));

/// All of them. Those that are too big have a limit of states.
pub fn systems() -> Vec<System> {
    let failing = || Checker::new().tcp(Tcp::new().fail_read().fail_write()).at_most(1);
    const MANY: usize = 1_000_000;
    vec![
        ("two users of one connection", Checker::new(), two_users_of_one),
        ("two users of one connection, failures", failing().max_states(MANY), two_users_of_one_that_may_fail),
        ("two users of two connections", Checker::new().max_states(MANY), two_users_of_two),
        ("three users of one connection", Checker::new().max_states(MANY), three_users_of_one),
        ("three users of two connections", Checker::new().max_states(MANY), three_users_of_two),
        ("three users of two connections, failures", failing().max_states(MANY), three_users_of_two_that_may_fail),
    ]
}

/// Two users, who ask one after the other.
pub fn two_users_of_one(net: &mut Network) {
    users(net, 2, 1, true);
}

/// As [`two_users_of_one`], where one request may fail.
pub fn two_users_of_one_that_may_fail(net: &mut Network) {
    users(net, 2, 1, false);
}

/// Two users at the same time.
pub fn two_users_of_two(net: &mut Network) {
    users(net, 2, 2, true);
}

/// Three users, who ask one after the other.
pub fn three_users_of_one(net: &mut Network) {
    users(net, 3, 1, true);
}

/// Three users, of whom two ask at the same time.
pub fn three_users_of_two(net: &mut Network) {
    users(net, 3, 2, true);
}

/// As [`three_users_of_two`], where one request may fail.
pub fn three_users_of_two_that_may_fail(net: &mut Network) {
    users(net, 3, 2, false);
}

/// Connections that are checked out, by their own ports.
#[derive(Default)]
struct Used(Mutex<BTreeSet<u16>>);

impl Used {
    fn begin(&self, port: u16) {
        assert!(self.0.lock().expect("no panic with the lock").insert(port), "a connection is shared");
    }

    fn end(&self, port: u16) {
        self.0.lock().expect("no panic with the lock").remove(&port);
    }
}

/// Each user has one request. Unless all succeed, one may fail.
fn users(net: &mut Network, users: u8, limit: usize, all_succeed: bool) {
    net.daemon("server", || async { serve(TcpListener::bind("0.0.0.0:4000").await?).await });
    let run = move || async move {
        let pool = Arc::new(Pool::new("server:4000", limit));
        let used = Arc::new(Used::default());
        let mut tasks = JoinSet::new();
        for user in 0..users {
            let (pool, used) = (Arc::clone(&pool), Arc::clone(&used));
            tasks.spawn(async move { ask(&pool, &used, [b'a' + user]).await.is_ok() });
        }
        let succeeded = tasks.join_all().await.into_iter().filter(|is_ok| *is_ok).count();
        assert!(succeeded + usize::from(!all_succeed) >= usize::from(users), "one failure ends {succeeded} requests");
        let idle = pool.idle().len();
        assert!((1..=limit).contains(&idle) || !all_succeed, "{idle} connections are idle");
    };
    net.process("users", run).after("server");
}

async fn ask(pool: &Pool, used: &Used, request: [u8; 1]) -> io::Result<()> {
    let mut connection = pool.check_out().await?;
    let port = connection.local_addr()?.port();
    used.begin(port);
    let answer = exchange(&mut connection, &request).await;
    used.end(port);
    match answer {
        Ok(answer) => assert_eq!(answer, request, "the answer to another request"),
        Err(error) => {
            connection.discard();
            return Err(error);
        }
    }
    Ok(())
}
