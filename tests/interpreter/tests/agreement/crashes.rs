//! Random systems whose processes crash, and start again.

use std::ops::Range;

use crate::Figures;
use crate::families::{
    agree_with_symmetry_where, endless_agrees_by, made_otherwise_agree, tables_agree_where, watched_agree,
    with_intervals, with_lists, with_segments,
};
use oracle::disk::{Policy, Survives};
use oracle::generate::{self, Size, Words};
use oracle::language::files::Failing;
use oracle::language::program::{Crash, Network, Tcp};
use oracle::naive::Limits;
use random::Random;

/// Processes crash, or the first one does, once or twice; some may stay down.
pub fn crash(seed: u64, network: &mut Network) {
    let mut random = Random::new(seed ^ 0xc0a5);
    let processes = if random.percent(40) { Vec::new() } else { vec![0] };
    let times = 1 + usize::from(random.percent(20));
    network.crash =
        Some(Crash { processes, times, stays_down: random.percent(40), power: random.percent(50), ..Crash::default() });
    if network.at_most.is_none() && random.percent(60) {
        network.at_most = Some(1 + random.index(2));
    }
}

/// Compares systems of some kinds, on networks that something else is declared of.
fn agree(seeds: Range<u64>, words: &'static [Words], declare: fn(u64, &mut Network)) -> Option<Figures> {
    let of = |seed: u64| words[seed as usize % words.len()];
    let generate = |seed: u64| {
        let mut system = generate::system(seed, Size::Small, of(seed));
        crash(seed, &mut system.network);
        declare(seed / words.len() as u64, &mut system.network);
        system
    };
    made_otherwise_agree(seeds, Limits::of(3_000), of, generate)
}

pub fn datagrams_agree(seeds: Range<u64>) -> Option<Figures> {
    let words = &[Words::Plain, Words::Single, Words::All, Words::Everyday];
    agree(seeds, words, |_, network| network.delay = false)
}

pub fn streams_agree(seeds: Range<u64>) -> Option<Figures> {
    agree(seeds, &[Words::Streams, Words::Mixed, Words::EverydayStreams], |_, network| {
        network.delay = false;
        let power = network.crash.as_ref().is_some_and(|crash| crash.power);
        network.tcp.iter_mut().filter(|_| power).for_each(|tcp| tcp.delay = None);
    })
}

/// Hosts give up what is not acknowledged.
pub fn give_up(seed: u64, network: &mut Network) {
    let retries_ms = [5, 10, 20, 25, 40][seed as usize % 5];
    network.tcp.get_or_insert_with(Tcp::default).retries_ms = Some(retries_ms);
}

/// Hosts lose their power, and their peers give them up.
pub fn silent_hosts_are_given_up(seeds: Range<u64>) -> Option<Figures> {
    agree(seeds, &[Words::Streams, Words::Mixed, Words::EverydayStreams], |seed, network| {
        network.delay = false;
        network.crash.iter_mut().for_each(|crash| crash.power = seed % 8 != 0);
        network.tcp.iter_mut().for_each(|tcp| tcp.delay = None);
        give_up(seed, network);
    })
}

/// The same where packets take times of intervals or of lists, or any.
pub fn in_dense_time_agrees(seeds: Range<u64>) -> Option<Figures> {
    let declare = |seed: u64, network: &mut Network| {
        match seed % 4 {
            0 => with_intervals(seed / 4, network),
            1 => with_lists(seed / 4, network),
            2 => with_segments(seed / 4, network),
            _ => network.delay = true,
        }
        let down = [None, None, Some((0, Some(1))), Some((1, Some(2))), Some((2, Some(2))), Some((1, None))];
        network.crash.iter_mut().for_each(|crash| crash.down = down[seed as usize / 4 % down.len()]);
    };
    agree(seeds, &[Words::All, Words::EverydayDelay, Words::Mixed, Words::Streams], declare)
}

