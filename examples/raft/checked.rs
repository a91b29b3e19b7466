//! Nodes on netcheck, and the monitors that watch them.
//!
//! The program is bounded, and not the check, which explores each scenario to its end:
//!
//! - **Three nodes.** Left out: majorities that have more than one node in common, as of five.
//! - **Elections** start when a node is told so, which a scenario does two times, and each comes at any time. So elections are
//!   explored in all orders in which time-outs could start them. Left out: a third election.
//! - **Nothing is sent again** without timers, and there are no heartbeats but the first ones of a leader. A message comes at
//!   any time, or with `udp(loss)` never. Left out: that it comes twice (`udp(duplication)`), or overtakes another one between
//!   the same nodes (`udp(reorder = 2)`), and a follower that has missed entries for long.
//! - **Values**: one is proposed, and logs have one entry more than at the start at the most.
//! - **Files** are written by `std::fs`, which does not await: a node crashes before all that it writes for one message, or after
//!   it. Left out: a crash in between, between the vote and the log. The calls of `examples/kv` are awaited, and it is checked there.
//! - **Crashes**: one of a node that the check names.

pub use netcheck as tokio;
pub use netcheck::program::std::fs;

#[path = "kept.rs"]
#[allow(clippy::duplicate_mod, reason = "the same source runs for real and is checked")]
pub mod kept;
#[path = "message.rs"]
#[allow(clippy::duplicate_mod, reason = "the same source runs for real and is checked")]
pub mod message;
#[path = "program.rs"]
#[allow(clippy::duplicate_mod, reason = "the same source runs for real and is checked")]
pub mod program;

use message::Message::{self, Elect, Propose};
use netcheck::Network;
use netcheck::monitor::{Observe, Seen};
use program::{Settings, Told, Version};
use tokio::net::UdpSocket;

const NODES: usize = 3;

/// The entries of the longest log.
const ENTRIES_MAX: usize = 2;

/// The steps of nodes that monitors see. A value of 0 stands for no entry.
#[derive(Clone, Debug, PartialEq, Eq, netcheck::Isolated)]
pub enum Step {
    Leads { term: i64, log: [i64; ENTRIES_MAX] },
    Commits { term: i64, index: usize, value: i64 },
}

impl Observe for Step {
    fn observe(seen: &Seen<'_>) -> Option<Self> {
        seen.emitted().cloned()
    }
}

/// Tells the monitors.
fn tell(_node: usize, told: Told) {
    let number = |number: u64| i64::try_from(number).expect("terms and values are small");
    netcheck::emit!(match told {
        Told::Leads { term, entries } => {
            let mut log = [0; ENTRIES_MAX];
            for (place, entry) in log.iter_mut().zip(entries) {
                *place = number(entry.value);
            }
            Step::Leads { term: number(term), log }
        }
        Told::Commits { term, index, value } => Step::Commits { term: number(term), index, value: number(value) },
    });
}

netcheck::monitor! {
    /// Election safety: in a term, an election is won once.
    pub monitor OneLeader(of: i64) over Step {
        state none {
            Step::Leads { term, .. } if *term == of => one,
            Step::Leads { term, .. } if *term != of => none,
            Step::Commits { .. } => none,
            otherwise => reject
        }
        state one {
            Step::Leads { term, .. } if *term != of => one,
            Step::Commits { .. } => one,
            otherwise => reject
        }
    }
}

netcheck::monitor! {
    /// An entry that was committed is the only one that is committed in its place (state machine safety), and leaders of
    /// later terms have it (leader completeness).
    pub monitor Committed(place: usize) over Step {
        variable committed: 0..=9;
        variable since: 0..=9;

        state open {
            Step::Commits { term, index, value } if *index == place => known { committed = *value; since = *term; }
            Step::Commits { index, .. } if *index != place => open,
            Step::Leads { .. } => open,
            otherwise => reject
        }
        state known {
            Step::Commits { index, value, .. } if *index != place || *value == committed => known,
            Step::Leads { term, log } if *term <= since || log[place] == committed => known,
            otherwise => reject
        }
    }
}

/// A cluster, and what it is told to do.
#[derive(Clone, Copy, Debug)]
pub struct Scenario {
    /// The log of each node: terms and values.
    pub logs: [&'static [(u64, u64)]; NODES],
    /// The term of all nodes, in which they have voted for nobody.
    pub term: u64,
    /// The messages that each node is told, in this order and at any time.
    pub commands: [&'static [Message]; NODES],
    /// The last term that there can be.
    pub last_term: i64,
}

impl Scenario {
    pub fn register(self, net: &mut Network, version: Version) {
        for term in 1..=self.last_term {
            net.monitor(OneLeader::new(term));
        }
        for place in 0..ENTRIES_MAX {
            net.monitor(Committed::new(place));
        }
        let name = |node: usize| format!("node-{}", node + 1);
        for (own, log) in self.logs.into_iter().enumerate() {
            let settings = Settings {
                own,
                bind: "0.0.0.0:4000".to_owned(),
                addresses: (0..NODES).map(|node| format!("{}:4000", name(node))).collect(),
                folder: "data".to_owned(),
                times: None,
                version,
            };
            let lines: String = log.iter().map(|(term, value)| format!("{term:08} {value:08}\n")).collect();
            let files = [("data/log", lines), ("data/vote", format!("{} -\n", self.term))];
            net.daemon(name(own), move || {
                let node = program::node(settings.clone());
                async { node.await.expect("a node can use its files") }
            })
            .files(files);
        }
        for (node, commands) in self.commands.into_iter().enumerate().filter(|(_, commands)| !commands.is_empty()) {
            let operator = net.process(format!("operator-{}", node + 1), move || tell_node(name(node), commands));
            for node in 0..NODES {
                operator.after(name(node));
            }
        }
    }
}

/// Sends commands, each of which comes at any time.
async fn tell_node(name: String, commands: &'static [Message]) {
    let socket = UdpSocket::bind("0.0.0.0:0").await.expect("a port is free");
    socket.connect(format!("{name}:4000")).await.expect("the node has an address");
    for command in commands {
        socket.send(command.to_string().as_bytes()).await.expect("a command can be sent");
    }
}

/// Two nodes may be elected, in one term or in two.
pub const TWO_CANDIDATES: Scenario =
    Scenario { logs: [&[]; 3], term: 0, commands: [&[Elect], &[], &[Elect]], last_term: 2 };

/// One node starts two elections.
pub const ONE_CANDIDATE: Scenario =
    Scenario { logs: [&[]; 3], term: 0, commands: [&[Elect, Elect], &[], &[]], last_term: 2 };

/// A leader gets a value, and there may be another leader before the value is committed, or after it.
pub const ONE_VALUE: Scenario =
    Scenario { logs: [&[]; 3], term: 0, commands: [&[Elect, Propose(1)], &[], &[Elect]], last_term: 2 };

/// A node was the leader, and has an entry that no other has. The next leader replaces it.
pub const REPLACED: Scenario =
    Scenario { logs: [&[(1, 1)], &[], &[]], term: 1, commands: [&[Elect], &[], &[Elect, Propose(2)]], last_term: 3 };

/// Figure 8 of the paper, from (b) on: two nodes were leaders, and each has an entry that no other has.
pub const FIGURE_8: Scenario =
    Scenario { logs: [&[(2, 1)], &[], &[(3, 2)]], term: 3, commands: [&[Elect], &[], &[Elect]], last_term: 5 };
