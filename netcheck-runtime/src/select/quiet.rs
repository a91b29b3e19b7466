//! Futures without effects that the program can see while they wait.
//!
//! A branch of a `select!` that was polled and lost may have had effects, unless its future is quiet. Quiet futures are
//! recognized by the names of their types. A future that is not recognized is not quiet, which costs states and misses
//! nothing.

use std::any::type_name;
use std::pin::Pin;

/// The relation of a branch's future to the memory of the program while it waits.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quiet {
    /// The future may change the memory.
    No,
    /// The future changes nothing, but other branches may make it ready.
    Looks,
    /// The future changes nothing, and other branches cannot make it ready.
    Blind,
}

/// The relation of a branch's future to the memory of the program.
#[doc(hidden)]
pub fn quiet<F>(_: &Pin<&mut F>) -> Quiet {
    quiet_type(type_name::<F>())
}

fn quiet_type(name: &str) -> Quiet {
    let looks = |part: &&str| name.contains(part);
    match is_quiet_type(name, true) {
        false => Quiet::No,
        true if ["::sync::", "::task::"].iter().any(looks) => Quiet::Looks,
        true => Quiet::Blind,
    }
}

/// Futures that only wait in a queue or for an operation; their type parameters are not polled.
const LEAVES: [&str; 7] = [
    "core::future::pending::Pending<",
    "core::future::ready::Ready<",
    "netcheck_runtime::net::",
    "netcheck_runtime::signal::",
    "netcheck_runtime::task::",
    "netcheck_runtime::time::Interval",
    "netcheck_runtime::time::Sleep",
];

/// As `LEAVES`, if the `select!` owns the future, which then loses its place in the queue.
const OWNED: [&str; 2] = ["tokio::sync::", "netcheck_runtime::sync::"];

/// Futures that poll the type in their parameter, which must therefore be quiet itself.
const WRAPPERS: [&str; 3] = ["alloc::boxed::Box<", "core::pin::Pin<", "netcheck_runtime::time::Timeout<"];

/// Futures that read from or write to the type in their parameter.
const STREAMS: [&str; 2] = ["tokio::io::util::", "netcheck_runtime::io::"];

fn is_quiet_type(name: &str, is_owned: bool) -> bool {
    let own = name.trim_start_matches("&mut ");
    let is_owned = is_owned && own.len() == name.len();
    if let Some(inner) = WRAPPERS.iter().find_map(|wrapper| own.strip_prefix(wrapper)?.strip_suffix('>')) {
        return is_quiet_type(inner, is_owned);
    }
    if own.starts_with("tokio::sync::oneshot::Receiver<") {
        return true;
    }
    if OWNED.iter().any(|owned| own.starts_with(owned)) {
        return is_owned && !runs_a_function(own);
    }
    if LEAVES.iter().any(|leaf| own.starts_with(leaf)) {
        return !runs_a_function(own) && !connects_at_once(own);
    }
    STREAMS.iter().any(|streams| own.starts_with(streams)) && is_of_sockets(own)
}

/// Whether the future calls a function of the program, or polls a future of the program in place.
fn runs_a_function(name: &str) -> bool {
    ["wait_for", "LocalSet", "RunUntil", "async_io", "try_io", "OnceCell"].iter().any(|word| name.contains(word))
}

/// Whether the first poll makes a connection of Unix domain sockets, which the listener sees even if the branch has lost.
fn connects_at_once(name: &str) -> bool {
    ["UnixStream::connect", "UnixSocket::connect"].iter().any(|word| name.contains(word))
}

