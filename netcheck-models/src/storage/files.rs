//! The tree that a program sees, and the files that it has opened.

use super::failure::Failure;
use super::operation::{self, Operation, Subject};
use super::tree::{Content, Inode, Name, Path, Tree, place};
use super::walk::{self, Last, end, lookup, walk};
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// The most bytes of a file: a longer one would take the memory of the check.
pub const FILE_BYTES_MAX: usize = 1 << 26;

/// A file or directory that a program has opened: a descriptor of the system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Handle(pub u32);

/// An open file description of the system: handles that were duplicated share one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Description(u32);

/// What a file is opened for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Access {
    /// It is read.
    pub read: bool,
    /// It is written.
    pub write: bool,
    /// Each write begins at the end.
    pub append: bool,
    /// Its bytes are removed.
    pub truncate: bool,
    /// It is created if nothing has its name.
    pub create: bool,
    /// It is created, and nothing may have its name.
    pub create_new: bool,
}

/// A place in a file to go to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seek {
    /// From the start.
    Start(u64),
    /// From the end.
    End(i64),
    /// From the place of the last call.
    Current(i64),
}

/// Facts about a file or a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Metadata {
    /// Whether it is a directory.
    pub is_directory: bool,
    /// The bytes of a file; of a directory, a block.
    pub length: u64,
    /// Its permissions.
    pub mode: u32,
    /// Its names.
    pub links: u64,
    /// A number that tells it from others while a name leads to it, or it is open.
    pub number: u64,
}

/// The length of a directory, as most file systems of Linux tell it.
const DIRECTORY_BYTES: u64 = 4096;

/// A name in a directory, as it was when the first one was read.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Entry {
    /// The name.
    pub name: Name,
    /// Whether it is a directory.
    pub is_directory: bool,
    /// As [`Metadata::number`].
    pub number: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Opened {
    pub(super) inode: Inode,
    /// The place of the next call; of a directory that is read, the number of the next name.
    pub(super) offset: usize,
    pub(super) reads: bool,
    pub(super) writes: bool,
    pub(super) appends: bool,
    /// The names of a directory that is read.
    pub(super) names: Option<Arc<[Entry]>>,
}

/// The tree that a program sees, and the files that it has opened. A call that fails changes nothing.
#[derive(Clone, Debug, Default)]
pub struct Files {
    pub(super) tree: Tree,
    handles: BTreeMap<Handle, Description>,
    opened: BTreeMap<Description, Opened>,
    /// The numbers of open files that no name leads to.
    nameless: BTreeMap<Inode, u32>,
    /// The operations since they were last taken.
    done: Vec<Operation>,
}

impl Files {
    /// The files of a program that has opened none.
    pub fn new(tree: Tree) -> Files {
        Files { tree, ..Files::default() }
    }

    /// The tree.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The number of files that are open.
    pub fn opened(&self) -> usize {
        self.handles.len()
    }

    /// Takes the operations since the last time.
    pub fn take_done(&mut self) -> Vec<Operation> {
        std::mem::take(&mut self.done)
    }

    /// Records everything here that later results depend on: equal contents, whatever came before, are recorded equally.
    pub fn record(&self, values: &mut impl Hasher) {
        let order = self.tree.record(&self.inodes(), values);
        self.handles.len().hash(values);
        for (handle, description) in &self.handles {
            let first = self.handles.iter().find(|(_, other)| *other == description).map(|(first, _)| first);
            let Opened { inode, offset, reads, writes, appends, names } = &self.opened[description];
            (handle, first, place(&order, *inode), offset, reads, writes, appends, names).hash(values);
        }
        let nameless: BTreeMap<Inode, u32> =
            self.nameless.iter().map(|(inode, number)| (place(&order, *inode), *number)).collect();
        nameless.hash(values);
    }

    /// The files and directories that are open, in the order of their handles.
    fn inodes(&self) -> Vec<Inode> {
        self.handles.values().map(|description| self.opened[description].inode).collect()
    }

