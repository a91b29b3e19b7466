//! Figure 4: how far the mutation is from what the device saw.

use super::workers::each;
use crate::pairs::{Link, Maker};
use crate::transmitter::Transmitter;
use netcheck::monitor::Verdict;
use std::io;

/// One link of Figure 4.
#[derive(Clone, Debug)]
pub struct Distance {
    /// The link that was simulated.
    pub link: Link,
    /// The Jaccard distance between the device's trace and the mutation with the fewest guesses; none if there was a
    /// false alarm.
    pub jaccard: Option<f64>,
    /// The guesses of that mutation.
    pub guesses: usize,
}

/// Simulates links with each probability of loss in `steps` steps from 0 to 0.5. The device is right.
///
/// # Errors
///
/// If a pair cannot be made, or the device's own trace is not accepted.
pub fn distance(maker: &Maker, steps: u32) -> io::Result<Vec<Distance>> {
    let loss = |step: u32| f64::from(step) * 0.5 / f64::from(steps);
    let mut links = Vec::new();
    for ((ed, ds), es) in (0..=steps)
        .flat_map(|ed| (0..=steps).map(move |ds| (ed, ds)))
        .flat_map(|both| (0..=steps).map(move |es| (both, es)))
    {
        links.push(Link {
            device_sniffer: loss(ds),
            endpoint_sniffer: loss(es),
            endpoint_device: loss(ed),
            sequence: "right",
            retransmission: "right",
            seed: links.len() as u64 + 1,
        });
    }
    let transmitter = Transmitter::default();
    let monitor = transmitter.monitor();
    each(&links, |link| {
        let pair = maker.make(link)?;
        let own = pair.own.validate(&monitor);
        if !own.is_accepted() {
            return Err(io::Error::other(format!("{link:?}: the device's own trace: {own}")));
        }
        let explained = Transmitter::sniffer().validate(&monitor, pair.heard.trace()).map_err(io::Error::other)?;
        let (jaccard, guesses) = match explained.verdict {
            Verdict::Consistent(mutation) => {
                (Some(mutation.trace().jaccard(pair.own.trace(), transmitter.latest)), mutation.guesses())
            }
            _ => (None, 0),
        };
        Ok(Distance { link: link.clone(), jaccard, guesses })
    })
}
