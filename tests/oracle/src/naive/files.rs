//! Calls on files.
//!
//! A call by `std::fs` is made at once. One by `tokio::fs` is begun, made in a move of its own, and waited for; it is made
//! also if its task is aborted. A write to an open file is not waited for, but by the next call on the same file; it is made
//! at the latest when the process ends, and lost when the process crashes.

use super::operation::Wait;
use super::state::{Activity, ProcessState, World};
use crate::disk::{Disk, ROOT, Step};
use crate::language::files::{Failing, File, FileCall, FileWord, code};
use crate::language::program::{FAILED, Value, payload};

/// The files of a process, those that it has opened, and the calls that are begun.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Files {
    pub(super) disk: Disk,
    /// all that were ever opened since the process started
    opened: Vec<Opened>,
    /// by handle, the number of what it has open
    handles: Vec<Option<usize>>,
    begun: Vec<Begun>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Opened {
    object: usize,
    at: usize,
    appends: bool,
    at_once: bool,
    /// a write is begun, and not made
    is_busy: bool,
    /// a write has failed, and nobody knows yet
    has_failed: bool,
}

/// A call that is begun, and the task that waits for it, if any does.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Begun {
    call: Call,
    task: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Call {
    Put { file: File, bytes: Vec<u8> },
    Get { file: File, into: usize },
    Rename { file: File, to: File, into: usize },
    Remove { file: File, into: usize },
    SyncNames,
    Open { handle: usize, file: File, appends: bool },
    Write { opened: usize, bytes: Vec<u8> },
    Sync { opened: usize },
}

impl Call {
    /// Whether it may fail.
    fn is_among(&self, failing: Failing) -> bool {
        match self {
            Call::Put { .. } | Call::Write { .. } => failing.write,
            Call::Get { .. } => failing.read,
            Call::SyncNames | Call::Sync { .. } => failing.sync,
            Call::Rename { .. } | Call::Remove { .. } | Call::Open { .. } => false,
        }
    }
}

impl Files {
    pub(super) fn new(files: &[(String, Vec<u8>)]) -> Files {
        Files::left(Disk::with_files(files))
    }

    /// The files of a process that has just started.
    pub(super) fn left(disk: Disk) -> Files {
        Files { disk, handles: vec![None; HANDLES_MAX], ..Files::default() }
    }

    /// A crash leaves the disk alone, and not even all of that if the power is off.
    pub(super) fn after_crash(&self, power: bool) -> Files {
        let disk = if power { self.disk.clone() } else { self.disk.left_with(self.disk.seen()) };
        Files::left(disk)
    }

    /// The number of calls that are begun.
    pub(super) fn begun(&self) -> usize {
        self.begun.len()
    }

    /// The process ends: its runtime makes the writes that were begun, and nothing else.
    pub(super) fn end(&mut self) {
        for Begun { call, .. } in std::mem::take(&mut self.begun) {
            if matches!(call, Call::Write { .. }) {
                self.make(call, false);
            }
        }
    }

    /// Whether the call that is begun may fail. A read fails only of a file that is there.
    pub(super) fn may_fail(&self, index: usize, failing: Failing) -> bool {
        let call = &self.begun[index].call;
        let is_there = |file: &File| self.object(*file).is_some();
        call.is_among(failing) && if let Call::Get { file, .. } = call { is_there(file) } else { true }
    }

    /// A call fails; what is written to which register, if anything is.
    fn fail(&mut self, call: Call) -> Option<(usize, u8)> {
        match call {
            // The file is there by then, and empty.
            Call::Put { file, .. } => {
                self.emptied(file);
                None
            }
            Call::Get { into, .. } => Some((into, FAILED)),
            Call::Write { opened, .. } => {
                let opened = &mut self.opened[opened];
                (opened.is_busy, opened.has_failed) = (false, !opened.at_once);
                None
            }
            Call::Sync { opened } => {
                self.disk.fail_sync(self.opened[opened].object);
                None
            }
            Call::SyncNames | Call::Rename { .. } | Call::Remove { .. } | Call::Open { .. } => None,
        }
    }

    fn object(&self, file: File) -> Option<usize> {
        self.disk.seen().names.get(&(ROOT, file.name())).copied()
    }

    fn object_or_new(&mut self, file: File) -> usize {
        self.object(file).unwrap_or_else(|| self.disk.create((ROOT, file.name())))
    }

    /// Opens a file to write it anew.
    fn emptied(&mut self, file: File) -> usize {
        let object = self.object_or_new(file);
        if self.disk.seen().file(&(ROOT, file.name())).is_some_and(|bytes| !bytes.is_empty()) {
            self.disk.perform(Step::Length { object, length: 0 });
        }
        object
    }

