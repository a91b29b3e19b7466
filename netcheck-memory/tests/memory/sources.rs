//! Random numbers and time of a source, where the functions of the C library are interposed.

#![allow(clippy::disallowed_methods, reason = "the clock and the hasher of std are the subject")]

use netcheck_memory::{
    Answer, Clock, FileCall, Forbidden, Interface, Membership, SocketSort, Source, generators, interposes, with_source,
    without_source,
};
use std::backtrace::BacktraceStatus;
use std::cell::Cell;
use std::io::ErrorKind;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, ToSocketAddrs};
use std::os::fd::AsRawFd;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

/// Bytes that count the draws, and a time.
#[derive(Default)]
struct Counting {
    draws: Cell<u8>,
    seconds: Cell<u64>,
    is_busy: Cell<bool>,
    exit: Cell<Option<i32>>,
    wanted: Cell<Option<Forbidden>>,
    forbids: Cell<bool>,
    /// The membership that a socket has asked for last.
    member: Cell<Option<Membership>>,
    /// A socket that was bound, its address, and its backlog if it listens.
    bound: Cell<Option<(i32, SocketAddr, Option<i32>)>>,
}

impl Source for Counting {
    fn fill(&self, bytes: &mut [u8]) -> bool {
        if self.is_busy.get() {
            return false;
        }
        self.draws.set(self.draws.get() + 1);
        bytes.fill(self.draws.get());
        // The source itself has the system's randomness and time.
        assert_ne!(system_call(), [self.draws.get(); 8]);
        assert!(is_now(SystemTime::now()));
        true
    }

    fn time(&self, _clock: Clock) -> Option<Duration> {
        (!self.is_busy.get()).then(|| Duration::from_secs(self.seconds.get()))
    }

    fn seed(&self) -> u64 {
        1_000 + u64::from(self.draws.get())
    }

    fn seed_was_used(&self) {
        self.draws.set(self.draws.get() + 1);
    }

    fn exit(&self, code: i32) {
        self.exit.set(Some(code));
    }

    fn addresses(&self, name: &str) -> Option<(Ipv4Addr, Ipv6Addr)> {
        (name == "server").then_some((Ipv4Addr::new(10, 0, 0, 7), Ipv6Addr::new(0xfd00, 0, 0, 0, 0, 0, 0, 7)))
    }

    fn forbids(&self, wanted: Forbidden) -> bool {
        self.wanted.set(Some(wanted));
        self.forbids.get()
    }

    /// Port 81 is taken, and a port of any number is 49,152.
    fn bind(&self, socket: i32, sort: SocketSort, address: SocketAddr) -> Option<Answer> {
        assert_ne!(sort, SocketSort::Stream { shares: false }, "std asks for it");
        let port = if address.port() == 0 { 49_152 } else { address.port() };
        (!self.is_busy.get()).then(|| match port {
            81 => Err(libc::EADDRINUSE),
            port => {
                self.bound.set(Some((socket, SocketAddr::new(address.ip(), port), None)));
                Ok(())
            }
        })
    }

    /// To port 81, nobody gets.
    fn connect(&self, socket: i32, peer: SocketAddr) -> Option<Answer> {
        self.address_of(socket)?;
        Some(if peer.port() == 81 { Err(libc::ENETUNREACH) } else { Ok(()) })
    }

    fn member(&self, socket: i32, membership: Membership) -> Option<Answer> {
        self.member.set(Some(membership));
        self.address_of(socket).map(|_| Ok(()))
    }

    fn listen(&self, socket: i32, backlog: i32) -> Option<Answer> {
        let (bound, address, _) = self.bound.get().filter(|(bound, ..)| *bound == socket)?;
        self.bound.set(Some((bound, address, Some(backlog))));
        Some(Ok(()))
    }

    fn address_of(&self, socket: i32) -> Option<SocketAddr> {
        self.bound.get().filter(|(bound, ..)| *bound == socket).map(|(_, address, _)| address)
    }

    fn closes(&self, socket: i32) {
        self.bound.set(self.bound.get().filter(|(bound, ..)| *bound != socket));
    }

    fn file(&self, _call: FileCall<'_>) -> Option<Result<u64, i32>> {
        None
    }
}

fn is_now(date: SystemTime) -> bool {
    date.duration_since(SystemTime::UNIX_EPOCH).expect("it is later").as_secs() > 1_700_000_000
}

fn function() -> [u8; 8] {
    let mut bytes = [0; 8];
    // SAFETY: eight bytes may be written there.
    let drawn = unsafe { libc::getrandom(bytes.as_mut_ptr().cast(), bytes.len(), 0) };
    assert_eq!(drawn, 8);
    bytes
}

