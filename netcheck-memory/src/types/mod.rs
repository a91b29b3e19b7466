//! The types of a program's memory, by the debug information of its executable, and which bytes of a value can be read.
//!
//! A suspended future has room for the variables of each await, an enum for each variant, a structure for its padding. What
//! the present await or variant does not use holds what was there before, and tells images apart that are one state.
//!
//! # Why unread bytes can be cleared
//!
//! A byte of a value is *unread* if its type gives no meaning to it: padding, a field of another variant than the present
//! one, a variable that a suspended future does not keep over its present await, room of a vector where no element is. Safe
//! code can't read such a byte before it has written it, and unsafe code that does breaks the rules of the language: no
//! result may depend on what it finds. So a program does the same whatever the engine writes there between two polls
//! ([`Arena::overwrite_unread`](crate::Arena::overwrite_unread)), and after zeros, [images](crate::image) differ only where
//! something can be read that differs. Unions (`MaybeUninit` among them), and whatever the debug information does not
//! describe, have no unread bytes; nor has room of an allocation that was not asked for, which has to stay zero.
//!
//! Whether this is so can be seen: a check that writes another number there finds the same, in the same states, but for
//! those which the number tells apart where a program has copied it to bytes of which each can be read.
//!
//! # Why memory has the type that it is read as
//!
//! - The future of a task: the engine holds it as an object with a table of functions, and the debug information says of
//!   which type that table is.
//! - An allocation: each word of the image that points into it says the same of it (`image::typed`). The pointer of its owner is among
//!   them, or the program could not reach it.
//!
//! Debug information is read once in a process, when a check first asks for it.

mod debug_info;
mod executable;
mod future;
mod known;
mod polls;
mod shape;
mod value;

pub use known::Types;
pub use shape::{Lookup, TypeId};
pub use value::{Elements, Pointer, Reading, Target, control_of};

use debug_info::DebugInfo;

/// Whether the types of this program's memory are known: it was compiled with full debug information.
#[must_use]
pub fn are_known() -> bool {
    crate::place::outside(|| crate::source::without_source(|| DebugInfo::of_executable().is_some()))
}
