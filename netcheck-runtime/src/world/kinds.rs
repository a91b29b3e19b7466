//! The table of the kinds of components.
//!
//! Each kind is a folder of [`world`](super) with these modules: operations and effects (`operation`), operations as
//! the search keeps them (`prepared`) and how they are prepared (`prepare`), the steps that an operation offers
//! (`offers`), the changes that an effect makes (`effects`), the resources that both affect and depend on (`depends`),
//! and the renaming of both (`renaming`). A new kind is a folder and a line here.

/// Calls a macro with all kinds: the name of each kind's variant, and the kind's folder.
macro_rules! for_each_kind {
    ($then:ident) => {
        $then! {
            Tasks: tasks,
            Udp: udp,
            Tcp: tcp,
            Mailboxes: mailboxes,
            Storage: storage,
            Time: time,
            Choices: choices,
            Faults: faults,
            Monitors: monitors,
        }
    };
}
pub(crate) use for_each_kind;
