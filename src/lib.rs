//! Model-checks networked async programs written on tokio, in `cargo test`.
//!
//! netcheck runs the client and server code that you ship through *every* task schedule and
//! *every* UDP loss, duplication and reordering within declared bounds, and either says
//! "verified" or shows the least execution that breaks it.
//!
//! The root of this crate mirrors tokio's tree, so that in test builds a program can be
//! compiled against it by one line:
//!
//! ```
//! # #[cfg(any())]
//! #[cfg(test)] extern crate netcheck as tokio;   // at the crate root: the whole crate, or
//! # #[cfg(any())]
//! #[cfg(test)] use netcheck as tokio;            // in one module
//! ```
//!
//! Then annotate a test:
//!
//! ```
//! use netcheck as tokio;
//! use tokio::net::UdpSocket;
//!
//! async fn server() {
//!     let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
//!     let mut buffer = [0; 16];
//!     let (length, from) = socket.recv_from(&mut buffer).await.unwrap();
//!     socket.send_to(&buffer[..length], from).await.unwrap();
//! }
//!
//! async fn client() -> bool {
//!     let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
//!     socket.send_to(b"ping", "server:4000").await.unwrap();
//!     let mut buffer = [0; 16];
//!     let patience = tokio::time::Duration::from_secs(1);
//!     tokio::time::timeout(patience, socket.recv(&mut buffer)).await.is_ok()
//! }
//!
//! # mod hidden { use super::*;
//! #[netcheck::model_check(udp(loss))]
//! fn the_client_comes_to_an_end(net: &mut netcheck::Network) {
//!     net.daemon("server", server);
//!     net.process("client", client).after("server");
//! }
//! # }
//! # let report = netcheck::check::Checker::new()
//! #     .udp(netcheck::check::Udp::new().loss())
//! #     .check(|net| { net.daemon("server", server); net.process("client", client).after("server"); });
//! # assert_eq!(report.verdict(), netcheck::check::Verdict::Verified);
//! # assert_eq!(report.outputs("client"), ["false", "true"]);
//! ```
//!
//! Tests that are there already, `#[tokio::test]`, become checks of one process by the same
//! line: see [`macro@test`]. A module that uses `std` besides, its clock and `thread::sleep`, is
//! prepared by an attribute, [`macro@program`], which also tells what in it cannot be modelled.
//!
//! A passing check means that *no* execution within the declared faults and limits violates
//! a property. A limit that was hit is [`Inconclusive`](check::Verdict::Inconclusive), never
//! verified.
//!
//! The user's guide, `docs/src/` in the repository, begins with five minutes, and explains every word.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub use netcheck_check::{External, Network};
pub use netcheck_macros::{Isolated, main, model_check, monitor, process, program, test};
pub use netcheck_runtime::isolated::{Isolated, Process};
pub use netcheck_runtime::select::choose;
pub use netcheck_runtime::task::spawn;
pub use netcheck_runtime::{End, env, net, runtime, signal, task, time};

pub use tokio::{pin, task_local};

pub mod faults {
    //! Regions of a program in which there are faults, or faults of their own.
    pub use netcheck_check::faults::with;
    pub use netcheck_runtime::faults::scope;
}

pub mod check {
    //! Building checks by hand: what `#[model_check]` does with its words.
    //!
    //! ```
    //! use netcheck::check::{Checker, Search, Udp, Verdict};
    //!
    //! let report = Checker::new()
    //!     .udp(Udp::new().copies([1, 0, 2]).window(2))
    //!     .at_most(1)
    //!     .search(Search::Bfs)
    //!     .check(|net| {
    //!         net.process("dice", || async { netcheck::choose(1..=6).await });
    //!     });
    //! assert_eq!(report.verdict(), Verdict::Verified);
    //! assert_eq!(report.outputs("dice"), ["1", "2", "3", "4", "5", "6"]);
    //! ```
    pub use netcheck_check::check::{
        Checker, Crash, Dates, Deadlocks, Files, Hosts, Identity, Partition, Simulation, Tasks, Tcp, Udp, Unread,
    };
    pub use netcheck_check::profile::{Cause, Differences, ProcessProfile, Profile};
    pub use netcheck_check::propagation::{Did, Effect, Ending, Fault, Mode, Propagation, Reference, Row};
    pub use netcheck_check::report::{Report, Verdict};
    pub use netcheck_check::{
        Automaton, CallBar, CallHistory, Channel, Counterexample, Doing, Error, Event, Happening, Kind, PeerCounts,
        Registered, Step, Timing,
    };
    pub use netcheck_runtime::{Direction, Judgement, Keep, Search, Side, Simulated, State, ViolationKind};
}

