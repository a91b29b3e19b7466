//! The attributes and macros of netcheck. Use them through the crate `netcheck`, which re-exports
//! them.
//!
//! Each macro parses, checks, expands, and falls back to the user's own item with errors, in a file
//! per step. Invariants:
//!
//! - All mistakes of an item are reported at once, each at the offending word, and the user's item is
//!   emitted nevertheless: one mistake gives one error.
//! - The expansions are little: behaviour lives in `netcheck::__private`, in ordinary, tested Rust.
//!   Each module that expands shows one full expansion, kept true by a test.
//! - This crate depends on no other crate of the workspace.
#![forbid(unsafe_code)]
#![deny(missing_docs)]
#![warn(clippy::too_many_lines)]

mod capture;
mod ctxt;
mod entry;
mod fallback;
mod function;
mod isolated;
mod model_check;
mod monitor;
mod process;
mod program;
mod select;
#[cfg(test)]
mod testing;
mod whole;
mod words;

use proc_macro::TokenStream;

/// Turns a function that registers programs into a test that checks every execution of them.
///
/// ```ignore
/// #[netcheck::model_check(udp(loss, duplication, reorder = 2), at_most = 1)]
/// fn transfer_survives(net: &mut netcheck::Network) {
///     net.daemon("server", || server("0.0.0.0:4000"));
///     net.process("client", || client("server:4000"));
/// }
/// ```
///
/// Without words, the network is reliable and only the schedules are explored. The words, each of
/// which is a method of `netcheck::check::Checker` too:
///
/// | word | meaning |
/// | --- | --- |
/// | `udp(…)` | what may happen to datagrams, see below; several of them are groups: a packet belongs to the first that names it |
/// | `tcp(…)` | how connections may fail, see below |
/// | `tasks = tracked` | tasks share memory only through `netcheck::tracked`: fewer local states |
/// | `tasks = fifo` | tasks are polled in the order of tokio's runtime of one thread, and in no other |
/// | `deadlocks = paper` | what waits for a next client: `each_process` (a process waits for ever unless a task of its own is in `accept`), or `paper` (unless anybody is) |
/// | `liveness = on` | processes that are no daemons have to end in every fair execution, and not only where nothing can happen any more: `on` walks all states for it, `off` none; by default it is checked as far as it is cheap |
/// | `at_most = 1` | faults in one execution: packets lost or overtaken, further copies, calls that fail |
/// | `duration = 10s`, `duration = 500ms` | only the first so many seconds of the programs' time |
/// | `search = bfs` | `bfs`, `dfs`, `faults`, `joint`, `reads`, `network_states` or `network_states(retransmissions = 2)`, `retransmissions(2)`, `random` or `random(seed = 7)`, `pct` or `pct(seed = 7, depth = 3)`, `simulate` or `simulate(seed = 7, runs = 10_000)` or `simulate(time = 30)` |
/// | `seed = 7` | other random numbers for the programs, and another walk for `search = random` or `pct` |
/// | `max_states = 1_000_000`, `max_depth = 500`, `max_messages = 100` | limits; a check that reaches one is inconclusive, and fails |
/// | `max_memory = 2 << 30` | a limit as well: bytes that visited states may take |
/// | `max_time = 30`, `max_time = 500ms` | a limit as well: what the check may take, in seconds unless a unit is given |
/// | `reduction = false` | explore every interleaving |
/// | `subsumption = true` | leave out states that add nothing to a visited one, where packets may get lost |
/// | `symmetry = true` | take states for one that differ only in which of several like processes or tasks does what |
/// | `store = fingerprint` | `exact`, or `fingerprint`: 64 bits of each state are kept; the report says how probable an omission is |
/// | `threads = 2` | so many threads explore; what they find is the same |
/// | `capture = false` | tell local states by their whole past, also where a loop says what is left of it |
/// | `identity = history` | tell local states by their pasts only; by default (`memory`) also by the memory of the programs, so that ordinary loops close |
/// | `dates = relative` | the programs depend only on how far dates (`SystemTime`) lie apart, and from now; by default (`absolute`) states differ by the date |
/// | `audit = false` | leave out the sample of states that is explored again without reduction |
/// | `expect = panic` | pass only if this is found: `panic`, `deadlock`, `property`, `monitor`, `liveness`, `any` violation, `inconclusive`, or `simulated` |
/// | `snapshot` | with `expect`: pin the counterexample with `insta` |
/// | `whole` | ignored, unless `cargo netcheck test` runs it: the programs use crates that name tokio |
/// | `replay = "traces/lost.json"` | run the execution in this file, and no other; see below |
/// | `name = lossy` | what this test is called, if the function has several |
///
/// The words of `udp`:
///
/// | word | meaning |
/// | --- | --- |
/// | `loss` | a packet may get lost |
/// | `duplication` | a packet may arrive twice |
/// | `reorder = 2` | packets may overtake each other; the network holds so many |
/// | `copies = [1, 0, 2]` | how often each packet may arrive, in the order to explore; in place of `loss` and `duplication` |
/// | `window = 2` | how many packets the network holds; in place of `reorder` |
/// | `direction = send` | perturb what a process sends (`send`), what it receives (`receive`), or `both` |
/// | `delay`, `delay = 1ms..=200ms`, `delay = [5ms, 50ms]` | packets take time: any, or so much |
/// | `process = "client"`, `processes = ["a", "b"]` | perturb only the packets of these |
/// | `between = ["client", "server"]` | perturb only packets from one of these to another |
///
/// The words of `tcp`:
///
/// | word | meaning |
/// | --- | --- |
/// | `open` | `connect` may fail with `TimedOut`, `accept` with `ConnectionAborted` |
/// | `close` | `shutdown` may fail with `NotConnected` |
/// | `read` | a read may fail with `ConnectionReset` |
/// | `write` | a write may fail with `BrokenPipe` |
/// | `reset` | a connection may die for both ends while one of them reads or writes |
/// | `hang` | `connect` may never answer |
/// | `transient` | a failed `accept`, read, write or `shutdown` fails with `OutOfMemory`, and its connection goes on |
/// | `split` | a read may return, and a write may take, any non-empty part of what it could |
/// | `buffer = 4096` | how many bytes are held for each direction of a connection |
/// | `retries = 15min` | after so long without an acknowledgement, or an answer to a connect, a call fails with `TimedOut` |
/// | `process = "client"`, `processes = ["a", "b"]` | only calls of these fail |
/// | `side = client` | only calls of the end that connected (`client`) or was accepted (`server`) fail |
/// | `first = 2` | only so many first executions of each source line fail |
///
/// Other attributes of the function (`#[ignore]`, `#[cfg(…)]`, doc comments) stay; `#[test]` is not
/// needed. With `#[should_panic(expected = "…")]` the check has to find a violation whose report
/// has this text; one that comes to no answer fails. `expect` says the same without the text.
///
/// # A trace as a test
///
/// With `replay`, the test runs the one execution that a failing check has saved (under
/// `target/netcheck/`; the path is from the folder of `Cargo.toml`), which takes no search:
///
/// - it passes if nothing is violated any more; with `expect`, if it still is;
/// - without `udp` and `tcp`, the faults are those under which the trace was found;
/// - if a step is not possible any more, the test fails and says which one, why, and what is possible
///   now: such a trace tests nothing.
///
/// # Several tests
///
/// Several attributes on one function are as many tests, in a module of its name: each is called
/// after its words, or as `name` says.
///
/// ```ignore
/// #[netcheck::model_check]                                  // transfer_survives::schedules
/// #[netcheck::model_check(udp(loss, reorder = 2))]          // transfer_survives::udp_loss_reorder_2
/// #[netcheck::model_check(udp(delay), name = impatient)]    // transfer_survives::impatient
/// fn transfer_survives(net: &mut netcheck::Network) {
///     net.daemon("server", || server("0.0.0.0:4000"));
///     net.process("client", || client("server:4000"));
/// }
/// ```
///
/// The function may return a `Result<(), E>`: an error fails the test. It may be an `async fn`, as
/// long as it waits for nothing: no program runs before it has returned.
#[proc_macro_attribute]
pub fn model_check(attr: TokenStream, item: TokenStream) -> TokenStream {
    model_check::attribute(attr.into(), item.into()).into()
}

