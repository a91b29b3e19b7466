//! Whole systems, each with its verdicts and its number of states: the examples, and known protocols and algorithms.

mod alphabet;
mod apprentice;
mod chat;
mod counted;
mod echo;
mod file_transfer;
mod gallery;
mod golden;
mod joint_states;
mod kv;
mod liveness;
mod partitions;
mod polling;
mod raft;
mod restarts;
mod stale_reads;
mod tftp;
mod threads;
mod tracked_alphabet;
mod unbounded;
