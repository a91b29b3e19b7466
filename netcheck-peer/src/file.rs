//! The file that the answers of peers are kept in: one line for each branch, so that differences can be read.
//!
//! Tests of one program, and of several, have peers of one name at the same time. A reader takes no lock, so the file is
//! never written in place: another one is written and takes its name, and a reader has the old text or the new one, also
//! where a test is killed in between. Writers add to what is there, one after the other: those of this process wait for
//! [`WRITER`], those of other processes for the lock of the folder. A lock of the file itself would be one of a file that
//! has lost its name.

use crate::branches::{Branch, Branches};
use crate::error::Error;
use crate::exchange::{Input, Output};
use crate::json;
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// The version of the format.
const VERSION: u32 = 1;

/// One thread of this process writes at a time.
static WRITER: Mutex<()> = Mutex::new(());

#[derive(Serialize, Deserialize)]
struct Contents {
    version: u32,
    peers: Vec<Recorded>,
}

/// The branches of one peer.
#[derive(Serialize, Deserialize)]
struct Recorded {
    peer: String,
    branches: Vec<Line>,
}

/// A branch: what the peer answered to an input after an earlier branch; 0 is the start.
#[derive(Serialize, Deserialize)]
struct Line {
    after: u32,
    input: Input,
    answer: Vec<Output>,
}

/// The branches of a peer in a file; none if there is no file.
pub(crate) fn read(path: &Path, peer: &str) -> Result<Branches, Error> {
    let contents = contents(path)?;
    contents.peers.iter().find(|recorded| recorded.peer == peer).map_or(Ok(Branches::default()), |recorded| {
        recorded.branches().ok_or_else(|| broken(path, "a branch comes before the one that it follows"))
    })
}

/// Adds branches of a peer to a file; `anew`: in place of all that are there.
pub(crate) fn save(path: &Path, peer: &str, branches: &Branches, anew: bool) -> Result<(), Error> {
    let failed = |error: io::Error| Error::new(format!("{} can't be written: {error}", path.display()));
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(failed)?;
    let _writer = WRITER.lock().unwrap_or_else(PoisonError::into_inner);
    // Where a folder has no lock (Windows, some file systems), one of two processes may lose what the other has added:
    // the peer is asked again.
    let _folder = File::open(folder).and_then(|folder| folder.lock().map(|()| folder));
    let mut contents = contents(path)?;
    let known = contents.peers.iter().position(|recorded| recorded.peer == peer).map(|at| contents.peers.remove(at));
    let known = known.filter(|_| !anew).and_then(|recorded| recorded.branches());
    let mut all = known.unwrap_or_default();
    all.merge(branches);
    contents.peers.push(Recorded::of(peer, &all));
    contents.peers.sort_by(|one, other| one.peer.cmp(&other.peer));
    replace(path, &text(&contents)).map_err(failed)
}

/// Puts another text in the place of a file, which others may be reading.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    // A link stays one.
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let unfinished = path.with_extension(format!("{}.tmp", std::process::id()));
    fs::write(&unfinished, text)?;
    fs::rename(&unfinished, path)
}

/// One line for each branch.
fn text(contents: &Contents) -> String {
    let mut text = format!("{{ \"version\": {}, \"peers\": [", contents.version);
    for (index, recorded) in contents.peers.iter().enumerate() {
        text += if index > 0 { ",\n" } else { "\n" };
        text += &format!("{{ \"peer\": {}, \"branches\": [", json::to_string(&recorded.peer));
        for (index, line) in recorded.branches.iter().enumerate() {
            text += if index > 0 { ",\n  " } else { "\n  " };
            text += &json::to_string(line);
        }
        text += "\n] }";
    }
    text + "\n] }\n"
}

/// The contents of a file; those of an empty one if there is no file.
fn contents(path: &Path) -> Result<Contents, Error> {
    match fs::read_to_string(path) {
        Ok(text) => parsed(path, &text),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Contents { version: VERSION, peers: Vec::new() }),
        Err(error) => Err(Error::new(format!("{} can't be read: {error}", path.display()))),
    }
}

fn parsed(path: &Path, text: &str) -> Result<Contents, Error> {
    #[derive(Deserialize)]
    struct Version {
        version: u32,
    }
    let Version { version } = json::from_str(text).map_err(|error| broken(path, &error.to_string()))?;
    if version != VERSION {
        return Err(broken(path, &format!("it has version {version}, and this netcheck reads version {VERSION}")));
    }
    json::from_str(text).map_err(|error| broken(path, &error.to_string()))
}

fn broken(path: &Path, why: &str) -> Error {
    Error::new(format!(
        "{} is no file of a peer's answers: {why}\n  delete it, and the peer is asked again",
        path.display()
    ))
}

impl Recorded {
    fn of(peer: &str, branches: &Branches) -> Self {
        let line = |step: &crate::branches::Step| Line {
            after: step.before.0,
            input: step.input.clone(),
            answer: step.answer.to_vec(),
        };
        Recorded { peer: peer.to_owned(), branches: branches.steps().iter().map(line).collect() }
    }

    /// The tree; `None` if a line comes before the one that it follows.
    fn branches(&self) -> Option<Branches> {
        let mut branches = Branches::default();
        let mut read = vec![Branch::START];
        for line in &self.branches {
            let before = *read.get(line.after as usize)?;
            read.push(branches.add(before, &line.input, &line.answer));
        }
        Some(branches)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;

    /// One answer for each number.
    fn branches(numbers: impl IntoIterator<Item = u8>) -> Branches {
        let mut branches = Branches::default();
        for number in numbers {
            branches.add(Branch::START, &Input::Bytes { connection: 0, bytes: vec![number; 500] }, &[]);
        }
        branches
    }

    #[test]
    fn a_file_can_be_read_while_it_is_written_and_no_writer_loses_what_another_adds() {
        let folder = std::env::temp_dir().join(format!("netcheck-peer-{}", std::process::id()));
        let path = folder.join("answers.json");
        let is_written = AtomicBool::new(false);
        thread::scope(|scope| {
            let writers: Vec<_> = (0..4)
                .map(|writer| {
                    let path = &path;
                    scope.spawn(move || {
                        for number in 0..16 {
                            save(path, "peer", &branches([writer * 16 + number]), false).expect("it is written");
                        }
                    })
                })
                .collect();
            for _ in 0..2 {
                scope.spawn(|| {
                    while !is_written.load(Ordering::Relaxed) {
                        read(&path, "peer").expect("it is a whole file");
                    }
                });
            }
            let written: Vec<_> = writers.into_iter().map(|writer| writer.join()).collect();
            is_written.store(true, Ordering::Relaxed);
            written.into_iter().for_each(|written| written.expect("it was written"));
        });
        assert_eq!(read(&path, "peer").expect("a file").steps().len(), 64);
        let files: Vec<_> = fs::read_dir(&folder).expect("the folder").map(|file| file.unwrap().file_name()).collect();
        assert_eq!(files, ["answers.json"], "nothing unfinished is left");
        fs::remove_dir_all(folder).expect("it can be removed");
    }
}
