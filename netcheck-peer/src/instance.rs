//! One run of a peer: a fresh instance, and the sockets that talk to it.

use crate::branches::{Branch, Step};
use crate::error::Error;
use crate::exchange::{Input, Output, in_words};
use crate::external::{External, Service, Source};
use crate::folder::Folder;
use crate::process::Process;
use crate::wires::Wires;
use std::thread;
use std::time::{Duration, Instant};

/// The pause between two looks at the sockets.
const PAUSE: Duration = Duration::from_micros(200);

/// The most that the time between two looks counts as silence: where it is longer, this thread has waited for a processor, and
/// the peer may have done so, too.
const LOOK_MAX: Duration = Duration::from_micros(400);

/// A peer that has not been silent for so long gives no answer.
const ANSWERS_WITHIN: Duration = Duration::from_secs(10);

/// A peer that has not read what it was sent is waited for so long: it may be one that serves connections one by one.
const UNREAD_FOR: Duration = Duration::from_millis(500);

/// A peer that has no processor, or computes, is waited for so long, however silent it is.
const BUSY_FOR: Duration = Duration::from_secs(2);

/// Nor does one that sends more than this.
const ANSWER_BYTES_MAX: usize = 64 << 20;

/// How long a peer that is fed its history again, and answered nothing the last time, is given to take an input.
const UNANSWERED: Duration = Duration::from_millis(5);

/// One run of a peer.
pub(crate) struct Instance {
    // Connections end before the process does.
    wires: Wires,
    process: Option<Process>,
    /// Where it keeps files.
    folder: Option<Folder>,
    services: Vec<Service>,
    /// The history that it was fed.
    pub(crate) at: Branch,
}

/// How long an answer is waited for.
#[derive(Clone, Copy)]
pub(crate) enum Patience<'a> {
    /// Until the peer is silent.
    Silence,
    /// Until it has answered what it answered the last time, which is compared.
    Known(&'a [Output]),
}

/// A peer's answer when it was fed a known step.
pub(crate) enum Answered {
    AsKnown,
    Otherwise(Vec<Output>),
}

impl Instance {
    /// Starts a fresh instance, or makes a peer that is there already as good as new.
    pub(crate) fn start(external: &External, services: &[Service]) -> Result<Instance, Error> {
        let (folder, process, addresses) = match &external.source {
            Source::Command(command) => {
                let folder = command.wants_folder().then(Folder::new).transpose();
                let folder = folder.map_err(|error| Error::new(format!("there is no folder for the peer: {error}")))?;
                let (process, addresses) = Process::start(command, services, folder.as_ref().map(Folder::path))?;
                (folder, Some(process), addresses)
            }
            Source::At { reset, .. } => {
                let first = external.address().map_err(Error::new)?.expect("it has an address");
                reset.iter().for_each(|reset| reset());
                let mut addresses = vec![first; services.len()];
                let further = addresses.iter_mut().zip(services).skip(1);
                further.for_each(|(address, service)| address.set_port(service.port));
                (None, None, addresses)
            }
        };
        let wires = Wires::new(services.iter().copied().zip(addresses));
        Ok(Instance { wires, process, folder, services: services.to_vec(), at: Branch::START })
    }

    /// Whether it has sent nothing since its last answer.
    pub(crate) fn is_silent(&mut self) -> bool {
        let mut came = Vec::new();
        self.wires.exchange(&mut came);
        came.is_empty() && self.process.as_mut().is_none_or(|process| process.ended().is_none())
    }

    /// Feeds it a step that is known, which leads to `branch`.
    pub(crate) fn follow(&mut self, external: &External, step: &Step, branch: Branch) -> Result<Answered, Error> {
        let outputs = self.feed(external, &step.input, Patience::Known(&step.answer))?;
        if external.masked(&outputs) == external.masked(&step.answer) {
            self.at = branch;
            return Ok(Answered::AsKnown);
        }
        Ok(Answered::Otherwise(outputs))
    }

    /// Feeds it an input and takes its answer.
    pub(crate) fn feed(
        &mut self,
        external: &External,
        input: &Input,
        wait: Patience<'_>,
    ) -> Result<Vec<Output>, Error> {
        if *input == Input::Killed {
            return self.kill(external);
        }
        let fed = self.wires.feed(input);
        fed.map_err(|error| self.printed(Error::new(format!("the peer could not be given {input}: {error}"))))?;
        self.listen(external, input, wait)
    }