fn system_call() -> [u8; 8] {
    let mut bytes = [0_u8; 8];
    // SAFETY: eight bytes may be written there.
    let drawn = unsafe { libc::syscall(libc::SYS_getrandom, bytes.as_mut_ptr(), bytes.len(), 0) };
    assert_eq!(drawn, 8);
    bytes
}

fn clock(clock: libc::clockid_t) -> libc::timespec {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the time may be written there.
    assert_eq!(unsafe { libc::clock_gettime(clock, &raw mut time) }, 0);
    time
}

#[test]
fn a_source_is_asked_on_its_thread_while_it_is_there() {
    assert!(interposes());
    assert_ne!(function(), function());
    let source = Counting::default();
    with_source(&source, || {
        assert_eq!([function(), system_call(), function()], [[1; 8], [2; 8], [3; 8]]);
        assert_ne!(thread::spawn(function).join().unwrap(), [4; 8]);
        assert_ne!(without_source(function), [4; 8]);
        // An inner source, and the outer one afterwards.
        with_source(&Counting::default(), || assert_eq!(function(), [1; 8]));
        assert_eq!(function(), [4; 8]);
        // A source that can't answer leaves it to the system.
        source.is_busy.set(true);
        assert_ne!(function(), [5; 8]);
        assert!(is_now(SystemTime::now()));
    });
    assert_ne!(function(), [5; 8]);
    let unwound = std::panic::catch_unwind(|| with_source(&Counting::default(), || panic!("it is left by a panic")));
    assert!(unwound.is_err());
    assert_ne!(function(), [1; 8]);
    assert_eq!(source.draws.get(), 4);
}

#[test]
fn system_calls_go_on_as_they_were() {
    // SAFETY: it has no arguments.
    let (id, same) = unsafe { (libc::syscall(libc::SYS_getpid), libc::getpid()) };
    assert_eq!(id, i64::from(same));
    // SAFETY: the file is not open, which is an error.
    let (failed, error) =
        unsafe { (libc::syscall(libc::SYS_close, -1), std::io::Error::last_os_error().raw_os_error()) };
    assert_eq!((failed, error), (-1, Some(libc::EBADF)));
    let page = -1_i64;
    // Six arguments.
    // SAFETY: a new mapping at an address that the kernel chooses.
    let mapped = unsafe {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        libc::syscall(libc::SYS_mmap, 0_usize, 4096_usize, libc::PROT_READ, flags, page, 0_usize)
    };
    assert!(mapped > 0, "{mapped}");
}

#[test]
fn clocks_are_those_of_the_source() {
    let source = Counting::default();
    assert!(is_now(SystemTime::now()));
    with_source(&source, || {
        let (date, instant) = (SystemTime::now(), Instant::now());
        assert_eq!(date.duration_since(SystemTime::UNIX_EPOCH).unwrap(), Duration::from_secs(946_684_800));
        assert!(instant.checked_sub(Duration::from_secs(86_400)).is_some());
        source.seconds.set(90);
        assert_eq!((date.elapsed().unwrap(), instant.elapsed()), (Duration::from_secs(90), Duration::from_secs(90)));
        let mut time = libc::timeval { tv_sec: 0, tv_usec: 0 };
        // SAFETY: the time may be written there; there is no time zone.
        assert_eq!(unsafe { libc::gettimeofday(&raw mut time, std::ptr::null_mut()) }, 0);
        assert_eq!((time.tv_sec, time.tv_usec), (946_684_890, 0));
        // The time that this process has used is the system's.
        let used = clock(libc::CLOCK_PROCESS_CPUTIME_ID);
        assert!(used.tv_sec < 946_684_800 && (used.tv_sec, used.tv_nsec) > (0, 0));
    });
    assert!(is_now(SystemTime::now()));
}

#[test]
fn generators_of_a_thread_begin_anew_and_are_as_before_afterwards() {
    // The generators of this thread are seeded by the system.
    let _: u64 = rand::random();
    fastrand::seed(5);
    let draw = || (rand::random::<u64>(), fastrand::u64(..));
    let with_new = move || with_source(&Counting::default(), || [draw(), draw()]);
    let first = with_new();
    assert_ne!(first[0], first[1]);
    let expected: u64 = {
        let mut generator = fastrand::Rng::with_seed(5);
        generator.u64(..)
    };
    assert_eq!(fastrand::u64(..), expected, "it goes on where it was");
    assert_eq!(with_new(), first);
    assert_eq!(thread::spawn(with_new).join().unwrap(), first, "a thread that has drawn nothing before");
    assert_ne!(rand::random::<u64>(), first[0].0);

    let source = Counting::default();
    with_source(&source, || {
        assert_eq!(draw(), first[0]);
        assert_eq!(source.draws.get(), 1, "one seed for `rand`; that of `fastrand` is not known to be used yet");
        generators::renew();
        assert_eq!(source.draws.get(), 2);
        let second = draw();
        assert!(second.0 != first[1].0 && second.0 != first[0].0 && second.1 != first[0].1, "other seeds");
        generators::renew();
        assert_eq!(source.draws.get(), 4);
        generators::renew();
        assert_eq!(source.draws.get(), 4, "nothing was drawn");
    });
    generators::renew();
}

