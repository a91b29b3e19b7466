//! The declared failures of TCP.

use crate::id::ProcessId;
use crate::operation::Side;
use crate::world::delays::Delays;
use crate::world::tcp::failures::Failures;
use netcheck_models::tcp::StreamRules;

/// Bytes that a half-stream holds, unless declared otherwise.
const BUFFER_BYTES: usize = 64 << 10;

/// The declared behaviour of TCP.
#[derive(Clone, Debug)]
pub struct TcpRules {
    pub streams: StreamRules,
    pub fails: Failures,
    /// The processes whose operations may fail; `None`: all.
    pub processes: Option<Vec<ProcessId>>,
    /// The end at which operations may fail; `None`: both.
    pub side: Option<Side>,
    /// How many executions of each source line may fail.
    pub first: Option<u32>,
    /// How long what ends send to each other takes; `None`: no time.
    pub delays: Option<Delays>,
    /// After how many nanoseconds without an acknowledgement, or without an answer to a connect, hosts give up; `None`: never.
    pub retries_ns: Option<u64>,
}

impl Default for TcpRules {
    fn default() -> Self {
        TcpRules {
            streams: StreamRules { split: false, capacity: BUFFER_BYTES, keeps_writes: false },
            fails: Failures::default(),
            processes: None,
            side: None,
            first: None,
            delays: None,
            retries_ns: None,
        }
    }
}
