//! Monitors: what a protocol may do, as timed automata over events, and traces to validate with them.

pub use netcheck_models::monitor::{
    Builder, Configurations, Explained, Extra, Guard, Guess, Mistakes, Monitor, Mutation, Part, Rejection, Rule, Run,
    Search, Sniffer, Trace, Unclear, Unordered, Validation, Values, Verdict,
};