/// Whether a reading or writing future consists only of types of tokio and netcheck, and buffers no bytes for writing.
fn is_of_sockets(name: &str) -> bool {
    let is_word = |character: char| character.is_alphanumeric() || "_:".contains(character);
    let mut paths = name.split(|character| !is_word(character)).filter(|path| path.contains("::"));
    let is_known = |path: &str| {
        ["tokio::", "netcheck_runtime::", "core::", "alloc::", "bytes::", "::"]
            .iter()
            .any(|known| path.starts_with(known))
    };
    let keeps = ["dyn ", "BufWriter", "BufStream", "::mem::", "Chain", "Copy"];
    paths.all(is_known) && !keeps.iter().any(|word| name.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::{Future, pending, ready};
    use std::pin::pin;
    use tokio::io::{AsyncWriteExt, duplex};
    use tokio::sync::{Mutex, Notify, mpsc, oneshot, watch};

    struct Message;

    fn tells(future: impl Future) -> bool {
        let future = pin!(future);
        quiet(&future) == Quiet::No
    }

    #[test]
    fn a_connect_of_a_unix_domain_socket_is_not_quiet() {
        let of_unix = "netcheck_runtime::net::unix::stream::UnixStream::connect<&str>::{{closure}}";
        let of_tcp = "netcheck_runtime::net::tcp::stream::TcpStream::connect<&str>::{{closure}}";
        assert_eq!([of_unix, of_tcp].map(quiet_type), [Quiet::No, Quiet::Blind]);
    }

    #[test]
    fn what_only_waits_is_quiet() {
        assert!(!tells(pending::<Message>()));
        assert!(!tells(ready(Message)));
        let (_sender, mut receiver) = mpsc::channel::<Message>(1);
        assert!(!tells(receiver.recv()));
        let (_sender, mut receiver) = oneshot::channel::<Message>();
        assert!(!tells(&mut receiver));
        assert!(!tells(Notify::new().notified()));
        assert!(!tells(Mutex::new(Message).lock()));
    }

    #[test]
    fn operations_are_quiet() {
        let stream = "netcheck_runtime::net::tcp::stream::TcpStream";
        for blind in
            [format!("tokio::io::util::read::Read<{stream}>"), format!("{stream}::connect<&str>::{{{{closure}}}}")]
        {
            assert_eq!(quiet_type(&blind), Quiet::Blind, "{blind}");
        }
        let keeps = "tokio::io::util::buf_writer::BufWriter";
        for not in [format!("{keeps}<{stream}>"), "program::Stream".to_owned()] {
            assert_eq!(quiet_type(&format!("tokio::io::util::write_all::WriteAll<{not}>")), Quiet::No, "{not}");
        }
    }

    #[test]
    fn a_copy_between_sockets_is_quiet() {
        let stream = "netcheck_runtime::net::tcp::stream::TcpStream";
        let copy = |from: &str| format!("netcheck_runtime::io::copy_bidirectional<{from}, {stream}>::{{{{closure}}}}");
        assert_eq!(quiet_type(&copy(stream)), Quiet::Blind);
        assert_eq!(quiet_type(&copy("program::Stream")), Quiet::No);
    }

    #[test]
    fn what_the_program_wrote_itself_is_not() {
        assert!(tells(async {}));
        assert!(tells(std::future::poll_fn(|_| std::task::Poll::Ready(()))));
        let boxed: Pin<Box<dyn Future<Output = ()>>> = Box::pin(pending());
        assert!(tells(boxed));
        let (_sender, mut receiver) = watch::channel(Message);
        assert!(!tells(receiver.changed()));
        assert!(tells(receiver.wait_for(|_| true)));
        let (mut one, _other) = duplex(1);
        assert!(tells(one.write_all(b"xx")));
    }

    /// The future keeps its place in a queue, where other tasks can see it.
    #[test]
    fn what_is_kept_waiting_for_a_lock_is_not() {
        let mutex = Mutex::new(());
        assert!(!tells(Box::pin(mutex.lock())));
        let mut kept = Box::pin(mutex.lock());
        let kept = &mut kept;
        assert!(tells(kept));
        assert!(tells(pin!(mutex.lock())));
    }

    #[test]
    fn a_timer_is_as_quiet_as_what_it_limits() {
        let blind = [
            "netcheck_runtime::time::Timeout<core::future::pending::Pending<()>>",
            "&mut core::pin::Pin<&mut netcheck_runtime::time::Sleep>",
        ];
        assert!(blind.iter().all(|name| quiet_type(name) == Quiet::Blind));
        assert_eq!(quiet_type("netcheck_runtime::time::Timeout<program::serve::{{closure}}>"), Quiet::No);
        assert_eq!(quiet_type("netcheck_runtime::time::Timeout<netcheck_runtime::task::JoinHandle<()>>"), Quiet::Looks);
    }
}
