//! Connections of the model against those of the operating system: random calls at both ends of a real loopback
//! connection get what the model says.
//!
//! Linux's resets differ from those of other systems in small things (what is left to read, which error comes
//! first), and it is Linux that is modelled.
#![cfg(target_os = "linux")]

use netcheck_models::tcp::{Breakage, Connection, Read, Side, StreamRules, Written};
use proptest::prelude::*;
use std::io::{self, Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::time::Duration;

/// A call at one end.
#[derive(Clone, Copy, Debug)]
enum Call {
    Read { max: usize },
    Write { count: usize },
    Peek,
    ShutDown,
    Close,
}

/// The result of a call, for comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Seen {
    Waits,
    Bytes(Vec<u8>),
    Count(usize),
    Failed(Breakage),
    Done,
}

const RULES: StreamRules = StreamRules { split: false, capacity: 1 << 16, keeps_writes: false };

fn calls() -> impl Strategy<Value = Vec<(Side, Call)>> {
    let side = prop_oneof![Just(Side::Client), Just(Side::Server)];
    let call = prop_oneof![
        4 => (1..4usize).prop_map(|max| Call::Read { max }),
        4 => (1..4usize).prop_map(|count| Call::Write { count }),
        1 => Just(Call::Peek),
        1 => Just(Call::ShutDown),
        1 => Just(Call::Close),
    ];
    proptest::collection::vec((side, call), 1..14)
}

/// Bytes that tell writes apart.
fn bytes(number: usize, count: usize) -> Vec<u8> {
    (0..count).map(|index| (number * 8 + index) as u8).collect()
}

fn modelled(calls: &[(Side, Call)]) -> Vec<Seen> {
    let mut connection = Connection::established();
    let mut open = [true; 2];
    let mut seen = Vec::new();
    for (number, &(side, call)) in calls.iter().enumerate() {
        if !open[side as usize] {
            continue;
        }
        let read = |read| match read {
            Read::Bytes(bytes) => Seen::Bytes(bytes),
            Read::End => Seen::Bytes(Vec::new()),
            Read::Failed(breakage) => Seen::Failed(breakage),
        };
        let what = match call {
            Call::Read { max } => match connection.read(side, max, false).into_iter().next() {
                Some((what, after)) => {
                    connection = after;
                    read(what)
                }
                None => Seen::Waits,
            },
            Call::Peek => match connection.peek(side, 8) {
                Some((what, after)) => {
                    connection = after;
                    read(what)
                }
                None => Seen::Waits,
            },
            Call::Write { count } => match connection.write(side, &bytes(number, count), RULES).into_iter().next() {
                Some((what, after)) => {
                    connection = after;
                    match what {
                        Written::Accepted(count) => Seen::Count(count),
                        Written::Failed(breakage) => Seen::Failed(breakage),
                    }
                }
                None => Seen::Waits,
            },
            Call::ShutDown => {
                connection = connection.shut_down(side);
                Seen::Done
            }
            Call::Close => {
                open[side as usize] = false;
                connection = connection.close(side, false);
                Seen::Done
            }
        };
        seen.push(what);
    }
    seen
}

fn real(calls: &[(Side, Call)], pause: Duration) -> io::Result<Vec<Seen>> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let client = TcpStream::connect(listener.local_addr()?)?;
    let (server, _) = listener.accept()?;
    let mut ends = [Some(client), Some(server)];
    for end in ends.iter().flatten() {
        end.set_nonblocking(true)?;
        end.set_nodelay(true)?;
    }
    let mut seen = Vec::new();
    for (number, &(side, call)) in calls.iter().enumerate() {
        let Some(end) = &mut ends[side as usize] else { continue };
        let mut buffer = [0; 8];
        let what = match call {
            Call::Read { max } => got(end.read(&mut buffer[..max]), |count| Seen::Bytes(buffer[..count].to_vec())),
            Call::Peek => got(end.peek(&mut buffer), |count| Seen::Bytes(buffer[..count].to_vec())),
            Call::Write { count } => got(end.write(&bytes(number, count)), Seen::Count),
            Call::ShutDown => {
                // The model is of tokio's call, which hides that there is nobody to tell any more.
                match end.shutdown(Shutdown::Write) {
                    Err(error) if error.kind() != io::ErrorKind::NotConnected => return Err(error),
                    _ => Seen::Done,
                }
            }
            Call::Close => {
                ends[side as usize] = None;
                Seen::Done
            }
        };
        seen.push(what);
        #[expect(clippy::disallowed_methods, reason = "the kernel sends no event when a reset has arrived")]
        std::thread::sleep(pause);
    }
    Ok(seen)
}

fn got<T>(result: io::Result<T>, seen: impl FnOnce(T) -> Seen) -> Seen {
    match result {
        Ok(value) => seen(value),
        Err(error) => match error.kind() {
            io::ErrorKind::WouldBlock => Seen::Waits,
            io::ErrorKind::ConnectionReset => Seen::Failed(Breakage::Reset),
            io::ErrorKind::BrokenPipe => Seen::Failed(Breakage::Pipe),
            _ => panic!("an error that the model does not know: {error}"),
        },
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn calls_get_what_linux_gives(calls in calls()) {
        let expected = modelled(&calls);
        // The loopback interface is nearly always done when a call returns; else it is given time.
        let seen = real(&calls, Duration::ZERO).unwrap();
        let seen = if seen == expected { seen } else { real(&calls, Duration::from_millis(5)).unwrap() };
        prop_assert_eq!(seen, expected);
    }
}
