//! Histories of calls on objects that programs share, and whether some order of the calls explains all answers.
//!
//! The object is given by what it does when it is used by one caller at a time ([`Sequential`]). A history is what its callers
//! see: a call is invoked, and later it returns an answer; between the two, other calls are. Two properties say which answers
//! are right.
//!
//! - [`Linearizable`]: each call takes effect at one instant between its invocation and its return (Herlihy and Wing,
//!   "Linearizability: A Correctness Condition for Concurrent Objects", 1990);
//! - [`Consistent`], sequentially consistent: all calls have one order that keeps the order within each process (Lamport,
//!   "How to Make a Multiprocessor Computer That Correctly Executes Multiprocess Programs", 1979).
//!
//! A call that never returns may take effect at any time after its invocation, or never.
//!
//! Both are told the events one by one, and their values are canonical as far as they can be: equal ones allow the same
//! futures. [`find_order`] finds an order of a whole history, for people to read.
//!
//! Nothing here knows a network, a state of a search or a clock.

mod bag;
mod consistent;
mod linearizable;
mod objects;
mod order;
mod sequential;

pub use bag::{Bag, Table};
pub use consistent::Consistent;
pub use linearizable::Linearizable;
pub use objects::{Queue, QueueOperation, Register, RegisterAnswer, RegisterOperation};
pub use order::{Recorded, find_order};
pub use sequential::{Call, Keyed, Sequential};