pub mod monitor {
    //! Protocols as timed automata over events, and whether a trace keeps to one.
    //!
    //! A trace comes from the device itself, or from a sniffer that misses packets; the chapter "Monitors and traces" of
    //! the user's guide explains both.
    //!
    //! ```
    //! use netcheck::monitor::{Monitor, Rule, Trace};
    //! use std::time::Duration;
    //!
    //! let monitor = Monitor::builder("turns")
    //!     .state("ping")
    //!     .state("pong")
    //!     .rule("ping", "pong", Rule::on("ping", |packet: &&str| *packet == "ping"))
    //!     .rule("pong", "ping", Rule::on("pong", |packet: &&str| *packet == "pong"))
    //!     .build()
    //!     .unwrap();
    //! let at = Duration::from_millis;
    //! let trace = Trace::new([(at(0), "ping"), (at(1), "pong"), (at(2), "pong")]).unwrap();
    //! assert_eq!(monitor.validate(&trace).rejected_at(), Some(3));
    //! ```
    pub use netcheck_check::page;
    pub use netcheck_runtime::monitor::{
        Builder, Configurations, Emitted, Explained, Extra, Guard, Guess, IntoMonitor, Mistakes, Monitor, Mutation,
        Observe, Observer, Part, Rejection, Rule, Run, Search, Seen, Sniffer, Trace, Unclear, Unordered, Validation,
        Values, Verdict,
    };
}

pub mod history {
    //! Calls on objects that programs share: whether they are linearizable, or sequentially consistent. The chapter
    //! "Histories of calls" of the user's guide explains both.
    //!
    //! A program tells its calls, and the check is given the object by what it does for one caller at a time:
    //!
    //! ```
    //! use netcheck::check::{Checker, Verdict};
    //! use netcheck::history::{self, Register, RegisterAnswer, RegisterOperation};
    //!
    //! async fn client() {
    //!     let call = history::invoke(RegisterOperation::Write(1));
    //!     // The request and its answer.
    //!     netcheck::task::yield_now().await;
    //!     call.returned(RegisterAnswer::<u32>::Written);
    //! }
    //!
    //! let report = Checker::new().check(|net| {
    //!     net.linearizable(Register::new(0_u32));
    //!     net.process("client", client);
    //! });
    //! assert_eq!(report.verdict(), Verdict::Verified);
    //! ```
    pub use netcheck_runtime::history::{
        Call, Queue, QueueOperation, Register, RegisterAnswer, RegisterOperation, Sequential, invoke, invoke_on,
    };
}

#[cfg(feature = "pcap")]
pub mod capture {
    //! Traces for monitors from pcap and pcapng files: the feature `pcap`. The chapter "Monitors and traces" of the
    //! user's guide explains it.
    pub use netcheck_capture::{
        Capture, CaptureTrace, CaptureValidation, Change, Datagram, Decoder, Error, Packet, Place, Unread,
    };
    #[cfg(feature = "wifi")]
    pub use netcheck_capture::{FrameKind, MacAddress, WirelessFrame};
}

pub mod io {
    //! The traits and adaptors of `tokio::io`, which need no runtime: codecs and everything
    //! else that is written on them works on netcheck's sockets.
    pub use netcheck_runtime::io::{copy, copy_bidirectional, copy_bidirectional_with_sizes, copy_buf};
    pub use netcheck_runtime::net::{Interest, Ready};
    #[doc(no_inline)]
    pub use tokio::io::*;
}