    /// Opens a file, or a directory that is only read.
    ///
    /// # Errors
    /// As `open(2)`, where `std::fs::OpenOptions` does not refuse the access.
    pub fn open(&mut self, path: &[u8], access: Access, mode: u32) -> Result<Handle, Failure> {
        let Access { read, write, append, truncate, create, create_new } = access;
        let creates = create || create_new;
        let makes_sense = match (write, append) {
            (true, false) => true,
            (false, false) => read && !truncate && !creates,
            (_, true) => !truncate || create_new,
        };
        if !makes_sense {
            return Err(Failure::Refused);
        }
        let walked = walk(&self.tree, path)?;
        if creates && walked.has_slash && matches!(walked.last, Last::Name(_)) {
            return Err(Failure::IsADirectory);
        }
        let inode = match end(&self.tree, &walked) {
            Ok(_) if create_new => return Err(Failure::Exists),
            Ok(inode) if self.tree.is_directory(inode) && (write || append || creates) => {
                return Err(Failure::IsADirectory);
            }
            Ok(inode) => {
                if truncate && self.tree.bytes(inode).is_some_and(|bytes| !bytes.is_empty()) {
                    self.set_length_of(inode, 0);
                }
                inode
            }
            Err(Failure::NotFound) if creates => self.create(&walked, mode)?,
            Err(failure) => return Err(failure),
        };
        let free = (0..).map(Description).find(|description| !self.opened.contains_key(description));
        let description = free.expect("no program opens so many files");
        let opened = Opened { inode, offset: 0, reads: read, writes: write || append, appends: append, names: None };
        self.opened.insert(description, opened);
        Ok(self.handle_of(description))
    }

    /// A new handle: the least that is free.
    fn handle_of(&mut self, description: Description) -> Handle {
        let free = (0..).map(Handle).find(|handle| !self.handles.contains_key(handle));
        let handle = free.expect("no program opens so many files");
        self.handles.insert(handle, description);
        handle
    }

    /// Another handle of the same file, with the same place.
    ///
    /// # Errors
    /// As `dup(2)`.
    pub fn duplicate(&mut self, handle: Handle) -> Result<Handle, Failure> {
        let &description = self.handles.get(&handle).ok_or(Failure::BadDescriptor)?;
        Ok(self.handle_of(description))
    }

    fn create(&mut self, walked: &walk::Walked, mode: u32) -> Result<Inode, Failure> {
        let name = walked.name(|_| Failure::IsADirectory)?;
        let inode = self.tree.add(operation::empty_file(mode & 0o7777));
        self.tree.set_name(walked.directory(), name, inode);
        let path = self.tree.path_of(inode).expect("it has got a name");
        self.done.push(Operation::Create { path, mode: mode & 0o7777 });
        Ok(inode)
    }

    /// Closes a file. What no name leads to is gone then.
    pub fn close(&mut self, handle: Handle) {
        if let Some(description) = self.handles.remove(&handle)
            && self.handles.values().all(|&other| other != description)
        {
            let closed = self.opened.remove(&description);
            if let Some(Opened { inode, .. }) = closed
                && !self.is_open(inode)
                && let Some(number) = self.nameless.remove(&inode)
            {
                self.done.push(Operation::Forget { number });
            }
            self.forget();
        }
    }

    /// The access for which a file is open, as far as it says what may be done with it.
    ///
    /// # Errors
    /// As `fcntl(2)`: none, of what is open.
    pub fn access(&self, handle: Handle) -> Result<Access, Failure> {
        let &Opened { reads, writes, appends, .. } = self.of(handle)?;
        Ok(Access { read: reads, write: writes, append: appends, ..Access::default() })
    }

    /// Reads bytes into a buffer; returns their number.
    ///
    /// # Errors
    /// As `read(2)`.
    pub fn read(&mut self, handle: Handle, buffer: &mut [u8]) -> Result<usize, Failure> {
        let length = self.read_at(handle, buffer, self.of(handle)?.offset as u64)?;
        self.of_mut(handle)?.offset += length;
        Ok(length)
    }

    /// Reads bytes from a place into a buffer; returns their number.
    ///
    /// # Errors
    /// As `pread(2)`.
    pub fn read_at(&self, handle: Handle, buffer: &mut [u8], at: u64) -> Result<usize, Failure> {
        let opened = self.of(handle)?;
        if !opened.reads {
            return Err(Failure::BadDescriptor);
        }
        let bytes = self.tree.bytes(opened.inode).ok_or(Failure::IsADirectory)?;
        let rest = usize::try_from(at).ok().and_then(|at| bytes.get(at..)).unwrap_or(&[]);
        let length = rest.len().min(buffer.len());
        buffer[..length].copy_from_slice(&rest[..length]);
        Ok(length)
    }

