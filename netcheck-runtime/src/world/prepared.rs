//! Operations that units wait for, with all facts that the search needs of them repeatedly.

use super::kinds::for_each_kind;
use super::{choices, faults, monitors, tasks, tcp, time, udp};
use crate::id::TaskId;
use crate::operation::OperationKey;

/// An operation that a unit waits for.
#[derive(Clone, Debug)]
pub struct PreparedOffer {
    pub key: OperationKey,
    pub(crate) task: TaskId,
    pub prepared: Prepared,
}

macro_rules! prepared {
    ($($Kind:ident: $kind:ident,)*) => {
        /// An operation with its components looked up.
        #[derive(Clone, Debug)]
        pub enum Prepared {
            $($Kind($kind::Prepared),)*
        }
    };
}

for_each_kind!(prepared);