pub mod fs {
    //! `tokio::fs`: each process has files of its own, which [`Registered::files`](crate::check::Registered::files) gives
    //! it, and [`End::files`](crate::End::files) tells at the end. A write of a `File` returns before its bytes have
    //! reached the file, as in tokio. Outside of a check, on tokio's runtime, it is tokio's own.
    pub use netcheck_runtime::fs::{
        DirBuilder, DirEntry, File, FileTimes, OpenOptions, ReadDir, canonicalize, copy, create_dir, create_dir_all,
        hard_link, metadata, read, read_dir, read_link, read_to_string, remove_dir, remove_dir_all, remove_file,
        rename, set_permissions, symlink, symlink_metadata, try_exists, write,
    };
}

pub mod sync {
    //! `tokio::sync`, which needs no runtime. Tasks that share it are one unit.
    //!
    //! One call does need a runtime, with a timer: of `mpsc::Sender::send_timeout(value, d)`, the check says that
    //! it panics; write `timeout(d, tx.send(value))`. And what is called `blocking_…` blocks the check if it has to
    //! wait, which ends in an error that names the poll.
    //!
    //! Channels number what is sent, so that a loop that sends for ever has ever more local states; those of
    //! [`tracked`](crate::tracked) do not.
    // Wrappers of tokio's types: a check knows where they are made.
    pub use netcheck_runtime::sync::noted::{broadcast, mpsc, watch};
    #[doc(no_inline)]
    pub use tokio::sync::*;
}

pub mod tracked {
    //! tokio's tree once more, with types of `sync` that record each access to them, and the
    //! like of `std`: for programs whose tasks share memory by nothing else. And with channels whose memory depends only
    //! on what is in them: for programs that send for ever.
    //!
    //! ```
    //! # #[cfg(any())]
    //! #[cfg(test)] use netcheck::tracked::{self as tokio, std};
    //! ```
    //!
    //! For a whole crate there are the crates `netcheck-tracked` and `netcheck-tracked-std`.
    //!
    //! They are types of their own: what is written for tokio's, such as the wrappers of
    //! `tokio-stream`, does not take them. They are made by tasks, so `new` of the types of
    //! `std` is not const, and there is no `const_new`.
    pub use crate::{
        choose, faults, fs, io, join, main, net, pin, runtime, select, signal, spawn, task, task_local, test, time,
        try_join,
    };

    pub mod sync {
        //! As `tokio::sync`, each access recorded.
        pub use netcheck_runtime::sync::{
            AcquireError, Barrier, BarrierWaitResult, MappedMutexGuard, Mutex, MutexGuard, Notify, OnceCell,
            OwnedMappedMutexGuard, OwnedMutexGuard, OwnedRwLockMappedWriteGuard, OwnedRwLockReadGuard,
            OwnedRwLockWriteGuard, OwnedSemaphorePermit, RwLock, RwLockMappedWriteGuard, RwLockReadGuard,
            RwLockWriteGuard, Semaphore, SemaphorePermit, SetError, TryAcquireError, TryLockError, broadcast, futures,
            mpsc, oneshot, watch,
        };
    }

    pub mod std {
        //! As `std`, each access to what is in `sync` recorded.
        #[doc(no_inline)]
        pub use ::std::*;
        pub use netcheck_runtime::sync::std as sync;
    }
}

