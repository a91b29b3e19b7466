//! The files that a server serves.

use super::packet::code;
use std::path::{Component, Path, PathBuf};

/// Where a server's files are.
#[derive(Clone, Debug)]
pub enum Folder {
    /// A directory. Nothing outside of it is read or written.
    Directory(PathBuf),
    /// One file with these contents, whatever its name; the same contents are expected where it is written.
    One(&'static [u8]),
}

/// A file that can't be read or written: the code and the message of an error packet.
pub type Refusal = (u16, String);

impl Folder {
    /// The contents of a file.
    pub fn read(&self, file: &str) -> Result<Vec<u8>, Refusal> {
        match self {
            Folder::Directory(directory) => std::fs::read(inside(directory, file)?).map_err(|error| refused(&error)),
            Folder::One(contents) => Ok(contents.to_vec()),
        }
    }

    /// Whether a file could be written.
    pub fn may_write(&self, file: &str) -> Result<(), Refusal> {
        match self {
            Folder::Directory(directory) => inside(directory, file).map(|_| ()),
            Folder::One(_) => Ok(()),
        }
    }

    /// Writes a file that has arrived as a whole.
    pub fn write(&self, file: &str, contents: &[u8]) -> Result<(), Refusal> {
        match self {
            Folder::Directory(directory) => {
                std::fs::write(inside(directory, file)?, contents).map_err(|error| refused(&error))
            }
            Folder::One(expected) => {
                assert_eq!(contents, *expected, "the file arrives as it was sent");
                Ok(())
            }
        }
    }
}

/// A file of a directory, unless its name leads out of it.
fn inside(directory: &Path, file: &str) -> Result<PathBuf, Refusal> {
    let relative = file.trim_start_matches('/');
    let stays = Path::new(relative).components().all(|part| matches!(part, Component::Normal(_)));
    if relative.is_empty() || !stays {
        return Err((code::ACCESS_VIOLATION, "not in the folder that is served".to_owned()));
    }
    Ok(directory.join(relative))
}

fn refused(error: &std::io::Error) -> Refusal {
    let code = match error.kind() {
        std::io::ErrorKind::NotFound => code::NOT_FOUND,
        std::io::ErrorKind::StorageFull => code::DISK_FULL,
        _ => code::ACCESS_VIOLATION,
    };
    (code, error.kind().to_string())
}
