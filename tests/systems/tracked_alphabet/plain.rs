//! The same program with plain tasks.

pub use netcheck::tracked as tokio;

macro_rules! isolated {
    ($($function:tt)*) => { $($function)* };
}

#[path = "../../../examples/alphabet/program.rs"]
#[allow(clippy::duplicate_mod, reason = "the same source with tasks that are isolated, and with plain ones")]
pub mod program;
