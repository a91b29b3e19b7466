//! The table of the kinds of components.
//!
//! Each kind is a folder of [`world`](super) with a module for each of: what units ask of it and what happens to it
//! (`operation`), what the search knows of an operation (`prepared`) and how that is looked up (`prepare`), which steps
//! it offers (`offers`), what a step does to it (`effects`), what steps of it affect and depend on (`depends`), what
//! becomes of names in it (`renaming`). A new kind is a folder and a line here.

/// Calls a macro with all kinds: the variant of each, and its folder.
macro_rules! for_each_kind {
    ($then:ident) => {
        $then! {
            Tasks: tasks,
            Udp: udp,
            Tcp: tcp,
            Time: time,
            Choices: choices,
            Faults: faults,
        }
    };
}
pub(crate) use for_each_kind;
