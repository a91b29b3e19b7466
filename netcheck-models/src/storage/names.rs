//! The calls of a program that are about names.

use super::failure::Failure;
use super::files::{Entry, Files, Handle};
use super::operation::{self, Operation};
use super::tree::{Inode, Name, Path};
use super::walk::{Last, Walked, end, lookup, walk};
use std::sync::Arc;

impl Files {
    /// Makes a directory.
    ///
    /// # Errors
    /// As `mkdir(2)`.
    pub fn make_directory(&mut self, path: &[u8], mode: u32) -> Result<(), Failure> {
        let walked = walk(&self.tree, path)?;
        let name = walked.name(|_| Failure::Exists)?;
        if self.tree.find(walked.directory(), name).is_some() {
            return Err(Failure::Exists);
        }
        let path = self.path_to(&walked, name);
        let inode = self.tree.add(operation::empty_directory(mode & 0o7777));
        self.tree.set_name(walked.directory(), name, inode);
        self.tell_names(Operation::MakeDirectory { path, mode: mode & 0o7777 });
        Ok(())
    }

    /// Removes a name of a file.
    ///
    /// # Errors
    /// As `unlink(2)`.
    pub fn unlink(&mut self, path: &[u8]) -> Result<(), Failure> {
        let walked = walk(&self.tree, path)?;
        let name = walked.name(|_| Failure::IsADirectory)?;
        let inode = end(&self.tree, &walked)?;
        if self.tree.is_directory(inode) {
            return Err(Failure::IsADirectory);
        }
        let path = self.path_to(&walked, name);
        self.tree.remove_name(walked.directory(), name);
        self.keep(inode, &path);
        self.tell_names(Operation::Unlink { path });
        Ok(())
    }

    /// Removes an empty directory.
    ///
    /// # Errors
    /// As `rmdir(2)`.
    pub fn remove_directory(&mut self, path: &[u8]) -> Result<(), Failure> {
        let walked = walk(&self.tree, path)?;
        let name = walked.name(|last| match last {
            Last::Here => Failure::Invalid,
            Last::Above => Failure::NotEmpty,
            _ => Failure::Busy,
        })?;
        let inode = end(&self.tree, &walked)?;
        let names = self.tree.names(inode).ok_or(Failure::NotADirectory)?;
        if !names.is_empty() {
            return Err(Failure::NotEmpty);
        }
        let path = self.path_to(&walked, name);
        self.tree.remove_name(walked.directory(), name);
        self.tell_names(Operation::RemoveDirectory { path });
        Ok(())
    }

    /// Gives a file or directory another path; what has that path is replaced.
    ///
    /// # Errors
    /// As `rename(2)`.
    pub fn rename(&mut self, from: &[u8], to: &[u8]) -> Result<(), Failure> {
        let (from, to) = (walk(&self.tree, from)?, walk(&self.tree, to)?);
        let (old, new) = (from.name(|_| Failure::Busy)?, to.name(|_| Failure::Busy)?);
        let inode = self.tree.find(from.directory(), old).ok_or(Failure::NotFound)?;
        let replaced = self.tree.find(to.directory(), new);
        let is_directory = self.tree.is_directory(inode);
        if !is_directory && (from.has_slash || to.has_slash) {
            return Err(Failure::NotADirectory);
        }
        if is_directory && to.is_within(inode) {
            return Err(Failure::Invalid);
        }
        if let Some(replaced) = replaced {
            if self.tree.is_directory(replaced) && from.is_within(replaced) {
                return Err(Failure::NotEmpty);
            }
            if replaced == inode {
                return Ok(());
            }
            match (is_directory, self.tree.names(replaced)) {
                (true, None) => return Err(Failure::NotADirectory),
                (false, Some(_)) => return Err(Failure::IsADirectory),
                (true, Some(names)) if !names.is_empty() => return Err(Failure::NotEmpty),
                _ => {}
            }
        }
        let paths = (self.path_to(&from, old), self.path_to(&to, new));
        self.tree.remove_name(from.directory(), old);
        self.tree.set_name(to.directory(), new, inode);
        if let Some(replaced) = replaced {
            self.keep(replaced, &paths.1);
        }
        self.tell_names(Operation::Rename { from: paths.0, to: paths.1 });
        Ok(())
    }

