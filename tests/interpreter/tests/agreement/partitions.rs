//! Random systems in networks that fall apart: the naive explorer cuts links and heals them at any moment, the engine as late as it
//! can.

use std::ops::Range;

use crate::Figures;
use crate::crashes::{crash, give_up};
use crate::families::{
    endless_agrees_by, made_otherwise_agree, watched_systems_agree, with_intervals, with_lists, within_a_horizon,
};
use oracle::generate::{self, Size, Words};
use oracle::language::program::{Links, Network, Partition, System};
use oracle::naive::Limits;
use random::Random;

/// Links are cut, once or twice, and heal or not.
fn partition(seed: u64, system: &mut System) {
    declare(seed, system.processes.len(), &mut system.network);
}

/// The same in a network of at least so many processes.
fn declare(seed: u64, processes: usize, network: &mut Network) {
    let mut random = Random::new(seed ^ 0x9a97);
    let links = match random.index(5) {
        0 | 1 => Links::Isolate(random.index(processes)),
        2 if processes > 1 => Links::Between(0, 1 + random.index(processes - 1)),
        3 => Links::Halves,
        _ => Links::Any,
    };
    let times = 1 + usize::from(random.percent(20));
    let partition = Partition { links, one_way: random.percent(35), for_ever: random.percent(35), times };
    network.partition = (processes > 1).then_some(partition);
    if network.at_most.is_none() && random.percent(50) {
        network.at_most = Some(1 + random.index(2));
    }
    network.delay = false;
    network.tcp.iter_mut().for_each(|tcp| tcp.delay = None);
}

/// Compares systems of some kinds, on networks that something else is declared of.
fn agree(seeds: Range<u64>, words: &'static [Words], declare: fn(u64, &mut Network)) -> Option<Figures> {
    let of = |seed: u64| words[seed as usize % words.len()];
    let generate = |seed: u64| {
        let mut system = generate::system(seed, Size::Small, of(seed));
        partition(seed, &mut system);
        declare(seed / words.len() as u64, &mut system.network);
        system
    };
    made_otherwise_agree(seeds, Limits::of(6_000), of, generate)
}

pub fn datagrams_agree(seeds: Range<u64>) -> Option<Figures> {
    agree(seeds, &[Words::Plain, Words::Single, Words::All, Words::Everyday], |_, _| ())
}

pub fn streams_agree(seeds: Range<u64>) -> Option<Figures> {
    agree(seeds, &[Words::Streams, Words::Mixed, Words::EverydayStreams], |_, _| ())
}

/// Hosts give up what waits at a cut.
pub fn hosts_behind_cuts_are_given_up(seeds: Range<u64>) -> Option<Figures> {
    agree(seeds, &[Words::Streams, Words::Mixed, Words::EverydayStreams], give_up)
}

/// The same where processes are killed, too.
pub fn with_crashes_agree(seeds: Range<u64>) -> Option<Figures> {
    agree(seeds, &[Words::Plain, Words::All, Words::Mixed, Words::Streams], |seed, network| {
        crash(seed, network);
        network.crash.iter_mut().for_each(|crash| (crash.power, crash.times) = (false, 1));
    })
}

/// The same where hosts lose their power.
pub fn with_power_failures_agree(seeds: Range<u64>) -> Option<Figures> {
    agree(seeds, &[Words::Streams, Words::Mixed, Words::EverydayStreams, Words::All], |seed, network| {
        crash(seed, network);
        network.crash.iter_mut().for_each(|crash| (crash.power, crash.times) = (true, 1));
        network.partition.iter_mut().for_each(|partition| partition.times = 1);
    })
}

/// Compares systems whose datagrams take times of intervals or of lists; in some of them processes are killed, too.
pub fn in_dense_time_agrees(seeds: Range<u64>) -> Option<Figures> {
    agree(seeds, &[Words::All, Words::EverydayDelay, Words::Mixed, Words::Single], |seed, network| {
        match seed % 2 {
            0 => with_intervals(seed / 2, network),
            _ => with_lists(seed / 2, network),
        }
        if seed % 5 == 0 {
            crash(seed, network);
            network.crash.iter_mut().for_each(|crash| (crash.power, crash.times) = (seed % 2 == 0, 1));
        }
        if seed % 7 == 3 {
            within_a_horizon(seed / 7, network);
        }
    })
}

pub fn endless_agrees(seeds: Range<u64>) -> Option<Figures> {
    let limits = Limits::of(400);
    endless_agrees_by(seeds, limits, |seed| {
        let mut system = generate::endless::endless_system(seed, limits, |seed, network| declare(seed, 2, network));
        if system.processes.len() < 2 {
            system.network.partition = None;
        }
        system
    })
}

/// Random monitors, which also see cuts and heals.
pub fn monitors_agree(seeds: Range<u64>) -> Option<Figures> {
    let words = [Words::Plain, Words::All, Words::Everyday, Words::Mixed, Words::Single];
    watched_systems_agree(seeds, Limits::of(400), |seed| {
        let mut system = generate::system(seed, Size::Small, words[seed as usize % words.len()]);
        partition(seed, &mut system);
        system
    })
}