/// Turns an async fn into a test of every schedule of it: what `#[tokio::test]` becomes where
/// netcheck stands in for tokio.
///
/// ```ignore
/// #[tokio::test]
/// async fn a_request_is_answered() -> Result<(), Error> {
///     let listener = TcpListener::bind("127.0.0.1:0").await?;
///     let address = listener.local_addr()?;
///     tokio::spawn(serve(listener));
///     assert_eq!(ask(address).await?, "answer");
///     Ok(())
/// }
/// ```
///
/// The body is one process, `test`, on localhost; it and the tasks that it spawns are one unit.
/// The test fails if one execution of it panics, ends with an error or never ends. Nobody else is
/// there to connect: unlike in a `#[model_check]`, waiting in `accept` for ever is a deadlock.
///
/// The network is reliable, unless the environment says otherwise, with the words of
/// [`model_check`](macro@model_check), but for `expect`, `snapshot`, `whole`, `replay` and `name`:
/// `NETCHECK_FAULTS="udp(loss), tcp(read, write), at_most = 1" cargo test`.
///
/// With `#[should_panic]`, one execution has to panic; other violations, and checks that come to
/// no answer, fail the test. The arguments of `tokio::test` are accepted and say nothing that a
/// check needs: `flavor`, `worker_threads`, `start_paused`, `crate`, `unhandled_panic`, `name`.
#[proc_macro_attribute]
pub fn test(attr: TokenStream, item: TokenStream) -> TokenStream {
    entry::test(attr.into(), item.into()).into()
}

