//! A journal of lines in segments: files of a folder, of which the one with the greatest name is written to.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

/// The syncs before a line counts as kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syncs {
    /// Nothing.
    Nothing,
    /// The segment, and not its name.
    Segment,
    /// The segment, and the folder after a segment was made.
    SegmentAndFolder,
}

/// A journal that is open.
#[derive(Debug)]
pub struct Journal {
    folder: PathBuf,
    syncs: Syncs,
    segment: File,
    number: u32,
    lines: u32,
}

/// The lines of a segment.
const LINES_MAX: u32 = 2;

fn segments(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = WalkDir::new(folder).min_depth(1).max_depth(1).sort_by_file_name().into_iter();
    let entries = entries.map(|entry| entry.map_err(io::Error::from));
    let segments = entries.map(|entry| entry.map(|entry| entry.into_path()));
    segments.filter(|path| !path.as_ref().is_ok_and(|path| path.extension().is_none_or(|sort| sort != "log"))).collect()
}

impl Journal {
    /// Opens the journal of a folder; with the lines that are in it. What follows the last end of a line was cut off.
    pub fn open(folder: &Path, syncs: Syncs) -> io::Result<(Journal, Vec<String>)> {
        fs::create_dir_all(folder)?;
        let mut lines = Vec::new();
        let mut number = 0;
        for segment in segments(folder)? {
            let text = fs::read(&segment)?;
            let complete = text.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
            let valid = String::from_utf8_lossy(&text[..complete]);
            lines.extend(valid.lines().filter(|line| !line.contains('\0')).map(str::to_owned));
            let name = segment.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
            number = name.parse().unwrap_or(number);
        }
        let mut journal = Journal { folder: folder.to_owned(), syncs, segment: File::open(folder)?, number, lines: 0 };
        journal.begin_segment()?;
        Ok((journal, lines))
    }

    fn begin_segment(&mut self) -> io::Result<()> {
        self.number += 1;
        let path = self.folder.join(format!("{:04}.log", self.number));
        self.segment = OpenOptions::new().append(true).create_new(true).open(path)?;
        self.lines = 0;
        if self.syncs == Syncs::SegmentAndFolder {
            File::open(&self.folder)?.sync_all()?;
        }
        Ok(())
    }

    /// Keeps a line.
    pub fn append(&mut self, line: &str) -> io::Result<()> {
        if self.lines == LINES_MAX {
            self.begin_segment()?;
        }
        self.segment.write_all(format!("{line}\n").as_bytes())?;
        self.lines += 1;
        if self.syncs == Syncs::Nothing { Ok(()) } else { self.segment.sync_data() }
    }
}