/// A generator that is kept goes on, also when the variable has been given back.
#[test]
fn a_generator_that_is_kept_outlives_the_poll() {
    let mut kept = with_source(&Counting::default(), || {
        let kept = rand::rng();
        generators::renew();
        kept
    });
    let numbers: [u64; 2] = std::array::from_fn(|_| rand::RngExt::random(&mut kept));
    assert_ne!(numbers[0], numbers[1]);
}

#[test]
fn a_poll_that_ends_the_process_is_left_and_ends_nothing() {
    if !interposes() {
        return;
    }
    let ends: [fn(); 3] = [
        || std::process::exit(3),
        || {
            let _dropped = String::from("on the way");
            std::process::exit(3)
        },
        // SAFETY: nothing is ended.
        || unsafe { libc::exit(3) },
    ];
    // The standard library lets a second one that ends the process wait for ever.
    for end in ends.into_iter().chain(ends) {
        let source = Counting::default();
        let left = thread::scope(|scope| {
            let left = || std::panic::catch_unwind(|| with_source(&Counting::default(), end)).is_err();
            scope.spawn(left).join().unwrap()
        });
        assert!(left);
        let left = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| with_source(&source, end)));
        assert_eq!(left.unwrap_err().downcast_ref::<i32>(), Some(&3));
        assert_eq!(source.exit.get(), Some(3));
    }
}

#[test]
fn threads_and_sockets_are_refused_by_the_source_alone() {
    if !interposes() {
        return;
    }
    let source = Counting::default();
    source.forbids.set(true);
    with_source(&source, || {
        let thread = thread::Builder::new().spawn(|| ());
        assert_eq!(thread.expect_err("there is none").raw_os_error(), Some(libc::EPERM));
        assert_eq!(source.wanted.take(), Some(Forbidden::Thread));
        let stream = std::net::TcpStream::connect("127.0.0.1:9");
        assert_eq!(stream.expect_err("there is none").raw_os_error(), Some(libc::EPERM));
        assert_eq!(source.wanted.take(), Some(Forbidden::Socket));
        without_source(|| {
            thread::spawn(|| ()).join().expect("it runs");
            std::net::UdpSocket::bind("127.0.0.1:0").expect("it is there");
        });
    });
    assert_eq!(source.wanted.take(), None);
    thread::spawn(|| ()).join().expect("it runs");
    std::net::UdpSocket::bind("127.0.0.1:0").expect("it is there");
}

/// Where a source is asked, the names of hosts are its own, and numbers are what they say.
#[test]
fn names_are_those_of_the_source() {
    let looked_up =
        |name: &str| (name, 80).to_socket_addrs().map(|all| all.map(|one| one.to_string()).collect::<Vec<_>>());
    let source = Counting::default();
    if !interposes() {
        return;
    }
    with_source(&source, || {
        assert_eq!(looked_up("server").expect("it is known"), ["10.0.0.7:80"]);
        assert_eq!(looked_up("192.0.2.1").expect("a number"), ["192.0.2.1:80"]);
        assert_eq!(looked_up("fd00::9").expect("a number"), ["[fd00::9]:80"]);
        let unknown = looked_up("localhost").expect_err("the source has no such host").to_string();
        assert!(unknown.contains("failed to lookup address information"), "{unknown}");
    });
    assert!(looked_up("localhost").is_ok_and(|addresses| !addresses.is_empty()), "the system knows it");
}

/// The backtrace of an error would be that of the thread which polls, whatever the environment says.
#[test]
fn errors_have_no_backtraces() {
    if !interposes() {
        return;
    }
    let asked = || std::env::var("RUST_LIB_BACKTRACE").ok();
    let outside = asked();
    let inside = with_source(&Counting::default(), || {
        let status = std::backtrace::Backtrace::capture().status();
        (asked(), std::env::var("PATH").ok(), status)
    });
    assert_eq!(inside, (Some("0".to_owned()), std::env::var("PATH").ok(), BacktraceStatus::Disabled));
    assert_eq!(asked(), outside);
}