    /// Writes bytes; returns their number.
    ///
    /// # Errors
    /// As `write(2)`.
    pub fn write(&mut self, handle: Handle, bytes: &[u8]) -> Result<usize, Failure> {
        let opened = self.of(handle)?;
        let at = if opened.appends { self.length_of(opened.inode) } else { opened.offset };
        let end = self.write_from(handle, bytes, at)?;
        // An append of nothing does not go to the end.
        if !bytes.is_empty() {
            self.of_mut(handle)?.offset = end;
        }
        Ok(bytes.len())
    }

    /// Writes bytes from a place on; returns their number.
    ///
    /// # Errors
    /// As `pwrite(2)`.
    pub fn write_at(&mut self, handle: Handle, bytes: &[u8], at: u64) -> Result<usize, Failure> {
        let opened = self.of(handle)?;
        let at = usize::try_from(at).map_err(|_| Failure::Invalid)?;
        // Linux appends, whatever the place.
        let at = if opened.appends { self.length_of(opened.inode) } else { at };
        self.write_from(handle, bytes, at)?;
        Ok(bytes.len())
    }

    fn write_from(&mut self, handle: Handle, bytes: &[u8], at: usize) -> Result<usize, Failure> {
        let &Opened { inode, writes, .. } = self.of(handle)?;
        if !writes {
            return Err(Failure::BadDescriptor);
        }
        let end = at.checked_add(bytes.len()).filter(|&end| end <= FILE_BYTES_MAX || bytes.is_empty());
        let end = end.ok_or(Failure::TooBig)?;
        if !bytes.is_empty() {
            self.tree.write(inode, at, bytes);
            self.tell(inode, |file| Operation::Write { file, at, bytes: Arc::from(bytes) });
        }
        Ok(end)
    }

    /// Goes to another place; returns it. At its start, the names of a directory are read anew.
    ///
    /// # Errors
    /// As `lseek(2)`.
    pub fn seek(&mut self, handle: Handle, to: Seek) -> Result<u64, Failure> {
        let opened = self.of(handle)?;
        let at = match to {
            Seek::Start(at) => i64::try_from(at).ok(),
            Seek::End(by) => (self.length_of(opened.inode) as i64).checked_add(by),
            Seek::Current(by) => (opened.offset as i64).checked_add(by),
        };
        let at = at.filter(|&at| at >= 0).ok_or(Failure::Invalid)?;
        let opened = self.of_mut(handle)?;
        opened.offset = at as usize;
        if at == 0 {
            opened.names = None;
        }
        Ok(at as u64)
    }

    /// Cuts a file, or adds zeros to it.
    ///
    /// # Errors
    /// As `ftruncate(2)`.
    pub fn set_length(&mut self, handle: Handle, length: u64) -> Result<(), Failure> {
        let &Opened { inode, writes, .. } = self.of(handle)?;
        if i64::try_from(length).is_err() {
            return Err(Failure::Refused);
        }
        if !writes {
            return Err(Failure::Invalid);
        }
        if length > FILE_BYTES_MAX as u64 {
            return Err(Failure::TooBig);
        }
        if self.length_of(inode) as u64 != length {
            self.set_length_of(inode, length as usize);
        }
        Ok(())
    }

    fn set_length_of(&mut self, inode: Inode, length: usize) {
        self.tree.set_length(inode, length);
        self.tell(inode, |file| Operation::SetLength { file, length });
    }

    /// Makes the bytes and the length of a file durable; or the names in a directory.
    ///
    /// # Errors
    /// As `fsync(2)`: none, of what is open.
    pub fn sync(&mut self, handle: Handle) -> Result<(), Failure> {
        let inode = self.of(handle)?.inode;
        self.tell(inode, |file| Operation::Sync { file });
        Ok(())
    }

