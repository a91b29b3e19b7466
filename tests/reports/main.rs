//! Tests of users, and what they have to say: its names, its words, its texts and drawings, how it ends and how
//! it is replayed.

mod automata;
mod blame;
mod diagnostics;
mod existing;
mod failed;
mod leaks;
mod model_check;
mod printed;
mod remarks;
mod replay;
mod waiting;
mod warned;
mod words;
