//! The file that the answers of peers are kept in: one line for each branch, so that differences can be read.

use crate::branches::{Branch, Branches};
use crate::error::Error;
use crate::exchange::{Input, Output};
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::path::Path;

/// The version of the format.
const VERSION: u32 = 1;

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
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Branches::default()),
        Err(error) => return Err(Error::new(format!("{} can't be read: {error}", path.display()))),
    };
    let contents = parsed(path, &text)?;
    contents.peers.iter().find(|recorded| recorded.peer == peer).map_or(Ok(Branches::default()), |recorded| {
        recorded.branches().ok_or_else(|| broken(path, "a branch comes before the one that it follows"))
    })
}

/// Adds branches of a peer to a file; `anew`: in place of all that are there.
pub(crate) fn save(path: &Path, peer: &str, branches: &Branches, anew: bool) -> Result<(), Error> {
    let failed = |error: io::Error| Error::new(format!("{} can't be written: {error}", path.display()));
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).map_err(failed)?;
    // Another test may have a peer of this name, too.
    file.lock().map_err(failed)?;
    let mut text = String::new();
    file.read_to_string(&mut text).map_err(failed)?;
    let mut contents = match text.is_empty() {
        true => Contents { version: VERSION, peers: Vec::new() },
        false => parsed(path, &text)?,
    };
    let known = contents.peers.iter().position(|recorded| recorded.peer == peer).map(|at| contents.peers.remove(at));
    let known = known.filter(|_| !anew).and_then(|recorded| recorded.branches());
    let mut all = known.unwrap_or_default();
    all.merge(branches);
    contents.peers.push(Recorded::of(peer, &all));
    contents.peers.sort_by(|one, other| one.peer.cmp(&other.peer));
    write(&mut file, &contents).map_err(failed)
}

/// Writes one line for each branch.
fn write(file: &mut File, contents: &Contents) -> io::Result<()> {
    let mut text = format!("{{ \"version\": {}, \"peers\": [", contents.version);
    for (index, recorded) in contents.peers.iter().enumerate() {
        text += if index > 0 { ",\n" } else { "\n" };
        text += &format!("{{ \"peer\": {}, \"branches\": [", serde_json::to_string(&recorded.peer)?);
        for (index, line) in recorded.branches.iter().enumerate() {
            text += if index > 0 { ",\n  " } else { "\n  " };
            text += &serde_json::to_string(line)?;
        }
        text += "\n] }";
    }
    text += "\n] }\n";
    file.rewind()?;
    file.set_len(0)?;
    file.write_all(text.as_bytes())
}

fn parsed(path: &Path, text: &str) -> Result<Contents, Error> {
    #[derive(Deserialize)]
    struct Version {
        version: u32,
    }
    let Version { version } = serde_json::from_str(text).map_err(|error| broken(path, &error.to_string()))?;
    if version != VERSION {
        return Err(broken(path, &format!("it has version {version}, and this netcheck reads version {VERSION}")));
    }
    serde_json::from_str(text).map_err(|error| broken(path, &error.to_string()))
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