    /// A sync fails: of a file, what was not durable before may be lost, and later syncs make only later changes durable; the names
    /// in a directory are as before.
    ///
    /// # Errors
    /// As `fsync(2)`: none, of what is open.
    pub fn fail_sync(&mut self, handle: Handle) -> Result<(), Failure> {
        let inode = self.of(handle)?.inode;
        if !self.tree.is_directory(inode) {
            self.tell(inode, |file| Operation::FailedSync { file });
        }
        Ok(())
    }

    /// Facts about what is open.
    ///
    /// # Errors
    /// As `fstat(2)`: none, of what is open.
    pub fn metadata_of(&self, handle: Handle) -> Result<Metadata, Failure> {
        Ok(self.facts(self.of(handle)?.inode))
    }

    /// Sets the permissions of what is open.
    ///
    /// # Errors
    /// As `fchmod(2)`: none, of what is open.
    pub fn set_mode_of(&mut self, handle: Handle, mode: u32) -> Result<(), Failure> {
        self.set_mode_at(self.of(handle)?.inode, mode);
        Ok(())
    }

    /// Facts about a path.
    ///
    /// # Errors
    /// As `stat(2)`.
    pub fn metadata(&self, path: &[u8]) -> Result<Metadata, Failure> {
        Ok(self.facts(lookup(&self.tree, path)?))
    }

    /// Sets the permissions of a path.
    ///
    /// # Errors
    /// As `chmod(2)`.
    pub fn set_mode(&mut self, path: &[u8], mode: u32) -> Result<(), Failure> {
        self.set_mode_at(lookup(&self.tree, path)?, mode);
        Ok(())
    }

    fn set_mode_at(&mut self, inode: Inode, mode: u32) {
        self.tree.set_mode(inode, mode);
        self.tell(inode, |file| Operation::SetMode { file, mode: mode & 0o7777 });
    }

    pub(super) fn facts(&self, inode: Inode) -> Metadata {
        let node = self.tree.node(inode);
        let (is_directory, length) = match &node.content {
            Content::File(bytes) => (false, bytes.len() as u64),
            Content::Directory(_) => (true, DIRECTORY_BYTES),
        };
        let number = self.tree.reached(self.inodes()).iter().position(|&known| known == inode);
        let number = number.expect("a name leads to it, or it is open") as u64 + 1;
        Metadata { is_directory, length, mode: node.mode, links: self.tree.links(inode), number }
    }

    fn length_of(&self, inode: Inode) -> usize {
        self.tree.bytes(inode).map_or(0, |bytes| bytes.len())
    }

    pub(super) fn of(&self, handle: Handle) -> Result<&Opened, Failure> {
        self.handles.get(&handle).map(|description| &self.opened[description]).ok_or(Failure::BadDescriptor)
    }

    pub(super) fn of_mut(&mut self, handle: Handle) -> Result<&mut Opened, Failure> {
        let description = self.handles.get(&handle).ok_or(Failure::BadDescriptor)?;
        Ok(self.opened.get_mut(description).expect("a handle has its description"))
    }

    fn is_open(&self, inode: Inode) -> bool {
        self.opened.values().any(|opened| opened.inode == inode)
    }

    /// Tells an operation on a file or directory. A removed directory is one that nobody will see again.
    fn tell(&mut self, inode: Inode, operation: impl FnOnce(Subject) -> Operation) {
        let nameless = self.nameless.get(&inode).map(|&number| Subject::Nameless(number));
        let subject = nameless.or_else(|| self.tree.path_of(inode).map(Subject::Path));
        self.done.extend(subject.map(operation));
    }

    /// Gives a file a number that has lost a name, if it was the last one, and the file is open.
    pub(super) fn keep(&mut self, inode: Inode, path: &Path) {
        if self.is_open(inode) && !self.tree.is_directory(inode) && self.tree.path_of(inode).is_none() {
            let is_free = |number: &u32| self.nameless.values().all(|taken| taken != number);
            let number = (0..).find(is_free).expect("no program opens so many files");
            self.nameless.insert(inode, number);
            self.done.push(Operation::Keep { path: Arc::clone(path), number });
        }
    }

    /// Tells an operation on names.
    pub(super) fn tell_names(&mut self, operation: Operation) {
        self.done.push(operation);
        self.forget();
    }

    fn forget(&mut self) {
        self.tree.forget_unreached(self.opened.values().map(|opened| opened.inode));
    }
}