/// Hosts lose their power while segments are under way.
pub fn streams_in_dense_time_agree(seeds: Range<u64>) -> Option<Figures> {
    let declare = |seed: u64, network: &mut Network| {
        with_segments(seed, network);
        let down = [None, None, Some((0, Some(1))), Some((1, Some(2))), Some((1, None))];
        network.crash.iter_mut().for_each(|crash| {
            (crash.power, crash.down) = (true, down[seed as usize % down.len()]);
        });
    };
    agree(seeds, &[Words::Streams, Words::Mixed, Words::EverydayStreams], declare)
}

pub fn within_a_horizon_agrees(seeds: Range<u64>) -> Option<Figures> {
    let declare = |seed: u64, network: &mut Network| {
        network.delay = false;
        network.tcp.iter_mut().for_each(|tcp| tcp.delay = None);
        network.duration_ms = Some(20 + 10 * (seed % 6) as u32);
    };
    agree(seeds, &[Words::All, Words::Everyday, Words::Mixed], declare)
}

pub fn endless_agrees(seeds: Range<u64>) -> Option<Figures> {
    let limits = Limits::of(400);
    let declare = |seed: u64, network: &mut Network| {
        network.delay = false;
        crash(seed, network);
    };
    endless_agrees_by(seeds, limits, |seed| generate::endless::endless_system(seed, limits, declare))
}

/// Compares systems with like processes, which are exchanged.
pub fn like_processes_agree(seeds: Range<u64>) -> Option<Figures> {
    agree_with_symmetry_where(seeds, (3_000, false), |seed, network| {
        network.delay = false;
        network.tcp.iter_mut().for_each(|tcp| tcp.delay = None);
        crash(seed, network);
    })
}

/// Compares systems that use files: without crashes, with kills and, most of them, with power failures.
pub fn files_agree(seeds: Range<u64>) -> Option<Figures> {
    let words = [Words::Plain, Words::All, Words::Everyday, Words::Mixed];
    let of = |seed: u64| words[seed as usize % words.len()];
    let generate = |seed: u64| {
        let mut system = generate::files::system_with_files(seed, of(seed));
        system.network.delay = false;
        system.network.tcp.iter_mut().for_each(|tcp| tcp.delay = None);
        let mut random = Random::new(seed ^ 0xd15c);
        let power = random.percent(70);
        let survives = *random.weighted(&[(4, Survives::Any), (2, Survives::Prefix), (1, Survives::Lost)]);
        let left = Policy { survives, torn: random.percent(30).then_some(1) };
        let times = 1 + usize::from(random.percent(20));
        let processes = if random.percent(20) { Vec::new() } else { vec![0] };
        let crash = Crash { processes, times, stays_down: random.percent(30), down: None, power, left };
        system.network.crash = random.percent(85).then_some(crash);
        if random.percent(45) {
            let may = |random: &mut Random| random.percent(50);
            system.network.failing_files =
                Failing { read: may(&mut random), write: may(&mut random), sync: may(&mut random) };
            system.network.at_most = Some(1 + random.index(2));
        }
        system
    };
    made_otherwise_agree(seeds, Limits::of(3_000), of, generate)
}

/// Tables of error propagation in which crashes are faults.
pub fn tables_agree(seeds: Range<u64>) -> Option<Figures> {
    tables_agree_where(seeds, |seed, network| {
        network.delay = false;
        network.tcp.iter_mut().for_each(|tcp| tcp.delay = None);
        crash(seed, network);
    })
}

/// Random monitors, which also see crashes.
pub fn monitors_agree(seeds: Range<u64>) -> Option<Figures> {
    let words = [Words::Plain, Words::All, Words::Everyday, Words::Mixed, Words::Single];
    watched_agree(seeds, &words, Limits::of(400), |seed, network| {
        network.delay = false;
        network.tcp.iter_mut().for_each(|tcp| tcp.delay = None);
        crash(seed, network);
    })
}
