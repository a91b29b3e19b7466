//! Connections of Unix domain sockets against real ones: a pair of the operating system that does not block is given the
//! same calls, and each has to have the outcome that the model says.
#![cfg(target_os = "linux")]

use netcheck_models::tcp::{Breakage, Connection, Read, Side, StreamRules, Written};
use proptest::collection::vec;
use proptest::prelude::*;
use std::io::{self, Read as _, Write as _};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;

/// So much that nothing is full.
const RULES: StreamRules = StreamRules { split: false, capacity: 1 << 16, keeps_writes: false };

/// A call at an end, which is skipped if the end is closed.
#[derive(Clone, Copy, Debug)]
enum Call {
    Write(usize),
    Read(usize),
    ShutDown,
    TakeError,
    Close,
}

/// The outcome of a call.
#[derive(Debug, PartialEq)]
enum Outcome {
    Bytes(Vec<u8>),
    Count(usize),
    Done,
    WouldBlock,
    Failed(Breakage),
}

fn failed(error: &io::Error) -> Outcome {
    match error.kind() {
        io::ErrorKind::WouldBlock => Outcome::WouldBlock,
        io::ErrorKind::ConnectionReset => Outcome::Failed(Breakage::Reset),
        io::ErrorKind::BrokenPipe => Outcome::Failed(Breakage::Pipe),
        kind => panic!("no call fails with {kind:?}"),
    }
}

fn bytes(length: usize) -> Vec<u8> {
    (0..length).map(|index| b'a' + index as u8).collect()
}

fn real(end: &mut Option<UnixStream>, call: Call) -> Option<Outcome> {
    let stream = end.as_mut()?;
    Some(match call {
        Call::Write(length) => stream.write(&bytes(length)).map_or_else(|error| failed(&error), Outcome::Count),
        Call::Read(max) => {
            let mut buffer = vec![0; max];
            let read = stream.read(&mut buffer);
            read.map_or_else(|error| failed(&error), |length| Outcome::Bytes(buffer[..length].to_vec()))
        }
        Call::ShutDown => stream.shutdown(Shutdown::Write).map_or_else(|error| failed(&error), |()| Outcome::Done),
        Call::TakeError => {
            let taken = stream.take_error().expect("the error can be asked for");
            taken.map_or(Outcome::Done, |error| failed(&error))
        }
        Call::Close => {
            *end = None;
            Outcome::Done
        }
    })
}

fn modelled(connection: &mut Connection, side: Side, call: Call) -> Option<Outcome> {
    if !connection.is_held(side) {
        return None;
    }
    let (outcome, after) = match call {
        Call::Write(length) => match connection.write(side, &bytes(length), RULES).pop() {
            Some((Written::Accepted(count), after)) => (Outcome::Count(count), after),
            Some((Written::Failed(breakage), after)) => (Outcome::Failed(breakage), after),
            None => (Outcome::WouldBlock, connection.clone()),
        },
        Call::Read(max) => match connection.read(side, max, false).pop() {
            Some((Read::Bytes(bytes), after)) => (Outcome::Bytes(bytes), after),
            Some((Read::End, after)) => (Outcome::Bytes(Vec::new()), after),
            Some((Read::Failed(breakage), after)) => (Outcome::Failed(breakage), after),
            None => (Outcome::WouldBlock, connection.clone()),
        },
        Call::ShutDown => (Outcome::Done, connection.shut_down(side)),
        Call::TakeError => {
            let (error, after) = connection.take_error(side);
            (error.map_or(Outcome::Done, Outcome::Failed), after)
        }
        Call::Close => (Outcome::Done, connection.close(side, false)),
    };
    *connection = after;
    Some(outcome)
}

fn calls() -> impl Strategy<Value = Vec<(bool, Call)>> {
    let call = prop_oneof![
        3 => (0_usize..4).prop_map(Call::Write),
        3 => (1_usize..6).prop_map(Call::Read),
        1 => Just(Call::ShutDown),
        1 => Just(Call::TakeError),
        1 => Just(Call::Close),
    ];
    vec((any::<bool>(), call), 1..24)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn each_call_has_the_outcome_that_linux_gives(calls in calls()) {
        let (one, two) = UnixStream::pair().expect("there are sockets");
        for end in [&one, &two] {
            end.set_nonblocking(true).expect("it can be set");
        }
        let (mut ends, mut connection) = ([Some(one), Some(two)], Connection::unix());
        for (is_server, call) in calls {
            let side = if is_server { Side::Server } else { Side::Client };
            let seen = real(&mut ends[side as usize], call);
            prop_assert_eq!(modelled(&mut connection, side, call), seen, "{:?} at {:?}", call, side);
        }
    }
}
