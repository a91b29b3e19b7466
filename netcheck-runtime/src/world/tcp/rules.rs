//! The declared failures of TCP.

use crate::id::ProcessId;
use crate::operation::Side;
use crate::world::delays::Delays;
use netcheck_models::tcp::StreamRules;

/// Bytes that a half-stream holds, unless declared otherwise.
const BUFFER_BYTES: usize = 64 << 10;

/// The declared behaviour of TCP.
#[derive(Clone, Debug)]
pub(crate) struct TcpRules {
    pub(crate) streams: StreamRules,
    pub(crate) fails: Failures,
    /// The processes whose operations may fail; `None`: all.
    pub(crate) processes: Option<Vec<ProcessId>>,
    /// The end at which operations may fail; `None`: both.
    pub(crate) side: Option<Side>,
    /// How many executions of each source line may fail.
    pub(crate) first: Option<u32>,
    /// How long what ends send to each other takes; `None`: no time.
    pub(crate) delays: Option<Delays>,
}

/// The operations that may fail (Table 2 of the paper on TCP transmission failures).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Failures {
    pub(crate) open: bool,
    pub(crate) close: bool,
    pub(crate) read: bool,
    pub(crate) write: bool,
    pub(crate) reset: bool,
    pub(crate) hang: bool,
}

impl Default for TcpRules {
    fn default() -> Self {
        TcpRules {
            streams: StreamRules { split: false, capacity: BUFFER_BYTES },
            fails: Failures::default(),
            processes: None,
            side: None,
            first: None,
            delays: None,
        }
    }
}