    /// Gives a file another name.
    ///
    /// # Errors
    /// As `link(2)`.
    pub fn link(&mut self, from: &[u8], to: &[u8]) -> Result<(), Failure> {
        let inode = lookup(&self.tree, from)?;
        let to = walk(&self.tree, to)?;
        let name = to.name(|_| Failure::Exists)?;
        match self.tree.find(to.directory(), name) {
            Some(_) => return Err(Failure::Exists),
            None if to.has_slash => return Err(Failure::NotFound),
            None if self.tree.is_directory(inode) => return Err(Failure::NotPermitted),
            None => {}
        }
        let path = self.tree.path_of(inode).expect("a name has led to it");
        let to_path = self.path_to(&to, name);
        self.tree.set_name(to.directory(), name, inode);
        self.tell_names(Operation::Link { from: path, to: to_path });
        Ok(())
    }

    /// The names in a directory, in their order, with whether each is a directory.
    ///
    /// # Errors
    /// As `opendir(3)`.
    pub fn names(&self, path: &[u8]) -> Result<Vec<(Name, bool)>, Failure> {
        let names = self.tree.names(lookup(&self.tree, path)?).ok_or(Failure::NotADirectory)?;
        Ok(names.iter().map(|(name, &inode)| (Arc::clone(name), self.tree.is_directory(inode))).collect())
    }

    /// The next name in a directory, in the order of names; `None` after the last one. The names are those that are there when
    /// the first one is read.
    ///
    /// # Errors
    /// As `readdir(3)`.
    pub fn next_name(&mut self, handle: Handle) -> Result<Option<Entry>, Failure> {
        let opened = self.of(handle)?;
        let names = match &opened.names {
            Some(names) => Arc::clone(names),
            None => {
                let names = self.tree.names(opened.inode).ok_or(Failure::NotADirectory)?;
                let entry = |(name, &inode): (&Name, &Inode)| Entry {
                    name: Arc::clone(name),
                    is_directory: self.tree.is_directory(inode),
                    number: self.facts(inode).number,
                };
                names.iter().map(entry).collect()
            }
        };
        let next = names.get(self.of(handle)?.offset).cloned();
        let opened = self.of_mut(handle)?;
        opened.names = Some(names);
        opened.offset += usize::from(next.is_some());
        Ok(next)
    }

    /// The path from the root of one that begins at a directory that is open.
    ///
    /// # Errors
    /// As `openat(2)`.
    pub fn path_at(&self, handle: Handle, path: &[u8]) -> Result<Vec<u8>, Failure> {
        let inode = self.of(handle)?.inode;
        if path.starts_with(b"/") {
            return Ok(path.to_vec());
        }
        if !self.tree.is_directory(inode) {
            return Err(Failure::NotADirectory);
        }
        let directory = self.tree.path_of(inode).filter(|_| !path.is_empty()).ok_or(Failure::NotFound)?;
        Ok([&directory[..], b"/", path].concat())
    }

    /// The path from the root without `.` and `..`.
    ///
    /// # Errors
    /// As `realpath(3)`.
    pub fn canonical(&self, path: &[u8]) -> Result<Path, Failure> {
        let walked = walk(&self.tree, path)?;
        let inode = end(&self.tree, &walked)?;
        match &walked.last {
            Last::Name(name) => Ok(self.path_to(&walked, name)),
            _ => Ok(self.tree.path_of(inode).expect("a name has led to it")),
        }
    }

    /// The path of a name in the directory of a path.
    fn path_to(&self, walked: &Walked, name: &[u8]) -> Path {
        let directory: Inode = walked.directory();
        let before = self.tree.path_of(directory).expect("names have led to it");
        let before: &[u8] = if &before[..] == b"/" { b"" } else { &before };
        Arc::from([before, b"/", name].concat())
    }
}