pub mod program {
    //! Targets of the paths of a module with [`#[program]`](macro@crate::program) lead to.
    //!
    //! ```
    //! #[netcheck::program]
    //! mod protocol {
    //!     use std::net::SocketAddr;
    //!     use std::time::{Duration, Instant};
    //!     use std::{io, thread};
    //!     use tokio::net::UdpSocket;
    //!
    //!     pub struct Client {
    //!         socket: UdpSocket,
    //!         asked: u32,
    //!     }
    //!
    //!     impl Client {
    //!         pub async fn new() -> io::Result<Client> {
    //!             Ok(Client { socket: UdpSocket::bind("0.0.0.0:0").await?, asked: 0 })
    //!         }
    //!
    //!         pub async fn ask(&mut self, server: &str) -> io::Result<Duration> {
    //!             let begun = Instant::now();
    //!             thread::sleep(Duration::from_secs(2));
    //!             self.asked += 1;
    //!             self.socket.send_to(b"?", server).await?;
    //!             let mut buffer = [0; 16];
    //!             let (_, _): (usize, SocketAddr) = self.socket.recv_from(&mut buffer).await?;
    //!             Ok(begun.elapsed())
    //!         }
    //!     }
    //!
    //!     pub async fn serve() -> io::Result<()> {
    //!         let socket = UdpSocket::bind("0.0.0.0:4000").await?;
    //!         let mut buffer = [0; 16];
    //!         loop {
    //!             let (length, from) = socket.recv_from(&mut buffer).await?;
    //!             socket.send_to(&buffer[..length], from).await?;
    //!         }
    //!     }
    //! }
    //!
    //! let report = netcheck::check::Checker::new().check(|net| {
    //!     net.daemon("server", protocol::serve);
    //!     net.process("client", || async {
    //!         let mut client = protocol::Client::new().await.unwrap();
    //!         client.ask("server:4000").await.unwrap()
    //!     })
    //!     .after("server");
    //! });
    //! assert_eq!(report.outputs("client"), ["2s"]);
    //! ```
    pub mod std {
        //! As `std`, without threads and sockets, and with the clock of the check, the arguments and the files of the process.
        #[doc(no_inline)]
        pub use ::std::*;

        pub mod env {
            //! `std::env`, with the arguments and the directories of the process.
            #[doc(no_inline)]
            pub use ::std::env::*;
            pub use netcheck_runtime::env::{args, args_os, current_dir, temp_dir};
        }

        pub mod fs {
            //! `std::fs`, with the files of the process.
            //!
            //! The methods of `std::path::Path` that look at files, such as `exists`, are std's own: they look at the real
            //! ones.
            pub use netcheck_runtime::fs::std::{
                DirBuilder, DirEntry, File, FileType, Metadata, OpenOptions, Permissions, ReadDir, canonicalize, copy,
                create_dir, create_dir_all, exists, hard_link, metadata, read, read_dir, read_link, read_to_string,
                remove_dir, remove_dir_all, remove_file, rename, set_permissions, soft_link, symlink_metadata, write,
            };
        }

        pub mod net {
            //! The addresses of `std::net`.
            pub use ::std::net::{
                AddrParseError, IpAddr, Ipv4Addr, Ipv6Addr, Shutdown, SocketAddr, SocketAddrV4, SocketAddrV6,
            };
        }

        pub mod thread {
            //! `std::thread`, as far as there is one thread, and a `sleep` to be awaited.
            pub use ::std::thread::{
                AccessError, JoinHandle, LocalKey, Result, Thread, ThreadId, available_parallelism, current, panicking,
                yield_now,
            };
            pub use netcheck_runtime::time::sleep;
        }

        pub mod time {
            //! `std::time`, with the clock of the check.
            pub use ::std::time::{Duration, SystemTime, SystemTimeError, TryFromFloatSecsError, UNIX_EPOCH};
            pub use netcheck_runtime::time::Instant;
        }
    }
}

/// Waits for the first of several branches, as `tokio::select!`.
///
/// Where several branches are ready, the check explores each of them as the winner;
/// with `biased;`, the first.
#[macro_export]
macro_rules! select {
    ($($branches:tt)*) => { $crate::__private::select_internal! { ($crate) $($branches)* } };
}

/// Waits for all of several futures, as `tokio::join!`.
///
/// They are polled in a fixed order, so there is nothing to choose. A counterexample says which of them has ended.
#[macro_export]
macro_rules! join {
    (biased; $($future:expr),* $(,)?) => {
        $crate::__private::tokio::join!(biased; $($crate::__private::joined(::core::stringify!($future), $future)),*)
    };
    ($($future:expr),* $(,)?) => {
        $crate::__private::tokio::join!($($crate::__private::joined(::core::stringify!($future), $future)),*)
    };
}

