//! Random systems as async programs on netcheck, and the checks of them.

#![forbid(unsafe_code)]
#![allow(clippy::duplicate_mod, reason = "what tasks share is compiled against tokio's types and the tracked ones")]

mod checks;
mod everyday;
mod files;
pub mod machine;
mod memory;
mod operand;
mod plain;
mod streams;
mod tasks;
mod tracked;

pub use checks::{
    Configuration, Ends, Order, check, check_with, checker, checker_for_endless, has_subsumption, orders, register,
    register_nth, register_tracked, remembers, udp, unread,
};
pub use operand::Operand;
pub use tasks::{Told, receive_from};

/// The text that a panic was raised with.
pub fn text_of(panic: &(dyn std::any::Any + Send)) -> &str {
    let string = panic.downcast_ref::<String>().map(String::as_str);
    string.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("something that is no text")
}