/// A listener of std has the address that the source gives it, and none of the system's.
#[test]
fn a_listener_of_std_is_bound_by_the_source() {
    let source = Counting::default();
    if !interposes() {
        return;
    }
    with_source(&source, || {
        for address in ["127.0.0.1:0", "[::1]:0"] {
            let listener = TcpListener::bind(address).expect("it is free");
            let expected: SocketAddr = address.replace("]:0", "]:49152").replace("1:0", "1:49152").parse().unwrap();
            let (socket, local, backlog) = source.bound.get().expect("it was bound");
            assert_eq!((socket, local, listener.local_addr().unwrap()), (listener.as_raw_fd(), expected, expected));
            assert!(backlog.is_some(), "it listens");
            let of_system = without_source(|| listener.local_addr().unwrap());
            assert_eq!(of_system.port(), 0, "it was not bound");
            listener.set_nonblocking(true).expect("an option");
            source.forbids.set(true);
            assert_eq!(listener.accept().expect_err("it is no real one").raw_os_error(), Some(libc::EPERM));
            assert_eq!(source.wanted.take(), Some(Forbidden::Socket));
            source.forbids.set(false);
            drop(listener);
            assert_eq!(source.bound.get(), None, "it was closed");
        }
        assert_eq!(TcpListener::bind("127.0.0.1:81").expect_err("it is taken").raw_os_error(), Some(libc::EADDRINUSE));
        source.is_busy.set(true);
        let real = TcpListener::bind("127.0.0.1:0").expect("one of the system");
        assert_ne!(real.local_addr().unwrap().port(), 0);
        assert_eq!(source.bound.get(), None);
    });
    let real = TcpListener::bind("127.0.0.1:0").expect("one of the system");
    assert!(std::net::TcpStream::connect(real.local_addr().unwrap()).is_ok() && real.accept().is_ok());
}

/// A socket for datagrams of std has the address that the source gives it, and sends and receives nothing.
#[test]
fn a_socket_for_datagrams_of_std_is_bound_by_the_source() {
    let source = Counting::default();
    if !interposes() {
        return;
    }
    source.forbids.set(true);
    with_source(&source, || {
        let socket = std::net::UdpSocket::bind("127.0.0.1:0").expect("the source binds it");
        assert_eq!(socket.local_addr().expect("it is bound").port(), 49_152);
        assert_eq!(source.wanted.take(), None);
        let numbers = |result: std::io::Result<()>| result.map_err(|error| error.raw_os_error());
        assert_eq!(numbers(socket.connect("127.0.0.1:81")), Err(Some(libc::ENETUNREACH)));
        assert_eq!(numbers(socket.connect("127.0.0.1:82")), Ok(()));
        let mut byte = [0];
        let is_refused = |result: std::io::Result<()>| {
            assert_eq!(numbers(result), Err(Some(libc::EPERM)));
            assert_eq!(source.wanted.take(), Some(Forbidden::Socket));
        };
        is_refused(socket.send_to(&byte, "127.0.0.1:82").map(drop));
        is_refused(socket.send(&byte).map(drop));
        is_refused(socket.recv(&mut byte).map(drop));
        is_refused(socket.recv_from(&mut byte).map(drop));
        assert!(std::net::UdpSocket::bind("127.0.0.1:81").is_err_and(|error| error.kind() == ErrorKind::AddrInUse));
        let group = Ipv4Addr::new(239, 1, 2, 3);
        assert_eq!(numbers(socket.join_multicast_v4(&group, &Ipv4Addr::LOCALHOST)), Ok(()));
        let at = Interface::Address(Ipv4Addr::LOCALHOST);
        assert_eq!(source.member.take(), Some(Membership { group: group.into(), at, joins: true }));
        let group = Ipv6Addr::new(0xff02, 0, 0, 0, 0, 0, 0, 7);
        assert_eq!(numbers(socket.leave_multicast_v6(&group, 2)), Ok(()));
        let left = Membership { group: group.into(), at: Interface::Number(2), joins: false };
        assert_eq!(source.member.take(), Some(left));
        let option = (libc::IPPROTO_IP, libc::MCAST_JOIN_GROUP);
        // SAFETY: the value has no byte.
        let joined = unsafe { libc::setsockopt(socket.as_raw_fd(), option.0, option.1, std::ptr::null(), 0) };
        assert_eq!((joined, source.wanted.take()), (-1, Some(Forbidden::Socket)));
        // SAFETY: nothing is read of messages that are none.
        let sent = unsafe { libc::sendmmsg(socket.as_raw_fd(), std::ptr::null_mut(), 0, 0) };
        assert_eq!((sent, source.wanted.take()), (-1, Some(Forbidden::Socket)));
        let (one, other) = std::os::unix::net::UnixDatagram::pair().expect("the system has them");
        one.send(&[7]).and_then(|_| other.recv(&mut byte)).expect("they are the process's own");
        assert_eq!(byte, [7]);
    });
    let (one, other) = [(); 2].map(|()| std::net::UdpSocket::bind("127.0.0.1:0").expect("it is the system's")).into();
    one.send_to(&[3], other.local_addr().expect("it is bound")).expect("it is sent");
    let mut byte = [0];
    assert_eq!((other.recv(&mut byte).expect("it comes"), byte), (1, [3]));
}
