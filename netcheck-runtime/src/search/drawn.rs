//! Delays of datagrams that are drawn.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// The delay of a copy that never arrives: nine years, longer than an execution takes.
const NEVER_NS: u64 = 1 << 58;

type Draw = dyn Fn(u64) -> Option<Duration> + Send + Sync;

/// A user's distribution of delays.
#[derive(Clone)]
pub struct Delays(Arc<Draw>);

impl Delays {
    pub fn new(draw: impl Fn(u64) -> Option<Duration> + Send + Sync + 'static) -> Delays {
        Delays(Arc::new(draw))
    }

    /// The nanoseconds of the next copy.
    pub(super) fn draw(&self, random: u64) -> u64 {
        let delay_ns = (self.0)(random).and_then(|delay| u64::try_from(delay.as_nanos()).ok());
        delay_ns.unwrap_or(NEVER_NS).min(NEVER_NS)
    }
}

impl fmt::Debug for Delays {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Delays")
    }
}
