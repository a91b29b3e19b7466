//! Calls on the files of the host, and writes that reach them later.

use crate::id::CallerId;
use crate::operation::files::{self, Failure, Files, Handle, Path, Tree};
use crate::operation::{Effect, Operation, Outcome, storage};
use crate::unit::identity::causality::ObjectId;
use crate::unit::payload::payload;
use crate::unit::poll::context::{Context, State};
use crate::unit::poll::own_files::BegunWrite;
use crate::unit::remark::Remark;
use netcheck_memory::{Handed, engine};
use std::panic::Location;
use std::sync::Arc;

impl Context {
    /// The run begins with these files.
    pub(in crate::unit) fn begin_with_files(&self, tree: &Tree) {
        self.state().files.seen = Some(Arc::new(Files::new(tree.clone())));
    }

    /// The files of the host, if they are others than the check declares.
    pub(in crate::unit) fn changed_files(&self) -> Option<Tree> {
        let state = self.state();
        let tree = state.files.tree()?.by_content();
        (tree != *self.host().files).then_some(tree)
    }

    /// Makes a call on the files of the host; the number of the failure on Linux if it fails.
    pub(crate) fn files<R: Handed>(&self, call: impl FnOnce(&mut Files) -> Result<R, Failure>) -> Result<R, i32> {
        engine(|| self.in_files(self.line(), |_, files| call(files)))
    }

    /// Lets a call on a file fail, if it may by the declared faults: the number of the failure on Linux.
    pub(crate) fn may_fail(
        &self,
        call: storage::Operation,
        handle: Handle,
        location: &'static Location<'static>,
    ) -> Result<(), i32> {
        if !self.shared.modes.file_failures.has(call) {
            return Ok(());
        }
        // Of a call that `tokio::fs` makes in a task of its own, the line that has asked for it.
        let task = engine(|| self.state().tasks.running().filter(|task| task.blocks).map(|task| task.location));
        match self.ask(Operation::Storage(call), task.unwrap_or(location)) {
            Outcome::Failed(failure) => {
                if call == storage::Operation::Sync {
                    self.files(|files| files.fail_sync(handle))?;
                }
                Err(failure.number())
            }
            _ => Ok(()),
        }
    }

    /// The bytes that a stand-in of a real peer keeps beside the files of its host; `None` if the peer does not crash.
    pub fn aside(&self) -> Option<Vec<u8>> {
        self.files(|files| files.aside().map(<[u8]>::to_vec).ok_or(Failure::NotFound)).ok()
    }

    /// Keeps bytes beside the files of the host.
    pub fn set_aside(&self, bytes: &[u8]) {
        let kept: Result<(), i32> = self.files(|files| {
            files.set_aside(bytes);
            Ok(())
        });
        kept.expect("keeping them does not fail");
    }

    /// Begins a write that goes so many bytes back and reaches the tree later; returns its number.
    pub(crate) fn begin_write(&self, handle: Handle, back: u64, bytes: &[u8]) -> u32 {
        engine(|| {
            let line = self.line();
            let State { files, causality, .. } = &mut *self.state();
            causality.act();
            if self.shared.modes.tracks {
                causality.touch(ObjectId::files());
            }
            let begun = &mut files.begun;
            let free = (0..).find(|&number| begun.iter().all(|write| write.number != number));
            let number = free.expect("no program begins so many writes");
            begun.push(BegunWrite { number, handle, back, bytes: Arc::from(bytes), line });
            number
        })
    }

    /// A write that was begun to a file fails as declared, or reaches the tree.
    pub(crate) fn end_write(
        &self,
        number: u32,
        handle: Handle,
        location: &'static Location<'static>,
    ) -> Result<(), i32> {
        if let Err(failure) = self.may_fail(storage::Operation::Write, handle, location) {
            engine(|| self.state().files.begun.retain(|write| write.number != number));
            return Err(failure);
        }
        self.perform_write(number)
    }

    fn perform_write(&self, number: u32) -> Result<(), i32> {
        engine(|| {
            let line =
                self.state().files.begun.iter().find(|write| write.number == number).and_then(|write| write.line);
            self.in_files(line, |begun, files| match begun.iter().position(|write| write.number == number) {
                Some(index) => begun.remove(index).perform(files),
                None => Ok(()),
            })
        })
    }

    /// All writes that were begun reach the tree, in their order: the runtime of a program that ends waits for them. Nobody
    /// learns whether one fails.
    pub(in crate::unit) fn end_writes(&self) {
        while let Some(number) = { self.state().files.begun.first().map(|write| write.number) } {
            let _failed = self.perform_write(number);
        }
    }

    /// The source line of a call on files, if calls are traced: that of the program in the current poll, or else the one
    /// that has begun the call in a task of its own.
    fn line(&self) -> Option<CallerId> {
        let is_shown = self.shared.modes.traces && !self.is_discarded();
        is_shown.then(|| self.shared.running_line().or_else(|| self.state().tasks.caller())).flatten()
    }

    /// Makes a call on the files, and tells what it changes. To be called by the engine.
    fn in_files<R>(
        &self,
        line: Option<CallerId>,
        call: impl FnOnce(&mut Vec<BegunWrite>, &mut Files) -> Result<R, Failure>,
    ) -> Result<R, i32> {
        if self.shared.unit(self.unit).parent.is_some() {
            self.fail(
                "an isolated task uses files, which are its process's: use them in the process itself, or in a task that \
                 `tokio::spawn` makes of an async block",
            );
        }
        let (result, done) = {
            if self.state().files.seen.is_none() {
                self.begin_with_files(&self.host().files);
            }
            let State { files, causality, .. } = &mut *self.state();
            causality.act();
            if self.shared.modes.tracks {
                causality.touch(ObjectId::files());
            }
            let seen = Arc::make_mut(files.seen.as_mut().expect("it was set"));
            (call(&mut files.begun, seen), seen.take_done())
        };
        for operation in done {
            if operation.is_told() {
                self.remark_as(|| Remark::Files { words: in_words(&operation), line });
            }
            self.effect(Effect::Storage(storage::Effect(operation)));
        }
        result.map_err(Failure::number)
    }
}

/// A change of files, for readers.
fn in_words(operation: &files::Operation) -> String {
    use files::Operation;

    let quoted = |path: &Path| format!("`{}`", String::from_utf8_lossy(path));
    match operation {
        Operation::Create { path, .. } => format!("{} is created", quoted(path)),
        Operation::MakeDirectory { path, .. } => format!("the directory {} is made", quoted(path)),
        Operation::Write { file, at, bytes } => format!("{file} is written at {at}: {}", payload(bytes)),
        Operation::SetLength { file, length } => format!("{file} has {length} bytes now"),
        Operation::Rename { from, to } => format!("{} is renamed to {}", quoted(from), quoted(to)),
        Operation::Unlink { path } => format!("{} is removed", quoted(path)),
        Operation::RemoveDirectory { path } => format!("the directory {} is removed", quoted(path)),
        Operation::Link { from, to } => format!("{} is also {} now", quoted(from), quoted(to)),
        Operation::SetMode { file, mode } => format!("the permissions of {file} are {mode:o} now"),
        Operation::Sync { file } => format!("{file} is synced"),
        Operation::FailedSync { file } => format!("the sync of {file} fails"),
        Operation::Keep { path, .. } => format!("{} is open, and loses its last name", quoted(path)),
        Operation::Forget { .. } => "a file without a name is closed".to_owned(),
    }
}
