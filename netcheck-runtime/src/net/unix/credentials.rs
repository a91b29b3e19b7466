//! The owner of a Unix domain socket: the system process that runs the check.

/// The number of a user, as `tokio::net::unix::uid_t`.
#[allow(non_camel_case_types, reason = "the name is tokio's")]
pub type uid_t = u32;

/// The number of a group, as `tokio::net::unix::gid_t`.
#[allow(non_camel_case_types, reason = "the name is tokio's")]
pub type gid_t = u32;

/// The number of a system process, as `tokio::net::unix::pid_t`.
#[allow(non_camel_case_types, reason = "the name is tokio's")]
pub type pid_t = i32;

/// Credentials of a system process, as `tokio::net::unix::UCred`.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct UCred {
    pid: Option<pid_t>,
    uid: uid_t,
    gid: gid_t,
}

impl UCred {
    /// The credentials of the system process in which the check runs: both ends of a socket are in one process.
    pub(super) fn own() -> UCred {
        let (uid, gid) = netcheck_memory::owner();
        UCred { pid: pid_t::try_from(std::process::id()).ok(), uid, gid }
    }

    /// The number of the user.
    pub fn uid(&self) -> uid_t {
        self.uid
    }

    /// The number of the group.
    pub fn gid(&self) -> gid_t {
        self.gid
    }

    /// The number of the process.
    pub fn pid(&self) -> Option<pid_t> {
        self.pid
    }
}
