//! Mutual exclusion without a central server: nodes order their requests by logical clocks.
//!
//! L. Lamport, "Time, clocks, and the ordering of events in a distributed system" (Communications of
//! the ACM 21(7), 1978), the five rules of the section "Ordering the events totally". Messages from
//! one node to another have to arrive in the order in which they were sent.
//!
//! The resource is a process that watches who uses it.

use super::verified;
use netcheck as tokio;
use netcheck::check::{Checker, Identity, Udp, ViolationKind};
use netcheck::{Network, always, sometimes};
use tokio::net::UdpSocket;

/// When a node may use the resource (rule 5).
#[derive(Clone, Copy, PartialEq)]
pub enum Rule {
    /// Its request comes first, and every other node has sent something later.
    FirstOfAll,
    /// Its request comes first of those that it knows.
    FirstOfThoseKnown,
}

/// A logical time; of equal ones, the lower number of the node comes first.
type Time = (u32, usize);

struct Node {
    own: usize,
    socket: UdpSocket,
    clock: u32,
    /// By node.
    requests: Vec<Option<Time>>,
    /// When the last message from each node was sent.
    heard: Vec<Time>,
}

/// Uses the resource once if it is started, and ends when all users have. Ends with whether it
/// was one.
async fn node(own: usize, nodes: usize, users: usize, rule: Rule) -> bool {
    let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
    let mut node = Node { own, socket, clock: 0, requests: vec![None; nodes], heard: vec![(0, 0); nodes] };
    let (mut has_used, mut releases) = (false, 0);
    while releases < users {
        match node.receive().await.as_str() {
            "start" => {
                node.clock += 1;
                node.requests[own] = Some((node.clock, own));
                node.send_to_others("request").await;
            }
            "release" => releases += 1,
            _ => {}
        }
        if node.may_enter(rule) {
            use_resource().await;
            has_used = true;
            node.requests[own] = None;
            node.clock += 1;
            node.send_to_others("release").await;
            releases += 1;
        }
    }
    has_used
}

impl Node {
    /// Takes in one message, such as "request 1 from 2", and returns its kind.
    async fn receive(&mut self) -> String {
        let mut buffer = [0; 32];
        let length = self.socket.recv(&mut buffer).await.unwrap();
        let words: Vec<&str> = std::str::from_utf8(&buffer[..length]).unwrap().split(' ').collect();
        let [kind, time, _, from] = words[..] else { return words[0].to_owned() };
        let (time, from) = (time.parse().unwrap(), from.parse().unwrap());
        self.clock = self.clock.max(time) + 1;
        self.heard[from] = (time, from);
        match kind {
            "request" => {
                self.requests[from] = Some((time, from));
                self.send("reply", from).await;
            }
            "release" => self.requests[from] = None,
            _ => {}
        }
        kind.to_owned()
    }

    fn may_enter(&self, rule: Rule) -> bool {
        let Some(request) = self.requests[self.own] else { return false };
        let is_first = self.requests.iter().flatten().all(|other| request <= *other);
        let is_known_to_all = self.others().all(|node| self.heard[node] > request);
        sometimes!(is_first && !is_known_to_all, "the first request is not yet known to all");
        is_first && (is_known_to_all || rule == Rule::FirstOfThoseKnown)
    }

    fn others(&self) -> impl Iterator<Item = usize> {
        let own = self.own;
        (0..self.heard.len()).filter(move |node| *node != own)
    }

    async fn send_to_others(&self, kind: &str) {
        for node in self.others() {
            self.send(kind, node).await;
        }
    }

    async fn send(&self, kind: &str, to: usize) {
        let message = format!("{kind} {} from {}", self.clock, self.own);
        self.socket.send_to(message.as_bytes(), format!("node-{to}:4000")).await.unwrap();
    }
}

async fn use_resource() {
    let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
    socket.connect("resource:4000").await.unwrap();
    for event in ["enter", "leave"] {
        socket.send(event.as_bytes()).await.unwrap();
        socket.recv(&mut [0; 2]).await.unwrap();
    }
}

async fn resource() {
    let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
    let mut is_in_use = false;
    loop {
        let mut event = [0; 5];
        let (_, node) = socket.recv_from(&mut event).await.unwrap();
        let enters = event == *b"enter";
        always!(!(enters && is_in_use), "one node at a time uses the resource");
        is_in_use = enters;
        socket.send_to(b"ok", node).await.unwrap();
    }
}

/// Starts so many of the nodes.
async fn starter(users: usize) {
    let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
    for node in 0..users {
        socket.send_to(b"start", format!("node-{node}:4000")).await.unwrap();
    }
}

pub fn competition(net: &mut Network, nodes: usize, users: usize, rule: Rule) {
    net.daemon("resource", resource);
    for own in 0..nodes {
        net.process(format!("node-{own}"), move || node(own, nodes, users, rule)).after("resource");
    }
    let starter = net.process("starter", move || starter(users));
    for node in 0..nodes {
        starter.after(format!("node-{node}"));
    }
}

#[test]
fn one_at_a_time_uses_the_resource_and_each_does_in_the_end() {
    for (nodes, users, reduction, figures) in [
        (2, 2, true, (242, 272)),
        (2, 2, false, (311, 484)),
        (3, 2, true, (4_566, 5_709)),
        (3, 2, false, (8_330, 16_207)),
    ] {
        let checker = Checker::new().identity(Identity::History).reduction(reduction);
        let report = checker.check(|net| competition(net, nodes, users, Rule::FirstOfAll));
        verified(&report, figures);
        for node in 0..nodes {
            assert_eq!(report.outputs(&format!("node-{node}")), [(node < users).to_string()]);
        }
    }
}

/// The paper asks for it.
#[test]
fn the_order_of_messages_matters() {
    let checker = Checker::new().udp(Udp::new().reorder(2)).at_most(1);
    let report = checker.check(|net| competition(net, 2, 2, Rule::FirstOfAll));
    assert_eq!(report.counterexample().expect("a violation has one").kind(), ViolationKind::Property, "{report}");
}

#[netcheck::model_check(expect = property, snapshot)]
fn a_request_that_is_not_known_yet_may_have_been_first(net: &mut Network) {
    competition(net, 2, 2, Rule::FirstOfThoseKnown);
}
