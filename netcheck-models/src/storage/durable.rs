//! What of a host's files is durable, and the operations that are pending.

use super::operation::{self, Operation, Subject, split};
use super::tree::{Inode, Name, Tree, place};
use std::collections::BTreeMap;
use std::sync::Arc;

/// With more pending operations, the images after a power failure are not enumerated.
pub const PENDING_MAX: usize = 8;

/// An operation that is not durable, by inode: its effect does not depend on the names of other files.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Pending {
    /// A name appears.
    Enter {
        directory: Inode,
        name: Name,
        inode: Inode,
    },
    /// A name disappears.
    Leave {
        directory: Inode,
        name: Name,
        inode: Inode,
    },
    /// A name is replaced by another one.
    Move {
        from: (Inode, Name),
        to: (Inode, Name),
        inode: Inode,
    },
    Write {
        inode: Inode,
        at: usize,
        bytes: Arc<[u8]>,
    },
    SetLength {
        inode: Inode,
        length: usize,
    },
}

impl Pending {
    /// Applies the operation, if it still makes sense.
    pub(super) fn apply(&self, tree: &mut Tree) {
        match self {
            Pending::Enter { directory, name, inode } => tree.set_name(*directory, name, *inode),
            Pending::Leave { directory, name, inode } => leave(tree, *directory, name, *inode),
            Pending::Move { from, to, inode } if tree.is_directory(*inode) => {
                // A directory has one name, and is not in itself.
                if !tree.is_above(*inode, to.0) {
                    tree.remove_names_of(*inode);
                    leave(tree, from.0, &from.1, *inode);
                    tree.set_name(to.0, &to.1, *inode);
                }
            }
            Pending::Move { from, to, inode } => {
                leave(tree, from.0, &from.1, *inode);
                tree.set_name(to.0, &to.1, *inode);
            }
            Pending::Write { inode, at, bytes } => tree.write(*inode, *at, bytes),
            Pending::SetLength { inode, length } => tree.set_length(*inode, *length),
        }
    }

    /// The names that it changes: each by its directory.
    fn names(&self) -> [Option<(Inode, &Name)>; 2] {
        match self {
            Pending::Enter { directory, name, .. } | Pending::Leave { directory, name, .. } => {
                [Some((*directory, name)), None]
            }
            Pending::Move { from, to, .. } => [Some((from.0, &from.1)), Some((to.0, &to.1))],
            Pending::Write { .. } | Pending::SetLength { .. } => [None, None],
        }
    }

    /// Whether it changes a name in a directory.
    fn is_in(&self, of: Inode) -> bool {
        self.names().into_iter().flatten().any(|(directory, _)| directory == of)
    }

    /// Whether it changes the content of a file.
    fn is_of(&self, file: Inode) -> bool {
        matches!(self, Pending::Write { inode, .. } | Pending::SetLength { inode, .. } if *inode == file)
    }

    /// The inode that gets a name.
    fn entered(&self) -> Option<Inode> {
        match self {
            Pending::Enter { inode, .. } | Pending::Move { inode, .. } => Some(*inode),
            _ => None,
        }
    }

    fn inode(&self) -> Inode {
        match self {
            Pending::Enter { inode, .. }
            | Pending::Leave { inode, .. }
            | Pending::Move { inode, .. }
            | Pending::Write { inode, .. }
            | Pending::SetLength { inode, .. } => *inode,
        }
    }

    fn directories(&self) -> impl Iterator<Item = Inode> {
        self.names().into_iter().flatten().map(|(directory, _)| directory)
    }

    fn renumbered(&self, order: &[Inode]) -> Pending {
        let number = |inode: &Inode| place(order, *inode);
        match self {
            Pending::Enter { directory, name, inode } => {
                Pending::Enter { directory: number(directory), name: Arc::clone(name), inode: number(inode) }
            }
            Pending::Leave { directory, name, inode } => {
                Pending::Leave { directory: number(directory), name: Arc::clone(name), inode: number(inode) }
            }
            Pending::Move { from, to, inode } => {
                let renumbered = |at: &(Inode, Name)| (number(&at.0), Arc::clone(&at.1));
                Pending::Move { from: renumbered(from), to: renumbered(to), inode: number(inode) }
            }
            Pending::Write { inode, at, bytes } => {
                Pending::Write { inode: number(inode), at: *at, bytes: Arc::clone(bytes) }
            }
            Pending::SetLength { inode, length } => Pending::SetLength { inode: number(inode), length: *length },
        }
    }
}