/// Lets the `#[tokio::main]` of a program compile where netcheck stands in for tokio.
///
/// It becomes a plain function that panics when it is called: a check runs the processes that it
/// registers, and no `main`. The arguments of `tokio::main` are accepted.
#[proc_macro_attribute]
pub fn main(attr: TokenStream, item: TokenStream) -> TokenStream {
    entry::main(attr.into(), item.into()).into()
}

/// Turns an async fn into one that returns a process: a value that can be re-created.
///
/// ```ignore
/// #[netcheck::process]
/// async fn worker(id: u32, server: String) -> Result<(), Error> {
///     ask(id, &server).await
/// }
///
/// tokio::spawn(worker(1, "server:4000".to_owned()));   // a unit of its own
/// worker(1, "server:4000".to_owned()).await?;          // as any async fn
/// ```
///
/// It shares no memory with its surroundings: each argument is `Isolated + Clone` and none borrows.
/// netcheck's streams are no `Clone`; as arguments they move into the process. A method takes `self`
/// by value; it belongs to a type, not to a trait.
///
/// # Captured loops
///
/// At the head of each loop that awaits, the function tells the check the variables that the rest of it
/// depends on. Two of its pasts that arrive there with equal values are one local state, so that
/// `loop { recv; send }` is explored to the end. For that,
///
/// - the variables that the loop uses are `Hash`, floating-point numbers, or netcheck's sockets;
/// - the loop stands in the function itself, not in a closure, an async block or a macro;
/// - the process has one task, and the function is called and awaited directly, by functions like this
///   one, from its root on: not inside of `select!`, `join!` or `timeout`.
///
/// Any other loop is told apart by its whole history, as in a function that is not annotated;
/// `Report::uncaptured_loops` says which, and why. A `Hash` that leaves out what the loop depends on
/// makes a check miss executions; where that shows, the check ends with an error.
///
/// `#[netcheck::keep]` on a loop, or `#[netcheck::process(capture = false)]`, leaves it as it is:
///
/// ```ignore
/// #[netcheck::keep]
/// loop {
///     requests.push(receive(&socket).await);
/// }
/// ```
#[proc_macro_attribute]
pub fn process(attr: TokenStream, item: TokenStream) -> TokenStream {
    process::attribute(attr.into(), item.into()).into()
}

