//! Random systems whose server runs once as a real process, on tokio, and once as a process under check: both ways have
//! the same verdict and the same outputs, and the first one a second time from the file of answers.
//!
//! `NETCHECK_PEERS_SEEDS=17..18` checks these systems and prints them.

/// The server as it runs under check.
#[path = "family/checked.rs"]
mod checked;
#[path = "family/clients.rs"]
mod clients;
/// The server as it runs for real.
#[path = "family/real.rs"]
mod real;
#[path = "family/rules.rs"]
mod rules;

use clients::Clients;
use netcheck::External;
use netcheck::check::{Checker, Report, Verdict};
use rules::Rules;
use std::ops::Range;
use std::path::Path;
use std::time::Duration;

/// The variable that makes this program the server of a system: `SEED PORT PORT`.
const SERVE: &str = "NETCHECK_PEERS_SERVE";

/// The ports of the server.
const TCP: u16 = 7000;
const UDP: u16 = 7001;

/// Not a test but the server, in a process of its own.
#[test]
fn serve() {
    let Ok(words) = std::env::var(SERVE) else { return };
    let numbers: Vec<u64> = words.split(' ').map(|word| word.parse().expect("a number")).collect();
    let port = |index: usize| u16::try_from(numbers[index]).expect("a port");
    let runtime = real::tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let served = runtime.block_on(real::server::serve(Rules::new(numbers[0]), port(1), port(2)));
    panic!("the server has ended: {served:?}");
}

/// The server of a system as a real process: this program, run for its test `serve`.
fn external(seed: u64, file: &Path) -> External {
    External::command(std::env::current_exe().expect("this program"))
        .args(["--exact", "serve", "--nocapture"])
        .env(SERVE, format!("{seed} {{port}} {{port:{UDP}}}"))
        .udp_port(UDP)
        .settle(Duration::from_millis(20))
        .cache(file)
}

/// The parts of a report that can be compared: verdict, kind of violation, and outputs where there is none.
fn compared(report: &Report, clients: &Clients) -> (Verdict, Option<String>, Vec<Vec<String>>) {
    let violation = report.counterexample().map(|violated| format!("{:?}", violated.kind()));
    let outputs = clients.names().map(|name| report.outputs(&name).to_vec());
    (report.verdict(), violation.clone(), if violation.is_some() { Vec::new() } else { outputs.collect() })
}

/// Counts of the systems that were compared.
#[derive(Debug, Default)]
struct Figures {
    systems: u64,
    violated: u64,
    learned: u64,
    states: usize,
}

fn compare(seed: u64, figures: &mut Figures, shows: bool) {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let file = folder.path().join("server.json");
    let clients = Clients::new(seed);
    if shows {
        println!("{seed}: {clients:#?}");
    }
    let checker: Checker = clients.checker();
    let with = |server: &dyn Fn(&mut netcheck::Network)| {
        checker.try_check(|net| {
            server(net);
            clients.register(net);
        })
    };
    let as_process = with(&|net| {
        net.daemon("server", move || checked::server::serve(Rules::new(seed), TCP, UDP));
    });
    let as_external = || {
        with(&|net| {
            net.external(format!("server:{TCP}"), external(seed, &file));
        })
    };
    let first = as_external().unwrap_or_else(|error| panic!("system {seed}, external: {error}\n{clients:#?}"));
    let expected = as_process.unwrap_or_else(|error| panic!("system {seed}, under check: {error}"));
    let (seen, expected) = (compared(&first, &clients), compared(&expected, &clients));
    assert_eq!(seen, expected, "system {seed}, external and under check\n{clients:#?}\n{first}");
    let again = as_external().unwrap_or_else(|error| panic!("system {seed}, from its file: {error}"));
    let (_, counts) = &again.peers()[0];
    assert_eq!((counts.learned, counts.runs), (0, 0), "system {seed} asks the peer again");
    assert_eq!(compared(&again, &clients), seen, "system {seed}, from its file");
    assert_eq!((first.states(), first.transitions()), (again.states(), again.transitions()), "system {seed}");
    figures.systems += 1;
    figures.violated += u64::from(seen.1.is_some());
    figures.learned += first.peers()[0].1.learned;
    figures.states += first.states();
}

fn compare_all(seeds: Range<u64>) -> Figures {
    let mut figures = Figures::default();
    let chosen = random::seeds_asked_for("PEERS");
    let is_chosen = chosen.is_some();
    for seed in chosen.unwrap_or(seeds) {
        compare(seed, &mut figures, is_chosen);
    }
    figures
}

#[test]
fn random_systems_agree() {
    let figures = compare_all(1_000..1_008);
    assert!(figures.learned > 50, "{figures:?}");
}

#[test]
#[ignore = "several minutes: real processes take their time"]
fn nightly_random_systems_agree() {
    println!("{:?}", compare_all(2_000..2_250));
}