/// An operation that is not durable, and what becomes of it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Entry {
    pub(super) pending: Pending,
    pub(super) fate: Fate,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Fate {
    /// A sync will make it durable.
    Open,
    /// A sync of it has failed: it may survive, and no later sync is about it.
    Refused,
    /// It is durable, but has to come after an operation on the same file that is not.
    Durable,
}

/// A name disappears, if it still leads to the inode.
fn leave(tree: &mut Tree, directory: Inode, name: &[u8], inode: Inode) {
    if tree.find(directory, name) == Some(inode) {
        tree.remove_name(directory, name);
    }
}

/// A host's files: the durable content, and the operations that are pending, the oldest first. Equal ones behave
/// equally, whatever came before.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Storage {
    pub(super) durable: Tree,
    pub(super) pending: Vec<Entry>,
    /// The files that are open and that no name leads to in what programs see, by the numbers that programs give them.
    nameless: BTreeMap<u32, Inode>,
}

impl Storage {
    /// Files that are all durable.
    pub fn new(tree: &Tree) -> Storage {
        Storage { durable: tree.by_content(), ..Storage::default() }
    }

    /// The tree that programs see.
    pub fn seen(&self) -> Tree {
        self.applied().by_content()
    }

    /// The tree that a power failure leaves at least.
    pub fn durable(&self) -> Tree {
        let mut tree = self.durable.clone();
        let durable = self.pending.iter().filter(|entry| entry.fate == Fate::Durable);
        durable.for_each(|entry| entry.pending.apply(&mut tree));
        tree.by_content()
    }

    /// The number of pending operations.
    pub fn pending(&self) -> usize {
        self.pending.iter().filter(|entry| entry.fate != Fate::Durable).count()
    }

    /// The storage after an operation.
    ///
    /// # Panics
    /// If the operation names files that the tree does not have.
    #[must_use]
    pub fn after(&self, operation: &Operation) -> Storage {
        let mut next = self.clone();
        next.perform(operation).expect("an operation is about the files that its program sees");
        next.tidied()
    }

    /// The storage once all operations are durable.
    #[must_use]
    pub fn settled(&self) -> Storage {
        Storage::new(&self.applied())
    }

    fn applied(&self) -> Tree {
        let mut tree = self.durable.clone();
        self.pending.iter().for_each(|entry| entry.pending.apply(&mut tree));
        tree
    }

    fn push(&mut self, pending: Pending) {
        self.pending.push(Entry { pending, fate: Fate::Open });
    }

    fn perform(&mut self, operation: &Operation) -> Option<()> {
        let seen = self.applied();
        let pending = match operation {
            Operation::Create { path, mode } => {
                let (directory, name) = split(&seen, path)?;
                Pending::Enter { directory, name, inode: self.durable.add(operation::empty_file(*mode)) }
            }
            Operation::MakeDirectory { path, mode } => {
                let (directory, name) = split(&seen, path)?;
                Pending::Enter { directory, name, inode: self.durable.add(operation::empty_directory(*mode)) }
            }
            Operation::Link { from, to } => {
                let (directory, name) = split(&seen, to)?;
                Pending::Enter { directory, name, inode: seen.at(from)? }
            }
            Operation::Unlink { path } | Operation::RemoveDirectory { path } => {
                let (directory, name) = split(&seen, path)?;
                Pending::Leave { directory, name, inode: seen.at(path)? }
            }
            Operation::Rename { from, to } => {
                Pending::Move { from: split(&seen, from)?, to: split(&seen, to)?, inode: seen.at(from)? }
            }
            Operation::Write { file, .. }
            | Operation::SetLength { file, .. }
            | Operation::SetMode { file, .. }
            | Operation::Sync { file }
            | Operation::FailedSync { file } => {
                let inode = match file {
                    Subject::Path(path) => Some(seen.at(path)?),
                    // No image has it.
                    Subject::Nameless(number) => self.nameless.get(number).copied(),
                };
                inode.into_iter().for_each(|inode| self.perform_on(inode, operation));
                return Some(());
            }
            Operation::Keep { path, number } => {
                self.nameless.insert(*number, seen.at(path)?);
                return Some(());
            }
            Operation::Forget { number } => {
                self.nameless.remove(number);
                return Some(());
            }
        };
        self.push(pending);
        Some(())
    }

