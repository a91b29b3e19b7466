//! Operations that units wait for, with all facts that the search needs of them repeatedly.

use super::kinds::for_each_kind_with_operations;
use super::{choices, mailboxes, storage, tasks, tcp, time, udp};
use crate::id::{OutcomeId, TaskId};
use crate::operation::{Decided, Offer, Operation, OperationKey};

/// An operation that a unit waits for.
#[derive(Clone, Debug)]
pub struct PreparedOffer {
    pub key: OperationKey,
    pub(crate) task: TaskId,
    pub(crate) waking: Waking,
    pub prepared: Prepared,
}

/// A call of a step that completes at once if it can.
#[derive(Clone, Debug)]
pub(crate) struct PreparedCall {
    /// Its number among the operations that the step has begun.
    pub(crate) number: u32,
    pub(crate) decided: Decided,
    /// Whether it waits on if it may as well complete in the next step.
    pub(crate) goes_on: bool,
    pub(crate) prepared: Prepared,
}

/// How a unit is told of the outcomes of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Waking {
    /// A step gives the outcome. What the program does not take is kept, or the step does not exist.
    Given,
    /// A step gives the outcome to the task that waits. If that does not take it, it is woken only, and the outcome is
    /// chosen by the poll that takes it.
    Offered,
    /// A step calls the waker, which is the program's own; the outcome is chosen by the poll that takes it.
    Called,
    /// The call that chooses the outcome, after the waker was called. It waits only if nothing can be chosen any more.
    Again,
}

impl Waking {
    pub(super) fn of(offer: &Offer) -> Waking {
        match (&offer.operation, offer.is_called) {
            (Operation::Again(_), _) => Waking::Again,
            (operation, is_called) if offer.key != OperationKey::ANSWER && operation.is_tried_again() => {
                if is_called {
                    Waking::Called
                } else {
                    Waking::Offered
                }
            }
            _ => Waking::Given,
        }
    }
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

for_each_kind_with_operations!(prepared);

impl Prepared {
    /// The datagram that is sent, if this is a send of UDP.
    #[must_use]
    pub fn sent_datagram(&self) -> Option<OutcomeId> {
        match self {
            Prepared::Udp(prepared) => prepared.sent(),
            _ => None,
        }
    }
}
