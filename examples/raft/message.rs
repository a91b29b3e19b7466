//! Messages between nodes, as text.

use std::fmt;

/// A value, and the term of the leader that it was proposed to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    pub term: u64,
    pub value: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// To any node, by whoever wants another leader: it starts an election without waiting for its time-out (`TimeoutNow` of
    /// section 3.10 of Ongaro's dissertation).
    Elect,
    /// To the leader, by a client: the value is appended to the log. Other nodes pay no attention.
    Propose(u64),
    /// A candidate asks for a vote. Its log has so many entries, and the last one is of this term.
    AskVote {
        term: u64,
        candidate: usize,
        entries: usize,
        last_term: u64,
    },
    Voted {
        term: u64,
        voter: usize,
    },
    /// A leader sends what follows after so many entries, the last of which is of this term.
    Append {
        term: u64,
        leader: usize,
        after: usize,
        after_term: u64,
        committed: usize,
        entries: Vec<Entry>,
    },
    /// The log of a node has as many entries in common with the leader's; or has not those before the ones that were sent.
    Appended {
        term: u64,
        node: usize,
        matched: Option<usize>,
    },
}

impl Message {
    /// The term of the sender.
    pub fn term(&self) -> Option<u64> {
        match *self {
            Message::Elect | Message::Propose(_) => None,
            Message::AskVote { term, .. }
            | Message::Voted { term, .. }
            | Message::Append { term, .. }
            | Message::Appended { term, .. } => Some(term),
        }
    }

    pub fn parse(datagram: &[u8]) -> Option<Message> {
        let mut words = std::str::from_utf8(datagram).ok()?.split(' ');
        let kind = words.next()?;
        let numbers: Vec<u64> = words.map(|word| word.parse().ok()).collect::<Option<_>>()?;
        let small = |number: u64| usize::try_from(number).ok();
        Some(match (kind, &numbers[..]) {
            ("elect", []) => Message::Elect,
            ("propose", &[value]) => Message::Propose(value),
            ("ask-vote", &[term, candidate, entries, last_term]) => {
                Message::AskVote { term, candidate: small(candidate)?, entries: small(entries)?, last_term }
            }
            ("voted", &[term, voter]) => Message::Voted { term, voter: small(voter)? },
            ("append", &[term, leader, after, after_term, committed, ref rest @ ..]) => Message::Append {
                term,
                leader: small(leader)?,
                after: small(after)?,
                after_term,
                committed: small(committed)?,
                entries: rest.chunks_exact(2).map(|pair| Entry { term: pair[0], value: pair[1] }).collect(),
            },
            ("appended", &[term, node, matched]) => {
                Message::Appended { term, node: small(node)?, matched: Some(small(matched)?) }
            }
            ("refused", &[term, node]) => Message::Appended { term, node: small(node)?, matched: None },
            _ => return None,
        })
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Message::Elect => write!(f, "elect"),
            Message::Propose(value) => write!(f, "propose {value}"),
            Message::AskVote { term, candidate, entries, last_term } => {
                write!(f, "ask-vote {term} {candidate} {entries} {last_term}")
            }
            Message::Voted { term, voter } => write!(f, "voted {term} {voter}"),
            Message::Append { term, leader, after, after_term, committed, entries } => {
                write!(f, "append {term} {leader} {after} {after_term} {committed}")?;
                entries.iter().try_for_each(|entry| write!(f, " {} {}", entry.term, entry.value))
            }
            Message::Appended { term, node, matched: Some(matched) } => write!(f, "appended {term} {node} {matched}"),
            Message::Appended { term, node, matched: None } => write!(f, "refused {term} {node}"),
        }
    }
}
