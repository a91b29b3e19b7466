//! A node of Raft: it elects a leader with others, and keeps the same log as they do.
//!
//! D. Ongaro, J. Ousterhout, "In search of an understandable consensus algorithm" (USENIX ATC 2014), figure 2, without
//! snapshots and without changes of membership. Messages are datagrams. While a node writes its files, it does nothing else, so
//! it need not wait for them in another way than `std::fs` does.
//!
//! It is compiled twice: `real.rs` gives it tokio, `checked.rs` netcheck under that name.

use super::kept::{Kept, Reason};
use super::message::{Entry, Message};
use super::{tell, tokio};
use std::collections::BTreeSet;
use std::io;
use std::time::Duration;
use tokio::net::UdpSocket;
use tokio::time::{Instant, timeout_at};

/// Bytes of the longest message.
const MESSAGE_BYTES_MAX: usize = 512;

/// A node as it should be, and with a mistake each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// A vote is given before it is synced.
    VoteUnsynced,
    /// A candidate asks for votes in a term that is not synced, and a follower answers in one.
    TermUnsynced,
    /// Entries take the place of others in the log, and are acknowledged before they are synced.
    ReplacementUnsynced,
    /// The file with the vote is renamed into place, and its folder is not synced.
    RenameUnsynced,
    /// A leader takes an entry of an earlier term for committed as soon as a majority has it (figure 8 of the paper).
    EarlierTermCommitted,
    Corrected,
}

/// How long nodes wait. Without times, a node starts an election only when it is told to.
#[derive(Clone, Copy, Debug)]
pub struct Times {
    /// How long a follower hears nothing before it starts an election.
    pub patience: fn() -> Duration,
    pub heartbeat: Duration,
}

/// Deeds of a node that others rely on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Told {
    /// It was elected, with these entries in its log.
    Leads { term: u64, entries: Vec<Entry> },
    /// It takes an entry for committed.
    Commits { term: u64, index: usize, value: u64 },
}

/// The part that a node has in its term.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Its number, and its place among `addresses`.
    pub own: usize,
    pub bind: String,
    pub addresses: Vec<String>,
    pub folder: String,
    pub times: Option<Times>,
    pub version: Version,
}

enum Role {
    Follower,
    Candidate {
        votes: BTreeSet<usize>,
    },
    /// The progress of each node: how many entries it is not sent any more, and how many it is known to have.
    Leader {
        sent: Vec<usize>,
        matched: Vec<usize>,
    },
}

struct Node {
    settings: Settings,
    socket: UdpSocket,
    kept: Kept,
    role: Role,
    committed: usize,
    /// When it does something by itself.
    due: Option<Instant>,
}

/// Takes part for ever.
pub async fn node(settings: Settings) -> io::Result<()> {
    let kept = Kept::read(&settings.folder, settings.version)?;
    let socket = UdpSocket::bind(&settings.bind).await?;
    let mut node = Node { settings, socket, kept, role: Role::Follower, committed: 0, due: None };
    node.wait_anew();
    let mut buffer = [0; MESSAGE_BYTES_MAX];
    loop {
        let received = match node.due {
            Some(due) => timeout_at(due, node.socket.recv(&mut buffer)).await,
            None => Ok(node.socket.recv(&mut buffer).await),
        };
        match received {
            Ok(Ok(length)) => {
                if let Some(message) = Message::parse(&buffer[..length]) {
                    node.take(message).await?;
                }
            }
            // An earlier datagram of this node was refused, by a host where nobody listens.
            Ok(Err(_)) => {}
            Err(_) if node.is_leader() => node.replicate_to_all().await,
            Err(_) => node.start_election().await?,
        }
    }
}

impl Node {
    fn is_leader(&self) -> bool {
        matches!(self.role, Role::Leader { .. })
    }

    fn wait_anew(&mut self) {
        let is_leader = self.is_leader();
        let wait = |times: Times| if is_leader { times.heartbeat } else { (times.patience)() };
        self.due = self.settings.times.map(|times| Instant::now() + wait(times));
    }

    fn others(&self) -> impl Iterator<Item = usize> + use<> {
        let own = self.settings.own;
        (0..self.settings.addresses.len()).filter(move |node| *node != own)
    }

    fn is_majority(&self, nodes: usize) -> bool {
        nodes > self.settings.addresses.len() / 2
    }

    async fn send(&self, to: usize, message: Message) {
        // A message that cannot be sent is lost as others are.
        let _ = self.socket.send_to(message.to_string().as_bytes(), &self.settings.addresses[to]).await;
    }

    async fn take(&mut self, message: Message) -> io::Result<()> {
        let is_newer = message.term() > Some(self.kept.term);
        if let Some(term) = message.term().filter(|_| is_newer) {
            self.kept.term = term;
            self.kept.vote = None;
            self.role = Role::Follower;
        }
        match message {
            Message::AskVote { candidate, entries, last_term, .. }
                if message.term() == Some(self.kept.term) && self.may_vote_for(candidate, entries, last_term) =>
            {
                self.vote(candidate).await?;
            }
            // What others say in an earlier term, or answer to an earlier one, is of no interest; but a leader of one should
            // know of this term.
            _ => {
                if is_newer {
                    self.kept.save_vote(Reason::Term)?;
                }
                self.take_of_term(message).await?;
            }
        }
        Ok(())
    }

