//! Traces: executions, step by step, as data and in the forms that people read.
//!
//! - [`step`]: one step of a counterexample, as data;
//! - [`asked`]: its question and answer as data, by which a stored step is found again;
//! - [`describe`]: a step from a transition and the states around it;
//! - [`dates`]: the time since the start of instants that steps have read;
//! - [`refused`]: why a connection was refused;
//! - [`left`]: which files a crash has taken, and which syncs would have prevented that;
//! - [`flow`]: which step sent the arrivals of another;
//! - [`situation`]: where each process is after each step;
//! - [`source`]: the source lines of steps;
//! - [`history`]: the calls on an object, and the answer that no order of them explains;
//! - [`counterexample`]: the steps to a violation, and their JSON form;
//! - [`relation`]: which processes have nothing to do with a violation;
//! - [`cut`]: where long payloads are cut;
//! - [`text`]: as text, for a terminal or to be pinned;
//! - [`automaton`]: the learned automaton of one process, as DOT and Mermaid;
//! - [`merge`], [`layout`], [`machine`]: the automaton as a drawing on the page, with few enough nodes to be read;
//! - [`markup`]: text and data from programs, as they may stand in the page;
//! - [`fold`]: which steps need not be seen one by one;
//! - [`columns`]: how wide the lanes are;
//! - [`chart`]: as lanes and arrows, which [`html`] and [`mermaid`] write down.
//!
//! Reads states and automata; runs no user code and searches nothing.

pub(crate) mod asked;
pub(crate) mod automaton;
mod axis;
pub(crate) mod chart;
pub(crate) mod columns;
pub(crate) mod counterexample;
mod cut;
pub(crate) mod dates;
pub(crate) mod describe;
pub(crate) mod flow;
mod fold;
pub(crate) mod history;
pub(crate) mod html;
pub(crate) mod layout;
pub(crate) mod left;
pub(crate) mod machine;
pub(crate) mod markup;
mod merge;
pub(crate) mod mermaid;
pub(crate) mod refused;
pub(crate) mod relation;
pub(crate) mod situation;
pub(crate) mod source;
pub(crate) mod step;
pub(crate) mod text;
pub(crate) mod validated;