    /// Makes a call; what is written to which register, if anything is.
    fn make(&mut self, call: Call, at_once: bool) -> Option<(usize, u8)> {
        match call {
            Call::Put { file, bytes } => {
                let object = self.emptied(file);
                self.disk.perform(Step::Bytes { object, at: 0, bytes });
                None
            }
            Call::Get { file, into } => {
                let seen = self.disk.seen();
                Some((into, seen.file(&(ROOT, file.name())).map_or(FAILED, code)))
            }
            Call::Rename { file, to, into } => {
                let object = self.object(file);
                if let Some(object) = object {
                    self.disk.perform(Step::Moved { from: (ROOT, file.name()), to: (ROOT, to.name()), object });
                }
                Some((into, if object.is_some() { 0 } else { FAILED }))
            }
            Call::Remove { file, into } => {
                let object = self.object(file);
                if let Some(object) = object {
                    self.disk.perform(Step::NoName { place: (ROOT, file.name()), object });
                }
                Some((into, if object.is_some() { 0 } else { FAILED }))
            }
            Call::SyncNames => {
                self.disk.sync(ROOT);
                None
            }
            Call::Open { handle, file, appends } => {
                let object = self.object_or_new(file);
                self.handles[handle] = Some(self.opened.len());
                self.opened.push(Opened { object, at: 0, appends, at_once, is_busy: false, has_failed: false });
                None
            }
            Call::Write { opened, bytes } => {
                let seen = self.disk.seen();
                let opened = &mut self.opened[opened];
                if opened.appends {
                    opened.at = seen.bytes.get(&opened.object).map_or(0, Vec::len);
                }
                opened.is_busy = false;
                let (object, at) = (opened.object, opened.at);
                opened.at += bytes.len();
                self.disk.perform(Step::Bytes { object, at, bytes });
                None
            }
            Call::Sync { opened } => {
                self.disk.sync(self.opened[opened].object);
                None
            }
        }
    }
}

/// Handles of a process: as many as it has tasks at the most.
const HANDLES_MAX: usize = 8;

impl ProcessState {
    /// Begins a call, or makes it; what the task waits for, and whether it makes the instruction again after that.
    pub(super) fn call_files(&mut self, task: usize, call: FileCall, failing: Failing) -> Option<(Wait, bool)> {
        let value_of = |value: Value| match value {
            Value::Constant(constant) => constant,
            Value::Register(register) => self.registers[register],
        };
        let files = &mut self.files;
        let opened_by = |handle: usize| files.handles[handle].map(|number| (number, files.opened[number].clone()));
        let (call, at_once) = match call.word {
            FileWord::Put { file, value, length } => {
                (Call::Put { file, bytes: payload(value_of(value), length) }, call.at_once)
            }
            FileWord::Get { file, into } => (Call::Get { file, into }, call.at_once),
            FileWord::Rename { file, to, into } => (Call::Rename { file, to, into }, call.at_once),
            FileWord::Remove { file, into } => (Call::Remove { file, into }, call.at_once),
            FileWord::SyncNames => (Call::SyncNames, call.at_once),
            FileWord::Open { handle, file, appends } => (Call::Open { handle, file, appends }, call.at_once),
            FileWord::Write { handle, .. } | FileWord::Flush { handle } | FileWord::Sync { handle } => {
                let (number, opened) = opened_by(handle)?;
                if opened.is_busy {
                    return Some((Wait::File { until_idle: true }, true));
                }
                if opened.has_failed && !matches!(call.word, FileWord::Sync { .. }) {
                    files.opened[number].has_failed = false;
                    return None;
                }
                match call.word {
                    FileWord::Write { value, length, .. } => {
                        let call = Call::Write { opened: number, bytes: payload(value_of(value), length) };
                        if !opened.at_once {
                            files.opened[number].is_busy = true;
                            files.begun.push(Begun { call, task });
                            return None;
                        }
                        (call, true)
                    }
                    FileWord::Sync { .. } => (Call::Sync { opened: number }, opened.at_once),
                    _ => return None,
                }
            }
        };
        if at_once && call.is_among(failing) {
            files.begun.push(Begun { call, task });
            return Some((Wait::FileCall, false));
        }
        if at_once {
            if let Some((into, value)) = files.make(call, true) {
                self.registers[into] = value;
            }
            return None;
        }
        files.begun.push(Begun { call, task });
        Some((Wait::File { until_idle: false }, false))
    }
}

impl World<'_> {
    /// Makes a call that is begun, or it fails; the task that waits for it goes on.
    pub(super) fn call(&mut self, process: usize, index: usize, fails: bool) {
        let state = &mut self.state.processes[process];
        let Begun { call, task } = state.files.begun.remove(index);
        let is_write = matches!(call, Call::Write { .. });
        let task = &mut state.tasks[task];
        let at_once = task.activity == Activity::Waiting(Wait::FileCall);
        let result = if fails { state.files.fail(call) } else { state.files.make(call, at_once) };
        if at_once || task.activity == Activity::Waiting(Wait::File { until_idle: is_write }) {
            task.activity = Activity::Waiting(Wait::Called { result });
        }
    }
}
