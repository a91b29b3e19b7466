//! Figure 5: which bugs are found in what a sniffer heard, and how many of the reports are right.

use super::workers::each;
use crate::frame::Frame;
use crate::judge::{EXTENSIONS_MAX, most_missing};
use crate::pairs::{Link, Maker};
use crate::transmitter::Transmitter;
use netcheck::monitor::Verdict;
use std::io;

/// One pair of Figure 5.
#[derive(Clone, Debug)]
pub struct Detection {
    /// The link that was simulated.
    pub link: Link,
    /// Whether the device's own trace is rejected.
    pub is_wrong: bool,
    /// Whether no mutation explains what the sniffer heard: a definite violation.
    pub is_definite: bool,
    /// For the mutation with the fewest guesses, the most packets of one station missed in 100 in a row.
    pub missing: usize,
    /// The verdict of Algorithm 2 with each `k`: none if it reached its limit.
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
    /// The rates of pairs, by what is reported of each.
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

/// Simulates `runs` links for each of `losses` probabilities of loss between the stations, from 0 to 0.5; the sniffer
/// misses a tenth. Three of four devices have a bug: half of them number packets wrongly, half of them retransmit
/// wrongly.
///
/// # Errors
///
/// If a pair cannot be made.
pub fn detection(maker: &Maker, (losses, runs): (u32, u32), bounds: &[usize]) -> io::Result<Vec<Detection>> {
    let loss = |step: u32| f64::from(step) * 0.5 / f64::from(losses.saturating_sub(1).max(1));
    let links = (0..losses).flat_map(|step| (0..runs).map(move |run| link(loss(step), step * 1000 + run + 1, run)));
    let links: Vec<Link> = links.collect();
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
                Verdict::Consistent(mutation) => most_missing(mutation, |frame| *frame == Frame::Ack),
                _ => 0,
            },
            by_backtracking: by_backtracking.collect::<io::Result<_>>()?,
        })
    })
}

/// The bugs of a run follow from its number, so that each kind is as frequent.
fn link(loss: f64, seed: u32, run: u32) -> Link {
    let kinds = |run: u32, one, other| match run % 4 {
        0 | 1 => "right",
        2 => one,
        _ => other,
    };
    Link {
        device_sniffer: 0.1,
        endpoint_sniffer: 0.1,
        endpoint_device: loss,
        sequence: kinds(run, "skip", "stuck"),
        retransmission: kinds(run / 4 + run / 16, "afterAck", "never"),
        seed: u64::from(seed),
    }
}
