//! Figure 5: which bugs are found in what a sniffer heard, and how many of the reports are right.

use super::workers::each;
use crate::frame::Frame;
use crate::pairs::{Link, Maker};
use crate::transmitter::Transmitter;
use netcheck::monitor::{Guess, Mutation, Verdict};
use std::collections::VecDeque;
use std::io;

/// The length of the window of `NumMissing`.
const WINDOW: usize = 100;

/// Calls of EXTEND that Algorithm 2 may take for one trace.
const EXTENSIONS_MAX: usize = 20_000;

/// One pair of Figure 5.
#[derive(Clone, Debug)]
pub struct Detection {
    /// What was simulated.
    pub link: Link,
    /// Whether the device's own trace is rejected.
    pub is_wrong: bool,
    /// Whether no mutation explains what the sniffer heard: a definite violation.
    pub is_definite: bool,
    /// For the mutation with the fewest guesses, the most packets of one station missed in 100 in a row.
    pub missing: usize,
    /// What Algorithm 2 says with each `k`: nothing if it reached its limit.
    pub by_backtracking: Vec<Option<bool>>,
}

/// Precision and recall over some pairs; 1 where there is nothing to divide by.
#[derive(Clone, Copy, Debug)]
pub struct Rates {
    /// Reports that are right, of all reports.
    pub precision: f64,
    /// Wrong devices that are reported, of all.
    pub recall: f64,
}

impl Rates {
    /// Of the pairs, by what is reported of each.
    pub fn of<'a>(pairs: impl Iterator<Item = &'a Detection>, reports: impl Fn(&Detection) -> bool) -> Rates {
        let (mut reported, mut wrong, mut both) = (0_u32, 0_u32, 0_u32);
        for pair in pairs {
            let is_reported = reports(pair);
            reported += u32::from(is_reported);
            wrong += u32::from(pair.is_wrong);
            both += u32::from(is_reported && pair.is_wrong);
        }
        let part = |of: u32| if of == 0 { 1.0 } else { f64::from(both) / f64::from(of) };
        Rates { precision: part(reported), recall: part(wrong) }
    }
}

/// Simulates `runs` links for each probability of loss between the stations, from 0 to 0.5 by 0.01; the sniffer misses
/// a tenth. Three of four devices have a bug: half of them number packets wrongly, half of them retransmit wrongly.
///
/// # Errors
///
/// If a pair cannot be made.
pub fn detection(maker: &Maker, runs: u32, bounds: &[usize]) -> io::Result<Vec<Detection>> {
    let links: Vec<Link> = (0..=50).flat_map(|percent| (0..runs).map(move |run| (percent, run))).map(link).collect();
    let monitor = Transmitter::default().monitor();
    each(&links, |link| {
        let pair = maker.make(link)?;
        let explained = Transmitter::sniffer().validate(&monitor, pair.heard.trace()).map_err(io::Error::other)?;
        let by_backtracking = bounds.iter().map(|&most| {
            let sniffer = Transmitter::likely(most, EXTENSIONS_MAX);
            let explained = sniffer.validate(&monitor, pair.heard.trace()).map_err(io::Error::other)?;
            Ok(match explained.verdict {
                Verdict::Consistent(_) => Some(false),
                Verdict::Violation | Verdict::Unlikely => Some(true),
                Verdict::Unknown => None,
            })
        });
        Ok(Detection {
            link: link.clone(),
            is_wrong: !pair.own.validate(&monitor).is_accepted(),
            is_definite: explained.verdict == Verdict::Violation,
            missing: match &explained.verdict {
                Verdict::Consistent(mutation) => most_missing(mutation),
                _ => 0,
            },
            by_backtracking: by_backtracking.collect::<io::Result<_>>()?,
        })
    })
}

/// The bugs of a run follow from its number, so that each kind is as frequent.
fn link((percent, run): (u32, u32)) -> Link {
    let kinds = |run: u32, one, other| match run % 4 {
        0 | 1 => "right",
        2 => one,
        _ => other,
    };
    Link {
        device_sniffer: 0.1,
        endpoint_sniffer: 0.1,
        endpoint_device: f64::from(percent) / 100.0,
        sequence: kinds(run, "skip", "stuck"),
        retransmission: kinds(run / 4 + run / 16, "afterAck", "never"),
        seed: u64::from(percent * 1000 + run + 1),
    }
}

/// The most packets of one station that were missed in `WINDOW` packets in a row.
fn most_missing(mutation: &Mutation<Frame>) -> usize {
    let mut window: VecDeque<Option<bool>> = VecDeque::new();
    let mut most = 0;
    for part in mutation.parts().iter().filter(|part| part.guess != Guess::Extra) {
        if window.len() == WINDOW {
            window.pop_front();
        }
        window.push_back((part.guess == Guess::Missed).then_some(part.event == Frame::Ack));
        let count = |of: bool| window.iter().filter(|missed| **missed == Some(of)).count();
        most = most.max(count(true)).max(count(false));
    }
    most
}