    /// Kills it once it is silent, whatever it was fed before, and starts it again in its folder.
    fn kill(&mut self, external: &External) -> Result<Vec<Output>, Error> {
        let Source::Command(command) = &external.source else {
            return Err(Error::new("the peer is there already, and can't be killed"));
        };
        let of_itself = self.listen(external, &Input::Killed, Patience::Silence)?;
        if !of_itself.is_empty() {
            return Err(self.printed(Error::new(format!(
                "before it was killed, the peer sent {} of itself\n  \
                 if that is a late answer, give it more time by `.settle(…)`",
                in_words(&of_itself)
            ))));
        }
        // A process that is dead is told nothing by the end of its connections.
        self.process.take().into_iter().for_each(Process::kill);
        let started = Process::start(command, &self.services, self.folder.as_ref().map(Folder::path));
        let (process, addresses) = started.map_err(|error| Error::new(format!("after it was killed: {error}")))?;
        self.process = Some(process);
        self.wires = Wires::new(self.services.iter().copied().zip(addresses));
        Ok(Vec::new())
    }

    /// Takes its answer to an input.
    fn listen(&mut self, external: &External, input: &Input, wait: Patience<'_>) -> Result<Vec<Output>, Error> {
        let begun = Instant::now();
        let (mut looked, mut silent) = (begun, Duration::ZERO);
        let silence = match wait {
            Patience::Known([]) => external.settle.min(UNANSWERED),
            _ => external.settle,
        };
        let mut came = Vec::new();
        let mut bytes = 0;
        loop {
            let before = came.len();
            let now = Instant::now();
            silent += (now - looked).min(LOOK_MAX);
            looked = now;
            if self.wires.exchange(&mut came) {
                silent = Duration::ZERO;
                bytes += came[before..].iter().map(size).sum::<usize>();
                let is_known = |known| external.masked(&in_order(came.clone())) == external.masked(known);
                if matches!(wait, Patience::Known(known) if !known.is_empty() && is_known(known)) {
                    break;
                }
            }
            if let Some(how) = self.process.as_mut().and_then(Process::ended) {
                let answer = in_words(&in_order(came));
                let error = format!("the peer has {how} after {input}; before, it sent {answer}");
                return Err(self.printed(Error::new(error)));
            }
            if silent >= silence {
                let waited = begun.elapsed();
                let waits_for_a_turn = waited < BUSY_FOR && self.process.as_ref().is_some_and(Process::is_busy)
                    || waited < UNREAD_FOR && !matches!(wait, Patience::Known([])) && self.wires.has_unread();
                if !waits_for_a_turn {
                    break;
                }
                silent = Duration::ZERO;
            }
            if begun.elapsed() > ANSWERS_WITHIN || bytes > ANSWER_BYTES_MAX {
                return Err(self.printed(Error::new(format!(
                    "after {input} the peer goes on sending: in {:.1} s it sent {bytes} bytes, and was never silent for {} ms\n  \
                     if that is an answer, shorten it; if the peer sends something of itself every so often, shorten \
                     `settle`",
                    begun.elapsed().as_secs_f64(),
                    external.settle.as_millis()
                ))));
            }
            thread::sleep(PAUSE);
        }
        Ok(in_order(came))
    }

    fn printed(&self, error: Error) -> Error {
        self.process.as_ref().map_or(error.clone(), |process| error.printed(&process.printed()))
    }
}

fn size(output: &Output) -> usize {
    match output {
        Output::Bytes { bytes, .. } => bytes.len(),
        Output::Datagram { payload, .. } => payload.len(),
        Output::Ended { .. } | Output::Reset { .. } => 0,
    }
}

/// An answer in an order that does not depend on when the kernel handed it over: connection by connection, the bytes of
/// each in one piece, then the datagrams, client by client.
fn in_order(came: Vec<Output>) -> Vec<Output> {
    let place = |output: &Output| match *output {
        Output::Bytes { connection, .. } | Output::Ended { connection } | Output::Reset { connection } => {
            (0, connection)
        }
        Output::Datagram { client, .. } => (1, client),
    };
    let mut sorted = came;
    // The sort is stable: the order on one connection stays.
    sorted.sort_by_key(place);
    let mut ordered: Vec<Output> = Vec::new();
    for output in sorted {
        match (ordered.last_mut(), output) {
            (Some(Output::Bytes { connection, bytes }), Output::Bytes { connection: same, bytes: further })
                if *connection == same =>
            {
                bytes.extend(further)
            }
            (_, output) => ordered.push(output),
        }
    }
    ordered
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(connection: usize, text: &str) -> Output {
        Output::Bytes { connection, bytes: text.into() }
    }

    #[test]
    fn an_answer_does_not_depend_on_the_order_in_which_the_kernel_hands_it_over() {
        let end = Output::Ended { connection: 0 };
        let one = vec![bytes(0, "a"), bytes(1, "x"), bytes(0, "b"), end.clone()];
        let other = vec![bytes(1, "x"), bytes(0, "ab"), end.clone()];
        assert_eq!(in_order(one), in_order(other.clone()));
        assert_eq!(in_order(other), [bytes(0, "ab"), end, bytes(1, "x")]);
    }
}
