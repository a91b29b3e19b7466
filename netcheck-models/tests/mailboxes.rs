//! Mailboxes of Unix domain sockets against real ones: sockets of the operating system that do not block are given the same
//! calls, and each has to have the outcome that the model says.
#![cfg(target_os = "linux")]

use netcheck_models::host::unix::Names;
use netcheck_models::mailboxes::{Mailboxes, Refusal};
use proptest::collection::vec;
use proptest::prelude::*;
use std::io;
use std::net::Shutdown;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::sync::atomic::{AtomicU32, Ordering};

/// The sockets of a run: the first have names, the others form a pair.
const NAMED: usize = 3;
const SOCKETS: usize = NAMED + 2;

/// A call of a socket, which is skipped if the socket is closed.
#[derive(Clone, Copy, Debug)]
enum Call {
    Connect(usize),
    SendTo(usize),
    Send,
    Receive,
    ShutDown(bool, bool),
    Close,
}

#[derive(Debug, PartialEq)]
enum Outcome {
    Datagram(u32),
    Done,
    WouldBlock,
    Failed(io::ErrorKind),
}

fn failed(error: &io::Error) -> Outcome {
    match error.kind() {
        io::ErrorKind::WouldBlock => Outcome::WouldBlock,
        kind => Outcome::Failed(kind),
    }
}

fn refused(refusal: Refusal) -> Outcome {
    Outcome::Failed(match refusal {
        Refusal::InUse => io::ErrorKind::AddrInUse,
        Refusal::Unknown | Refusal::Gone => io::ErrorKind::ConnectionRefused,
        Refusal::NotConnected => io::ErrorKind::NotConnected,
        Refusal::NotPermitted => io::ErrorKind::PermissionDenied,
        Refusal::Reset => io::ErrorKind::ConnectionReset,
        Refusal::Shut => io::ErrorKind::BrokenPipe,
    })
}

fn name(run: u32, socket: usize) -> Vec<u8> {
    format!("netcheck-mailboxes-{}-{run}-{socket}", std::process::id()).into_bytes()
}

fn address(run: u32, socket: usize) -> SocketAddr {
    SocketAddr::from_abstract_name(name(run, socket)).expect("it is short")
}

fn real(run: u32, socket: &mut Option<UnixDatagram>, call: Call, number: u32) -> Option<Outcome> {
    let own = socket.as_ref()?;
    let done = |result: io::Result<()>| result.map_or_else(|error| failed(&error), |()| Outcome::Done);
    let datagram = number.to_be_bytes();
    Some(match call {
        Call::Connect(to) => done(own.connect_addr(&address(run, to))),
        Call::SendTo(to) => done(own.send_to_addr(&datagram, &address(run, to)).map(drop)),
        Call::Send => done(own.send(&datagram).map(drop)),
        Call::Receive => {
            let mut buffer = [0; 4];
            match own.recv(&mut buffer) {
                Ok(_) => Outcome::Datagram(u32::from_be_bytes(buffer)),
                Err(error) => failed(&error),
            }
        }
        Call::ShutDown(sends, receives) => done(own.shutdown(match (sends, receives) {
            (true, true) => Shutdown::Both,
            (true, false) => Shutdown::Write,
            _ => Shutdown::Read,
        })),
        Call::Close => {
            *socket = None;
            Outcome::Done
        }
    })
}

fn modelled(
    all: &mut Mailboxes<usize>,
    names: &[std::net::SocketAddr],
    own: usize,
    call: Call,
    number: u32,
) -> Outcome {
    let mut send = |to| match all.sent(own, to, number) {
        None => Outcome::WouldBlock,
        Some((sent, after)) => {
            *all = after;
            sent.map_or_else(refused, |()| Outcome::Done)
        }
    };
    match call {
        Call::SendTo(to) => send(Some(names[to])),
        Call::Send => send(None),
        Call::Connect(to) => match all.connected(own, names[to]) {
            Err(refusal) => refused(refusal),
            Ok(after) => {
                *all = after;
                Outcome::Done
            }
        },
        Call::Receive => match all.received(own) {
            None => Outcome::WouldBlock,
            Some((received, after)) => {
                *all = after;
                received.map_or_else(refused, Outcome::Datagram)
            }
        },
        Call::ShutDown(sends, receives) => {
            *all = all.shut_down(own, [sends, receives]);
            Outcome::Done
        }
        Call::Close => {
            *all = all.closed(|socket| socket == own);
            Outcome::Done
        }
    }
}

fn calls() -> impl Strategy<Value = Vec<(usize, Call)>> {
    let call = prop_oneof![
        2 => (0..NAMED).prop_map(Call::Connect),
        6 => (0..NAMED).prop_map(Call::SendTo),
        4 => Just(Call::Send),
        6 => Just(Call::Receive),
        1 => prop_oneof![Just((true, true)), Just((true, false)), Just((false, true))]
            .prop_map(|(sends, receives)| Call::ShutDown(sends, receives)),
        1 => Just(Call::Close),
    ];
    vec((0..SOCKETS, call), 1..48)
}

static RUN: AtomicU32 = AtomicU32::new(0);

proptest! {
    #![proptest_config(ProptestConfig { cases: 3_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn each_call_has_the_outcome_that_linux_gives(calls in calls()) {
        let run = RUN.fetch_add(1, Ordering::Relaxed);
        let mut known = Names::default();
        let mut sockets: Vec<Option<UnixDatagram>> = Vec::new();
        let (mut all, mut names) = (Mailboxes::default(), Vec::new());
        for socket in 0..NAMED {
            sockets.push(Some(UnixDatagram::bind_addr(&address(run, socket)).expect("the name is free")));
            names.push(known.address(&[&[0], &name(run, socket)[..]].concat()));
            all = all.bound(socket, names[socket]).expect("the name is free");
        }
        let (one, two) = UnixDatagram::pair().expect("there are sockets");
        sockets.extend([Some(one), Some(two)]);
        all = all.paired([NAMED, NAMED + 1]);
        for socket in sockets.iter().flatten() {
            socket.set_nonblocking(true).expect("it can be set");
        }
        for (number, (socket, call)) in (1..).zip(calls) {
            let Some(seen) = real(run, &mut sockets[socket], call, number) else { continue };
            prop_assert_eq!(modelled(&mut all, &names, socket, call, number), seen, "{:?} of {}", call, socket);
        }
    }
}
