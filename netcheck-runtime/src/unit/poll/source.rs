//! Random numbers and the time of day, for programs that ask the operating system for them.
//!
//! Reading the clock is the operation of `tokio::time::Instant::now`. The program reads it in a function of the C library,
//! through which no poll can be abandoned: so a poll that has no answer goes on with any time until it calls netcheck
//! or returns, and counts for nothing.

use crate::id::TaskId;
use crate::operation::time::{self, At};
use crate::operation::{Operation, Outcome};
use crate::unit::caller::Running;
use crate::unit::generator::Generator;
use crate::unit::panics::{self, Cause, Panic};
use crate::unit::poll::context::Context;
use crate::unit::shared::Dating;
use crate::unit::source_line::file_and_line;
use netcheck_memory::{
    Addresses, Answer, Clock, FileCall, Forbidden, LOCALHOST, Membership, SocketAddress, SocketSort, Source, engine,
};
use std::panic::Location;
use std::time::Duration;

/// A kind of thing that a program draws.
#[derive(Clone, Copy)]
enum Drawn {
    Bytes = 1,
    Seed = 2,
}

impl Context {
    /// The generator of the next draw.
    fn drawing(&self, drawn: Drawn) -> Generator {
        let name = self.shared.unit(self.unit).name;
        let task = self.drawer();
        let count = self.state().random.draws(task);
        let words = [self.shared.modes.seed, task.map_or(0, |task| 1 + u64::from(task.0)), count, drawn as u64];
        Generator::of(name.bytes().map(u64::from).chain(words))
    }

    /// The task whose draws are counted, if they are counted by task.
    fn drawer(&self) -> Option<TaskId> {
        self.shared.modes.tracks.then(|| self.state().tasks.running)
    }

    /// The nanoseconds from the start to a reading of the clock; by marks, from the first reading that the program holds.
    fn nanoseconds(&self, at: At) -> u64 {
        let measure = |[from, to]: [At; 2]| {
            let distance = time::Operation::Distance { from, to };
            match panics::catch(|| self.ask(Operation::Time(distance), Location::caller())) {
                Ok(Outcome::Distance { ns }) => Some(ns),
                _ => None,
            }
        };
        let ns = match self.shared.modes.dating {
            Dating::Marks if at.is_by_mark() => self.std_number(at, measure),
            _ => self.told(at).number().or_else(|| measure([At::ORIGIN, at])),
        };
        let ns = ns.unwrap_or_else(|| {
            self.give_up_soon();
            0
        });
        u64::try_from(ns).unwrap_or(0)
    }

    fn count_draw(&self) {
        let task = self.drawer();
        self.state().random.count(task);
    }
}

/// The line of the program that is running, as `file:line`.
pub(super) fn own_line() -> Option<String> {
    Running::now().line.map(|line| file_and_line(&line.file, line.number))
}

impl Source for Context {
    fn fill(&self, bytes: &mut [u8]) -> bool {
        engine(|| {
            if self.is_busy() {
                return false;
            }
            let mut generator = self.drawing(Drawn::Bytes);
            for chunk in bytes.chunks_mut(8) {
                chunk.copy_from_slice(&generator.next().to_le_bytes()[..chunk.len()]);
            }
            self.count_draw();
            true
        })
    }

    fn time(&self, clock: Clock) -> Option<Duration> {
        engine(|| {
            if self.is_busy() {
                return None;
            }
            let is_date = clock == Clock::Date;
            self.reads_std(is_date);
            let calendar = if is_date { self.shared.calendar.get() } else { Duration::ZERO };
            if is_date && !self.shared.modes.compares_dates() {
                self.number();
            }
            if let Some(now) = self.state().clock.now {
                return Some(now + calendar);
            }
            let clock = Operation::Time(time::Operation::Clock { is_date });
            let now = match self.without_unwinding(|| self.ask(clock, Location::caller())) {
                Some(Outcome::Time { at }) => Duration::from_nanos(self.nanoseconds(at)),
                _ => Duration::ZERO,
            };
            self.state().clock.now = Some(now);
            Some(now + calendar)
        })
    }

    fn seed(&self) -> u64 {
        engine(|| if self.is_busy() { 0 } else { self.drawing(Drawn::Seed).next() })
    }

    /// Values that the program drops while the poll is left have no effect, as nothing is dropped by a process that ends.
    fn exit(&self, code: i32) {
        engine(|| {
            if self.is_discarded() {
                return;
            }
            let location = own_line().unwrap_or_else(|| "an unknown place".to_owned());
            let message = format!(
                "`std::process::exit({code})` would end the test program; a program under check returns from its root \
                 future instead"
            );
            // Where the poll can't be left, this is the last that was printed.
            eprintln!("{message} (at {location})");
            self.exit.set(Some(Panic { message, location, cause: Cause::Exit }));
            self.set_discarded();
        });
    }

    fn addresses(&self, name: &str) -> Option<Addresses> {
        if name == "localhost" {
            return Some(LOCALHOST);
        }
        let host = self.shared.host_named(name)?;
        Some((host.addresses.v4, host.addresses.v6))
    }

    fn forbids(&self, wanted: Forbidden) -> bool {
        engine(|| {
            if self.is_discarded() {
                return true;
            }
            if self.is_busy() {
                return false;
            }
            let at = own_line().map(|line| format!(" at {line}")).unwrap_or_default();
            let (does, instead) = match wanted {
                Forbidden::Thread => (
                    "starts a thread",
                    "a check runs all of a program by one thread, in every order: spawn a task (`tokio::spawn`, \
                     `tokio::task::spawn_blocking`), or start the thread before the check",
                ),
                Forbidden::Socket => (
                    "uses a socket of the operating system",
                    "its traffic would be real, and no part of the check: use `tokio::net`, as netcheck has it \
                     (a crate that it depends on may be using `std::net`, or tokio itself)",
                ),
            };
            let name = self.shared.unit(self.unit).name;
            self.state().script.failure = Some(format!("{name} {does}{at}\n  {instead}"));
            self.give_up_soon();
            true
        })
    }

    fn bind(&self, socket: i32, sort: SocketSort, address: SocketAddress) -> Option<Answer> {
        engine(|| self.bind_stand_in(socket, sort, address))
    }

    fn connect(&self, socket: i32, peer: SocketAddress) -> Option<Answer> {
        engine(|| self.connect_stand_in(socket, peer))
    }

    fn member(&self, socket: i32, membership: Membership) -> Option<Answer> {
        engine(|| self.member_stand_in(socket, membership))
    }

    fn listen(&self, socket: i32, backlog: i32) -> Option<Answer> {
        engine(|| self.listen_stand_in(socket, backlog))
    }

    fn address_of(&self, socket: i32) -> Option<SocketAddress> {
        self.address_of_stand_in(socket)
    }

    fn closes(&self, socket: i32) {
        self.close_stand_in(socket);
        engine(|| self.close_foreign(socket));
    }

    fn file(&self, call: FileCall<'_>) -> Option<Result<u64, i32>> {
        engine(|| self.file_call(call))
    }

    fn seed_was_used(&self) {
        engine(|| {
            if !self.is_busy() {
                self.count_draw();
            }
        })
    }
}