/// Prepares a module or an impl block that is written on tokio and std.
///
/// ```ignore
/// #[cfg_attr(test, netcheck::program)]
/// mod protocol {
///     use std::{io, net::SocketAddr, time::Instant};
///     use tokio::net::UdpSocket;
///
///     pub async fn ask(server: SocketAddr) -> io::Result<Instant> {
///         UdpSocket::bind("0.0.0.0:0").await?.send_to(b"?", server).await?;
///         Ok(Instant::now())
///     }
/// }
/// ```
///
/// Every async fn in it stays an async fn: it may borrow, be generic, be a method. As in a
/// [`process`](macro@process), the loops of its own body that await are captured; a function that has
/// `#[process]` besides leaves that to it.
///
/// In the whole item
///
/// | path | becomes |
/// | --- | --- |
/// | `tokio::…`, also `#[tokio::test]` and `#[tokio::main]` | `netcheck::…` |
/// | `std::time::Instant` | netcheck's, the clock of the check |
/// | `std::thread::sleep(…)` in an async fn or an async block | `tokio::time::sleep(…).await` |
///
/// Renamed imports and paths in macros count. `std` leads to `netcheck::program::std`, which has the
/// same items but for these and for what cannot be modelled; `core` and `alloc` are left alone.
///
/// A call that cannot be modelled is an error at its path, or at its `use`: threads, sockets and name lookup
/// of `std`, files, child processes, standard input, blocking calls, the date, random numbers. The
/// message says what to write.
///
/// `#[netcheck::program(tracked)]` lets `tokio::…` lead to `netcheck::tracked::…`, whose channels count nothing and whose
/// accesses `tasks = tracked` records.
///
/// The attribute sees what stands in its item. A name that is imported outside, as for an impl block
/// all are, keeps its meaning: there write `use netcheck as tokio`, or give full paths.
#[proc_macro_attribute]
pub fn program(attr: TokenStream, item: TokenStream) -> TokenStream {
    program::attribute(attr.into(), item.into()).into()
}

/// Declares a type whose values are monitors: what a protocol may do, as a timed automaton over events.
///
/// ```ignore
/// netcheck::monitor! {
///     /// Each block is sent until its Ack comes, at most `times` times, and then the next one.
///     pub monitor StopAndWait(times: i64) over Packet {
///         variable block: 0..=255;
///         variable sent: 0..=times;
///         clock c;
///
///         state idle {
///             Packet::Data(n) if *n == block + 1 => waiting { block = *n; sent = 1; reset c; }
///             Packet::Ack(_) => idle,
///         }
///         state waiting while c <= Duration::from_millis(100) {
///             Packet::Data(n) if *n == block when c >= Duration::from_millis(50) => waiting { sent = sent + 1; reset c; }
///             Packet::Ack(n) if *n == block => idle,
///             otherwise => reject
///         }
///     }
/// }
/// ```
///
/// The macro makes a struct with the parameters as its fields (of any types that are `Clone + Send + Sync`), a constructor
/// `StopAndWait::new(4)`, and an `IntoMonitor`: `net.monitor(StopAndWait::new(4))`.
///
/// - The first state is the initial one. `accepting state`: if there are some, an end in another one is rejected.
///   `while c <= duration`: the monitor rejects when time passes that while it is in the state.
/// - A rule takes the events of a Rust pattern, which is matched against a reference. `if`: a condition over the
///   pattern's bindings, the variables and the parameters. `when`: comparisons of clocks with durations, joined by
///   `&&`. After the state to which the rule leads, a block may assign variables and reset clocks; all values are those
///   before the rule. Where several rules take an event, the monitor follows all of them.
/// - `otherwise` takes what no other rule of the state takes. `otherwise => reject` says that nothing else is expected.
///   Without `otherwise`, the patterns have to be exhaustive, whatever their conditions say.
/// - `variable n: range` has a domain of `i64`, and begins with its least value; `variable b: bool` begins with `false`.
///   A rule that would assign a value outside the domain is not taken. A clock begins at zero.
#[proc_macro]
pub fn monitor(input: TokenStream) -> TokenStream {
    monitor::monitor(input.into()).into()
}

/// Implements `netcheck::Isolated` for a struct or an enum, each of whose fields is isolated.
#[proc_macro_derive(Isolated)]
pub fn derive_isolated(input: TokenStream) -> TokenStream {
    isolated::derive(input.into()).into()
}

/// The expansion of `netcheck::select!`; the first group of the input is the path of the crate.
#[doc(hidden)]
#[proc_macro]
pub fn select_internal(input: TokenStream) -> TokenStream {
    select::select(input.into()).into()
}
