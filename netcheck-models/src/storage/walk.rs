//! Paths as programs write them, and what they lead to, after `path_resolution(7)`.

use super::failure::Failure;
use super::tree::{Inode, Name, Tree};
use std::sync::Arc;

/// A path with as many bytes is too long, the zero at its end not counted.
const PATH_BYTES_MAX: usize = 4096;

/// A name has no more bytes.
const NAME_BYTES_MAX: usize = 255;

/// The last part of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Last {
    /// The path is the root.
    Root,
    /// `.`
    Here,
    /// `..`
    Above,
    /// A name.
    Name(Name),
}

/// A path up to its last part.
#[derive(Clone, Debug)]
pub(super) struct Walked {
    /// The directories from the root to the one of the last part.
    directories: Vec<Inode>,
    pub(super) last: Last,
    /// Whether a slash follows the last part: it has to be a directory.
    pub(super) has_slash: bool,
}

impl Walked {
    /// The directory that the last part is in.
    pub(super) fn directory(&self) -> Inode {
        self.directories.last().copied().unwrap_or(Inode::ROOT)
    }

    /// Whether an inode is the directory of the last part, or lies above it.
    pub(super) fn is_within(&self, inode: Inode) -> bool {
        self.directories.contains(&inode)
    }

    /// The last part, if it is a name; else the failure that the call says.
    pub(super) fn name(&self, otherwise: impl FnOnce(&Last) -> Failure) -> Result<&Name, Failure> {
        match &self.last {
            Last::Name(name) => Ok(name),
            last => Err(otherwise(last)),
        }
    }
}

/// Follows a path up to its last part, from the root: the working directory.
pub(super) fn walk(tree: &Tree, path: &[u8]) -> Result<Walked, Failure> {
    if path.is_empty() {
        return Err(Failure::NotFound);
    }
    if path.contains(&0) {
        return Err(Failure::Refused);
    }
    if path.len() >= PATH_BYTES_MAX {
        return Err(Failure::NameTooLong);
    }
    let parts: Vec<&[u8]> = path.split(|&byte| byte == b'/').filter(|part| !part.is_empty()).collect();
    let mut directories = vec![Inode::ROOT];
    let Some((last, before)) = parts.split_last() else {
        return Ok(Walked { directories, last: Last::Root, has_slash: true });
    };
    for part in before {
        enter(tree, &mut directories, part)?;
    }
    let last = match *last {
        b"." => Last::Here,
        b".." => Last::Above,
        name if name.len() > NAME_BYTES_MAX => return Err(Failure::NameTooLong),
        name => Last::Name(Arc::from(name)),
    };
    Ok(Walked { directories, last, has_slash: path.ends_with(b"/") })
}

fn enter(tree: &Tree, directories: &mut Vec<Inode>, part: &[u8]) -> Result<(), Failure> {
    match part {
        b"." => {}
        b".." if directories.len() > 1 => drop(directories.pop()),
        b".." => {}
        name if name.len() > NAME_BYTES_MAX => return Err(Failure::NameTooLong),
        name => {
            let at = *directories.last().expect("the root is never left");
            let inode = tree.find(at, name).ok_or(Failure::NotFound)?;
            if !tree.is_directory(inode) {
                return Err(Failure::NotADirectory);
            }
            directories.push(inode);
        }
    }
    Ok(())
}

/// The inode at the end of a path that was walked.
pub(super) fn end(tree: &Tree, walked: &Walked) -> Result<Inode, Failure> {
    let inode = match &walked.last {
        Last::Root => Inode::ROOT,
        Last::Here => walked.directory(),
        Last::Above => match &walked.directories[..] {
            [.., above, _] => *above,
            _ => Inode::ROOT,
        },
        Last::Name(name) => tree.find(walked.directory(), name).ok_or(Failure::NotFound)?,
    };
    if walked.has_slash && !tree.is_directory(inode) {
        return Err(Failure::NotADirectory);
    }
    Ok(inode)
}

/// The inode of a path.
pub(super) fn lookup(tree: &Tree, path: &[u8]) -> Result<Inode, Failure> {
    end(tree, &walk(tree, path)?)
}
