//! Declarations that allow more than others.

use oracle::language::program::{Delays, Failure, Network, System, Tcp};
use random::Random;

/// The same system with one declared fault more, and what that is; `None` if this one is declared already.
///
/// Each leaves every execution of the smaller system one of the bigger:
/// - Which copies of a packet arrive is chosen packet by packet, so that each may still arrive as often and as early
///   as before.
/// - In quiet time a timer fires where nothing can be delivered that has to be. Losing and failing never has to
///   happen: where a timer fires without it, nothing that it adds keeps the timer from firing, and a packet that nobody
///   waits for may stay where it is meanwhile. A wait that only a fault could end is a deadlock.
/// - `delay` only lets timers fire earlier: arrivals before every timer remain possible, and that is what quiet time is.
/// - A bigger budget is not used up where the smaller one is not.
pub fn more(random: &mut Random, system: &System) -> Option<(String, System)> {
    let mut bigger = system.clone();
    let network = &mut bigger.network;
    let what = match random.index(if network.tcp.is_some() { 11 } else { 5 }) {
        0 => copies(network, 0)?,
        1 => copies(network, 2)?,
        2 => {
            network.window += 1;
            "window".to_owned()
        }
        3 => {
            let at_most = network.at_most.as_mut()?;
            *at_most += 1;
            "at_most".to_owned()
        }
        4 if !network.delay => {
            network.delay = true;
            "delay".to_owned()
        }
        5 => {
            let tcp = network.tcp.as_mut()?;
            (!tcp.split).then(|| tcp.split = true)?;
            "split".to_owned()
        }
        6 => {
            let tcp = network.tcp.as_mut()?;
            let narrowed = (tcp.processes.clone(), tcp.side, tcp.first);
            (tcp.processes, tcp.side, tcp.first) = (Vec::new(), None, None);
            (narrowed != (Vec::new(), None, None)).then(|| "failures everywhere".to_owned())?
        }
        7 => {
            let tcp = network.tcp.as_mut()?;
            tcp.delay.is_none().then(|| tcp.delay = Some(Delays::Interval(0, None)))?;
            "delay of streams".to_owned()
        }
        _ => failure(random, network)?,
    };
    Some((what, bigger))
}

fn copies(network: &mut Network, copies: usize) -> Option<String> {
    (!network.copies.contains(&copies)).then(|| network.copies.push(copies))?;
    Some(format!("copies {copies}"))
}

fn failure(random: &mut Random, network: &mut Network) -> Option<String> {
    let all = [Failure::Open, Failure::Close, Failure::Read, Failure::Write, Failure::Reset, Failure::Hang];
    let failure = random.one_of(&all);
    let tcp = network.tcp.get_or_insert_with(Tcp::default);
    (!tcp.failures.contains(&failure)).then(|| tcp.failures.push(failure))?;
    Some(format!("{failure:?}"))
}
