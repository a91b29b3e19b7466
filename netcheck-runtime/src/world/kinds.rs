//! The table of the kinds of components.
//!
//! Each kind is a folder of [`world`](super) with these modules: operations and effects (`operation`), the changes that an
//! effect makes (`effects`), the resources that both affect and depend on (`depends`), and the renaming of both
//! (`renaming`). A kind with operations has three more: operations as the search keeps them (`prepared`), how they are
//! prepared (`prepare`), and the steps that an operation offers (`offers`). Of the other kinds a program asks nothing, and
//! tells effects only. A new kind is a folder and a line here, or two.

/// Calls a macro with the kinds that have operations: the name of each kind's variant, and the kind's folder.
macro_rules! for_each_kind_with_operations {
    ($then:ident) => {
        $then! {
            Tasks: tasks,
            Udp: udp,
            Tcp: tcp,
            Mailboxes: mailboxes,
            Storage: storage,
            Time: time,
            Choices: choices,
        }
    };
}
pub(crate) use for_each_kind_with_operations;

/// Calls a macro with all kinds, which have effects: the name of each kind's variant, and the kind's folder.
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
