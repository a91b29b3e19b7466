//! Calls on files that a program makes by functions of the C library: by `std::fs`, or by a crate that calls the system.
//!
//! The files of the check are those of [`files`](super::files). Other paths are the machine's: they are read as they are, and
//! to change them is an error of the program. No poll can be abandoned in a function of the C library: so after such an error
//! it goes on until it calls netcheck or returns, and counts for nothing.

use crate::operation::files::{Access, Entry, Failure, Files, Handle, Metadata, Seek};
use crate::operation::storage;
use crate::unit::poll::context::Context;
use crate::unit::poll::source::own_line;
use netcheck_memory::{At, FileCall, Named, Opens, STAND_IN_MIN, Status, Unmodelled, Whence};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::panic::Location;
use std::sync::Arc;

/// The number of the error that a poll gets which counts for nothing: `EIO`.
const GIVEN_UP: i32 = 5;

/// The number of the error of a change to a file of the machine: `EPERM`.
const NOT_PERMITTED: i32 = 1;

/// The number of the error of a call that makes no sense: `EINVAL`.
const INVALID: i32 = 22;

/// The directory of the system's devices, which are written to.
const DEVICES: &[u8] = b"/dev/";

type Answer = Result<u64, i32>;

/// The change of a call to what is at its path, as it is told.
#[derive(Clone, Copy)]
enum Change {
    None,
    Any(&'static str),
    /// A change of a file that is there: without it, the system refuses the call.
    OfWhatIsThere(&'static str),
    /// Where nothing is: else, the system refuses the call.
    WhereNothingIs(&'static str),
}

impl Change {
    /// The change that the call makes to a path of the machine, if it makes one.
    fn of(self, path: &[u8]) -> Option<&'static str> {
        let is_there = || std::fs::symlink_metadata(OsStr::from_bytes(path)).is_ok();
        match self {
            _ if path.starts_with(DEVICES) => None,
            Change::Any(does) => Some(does),
            Change::OfWhatIsThere(does) => is_there().then_some(does),
            Change::WhereNothingIs(does) => (!is_there()).then_some(does),
            Change::None => None,
        }
    }
}

fn handle(file: i32) -> Handle {
    Handle(file.abs_diff(STAND_IN_MIN))
}

fn descriptor(handle: Handle) -> u64 {
    u64::from(handle.0) + STAND_IN_MIN.unsigned_abs() as u64
}

impl Context {
    /// To be called by the engine. `None`: the file is the machine's.
    pub(super) fn file_call(&self, call: FileCall<'_>) -> Option<Answer> {
        if self.is_busy() {
            return None;
        }
        match call {
            FileCall::Open { at, opens, mode } => self.open_by_call(at, opens, mode),
            FileCall::Look { at, status } => self.on_path(at, Change::None, |files, path| {
                *status = told(files.metadata(path)?);
                Ok(0)
            }),
            FileCall::Canonical { at, canonical } => self.on_path(at, Change::None, |files, path| {
                *canonical = files.canonical(path)?.to_vec();
                Ok(0)
            }),
            FileCall::ReadLink { at } => {
                self.on_path(at, Change::None, |files, path| files.metadata(path).and(Err(Failure::Invalid)))
            }
            FileCall::SetModeOf { at, mode } => {
                self.on_path(at, Change::OfWhatIsThere("sets permissions of"), |files, path| {
                    files.set_mode(path, mode).map(|()| 0)
                })
            }
            FileCall::SetOtherOf { at } => {
                self.on_path(at, Change::OfWhatIsThere("sets times of"), |files, path| files.metadata(path).map(|_| 0))
            }
            FileCall::SetLengthOf { at, length } => self.on_path(at, Change::OfWhatIsThere("cuts"), |files, path| {
                let access = Access { write: true, ..Access::default() };
                let file = files.open(path, access, 0)?;
                let cut = u64::try_from(length).map_err(|_| Failure::Invalid);
                let cut = cut.and_then(|length| files.set_length(file, length));
                files.close(file);
                cut.map(|()| 0)
            }),
            FileCall::MakeDirectory { at, mode } => self.on_path(at, Change::WhereNothingIs("makes"), |files, path| {
                files.make_directory(path, mode).map(|()| 0)
            }),
            FileCall::Remove { at, is_directory } => {
                self.on_path(at, Change::OfWhatIsThere("removes"), |files, path| {
                    if is_directory { files.remove_directory(path) } else { files.unlink(path) }.map(|()| 0)
                })
            }
            FileCall::MakeSymbolicLink { at } => {
                self.on_path(at, Change::WhereNothingIs("makes"), |_, _| Err(Failure::NotPermitted))
            }
            FileCall::Rename { from, to, replaces_nothing } => self.on_paths(from, to, |files, from, to| {
                if replaces_nothing && files.metadata(from).is_ok() && files.metadata(to).is_ok() {
                    return Err(Failure::Exists);
                }
                files.rename(from, to).map(|()| 0)
            }),
            FileCall::Link { from, to } => self.on_paths(from, to, |files, from, to| files.link(from, to).map(|()| 0)),
            FileCall::OfSystem { at, file } => {
                if !self.is_discarded() && !at.path.starts_with(DEVICES) {
                    let path = Arc::from(String::from_utf8_lossy(at.path));
                    self.state().files.foreign.push((file, path));
                }
                None
            }
            FileCall::Unmodelled { file: _, what } => Some(self.refuse_unmodelled(what)),
            on_descriptor => Some(self.call_on_descriptor(on_descriptor)),
        }
    }

    /// Makes a call with a descriptor of the check, unless it fails as declared.
    fn call_on_descriptor(&self, call: FileCall<'_>) -> Answer {
        let (kind, file) = match call {
            FileCall::Read { file, .. } => (storage::Operation::Read, file),
            FileCall::Write { file, .. } | FileCall::SetLength { file, .. } => (storage::Operation::Write, file),
            FileCall::Sync { file } => (storage::Operation::Sync, file),
            _ => return self.own(|files| descriptor_call(files, call)),
        };
        if self.is_discarded() {
            return Err(GIVEN_UP);
        }
        match self.without_unwinding(|| self.may_fail(kind, handle(file), Location::caller())) {
            Some(Ok(())) => self.own(|files| descriptor_call(files, call)),
            Some(Err(number)) => Err(number),
            None => Err(GIVEN_UP),
        }
    }

    /// The program closes a descriptor of the system.
    pub(super) fn close_foreign(&self, file: i32) {
        if !self.is_busy() {
            self.state().files.foreign.retain(|&(open, _)| open != file);
        }
    }

    /// Why a poll is wrong that has left a file of the machine open: its place is the system's, and no part of the local state.
    pub(super) fn left_open(&self) -> Option<String> {
        let path = self.state().files.foreign.first().map(|(_, path)| Arc::clone(path))?;
        let name = self.shared.unit(self.unit).name;
        Some(format!(
            "{name} waits while it has `{path}` open, a file of the machine, whose place is no part of the check\n  read it at \
             once, or declare it for the process: `.files([({path:?}, contents)])`"
        ))
    }

    fn open_by_call(&self, at: At<'_>, opens: Opens, mode: u32) -> Option<Answer> {
        let Opens { read, write, append, truncate, create, create_new, directory, more } = opens;
        let change = match write || append || create || truncate {
            true if create || create_new => Change::Any("writes to"),
            true => Change::OfWhatIsThere("writes to"),
            false => Change::None,
        };
        let mut asks_for_more = false;
        let access = Access { read, write, append, truncate, create, create_new };
        let opened = self.on_path(at, change, |files, path| {
            asks_for_more = more;
            if more {
                return Err(Failure::Invalid);
            }
            if directory && !files.metadata(path)?.is_directory {
                return Err(Failure::NotADirectory);
            }
            files.open(path, access, mode).map(descriptor)
        });
        if asks_for_more {
            return Some(
                self.fail_later("opens a file with flags of the system, which are not modelled", "leave them out"),
            );
        }
        opened
    }

    /// Makes a call on a path of the check. A change to another one is an error, unless the system would refuse it.
    fn on_path(
        &self,
        at: At<'_>,
        change: Change,
        call: impl FnOnce(&mut Files, &[u8]) -> Result<u64, Failure>,
    ) -> Option<Answer> {
        match self.path(at) {
            Ok(path) if self.is_of_check(&path) => Some(self.own(|files| call(files, &path))),
            Ok(path) => change.of(&path).map(|does| self.refuse_change(does, &path)),
            Err(number) => Some(Err(number)),
        }
    }

    /// As [`Self::on_path`], with two of which either both are the check's or none.
    fn on_paths(
        &self,
        from: At<'_>,
        to: At<'_>,
        call: impl FnOnce(&mut Files, &[u8], &[u8]) -> Result<u64, Failure>,
    ) -> Option<Answer> {
        let (from, to) = match (self.path(from), self.path(to)) {
            (Ok(from), Ok(to)) => (from, to),
            (Err(number), _) | (_, Err(number)) => return Some(Err(number)),
        };
        let foreign = [&from, &to].into_iter().find(|path| !self.is_of_check(path));
        Some(match foreign {
            Some(foreign) => self.refuse_change("gives another name to", foreign),
            None => self.own(|files| call(files, &from, &to)),
        })
    }

    /// The path from the root.
    fn path(&self, At { directory, path }: At<'_>) -> Result<Vec<u8>, i32> {
        let Some(directory) = directory else { return Ok(path.to_vec()) };
        let mut from_root = Vec::new();
        self.own(|files| {
            from_root = files.path_at(handle(directory), path)?;
            Ok(0)
        })?;
        Ok(from_root)
    }

    fn is_of_check(&self, path: &[u8]) -> bool {
        let declared = &self.host().files;
        declared.is_of_check(self.state().files.tree().unwrap_or(declared), path)
    }

    /// Makes a call on the files of the check.
    fn own(&self, call: impl FnOnce(&mut Files) -> Result<u64, Failure>) -> Answer {
        if self.is_discarded() {
            return Err(GIVEN_UP);
        }
        match self.without_unwinding(|| self.files(call)) {
            Some(answer) => answer.map_err(|number| if number == 0 { INVALID } else { number }),
            None => Err(GIVEN_UP),
        }
    }

    fn refuse_change(&self, does: &str, path: &[u8]) -> Answer {
        let path = String::from_utf8_lossy(path);
        let does = format!("{does} `{path}`, a path of the machine and not of the check");
        self.fail_later(
            &does,
            &format!(
                "declare it, or another file in its directory, for the process: `.files([({path:?}, \"\")])`; what is not \
                 declared is only read"
            ),
        )
    }

    fn refuse_unmodelled(&self, what: Unmodelled) -> Answer {
        match what {
            Unmodelled::Map => self.fail_later(
                "has a file of the check in memory (`mmap`), which is not modelled",
                "read and write it, or leave its path to the machine",
            ),
            Unmodelled::Lock => self.fail_later(
                "locks a file of the check, which is not modelled",
                "leave the lock out, as no other process has its files",
            ),
        }
    }

    /// Ends the check with an error, once the program has left the function of the C library.
    fn fail_later(&self, does: &str, instead: &str) -> Answer {
        if !self.is_discarded() {
            let at = own_line().map(|line| format!(" at {line}")).unwrap_or_default();
            let name = self.shared.unit(self.unit).name;
            self.state().script.failure = Some(format!("{name} {does}{at}\n  {instead}"));
            self.give_up_soon();
        }
        Err(NOT_PERMITTED)
    }
}

/// A call with a descriptor.
fn descriptor_call(files: &mut Files, call: FileCall<'_>) -> Result<u64, Failure> {
    let place = |at: i64| u64::try_from(at).map_err(|_| Failure::Invalid);
    match call {
        FileCall::Close { file } => files.close(handle(file)),
        FileCall::Duplicate { file } => return files.duplicate(handle(file)).map(descriptor),
        FileCall::Opened { file, opens } => {
            let Access { read, write, append, .. } = files.access(handle(file))?;
            *opens = Opens { read, write, append, ..Opens::default() };
        }
        FileCall::Read { file, count, from, bytes } => {
            let length = files.metadata_of(handle(file))?.length;
            *bytes = vec![0; usize::try_from(length).map_or(count, |length| length.min(count))];
            let read = match from {
                Some(from) => files.read_at(handle(file), bytes, place(from)?),
                None => files.read(handle(file), bytes),
            }?;
            bytes.truncate(read);
            return Ok(read as u64);
        }
        FileCall::Write { file, bytes, from } => {
            let written = match from {
                Some(from) => files.write_at(handle(file), bytes, place(from)?),
                None => files.write(handle(file), bytes),
            };
            return written.map(|count| count as u64);
        }
        FileCall::Seek { file, by, whence } => {
            let to = match whence {
                Whence::Start => Seek::Start(place(by)?),
                Whence::Current => Seek::Current(by),
                Whence::End => Seek::End(by),
            };
            return files.seek(handle(file), to);
        }
        FileCall::SetLength { file, length } => files.set_length(handle(file), place(length)?)?,
        FileCall::Sync { file } => files.sync(handle(file))?,
        FileCall::SetMode { file, mode } => files.set_mode_of(handle(file), mode)?,
        FileCall::SetOther { file } => drop(files.metadata_of(handle(file))?),
        FileCall::Status { file, status } => *status = told(files.metadata_of(handle(file))?),
        FileCall::Next { directory, named } => {
            let Some(Entry { name, is_directory, number }) = files.next_name(handle(directory))? else { return Ok(0) };
            *named = Named { name: name.to_vec(), is_directory, number };
            return Ok(1);
        }
        _ => unreachable!("a call with a path"),
    }
    Ok(0)
}

fn told(metadata: Metadata) -> Status {
    let Metadata { is_directory, length, mode, links, number } = metadata;
    Status { is_directory, length, mode, links, number }
}