    /// Performs an operation on the content of a file, or a sync.
    fn perform_on(&mut self, inode: Inode, operation: &Operation) {
        match operation {
            Operation::Write { at, bytes, .. } => {
                self.push(Pending::Write { inode, at: *at, bytes: Arc::clone(bytes) });
            }
            Operation::SetLength { length, .. } => self.push(Pending::SetLength { inode, length: *length }),
            Operation::SetMode { mode, .. } => self.durable.set_mode(inode, *mode),
            Operation::Sync { .. } => self.sync(inode),
            Operation::FailedSync { .. } => {
                let refused = |entry: &&mut Entry| entry.fate == Fate::Open && entry.pending.is_of(inode);
                self.pending.iter_mut().filter(refused).for_each(|entry| entry.fate = Fate::Refused);
            }
            _ => unreachable!("an operation on names"),
        }
    }

    /// Makes the content of a file durable, or the names in a directory. A rename is durable as a whole, and what came
    /// before it to one of its names is durable with it.
    fn sync(&mut self, inode: Inode) {
        let is_directory = self.durable.is_directory(inode);
        let is_synced = |pending: &Pending| if is_directory { pending.is_in(inode) } else { pending.is_of(inode) };
        for later in (0..self.pending.len()).rev() {
            let (before, after) = self.pending.split_at_mut(later);
            let entry = &mut after[0];
            if entry.fate == Fate::Open && is_synced(&entry.pending) {
                entry.fate = Fate::Durable;
            }
            if entry.fate == Fate::Durable && is_directory {
                let needed = before.iter_mut().filter(|one| precedes(&one.pending, &entry.pending, &self.durable));
                needed.for_each(|one| one.fate = Fate::Durable);
            }
        }
        self.apply_durable();
    }

    /// Applies what is durable, but for what comes after an operation on the same file that is not.
    fn apply_durable(&mut self) {
        let mut kept: Vec<Entry> = Vec::new();
        for entry in std::mem::take(&mut self.pending) {
            let file = entry.pending.inode();
            let is_content = entry.pending.is_of(file);
            if entry.fate != Fate::Durable || is_content && kept.iter().any(|before| before.pending.is_of(file)) {
                kept.push(entry);
            } else {
                entry.pending.apply(&mut self.durable);
            }
        }
        self.pending = kept;
    }

    /// Without the inodes that no name can lead to any more, and numbered by content.
    fn tidied(mut self) -> Storage {
        let entered: Vec<Inode> = self.pending.iter().filter_map(|entry| entry.pending.entered()).collect();
        let order = self.durable.reached(entered);
        self.pending.retain(|Entry { pending, .. }| {
            order.contains(&pending.inode()) && pending.directories().all(|directory| order.contains(&directory))
        });
        self.nameless.retain(|_, inode| order.contains(inode));
        let renumbered = |entry: &Entry| Entry { pending: entry.pending.renumbered(&order), fate: entry.fate };
        let pending = self.pending.iter().map(renumbered).collect();
        let nameless = self.nameless.iter().map(|(&number, inode)| (number, place(&order, *inode))).collect();
        Storage { durable: self.durable.renumbered(&order), pending, nameless }
    }
}

/// Whether an operation on names has to be durable before a later one: both are about one name, both are about one
/// directory, or both move directories, which may be beneath each other.
fn precedes(earlier: &Pending, later: &Pending, tree: &Tree) -> bool {
    let shares = |one: &Pending, other: &Pending| {
        let names = other.names();
        one.names().into_iter().flatten().any(|name| names.contains(&Some(name)))
    };
    let is_name = |pending: &Pending| pending.names()[0].is_some();
    let are_moves = matches!((earlier, later), (Pending::Move { .. }, Pending::Move { .. }));
    let are_directories = tree.is_directory(earlier.inode()) && tree.is_directory(later.inode());
    let moves = are_directories && (are_moves || earlier.inode() == later.inode());
    is_name(earlier) && (shares(earlier, later) || moves)
}