/// Waits for all of several futures, or for the first that ends with an error, as `tokio::try_join!`.
///
/// They are polled in a fixed order, so there is nothing to choose. A counterexample says which of them has ended.
#[macro_export]
macro_rules! try_join {
    (biased; $($future:expr),* $(,)?) => {
        $crate::__private::tokio::try_join!(biased; $($crate::__private::joined(::core::stringify!($future), $future)),*)
    };
    ($($future:expr),* $(,)?) => {
        $crate::__private::tokio::try_join!($($crate::__private::joined(::core::stringify!($future), $future)),*)
    };
}

/// Says that at this place, these values are all that the rest of the process depends on.
///
/// The past of a process tells its local states apart. Two of its pasts that come to one
/// checkpoint with equal values are one local state from there on, so that an endless loop is
/// explored to the end. `#[netcheck::process]` does this at the head of each loop that awaits, where it can
/// tell which values count; here it is the program that says so, and a value left out makes a check
/// miss executions.
///
/// Each value is `Hash`, or one of netcheck's sockets. The function that calls it is a
/// `#[netcheck::process]`; it must not hold anything else that its future depends on, and nobody
/// else must who waits for it.
///
/// ```
/// use netcheck as tokio;
/// use netcheck::check::{Checker, Verdict};
/// use tokio::net::UdpSocket;
///
/// #[netcheck::process(capture = false)]
/// async fn count() {
///     let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
///     let mut seen = 0;
///     loop {
///         netcheck::checkpoint!(seen);
///         socket.recv(&mut [0; 4]).await.unwrap();
///         seen = (seen + 1) % 2;
///     }
/// }
///
/// async fn send() {
///     let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
///     for _ in 0..5 {
///         socket.send_to(b"ping", "counter:4000").await.unwrap();
///     }
/// }
///
/// let report = Checker::new().check(|net| {
///     net.daemon("counter", count);
///     net.process("sender", send).after("counter");
/// });
/// assert_eq!(report.verdict(), Verdict::Verified);
/// ```
#[macro_export]
macro_rules! checkpoint {
    ($($value:expr),* $(,)?) => {{
        #[allow(unused_imports)]
        use $crate::__private::capture::{Captured as _, Debugged as _, Hashed as _, Opaque as _, Unshown as _};
        #[allow(unused_mut)]
        let mut values = $crate::__private::capture::values();
        $((&&&$crate::__private::capture::Value(&$value, stringify!($value))).record(&mut values);)*
        // Without values there is nothing to show.
        #[allow(unused_variables)]
        if let ::core::option::Option::Some(shown) = $crate::__private::capture::checkpoint(|| {}, values) {
            $((&&$crate::__private::capture::Value(&$value, stringify!($value))).show_captured(&shown);)*
        }
    }};
}

/// Claims that a condition holds here in some execution.
///
/// A check in which it never does is vacuous: what it was written for never happens. Its
/// verdict is then [`Inconclusive`](check::Verdict::Inconclusive), and a test fails. If no
/// execution comes here at all, [`Network::sometimes`] has to name the claim. Outside a check
/// this does nothing.
///
/// ```
/// use netcheck::check::{Checker, Verdict};
///
/// async fn roll() {
///     let eyes = netcheck::choose(1..=6).await;
///     netcheck::sometimes!(eyes == 6, "a six");
///     netcheck::sometimes!(eyes == 7, "a seven");
/// }
///
/// let report = Checker::new().check(|net| {
///     net.process("dice", roll);
/// });
/// assert_eq!(report.verdict(), Verdict::Inconclusive);
/// assert_eq!(report.claims(), [("a seven".to_owned(), false), ("a six".to_owned(), true)]);
/// ```
#[macro_export]
macro_rules! sometimes {
    ($condition:expr, $name:literal $(,)?) => {
        $crate::__private::coverage::sometimes($condition, $name)
    };
}

