//! One program as a learned automaton.
//!
//! - [`names`], [`shared`]: units by name; the tables that all units of a check share;
//! - [`source_line`], [`caller`]: source lines in words; the program's own source line of a call;
//! - [`identity`]: ways to tell that two local histories lead to one local state;
//! - [`program`]: a program that can be started any number of times;
//! - [`poll`]: the state that a poll of user code can see, and the calls that fronts make in it;
//! - [`instance`]: one live run of a unit, and the executor that polls its tasks;
//! - [`panics`]; [`watchdog`], `stuck`: polls that panic, and polls that do not return;
//! - [`automaton`]: nodes, edges and the interned outcomes between them;
//! - [`pool`]: suspended instances; [`learn`]: taking an edge for the first time,
//!   rebuilding and the check that a program is deterministic;
//! - [`generator`]: numbers without a pattern, the same in every check;
//! - [`merged`]: histories that were taken to lead to one local state;
//! - [`order`]: whether a unit may come back to a local state;
//! - [`both_ways`]: a sample of what was merged, run in several histories; [`calendar`]: and at several dates; [`dated`]: what an edge says of instants;
//! - [`kept`]: what a check keeps of a run beyond its end;
//! - [`described`]: the memory of a local state in parts, for readers;
//! - [`waiting`]: where tasks wait for what is no operation;
//! - [`waits`]: the ends of tasks that a tracked task waits for, learned where it has not had to wait;
//! - [`perform`]: one execution repeated for an observer, each poll once;
//! - [`remark`]: what readers are told of a step;
//! - [`payload`]: payloads as Rust literals;
//! - [`wording`]: operations and outcomes as stable text.
//!
//! Invariants: user code runs only inside [`instance::Instance::step`]; this module knows no protocol and no search
//! order. No two files use each other.

pub mod automaton;
mod both_ways;
mod calendar;
pub mod caller;
mod crash;
mod dated;
pub mod described;
mod generator;
pub mod identity;
pub mod instance;
mod kept;
pub(crate) mod learn;
mod merged;
pub mod names;
mod order;
pub(crate) mod panics;
pub mod payload;
pub mod perform;
pub mod poll;
mod pool;
pub mod program;
mod recency;
pub mod remark;
mod set_back;
pub mod shared;
pub mod source_line;
mod stuck;
pub(crate) mod waiting;
mod waits;
pub mod watchdog;
pub mod wording;
