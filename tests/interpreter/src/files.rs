//! Calls on files, by `tokio::fs` or `std::fs`.

use std::io::{self, Write};

use netcheck::fs::{self, File, OpenOptions};
use netcheck::io::AsyncWriteExt;
use netcheck::program::std::fs as at_once;
use oracle::language::files::{FileCall, FileWord, code};
use oracle::language::program::{FAILED, payload};

use crate::memory::Memory;
use crate::plain::shared::Place;

/// A file that a task has open.
pub enum Opened {
    Tokio(File),
    Std(at_once::File),
}

/// By handle, what is open.
pub struct Files(Vec<Place<Option<Opened>>>);

impl Files {
    /// As many handles as there are tasks.
    pub fn new(tasks: usize) -> Files {
        Files((0..tasks).map(|_| Place::of(None)).collect())
    }
}

/// Makes a call.
pub async fn step(memory: &Memory, call: FileCall) {
    if let FileWord::Write { handle, .. } | FileWord::Flush { handle } | FileWord::Sync { handle } = call.word {
        let Some(mut opened) = memory.files.0[handle].take() else { return };
        let result = match opened.it() {
            Some(opened) => use_opened(memory, opened, call.word).await,
            None => Ok(()),
        };
        assert!(result.as_ref().err().is_none_or(is_declared), "{result:?}");
        return;
    }
    match if call.at_once { call_std(memory, call.word) } else { call_tokio(memory, call.word).await } {
        Ok(Some((into, value))) => memory.write(into, value),
        Ok(None) => {}
        Err(error) => assert!(is_declared(&error), "a call does not fail otherwise: {error}"),
    }
}

/// Whether a call fails since the check lets it: `EIO`, `ENOSPC`.
fn is_declared(error: &io::Error) -> bool {
    let number = error.raw_os_error();
    // An error that `tokio::fs::File` tells later has lost its number.
    [Some(5), Some(28)].contains(&number) || number.is_none() && error.kind() == io::ErrorKind::StorageFull
}

async fn use_opened(memory: &Memory, opened: &mut Opened, word: FileWord) -> io::Result<()> {
    match (opened, word) {
        (Opened::Tokio(file), FileWord::Write { value, length, .. }) => {
            let written = file.write(&payload(memory.value(value), length)).await?;
            assert_eq!(written, length, "a write is whole");
            Ok(())
        }
        (Opened::Std(file), FileWord::Write { value, length, .. }) => {
            file.write_all(&payload(memory.value(value), length))
        }
        (Opened::Tokio(file), FileWord::Flush { .. }) => file.flush().await,
        (Opened::Std(file), FileWord::Flush { .. }) => file.flush(),
        (Opened::Tokio(file), _) => file.sync_all().await,
        (Opened::Std(file), _) => file.sync_all(),
    }
}

/// A register and its value, if one is written.
type Result = io::Result<Option<(usize, u8)>>;

fn is_missing(result: &io::Result<()>) -> u8 {
    match result {
        Ok(()) => 0,
        Err(error) if error.kind() == io::ErrorKind::NotFound => FAILED,
        Err(error) => panic!("a call does not fail otherwise: {error}"),
    }
}

fn code_of(read: io::Result<Vec<u8>>) -> io::Result<u8> {
    match read {
        Ok(bytes) => Ok(code(&bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound || is_declared(&error) => Ok(FAILED),
        Err(error) => Err(error),
    }
}

async fn call_tokio(memory: &Memory, word: FileWord) -> Result {
    match word {
        FileWord::Put { file, value, length } => {
            fs::write(file.name(), payload(memory.value(value), length)).await?;
            Ok(None)
        }
        FileWord::Get { file, into } => Ok(Some((into, code_of(fs::read(file.name()).await)?))),
        FileWord::Rename { file, to, into } => Ok(Some((into, is_missing(&fs::rename(file.name(), to.name()).await)))),
        FileWord::Remove { file, into } => Ok(Some((into, is_missing(&fs::remove_file(file.name()).await)))),
        FileWord::SyncNames => {
            File::open("/").await?.sync_all().await?;
            Ok(None)
        }
        FileWord::Open { handle, file, appends } => {
            let opened = OpenOptions::new().append(appends).write(true).create(true).open(file.name()).await?;
            open(memory, handle, Opened::Tokio(opened));
            Ok(None)
        }
        FileWord::Write { .. } | FileWord::Flush { .. } | FileWord::Sync { .. } => unreachable!("on what is open"),
    }
}

fn call_std(memory: &Memory, word: FileWord) -> Result {
    match word {
        FileWord::Put { file, value, length } => {
            at_once::write(file.name(), payload(memory.value(value), length))?;
            Ok(None)
        }
        FileWord::Get { file, into } => Ok(Some((into, code_of(at_once::read(file.name()))?))),
        FileWord::Rename { file, to, into } => Ok(Some((into, is_missing(&at_once::rename(file.name(), to.name()))))),
        FileWord::Remove { file, into } => Ok(Some((into, is_missing(&at_once::remove_file(file.name()))))),
        FileWord::SyncNames => {
            at_once::File::open("/")?.sync_all()?;
            Ok(None)
        }
        FileWord::Open { handle, file, appends } => {
            let opened = at_once::OpenOptions::new().append(appends).write(true).create(true).open(file.name())?;
            open(memory, handle, Opened::Std(opened));
            Ok(None)
        }
        FileWord::Write { .. } | FileWord::Flush { .. } | FileWord::Sync { .. } => unreachable!("on what is open"),
    }
}

fn open(memory: &Memory, handle: usize, file: Opened) {
    if let Some(mut opened) = memory.files.0[handle].take() {
        *opened.it() = Some(file);
    }
}
