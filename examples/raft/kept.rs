//! The files of a node: its term, whom it has voted for in it, and its log.

use super::fs::{self, File, OpenOptions};
use super::message::Entry;
use super::program::Version;
use std::io::{self, ErrorKind, Write};

/// Bytes of a line of the log: two numbers of eight digits.
const LINE_BYTES: usize = 18;

/// Why the file with the vote is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    Vote,
    Term,
}

pub struct Kept {
    folder: String,
    version: Version,
    pub term: u64,
    pub vote: Option<usize>,
    entries: Vec<Entry>,
    log: File,
}

impl Kept {
    /// Reads what is there. A last line that is not whole was never acknowledged, and is cut off.
    pub fn read(folder: &str, version: Version) -> io::Result<Kept> {
        let vote = read_if_there(&format!("{folder}/vote"))?;
        let (term, vote) = match vote.trim_end().split_once(' ') {
            Some((term, vote)) => (term.parse().map_err(|_| ErrorKind::InvalidData)?, vote.parse().ok()),
            None => (0, None),
        };
        let path = format!("{folder}/log");
        let written = read_if_there(&path)?;
        let entries: Vec<Entry> = written.as_bytes().chunks(LINE_BYTES).map_while(entry).collect();
        let log = OpenOptions::new().append(true).create(true).open(&path)?;
        if entries.len() * LINE_BYTES < written.len() {
            log.set_len((entries.len() * LINE_BYTES) as u64)?;
            log.sync_all()?;
        }
        let kept = Kept { folder: folder.to_owned(), version, term, vote, entries, log };
        kept.sync_folder()?;
        Ok(kept)
    }

    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The term of the last of so many entries, if there are so many.
    pub fn term_at(&self, entries: usize) -> Option<u64> {
        match entries {
            0 => Some(0),
            _ => self.entries.get(entries - 1).map(|entry| entry.term),
        }
    }

    pub fn last_term(&self) -> u64 {
        self.entries.last().map_or(0, |entry| entry.term)
    }

    /// Returns once term and vote survive whatever happens to this host.
    pub fn save_vote(&self, reason: Reason) -> io::Result<()> {
        let is_synced = match reason {
            Reason::Vote => self.version != Version::VoteUnsynced,
            Reason::Term => self.version != Version::TermUnsynced,
        };
        let vote = self.vote.map_or("-".to_owned(), |vote| vote.to_string());
        let [new, name] = ["vote.new", "vote"].map(|name| format!("{}/{name}", self.folder));
        let mut file = File::create(&new)?;
        file.write_all(format!("{} {vote}\n", self.term).as_bytes())?;
        if is_synced {
            file.sync_all()?;
        }
        drop(file);
        fs::rename(&new, &name)?;
        if is_synced && self.version != Version::RenameUnsynced {
            self.sync_folder()?;
        }
        Ok(())
    }

    /// Makes the log end with these entries, behind so many that stay, and returns once it survives whatever happens to this
    /// host.
    pub fn save_entries(&mut self, after: usize, entries: &[Entry]) -> io::Result<()> {
        let replaces = after < self.entries.len();
        if replaces {
            self.entries.truncate(after);
            self.log.set_len((after * LINE_BYTES) as u64)?;
        }
        let lines: String = entries.iter().map(|entry| format!("{:08} {:08}\n", entry.term, entry.value)).collect();
        self.log.write_all(lines.as_bytes())?;
        if !replaces || self.version != Version::ReplacementUnsynced {
            self.log.sync_all()?;
        }
        self.entries.extend(entries);
        Ok(())
    }

    /// Makes the names of the files durable.
    fn sync_folder(&self) -> io::Result<()> {
        File::open(&self.folder)?.sync_all()
    }
}

fn entry(line: &[u8]) -> Option<Entry> {
    let (term, value) = std::str::from_utf8(line).ok()?.strip_suffix('\n')?.split_once(' ')?;
    Some(Entry { term: term.parse().ok()?, value: value.parse().ok()? })
}

fn read_if_there(path: &str) -> io::Result<String> {
    match fs::read(path) {
        Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(String::new()),
        Err(error) => Err(error),
    }
}
