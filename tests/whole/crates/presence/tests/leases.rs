//! Checks of leases that end in a `DelayQueue`, whose keeper and holders go on for ever.

use futures_util::StreamExt;
use netcheck::Network;
use presence_program::leases::{holder, keeper};
use std::time::Duration;
use tokio_util::time::DelayQueue;

/// A keeper of leases of so many milliseconds, none of which may end, and two holders.
fn network(net: &mut Network, length_ms: u64) {
    net.daemon("keeper", move || keeper(Duration::from_millis(length_ms), |holder| panic!("{holder} has lost its lease")));
    net.daemon("holder", || holder("a")).after("keeper");
    net.daemon("other", || holder("b")).after("keeper");
}

#[netcheck::model_check(whole)]
fn leases_are_kept_for_ever(net: &mut Network) {
    network(net, 1_500);
}

#[netcheck::model_check(whole, udp(loss), at_most = 1)]
fn one_packet_may_be_lost(net: &mut Network) {
    network(net, 2_500);
}

#[netcheck::model_check(whole, udp(loss), at_most = 2, expect = panic)]
fn two_packets_must_not_be_lost(net: &mut Network) {
    network(net, 2_500);
}

/// A packet comes at most 1.9 seconds after the one before it.
#[netcheck::model_check(whole, udp(delay = 0ms..=900ms))]
fn packets_may_take_their_time(net: &mut Network) {
    net.daemon("keeper", || keeper(Duration::from_millis(2_000), |holder| panic!("{holder} has lost its lease")));
    net.daemon("holder", || holder("a")).after("keeper");
}

#[netcheck::model_check(whole, udp(delay = 0ms..=900ms), expect = panic)]
fn packets_take_too_long(net: &mut Network) {
    net.daemon("keeper", || keeper(Duration::from_millis(1_800), |holder| panic!("{holder} has lost its lease")));
    net.daemon("holder", || holder("a")).after("keeper");
}

/// Two elements with one deadline, and what is seen of them.
async fn in_order() -> [char; 2] {
    let mut queue = DelayQueue::new();
    queue.insert('a', Duration::from_millis(10));
    queue.insert('b', Duration::from_millis(10));
    let told = queue.peek().map(|key| queue.deadline(&key));
    let first = queue.next().await.expect("two are left");
    assert_eq!(told, Some(first.deadline()));
    let next = queue.next().await.expect("one is left");
    assert!(queue.next().await.is_none() && first.deadline() == next.deadline());
    [first.into_inner(), next.into_inner()]
}

#[netcheck::model_check(whole, expect = panic)]
fn the_first_of_two_may_come_first(net: &mut Network) {
    net.process("queue", || async { assert_ne!(in_order().await, ['a', 'b']) });
}

#[netcheck::model_check(whole, expect = panic)]
fn the_first_of_two_may_come_last(net: &mut Network) {
    net.process("queue", || async { assert_ne!(in_order().await, ['b', 'a']) });
}

/// A key names its element until that is gone.
#[netcheck::model_check(whole)]
fn keys_and_peeks_hold(net: &mut Network) {
    net.process("queue", || async {
        let mut queue = DelayQueue::with_capacity(4);
        let keys = ['a', 'b', 'c', 'd'].map(|name| queue.insert(name, Duration::from_millis(10)));
        assert_eq!(queue.remove(&keys[1]).into_inner(), 'b');
        assert!(queue.try_remove(&keys[1]).is_none());
        queue.reset(&keys[2], Duration::from_millis(5));
        assert_eq!(queue.next().await.map(|end| end.key()), Some(keys[2]));
        assert!(queue.peek().is_some_and(|key| key == keys[0] || key == keys[3]));
        queue.clear();
        assert!(queue.next().await.is_none());
        let past = queue.insert_at('e', tokio::time::Instant::now() - Duration::from_secs(1));
        assert_eq!(queue.next().await.map(|end| end.key()), Some(past));
    });
}