    async fn take_of_term(&mut self, message: Message) -> io::Result<()> {
        let now = self.kept.term;
        match message {
            Message::Elect => self.start_election().await?,
            Message::Propose(value) => self.propose(value).await?,
            Message::Voted { term, voter } if term == now => self.count_vote(voter).await,
            Message::Append { term, leader, after, after_term, committed, entries } => {
                let is_of_leader = term == now;
                let fits = is_of_leader && self.kept.term_at(after) == Some(after_term);
                if is_of_leader {
                    self.role = Role::Follower;
                    self.wait_anew();
                }
                let matched = if fits { Some(self.append(after, &entries, committed).await?) } else { None };
                // A leader learns nothing from the answer to a heartbeat.
                if !fits || !entries.is_empty() {
                    self.send(leader, Message::Appended { term: now, node: self.settings.own, matched }).await;
                }
            }
            Message::Appended { term, node, matched } if term == now => self.note_matched(node, matched).await,
            Message::AskVote { .. } | Message::Voted { .. } | Message::Appended { .. } => {}
        }
        Ok(())
    }

    async fn start_election(&mut self) -> io::Result<()> {
        let own = self.settings.own;
        self.kept.term += 1;
        self.kept.vote = Some(own);
        self.role = Role::Candidate { votes: BTreeSet::from([own]) };
        self.kept.save_vote(Reason::Term)?;
        self.wait_anew();
        let (entries, last_term) = (self.kept.entries().len(), self.kept.last_term());
        for to in self.others() {
            self.send(to, Message::AskVote { term: self.kept.term, candidate: own, entries, last_term }).await;
        }
        Ok(())
    }

    /// A node votes once in a term, and only for a candidate that has all that may be committed.
    fn may_vote_for(&self, candidate: usize, entries: usize, last_term: u64) -> bool {
        let is_up_to_date = (last_term, entries) >= (self.kept.last_term(), self.kept.entries().len());
        is_up_to_date && self.kept.vote.is_none_or(|vote| vote == candidate)
    }

    async fn vote(&mut self, candidate: usize) -> io::Result<()> {
        self.kept.vote = Some(candidate);
        self.kept.save_vote(Reason::Vote)?;
        self.wait_anew();
        self.send(candidate, Message::Voted { term: self.kept.term, voter: self.settings.own }).await;
        Ok(())
    }

    async fn count_vote(&mut self, voter: usize) {
        let Role::Candidate { votes } = &mut self.role else { return };
        votes.insert(voter);
        let count = votes.len();
        if self.is_majority(count) {
            let (nodes, entries) = (self.settings.addresses.len(), self.kept.entries().to_vec());
            self.role = Role::Leader { sent: vec![entries.len(); nodes], matched: vec![0; nodes] };
            tell(self.settings.own, Told::Leads { term: self.kept.term, entries });
            self.replicate_to_all().await;
        }
    }

    /// Appends a value, if this node is the leader.
    async fn propose(&mut self, value: u64) -> io::Result<()> {
        if self.is_leader() {
            let entry = Entry { term: self.kept.term, value };
            self.kept.save_entries(self.kept.entries().len(), &[entry])?;
            self.replicate_to_all().await;
        }
        Ok(())
    }

    /// Sends what the others may not have; also where that is nothing, so that they hear of their leader.
    async fn replicate_to_all(&mut self) {
        self.wait_anew();
        for to in self.others() {
            self.replicate(to).await;
        }
    }

    async fn replicate(&self, to: usize) {
        let Role::Leader { sent, .. } = &self.role else { return };
        let after = sent[to];
        let message = Message::Append {
            term: self.kept.term,
            leader: self.settings.own,
            after,
            after_term: self.kept.term_at(after).expect("entries of a leader stay"),
            committed: self.committed,
            entries: self.kept.entries()[after..].to_vec(),
        };
        self.send(to, message).await;
    }

    /// Takes over the entries of the leader; returns how many entries are the same as there.
    async fn append(&mut self, after: usize, entries: &[Entry], committed: usize) -> io::Result<usize> {
        let matched = after + entries.len();
        // An old message has no more than is there: what came after it stays.
        let known = self.kept.entries()[after..].iter().zip(entries).take_while(|(own, new)| own == new).count();
        if known < entries.len() {
            self.kept.save_entries(after + known, &entries[known..])?;
        }
        self.commit(committed.min(matched));
        Ok(matched)
    }

    /// Notes what a follower has. If it has not what goes before the entries that it was sent, it is sent one more.
    async fn note_matched(&mut self, node: usize, now: Option<usize>) {
        let Role::Leader { sent, matched } = &mut self.role else { return };
        match now {
            Some(now) => {
                matched[node] = matched[node].max(now);
                sent[node] = sent[node].max(now);
                self.commit_what_a_majority_has();
            }
            None => {
                sent[node] = sent[node].saturating_sub(1);
                self.replicate(node).await;
            }
        }
    }

    fn commit_what_a_majority_has(&mut self) {
        let Role::Leader { matched, .. } = &self.role else { return };
        let is_kept = |entries: usize| self.is_majority(1 + matched.iter().filter(|other| **other >= entries).count());
        let is_own = |entries: usize| self.kept.term_at(entries) == Some(self.kept.term);
        let takes_all = self.settings.version == Version::EarlierTermCommitted;
        let all = (1..=self.kept.entries().len()).rev();
        let committed = all.into_iter().find(|entries| is_kept(*entries) && (takes_all || is_own(*entries)));
        self.commit(committed.unwrap_or(0));
    }

    fn commit(&mut self, entries: usize) {
        for index in self.committed..entries {
            let Entry { value, .. } = self.kept.entries()[index];
            tell(self.settings.own, Told::Commits { term: self.kept.term, index, value });
        }
        self.committed = self.committed.max(entries);
    }
}