/// Claims that a condition holds here in every execution: where it does not, that is a violation,
/// [`Property`](check::ViolationKind::Property), and no panic of the program's own.
///
/// ```
/// use netcheck::check::{Checker, ViolationKind};
///
/// let report = Checker::new().check(|net| {
///     net.process("dice", || async {
///         let eyes = netcheck::choose(1..=6).await;
///         netcheck::always!(eyes < 6, "no six");
///     });
/// });
/// assert_eq!(report.counterexample().unwrap().kind(), ViolationKind::Property);
/// ```
#[macro_export]
macro_rules! always {
    ($condition:expr, $name:literal $(,)?) => {
        $crate::__private::coverage::always($condition, $name)
    };
}

/// Claims, with [`Network::eventually`], that a condition holds here at last: in every execution that ends, and in every fair one
/// that goes on for ever ([`Checker::liveness`](check::Checker::liveness)), some call has a condition that holds. Outside a check
/// this does nothing, and in one that does not name the claim it is an error.
///
/// ```
/// use netcheck::check::{Checker, ViolationKind};
/// use netcheck::time::{Duration, sleep};
///
/// async fn beats(until: u8) {
///     let mut beats = 0;
///     loop {
///         netcheck::eventually!(beats == 3, "three beats");
///         sleep(Duration::from_secs(1)).await;
///         beats = (beats + 1) % until;
///     }
/// }
///
/// let check = |until| {
///     Checker::new().check(|net| {
///         net.eventually("three beats");
///         net.daemon("heart", move || beats(until));
///     })
/// };
/// assert!(check(4).counterexample().is_none());
/// assert_eq!(check(3).counterexample().unwrap().kind(), ViolationKind::Liveness);
/// ```
#[macro_export]
macro_rules! eventually {
    ($condition:expr, $name:literal $(,)?) => {
        $crate::__private::coverage::eventually($condition, $name)
    };
}

/// Shows a value to the monitors of the check: see [`Seen::Emitted`](monitor::Seen::Emitted). The type has to be
/// `Isolated + Clone + Debug + Send + Sync`. Outside a check nothing happens.
///
/// ```
/// use netcheck::check::{Checker, ViolationKind};
/// use netcheck::monitor::{Monitor, Observer, Rule};
///
/// #[derive(Clone, Debug, PartialEq, netcheck::Isolated)]
/// enum Lock { Taken, Released }
///
/// let turns = Monitor::builder("turns")
///     .state("free")
///     .state("taken")
///     .rule("free", "taken", Rule::on("Taken", |lock| *lock == Lock::Taken))
///     .rule("taken", "free", Rule::on("Released", |lock| *lock == Lock::Released))
///     .build()
///     .unwrap();
/// let turns = Observer::new(turns, |seen| seen.emitted::<Lock>().cloned());
/// let report = Checker::new().check(|net| {
///     net.monitor(turns);
///     for name in ["alice", "bob"] {
///         net.process(name, || async {
///             netcheck::emit!(Lock::Taken);
///             netcheck::task::yield_now().await;
///             netcheck::emit!(Lock::Released);
///         });
///     }
/// });
/// assert_eq!(report.counterexample().unwrap().kind(), ViolationKind::Monitor);
/// ```
#[macro_export]
macro_rules! emit {
    ($value:expr $(,)?) => {
        $crate::__private::emit($value)
    };
}

/// Parts of the macros' expansions; not for use by hand.
#[doc(hidden)]
pub mod __private {
    pub use insta;
    pub use netcheck_check::testing::{
        Expect, ShouldPanic, TestInfo, TestOutcome, Trace, at_once, ended, refuse_to_run, registered, run_async_test,
        run_pinned, run_test, run_trace,
    };
    pub use netcheck_macros::select_internal;
    pub use netcheck_runtime::capture;
    pub use netcheck_runtime::coverage;
    pub use netcheck_runtime::fs::system as files;
    pub use netcheck_runtime::isolated::{
        Argument, CloneForEachRun, Copying, Handle, HandleId, argument, cloned, process,
    };
    pub use netcheck_runtime::join::joined;
    pub use netcheck_runtime::monitor::{built, emit};
    pub use netcheck_runtime::select::{Round, Select, chosen, quiet};
    pub use tokio;
}

/// The README's examples are compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(doctest)]
mod guide;
