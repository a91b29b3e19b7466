//! The program on netcheck.

pub use netcheck as tokio;

/// The half of a peer that asks shares no memory with the half that answers: it is explored as a unit of its own, and a
/// loop that tries again is where it was. (An application crate writes `#[cfg_attr(test, netcheck::process)]`; here one
/// program holds both builds, so the attribute comes by macro.)
macro_rules! isolated {
    ($($function:tt)*) => { #[netcheck::process] $($function)* };
}

#[path = "program.rs"]
#[allow(clippy::duplicate_mod, reason = "the same source runs for real and is checked")]
pub mod program;

use netcheck::Network;
use netcheck::check::{Checker, Search};
use program::{Halves, Opening, Pair, Threads};

/// In the order of the paper's section 4.2.2.2.
pub fn checker() -> Checker {
    Checker::new().search(Search::Joint)
}

/// A pair of the paper's section 5.
pub fn pair(net: &mut Network, pair: Pair) {
    net.process("server", move || program::server("0.0.0.0:4000".to_owned(), pair));
    net.process("client", move || program::client("server:4000".to_owned(), pair)).after("server");
}

/// So many processes, each of which asks all others.
pub fn peers(net: &mut Network, count: i32, halves: Halves) {
    for number in 1..=count {
        let others = (1..=count).filter(|&other| other != number);
        let others: Vec<String> = others.map(|other| format!("peer-{other}:4000")).collect();
        let peer = move || program::peer("0.0.0.0:4000".to_owned(), others.clone(), number, halves);
        net.process(format!("peer-{number}"), peer);
    }
}

/// The interaction of the paper's Figures 5 and 6.
pub fn two_ports(net: &mut Network, opening: Opening, threads: Threads) {
    net.process("server", move || program::two_ports("0.0.0.0:4000".to_owned(), "0.0.0.0:5000".to_owned(), opening));
    let client = move || program::two_threads("server:4000".to_owned(), "server:5000".to_owned(), threads);
    net.process("client", client).after("server");
}
