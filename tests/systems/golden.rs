//! A stored counterexample for each seeded fault of the examples: it violates the same again, the mended program
//! passes, and where a program was changed in another way, the replay says at which step it diverges, and why.
//!
//! Traces are kept so that the JSON form, and what steps are called, do not change unnoticed.
//! `UPDATE_GOLDEN=1 cargo test --test systems golden` checks the programs and writes the traces anew.

mod variants;

use crate::alphabet::checked::Sessions;
use crate::chat::checked::Chat;
use crate::chat::checked::program::Version::{Corrected as CorrectedChat, DoubleRemoval, HaltedSend};
use crate::echo::checked as echo;
use crate::file_transfer::checked as file_transfer;
use echo::program::Version as Echo;
use file_transfer::program::Version as Transfer;
use netcheck::Network;
use netcheck::check::{Checker, Counterexample};
use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Once;

/// A fault of an example.
struct Fault {
    /// The name of its trace.
    name: &'static str,
    /// The words of the check that reveals it.
    words: &'static str,
    seeded: fn(&mut Network),
    mended: fn(&mut Network),
}

const FAULTS: &[Fault] = &[
    Fault {
        name: "alphabet",
        words: "udp(loss)",
        seeded: |net| Sessions { connections: 1, requests: 2, asserting: true }.register(net),
        // There is no better consumer: the digits have no numbers. This one claims nothing.
        mended: |net| Sessions { connections: 1, requests: 2, asserting: false }.register(net),
    },
    Fault {
        name: "chat_double_removal",
        words: "tcp(close), tasks = tracked",
        seeded: |net| Chat::of_two(DoubleRemoval).register(net),
        mended: |net| Chat::of_two(CorrectedChat).register(net),
    },
    Fault {
        name: "chat_halted_send",
        words: "tcp(write), tasks = tracked",
        seeded: |net| Chat::of_two(HaltedSend).register(net),
        mended: |net| Chat::of_two(CorrectedChat).register(net),
    },
    Fault {
        name: "chat_halted_send_of_the_server",
        words: "tcp(write, side = server), tasks = tracked",
        seeded: |net| Chat::of_two(HaltedSend).register(net),
        mended: |net| Chat::of_two(CorrectedChat).register(net),
    },
    Fault {
        name: "chat_halted_send_without_failures",
        words: "tasks = tracked, search = dfs",
        seeded: |net| Chat { clients: 3, at_once: 2, version: HaltedSend }.register(net),
        mended: |net| Chat { clients: 3, at_once: 2, version: CorrectedChat }.register(net),
    },
    Fault {
        name: "echo",
        words: "tcp(write)",
        seeded: |net| echo::register(net, Echo::Seeded),
        mended: |net| echo::register(net, Echo::Corrected),
    },
    file_transfer("file_transfer_twice", "udp(copies = [2], direction = send, process = \"server\")"),
    file_transfer(
        "file_transfer_twice_and_reordering",
        "udp(copies = [2], window = 2, direction = send, process = \"server\")",
    ),
    file_transfer("file_transfer_duplication", "udp(duplication, direction = send, process = \"server\")"),
    file_transfer(
        "file_transfer_duplication_and_reordering",
        "udp(duplication, reorder = 2, direction = send, process = \"server\")",
    ),
];

const fn file_transfer(name: &'static str, words: &'static str) -> Fault {
    let seeded = |net: &mut Network| file_transfer::register(net, Transfer::Seeded);
    let mended = |net: &mut Network| file_transfer::register(net, Transfer::Corrected);
    Fault { name, words, seeded, mended }
}

impl Fault {
    fn named(name: &str) -> &'static Fault {
        FAULTS.iter().find(|fault| fault.name == name).expect("a fault of this name")
    }

    fn checker(&self) -> Checker {
        self.words.parse().expect("words of the attribute")
    }

    fn file(&self) -> PathBuf {
        folder().join(format!("{}.json", self.name))
    }

    fn trace(&self) -> Counterexample {
        static UPDATED: Once = Once::new();
        UPDATED.call_once(|| {
            if env::var_os("UPDATE_GOLDEN").is_some() {
                FAULTS.iter().for_each(Fault::write_trace);
            }
        });
        let file = self.file();
        let text = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        Counterexample::from_json(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
    }

    fn write_trace(&self) {
        let report = self.checker().check(self.seeded);
        let found = report.counterexample().unwrap_or_else(|| panic!("{}: {report}", self.name));
        fs::write(self.file(), found.to_json() + "\n").expect("it is written");
    }

    /// The violation of the trace in these programs, or why it does not fit them.
    fn replay(&self, network: fn(&mut Network)) -> Result<Option<String>, String> {
        self.checker().replay(network, &self.trace()).map_err(|error| error.to_string())
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/replay/golden")
}

/// Wherever in its files; a trace fits as long as its steps are possible.
fn without_lines(text: &str) -> String {
    let mut parts = text.split(".rs:");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + ".rs:" + part.trim_start_matches(|c: char| c.is_ascii_digit()))
}

#[test]
fn every_seeded_fault_has_a_trace_and_every_trace_a_fault() {
    let traces = fs::read_dir(folder()).expect("the traces").map(|entry| entry.expect("a trace").path());
    let faults: BTreeSet<PathBuf> = FAULTS.iter().map(Fault::file).collect();
    assert_eq!(traces.collect::<BTreeSet<_>>(), faults);
}

#[test]
fn each_violates_the_same_again() {
    for fault in FAULTS {
        let trace = fault.trace();
        let expected = format!("{}: {}", trace.kind(), trace.message());
        let found = fault.replay(fault.seeded).unwrap_or_else(|error| panic!("{}: {error}", fault.name));
        assert_eq!(found.as_deref().map(without_lines), Some(without_lines(&expected)), "{}", fault.name);
    }
}

/// The mended programs do all that the traces ask of them, and withstand it.
#[test]
fn none_violates_anything_once_it_is_mended() {
    for fault in FAULTS {
        assert_eq!(fault.replay(fault.mended), Ok(None), "{}", fault.name);
    }
}

/// Where and why a trace does not fit other programs.
#[track_caller]
fn divergence(name: &str, network: fn(&mut Network)) -> String {
    let error = Fault::named(name).replay(network).expect_err("it does not fit");
    without_lines(&error)
}

#[test]
fn a_client_that_sends_less() {
    let error = divergence("alphabet", |net| {
        Sessions { connections: 1, requests: 1, asserting: true }.register(net);
    });
    insta::assert_snapshot!(error);
}

#[test]
fn a_server_that_seats_fewer_clients() {
    let error = divergence("chat_halted_send_without_failures", |net| {
        Chat { clients: 3, at_once: 1, version: HaltedSend }.register(net);
    });
    insta::assert_snapshot!(error);
}

#[test]
fn a_client_that_reads_each_answer_before_it_writes_the_next_line() {
    let error = divergence("echo", |net| {
        net.process("server", || echo::program::server("0.0.0.0:4000".to_owned(), 2));
        for name in ["client-1", "client-2"] {
            net.process(name, variants::line_by_line).after("server");
        }
    });
    insta::assert_snapshot!(error);
}

#[test]
fn a_server_that_sends_the_last_packet_first() {
    let error = divergence("file_transfer_duplication", |net| {
        net.daemon("server", variants::backwards);
        net.daemon("sizes", || file_transfer::program::size_server("0.0.0.0:4001".to_owned()));
        let client =
            || file_transfer::program::client("server:4000".to_owned(), "sizes:4001".to_owned(), Transfer::Seeded, 1);
        net.process("client", client).after("server").after("sizes");
    });
    insta::assert_snapshot!(error);
}

/// Steps are looked up under declared faults: a network that duplicates nothing cannot do what the trace says.
#[test]
fn a_network_that_is_better_than_it_was() {
    let fault = Fault::named("file_transfer_duplication");
    let replayed = "udp(reorder = 2)".parse::<Checker>().expect("words").replay(fault.seeded, &fault.trace());
    let error = without_lines(&replayed.expect_err("it does not fit").to_string());
    insta::assert_snapshot!(error);
}
